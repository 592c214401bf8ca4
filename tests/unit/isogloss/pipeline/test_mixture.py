"""Training text of a run: an index of lines, labels, texts with gold links."""

import gzip
from types import SimpleNamespace

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.pipeline.alignment import describe_text
from isogloss.pipeline.config import read_config
from isogloss.pipeline.mixture import read_mixture

LANGUAGES = '[run]\nlanguages = ["en", "es"]\nlowercase = true\nstrip_punctuation = true\n'
INDEX = LANGUAGES + '[[train]]\nindex = "sub/index.tsv"\n'
FILES = LANGUAGES + '[[train]]\nsource = "sub/part.en.gz"\ntarget = "sub/part.es.gz"\n'
GOLD = '[[evaluate]]\nname = "g"\ngold = "gold"\n'


@pytest.fixture
def folder(tmp_path):
    """Two line-aligned files of three lines in a folder."""
    (tmp_path / "sub").mkdir()
    for code, text in (("en", "A .\nB\nC !\n"), ("es", "X .\nY\n¡ Z !\n")):
        (tmp_path / f"sub/part.{code}.gz").write_bytes(gzip.compress(text.encode()))
    return tmp_path


def read(folder, text):
    path = folder / "config.toml"
    path.write_text(text)
    return read_mixture(read_config(path))


def test_index(folder):
    rows = ["sub/part\tlaw\t2\t1", "sub/part\tlaw\t0\t1", "sub/part\tnews\t1\t0"]
    (folder / "sub/index.tsv").write_text("\n".join(rows) + "\n")
    mixture = read(folder, INDEX)
    assert [mixture.bitext.source.words(k) for k in range(3)] == [["c"], ["a"], ["b"]]
    assert [mixture.bitext.target.words(k) for k in range(3)] == [["z"], ["x"], ["y"]]
    assert mixture.bitext.label_ids.tolist() == [0, 0, -1]
    assert mixture.bitext.domains == ("law",)
    assert mixture.true_domains == ("law", "law", "news")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            "part\tlaw\tx\t1",
            r"index.tsv, line 1: the line 'part\\tlaw\\tx\\t1' is malformed; expected prefix, "
            r"domain",
        ),
        (
            "../x\tlaw\t0\t1",
            r"index.tsv, line 1: the prefix '../x' points outside the folder; expected files below "
            r".*Move the",
        ),
        (
            "/x\tlaw\t0\t1",
            r"index.tsv, line 1: the prefix '/x' points outside the folder; expected files below ",
        ),
        (
            "sub/part\tlaw\t7\t1",
            r"index.tsv, line 1: the line names line 7 of sub/part; expected a line below 3",
        ),
        ("sub/part\tlaw\t0\t1", "index.tsv, line 1: the domain 'law' has 1 seed pair; expected"),
    ],
)
def test_bad_index(folder, row, message):
    (folder / "sub/index.tsv").write_text(row + "\n")
    with pytest.raises(DataError, match=message):
        read(folder, INDEX)


def test_text_with_gold_links_is_appended(folder):
    (folder / "gold").write_text("0-0\n\n\n")
    texts = 'source = "sub/part.en.gz"\ntarget = "sub/part.es.gz"\n'
    mixture = read(folder, FILES + 'domain = "law"\n' + GOLD + texts)
    assert mixture.spans == (("g", folder / "gold", 3, 3),)
    assert mixture.bitext.label_ids.tolist() == [0, 0, 0, -1, -1, -1]


def test_gold_links_of_the_training_text(folder):
    (folder / "gold").write_text("0-0\n1-1\n")
    assert read(folder, FILES + GOLD).spans == (("g", folder / "gold", 0, 2),)
    (folder / "gold").write_text("\n" * 4)
    with pytest.raises(
        DataError, match="gold: the file has 4 lines of gold alignments; expected at most 3"
    ):
        read(folder, FILES + GOLD)


def test_labels_of_another_length(folder):
    (folder / "labels").write_text("law\nlaw\n")
    with pytest.raises(
        DataError, match="labels, line 3: the file has 2 labels; expected 3, one per sentence"
    ):
        read(folder, FILES + 'labels = "labels"\n')


def test_sides_of_different_length(folder):
    (folder / "sub/part.es.gz").write_bytes(gzip.compress(b"x\n"))
    with pytest.raises(
        DataError, match=r"part.es.gz, line 2: the file has 1 line, but .*part.en.gz has 3"
    ):
        read(folder, FILES)


def test_gold_links_are_held_against_their_text_before_the_work(folder):
    (folder / "gold").write_text("0-0\n0-1\n2p0\n")
    text = FILES + GOLD + 'source = "sub/part.en.gz"\ntarget = "sub/part.es.gz"\n'
    run = SimpleNamespace(mixture=read(folder, text))
    said = r"gold: 2 of 3 gold links are out of range \(first: line 2\)\. Check"
    with pytest.warns(DataWarning, match=said):
        assert describe_text(run)["pairs"] == 6
    (folder / "gold").write_text("0-0\n")
    with pytest.raises(
        DataError, match="gold: the file has 1 line of gold alignments; expected 3, one per sent"
    ):
        describe_text(run)
