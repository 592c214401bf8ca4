"""isogloss check from outside."""

import json
import re

import pytest

from tests.cli.tokenized_text import run


def test_check(text, capsys):
    assert run(text, "check", "/links", "/w.en", "/w.es") == 0
    captured = capsys.readouterr()
    rows = dict(line.split("  ", 1) for line in captured.out.splitlines()[2:])
    assert {name.strip(): value.strip() for name, value in rows.items()} == {
        "sentence pairs": "3", "lines of links": "3", "links": "8",
        "linked source words": "8 of 8 (100.0%)", "linked target words": "7 of 7 (100.0%)",
        "non-empty pairs without links": "0 of 3 (0.0%)", "malformed links": "0",
        "links out of range": "0", "repeated links": "0",
    }  # fmt: skip
    assert captured.err == ""


def test_check_lists_what_is_wrong(text, capsys):
    assert run(text, "check", "/links", "/p.en", "/w.es") == 0
    (text / "links").write_text("0-0 x 0-0\n7-0\n9-9\n3-3\n")
    capsys.readouterr()
    assert run(text, "check", "/links", "/w.en", "/w.es", "--limit", "3") == 1
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-5:] == [
        "4 lines of links for 3 sentence pairs",
        "line 1: 'x' is malformed; expected links such as 0-0, 3-4:0.87 or 5p6",
        "line 1: '0-0' is repeated; the pair has 4 source words and 4 target words",
        "line 2: '7-0' is out of range; the pair has 0 source words and 0 target words",
        "... and 1 more (--limit)",
    ]
    assert captured.err == (
        f"isogloss check: {text}/links: the file has 5 problems; expected each link once "
        "and inside its sentence pair\n"
    )


GOLD = {
    "pharaoh": "0-0 1p1\n\n0-0 9p9\n",
    "naacl": "1 1 1 S\n1 2 2 P\n3 1 1 S\n3 10 10 P\n",
}


@pytest.mark.parametrize("format", GOLD)
def test_check_of_gold_alignments(text, capsys, format):
    (text / "gold").write_text(GOLD[format])
    assert run(text, "check", "/gold", "/w.en", "/w.es") == 1
    captured = capsys.readouterr()
    rows = [re.split(r" {2,}", line) for line in captured.out.splitlines()]
    assert ["possible links among them", "2"] in rows
    assert ["malformed links", "0"] in rows
    assert "line 3: '9-9' is out of range" in captured.out


def test_check_of_positions_that_are_too_large(text, capsys):
    (text / "links").write_text("0-0 70000-1\n\n9999999999-0\n")
    assert run(text, "check", "/links", "/w.en", "/w.es") == 1
    out = capsys.readouterr().out
    assert "line 1: '70000-1' is too large; expected positions below 65,536" in out
    assert "line 3: '9999999999-0' is too large; expected positions below 65,536" in out


def test_check_says_why(text, capsys):
    (text / "links").write_text("1-1 2-2 4-4\n\n4-3\n")
    assert run(text, "check", "/links", "/w.en", "/w.es", "--json") == 1
    captured = capsys.readouterr()
    figures = json.loads(captured.out)
    assert (figures["out_of_range"], figures["num_problems"], figures["links"]) == (2, 2, 4)
    assert figures["hint"] == "the positions look 1-based: subtract 1 from each"
    assert captured.err.endswith("The positions look 1-based: subtract 1 from each\n")


def test_check_of_texts_of_different_length(text, capsys):
    (text / "w.es").write_text("uno\n")
    assert run(text, "check", "/links", "/w.en", "/w.es") == 1
    assert "w.es, line 2: the file has 1 line, but" in capsys.readouterr().err


def test_check_of_a_model(text, capsys):
    options = ("--model1-iterations", "1", "--hmm-iterations", "1", "-q", "-o", "/out")
    assert run(text, "align", "/w.en", "/w.es", *options, "--model", "/m") == 0
    capsys.readouterr()
    assert run(text, "check", "/m", "--json") == 0
    figures = json.loads(capsys.readouterr().out)
    sizes = [path.stat().st_size for path in (text / "m").iterdir()]
    assert figures == {
        "format": "2.6", "checksums": True, "files": len(sizes), "bytes": sum(sizes), "domains": 1,
        "source_types": 7, "target_types": 7, "word_pairs": figures["word_pairs"],
    }  # fmt: skip
    assert run(text, "check", "/m") == 0
    assert re.search(r"^checksums +all match$", capsys.readouterr().out, re.MULTILINE)
    table = text / "m" / "lexical.npy"
    table.write_bytes(table.read_bytes()[:-1] + b"\xff")
    assert run(text, "check", "/m") == 1
    assert f"{text}/m is damaged: lexical.npy has changed since it was written" in (
        capsys.readouterr().err
    )


def test_check_of_a_model_takes_no_text(text, capsys):
    (text / "m").mkdir()
    assert run(text, "check", "/m", "/w.en", "/w.es") == 2
    assert "m is a folder, which is checked without a text" in capsys.readouterr().err
    assert run(text, "check", "/m") == 1
    assert "m is not a model folder: it has no model.json" in capsys.readouterr().err
    assert run(text, "check", "/links") == 2
    assert "the text of the links is missing; pass SRC TGT" in capsys.readouterr().err
