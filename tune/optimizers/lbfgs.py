"""Minima of smooth functions by L-BFGS, with L1 beside them.

Sums are taken in a fixed order, so that no number of threads of a library changes a digit.
"""

from collections import deque
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.align.execution import dot, norm

from ..weights.regularizers import Penalty

__all__ = ["Inverse", "Objective", "minimize_lbfgs"]

Objective = Callable[[NDArray[np.float64]], tuple[float, NDArray[np.float64]]]
"""Value and gradient float64[n] at a point float64[n]."""

Inverse = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A slope float64[n] divided by second derivatives, or by about these: float64[n]."""

_REMEMBERED = 20  # steps that the Hessian is built from
_FLAT = 1e-5  # no slope is steeper where the search ends
_TRIES = 30  # points of a line search
_LOWER, _LEVEL = 1e-4, 0.9  # shares of the slope that a step lowers the value by, and may leave


class _Place(NamedTuple):
    """A point float64[n], the value there with L1, and the gradient float64[n] without."""

    point: NDArray[np.float64]
    value: float
    gradient: NDArray[np.float64]


class _Step(NamedTuple):
    """A step taken, float64[n], how the gradient changed over it, float64[n], and their product."""

    taken: NDArray[np.float64]
    change: NDArray[np.float64]
    product: float


def minimize_lbfgs(
    objective: Objective,
    penalties: Sequence[Penalty],
    start: NDArray[np.float64],
    *,
    l1: float | NDArray[np.float64] = 0.0,
    inverse: Inverse | None = None,
    iterations: int,
    tolerance: float,
) -> tuple[NDArray[np.float64], float]:
    """A minimum of objective + penalties + ||l1 x||_1: the point, float64[n], and the value there.

    start: float64[n], where the search begins; l1: of all, or float64[n], of each
    inverse: what stands for the Hessian's inverse before a step is taken, None for 1; where weights
    are tied to each other, few steps say too little of it

    L-BFGS (Nocedal & Wright 2006, algorithm 7.4), with steps that fulfil the weak Wolfe conditions;
    with ``l1`` orthant-wise (Andrew & Gao 2007): a step ends where a weight would change its sign,
    so that weights of 0 are exactly 0. Ends after ``iterations``, where all is flat, or when an
    iteration lowers the value by less than the share ``tolerance``.

    Raises DataError where a value or gradient isn't finite.
    """
    l1 = np.broadcast_to(np.asarray(l1, np.float64), start.shape)

    def place(point: NDArray[np.float64]) -> _Place:
        value, gradient = objective(point)
        for penalty in penalties:
            value += penalty(point, gradient)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            raise DataError(
                "the objective is not finite",
                "features and weights whose products are finite",
                remedy="Scale the features, or remove the largest ones",
            )
        return _Place(point, value + float(np.sum(l1 * np.abs(point))), gradient)

    here = place(start)
    steps: deque[_Step] = deque(maxlen=_REMEMBERED)
    for _ in range(iterations):
        slope = _slope(here, l1)
        if np.abs(slope).max(initial=0.0) <= _FLAT:
            break
        direction = _direction(slope, steps, (l1 > 0.0) & (here.point == 0.0), inverse)
        cautious = not steps and inverse is None
        there = _search_along(place, here, slope, direction, l1, cautious)
        if there is None and (steps or inverse is not None):  # what is known misleads
            steps.clear()
            there = _search_along(place, here, slope, -slope, l1, True)
        if there is None:
            break
        taken, change = there.point - here.point, there.gradient - here.gradient
        if (product := dot(taken, change)) > 1e-16 * dot(change, change):
            steps.append(_Step(taken, change, product))
        gain, size = here.value - there.value, max(abs(here.value), abs(there.value), 1.0)
        here = there
        if gain <= tolerance * size:
            break
    return here.point, here.value


def _slope(place: _Place, l1: NDArray[np.float64]) -> NDArray[np.float64]:
    """The gradient with L1; at a weight of 0 that of the side that falls, if one does."""
    if not l1.any():
        return place.gradient
    beyond = np.sign(place.gradient) * np.maximum(np.abs(place.gradient) - l1, 0.0)
    signs = np.sign(place.point)
    return np.where(signs == 0.0, beyond, place.gradient + l1 * signs)


def _direction(
    slope: NDArray[np.float64],
    steps: Sequence[_Step],
    held: NDArray[np.bool_],
    inverse: Inverse | None,
) -> NDArray[np.float64]:
    """Minus the inverse Hessian, built from the last steps, times the slope: float64[n]."""
    # held: bool[n], weights that L1 holds at 0 unless the slope itself leads away
    result, shares = -slope, []
    for step in reversed(steps):
        shares.append(dot(step.taken, result) / step.product)
        result = result - shares[-1] * step.change
    if inverse is not None:
        result = inverse(result)
    if steps:
        change = steps[-1].change
        divided = change if inverse is None else inverse(change)
        result = result * (steps[-1].product / dot(change, divided))
    for step, share in zip(steps, reversed(shares), strict=True):
        result = result + (share - dot(step.change, result) / step.product) * step.taken
    result[held & (result * slope >= 0.0)] = 0.0
    return result if dot(result, slope) < 0.0 else -slope


def _search_along(
    place: Callable[[NDArray[np.float64]], _Place],
    here: _Place,
    slope: NDArray[np.float64],
    direction: NDArray[np.float64],
    l1: NDArray[np.float64],
    cautious: bool,
) -> _Place | None:
    """A place that is low enough, by bisection (Lewis & Overton 2013); None where none is found."""
    # cautious: begin with a step of length 1, since the direction says nothing of how far to go
    signs = np.where(here.point == 0.0, -np.sign(slope), np.sign(here.point))
    low, high, best = 0.0, np.inf, None
    size = min(1.0, 1.0 / norm(direction)) if cautious else 1.0
    for _ in range(_TRIES):
        point = here.point + size * direction
        point[(l1 > 0.0) & (point * signs < 0.0)] = 0.0
        there = place(point)
        if there.value > here.value + _LOWER * dot(slope, point - here.point):
            high = size
        elif not l1.any() and dot(there.gradient, direction) < _LEVEL * dot(slope, direction):
            low, best = size, there
        else:
            return there
        size = 2.0 * low if high == np.inf else 0.5 * (low + high)
    return best
