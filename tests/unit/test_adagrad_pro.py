"""AdaGrad-PRO: lazy shrinkage, gradients, sampled pairs."""

from dataclasses import replace
from itertools import pairwise
from math import log1p

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from align.errors import UsageError
from features.ragged import Ragged
from tests.naive.adagrad import EagerAdaGrad
from tune.kernels.adagrad import adagrad_step, pairwise_gradient
from tune.optimizers.adagrad_pro import (
    AdaGradOptions,
    AdaGradState,
    pairwise_update,
    sample_pairs,
)

SIZE = 5
NONE = np.zeros(0, np.int64)
slopes = st.floats(-3, 3, allow_subnormal=False).map(lambda x: round(x, 3))
gradients = st.dictionaries(st.integers(0, SIZE - 1), slopes.filter(bool), max_size=3)


def lazy_step(state: AdaGradState, gradient: dict[int, float], options: AdaGradOptions) -> None:
    dense = np.zeros(SIZE)
    for feature, slope in gradient.items():
        dense[feature] = slope
    ids = np.array(sorted(gradient), np.int64)
    state.step += 1
    adagrad_step(
        state.weights, state.squares, state.last, ids, dense, state.step, options.rate, options.l1
    )


@settings(max_examples=200, deadline=None)
@given(
    st.lists(slopes, min_size=SIZE, max_size=SIZE),
    st.lists(st.tuples(gradients, st.sets(st.integers(0, SIZE - 1))), max_size=30),
    st.sampled_from([0.0, 0.01, 0.1, 1.0]),
    st.sampled_from([0.02, 0.5]),
)
def test_lazy_weights_equal_eager_ones_at_every_read(
    start: list[float],
    steps: list[tuple[dict[int, float], set[int]]],
    l1: float,
    rate: float,
) -> None:
    options = AdaGradOptions(rate=rate, l1=l1)
    eager, state = EagerAdaGrad(start, rate, l1), AdaGradState.start(np.array(start))
    for gradient, read in steps:
        eager.step(gradient)
        lazy_step(state, gradient, options)
        ids = np.array(sorted(read), np.int64)
        np.testing.assert_allclose(
            np.array(eager.weights)[ids], state.read(options, ids)[ids], rtol=1e-12, atol=1e-12
        )
    np.testing.assert_allclose(eager.weights, state.read(options), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(eager.squares, state.squares, rtol=1e-12)


def test_steps_by_hand() -> None:
    options = AdaGradOptions(rate=0.5, l1=0.2)
    state = AdaGradState.start(np.zeros(SIZE))
    lazy_step(state, {0: -2.0}, options)  # G = 4, speed 0.25: 0.5 - 0.05
    assert state.read(options)[0] == pytest.approx(0.45)
    for _ in range(4):
        lazy_step(state, {}, options)  # four shares of 0.05
    assert state.read(options)[0] == pytest.approx(0.25)
    for _ in range(9):
        lazy_step(state, {}, options)
    assert [0.0] * SIZE == state.read(options).tolist()  # at zero it stays


def rows_of(matrix: NDArray[np.float64]) -> Ragged:
    num, size = matrix.shape
    return Ragged(
        np.tile(np.arange(size, dtype=np.int32), num),
        matrix.astype(np.float32).ravel(),
        np.arange(num + 1) * size,
    )


def test_scores_with_empty_rows() -> None:
    rows = Ragged(
        np.array([0, 2, 1], np.int32), np.array([2, 3, 5], np.float32), np.array([0, 0, 2, 2, 3, 3])
    )
    assert [0.0, 2.3, 0.0, 5.0, 0.0] == pytest.approx(
        rows.scores(np.array([1.0, 1.0, 0.1])).tolist()
    )


def test_scores_of_no_row() -> None:
    none = Ragged(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(1, np.int64))
    assert [] == none.scores(np.ones(2)).tolist()


RNG = np.random.default_rng(7)
MATRIX = RNG.normal(size=(6, SIZE)).astype(np.float32).astype(np.float64)
PAIRS = np.array([[0, 1], [2, 3], [4, 5], [0, 5], [0, 1]], np.int32)


def loss_and_gradient(
    weights: NDArray[np.float64], hinge: bool
) -> tuple[float, NDArray[np.float64]]:
    rows, gradient = rows_of(MATRIX), np.zeros(SIZE)
    scores = rows.scores(weights)
    loss = pairwise_gradient(rows.ids, rows.values, rows.offsets, scores, PAIRS, hinge, gradient)
    return loss, gradient


@pytest.mark.parametrize("hinge", [False, True], ids=["logistic", "hinge"])
@pytest.mark.parametrize("seed", range(5))
def test_gradient_equals_finite_differences(seed: int, hinge: bool) -> None:
    weights = np.random.default_rng(seed).normal(size=SIZE)
    margins = (MATRIX[PAIRS[:, 0]] - MATRIX[PAIRS[:, 1]]) @ weights
    assert np.abs(margins - 1.0).min() > 1e-3  # away from the kink of the hinge
    loss, gradient = loss_and_gradient(weights, hinge)
    direct = np.maximum(0, 1 - margins) if hinge else np.log1p(np.exp(-margins))
    assert direct.sum() == pytest.approx(loss, rel=1e-12)
    step = 1e-6
    expected = [
        (
            loss_and_gradient(weights + step * axis, hinge)[0]
            - loss_and_gradient(weights - step * axis, hinge)[0]
        )
        / (2 * step)
        for axis in np.eye(SIZE)
    ]
    np.testing.assert_allclose(expected, gradient, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("hinge", [False, True], ids=["logistic", "hinge"])
@pytest.mark.parametrize("margin", [-1000.0, -700.0, 0.0, 700.0, 1000.0])
def test_large_margins_do_not_overflow(margin: float, hinge: bool) -> None:
    rows, gradient = rows_of(np.array([[1.0], [0.0]])), np.zeros(1)
    pairs = np.array([[0, 1]], np.int32)
    scores = np.array([margin, 0.0])
    loss = pairwise_gradient(rows.ids, rows.values, rows.offsets, scores, pairs, hinge, gradient)
    with np.errstate(over="ignore"):
        expected = max(0.0, 1 - margin) if hinge else float(np.logaddexp(0.0, -margin))
        slope = -float(margin < 1) if hinge else -1.0 / (1.0 + np.exp(margin))
    assert expected == pytest.approx(loss, rel=1e-12, abs=1e-300)
    assert slope == pytest.approx(gradient[0], rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_update_is_a_step_on_the_summed_gradient(loss: str) -> None:
    options = AdaGradOptions(loss=loss, rate=0.1, l1=0.05)
    start = np.full(SIZE, 0.3)
    value, gradient = loss_and_gradient(start, loss == "hinge")
    eager = EagerAdaGrad(start.tolist(), options.rate, options.l1)
    eager.step({j: 2 * slope for j, slope in enumerate(gradient.tolist()) if j != 2})
    state = AdaGradState.start(start)
    batch = [(rows_of(MATRIX), PAIRS), (rows_of(MATRIX), PAIRS), (rows_of(MATRIX), PAIRS[:0])]
    found = pairwise_update(state, batch, options, np.array([2]))
    assert 2 * value == pytest.approx(found, rel=1e-12)
    np.testing.assert_allclose(eager.weights, state.read(options), rtol=1e-12, atol=1e-14)
    assert [0.3] * SIZE == start.tolist()  # the start is copied


def test_fixed_features_keep_their_weight() -> None:
    options = AdaGradOptions(l1=1.0)
    state = AdaGradState.start(np.full(SIZE, 0.3))
    for _ in range(5):
        pairwise_update(state, [(rows_of(MATRIX), PAIRS)], options, np.array([1, 3]))
    assert [0.3, 0.3] == state.read(options)[[1, 3]].tolist()


def test_empty_batch_is_a_step_without_gradient() -> None:
    state = AdaGradState.start(np.ones(SIZE))
    assert 0.0 == pairwise_update(state, [], AdaGradOptions(), NONE)
    assert [1.0] * SIZE == state.read(AdaGradOptions()).tolist()


def test_loss_of_equal_scores() -> None:
    assert log1p(1.0) * len(PAIRS) == pytest.approx(loss_and_gradient(np.zeros(SIZE), False)[0])


def sampled(gains: list[float], options: AdaGradOptions, seed: int = 0) -> list[list[int]]:
    return sample_pairs(np.array(gains), options, np.random.default_rng(seed)).tolist()


GAINS = [0.1, 0.5, 0.52, 0.9]


def test_pairs_are_the_most_different_ones() -> None:
    found = sampled(GAINS, AdaGradOptions(gamma=2000, pairs=5))
    assert [[3, 0]] * 5 == found


def test_pairs_differ_by_the_threshold() -> None:
    found = sampled(GAINS, AdaGradOptions(gamma=500, pairs=500, threshold=0.05))
    assert {(3, 0), (2, 0), (1, 0), (3, 1), (3, 2)} == {tuple(pair) for pair in found}
    gaps = [GAINS[better] - GAINS[worse] for better, worse in found]
    assert all(first >= second for first, second in pairwise(gaps))
    # 16 cells of which 10 count
    assert 500 * 10 / 16 == pytest.approx(len(found), abs=60)


def test_pairs_at_the_threshold_count() -> None:
    options = AdaGradOptions(gamma=50, pairs=50, threshold=0.5)
    assert {(1, 0)} == {tuple(pair) for pair in sampled([0.25, 0.75], options)}
    assert [] == sampled([0.25, 0.74], options)


def test_pairs_are_drawn_from_the_seed() -> None:
    options = AdaGradOptions(gamma=20, pairs=3)
    gains = np.random.default_rng(1).random(50).tolist()
    assert sampled(gains, options, seed=1) == sampled(gains, options, seed=1)
    assert sampled(gains, options, seed=1) != sampled(gains, options, seed=2)


@pytest.mark.parametrize(
    ("gains", "threshold"),
    [([], 0.0), ([0.5], 0.0), ([0.5, 0.5, 0.5], 0.0), ([0.0, 0.04], 0.05)],
)
def test_no_pair(gains: list[float], threshold: float) -> None:
    options = AdaGradOptions(threshold=threshold)
    found = sample_pairs(np.array(gains), options, np.random.default_rng(0))
    assert ((0, 2), np.int32) == (found.shape, found.dtype)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rate": 0.0}, r"rate = 0.0; expected above 0"),
        ({"l1": -0.1}, r"l1 = -0.1; expected at least 0"),
        ({"batch_size": 0}, r"batch_size = 0; expected at least 1"),
        ({"gamma": 0}, r"gamma = 0; expected at least 1"),
        ({"pairs": 0}, r"pairs = 0; expected at least 1"),
        ({"threshold": -1.0}, r"threshold = -1.0; expected at least 0"),
        ({"loss": "squared"}, r"loss = 'squared'; expected logistic or hinge"),
        ({"rate": float("nan")}, r"rate = nan"),
        ({"l1": float("nan")}, r"l1 = nan"),
    ],
)
def test_options_out_of_range(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(AdaGradOptions(), **change)
