"""Bins of any values: the slow twin's, whatever the blocks, the order, the units of the values."""

import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus
from isogloss.features.bins.binning import Binning, BinSpec
from isogloss.features.bins.histogram import Histogram
from isogloss.features.bins.uniform import (
    adjusted_frequencies,
    histogram_bins,
    uniform_population_bins,
)
from isogloss.features.space import FeatureSpace
from isogloss.features.table.phrase_table import PhraseTable
from tests.naive import binning

# few distinct values of very different frequency, some in every bin and some across
populations = st.lists(st.sampled_from([1, 1, 1, 2, 2, 3, 5, 8, 40]), min_size=1, max_size=14)
finite = st.floats(-1e300, 1e300)
increasing: list[Callable[[np.ndarray], np.ndarray]] = [
    np.exp,
    np.log1p,
    np.cbrt,
    np.arctan,
    lambda x: 3 * x - 7,
    lambda x: x**3 - 1e9,
]


def values_of(frequencies: list[int]) -> list[float]:
    """Value k as often as the k-th frequency says, in no order."""
    values = [float(k) for k, count in enumerate(frequencies) for _ in range(count)]
    return np.random.default_rng(len(values)).permutation(values).tolist()


def binned(values: list[float], bits: int) -> list[list[float]]:
    bins = uniform_population_bins(np.array(values), bits)
    distinct = np.unique(values)
    ids = bins.assign(distinct)
    return [distinct[ids == k].tolist() for k in range(len(bins))]


@given(populations, st.integers(1, 4))
def test_bins_equal_the_description(frequencies: list[int], bits: int) -> None:
    values = values_of(frequencies)
    assert binning.bins(values, bits) == binned(values, bits)


@given(st.lists(finite, min_size=1, max_size=60), st.integers(1, 5))
def test_bins_of_any_values(values: list[float], bits: int) -> None:
    assert binning.bins(values, bits) == binned(values, bits)


@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(0, 40)), min_size=1, max_size=40),
    st.integers(1, 3),
    st.sampled_from([1, 2**-20, 2**-3]),
)
def test_weighted_values(items: list[tuple[int, int]], bits: int, unit: float) -> None:
    """Weights that are no whole numbers, too, and values of weight 0."""
    counts: Counter[float] = Counter()
    for value, weight in items:
        counts[float(value)] += weight
    assume(any(counts.values()))
    columns = np.array(items, np.float64)
    bins = uniform_population_bins(columns[:, 0], bits, columns[:, 1] * unit)
    expected = binning.histogram_bins(counts, bits)
    assert [members[0] for members in expected] == bins.first.tolist()
    assert [members[-1] for members in expected] == bins.last.tolist()
    sums = [sum(counts[value] for value in members) * unit for members in expected]
    assert sums == bins.population.tolist()
    medians = [
        next(x for x in members if 2 * sum(counts[y] for y in members if y <= x) >= total / unit)
        for members, total in zip(expected, sums, strict=True)
    ]
    assert medians == bins.median.tolist()


@given(populations, st.integers(1, 16))
def test_each_distinct_value_is_in_one_bin_and_none_is_empty(
    frequencies: list[int], bits: int
) -> None:
    bins = binned(values_of(frequencies), bits)
    assert [float(k) for k in range(len(frequencies))] == [x for members in bins for x in members]
    assert all(bins)
    assert len(bins) == min(2**bits, len(frequencies))


@given(
    st.lists(st.floats(0.0, 50.0), min_size=1, max_size=60),
    st.integers(1, 5),
    st.sampled_from(increasing),
)
def test_increasing_functions_change_nothing(
    numbers: list[float], bits: int, change: Callable[[np.ndarray], np.ndarray]
) -> None:
    values = np.array(numbers)
    images = change(np.unique(values))
    assume((np.diff(images) > 0.0).all())  # strictly increasing as floating-point numbers, too
    before = uniform_population_bins(values, bits)
    after = uniform_population_bins(change(values), bits)
    assert before.assign(values).tolist() == after.assign(change(values)).tolist()
    for column in ("first", "median", "last"):
        assert change(getattr(before, column)).tolist() == getattr(after, column).tolist()
    assert before.population.tolist() == after.population.tolist()


@given(st.lists(finite, min_size=2, max_size=60), st.integers(1, 5), st.data())
def test_any_increasing_map_changes_nothing(
    numbers: list[float], bits: int, data: st.DataObject
) -> None:
    """The values' ranks go to any other rising numbers."""
    values, ranks = np.unique(numbers, return_inverse=True)
    other = data.draw(st.sets(finite, min_size=len(values), max_size=len(values)))
    images = np.array(sorted(other))
    before = uniform_population_bins(values[ranks], bits)
    after = uniform_population_bins(images[ranks], bits)
    assert before.assign(values).tolist() == after.assign(images).tolist()


@given(populations, st.integers(1, 3))
def test_adjusted_frequencies_reach_the_fixed_point(frequencies: list[int], bits: int) -> None:
    num_bins = 2**bits
    assume(len(frequencies) > num_bins)
    expected, size = binning.adjusted(frequencies, num_bins)
    adjusted, own_size, parts = adjusted_frequencies(np.array(frequencies, np.float64), num_bins)
    assert size == Fraction(own_size) / parts
    assert expected == [Fraction(f) / parts for f in adjusted.tolist()]


@given(populations, st.integers(1, 3))
def test_the_printed_iteration_goes_there(frequencies: list[int], bits: int) -> None:
    """Equations 5 and 6, with the number of bins for |X|."""
    num_bins = 2**bits
    assume(len(frequencies) > num_bins)
    rest = np.array(frequencies, np.float64)
    for _ in range(2000):
        rest = np.minimum(rest, rest.sum() / num_bins)
    adjusted, _, parts = adjusted_frequencies(np.array(frequencies, np.float64), num_bins)
    np.testing.assert_allclose(adjusted / parts, rest, rtol=1e-6)


@given(
    st.lists(
        st.lists(st.tuples(finite, st.integers(0, 3 * 2**20)), max_size=30), min_size=1, max_size=9
    )
)
def test_a_histogram_of_blocks_is_that_of_all(blocks: list[list[tuple[float, int]]]) -> None:
    histogram = Histogram()
    counts: Counter[float] = Counter()
    for block in blocks:
        columns = np.array(block, np.float64).reshape(-1, 2)
        histogram.add(columns[:, 0], columns[:, 1] / 2**20)
        for value, weight in block:
            counts[value] += weight
    values, weights = histogram.distinct()
    expected = sorted((value, weight / 2**20) for value, weight in counts.items() if weight)
    assert expected == list(zip(values.tolist(), weights.tolist(), strict=True))
    assert values.tolist() == histogram.distinct()[0].tolist()


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=40), st.integers(1, 3))
def test_blocks_in_any_order(values: list[float], bits: int) -> None:
    """Weights of no exact sum, such as a third, don't make the order matter either."""
    first, other = Histogram(), Histogram()
    for value in values:
        first.add(np.array([value, 0.25]), np.array([1 / 3, 0.1]))
    for value in reversed(values):
        other.add(np.array([value]), np.array([1 / 3]))
        other.add(np.array([0.25]), np.array([0.1]))
    assert histogram_bins(first, bits).first.tolist() == histogram_bins(other, bits).first.tolist()
    assert first.distinct()[1].tolist() == other.distinct()[1].tolist()


def six_digits(score: float) -> float:
    """As a table's file has it: scores that are the same there are one value."""
    return float(f"{score:.6g}")


def table_of(scores: list[float]) -> PhraseTable:
    rules = np.arange(len(scores), dtype=np.int32)
    words = Corpus.from_sentences([[f"w{k}"] for k in range(len(scores))])
    return PhraseTable(
        words,
        words,
        rules,
        rules,
        np.array(scores).reshape(-1, 1),
        ("p",),
        Ragged.empty(len(scores)),
        np.ones((len(scores), 3)),
        Ragged.empty(len(scores)),
        (),
    )


def fired(table: PhraseTable) -> list[set[str]]:
    names, ids = table.sparse_names, table.sparse.ids.tolist()
    assert set(table.sparse.values.tolist()) <= {1.0}
    return [{names[k] for k in ids[a:b]} for a, b in pairwise(table.sparse.offsets.tolist())]


def expected_features(bins: list[list[float]], spec: BinSpec, value: float) -> set[str]:
    """Features of a value as the slow twin has them."""
    count, bin_number = len(bins), binning.bin_of(value, bins)
    width = len(str(count - 1))
    if spec.extend and spec.extend < count - 1:
        windows = binning.extended(count, spec.extend)
        return {
            f"p_bin{k:0{width}d}:{count}_extend{spec.extend}"
            for k, window in enumerate(windows)
            if bin_number in window
        }
    result = set()
    for overlap in [size for size in spec.overlaps if size == 0 or size < count - 1] or [0]:
        for window in binning.windows(count, overlap):
            low, high = min(window), max(window)
            name = f"p_bin{low:0{width}d}:{count}"
            if overlap:
                name = f"p_bin{low:0{width}d}..{high:0{width}d}:{count}_overlap{overlap}"
            result |= {name} if bin_number in window else set()
    return result


@given(
    st.lists(st.floats(0.0, 1.0).map(six_digits), min_size=1, max_size=50),
    st.lists(st.floats(0.0, 2.0).map(six_digits), min_size=1, max_size=10),
    st.sampled_from(
        [
            BinSpec("p", 2),
            BinSpec("p", 4),
            BinSpec("p", 2, overlaps=(1,)),
            BinSpec("p", 3, overlaps=(0, 1, 4)),
            BinSpec("p", 3, overlaps=(2,)),
            BinSpec("p", 3, extend=1),
            BinSpec("p", 4, extend=3),
        ]
    ),
)
def test_features_of_a_value(seen: list[float], other: list[float], spec: BinSpec) -> None:
    fitted = Binning.fit([table_of(seen)], [spec])
    bins = binning.bins(seen, spec.bits)
    for values in (seen, other):
        expected = [expected_features(bins, spec, value) for value in values]
        assert expected == fired(fitted.apply(table_of(values)))


@given(st.lists(finite, min_size=1, max_size=40), st.integers(1, 4))
def test_json_keeps_every_bit(values: list[float], bits: int) -> None:
    fitted = Binning.fit([table_of(values)], [BinSpec("p", bits, keep=True)])
    text = json.dumps(fitted.to_json())
    again = Binning.from_json(json.loads(text))
    assert text == json.dumps(again.to_json())
    assert fitted.bins[0].assign(np.array(values)).tolist() == (
        again.bins[0].assign(np.array(values)).tolist()
    )


@given(st.permutations([(k, f"{form}") for k in range(12) for form in "ab"]), st.integers(0, 24))
def test_neighbors_are_a_chain(features: list[tuple[int, str]], count: int) -> None:
    """Whatever the order of the ids, and whichever bins the space lacks."""
    chain = features[:count]
    names = [f"{feature}_bin{number:02d}:12" for number, feature in chain]
    space = FeatureSpace(names)
    for number, (before, after) in enumerate(space.neighbors.tolist()):
        position, feature = chain[number]
        rising = sorted(k for k, other in chain if other == feature)
        at = rising.index(position)
        expected = [
            chain.index((rising[at - 1], feature)) if at else -1,
            chain.index((rising[at + 1], feature)) if at + 1 < len(rising) else -1,
        ]
        assert expected == [before, after]


def test_a_histogram_holds_distinct_values_only() -> None:
    histogram = Histogram()
    for begin in range(0, 60_000, 1000):
        histogram.add(np.arange(begin, begin + 1000) % 700 / 700.0)
    values, weights = histogram.distinct()
    np.testing.assert_allclose(values, np.arange(700) / 700.0, rtol=0.0)
    assert weights.sum() == 60_000
