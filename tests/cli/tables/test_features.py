"""isogloss features: a table in, a table with other rules and features out."""

import gzip
import io
import json
import os
import re
import sys
from pathlib import Path

import pytest

from isogloss import program
from isogloss.features.bins.binning import Binning
from isogloss.features.table.sidecar import is_filtered_table
from isogloss.runs.moses_decoder import read_moses_decoder
from isogloss.tune.weights.weights import Weights

LINES = [
    "casa verde ||| green house ||| 0.50 0.25 1 0.125 ||| 1-0 0-1 ||| 2 1 1 ||| |||",
    "casa ||| home ||| 0.5 0.25 0.250 0.125 ||| 0-0 ||| 2 4 1 ||| |||",
    "casa ||| house ||| 0.5 0.25 0.5 0.125 ||| 0-0 ||| 4 4 2 ||| X_y 0.123456789 |||",
    "casa ||| the house ||| 1 0.25 0.25 0.125 ||| 0-1 ||| 1 4 1 ||| |||",
    "verde ||| green ||| 1 1 1e-3 0.125 ||| 0-0 ||| 3 3 3 ||| ||| {{a  b}}",
]
ARPA = "\\data\\\nngram 1=4\n\n\\1-grams:\n-1\t<unk>\n-1\t<s>\n-1\t</s>\n-1\tx\n\n\\end\\\n"


def written(path: Path, lines: list[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


@pytest.fixture
def table(tmp_path: Path) -> str:
    return written(tmp_path / "table", LINES)


def run(*arguments: str) -> int:
    return program.main(["features", *arguments])


def result(path: Path) -> list[str]:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    return data.decode().splitlines()


@pytest.mark.parametrize("name", ["out", "out.gz"])
def test_a_table_that_is_not_changed(table: str, tmp_path: Path, name: str) -> None:
    assert run(table, "-o", str(tmp_path / name), "-q") == 0
    assert result(tmp_path / name) == LINES


def test_a_name_that_differs_in_compression_alone(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It would take the file that names the other's scores, unless they are the same."""
    for name in ("x.gz", "x.gz", "x.xz"):
        assert run(table, "-o", str(tmp_path / name), "-q") == 0
    before = sorted((path.name, path.read_bytes()) for path in tmp_path.iterdir())
    more = ["-o", str(tmp_path / "x.zst"), "--discretize", "p(e|f):2", "-q"]
    assert run(table, *more) == 1
    message = r"x\.columns\.json belongs to .*x\.gz, whose scores differ. Choose"
    assert re.search(message, capsys.readouterr().err)
    assert before == sorted((path.name, path.read_bytes()) for path in tmp_path.iterdir())


def test_templates_leave_the_rest_in_its_digits(table: str, tmp_path: Path) -> None:
    assert run(table, "-o", str(tmp_path / "out"), "--add", "pt,al") == 0
    assert result(tmp_path / "out")[1:3] == [
        "casa ||| home ||| 0.5 0.25 0.250 0.125 ||| 0-0 ||| 2 4 1 ||| "
        "PT_casa_home 1 AL_casa_home 1 |||",
        "casa ||| house ||| 0.5 0.25 0.5 0.125 ||| 0-0 ||| 4 4 2 ||| "
        "X_y 0.123456789 PT_casa_house 1 AL_casa_house 1 |||",
    ]
    assert result(tmp_path / "out")[4].endswith("PT_verde_green 1 AL_verde_green 1 ||| {{a  b}}")


def test_a_template_that_counts_first(table: str, tmp_path: Path) -> None:
    # casa-house is linked in rules of counts 1 and 2, verde-green in rules of counts 1 and 3
    assert run(table, "-o", str(tmp_path / "out"), "--add", "al:min=2") == 0
    found = [re.findall("AL_[^ ]*", line) for line in result(tmp_path / "out")]
    assert found[1:] == [[], ["AL_casa_house"], ["AL_casa_house"], ["AL_verde_green"]]


def test_bins(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "out.gz")
    assert run(table, "-o", out, "--discretize", "p(e|f):1") == 0
    assert "p(e|f): 2 bins" in capsys.readouterr().err
    names = json.loads((tmp_path / "out.columns.json").read_text())["scores"]
    assert names == ["p(f|e)", "lex(f|e)", "lex(e|f)"]
    lines = result(tmp_path / "out.gz")
    assert lines[0] == (
        "casa verde ||| green house ||| 0.50 0.25 0.125 ||| 1-0 0-1 ||| 2 1 1 ||| "
        "p(e|f)_bin1:2 1 |||"
    )
    # the same bins once more, from the file beside the table
    bins = str(tmp_path / "out.bins.json")
    assert run(table, "-o", str(tmp_path / "again"), "--bins", bins) == 0
    assert result(tmp_path / "again") == lines
    assert (tmp_path / "again.bins.json").read_text() == Path(bins).read_text()
    # and through further features, which add bins of another score
    assert run(out, "-o", str(tmp_path / "more"), "--discretize", "lex(f|e):1") == 0
    more = Binning.load(tmp_path / "more.bins.json")
    assert [spec.name for spec in more.specs] == ["lex(f|e)", "p(e|f)"]
    assert more.bins[1].median.tolist() == Binning.load(bins).bins[0].median.tolist()


def test_bins_of_tokens_with_the_score_beside(table: str, tmp_path: Path) -> None:
    # c(f, e) is 1 1 2 1 3; half of 8 tokens have 0.5 or less
    options = ["--discretize", "p(f|e):1", "--keep", "--population", "tokens"]
    assert run(table, "-o", str(tmp_path / "out"), *options) == 0
    found = [re.findall(r"bin\d", line)[0] for line in result(tmp_path / "out")]
    assert found == ["bin0", "bin0", "bin0", "bin1", "bin1"]
    uses = written(tmp_path / "uses", ["casa ||| home ||| 1", "verde ||| green ||| 1"])
    options[-1] = uses
    assert run(table, "-o", str(tmp_path / "out"), *options) == 0
    assert "0.50 0.25 1 0.125" in result(tmp_path / "out")[0]


def test_scores_by_value_and_counts(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Decoders take logarithms: e^P stands for P, and bins are of the counts in the file."""
    out = str(tmp_path / "out")
    more = ["--raw", "p(e|f)", "--count-features", "SourceCount,TargetWords"]
    assert run(table, "-o", out, *more, "--discretize", "SourceCount:1") == 0
    names = json.loads((tmp_path / "out.columns.json").read_text())["scores"]
    assert names == ["p(f|e)", "lex(f|e)", "Raw.p(e|f)", "lex(e|f)", "TargetWords"]
    assert result(tmp_path / "out")[0] == (
        "casa verde ||| green house ||| 0.50 0.25 2.71828 0.125 7.38906 ||| 1-0 0-1 ||| 2 1 1 ||| "
        "SourceCount_bin0:2 1 |||"
    )
    found = [re.findall(r"SourceCount_bin\d", line)[0][-1] for line in result(tmp_path / "out")]
    assert found == ["0", "1", "1", "1", "0"]  # c(f) is 1 4 4 4 3
    assert run(table, "-o", out, "--raw", "p(e|f)", "--discretize", "p(e|f):1") == 2
    more += ["--discretize", "SourceCount:1", "--drop", "p(f|e)", "--drop", "lex(e|f)"]
    assert run(table, "-o", out, *more) == 0
    names = json.loads((tmp_path / "out.columns.json").read_text())["scores"]
    assert names == ["lex(f|e)", "Raw.p(e|f)", "TargetWords"]
    assert run(table, "-o", out, "--discretize", "p(e|f):1", "--drop", "p(e|f)") == 2
    assert "score 'p(e|f)'; the table has p(f|e), lex(f|e), lex(e|f)" in capsys.readouterr().err


def test_rules_to_keep(table: str, tmp_path: Path) -> None:
    text = written(tmp_path / "text", ["la Casa", ""])
    out = tmp_path / "out"
    assert run(table, "-o", str(out), "--filter-for", text, "--lowercase") == 0
    assert result(out) == LINES[1:4]
    again, beside = str(tmp_path / "again"), tmp_path / "out.columns.json"
    assert json.loads(beside.read_text())["filtered"] is True  # for who wonders what is missing
    for command in (["features", str(out)], ["prune", str(out), "-n", "20"]):
        assert program.main([*command, "-o", again]) == 0
        assert is_filtered_table(again) is True
    assert run(table, "-o", str(out), "--table-limit", "1") == 0
    assert result(out) == [LINES[0], LINES[2], LINES[4]]
    assert is_filtered_table(out) is False
    assert is_filtered_table(tmp_path / "text") is None
    assert run(table, "-o", str(out), "--min-count", "2") == 0
    assert result(out) == [LINES[2], LINES[4]]
    assert run(table, "-o", str(out), "--ratio", "0.6") == 0
    assert result(out) == [LINES[0], LINES[2], LINES[4]]


def test_rules_to_keep_of_a_large_table(tmp_path: Path) -> None:
    """Chosen by a kernel, but for lines that take a closer look."""
    sources = [f"w{number:04}" for number in range(1500)]
    rows = [f"{source} ||| house ||| 0.5 0.5 0.5 0.5" for source in sources]
    rows[7] = f" {rows[7]}"
    table = written(tmp_path / "table", rows)
    text = written(tmp_path / "text", ["w0003 w0007", "w1499 other"])
    assert run(table, "-o", str(tmp_path / "out"), "--filter-for", text, "--unsorted") == 0
    kept = [line.split(" ||| ")[0].strip() for line in result(tmp_path / "out")]
    assert kept == ["w0003", "w0007", "w1499"]


def test_nothing_is_left(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = written(tmp_path / "text", ["perro"])
    assert run(table, "-o", str(tmp_path / "out"), "--filter-for", text) == 1
    assert "the table has no rules for the input. Check" in capsys.readouterr().err
    assert run(table, "-o", str(tmp_path / "out"), "--min-count", "9") == 1
    assert "the phrase table is empty" in capsys.readouterr().err
    assert not list(tmp_path.glob("*out*"))


def test_forms(table: str, tmp_path: Path) -> None:
    grammar = tmp_path / "grammar.gz"
    assert run(table, "-o", str(grammar), "--to", "cdec") == 0
    assert result(grammar)[2] == (
        "[X] ||| casa ||| house ||| FgivenE=0.3010299957 LexFgivenE=0.6020599913 "
        "EgivenF=0.3010299957 LexEgivenF=0.903089987 X_y=0.123457 ||| 0-0"
    )
    assert run(str(grammar), "-o", str(tmp_path / "again.gz"), "--format", "cdec") == 0
    assert result(tmp_path / "again.gz") == result(grammar)
    assert run(table, "-o", str(tmp_path / "joshua"), "--to", "joshua") == 0
    back = ["--format", "joshua", "--to", "moses"]
    assert run(str(tmp_path / "joshua"), "-o", str(tmp_path / "moses"), *back) == 0
    assert result(tmp_path / "moses")[3] == LINES[3]


def test_scores_that_are_logarithms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = written(tmp_path / "table", ["a ||| b ||| -0.5 -1", "b ||| b ||| -0.25 0"])
    assert run(table, "-o", str(tmp_path / "out")) == 1
    assert "line 1: a score is -0.5; expected scores above 0" in (capsys.readouterr().err)
    assert run(table, "-o", str(tmp_path / "out"), "--scale", "log") == 0
    assert result(tmp_path / "out") == result(tmp_path / "table")


def test_a_table_sorted_otherwise(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mixed = written(tmp_path / "mixed", [LINES[k] for k in (4, 1, 0, 3, 2)])
    assert run(mixed, "-o", str(tmp_path / "out")) == 1
    message = "mixed, line 2: the source phrase 'casa' follows 'verde'; expected the order of"
    error = capsys.readouterr().err
    assert message in error
    assert "LC_ALL=C sort" in error
    assert run(mixed, "-o", str(tmp_path / "out"), "--unsorted") == 0
    assert result(tmp_path / "out") == LINES


def test_export(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "export"
    options = ["--add", "pt", "--export", str(folder), "--feature-limit", "3"]
    assert run(table, "-o", str(tmp_path / "out"), *options) == 0
    assert "5 phrase pairs, more than 3 sparse features" in capsys.readouterr().err
    assert result(folder / "features.tsv") == [
        *(f"{name}\t5" for name in ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")),
        "PT_casa_home\t1",
        "PT_casa~verde_green~house\t1",
        "X_y\t1",
        "(others)\t3",
    ]
    assert result(folder / "weights.txt")[4:6] == ["p(f|e) 0.2", "lex(f|e) 0.2"]
    text = "\n".join(result(folder / "moses.ini"))
    assert f"path={tmp_path / 'out'} " in text
    assert "KENLM" not in text


def test_export_with_relative_paths(table: str, tmp_path: Path) -> None:
    """A folder that is moved as a whole stays readable; files elsewhere keep their whole names."""
    here, lm = tmp_path / "here", tmp_path / "lm"
    here.mkdir()
    lm.write_text(ARPA)
    options = ["--add", "pt", "--lm", str(lm), "--export", str(here / "start"), "--relative"]
    assert run(table, "-o", str(here / "out"), *options) == 0
    text = (here / "start" / "moses.ini").read_text()
    assert " path=../out " in text
    assert f" path={lm}\n" in text
    assert "[weight-file]\nsparse-weights.txt\n" in text
    there = here.rename(tmp_path / "there")
    config = read_moses_decoder(there / "start" / "moses.ini").config
    assert config.phrase_table.resolve() == there / "out"
    assert "TranslationModel0_PT_casa_home" in Weights.load(there / "start" / "moses.ini")


def test_export_with_other_models(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "order").touch()
    (tmp_path / "lm").write_text(ARPA)
    models = ["--lm", str(tmp_path / "lm"), "--reordering", f"wbe-msd-forward-f={tmp_path}/order"]
    out, folder = tmp_path / "out", tmp_path / "export"
    assert run(table, "-o", str(out), "--export", str(folder), *models) == 0
    config = read_moses_decoder(folder / "moses.ini").config
    models_of = [tmp_path / "out.columns.json", tmp_path / "lm", tmp_path / "order"]
    assert config.files == [out, *models_of, folder / "moses.ini"]
    capsys.readouterr()
    for bad, message in (
        (["--export", "e", "--lm", "no"], "--lm no does not exist; pass an existing model"),
        (
            ["--export", "e e"],
            "e e has whitespace or # in its name, which a moses.ini cannot contain",
        ),
        (["--lm", "lm"], "--lm has no effect without --export"),
        (["--reordering", "wbe-msd-forward-f=x"], "--reordering has no effect without --export"),
        (["--relative"], "--relative has no effect without --export; pass --export DIR as well"),
    ):
        assert run(table, "-o", str(tmp_path / "new"), *bad) == 2
        assert message in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_export_with_a_language_model_that_no_decoder_reads(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lm, options = tmp_path / "lm", ["-o", str(tmp_path / "out"), "--export", str(tmp_path / "e")]
    for text, message in (
        (ARPA.replace("</s>", "y"), "lm: the 1-grams do not contain </s>; expected both <s>"),
        (ARPA.replace("1=4", "1=5"), "lm, line 9: the section ends after 4 1-grams; expected 5"),
        ("words\n", "lm, line 1: the line 'words' is malformed; expected \\data\\"),
        (
            ARPA.replace("1=4", "1=3"),
            "lm, line 8: the line '-1\\tx' is malformed; expected \\end\\",
        ),
    ):
        lm.write_text(text)
        assert run(table, *options, "--lm", str(lm)) == 1
        assert message in capsys.readouterr().err
    lm.write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    assert run(table, *options, "--lm", str(lm)) == 0  # a binary is left to those who read it


def test_standard_input(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(table).read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run("-", "-o", "-", "--table-limit", "1", "-q") == 0
    assert capsys.readouterr().out.splitlines() == [LINES[0], LINES[2], LINES[4]]
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # nobody writes to it: it is refused before it is read
    for option in (["--discretize", "p(e|f):1"], ["--add", "al:min=2"]):
        for name in ("-", str(pipe)):
            assert run(name, "-o", str(tmp_path / "out"), *option) == 2
            told = capsys.readouterr().err
            assert "reads the table twice; pass a regular file, not a pipe" in told


def test_options_that_do_not_fit(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = str(tmp_path / "out")
    assert run(table, "-o", out, "--discretize", "p(e|f):1", "--bins", "b") == 2
    assert "pass one of them" in capsys.readouterr().err
    assert run(table, "-o", out, "--discretize", "nothing:1") == 2
    assert "score 'nothing'; the table has p(f|e)" in capsys.readouterr().err
    assert run(table, "-o", out, "--add", "xx") == 2
    assert "template 'xx'; expected" in capsys.readouterr().err
    assert run(table, "-o", out, "--domain-features", "medical") == 2
    assert "--domain-features has no effect without --model" in capsys.readouterr().err
    assert run(table, "-o", out, "--table-limit", "-1") == 2
    assert "--table-limit must be at least 0, got -1" in capsys.readouterr().err
    assert run(table, "-o", out, "--to", "pharaoh") == 2
    assert not list(tmp_path.glob("*out*"))


def test_templates_of_your_own(table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, out = tmp_path / "mine.py", str(tmp_path / "out")
    file.write_text('class Mine:\n    def rule_features(self, rule):\n        return ["Mine_x"]\n')
    assert run(table, "-o", out, "--plugin", str(file), "--add", "Mine") == 0
    assert "Mine_x 1" in (tmp_path / "out").read_text()
    assert run(table, "-o", out, "--add", "Mine") == 2
    assert "or a template loaded with --plugin" in capsys.readouterr().err
    assert run(table, "-o", out, "--plugin", str(file), "--ratio", "0.1") == 2
    assert "--plugin has no effect without --add" in capsys.readouterr().err
