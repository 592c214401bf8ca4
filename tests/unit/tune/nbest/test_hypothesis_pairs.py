"""Sampled pairs of hypotheses."""

from itertools import pairwise

import numpy as np
import pytest

from isogloss.tune.nbest.hypothesis_pairs import sample_pairs

GAINS = [0.1, 0.5, 0.52, 0.9]


def sampled(
    gains: list[float], gamma: int, kept: int, threshold: float = 0.05, key: int = 1
) -> list[list[int]]:
    offsets = np.array([0, len(gains)])
    pairs, bounds = sample_pairs(
        np.array(gains), offsets, np.array([0]), key, gamma=gamma, kept=kept, threshold=threshold
    )
    assert [0, len(pairs)] == bounds.tolist()
    return pairs.tolist()


def test_pairs_are_the_most_different_ones() -> None:
    assert [[3, 0]] * 5 == sampled(GAINS, 2000, 5)


def test_pairs_differ_by_the_threshold() -> None:
    pairs = sampled(GAINS, 500, 500)
    assert {(3, 0), (2, 0), (1, 0), (3, 1), (3, 2)} == {tuple(pair) for pair in pairs}
    gaps = [GAINS[better] - GAINS[worse] for better, worse in pairs]
    assert all(first >= second for first, second in pairwise(gaps))
    # 16 cells of which 10 count
    assert 500 * 10 / 16 == pytest.approx(len(pairs), abs=60)


def test_fewer_pairs_are_the_first_of_more() -> None:
    gains = np.random.default_rng(2).integers(0, 5, 40).astype(float).tolist()  # many are equal
    every = sampled(gains, 300, 300, 0.0)
    for kept in (1, 7, 50):
        assert every[:kept] == sampled(gains, 300, kept, 0.0)


def test_pairs_at_the_threshold_count() -> None:
    assert {(1, 0)} == {tuple(pair) for pair in sampled([0.25, 0.75], 50, 50, 0.5)}
    assert [] == sampled([0.25, 0.74], 50, 50, 0.5)


@pytest.mark.parametrize(
    ("gains", "threshold"), [([0.5], 0.0), ([0.5, 0.5, 0.5], 0.0), ([0.0, 0.04], 0.05)]
)
def test_no_pair(gains: list[float], threshold: float) -> None:
    assert [] == sampled(gains, 100, 10, threshold)


def test_every_hypothesis_is_drawn_as_often_as_any_other() -> None:
    size = 7
    pairs = sampled([float(k) for k in range(size)], 40_000, 40_000, 0.0)
    counts = np.bincount(np.array(pairs) @ [size, 1], minlength=size * size).reshape(size, size)
    expected = np.tril(np.full((size, size), 2 * 40_000 / size**2), -1)
    assert (counts[expected == 0] == 0).all()
    # eight standard deviations of a binomial count
    np.testing.assert_allclose(counts, expected, atol=8 * np.sqrt(2 * 40_000 / size**2))


def test_pairs_are_drawn_from_the_key() -> None:
    gains = np.random.default_rng(1).random(50).tolist()
    assert sampled(gains, 20, 3, key=1) == sampled(gains, 20, 3, key=1)
    assert sampled(gains, 20, 3, key=1) != sampled(gains, 20, 3, key=2)
    assert sampled(gains, 20, 3, key=2**64 - 1) != sampled(gains, 20, 3, key=0)


def test_neither_order_nor_company_changes_the_pairs_of_a_sentence() -> None:
    gains = np.random.default_rng(1).random(60)
    offsets = np.array([0, 20, 21, 21, 60])
    together, bounds = sample_pairs(gains, offsets, np.array([3, 1, 2, 0]), 5, kept=4)
    assert [0, 4, 4, 4, 8] == bounds.tolist()
    for position, sentence in ((0, 3), (3, 0)):
        alone, _ = sample_pairs(gains, offsets, np.array([sentence]), 5, kept=4)
        assert together[bounds[position] : bounds[position + 1]].tolist() == alone.tolist()
    last, first = together[:4], together[4:]
    assert (last >= 21).all() and (first < 20).all()
