"""Lexical tables in the formats of other programs, with their sidecars; dictionaries."""

import gzip
import json
import warnings
from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.align.lexicon.formats import FORMATS, format_lexicon, read_dictionary, write_lexicon
from isogloss.align.lexicon.tables import LexicalTable
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.align.training.train import train

SOURCE, TARGET = Vocabulary(["casa", "mesa"]), Vocabulary(["house", "table", "home"])
TABLE = LexicalTable(
    generated=np.array([1, 3, 2, 1], np.int32),
    given=np.array([1, 1, 2, 2], np.int32),
    probability=np.array([0.0625, 0.9375, 1.0, 0.0], np.float32),
    null=np.array([0.0, 0.125, 0.5, 0.375], np.float32),
    generated_vocabulary=TARGET,
    given_vocabulary=SOURCE,
    direction="s2t",
)
LINES = {
    "tsv": [
        "NULL\ttable\t0.5000000", "NULL\thome\t0.3750000", "NULL\thouse\t0.1250000",
        "casa\thome\t0.9375000", "casa\thouse\t0.0625000", "mesa\ttable\t1.0000000",
    ],
    "moses": [
        "table NULL 0.5000000", "home NULL 0.3750000", "house NULL 0.1250000",
        "home casa 0.9375000", "house casa 0.0625000", "table mesa 1.0000000",
    ],
    "marian": ["home casa 0.9375000", "house casa 0.0625000", "table mesa 1.0000000"],
    "bicleaner": ["home casa 0.9375000", "table mesa 1.0000000"],  # 0.0625 < 0.1 * 0.9375
}  # fmt: skip


@pytest.mark.parametrize("style", sorted(FORMATS))
def test_lines(style):
    assert list(format_lexicon(TABLE, style)) == LINES[style]


def test_least_probability():
    assert list(format_lexicon(TABLE, "tsv", 0.4)) == [
        "NULL\ttable\t0.5000000", "casa\thome\t0.9375000", "mesa\ttable\t1.0000000",
    ]  # fmt: skip


def test_what_seven_decimals_show_as_zero_is_not_written():
    tiny = replace(TABLE, probability=np.array([1e-8, 1.0, 1.0, 6e-8], np.float32))
    assert list(format_lexicon(tiny, "marian", 0.0)) == [
        "home casa 1.0000000", "table mesa 1.0000000", "house mesa 0.0000001",
    ]  # fmt: skip


def test_bicleaner_keeps_an_entry_at_a_tenth_of_the_best():
    """An entry goes when it is below a tenth, as in bicleaner's own pruner."""
    values = np.array([0.078125, 0.78125, 1.0, 0.0], np.float32)
    lines = list(format_lexicon(replace(TABLE, probability=values), "bicleaner"))
    assert lines == ["home casa 0.7812500", "house casa 0.0781250", "table mesa 1.0000000"]


def test_bicleaner_has_no_words_with_blanks_inside():
    """Its reader splits at every Unicode blank; a no-break space would shift the columns."""
    table = replace(TABLE, generated_vocabulary=Vocabulary(["house", "a\u00a0table", "home"]))
    assert list(format_lexicon(table, "bicleaner")) == ["home casa 0.9375000"]
    assert "a\u00a0table mesa 1.0000000" in list(format_lexicon(table, "marian"))


def test_unknown_format():
    with pytest.raises(UsageError, match="format must be one of tsv,"):
        list(format_lexicon(TABLE, "csv"))


@pytest.mark.parametrize("minimum", [-0.1, 1.0, float("nan")])
def test_minimum_out_of_range(minimum):
    with pytest.raises(UsageError, match=r"min_prob must be at least 0 and below 1"):
        list(format_lexicon(TABLE, "tsv", minimum))


def test_long_tables_lose_no_line_between_blocks():
    types = 40_000
    words = Vocabulary([f"w{k}" for k in range(types)])
    ids = np.arange(1, types + 1, dtype=np.int32)
    ones = np.ones(types, np.float32)
    table = LexicalTable(ids, ids, ones, np.zeros(types + 1, np.float32), words, words, "t2s")
    assert list(format_lexicon(table, "moses")) == [f"w{k} w{k} 1.0000000" for k in range(types)]


def test_sidecar(tmp_path):
    file = tmp_path / "lex.f2e.gz"
    write_lexicon(TABLE, file, "moses", 0.2, model="m", domain=None)
    assert gzip.decompress(file.read_bytes()).decode().splitlines() == [
        line for line in LINES["moses"] if float(line.split()[2]) > 0.2
    ]
    assert json.loads((tmp_path / "lex.f2e.gz.json").read_text()) == {
        "format": "moses",
        "direction": "s2t",
        "given": "source",
        "generated": "target",
        "columns": ["target word", "source word", "t(target | source)"],
        "entries": 4,
        "minimum": 0.2,
        "ratio_to_best": 0.0,
        "pruned_mass": pytest.approx((0.125 + 0.0625) / 3, abs=1e-6),  # NULL, casa, mesa
        "model": "m",
        "domain": None,
    }


def test_sidecar_of_the_other_direction(tmp_path):
    table = replace(TABLE, direction="t2s")
    write_lexicon(table, tmp_path / "t.tsv", "tsv", 0.0)
    about = json.loads((tmp_path / "t.tsv.json").read_text())
    assert about["columns"] == ["target word", "source word", "t(source | target)"]
    assert (about["given"], about["generated"], about["pruned_mass"]) == ("target", "source", 0.0)


def test_no_sidecar_for_stdout(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for path in (None, "-"):
        write_lexicon(TABLE, path, "marian")
        assert capsys.readouterr().out.splitlines() == LINES["marian"]
    assert list(tmp_path.iterdir()) == []


def test_same_bytes_again(tmp_path):
    for name in ("a.gz", "b.gz"):
        write_lexicon(TABLE, tmp_path / name, "bicleaner")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert (tmp_path / "a.gz.json").read_bytes() == (tmp_path / "b.gz.json").read_bytes()


def test_capitals_are_lost_on_bicleaner(tmp_path):
    table = replace(TABLE, generated_vocabulary=Vocabulary(["house", "Table", "home"]))
    message = "1 of 2 entries contain uppercase letters; bicleaner looks up lowercased words"
    with pytest.warns(DataWarning, match=message):
        write_lexicon(table, tmp_path / "d.gz", "bicleaner")


def test_bicleaner_needs_gz(tmp_path):
    with pytest.raises(UsageError, match=r"d\.txt: bicleaner reads only gzip files; choose a name"):
        write_lexicon(TABLE, tmp_path / "d.txt", "bicleaner")
    assert list(tmp_path.iterdir()) == []


def test_a_word_spelled_null(tmp_path):
    table = replace(TABLE, given_vocabulary=Vocabulary(["NULL", "mesa"]))
    with pytest.warns(DataWarning, match="the text contains the word NULL, which means the empty"):
        write_lexicon(table, tmp_path / "lex", "moses")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        write_lexicon(table, tmp_path / "lex.tsv", "tsv")


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    """`casa` is `house` in 2 of 3 pairs."""
    source = [["la", "casa"], ["casa"], ["casa"], ["casa"], ["la"]]
    target = [["the", "house"], ["house"], ["home"], ["house"], ["the"]]
    return train(Bitext.unlabeled(Corpus.from_sentences(source), Corpus.from_sentences(target)))


@pytest.mark.parametrize("style", ["moses", "marian", "bicleaner"])
def test_directions(model, style):
    """s2t: `target source p(target|source)`; t2s: `source target p(source|target)`."""
    s2t = [line.split() for line in format_lexicon(model.lexicon("s2t"), style)]
    t2s = [line.split() for line in format_lexicon(model.lexicon("t2s"), style)]
    casa = {line[0]: float(line[2]) for line in s2t if line[1] == "casa"}
    assert casa["house"] > 0.6 > 0.4 > casa["home"]
    home = {line[0]: float(line[2]) for line in t2s if line[1] == "home"}
    assert {"casa": pytest.approx(1.0, rel=1e-5)} == home


def write(tmp_path, text):
    path = tmp_path / "dictionary.tsv"
    path.write_text(text, encoding="utf-8")
    return path


def test_dictionary(tmp_path):
    lines = "mesa\ttable\t2.5\ncasa\thouse\n\ncasa\tpalace\nMesa\tTable\n mesa \ttable\t1"
    path = write(tmp_path, lines)
    entries = read_dictionary(path, SOURCE, TARGET)
    assert list(zip(entries.source, entries.target, entries.weight, strict=True)) == [
        (1, 1, 1.0), (2, 2, 3.5),
    ]  # fmt: skip
    assert (entries.num_unknown, entries.num_multiword) == (2, 0)
    lowercased = read_dictionary(path, SOURCE, TARGET, lowercase=True)
    assert lowercased.weight.tolist() == [1.0, 4.5]


def test_dictionary_with_several_words(tmp_path):
    path = write(tmp_path, "casa\thouse\nsala de estar\tliving room\nmesa\tdining table\t1\n")
    with pytest.warns(DataWarning, match=r"2 entries have several words on a side \(first: line 2"):
        entries = read_dictionary(path, SOURCE, TARGET)
    assert (entries.source.tolist(), entries.num_multiword) == ([1], 2)


def test_dictionary_of_other_words(tmp_path):
    path = write(tmp_path, "house\tcasa\n")
    with pytest.warns(DataWarning, match="no entry has both words in the text; check the order"):
        assert len(read_dictionary(path, SOURCE, TARGET)) == 0


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("casa house", "line 2: the line has 1 field; expected source<TAB>target or"),
        ("casa\thouse\t1\t2", "line 2: the line has 4 fields; expected source<TAB>target or"),
        ("casa\t", "line 2: a side is empty; expected source<TAB>target or"),
        ("\thouse\t1", "line 2: a side is empty; expected source<TAB>target or"),
        ("casa\thouse\tmuch", "line 2: the weight is 'much'; expected a number above 0. Omit the"),
        ("casa\thouse\t1_0", "line 2: the weight is '1_0'; expected a number above 0. Omit the"),
        ("casa\thouse\t0", "line 2: the weight is '0'; expected a number above 0"),
        ("casa\thouse\tinf", "line 2: the weight is 'inf'; expected a number above 0"),
        ("casa\thouse\t-1", "line 2: the weight is '-1'; expected a number above 0"),
    ],
)
def test_bad_dictionary_lines(tmp_path, line, message):
    path = write(tmp_path, f"mesa\ttable\n{line}\n")
    with pytest.raises(DataError, match=message):
        read_dictionary(path, SOURCE, TARGET)
