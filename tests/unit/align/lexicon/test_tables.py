"""Lexical tables: rows, entropy, coverage; weighted entries."""

import copy
import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.align.lexicon.tables import (
    LexicalEntries,
    LexicalTable,
    conditional_entropy,
    coverage,
    unknown_word,
    word_entropies,
)
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary
from isogloss.align.training.train import train
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


def test_columns_are_sorted_and_pruned() -> None:
    """Ties go by generated word; the ratio is to the best of the given word."""
    tied = replace(TABLE, probability=np.array([0.5, 0.5, 0.06, 0.0], np.float32))
    given, generated, probability = tied.columns(0.05, 0.3)
    assert given.tolist() == [0, 0, 1, 1, 2]
    assert generated.tolist() == [2, 3, 1, 3, 2]
    np.testing.assert_allclose(probability, [0.5, 0.375, 0.5, 0.5, 0.06], rtol=1e-6)
    assert tied.columns(0.05, 0.3, null=False)[0].tolist() == [1, 1, 2]


def test_entries_are_sorted_and_add_up() -> None:
    entries = LexicalEntries.collect([2, 1, -1, 2, 3], [5, 9, 1, 5, -1], [1, 2, 3, 0.5, 1], 4)
    assert entries.source.tolist() == [1, 2]
    assert entries.target.tolist() == [9, 5]
    assert entries.weight.tolist() == [2.0, 1.5]
    assert (len(entries), entries.num_unknown, entries.num_multiword) == (2, 2, 4)
    assert [column.dtype for column in (entries.source, entries.target, entries.weight)] == [
        np.int32, np.int32, np.float64,
    ]  # fmt: skip


def test_no_entries() -> None:
    entries = LexicalEntries.collect([], [], [])
    assert (len(entries), entries.source.dtype, entries.num_unknown) == (0, np.int32, 0)


def test_entropy_by_hand() -> None:
    """mesa is certain; casa, three times as frequent, has H(1/4) = 2 - 3/4 log2 3 bits."""
    expected = 0.75 * (2 - 0.75 * np.log2(3))
    actual = conditional_entropy(TABLE, np.array([9.0, 3.0, 1.0]))
    assert actual == pytest.approx(expected, rel=1e-7)


def test_entropies_of_words_by_hand() -> None:
    """Words without a row, such as the unknown one, have none."""
    found = word_entropies(TABLE)
    assert np.isnan(found[0])
    assert found[1:].tolist() == pytest.approx([2 - 0.75 * np.log2(3), 0.0], rel=1e-7)


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


def test_coverage_is_the_weight_of_words_with_a_row() -> None:
    """mesa has a row of its own, casa has one too; without its entries only mesa is covered."""
    frequencies = np.array([0.0, 1.0, 3.0])
    assert coverage(TABLE, frequencies) == pytest.approx(1.0, rel=1e-12)
    bare = replace(TABLE, probability=np.array([0.0, 0.0, 1.0, 0.0], np.float32))
    assert coverage(bare, frequencies) == pytest.approx(0.75, rel=1e-12)


@pytest.fixture(scope="module")
def model() -> AlignmentModel:
    """`casa` is `house` in 2 of 3 pairs."""
    source = [["la", "casa"], ["casa"], ["casa"], ["casa"], ["la"]]
    target = [["the", "house"], ["house"], ["home"], ["house"], ["the"]]
    return train(Bitext.unlabeled(Corpus.from_sentences(source), Corpus.from_sentences(target)))


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
    with pytest.raises(UsageError, match="direction must be s2t or t2s, got 'f2e'"):
        model.lexicon("f2e")


def test_a_word_has_its_translations_best_first() -> None:
    assert list(TABLE["casa"].items()) == [("home", 0.75), ("house", 0.25)]
    assert TABLE["mesa"] == {"table": 1.0}
    assert list(TABLE[None].items()) == [("table", 0.5), ("home", 0.375), ("house", 0.125)]
    assert "casa" in TABLE and None in TABLE
    assert "house" not in TABLE and "NULL" not in TABLE and 3 not in TABLE
    assert list(TABLE) == list(TABLE.keys()) == ["casa", "mesa"]
    assert len(TABLE) == 2
    assert dict(TABLE) == dict(TABLE.items()) == {"casa": TABLE["casa"], "mesa": {"table": 1.0}}
    bare = replace(TABLE, probability=np.array([0.0, 0.0, 1.0, 0.0], np.float32))
    assert (list(bare), bare["casa"], "casa" in bare) == (["mesa"], {}, False)


def test_a_word_spelled_as_the_empty_one_has_a_row_of_its_own() -> None:
    other = replace(TABLE, given_vocabulary=Vocabulary(["casa", "NULL"]))
    assert other["NULL"] == {"table": 1.0}
    assert "NULL" in other


def test_words_that_a_table_lacks() -> None:
    with pytest.raises(UsageError, match="'cassa' is not among the 2 source words; did you mean"):
        TABLE["cassa"]
    with pytest.raises(UsageError, match="'NULL' is not among the 2 source words; use None for"):
        TABLE["NULL"]
    wrong: Any
    for wrong in (0, ["casa"], slice(2)):
        with pytest.raises(WrongTypeError, match="word must be a string, not"):
            TABLE[wrong]


def test_near_spellings() -> None:
    words = ["charge", "change", "driver", "the", "Charge"]
    assert unknown_word("chrage", words, "words") == (
        "'chrage' is not among the 5 words; did you mean charge or change?"
    )
    assert unknown_word("qqqqq", words, "words") == "'qqqqq' is not among the 5 words"
    assert unknown_word("the driver", words, "words").startswith("'the driver' contains several")


def test_a_table_prints_its_sizes_and_a_row() -> None:
    assert repr(TABLE).splitlines() == [
        "LexicalTable(s2t, t(target | source): 2 source and 3 target words, 4 pairs;",
        "  first: casa -> home 0.75, house 0.25)",
    ]
    none = np.zeros(0, np.int32)
    empty = replace(TABLE, generated=none, given=none, probability=none.astype(np.float32))
    assert repr(replace(empty, direction="t2s")) == (
        "LexicalTable(t2s, t(source | target): 0 target and 3 source words, 0 pairs)"
    )
    assert repr(LexicalEntries.collect([1, -1], [1, 1], [1, 1], 3)) == (
        "LexicalEntries(1 pairs of words; left out: 1 with unknown words, 3 with several words on "
        "a side)"
    )


def test_tables_are_equal_by_content() -> None:
    for again in (copy.copy(TABLE), copy.deepcopy(TABLE), pickle.loads(pickle.dumps(TABLE))):
        assert again == TABLE
    assert TABLE != replace(TABLE, null=TABLE.null / 2)
    entries = LexicalEntries.collect([1], [2], [0.5])
    assert entries == LexicalEntries.collect([1], [2], [0.5])
    assert entries != LexicalEntries.collect([1], [2], [0.75])
