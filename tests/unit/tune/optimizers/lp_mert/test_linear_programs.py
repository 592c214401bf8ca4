"""LINOPTIMIZER: verdicts against the whole linear program; what counts as achieved."""

import ctypes
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from isogloss.align.errors import DataError
from isogloss.tune.optimizers.lp_mert.highs import furthest_along, greatest_margin
from isogloss.tune.optimizers.lp_mert.kernels.linear_programs import (
    Combination,
    certificate_residual,
    margins,
    nearest_weights,
    runner_up,
)
from isogloss.tune.optimizers.lp_mert.linear_programs import LinearOptimizer, PointLists
from tests.naive.lp_mert import achievable, examples_of, margin


def points_of(lists: list[list[list[float]]], **options: bool) -> PointLists:
    examples = examples_of(lists)
    return PointLists.of(examples, 1.0 - examples.gains, **options)


def vectors_of(points: PointLists) -> list[np.ndarray]:
    ends = points.offsets.tolist()
    return [points.columns[:, b:e].T for b, e in pairwise(ends)]


SQUARE = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
small = st.integers(-2, 2).map(float)


def lists_of(dimensions: int) -> st.SearchStrategy[list[list[list[float]]]]:
    vector = st.lists(small, min_size=dimensions, max_size=dimensions)
    return st.lists(st.lists(vector, min_size=1, max_size=6), min_size=1, max_size=3)


@st.composite
def combinations(draw: st.DrawFn) -> tuple[PointLists, np.ndarray]:
    points = points_of(draw(st.integers(1, 4).flatmap(lists_of)))
    chosen = [draw(st.integers(b, e - 1)) for b, e in pairwise(points.offsets)]
    return points, np.array(chosen, np.int64)


@settings(max_examples=80)
@given(combinations(), st.booleans(), st.integers(0, 1000))
def test_verdicts_are_those_of_the_whole_program(
    combination: tuple[PointLists, np.ndarray], highs: bool, seed: int
) -> None:
    points, chosen = combination
    near = np.random.default_rng(seed).normal(size=len(points.columns))
    optimizer = LinearOptimizer(points, highs=highs)
    weights = optimizer.find(np.arange(len(points)), chosen, near)
    places = tuple((chosen - points.offsets[:-1]).tolist())
    assert (weights is not None) == achievable(vectors_of(points), places)
    assert optimizer.unsure == 0
    if weights is not None and len(weights):
        assert optimizer.choices(weights).tolist() == chosen.tolist()


@settings(max_examples=40)
@given(st.integers(2, 6), st.integers(3, 60), st.integers(0, 10**6))
def test_verdicts_for_points_of_any_place(dimensions: int, number: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    points = points_of([rng.normal(size=(number, dimensions)).tolist() for _ in range(2)])
    chosen = points.offsets[:-1] + rng.integers(number, size=2)
    optimizer = LinearOptimizer(points)
    weights = optimizer.find(np.arange(2), chosen, rng.normal(size=dimensions))
    places = tuple((chosen - points.offsets[:-1]).tolist())
    assert (weights is not None) == achievable(vectors_of(points), places)
    assert optimizer.programs == optimizer.unsure == 0


@settings(max_examples=50)
@given(st.integers(1, 5), st.integers(1, 80), st.integers(0, 10**6))
def test_cutting_planes_reach_the_greatest_margin(dimensions: int, number: int, seed: int) -> None:
    """They stop as soon as they know on which side of ``enough`` it is."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(number, dimensions)) + rng.choice([0.0, 1.0, 3.0])
    greatest = margin(rows)
    for enough in (greatest - 1e-6, greatest + 1e-6):
        bound, weights = greatest_margin(rows, np.ones(dimensions), enough)
        assert np.abs(weights).max() <= 1.0 + 1e-9
        assert bound >= greatest - 1e-8
        assert (bound <= enough) == (enough > greatest)
        if enough < greatest:
            assert (rows @ weights).min() > enough - 1e-8


@settings(max_examples=50)
@given(st.integers(1, 4), st.integers(1, 60), st.integers(0, 10**6))
def test_cutting_planes_go_as_far_along_as_the_whole_program(
    dimensions: int, number: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(number, dimensions)) + rng.choice([0.0, 1.0, 3.0])
    direction = rng.normal(size=dimensions)
    direction[rng.random(dimensions) < 0.2] = 0.0
    limits = [abs(x) or np.abs(direction).max() for x in direction.tolist()]
    bounds = [(-limit, limit) for limit in limits]
    whole = linprog(-direction, A_ub=-rows, b_ub=np.full(number, -0.01), bounds=bounds)
    weights = furthest_along(rows, direction, 0.01)
    assert (weights is None) == (whole.status != 0)
    if weights is not None:
        assert (np.abs(weights) <= np.array(limits) + 1e-9).all()
        assert (rows @ weights).min() >= 0.01 - 1e-9
        assert direction @ weights == pytest.approx(-whole.fun, abs=1e-8)


def test_the_middle_of_a_square_is_interior():
    points = points_of([[*SQUARE, [0.5, 0.5]]])
    optimizer = LinearOptimizer(points)
    found = [
        optimizer.find(np.zeros(1, np.int64), np.array([k]), np.ones(2)) is not None
        for k in range(5)
    ]
    assert found == [True, True, True, True, False]
    assert optimizer.checked.tolist() == [0, 5]


def test_a_point_on_an_edge_is_not_achieved():
    """It ties with the corners under the only weights that don't lose."""
    points = points_of([[*SQUARE, [0.5, 1.0]]])
    optimizer = LinearOptimizer(points)
    assert optimizer.find(np.zeros(1, np.int64), np.array([4]), np.ones(2)) is None


def test_of_equal_features_the_first_is_kept():
    points = points_of([[[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], [[2.0, 2.0], [2.0, 2.0]]])
    assert points.hypotheses.tolist() == [0, 1, 3]
    assert points.offsets.tolist() == [0, 2, 3]


def test_features_that_never_differ_within_a_list_are_no_dimensions():
    points = points_of([[[1.0, 0.0, 5.0], [1.0, 1.0, 5.0]], [[3.0, 2.0, 6.0]]])
    assert points.features.tolist() == [1]
    weights = points.restored(np.array([4.0]), np.array([7.0, 2.0, 8.0]))
    assert weights.tolist() == [7.0, 2.0, 8.0]


def test_too_many_features_are_refused():
    lists = [np.eye(501).tolist()]
    with pytest.raises(DataError, match=r"features differ within lists.*at most 500"):
        points_of(lists)


def test_a_loss_that_is_not_finite_is_refused():
    examples = examples_of([SQUARE])
    with pytest.raises(DataError, match="not finite"):
        PointLists.of(examples, np.array([0.0, 1.0, np.nan, 1.0]))


def test_runner_up_and_margins():
    points = points_of([SQUARE, [[0.0, 3.0], [0.0, 0.0]]])
    weights = np.array([1.0, 0.5])
    room = np.empty(4)
    values = weights @ points.columns
    ahead, rival = runner_up(points.columns, 0, 4, 3, weights, room)
    assert (ahead, rival) == (pytest.approx(values[3] - values[1], rel=1e-12), 1)
    chosen = np.empty(2, np.int64)
    least = margins(points.columns, points.offsets, weights, chosen)
    assert chosen.tolist() == [3, 4]
    assert least == pytest.approx(min(values[3] - values[1], values[4] - values[5]), rel=1e-12)


def test_residual_of_a_certificate():
    columns = np.array([[0.0, 2.0, -1.0], [0.0, 0.0, 0.5]])
    rows = np.array([[0, 1], [0, 2]])
    # at unit length (-1, 0) and (1, -.5) / sqrt(1.25); as they stand their weights are 1/2 and 1
    multipliers = np.array([1.0, np.sqrt(1.25)])
    value = certificate_residual(columns, rows, multipliers, 2)
    assert value == pytest.approx((abs(-1.0 + 1.0) + 0.5) / 1.5, rel=1e-12)


def test_projection_on_the_weights_that_do_not_lose():
    """The nearest weights to (-1, 2) under which (1, 0) doesn't lose to the origin: (0, 2)."""
    columns = np.array([[1.0, 0.0], [0.0, 0.0]])
    weights = np.array([-1.0, 2.0])
    none = np.zeros(1, np.int64)
    combination = Combination(columns, np.array([0, 2]), none, none)
    nearest_weights(combination, weights, 0.0, 1e-9, 0.0, 100)
    np.testing.assert_allclose(weights, [0.0, 2.0], rtol=0, atol=1e-12)


@settings(max_examples=30)
@given(st.integers(2, 4), st.integers(0, 10**6), st.floats(0.05, 0.99))
def test_the_cosine_is_exact(dimensions: int, seed: int, cosine: float) -> None:
    """Against the greatest cosine within the cone, by many random weights and the found ones."""
    rng = np.random.default_rng(seed)
    points = points_of([rng.normal(size=(8, dimensions)).tolist() for _ in range(2)], uniform=True)
    center = rng.normal(size=dimensions)
    optimizer = LinearOptimizer(points, cosine=cosine, center=center)
    drawn = rng.normal(size=(400, dimensions))
    drawn /= np.linalg.norm(drawn, axis=1, keepdims=True)
    close = drawn @ center / np.linalg.norm(center) >= cosine
    for weights in drawn[close]:
        chosen = optimizer.choices(weights)
        assert chosen is None or optimizer.find(np.arange(2), chosen, weights) is not None
    chosen = points.offsets[:-1] + rng.integers(8, size=2)
    weights = optimizer.find(np.arange(2), chosen, center)
    if weights is not None:
        assert optimizer.choices(weights).tolist() == chosen.tolist()
        reached = weights @ center / np.linalg.norm(weights) / np.linalg.norm(center)
        assert reached >= cosine - 1e-12
    assert optimizer.unsure == 0


def test_margin_of_nothing_is_infinite():
    assert margin(np.zeros((0, 2))) == np.inf


def test_the_solver_writes_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    """Not its version either: weights may go to stdout."""
    bound, weights = greatest_margin(np.array([[1.0, -0.5]]), np.zeros(2), 0.1)
    assert bound >= 0.1
    assert weights[0] > 0.5 * weights[1]
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("", "")
