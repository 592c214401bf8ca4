"""Distinct pairs of word types: exact while few, within a percent or two when many."""

import numpy as np
import pytest

from isogloss.align.text.distinct_pairs import DistinctPairs
from isogloss.align.text.kernels.sampling import sample_cells
from tests.naive.retokenize import sampled_cells


def text(rng: np.random.Generator, pairs: int, types: int, longest: int):
    lengths = rng.integers(0, longest, (2, pairs)).astype(np.int32)
    sides = [(types * rng.random(own.sum()) ** 3).astype(np.int32) for own in lengths]
    return sides[0], lengths[0], sides[1], lengths[1]


def count(source, source_lengths, target, target_lengths) -> int:
    rows = [
        np.split(side, np.cumsum(own)[:-1])
        for side, own in ((source, source_lengths), (target, target_lengths))
    ]
    pairs = zip(*rows, strict=True)
    return len({(s, t) for left, right in pairs for s in left.tolist() for t in right.tolist()})


@pytest.mark.parametrize("seed", range(3))
def test_few_pairs_are_counted_exactly(seed: int) -> None:
    one = text(np.random.default_rng(seed), 50, 200, 12)
    pairs = DistinctPairs()
    pairs.add(*one)
    assert len(pairs) == count(*one)
    pairs.add(*one)  # nothing new
    assert len(pairs) == count(*one)


def test_many_pairs_are_estimated() -> None:
    one = text(np.random.default_rng(5), 1500, 20_000, 40)
    pairs = DistinctPairs()
    half = one[1][:700].sum(), one[3][:700].sum()
    pairs.add(one[0][: half[0]], one[1][:700], one[2][: half[1]], one[3][:700])
    pairs.add(one[0][half[0] :], one[1][700:], one[2][half[1] :], one[3][700:])
    exact = count(*one)
    assert exact > 300_000
    assert len(pairs) == pytest.approx(exact, rel=0.02)


def test_a_pair_larger_than_the_buffer() -> None:
    ids, lengths = np.arange(1200, dtype=np.int32), np.array([1200], np.int32)
    pairs = DistinctPairs()
    pairs.add(ids, lengths, ids, lengths)
    assert len(pairs) == pytest.approx(1200**2, rel=0.02)


@pytest.mark.parametrize("mask", [0, 1, 7])
@pytest.mark.parametrize("capacity", [40, 1000])
def test_sampled_cells_are_those_of_the_loops(mask: int, capacity: int) -> None:
    rng = np.random.default_rng(mask)
    rows = [[rng.integers(0, 99, size).tolist() for size in (3, 0, 5, 4, 6)] for _ in (0, 1)]
    expected = sampled_cells(rows[0], rows[1], mask)
    columns = []
    for side in rows:
        columns.append(np.array([value for row in side for value in row], np.uint64))
        columns.append(np.cumsum([0, *map(len, side)]))
    found, pair, actual = np.empty(capacity, np.uint64), 0, []
    while pair < 5:
        following, size = sample_cells(*columns, pair, np.uint64(mask), found)
        assert following > pair
        assert found[:size].tolist() == [v for row in expected[pair:following] for v in row]
        actual += found[:size].tolist()
        pair = following
    assert actual == [value for row in expected for value in row]
