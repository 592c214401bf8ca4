"""isogloss doctor from outside."""

import gzip
import io
import json
import re
import sys
from pathlib import Path

import pytest

from isogloss import program
from tests.cli.tokenized_text import run

DATA = Path(__file__).parents[3] / "data"


def test_doctor_on_the_bundled_text(capsys):
    files = [str(DATA / name) for name in ("train.en.gz", "train.es.gz")]
    options = ["--labels", str(DATA / "train.labels.gz")]
    assert program.main(["doctor", *files, *options]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith("Sides\n")
    lines = captured.out.splitlines()
    assert "ok       lines: both sides have the same number of lines" in lines
    assert "ok       alignment: the lengths of both sides correlate" in lines
    assert program.main(["doctor", *files, *options, "--json"]) == 0
    diagnosis = json.loads(capsys.readouterr().out)
    assert set(diagnosis["labels"]["domains"]) == {"everyday", "legal", "medical", "software"}
    assert diagnosis["estimate"]["domains"] == 5
    assert {finding["level"] for finding in diagnosis["findings"]} <= {"warning", "note", "ok"}


def test_doctor_reads_what_others_refuse(text, capsys):
    (text / "w.en").write_bytes(b"\xef\xbb\xbfthe ||| caf\xe9\r\n\n")
    links = ["--links", "/links", "--labels", "/w.es"]
    assert run(text, "doctor", "/w.en", "/w.es", *links) == 1
    captured = capsys.readouterr()
    out = captured.out
    stopping = "line-count, source-not-utf8, source-bars, label-count, bad-labels"
    assert f"align fails on this input: {stopping}. See the warnings" in captured.err
    for seen in (
        "the source has 2 lines, the target 3", "1 line is not UTF-8",
        "begins with a byte order mark",
        "the token |||", "the links have 3 lines for 2 pairs", "there are 3 labels for 2 pairs",
    ):  # fmt: skip
        assert seen in out


def test_doctor_on_test_sets_and_on_verses(tmp_path, capsys):
    """It sees the same sentences as align."""
    segments = "".join(f'<seg id="{k}">the house {k}</seg>\n' for k in range(3))
    for name in ("src.sgm", "ref.sgm"):
        (tmp_path / name).write_text(f"<srcset>\n<doc docid='a'>\n{segments}</doc>\n</srcset>\n")
    (tmp_path / "verses.en").write_text("the house\n<range>\nthe door\n")
    (tmp_path / "verses.es").write_text("la\ncasa\nla puerta\n")
    for arguments, tokens in (
        (["src.sgm", "ref.sgm"], ["9", "9"]),
        (["verses.en", "verses.es", "--format", "vref"], ["4", "4"]),
    ):
        paths = [str(tmp_path / name) if "." in name else name for name in arguments]
        program.main(["doctor", *paths])
        rows = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert ["lines", "3", "3"] in rows
        assert ["tokens", *tokens] in rows


def test_doctor_stops_where_nothing_can_be_read(text, capsys):
    assert run(text, "doctor", "/nowhere", "/w.es") == 1
    assert "nowhere cannot be read: No such file or directory" in capsys.readouterr().err
    (text / "cut.gz").write_bytes(gzip.compress(b"a b c\n" * 9999)[:-20])
    assert run(text, "doctor", "/cut.gz", "/w.es") == 1
    assert "the compressed file is truncated or damaged" in capsys.readouterr().err


def test_doctor_on_a_terminal(text, capsys, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "100")
    assert run(text, "doctor", "/w.en", "/w.es") == 0
    out = capsys.readouterr().out
    assert "what to do" in out
    assert "blank" in out


def test_one_file_and_stdin(text, capsys, monkeypatch):
    pairs = "the houses are red ||| las casas son rojas\n ||| \nit 's the end ||| es el fin\n"
    (text / "pairs").write_text(pairs, encoding="utf-8")
    assert run(text, "check", "/links", "/pairs") == 0
    assert run(text, "doctor", "/pairs", "--links", "/links") == 0
    assert re.search("^pairs +3$", capsys.readouterr().out, re.MULTILINE)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pairs.encode())))
    assert run(text, "doctor", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out)["source"]["tokens"] == 8


def test_a_row_for_each_line_of_a_finding(text, capsys, monkeypatch):
    (text / "w.en").write_text("a  b\n\na\tb\na  b\n", encoding="utf-8")
    (text / "w.es").write_text("c d\n\ne\nc d\n", encoding="utf-8")
    assert run(text, "doctor", "/w.en", "/w.es", "--report", "/r.tsv", "--json") == 0
    out = capsys.readouterr()
    header, *rows = (text / "r.tsv").read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == ["finding", "line", "source", "target"]
    assert [row.split("\t") for row in rows] == [
        ["source-repeated-or-outer-spaces", "1", "a  b", "c d"],
        ["source-blank", "2", "", ""],
        ["target-blank", "2", "", ""],
        ["source-tabs", "3", "a b", "e"],
        ["duplicate", "4", "a  b", "c d"],
        ["source-repeated-or-outer-spaces", "4", "a  b", "c d"],
    ]
    findings = {one["name"]: one for one in json.loads(out.out)["findings"]}
    assert findings["source-repeated-or-outer-spaces"]["lines"] == [1, 4]
    assert findings["duplicate"]["count"] == 1
    assert "are listed" not in out.err
    monkeypatch.setattr("isogloss.doctor.survey.MOST_LINES", 1)
    monkeypatch.setattr("isogloss.doctor.line_report.MOST_LINES", 1)
    assert run(text, "doctor", "/w.en", "/w.es", "--json") == 0
    told = "warning: source-repeated-or-outer-spaces: only the first 1 of 2 lines are listed"
    assert told in capsys.readouterr().err


def test_a_report_needs_files(text, capsys):
    assert run(text, "doctor", "-", "--report", "/r.tsv") == 2
    assert "--report reads the text twice and cannot be used with" in capsys.readouterr().err


def test_same_input_same_bytes(capsys):
    files = [str(DATA / name) for name in ("train.en.gz", "train.es.gz")]
    outputs = set()
    for _ in range(2):
        assert program.main(["doctor", *files, "--json"]) == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("labels", "name"),
    [
        ("a\n\nb\n", "bad-labels, single-label"),
        ("a\n", "label-count, single-label"),
        ("-\n-\n-\n", ""),
    ],
)
def test_the_status_is_that_of_align(text, capsys, labels, name):
    (text / "labels").write_text(labels)
    command = ("/w.en", "/w.es", "--labels", "/labels")
    assert run(text, "doctor", *command) == run(text, "align", *command) == int(bool(name))
    captured = capsys.readouterr()
    assert (f"align fails on this input: {name}" in captured.err) is bool(name)
    assert ("malformed or empty" in captured.out) is ("\n\n" in labels)


def test_forms_of_both_sides(tmp_path, capsys):
    """A side that is no text is told once, and nothing is said of its lines and words."""
    (tmp_path / "x").write_bytes("the house , and a garden .\n".encode("utf-16") * 1)
    (tmp_path / "y").write_text("".join(f"{k}. la casa y un jardín\n" for k in range(9)))
    assert program.main(["doctor", str(tmp_path / "x"), str(tmp_path / "y")]) == 1
    told = capsys.readouterr()
    warnings = [line for line in told.out.splitlines() if line.startswith("warning")]
    assert "warning  form: source: the file is in UTF-16; align refuses it" in warnings
    assert any("form: target: the lines are numbered" in line for line in warnings)
    assert not any("source:" in line for line in warnings if "form:" not in line)
    assert "align fails on this input: " in told.err and "source-wide" in told.err


@pytest.mark.parametrize("mark", ["\u2581", "\u0120"])
def test_pieces_are_not_called_untokenized(tmp_path, capsys, mark):
    line = f"{mark}the {mark}house, {mark}big, {mark}red.\n"
    for name in ("x", "y"):
        (tmp_path / name).write_text(line * 30)
    assert program.main(["doctor", str(tmp_path / "x"), str(tmp_path / "y")]) == 0
    out = capsys.readouterr().out
    assert "untokenized" not in out
    assert "retokenize" in out and "pieces" in out


def test_escapes_of_one_side_are_a_warning(tmp_path, capsys):
    (tmp_path / "x").write_text("it &apos;s a house\n" * 9)
    (tmp_path / "y").write_text("c' est une maison\n" * 9)
    program.main(["doctor", str(tmp_path / "x"), str(tmp_path / "y")])
    out = capsys.readouterr().out
    assert (
        "warning  form: source: 9 lines contain escapes of Moses, such as &apos;; the other" in out
    )


def test_escapes_in_a_file_of_pairs(tmp_path, capsys):
    lines = '{"source": "a caf&#233; house", "target": "una casa"}\n'
    (tmp_path / "x.jsonl").write_text(lines * 9)
    program.main(["doctor", str(tmp_path / "x.jsonl")])
    assert "form: source: 9 lines contain HTML entities" in capsys.readouterr().out


@pytest.mark.parametrize("line", ["...", "-"])
def test_dots_beside_text(tmp_path, capsys, line):
    """Doctor warns of what align warns of: lines that hold the place of a sentence."""
    text = [f"the house {k} is red" for k in range(40)]
    dots = [line if k % 8 == 0 else words for k, words in enumerate(text)]
    files = {
        "x.en": text, "x.fr": dots,
        "x.tsv": [f"{one}\t{other}" for one, other in zip(dots, text, strict=True)],
    }  # fmt: skip
    for name, lines in files.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    what = "lines hold a placeholder in place of a sentence, but the other side has text (5 of 40"
    assert program.main(["doctor", str(tmp_path / "x.en"), str(tmp_path / "x.fr")]) == 0
    assert f"warning  form: target: {what}" in capsys.readouterr().out
    assert program.main(["doctor", str(tmp_path / "x.tsv")]) == 0
    assert f"warning  form: source: {what}" in capsys.readouterr().out
    assert program.main(["doctor", str(tmp_path / "x.fr"), str(tmp_path / "x.fr")]) == 0
    assert "placeholder" not in capsys.readouterr().out


def test_names_of_both_sides(tmp_path, capsys):
    for name in ("en", "fr"):
        (tmp_path / f"x.{name}").write_text(f"{name}\n" + "the house is red\n" * 9)
    source = tmp_path / "x.en"
    assert program.main(["doctor", str(source), str(tmp_path / "x.fr")]) == 0
    out = capsys.readouterr().out
    assert "form: source: line 1 is a header, which is read as a sentence pair (on both" in out
    assert f"Remove it with `tail -n +2 {source}`" in out


def test_ranges_of_verses_that_are_joined(tmp_path, capsys):
    for name in ("x", "y"):
        (tmp_path / name).write_text("the house is red\n<range>\nthe door is blue\n" * 9)
    files = [str(tmp_path / "x"), str(tmp_path / "y")]
    assert program.main(["doctor", *files]) == 0
    assert "Pass --format vref" in capsys.readouterr().out
    assert program.main(["doctor", *files, "--format", "vref"]) == 0
    assert "--format vref" not in capsys.readouterr().out
