"""Lexical tables: rows, text forms, entropy."""

import numpy as np
import pytest

from align.corpus import Bitext, Corpus
from align.errors import UsageError
from align.lexicon import LexicalTable, conditional_entropy, format_lexicon
from align.model import AlignmentModel, train
from align.vocabulary import Vocabulary
from tests.naive.alignment import entropy_bits

SOURCE, TARGET = Vocabulary(["casa", "mesa"]), Vocabulary(["house", "table", "home"])
TABLE = LexicalTable(
    generated=np.array([1, 3, 2, 1], np.int32),
    given=np.array([1, 1, 2, 2], np.int32),
    probability=np.array([0.25, 0.75, 1.0, 0.0], np.float32),
    null=np.array([0.0, 0.125, 0.5, 0.375], np.float32),
    generated_vocabulary=TARGET,
    given_vocabulary=SOURCE,
    direction="s2t",
)
ROWS = [
    ("NULL", "table", 0.5),
    ("NULL", "home", 0.375),
    ("NULL", "house", 0.125),
    ("casa", "home", 0.75),
    ("casa", "house", 0.25),
    ("mesa", "table", 1.0),
]


def test_rows_are_by_given_word_best_first() -> None:
    assert list(TABLE.rows()) == ROWS


def test_rows_above_a_minimum() -> None:
    assert [row for row in ROWS if row[2] > 0.25] == list(TABLE.rows(0.25))


def test_moses_lines_are_generated_given_probability() -> None:
    lines = list(format_lexicon(TABLE, "moses", 0.6))
    assert lines == ["home casa 0.7500000", "table mesa 1.0000000"]


def test_tsv_lines_are_given_generated_probability() -> None:
    lines = list(format_lexicon(TABLE, "tsv", 0.6))
    assert lines == ["casa\thome\t0.7500000", "mesa\ttable\t1.0000000"]


def test_unknown_format() -> None:
    with pytest.raises(UsageError, match="lexicon format 'csv'; expected moses or tsv"):
        list(format_lexicon(TABLE, "csv"))


def test_entropy_by_hand() -> None:
    """mesa is certain; casa, three times as frequent, has H(1/4) = 2 - 3/4 log2 3 bits."""
    expected = 0.75 * (2 - 0.75 * np.log2(3))
    actual = conditional_entropy(TABLE, np.array([9.0, 3.0, 1.0]))
    assert actual == pytest.approx(expected, rel=1e-7)


def test_entropy_of_a_word_without_row_is_left_out() -> None:
    one = LexicalTable(
        np.array([1, 2], np.int32),
        np.array([1, 1], np.int32),
        np.array([0.5, 0.5], np.float32),
        TABLE.null,
        TARGET,
        SOURCE,
        "s2t",
    )
    assert conditional_entropy(one, np.array([0.0, 0.1, 0.9])) == pytest.approx(1.0, rel=1e-9)


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    """`casa` is `house` in 2 of 3 pairs."""
    source = [["la", "casa"], ["casa"], ["casa"], ["casa"], ["la"]]
    target = [["the", "house"], ["house"], ["home"], ["house"], ["the"]]
    return train(Bitext.unlabelled(Corpus.from_sentences(source), Corpus.from_sentences(target)))


@pytest.mark.parametrize("direction", ["s2t", "t2s"])
def test_a_table_is_a_distribution_over_generated_words(
    model: AlignmentModel, direction: str
) -> None:
    totals: dict[str, float] = {}
    generated = set()
    for given, word, value in model.lexicon(direction).rows():
        totals[given] = totals.get(given, 0.0) + value
        generated.add(word)
    spanish, english = {"la", "casa"}, {"the", "house", "home"}
    assert (english if direction == "s2t" else spanish) == generated
    assert {"NULL"} | (spanish if direction == "s2t" else english) == set(totals)
    np.testing.assert_allclose(list(totals.values()), 1.0, rtol=1e-5)


def test_directions_of_moses_files(model: AlignmentModel) -> None:
    """lex.f2e: `target source p(target|source)`; lex.e2f: `source target p(source|target)`."""
    f2e = [line.split() for line in format_lexicon(model.lexicon("s2t"), "moses")]
    e2f = [line.split() for line in format_lexicon(model.lexicon("t2s"), "moses")]
    casa = {line[0]: float(line[2]) for line in f2e if line[1] == "casa"}
    assert casa["house"] > 0.6 > 0.4 > casa["home"]
    home = {line[0]: float(line[2]) for line in e2f if line[1] == "home"}
    assert {"casa": pytest.approx(1.0, rel=1e-5)} == home


def test_entropy_is_the_naive_sum(model: AlignmentModel) -> None:
    for direction, vocabulary in (
        ("s2t", model.source_vocabulary),
        ("t2s", model.target_vocabulary),
    ):
        table = model.lexicon(direction)
        frequencies = np.random.default_rng(0).random(len(vocabulary))
        weights = dict(zip(vocabulary.words[1:], frequencies[1:].tolist(), strict=True))
        rows = (row for row in table.rows() if row[0] != "NULL")
        expected = entropy_bits(rows, weights)
        assert conditional_entropy(table, frequencies) == pytest.approx(expected, rel=1e-9)


def test_unknown_domain(model: AlignmentModel) -> None:
    with pytest.raises(UsageError, match="unknown domain 'law'; the model has general"):
        model.lexicon("s2t", "law")


def test_unknown_direction(model: AlignmentModel) -> None:
    with pytest.raises(UsageError, match="direction 'f2e'; expected s2t or t2s"):
        model.lexicon("f2e")
