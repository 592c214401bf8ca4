"""doctor, check and retokenize from outside."""

import gzip
import io
import json
import re
import sys
from pathlib import Path

import pytest

from isogloss import program

DATA = Path(__file__).parents[2] / "data"


@pytest.fixture
def text(tmp_path):
    """A few tokenised pairs, their links and their pieces."""
    files = {
        "w.en": "the houses are red\n\nit 's the end\n",
        "p.en": "▁the ▁house s ▁are ▁red\n\n▁it ▁' s ▁the ▁end\n",
        "w.es": "las casas son rojas\n\nes el fin\n",
        "b.es": "las ca@@ sas son ro@@ jas\n\nes el fin\n",
        "links": "0-0 1-1 2-2 3-3\n\n0-0 1-0 2-1 3-2\n",
    }
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    return tmp_path


def run(folder, *arguments):
    """Arguments that start with / are files of the folder."""
    return program.main(
        [word.replace("/", f"{folder}/") if "/" in word else word for word in arguments]
    )


WORDS = ("--source", "/w.en,/p.en", "--target", "/w.es,/b.es")
SUBWORD_LINKS = "0-0 1-1 1-2 2-1 2-2 3-3 4-4 4-5\n\n0-0 1-0 2-0 3-1 4-2\n"


def test_words_to_subwords_and_back(text, capsys):
    assert run(text, "retokenize", "/links", *WORDS, "-o", "/out") == 0
    assert (text / "out").read_text() == SUBWORD_LINKS
    assert capsys.readouterr().err.splitlines() == [
        f"{text}/w.en: read as plain", f"{text}/p.en: read as sentencepiece",
        f"{text}/w.es: read as plain", f"{text}/b.es: read as bpe",
    ]  # fmt: skip
    back = ("--source", "/p.en,/w.en", "--target", "/b.es,/w.es", "-q")
    assert run(text, "retokenize", "/out", *back) == 0
    captured = capsys.readouterr()
    assert captured.out == (text / "links").read_text()
    assert captured.err == ""


def test_characters_and_styles(text, capsys):
    # positions 0 to 2 of the third line are the words, 1 and 2 of the first are ca@@ sas
    command = ("retokenize", "/links", "--target", "bpe:/b.es,characters:", "-q")
    assert run(text, *command) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "0-0 0-1 0-2 1-3 1-4 2-5 2-6 2-7 3-8 3-9 3-10"
    assert run(text, "retokenize", "/links", "--target", "plain:/w.es,characters:", "-q") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[2] == "0-0 0-1 1-0 1-1 2-2 2-3 3-4 3-5 3-6"


def test_scores_from_a_compressed_file(text, capsys):
    (text / "links.gz").write_bytes(gzip.compress(b"0-0:0.5 1-1:0.25\n\n0-0:1e-3\n"))
    assert run(text, "retokenize", "/links.gz", *WORDS, "-q") == 0
    assert capsys.readouterr().out == ("0-0:0.5 1-1:0.25 1-2:0.25 2-1:0.25 2-2:0.25\n\n0-0:1e-3\n")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "give --source FROM,TO, --target FROM,TO or both"),
        (["--source", "/w.en"], "expected FROM,TO, each of them FILE, STYLE:FILE or characters:"),
        (["--source", "/w.en,"], "expected FROM,TO, each of them FILE"),
        (["--target", "/w.es,bpe:"], "--target 'bpe:' names no file; only characters: needs none"),
        (["--target", "characters:,characters:"], "at least one side needs a file"),
    ],
)
def test_options_that_do_not_fit(text, capsys, options, message):
    assert run(text, "retokenize", "/links", *options) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_written_where_texts_differ(text, capsys):
    (text / "p.en").write_text("▁the ▁house s ▁are ▁red\n\n▁it ▁' s ▁an ▁end\n", encoding="utf-8")
    assert run(text, "retokenize", "/links", *WORDS, "-o", "/out") == 1
    assert "p.en, line 3: character 5 of the text, blanks left out" in capsys.readouterr().err
    assert not (text / "out").exists()


def test_check(text, capsys):
    assert run(text, "check", "/links", "/w.en", "/w.es") == 0
    captured = capsys.readouterr()
    rows = dict(line.split("  ", 1) for line in captured.out.splitlines()[2:])
    assert {name.strip(): value.strip() for name, value in rows.items()} == {
        "sentence pairs": "3", "lines of links": "3", "links": "8",
        "linked source words": "8 of 8 (100.0 %)", "linked target words": "7 of 7 (100.0 %)",
        "pairs of words without links": "0 of 3 (0.0 %)", "malformed links": "0",
        "links out of range": "0", "links given twice": "0",
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
        "line 1: 'x' is malformed; expected links such as 0-0 or 3-4:0.87",
        "line 1: '0-0' is given twice; the pair has 4 source and 4 target words",
        "line 2: '7-0' is out of range; the pair has 0 source and 0 target words",
        "... and 1 more (--limit)",
    ]
    assert captured.err == (
        f"isogloss check: {text}/links: 5 problems; expected links inside their sentence pairs, "
        "each once\n"
    )


def test_check_says_why(text, capsys):
    (text / "links").write_text("1-1 2-2 4-4\n\n4-3\n")
    assert run(text, "check", "/links", "/w.en", "/w.es", "--json") == 1
    captured = capsys.readouterr()
    found = json.loads(captured.out)
    assert (found["out_of_range"], found["num_problems"], found["links"]) == (2, 2, 4)
    assert found["hint"] == "the positions look 1-based: subtract 1 from each"
    assert captured.err.endswith("The positions look 1-based: subtract 1 from each\n")


def test_check_of_texts_of_different_length(text, capsys):
    (text / "w.es").write_text("uno\n")
    assert run(text, "check", "/links", "/w.en", "/w.es") == 1
    assert "w.es, line 2: 1 lines, while" in capsys.readouterr().err


def test_one_file_and_stdin(text, capsys, monkeypatch):
    pairs = "the houses are red ||| las casas son rojas\n ||| \nit 's the end ||| es el fin\n"
    (text / "pairs").write_text(pairs, encoding="utf-8")
    assert run(text, "check", "/links", "/pairs") == 0
    assert run(text, "doctor", "/pairs", "--links", "/links") == 0
    assert re.search("^pairs +3$", capsys.readouterr().out, re.MULTILINE)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(pairs.encode())))
    assert run(text, "doctor", "-", "--json") == 0
    assert json.loads(capsys.readouterr().out)["source"]["tokens"] == 8


def test_doctor_on_the_bundled_text(capsys):
    files = [str(DATA / name) for name in ("train.en.gz", "train.es.gz")]
    options = ["--labels", str(DATA / "train.labels.gz")]
    assert program.main(["doctor", *files, *options]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    assert captured.out.startswith("Sides\n")
    lines = captured.out.splitlines()
    assert "ok       lines: both sides have the same number" in lines
    assert "ok       alignment: lengths of both sides go together" in lines
    assert program.main(["doctor", *files, *options, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found["labels"]["domains"]) == {"everyday", "legal", "medical", "software"}
    assert found["estimate"]["domains"] == 5
    assert {one["level"] for one in found["findings"]} <= {"warning", "note", "ok"}


def test_doctor_reads_what_others_refuse(text, capsys):
    (text / "w.en").write_bytes(b"\xef\xbb\xbfthe ||| caf\xe9\r\n\n")
    links = ["--links", "/links", "--labels", "/w.es"]
    assert run(text, "doctor", "/w.en", "/w.es", *links) == 0
    out = capsys.readouterr().out
    for seen in (
        "source has 2 lines, target 3", "1 line not UTF-8", "begins with a byte order mark",
        "the token |||", "3 lines of links for 2 pairs", "3 labels for 2 pairs",
    ):  # fmt: skip
        assert seen in out


def test_doctor_stops_where_nothing_can_be_read(text, capsys):
    assert run(text, "doctor", "/nowhere", "/w.es") == 1
    assert "nowhere: No such file or directory" in capsys.readouterr().err
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


def test_same_input_same_bytes(capsys):
    files = [str(DATA / name) for name in ("train.en.gz", "train.es.gz")]
    outputs = set()
    for threads in ("1", "2"):
        assert program.main(["doctor", *files, "--threads", threads, "--json"]) == 0
        outputs.add(capsys.readouterr().out)
    assert len(outputs) == 1


def test_check_of_a_model(text, capsys):
    options = ("--model1-iterations", "1", "--hmm-iterations", "1", "-q", "-o", "/out")
    assert run(text, "align", "/w.en", "/w.es", *options, "--model", "/m") == 0
    capsys.readouterr()
    assert run(text, "check", "/m", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    sizes = [path.stat().st_size for path in (text / "m").iterdir()]
    assert found == {
        "format": "2.1", "checksums": True, "files": len(sizes), "bytes": sum(sizes), "domains": 1,
        "source_types": 7, "target_types": 7, "word_pairs": found["word_pairs"],
    }  # fmt: skip
    assert run(text, "check", "/m") == 0
    assert re.search(r"^checksums +all fit$", capsys.readouterr().out, re.MULTILINE)
    table = text / "m" / "lexical.npy"
    table.write_bytes(table.read_bytes()[:-1] + b"\xff")
    assert run(text, "check", "/m") == 1
    assert f"{text}/m is damaged: lexical.npy has changed since it was written" in (
        capsys.readouterr().err
    )


def test_check_of_a_model_takes_no_text(text, capsys):
    (text / "m").mkdir()
    assert run(text, "check", "/m", "/w.en", "/w.es") == 2
    assert "m is a folder; a model is checked without a text" in capsys.readouterr().err
    assert run(text, "check", "/m") == 1
    assert "m is no model folder: it has no model.json" in capsys.readouterr().err
    assert run(text, "check", "/links") == 2
    assert "give the text that the links belong to, SRC TGT" in capsys.readouterr().err
