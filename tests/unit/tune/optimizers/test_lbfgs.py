"""L-BFGS against SciPy's, which is another program: quadratics, logistic losses, L1."""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize

from isogloss.align.errors import DataError
from isogloss.tune.optimizers.lbfgs import Objective, minimize_lbfgs

Vector = NDArray[np.float64]


def quadratic(rng: np.random.Generator, size: int) -> Objective:
    """Scales from 1 to 1,000."""
    scale, center = np.geomspace(1.0, 1e3, size), rng.normal(size=size)
    return lambda x: (0.5 * float(scale @ (x - center) ** 2), scale * (x - center))


def logistic(rng: np.random.Generator, size: int) -> Objective:
    rows = rng.normal(size=(200, size)) * rng.uniform(0.2, 3.0, size)

    def value(x: Vector) -> tuple[float, Vector]:
        margins = rows @ x
        return float(np.logaddexp(0.0, -margins).sum()), -rows.T @ (1.0 / (1.0 + np.exp(margins)))

    def with_l2(x: Vector) -> tuple[float, Vector]:
        loss, gradient = value(x)
        return loss + 0.5 * float(x @ x), gradient + x

    return with_l2


def by_scipy(objective: Objective, size: int, l1: float) -> float:
    def split(pair: Vector) -> tuple[float, Vector]:
        value, gradient = objective(pair[:size] - pair[size:])
        return value + l1 * pair.sum(), np.concatenate([gradient + l1, l1 - gradient])

    limits = {"maxiter": 5000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-9}
    return float(minimize(split, np.zeros(2 * size), jac=True, method="L-BFGS-B",
                          bounds=[(0.0, None)] * (2 * size), options=limits).fun)  # fmt: skip


@pytest.mark.parametrize("l1", [0.0, 3.0, 1e6])
@pytest.mark.parametrize("make", [quadratic, logistic])
@pytest.mark.parametrize("size", [1, 7, 40])
def test_minima(
    make: Callable[[np.random.Generator, int], Objective], size: int, l1: float
) -> None:
    objective = make(np.random.default_rng(size), size)
    start = np.random.default_rng(9).normal(size=size)
    point, value = minimize_lbfgs(objective, [], start, l1=l1, iterations=2000, tolerance=1e-13)
    assert np.isclose(by_scipy(objective, size, l1), value, rtol=1e-6, atol=1e-7)
    assert np.isclose(objective(point)[0] + l1 * np.abs(point).sum(), value, rtol=1e-12)
    if l1 == 1e6:
        assert not point.any()  # exactly


def test_l1_leaves_exact_zeros() -> None:
    center = np.array([5.0, -5.0, 0.5, -0.5])
    point, _ = minimize_lbfgs(
        lambda x: (0.5 * float((x - center) @ (x - center)), x - center),
        [], np.array([0.0, 1.0, 1.0, 0.0]), l1=1.0, iterations=50, tolerance=0.0,
    )  # fmt: skip
    np.testing.assert_allclose(point, [4.0, -4.0, 0.0, 0.0], atol=1e-4)
    assert (point[2], point[3]) == (0.0, 0.0)


def test_it_ends_after_so_many_iterations() -> None:
    objective = quadratic(np.random.default_rng(1), 30)
    values = [
        minimize_lbfgs(objective, [], np.zeros(30), iterations=number, tolerance=0.0)[1]
        for number in range(6)
    ]
    assert objective(np.zeros(30))[0] == values[0]
    assert all(later < before for before, later in pairwise(values))


def test_a_valley_that_bends() -> None:
    """Rosenbrock's function, whose Hessian changes its signs."""

    def rosenbrock(x: Vector) -> tuple[float, Vector]:
        side = x[1] - x[0] ** 2
        gradient = np.array([-400.0 * x[0] * side - 2.0 * (1.0 - x[0]), 200.0 * side])
        return 100.0 * side**2 + (1.0 - x[0]) ** 2, gradient

    point, value = minimize_lbfgs(
        rosenbrock, [], np.array([-1.2, 1.0]), iterations=200, tolerance=0.0
    )
    np.testing.assert_allclose(point, [1.0, 1.0], atol=1e-4)
    assert value < 1e-9


def test_values_that_are_not_finite() -> None:
    with pytest.raises(DataError, match="the objective is not finite; expected features and"):
        minimize_lbfgs(lambda x: (np.nan, x), [], np.ones(2), iterations=1, tolerance=0.0)
