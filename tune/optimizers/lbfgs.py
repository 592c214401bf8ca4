"""Minima of smooth functions by L-BFGS, with L1 beside them."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError

from .regularizers import Penalty

__all__ = ["Objective", "minimize_lbfgs"]

Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]
"""Value and gradient float64[n] at a point float64[n]."""

_REMEMBERED = 20  # steps that the Hessian is built from


def minimize_lbfgs(
    objective: Objective,
    penalties: Sequence[Penalty],
    start: NDArray[np.float64],
    *,
    l1: float = 0.0,
    iterations: int,
    tolerance: float,
) -> tuple[NDArray[np.float64], float]:
    """A minimum of objective + penalties + l1 ||x||_1: the point, float64[n], and the value there.

    start: float64[n], where the search begins

    Ends after ``iterations``, or when an iteration lowers the value by less than the share
    ``tolerance``. With ``l1``, x = p - q with p, q >= 0, where the sum of p and q stands for the
    absolute value (L-BFGS-B; Byrd et al. 1995): weights of 0 are exactly 0.

    Raises DataError where a value or gradient isn't finite.
    """
    from scipy.optimize import minimize  # a third of a second that other commands needn't wait

    def value_of(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = objective(point)
        for penalty in penalties:
            value += penalty(point, gradient)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            raise DataError(
                "an objective that isn't finite",
                "features and weights whose products are finite",
                remedy="Scale the features, or leave the largest ones out",
            )
        return value, gradient

    def split_value_of(pair: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        value, gradient = value_of(pair[: len(start)] - pair[len(start) :])
        return value + l1 * float(pair.sum()), np.concatenate([gradient + l1, l1 - gradient])

    limits: Any = {"maxiter": iterations, "ftol": tolerance, "maxcor": _REMEMBERED}
    if l1 == 0.0:
        minimum = minimize(value_of, start, jac=True, method="L-BFGS-B", options=limits)
        return np.asarray(minimum.x), float(minimum.fun)
    pair = np.concatenate([np.maximum(start, 0.0), np.maximum(-start, 0.0)])
    minimum = minimize(
        split_value_of,
        pair,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * len(pair),
        options=limits,
    )
    return np.asarray(minimum.x[: len(start)] - minimum.x[len(start) :]), float(minimum.fun)
