"""classes from outside."""

import gzip
import io
import re
import sys
from pathlib import Path

import pytest

from isogloss import program
from isogloss.align.lexicon.word_classes import WordClasses

DATA = Path(__file__).parents[3] / "data"


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    """The first lines of the bundled training text, plain."""
    file = tmp_path_factory.mktemp("text") / "train.en"
    lines = gzip.decompress((DATA / "train.en.gz").read_bytes()).decode().splitlines()
    file.write_text("\n".join(lines[:500]) + "\n\n", encoding="utf-8")  # the last one is empty
    return file


def run(*arguments, status=0):
    assert program.main([str(argument) for argument in arguments]) == status


def test_file(text, tmp_path, capsys):
    run("classes", text, "--num-classes", "12", "-o", tmp_path / "out")
    captured = capsys.readouterr()
    rows = [line.split("\t") for line in (tmp_path / "out").read_text("utf-8").splitlines()]
    assert [word for word, _ in rows] == sorted(set(text.read_text("utf-8").split()))
    assert {int(number) for _, number in rows} == set(range(2, 14))
    assert captured.out == ""
    assert "learning word classes from 501 sentences" in captured.err
    assert re.search(
        rf"{len(rows)} words in 12 classes, bigram perplexity \d+\.\d after \d+ iter",
        captured.err,
    )


def test_stdout_compressed_input_and_standard_input(text, tmp_path, capsys, monkeypatch):
    run("classes", text, "--num-classes", "5", "-q")
    plain = capsys.readouterr()
    assert plain.err == ""
    packed = gzip.compress(text.read_bytes())
    (tmp_path / "text").write_bytes(packed)
    run("classes", tmp_path / "text", "--num-classes", "5", "-q")
    assert capsys.readouterr().out == plain.out
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(packed)))
    run("classes", "-", "--num-classes", "5", "-o", tmp_path / "out.gz")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()).decode() == plain.out


def test_same_bytes_each_time(text, tmp_path):
    for number in (1, 2):
        run("classes", text, "-q", "-o", tmp_path / f"{number}.gz")
    assert (tmp_path / "1.gz").read_bytes() == (tmp_path / "2.gz").read_bytes()


def test_lowercase_and_iterations(text, tmp_path, capsys):
    out = tmp_path / "out"
    run("classes", text, "--num-classes", "9", "--lowercase", "--iterations", "2", "-v", "-o", out)
    classes = WordClasses.load(out)
    assert {word.lower() for word in text.read_text("utf-8").split()} == set(
        classes.vocabulary.words[1:]
    )
    shown = re.findall(
        r"iteration (\d): (\d+) words moved, log-likelihood (-\d+\.\d), perplexity (\d+\.\d+)",
        capsys.readouterr().err,
    )
    assert [row[0] for row in shown] == ["1", "2"]
    assert float(shown[0][2]) < float(shown[1][2])
    assert float(shown[0][3]) > float(shown[1][3])


def test_bad_input(tmp_path, capsys):
    (tmp_path / "latin").write_bytes(b"one\ncaf\xe9\n")
    run("classes", tmp_path / "latin", "-o", tmp_path / "out", status=1)
    assert "latin, line 2: byte 0xe9 at column 4 is not UTF-8" in capsys.readouterr().err
    (tmp_path / "empty").write_bytes(b"\n\n")
    run("classes", tmp_path / "empty", "-o", tmp_path / "out", status=1)
    assert "the text is empty; word classes need at least one word" in capsys.readouterr().err
    run("classes", tmp_path / "nowhere", status=1)
    assert "nowhere cannot be read: No such file or directory" in capsys.readouterr().err
    (tmp_path / "short").write_bytes(b"a b a\n")
    run("classes", tmp_path / "short")
    captured = capsys.readouterr()
    assert sorted(line.split("\t")[1] for line in captured.out.splitlines()) == ["2", "3"]
    assert "warning: 2 distinct words are too few for 50 classes" in captured.err
    assert {file.name for file in tmp_path.iterdir()} == {"latin", "empty", "short"}


def test_usage(text, capsys):
    run("classes", status=2)
    run("classes", text, "--num-classes", "0", status=2)
    assert "must be at least 1, got 0" in capsys.readouterr().err
    run("classes", text, "--iterations", "0", status=2)
