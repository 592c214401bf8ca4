"""Scores that count: how often a rule was seen, unlinked words, the rule itself."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.align.text.corpus import Corpus
from isogloss.features.extraction.count_features import (
    COUNT_FEATURES,
    CountBins,
    add_count_features,
)
from isogloss.features.space import is_sparse
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.selections import sort_rules
from isogloss.features.table.sidecar import MOSES_SCORES

Link = tuple[int, int]
Rule = tuple[str, str, list[Link], float]  # source, target, links, c(f, e)


def build(rules: list[Rule]) -> PhraseTable:
    """One source phrase and one target phrase per rule."""
    counts = np.array([[9.0, 7.0, rule[3]] for rule in rules]).reshape(-1, 3)
    numbers = np.arange(len(rules), dtype=np.int32)
    return PhraseTable(
        Corpus.from_sentences([rule[0].split() for rule in rules]),
        Corpus.from_sentences([rule[1].split() for rule in rules]),
        numbers,
        numbers,
        np.full((len(rules), 4), 0.5),
        MOSES_SCORES,
        Ragged.from_rows([(j * 256 + i, 1.0) for j, i in rule[2]] for rule in rules),
        counts,
        Ragged.empty(len(rules)),
        (),
    )


RULES: list[Rule] = [
    ("la casa", "the house", [(0, 0), (1, 1)], 5.0),
    ("la casa verde", "green house of", [(1, 1), (2, 0)], 1.0),
    ("se lo", "it", [(1, 0)], 2.0),
    ("x y", "z", [], 0.5),
]


def values(table: PhraseTable, name: str) -> NDArray[np.float64]:
    """What a decoder makes of the column."""
    return np.log(add_count_features(table, [name]).scores[:, -1])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("RuleCount", np.log([5.0, 1.0, 2.0, 0.5])),
        ("UniqueRule", [0, -1, 0, -1]),
        ("LowCount", [-0.2, -1, -0.5, -2]),
        ("SourceDeletion", [0, 1, 1, 0]),
        ("TargetInsertion", [0, 1, 0, 0]),
        ("PhrasePenalty", [1, 1, 1, 1]),
        ("SourceCount", np.log([7.0] * 4)),
        ("TargetCount", np.log([9.0] * 4)),
        ("TargetWords", [2, 3, 1, 1]),
    ],
)
def test_values_after_the_logarithm(name: str, expected: list[float]) -> None:
    np.testing.assert_allclose(values(build(RULES), name), expected, rtol=1e-12, atol=1e-12)


def test_all_at_once_beside_the_others() -> None:
    table = build(RULES)
    found = add_count_features(table, list(COUNT_FEATURES))
    assert found.score_names == (*MOSES_SCORES, *COUNT_FEATURES)
    np.testing.assert_array_equal(found.scores[:, :4], table.scores)
    for column, name in enumerate(COUNT_FEATURES, 4):
        # by another version of log, where columns don't lie in one piece
        np.testing.assert_allclose(
            np.log(found.scores[:, column]), values(table, name), rtol=1e-12, atol=1e-12
        )
    assert add_count_features(table, []) is table


def test_an_empty_block() -> None:
    table = build([])
    assert add_count_features(table, list(COUNT_FEATURES)).scores.shape == (0, 13)
    assert CountBins((1, 3)).dense(table).scores.shape == (0, 7)
    assert len(CountBins((1, 3)).sparse(table).sparse) == 0


@st.composite
def linked_rules(draw: st.DrawFn) -> list[Rule]:
    rules = []
    for _ in range(draw(st.integers(1, 5))):
        lengths = draw(st.integers(1, 5)), draw(st.integers(1, 5))
        link = st.tuples(*(st.integers(0, length - 1) for length in lengths))
        links = draw(st.lists(link, max_size=8, unique=True))
        rules.append(("s " * lengths[0], "t " * lengths[1], links, draw(st.floats(0.01, 20))))
    return rules


@given(linked_rules())
def test_unlinked_words(rules: list[Rule]) -> None:
    table = build(rules)
    for side, name in enumerate(("SourceDeletion", "TargetInsertion")):
        expected = [
            sum(all(link[side] != k for link in links) for k in range(len(words[side].split())))
            if links
            else 0
            for *words, links, _ in rules
        ]
        np.testing.assert_allclose(values(table, name), expected, rtol=1e-12, atol=1e-12)


@given(linked_rules(), st.sets(st.integers(1, 20), min_size=1, max_size=5))
def test_every_rule_has_one_bin(rules: list[Rule], limits: set[int]) -> None:
    table, bins = build(rules), CountBins(tuple(sorted(limits)))
    expected = [sum(rule[3] > limit + 1e-5 for limit in bins.limits) for rule in rules]
    dense = np.log(bins.dense(table).scores[:, 4:])
    np.testing.assert_allclose(dense, np.eye(len(limits) + 1)[expected], atol=1e-12)
    assert expected == bins.sparse(table).sparse.ids.tolist()


def test_sums_of_weights_that_are_nearly_whole() -> None:
    """A hundred-thousandth above a whole number is rounding."""
    counts = [1 - 5e-6, 1 + 5e-6, 1 + 2e-5, 2 + 5e-6, 2 + 2e-5]
    table = build([("a", "b", [], count) for count in counts])
    np.testing.assert_allclose(values(table, "UniqueRule"), [-1, -1, 0, 0, 0], atol=1e-12)
    assert CountBins((1, 2)).assign(table).tolist() == [0, 0, 1, 1, 2]


def test_names_of_bins() -> None:
    bins = CountBins.parse("1,2,3,5 10")
    assert bins == CountBins((1, 2, 3, 5, 10))
    assert bins.dense_names == tuple(
        f"CountBin.{own}" for own in ("1", "2", "3", "4-5", "6-10", "max")
    )
    assert bins.sparse_names == ("cb_1", "cb_2", "cb_3", "cb_4_5", "cb_6_10", "cb_max")
    assert CountBins((3, 4)).sparse_names == ("cb_1_3", "cb_4", "cb_max")
    assert not any(map(is_sparse, (*bins.dense_names, *COUNT_FEATURES)))
    assert all(map(is_sparse, bins.sparse_names))


def test_written_and_read_again(tmp_path: Path) -> None:
    bins = CountBins((1, 2))
    rules = sort_rules(build(RULES[:3]))
    table = bins.sparse(bins.dense(add_count_features(rules, list(COUNT_FEATURES))))
    table.save(tmp_path / "table.gz")
    found = PhraseTable.load(tmp_path / "table.gz")
    assert found.score_names == table.score_names
    np.testing.assert_allclose(np.log(found.scores), np.log(table.scores), atol=6e-6)
    names = [found.sparse_names[k] for k in found.sparse.ids.tolist()]
    assert names == [table.sparse_names[k] for k in table.sparse.ids.tolist()]
    assert sorted(names) == ["cb_1", "cb_2", "cb_max"]


@pytest.mark.parametrize("limits", ["", "0,1", "2,2", "3,1", "-1"])
def test_limits_that_do_not_rise(limits: str) -> None:
    with pytest.raises(UsageError, match="limits of count bins must be increasing integers from"):
        CountBins.parse(limits)


def test_limits_that_are_no_numbers() -> None:
    with pytest.raises(UsageError, match="limits of count bins must be increasing integers, such"):
        CountBins.parse("1,two")


def test_unknown_or_repeated_scores() -> None:
    table = build(RULES)
    with pytest.raises(UsageError, match="count feature 'Count'; expected one of RuleCount, Sou"):
        add_count_features(table, ["Count"])
    with pytest.raises(UsageError, match="the score 'LowCount' is repeated; pass each score once"):
        add_count_features(table, ["LowCount", "LowCount"])
    again = add_count_features(table, ["RuleCount"])
    with pytest.raises(UsageError, match="the score 'RuleCount' is repeated; pass each score"):
        add_count_features(again, ["RuleCount"])
    bins = CountBins((1,))
    with pytest.raises(UsageError, match=r"the score 'CountBin.1' is repeated"):
        bins.dense(bins.dense(table))


def test_counts_are_needed() -> None:
    table = replace(build(RULES), counts=np.zeros((4, 3)))
    for name in ("RuleCount", "UniqueRule", "LowCount"):
        with pytest.raises(DataError, match=r"the rule 'la casa' \|\|\| 'the house' has a count"):
            add_count_features(table, [name])
    with pytest.raises(DataError, match=r"count of 0; .*Extract the table again"):
        CountBins((1, 2)).dense(table)
    assert values(table, "PhrasePenalty").tolist() == [1.0] * 4
    nan = replace(table, counts=np.full((4, 3), np.nan))
    with pytest.raises(DataError, match="count of nan"):
        add_count_features(nan, ["RuleCount"])


def test_a_very_small_count_stays_a_positive_score() -> None:
    table = build([("a", "b", [(0, 0)], 1e-9)])
    scores = add_count_features(table, ["LowCount", "RuleCount"]).scores
    assert (scores > 0).all() and np.isfinite(np.log(scores)).all()
