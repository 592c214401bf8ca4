"""Text that a model doesn't fit is told of, or written as the model's was."""

import gzip
import json
import re
from pathlib import Path

import pytest

from isogloss import program

DATA = Path(__file__).resolve().parents[3] / "data"
FAST = ["--model1-iterations", "1", "--hmm-iterations", "1", "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Text in lower case, with a model, and in capitals, with punctuation that sticks to words."""
    folder = tmp_path_factory.mktemp("text")
    for name in ("en", "es"):
        lines = gzip.decompress((DATA / f"train.{name}.gz").read_bytes()).decode().splitlines()
        text = "\n".join(lines[:300]) + "\n"
        (folder / name).write_text(text, encoding="utf-8")
        (folder / f"{name}.upper").write_text(text.upper(), encoding="utf-8")
        glued = text.replace(" .", ".").replace(" ,", ",")
        (folder / f"{name}.glued").write_text(glued, encoding="utf-8")
        (folder / f"{name}.other").write_text("zebra yellow zebra\n" * 300, encoding="utf-8")
    assert run(folder, "align", "en", "es", "--model", folder / "m", "-o", "links", *FAST) == 0
    return folder


def run(folder, command, *arguments):
    files = [folder / word if word in ("en", "es", "links") else word for word in arguments]
    return program.main([command, *map(str, files)])


SUMS = re.compile(
    r"300 pairs, 0\.\d\d links per source word; without a link: \d+\.\d% of the source words and "
    r"\d+\.\d% of the target words(; unknown to the model: \d+\.\d% and \d+\.\d%)?\n"
)


def applied(folder, tmp_path, capsys, end="", command=("apply",)):
    """Links of the text with that end, and what was said."""
    files = [str(folder / f"{name}{end}") for name in ("en", "es")]
    assert run(folder, *command, folder / "m", *files, "-o", tmp_path / "out") == 0
    return (tmp_path / "out").read_bytes(), capsys.readouterr().err


def test_text_is_lowercased_as_that_of_the_model(folder, tmp_path, capsys):
    links, said = applied(folder, tmp_path, capsys)
    assert links == (folder / "links").read_bytes()
    sums = SUMS.fullmatch(said)[0]
    links, said = applied(folder, tmp_path, capsys, ".upper")
    assert links == (folder / "links").read_bytes()
    assert said == (
        f"{folder / 'en.upper'}, {folder / 'es.upper'}: lowercased, because the model was trained "
        f"on lowercased text\n{sums}"
    )
    applied(folder, tmp_path, capsys, ".upper", ("domains", "predict"))


def test_text_without_blanks(folder, tmp_path, capsys):
    text = tmp_path / "zh"
    text.write_text("我們需要更多的時間來討論這個問題\n" * 300, encoding="utf-8")
    assert run(folder, "align", text, "es", "-o", tmp_path / "out", *FAST) == 0
    said = capsys.readouterr().err
    assert (
        "warning: the source text has 16.0 characters per token in a script without spaces" in said
    )


def test_another_casing_than_that_of_a_model_with_capitals(folder, tmp_path, capsys):
    files = [folder / "en.upper", folder / "es.upper"]
    model = tmp_path / "upper"
    assert run(folder, "align", *files, "--model", model, "-o", tmp_path / "links", *FAST) == 0
    assert run(folder, "apply", model, "en", "es", "-o", tmp_path / "links") == 0
    said = capsys.readouterr().err
    assert f"warning: {folder / 'en'}: " in said
    assert "of them only because of letter case, such as 'the' for 'THE'. Use the casing" in said


def test_exchanged_sides(folder, tmp_path, capsys):
    pairs = tmp_path / "pairs"
    sides = ((folder / name).read_text(encoding="utf-8").splitlines() for name in ("es", "en"))
    pairs.write_text("".join(f"{es}\t{en}\n" for es, en in zip(*sides, strict=True)))
    for files in ((folder / "es", folder / "en"), (pairs,)):
        assert run(folder, "apply", folder / "m", *files, "-o", tmp_path / "out") == 0
        said = capsys.readouterr().err
        assert said.startswith("warning: the sides look swapped: the model has ")
        assert " source side. Pass the files in reverse order\n" in said
        assert "have no link" not in said


@pytest.mark.parametrize("command", [("apply",), ("domains", "predict")])
def test_unknown_words(folder, tmp_path, capsys, command):
    said = applied(folder, tmp_path, capsys, ".other", command)[1].splitlines()
    assert said[1] == (
        f"warning: {folder / 'es.other'}: 100% of the words are unknown to the model, such as "
        "'zebra', 'yellow'. Check that the text is in the language and domains of the model. "
        "Unknown words are aligned only by the links of their neighbors"
    )


def test_untokenized_text(folder, tmp_path, capsys):
    said = applied(folder, tmp_path, capsys, ".glued")[1]
    assert "of them because of attached punctuation, such as " in said
    files = [folder / "en.glued", folder / "es.glued"]
    assert run(folder, "align", *files, "-o", tmp_path / "out", *FAST) == 0
    said = capsys.readouterr().err
    assert "warning: the source text looks untokenized: punctuation is attached to words" in said
    assert "Tokenize it first, for example with sacremoses" in said


def test_domains_in_the_third_column_or_a_property(folder, tmp_path, capsys):
    """The same model as from a file of labels."""
    sides = [(folder / name).read_text(encoding="utf-8").splitlines() for name in ("en", "es")]
    labels = [("law", "med", "-")[number % 3] for number in range(300)]
    (tmp_path / "labels").write_text("\n".join(labels) + "\n")
    rows = list(zip(*sides, labels, strict=True))
    (tmp_path / "tsv").write_text("".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")
    records = ({"src": en, "tgt": es, "domain": label} for en, es, label in rows)
    (tmp_path / "jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in records))
    sources = ((["en", "es"], tmp_path / "labels"), ([tmp_path / "tsv"], "column"),
               ([tmp_path / "jsonl"], "prop:domain"))  # fmt: skip
    found = []
    for files, given in sources:
        more = ("--labels", given, "--posteriors", tmp_path / "p", "-o", tmp_path / "out", *FAST)
        assert run(folder, "align", *files, *more) == 0
        found.append(((tmp_path / "out").read_bytes(), (tmp_path / "p").read_bytes()))
    assert found[0] == found[1] == found[2]
    assert "passed over" not in capsys.readouterr().err
    refused = (("--label-names", "law"), 1, "the domain 'med' is unknown; expected one of law,"), (
        ("--known-links", "column"), 2,
            "--labels column cannot be used with --known-links; pass a f"
        ,
    )  # fmt: skip
    for more, status, said in refused:
        command = ["align", str(tmp_path / "tsv"), "--labels", "column", *more, "-o", "x"]
        assert program.main(command) == status
        assert said in capsys.readouterr().err
    command = ["extract", str(tmp_path / "jsonl"), "--labels", "prop:domain"]
    assert program.main([*command, "--label-features", "indicator", "-o", "x"]) == 2
    assert "--labels prop:domain needs LINKS in a file, or a file of" in capsys.readouterr().err
