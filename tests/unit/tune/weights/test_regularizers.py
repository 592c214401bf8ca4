"""Regularizers against their twins and finite differences, and the minimizer that they go to."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.features.space import FeatureSpace, bin_feature_name
from isogloss.tune.optimizers.lbfgs import minimize_lbfgs
from isogloss.tune.weights.regularizers import (
    LinearNeighbors,
    MonotoneNeighbors,
    NeighborCurvature,
    Penalty,
    SquaredDistance,
    at_rest,
    neighbors_among,
)
from tests.naive.regularizers import (
    least_linear,
    linear_curvature,
    linear_penalty,
    monotone_penalty,
)

Floats = NDArray[np.float64]
weights = st.floats(-3, 3).map(lambda x: round(x, 2))
chains = st.lists(weights, min_size=1, max_size=6)


def chain_of(length: int) -> NDArray[np.int64]:
    neighbors = np.stack([np.arange(-1, length - 1), np.arange(1, length + 1)], axis=1)
    neighbors[-1, 1] = -1
    return neighbors


def value_and_gradient(penalty: Penalty, point: Floats) -> tuple[float, Floats]:
    gradient = np.zeros(len(point))
    return penalty(point, gradient), gradient


def slope(penalty: Penalty, point: Floats, step: float = 1e-6) -> Floats:
    moves = step * np.eye(len(point))
    nothing = np.zeros(len(point))
    return np.array(
        [(penalty(point + m, nothing) - penalty(point - m, nothing)) / (2 * step) for m in moves]
    )


@st.composite
def loose_chains(draw: st.DrawFn) -> tuple[list[float], list[bool]]:
    chain = draw(st.lists(weights, min_size=1, max_size=12))
    return chain, draw(st.lists(st.booleans(), min_size=len(chain), max_size=len(chain)))


@given(loose_chains(), loose_chains(), st.floats(0.1, 5))
def test_loose_bins_of_lnr_go_where_it_is_least(
    one: tuple[list[float], list[bool]], other: tuple[list[float], list[bool]], beta: float
) -> None:
    """Two chains in one array, the second from its end to its beginning."""
    neighbors = np.concatenate([chain_of(len(one[0])), chain_of(len(other[0]))[::-1, ::-1]])
    neighbors[len(one[0]) :][neighbors[len(one[0]) :] >= 0] += len(one[0])
    neighbors[len(one[0]) :] = neighbors[len(one[0]) :][::-1]
    values, loose = np.array(one[0] + other[0][::-1]), np.array(one[1] + other[1][::-1])
    found = at_rest(LinearNeighbors(beta, neighbors), values, loose)
    expected = least_linear(*one) + least_linear(*other)[::-1]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert found[~loose].tolist() == values[~loose].tolist()


@given(loose_chains(), st.floats(0.1, 5), st.sampled_from([0.5, 1.0, 2.0]))
def test_loose_bins_of_mnr_cost_no_more(
    one: tuple[list[float], list[bool]], beta: float, gamma: float
) -> None:
    chain, loose = one
    found = at_rest(
        MonotoneNeighbors(beta, gamma, chain_of(len(chain))), np.array(chain), np.array(loose)
    )
    before = monotone_penalty(chain, beta, gamma)
    assert monotone_penalty(found.tolist(), beta, gamma) <= before * (1 + 1e-12)
    assert found[~np.array(loose)].tolist() == np.array(chain)[~np.array(loose)].tolist()


@given(st.lists(st.integers(1, 9), min_size=1, max_size=3), st.floats(0.01, 1e4), st.data())
def test_a_slope_divided_by_the_second_derivatives_of_lnr(
    lengths: list[int], beta: float, data: st.DataObject
) -> None:
    """Chains of bins, whose features are shuffled; a chain of one is a feature that isn't a bin."""
    total = sum(lengths)
    place = np.array(data.draw(st.permutations(range(total))))
    neighbors, dense = np.full((total, 2), -1), np.zeros((total, total))
    for begin, length in zip(np.cumsum([0, *lengths]).tolist(), lengths, strict=False):
        ids = place[begin : begin + length]
        neighbors[ids[1:], 0], neighbors[ids[:-1], 1] = ids[:-1], ids[1:]
        dense[np.ix_(ids, ids)] = linear_curvature(length, beta)
    alone = np.array(data.draw(st.lists(st.floats(1, 50), min_size=total, max_size=total)))
    slope = np.array(data.draw(st.lists(weights, min_size=total, max_size=total)))
    found = NeighborCurvature.of(LinearNeighbors(beta, neighbors), alone)(slope)
    np.testing.assert_allclose((dense + np.diag(alone)) @ found, slope, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("beta", [0.0, 1.0, 1e6, 1e30])
def test_a_slope_is_divided_by_something_above_0_whatever_the_ties(beta: float) -> None:
    """No weight but those of the ties has a second derivative of its own."""
    curvature = NeighborCurvature.of(LinearNeighbors(beta, chain_of(4096)), np.zeros(4096))
    assert (curvature.factors[:, 0] > 0.0).all()
    slope = np.random.default_rng(1).normal(size=4096)
    assert float(curvature(slope) @ slope) > 0.0


def test_tied_weights_are_found_in_few_steps() -> None:
    """A chain of 1,000 bins, one in three of which is seen: its least value by linear equations."""
    rng, beta = np.random.default_rng(1), 1e6
    seen = 50.0 * (rng.random(1000) < 1 / 3)
    wanted = np.linspace(-2.0, 3.0, 1000) + rng.normal(size=1000)

    def apart(point: Floats) -> tuple[float, Floats]:
        away = point - wanted
        return 0.5 * float(seen @ away**2), seen * away

    tied = LinearNeighbors(beta, chain_of(1000))
    dense = np.diag(seen) + linear_curvature(1000, beta)
    expected = np.linalg.solve(dense, seen * wanted)
    least = apart(expected)[0] + linear_penalty(expected.tolist(), beta)
    found = [
        minimize_lbfgs(
            apart, [tied], np.zeros(1000), inverse=inverse, iterations=100, tolerance=1e-9
        )[1]
        for inverse in (NeighborCurvature.of(tied, seen), None)
    ]
    assert found[0] == pytest.approx(least, rel=1e-6)
    assert found[1] > 1.05 * least  # without what ties say


def test_long_chains_of_loose_bins_are_solved_exactly() -> None:
    """Two bins that are held say where a line goes, however far; others, where a curve does."""
    neighbors = chain_of(4096)
    values, loose = np.zeros(4096), np.ones(4096, np.bool_)
    values[1], loose[:2] = 0.01, False
    found = at_rest(LinearNeighbors(1.0, neighbors), values, loose)
    np.testing.assert_allclose(found, 0.01 * np.arange(4096), rtol=1e-9)
    again = at_rest(LinearNeighbors(1.0, neighbors), found, loose)
    np.testing.assert_allclose(again, found, rtol=1e-9)
    values = np.random.default_rng(1).normal(size=300)
    loose = ~np.isin(np.arange(300), [0, 1, 50, 200, 201, 299])
    found = at_rest(LinearNeighbors(1.0, chain_of(300)), values, loose)
    expected = least_linear(values.tolist(), loose.tolist())
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-8)


def test_loose_bins_of_mnr_leave_no_place_that_costs_much() -> None:
    """Between held weights that rise, as much as the line between them at most; 400 chains.

    Begun with 0, of which a whole step of its rounds may cost more than the place that it leaves.
    """
    rng = np.random.default_rng(5)
    for _ in range(400):
        loose = rng.random(int(rng.integers(4, 20))) < 0.6
        loose[rng.choice(len(loose), 2, replace=False)] = False
        held = np.flatnonzero(~loose)
        values = np.zeros(len(loose))
        values[held] = np.sort(rng.normal(size=len(held)))
        found = at_rest(MonotoneNeighbors(1.0, 2.0, chain_of(len(loose))), values, loose)
        straight = np.interp(np.arange(len(loose)), held, values[held])
        most = monotone_penalty(straight.tolist(), 1.0, 2.0)
        assert monotone_penalty(found.tolist(), 1.0, 2.0) <= most + 1e-9


@pytest.mark.parametrize("chain", [[0.0, 9, 2, 3], [0.0, 1, 9, -9, 4, 7], [3.0, 2, 5, 5, 0]])
def test_loose_bins_of_mnr_go_between_those_that_rise_or_fall(chain: list[float]) -> None:
    """Where bins that aren't loose are monotone; others that already are so stay."""
    values, loose = np.array(chain), np.zeros(len(chain), np.bool_)
    loose[1:-1] = True
    loose[-2] = len(chain) > 4
    penalty = MonotoneNeighbors(1.0, 2.0, chain_of(len(chain)))
    found = at_rest(penalty, values, loose)
    falls = np.diff(found) * np.sign(chain[-1] - chain[0])
    assert (falls > 0.0).all()
    again = at_rest(penalty, found, loose)
    np.testing.assert_allclose(again, found, rtol=1e-3, atol=1e-3)


@given(chains, st.floats(0.1, 5))
def test_lnr_equals_its_twin(chain: list[float], beta: float) -> None:
    penalty = LinearNeighbors(beta, chain_of(len(chain)))
    value, gradient = value_and_gradient(penalty, np.array(chain))
    assert linear_penalty(chain, beta) == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(slope(penalty, np.array(chain)), gradient, rtol=1e-6, atol=1e-6)


@given(chains, st.floats(0.1, 5), st.sampled_from([0.5, 1.0, 2.0, 3.5]))
def test_mnr_equals_its_twin(chain: list[float], beta: float, gamma: float) -> None:
    value, _ = value_and_gradient(
        MonotoneNeighbors(beta, gamma, chain_of(len(chain))), np.array(chain)
    )
    assert monotone_penalty(chain, beta, gamma) == pytest.approx(value, rel=1e-12)


@given(chains, st.sampled_from([0.5, 1.0, 2.0, 3.5]))
def test_factors_are_those_of_the_sum(chain: list[float], gamma: float) -> None:
    penalty = MonotoneNeighbors(1.0, gamma, chain_of(len(chain)))
    point = np.array(chain)
    away = (point[:-2] + point[2:]) / 2 - point[1:-1]
    total = float((penalty.factors(point)[1:-1] * away**2).sum())
    assert monotone_penalty(chain, 1.0, gamma) == pytest.approx(total, rel=1e-12)


@given(chains, st.floats(0.1, 5), st.sampled_from([0.5, 1.0, 2.0, 3.5]))
def test_the_gradient_of_mnr_is_whole(chain: list[float], beta: float, gamma: float) -> None:
    """By the weight's own term and by those of its neighbors, span included."""
    point = np.array(chain)
    assume(len(point) < 3 or (np.abs(point[2:] - point[:-2]) > 0.02).all())  # too bent for a step
    penalty = MonotoneNeighbors(beta, gamma, chain_of(len(chain)))
    _, gradient = value_and_gradient(penalty, point)
    np.testing.assert_allclose(slope(penalty, point), gradient, rtol=2e-4, atol=2e-4 * beta)


def test_the_gradient_adds_up_to_nothing() -> None:
    """A shift of all bins changes neither regularizer; a gradient of own terms alone would."""
    point = np.array([0.3, -0.5, 1.0, 0.9, -2.0])
    for penalty in (
        LinearNeighbors(2.0, chain_of(5)),
        MonotoneNeighbors(2.0, 2.0, chain_of(5)),
    ):
        _, gradient = value_and_gradient(penalty, point)
        assert np.abs(gradient).max() > 0.1
        assert gradient.sum() == pytest.approx(0.0, abs=1e-12)


def test_mnr_is_a_bathtub() -> None:
    penalty = MonotoneNeighbors(1.0, 2.0, chain_of(3))

    def at(middle: float) -> float:
        return value_and_gradient(penalty, np.array([1.0, middle, 3.0]))[0]

    assert at(2.0) == 0.0
    assert at(2.3) < 0.001  # between its neighbors: next to nothing, while LNR has 0.09
    assert at(7.0) == pytest.approx(25.0, rel=0.01)  # outside: that of LNR


def test_mnr_of_equal_neighbors_is_lnr() -> None:
    point = np.array([1.0, 4.0, 1.0])
    value, gradient = value_and_gradient(MonotoneNeighbors(1.0, 2.0, chain_of(3)), point)
    assert (value, gradient.tolist()) == (9.0, [-3.0, 6.0, -3.0])
    value, gradient = value_and_gradient(MonotoneNeighbors(1.0, 2.0, chain_of(3)), np.zeros(3))
    assert (value, gradient.tolist()) == (0.0, [0.0, 0.0, 0.0])


def test_l2_towards_a_centre() -> None:
    penalty = SquaredDistance(2.0, np.array([1.0, -1.0]))
    value, gradient = value_and_gradient(penalty, np.array([3.0, -1.0]))
    assert (value, gradient.tolist()) == (8.0, [8.0, 0.0])


def test_neighbors_among_some_features() -> None:
    names = ["dense", *(bin_feature_name("p", k, 4) for k in range(4))]
    space = FeatureSpace(names)
    neighbors = neighbors_among(space, np.array([3, 0, 2, 4], np.int32))
    assert neighbors.tolist() == [[2, 3], [-1, -1], [-1, 0], [0, -1]]


def quadratic(point: Floats) -> tuple[float, Floats]:
    away = point - np.array([3.0, -0.25, 0.1])
    return float(away @ away), 2.0 * away


def test_l1_takes_its_share_and_leaves_exact_zeros() -> None:
    """The minimum of (x - a)^2 + l1 |x| is a moved towards 0 by l1 / 2."""
    point, value = minimize_lbfgs(
        quadratic, [], np.array([-1.0, 0.0, 2.0]), l1=1.0, iterations=50, tolerance=1e-14
    )
    np.testing.assert_allclose(point, [2.5, 0.0, 0.0], atol=1e-6)
    assert point[1] == point[2] == 0.0
    assert value == pytest.approx(0.25 + 0.0625 + 0.01 + 2.5)


def test_penalties_are_part_of_the_objective() -> None:
    penalty = SquaredDistance(1.0, np.zeros(3))
    point, _ = minimize_lbfgs(quadratic, [penalty], np.zeros(3), iterations=50, tolerance=1e-14)
    np.testing.assert_allclose(point, [1.5, -0.125, 0.05], atol=1e-6)


def test_an_objective_that_is_not_finite() -> None:
    with pytest.raises(DataError, match=r"objective is not finite.*Scale the features"):
        minimize_lbfgs(lambda point: (np.inf, point), [], np.ones(2), iterations=5, tolerance=0.0)
