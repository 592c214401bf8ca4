"""Uniform-population binning against the description in the paper."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from align.corpus import Corpus
from align.errors import DataError, UsageError
from features.discretize import (
    Bins,
    adjusted_frequencies,
    bin_feature_name,
    discretize_score,
    uniform_population_bins,
)
from features.phrase_table import PhraseTable
from features.ragged import Ragged
from tests.naive import binning

# few distinct values of very different frequency, some in every bin and some across
populations = st.lists(st.sampled_from([1, 1, 1, 2, 2, 3, 5, 8, 40]), min_size=1, max_size=14)


def values_of(frequencies: list[int]) -> list[float]:
    """Value k as often as the k-th frequency says, in no order."""
    values = [float(k) for k, count in enumerate(frequencies) for _ in range(count)]
    return np.random.default_rng(len(values)).permutation(values).tolist()


def binned(values: list[float], bits: int) -> list[list[float]]:
    bins = uniform_population_bins(np.array(values), bits)
    distinct = np.unique(values)
    ids = bins.assign(distinct)
    return [distinct[ids == k].tolist() for k in range(len(bins))]


@settings(max_examples=400, deadline=None)
@given(populations, st.integers(1, 4))
def test_bins_equal_the_description(frequencies: list[int], bits: int) -> None:
    values = values_of(frequencies)
    expected = binning.bins(values, bits)
    # half of a value on either side: see test_exact_halves
    assume(expected == binning.bins(values, bits, half=Fraction(1, 2) + Fraction(1, 10**9)))
    assert expected == binned(values, bits)


@pytest.mark.parametrize(
    ("frequencies", "bits"),
    [
        ([1, 1, 2, 2, 1, 8, 5, 40, 2], 3),
        ([5, 2, 40, 1, 2, 40, 2], 2),
        ([1, 2, 8, 40, 1, 1, 1, 8], 2),
    ],
)
def test_exact_halves_open_the_next_bin(frequencies: list[int], bits: int) -> None:
    values = values_of(frequencies)
    assert binning.bins(values, bits) == binned(values, bits)


def test_an_exact_half_without_clipping_opens_the_next_bin() -> None:
    # 2 bins of size 2: the value 1 would lie half in the first
    assert [[0.0], [1.0, 2.0]] == binned([0, 1, 1, 2], 1)


@settings(max_examples=100, deadline=None)
@given(populations, st.integers(1, 16))
def test_each_distinct_value_is_in_one_bin_and_none_is_empty(
    frequencies: list[int], bits: int
) -> None:
    found = binned(values_of(frequencies), bits)
    assert [float(k) for k in range(len(frequencies))] == [x for own in found for x in own]
    assert all(found)
    assert len(found) == min(2**bits, len(frequencies))


@settings(max_examples=100, deadline=None)
@given(populations, st.integers(1, 3), st.sampled_from([np.exp, np.cbrt, lambda x: 3 * x - 7]))
def test_increasing_transformations_change_nothing(
    frequencies: list[int], bits: int, change: np.ufunc
) -> None:
    values = np.array(values_of(frequencies))
    before = uniform_population_bins(values, bits)
    after = uniform_population_bins(change(values), bits)
    assert before.assign(values).tolist() == after.assign(change(values)).tolist()
    np.testing.assert_allclose(change(before.first), after.first, rtol=1e-15)


@settings(max_examples=100, deadline=None)
@given(populations, st.integers(1, 3))
def test_adjusted_frequencies_reach_the_fixed_point(frequencies: list[int], bits: int) -> None:
    num_bins = 2**bits
    assume(len(frequencies) > num_bins)
    expected, size = binning.adjusted(frequencies, num_bins)
    own, own_size = adjusted_frequencies(np.array(frequencies, np.float64), num_bins)
    assert float(size) == pytest.approx(own_size, rel=1e-9)
    np.testing.assert_allclose([float(f) for f in expected], own, rtol=1e-9)


@pytest.mark.parametrize(
    ("values", "bits", "expected"),
    [
        ([1.0, 2.0, 3.0, 4.0], 1, [[1.0, 2.0], [3.0, 4.0]]),
        # a value of half the population has a bin of its own: u = 4, then 3 for the others
        ([5.0] * 6 + [1.0, 2.0, 3.0], 1, [[1.0, 2.0, 3.0], [5.0]]),
        # u = 8 / 2; value 2 lies 1 of 3 outside of the first bin: less than half
        ([1.0] * 2 + [2.0] * 3 + [3.0] * 3, 1, [[1.0, 2.0], [3.0]]),
        # u = 8 / 2; value 2 lies 2 of 3 outside: more than half
        ([1.0] * 3 + [2.0] * 3 + [3.0] * 2, 1, [[1.0], [2.0, 3.0]]),
        # no more values than bins
        ([3.0, 1.0, 3.0], 2, [[1.0], [3.0]]),
        ([-1.0, 0.0, -1.0], 1, [[-1.0], [0.0]]),
        ([7.0], 5, [[7.0]]),
    ],
)
def test_worked_examples(values: list[float], bits: int, expected: list[list[float]]) -> None:
    assert expected == binned(values, bits)


def test_values_outside_the_range_go_to_the_end_bins() -> None:
    bins = Bins(np.array([1.0, 2.0, 4.0]))
    values = np.array([-1e300, 0.9, 1.0, 1.9, 2.0, 3.9, 4.0, 1e300])
    assert [0, 0, 0, 0, 1, 1, 2, 2] == bins.assign(values).tolist()


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_are_finite(bad: float) -> None:
    values = np.array([1.0, bad, 2.0])
    message = f"value {bad} at place 1; expected finite values"
    with pytest.raises(DataError, match=message):
        uniform_population_bins(values, 1)
    with pytest.raises(DataError, match=message):
        Bins(np.array([1.0])).assign(values)


def test_no_values() -> None:
    with pytest.raises(DataError, match="no values"):
        uniform_population_bins(np.zeros(0), 1)


@pytest.mark.parametrize("bits", [0, 17, -1])
def test_bits_out_of_range(bits: int) -> None:
    with pytest.raises(UsageError, match=f"{bits} bits; expected 1 to 16"):
        uniform_population_bins(np.array([1.0, 2.0]), bits)


def test_feature_names_sort_as_the_values() -> None:
    assert bin_feature_name("a_b", 7, 100) == "a-b_bin07"
    names = [bin_feature_name("p(e|f)", k, 11) for k in range(11)]
    assert ["p(e|f)_bin00", "p(e|f)_bin10"] == [names[0], names[-1]]
    assert sorted(names) == names


@pytest.fixture
def table() -> PhraseTable:
    words = Corpus.from_sentences([["a"], ["b"], ["c"], ["d"]])
    rules = np.arange(4, dtype=np.int32)
    return PhraseTable(
        words,
        words,
        rules,
        rules,
        np.array([[0.5, 9.0], [0.25, 8.0], [0.75, 7.0], [0.125, 6.0]]),
        ("p", "q"),
        Ragged.empty(4),
        np.zeros((4, 3)),
        Ragged.from_rows([[(0, 2.0)], [], [], [(0, 1.0)]]),
        ("A_x",),
    )


def test_a_score_becomes_indicators(table: PhraseTable) -> None:
    result, bins = discretize_score(table, "p", 1)
    assert [0.125, 0.5] == bins.first.tolist()
    assert ("q",) == result.score_names
    assert [[9.0], [8.0], [7.0], [6.0]] == result.scores.tolist()
    assert ("A_x", "p_bin0", "p_bin1") == result.sparse_names
    assert [0, 2, 1, 2, 0, 1] == result.sparse.ids.tolist()
    assert [2.0, 1.0, 1.0, 1.0, 1.0, 1.0] == result.sparse.values.tolist()
    assert [0, 2, 3, 4, 6] == result.sparse.offsets.tolist()


def test_a_score_may_stay_beside_its_indicators(table: PhraseTable) -> None:
    result, _ = discretize_score(table, "p", 1, keep=True)
    assert ("p", "q") == result.score_names
    np.testing.assert_array_equal(table.scores, result.scores)
    assert ("A_x", "p_bin0", "p_bin1") == result.sparse_names


def test_unknown_score(table: PhraseTable) -> None:
    with pytest.raises(UsageError, match="score 'r'; the table has p, q"):
        discretize_score(table, "r", 1)
