"""Bitexts on the command line: one file or two, from a file or from standard input."""

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
import zstandard

from isogloss import program

DATA = Path(__file__).parents[3] / "data"
LINES = 60
QUICK = ["--model1-iterations", "1", "--hmm-iterations", "1", "-q"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The same pairs in every form, and their links when read from two files."""
    folder = tmp_path_factory.mktemp("forms")
    en, es = (
        gzip.decompress((DATA / f"train.{side}.gz").read_bytes()).decode().splitlines()[:LINES]
        for side in ("en", "es")
    )
    assert "&" not in "".join(en + es) and "<" not in "".join(en + es)
    pairs = list(zip(en, es, strict=True))
    units = (
        f"<tu><tuv xml:lang='es-ES'><seg>{target}</seg></tuv>"
        f"<tuv xml:lang='en'><seg>{source}</seg></tuv></tu>"
        for source, target in pairs
    )
    texts = {
        "en": en,
        "es": es,
        "pairs": [" ||| ".join(pair) for pair in pairs],
        "tsv": ["\t".join(pair) for pair in pairs],
        "jsonl": [json.dumps({"translation": {"es": t, "en": s}}) for s, t in pairs],
        "tmx": ["<tmx version='1.4'><body>", *units, "</body></tmx>"],
    }
    for name, lines in texts.items():
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    align = ["align", str(folder / "en"), str(folder / "es"), *QUICK]
    assert program.main([*align, "--model", str(folder / "m"), "-o", str(folder / "links")]) == 0
    links = (folder / "links").read_text().splitlines()
    linked = ["\t".join(row) for row in zip(en, es, links, strict=True)]
    (folder / "linked").write_text("\n".join(linked) + "\n", encoding="utf-8")
    return folder


def give(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("form", ["pairs", "tsv", "jsonl", "tmx", "linked"])
def test_one_file_gives_the_links_of_two(folder, form, tmp_path):
    out = tmp_path / "links"
    bitext = [str(folder / form), "--langs", "en-es"]
    assert program.main(["align", *bitext, *QUICK, "-o", str(out)]) == 0
    assert out.read_bytes() == (folder / "links").read_bytes()
    assert program.main(["apply", str(folder / "m"), *bitext, "-o", str(out)]) == 0
    assert out.read_bytes() == (folder / "links").read_bytes()


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.ZstdCompressor().compress])
def test_standard_input(folder, pack, monkeypatch, capsys):
    give(monkeypatch, pack((folder / "tsv").read_bytes()))
    assert program.main(["align", "-", *QUICK]) == 0
    assert capsys.readouterr().out == (folder / "links").read_text()
    give(monkeypatch, pack((folder / "es").read_bytes()))
    assert program.main(["apply", str(folder / "m"), str(folder / "en"), "-"]) == 0
    assert capsys.readouterr().out == (folder / "links").read_text()


def test_pairs_of_standard_input_are_answered(folder, tmp_path, monkeypatch, capsys):
    """Line by line, up to what can't be read; a file appears when all is whole."""
    links, out = (folder / "links").read_text(), tmp_path / "out"
    apply = ["apply", str(folder / "m"), "-"]
    give(monkeypatch, (folder / "tsv").read_bytes())
    assert program.main(apply) == 0
    assert capsys.readouterr().out == links
    give(monkeypatch, (folder / "tsv").read_bytes())
    assert program.main([*apply, "--pair-scores", str(tmp_path / "s"), "-o", str(out)]) == 0
    assert out.read_text() == links
    out.unlink()
    for more, expected in (([], links), (["-o", str(out)], "")):
        give(monkeypatch, (folder / "tsv").read_bytes() + b"bad\n")
        assert program.main([*apply, *more]) == 1
        captured = capsys.readouterr()
        assert captured.out == expected
        assert (
            f"standard input, line {LINES + 1}: the line has 1 column; expected source"
            in captured.err
        )
    assert not out.exists()


def test_a_line_that_can_not_be_read_may_be_answered_with_an_empty_one(folder, monkeypatch, capsys):
    """One line in, one line out, whatever comes."""
    apply = ["apply", str(folder / "m"), "-", "--format", "tsv", "--on-error", "empty"]
    good = (folder / "tsv").read_bytes().split(b"\n")[:3]
    links = (folder / "links").read_text().split("\n")[:3]
    give(monkeypatch, b"\n".join([b"bad", good[0], b"\xff\tx", good[1], b"a\t|||", b"", good[2]]))
    assert program.main(apply) == 0
    captured = capsys.readouterr()
    assert captured.out.split("\n") == ["", links[0], "", links[1], "", "", links[2], ""]
    assert (
        "warning: standard input, line 1: the line has 1 column; expected source and "
        "target, separated by a tab. An empty line is written for it and for later "
        "malformed lines\n"
    ) in captured.err
    assert "warning: 3 lines of standard input are malformed\n" in captured.err
    give(monkeypatch, b'{"source": 3}\n{"source": "a", "target": "b"}\n{')
    assert program.main([*apply[:3], "--format", "jsonl", "--on-error", "empty"]) == 0
    assert capsys.readouterr().out.count("\n") == 3
    files = [str(folder / "en"), str(folder / "es")]
    assert program.main(["apply", str(folder / "m"), *files, "--on-error", "empty"]) == 2
    assert "--on-error empty needs sentence pairs on standard input: isogloss apply MODEL -" in (
        capsys.readouterr().err
    )


def test_standard_input_is_given_once(folder, monkeypatch, capsys):
    for arguments in (["-", "-"], ["-", "--labels", "-"], ["-", "--seed-sample", "law=-"]):
        give(monkeypatch, (folder / "tsv").read_bytes())
        assert program.main(["align", *arguments]) == 1
        assert "standard input is closed or already in use" in (capsys.readouterr().err)


def test_options_may_stand_between_the_files(folder, tmp_path):
    out, en, es = str(tmp_path / "x"), str(folder / "en"), str(folder / "es")
    links = str(folder / "links")
    assert program.main(["align", en, *QUICK, "-o", out, es]) == 0
    assert (tmp_path / "x").read_text() == (folder / "links").read_text()
    assert program.main(["apply", str(folder / "m"), en, "-o", out, es]) == 0
    assert (tmp_path / "x").read_text() == (folder / "links").read_text()
    tables = []
    for arguments in (
        [en, es, links, "-o", out],
        ["-o", out, en, es, links],
        [en, "-o", out, es, links],
        [en, es, "-o", out, links],
        [en, "-o", out, es, "-q", links],
        [str(folder / "pairs"), links, "-o", out],
        [str(folder / "pairs"), "-o", out, links],
        [str(folder / "linked"), "-o", out],
    ):
        assert program.main(["extract", "-q", *arguments]) == 0
        tables.append((tmp_path / "x").read_bytes())
    assert tables[0]
    assert set(tables) == {tables[0]}


def test_arguments_too_many(folder, capsys):
    assert program.main(["align", "a", "b", "c"]) == 2
    assert program.main(["align", "a", "b", "--sample", "c"]) == 2
    assert program.main(["align", "a", "--sample", "c"]) == 2
    assert "unrecognized arguments: --sample c" in capsys.readouterr().err


def test_extract_needs_links(folder, tmp_path, capsys):
    command = ["extract", str(folder / "tsv"), "-o", str(tmp_path / "x")]
    assert program.main(command) == 2
    assert (
        "the links are missing; pass LINKS, or a TSV with links in its third column"
        in capsys.readouterr().err
    )
    assert not (tmp_path / "x").exists()


def test_links_given_twice(folder, tmp_path):
    """LINKS come before those of the file, which are not even looked at."""
    text = (folder / "tsv").read_text(encoding="utf-8").replace("\n", "\tno links\n")
    (tmp_path / "x.tsv").write_text(text, encoding="utf-8")
    out, links = str(tmp_path / "x"), str(folder / "links")
    assert program.main(["extract", str(tmp_path / "x.tsv"), links, "-o", out, "-q"]) == 0
    assert program.main(["extract", str(tmp_path / "x.tsv"), "-o", out, "-q"]) == 1


@pytest.mark.parametrize("form", ["pairs", "tsv", "jsonl", "tmx"])
def test_seed_samples_in_one_file(folder, form, tmp_path):
    outputs = []
    for number, files in enumerate([f"{folder / 'en'},{folder / 'es'}", str(folder / form)]):
        out = tmp_path / str(number)
        sample = ["--seed-sample", f"law={files}", "--langs", "en-es"]
        align = ["align", str(folder / "en"), str(folder / "es"), *sample, *QUICK]
        assert program.main([*align, "-o", str(out), "--posteriors", f"{out}.p"]) == 0
        outputs.append(out.read_bytes() + Path(f"{out}.p").read_bytes())
    assert outputs[0] == outputs[1]


def test_a_seed_sample_of_two_files_beside_a_named_form(folder, tmp_path):
    out = str(tmp_path / "x")
    sample = ["--seed-sample", f"law={folder / 'en'},{folder / 'es'}"]
    bitext = [str(folder / "tsv"), "--format", "tsv"]
    assert program.main(["align", *bitext, *sample, *QUICK, "-o", out]) == 0
    assert len((tmp_path / "x").read_text().splitlines()) == LINES


def test_a_form_that_can_not_be_told(folder, tmp_path, capsys):
    (tmp_path / "x").write_text("a ||| b\tc\n" * 3)
    assert program.main(["align", str(tmp_path / "x")]) == 1
    assert "pairs or tsv" in capsys.readouterr().err
    assert program.main(["align", str(tmp_path / "x"), "--format", "pairs", "-q", *QUICK]) == 0
    assert program.main(["align", str(folder / "en")]) == 1
    assert "the format is unknown: the line contains no |||, tab, JSON" in capsys.readouterr().err
    assert program.main(["align", str(folder / "en"), str(folder / "es"), "--format", "tsv"]) == 2
    assert program.main(["align", str(folder / "tmx"), "--langs", "english"]) == 2
    assert "--langs must be two codes such as en-es" in capsys.readouterr().err
