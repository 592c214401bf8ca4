"""Mini-batches as difference vectors, their losses and gradients."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.tune.kernels.differences import row_differences
from isogloss.tune.nbest.hypothesis_pairs import sample_pairs
from isogloss.tune.online.kernels.losses import HINGE, LOGISTIC, PERCEPTRON, margin_loss
from isogloss.tune.online.losses import Differences
from isogloss.tune.online.options import LOSSES, PAIRWISE, OnlineOptions
from tests.naive import losses as naive

SIZE = 6
RNG = np.random.default_rng(7)
OFFSETS = np.array([0, 5, 6, 14])
MATRIX = RNG.normal(size=(14, SIZE)).astype(np.float32).astype(np.float64)
MATRIX[:, 4] = 0.1  # constant: it cancels
GAINS = RNG.random(14)
SENTENCES = np.array([2, 0, 1])
OPTIONS = OnlineOptions(gamma=40, pairs=9, threshold=0.01, gain_scale=1.7, score_scale=0.8)


def rows_of(matrix: NDArray[np.float64]) -> Ragged:
    """Each value in two entries, the first column in none."""
    num, size = matrix.shape
    ids = np.tile(np.repeat(np.arange(1, size, dtype=np.int32), 2), num)
    values = np.repeat(matrix[:, 1:].astype(np.float32) / 2, 2)
    return Ragged(ids, values.ravel(), np.arange(num + 1) * 2 * (size - 1))


MATRIX[:, 0] = 0.0
ROWS = rows_of(MATRIX)


def draw(options: OnlineOptions, gains: NDArray[np.float64] = GAINS) -> Differences:
    return Differences.draw(ROWS, gains, OFFSETS, SENTENCES, SIZE, options, 3)


def direct(options: OnlineOptions, weights: NDArray[np.float64]) -> float:
    if options.loss in PAIRWISE:
        pairs, _ = sample_pairs(
            GAINS, OFFSETS, SENTENCES, 3,
            gamma=options.gamma, kept=options.pairs, threshold=options.threshold,
        )  # fmt: skip
        return naive.pairwise(options.loss, MATRIX[pairs[:, 0]] - MATRIX[pairs[:, 1]], weights)
    spans = [slice(*OFFSETS[k : k + 2]) for k in SENTENCES]
    return naive.lists(
        options.loss,
        [(MATRIX[span], GAINS[span]) for span in spans],
        weights,
        options.gain_scale,
        options.score_scale,
    )


def gradient_at(
    options: OnlineOptions, weights: NDArray[np.float64]
) -> tuple[float, NDArray[np.float64]]:
    differences = draw(options)
    gradient = differences.gradient(weights[differences.ids], options)
    dense = np.zeros(SIZE)
    dense[gradient.ids] = gradient.slopes
    return gradient.loss, dense


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("seed", range(5))
def test_loss_and_gradient_by_definition(loss: str, seed: int) -> None:
    options = replace(OPTIONS, loss=loss)
    weights = np.random.default_rng(seed).normal(size=SIZE)
    reached, gradient = gradient_at(options, weights)
    assert direct(options, weights) == pytest.approx(reached, rel=1e-9, abs=1e-9)
    step = 1e-6
    expected = [
        (direct(options, weights + step * axis) - direct(options, weights - step * axis))
        / (2 * step)
        for axis in np.eye(SIZE)
    ]
    np.testing.assert_allclose(expected, gradient, rtol=1e-5, atol=1e-7)
    assert 0.0 == gradient[4] == gradient[0]


@pytest.mark.parametrize("loss", LOSSES)
def test_nothing_to_learn_has_no_gradient_at_all(loss: str) -> None:
    """Not even one of rounding: AdaGrad would take it for a whole step."""
    options = replace(OPTIONS, loss=loss)
    weights = np.random.default_rng(1).normal(size=SIZE)
    same = draw(options, np.full(14, 0.3))
    assert not same.gradient(weights[same.ids], options).slopes.any()
    rows = rows_of(np.repeat(MATRIX[:1], 14, axis=0))
    same = Differences.draw(rows, GAINS, OFFSETS, SENTENCES, SIZE, options, 3)
    assert not same.gradient(weights[same.ids], options).slopes.any()


def test_differences_by_hand() -> None:
    rows = Ragged(
        np.array([5, 2, 5, 2, 7, 9, 9], np.int32),
        np.array([1, 2, 3, 2, 1, 4, -4], np.float32),
        np.array([0, 3, 3, 5, 7]),
    )
    pairs = np.array([[0, 2], [1, 0], [2, 2], [3, 1]])
    ids, columns, values, offsets = row_differences(
        rows.ids, rows.values, rows.offsets, pairs, 1_000_000
    )
    assert [5, 2, 7, 9] == ids.tolist()
    rows_by_feature = [
        dict(zip(ids[columns[a:b]].tolist(), values[a:b].tolist(), strict=True))
        for a, b in pairwise(offsets.tolist())
    ]
    assert [{5: 4.0, 7: -1.0}, {5: -4.0, 2: -2.0}, {}, {}] == rows_by_feature


def test_many_features_find_their_columns() -> None:
    ids = np.random.default_rng(1).permutation(2**20)[:5000].astype(np.int32)
    values = np.arange(1, 5001, dtype=np.float32)
    active, columns, entries, _ = row_differences(
        ids, values, np.array([0, 5000, 5000]), np.array([[0, 1]]), 2**20
    )
    assert ids.tolist() == active.tolist() == active[columns].tolist()
    assert values.tolist() == entries.tolist()


@pytest.mark.parametrize("kind", [LOGISTIC, HINGE])
@pytest.mark.parametrize("margin", [-1000.0, -700.0, 0.0, 700.0, 1000.0])
def test_large_margins_do_not_overflow(margin: float, kind: int) -> None:
    loss, pull = margin_loss(kind, margin)
    with np.errstate(over="ignore"):
        expected = max(0.0, 1 - margin) if kind == HINGE else float(np.logaddexp(0.0, -margin))
        slope = float(margin < 1) if kind == HINGE else 1.0 / (1.0 + np.exp(margin))
    assert expected == pytest.approx(loss, rel=1e-12, abs=1e-300)
    assert slope == pytest.approx(pull, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("kind", "margin", "loss", "pull"),
    [
        (HINGE, 0.75, 0.25, 1.0),
        (HINGE, 1.0, 0.0, 0.0),
        (HINGE, 1.25, 0.0, 0.0),
        (PERCEPTRON, -0.25, 0.25, 1.0),
        (PERCEPTRON, 0.0, 0.0, 1.0),  # else weights of 0 would never move
        (PERCEPTRON, 0.25, 0.0, 0.0),
        (LOGISTIC, 0.0, np.log(2.0), 0.5),
    ],
)
def test_slopes_where_losses_bend(kind: int, margin: float, loss: float, pull: float) -> None:
    assert (loss, pull) == pytest.approx(margin_loss(kind, margin), rel=1e-15)


@pytest.mark.parametrize(
    ("loss", "gains", "hope", "fear"),
    [
        ("perceptron", [0.5, 0.9, 0.9, 0.1], 1, 0),
        ("perceptron", [0.2, 0.2, 0.9, 0.9], 2, 0),
        ("ramp", [0.5, 0.9, 0.9, 0.1], 1, 3),
        ("ramp", [0.1, 0.9, 0.9, 0.1], 1, 0),
        ("ramp", [0.5, 0.1, 0.1, 0.9], 3, 1),
    ],
)
def test_of_equal_hypotheses_the_first_is_taken(
    loss: str, gains: list[float], hope: int, fear: int
) -> None:
    """As at weights 0, where learning starts: all scores are the same."""
    rows = rows_of(np.eye(5)[1:])  # hypothesis k has feature k + 1 alone
    options = replace(OPTIONS, loss=loss)
    drawn = Differences.draw(rows, np.array(gains), np.array([0, 4]), np.array([0]), 5, options, 3)
    gradient = drawn.gradient(np.zeros(len(drawn.ids)), options)
    slopes = dict(zip(gradient.ids.tolist(), gradient.slopes.tolist(), strict=True))
    assert {hope + 1: -1.0, fear + 1: 1.0} == {k: slope for k, slope in slopes.items() if slope}


@pytest.mark.parametrize(("scores", "hope"), [([0.0, 1.0, 2.0, 0.0], 2), ([0.0, 2.0, 2.0, 1.0], 1)])
def test_of_hypotheses_of_one_gain_the_best_score_is_hoped_for(
    scores: list[float], hope: int
) -> None:
    options = replace(OPTIONS, loss="perceptron")
    drawn = Differences.draw(
        rows_of(np.eye(5)[1:]), np.array([0.1, 0.9, 0.9, 0.2]), np.array([0, 4]), np.array([0]), 5,
        options, 3,
    )  # fmt: skip
    weights = np.array([0.0, *scores])[drawn.ids]
    weights[drawn.ids == 4] = 3.0  # the fear, whatever the hope
    gradient = drawn.gradient(weights, options)
    slopes = dict(zip(gradient.ids.tolist(), gradient.slopes.tolist(), strict=True))
    assert {hope + 1: -1.0, 4: 1.0} == {k: slope for k, slope in slopes.items() if slope}
    assert gradient.loss == 3.0 - scores[hope]


def test_sentences_that_have_a_feature_are_counted() -> None:
    options = replace(OPTIONS, loss="risk", min_feature_count=2)
    matrix = np.zeros((14, SIZE))
    matrix[1, 1] = matrix[2, 1] = 1.0  # sentence 0
    matrix[7, 2] = matrix[3, 2] = 1.0  # sentences 2 and 0
    drawn = Differences.draw(rows_of(matrix), GAINS, OFFSETS, SENTENCES, SIZE, options, 3)
    gradient = drawn.gradient(np.zeros(len(drawn.ids)), options)
    counts = dict(zip(gradient.ids.tolist(), gradient.counts.tolist(), strict=True))
    assert {1: 1, 2: 2} == {feature: count for feature, count in counts.items() if count}
