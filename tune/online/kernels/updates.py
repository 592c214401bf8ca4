"""Online updates with lazy shrinkage: only the features of a mini-batch are touched.

Time is the sum of the rates of the steps made. Between its gradients a weight flows towards 0,
dw/dt = -m (l2 w + l1 sign(w)), where m is the feature's own rate. Flows add up: one over the time
since a feature was last touched equals one per step, so that lazy weights are the eager ones. With
l1 alone the flow of one step is FOBOS' soft threshold (Green et al. 2013, eq. 15).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing

SGD, ADAGRAD, AROW = 0, 1, 2


class LearnerState(NamedTuple):
    """What a step changes.

    weights: float64[num_features]
    squares: float64[num_features], G, sums of squared gradients
    settled: float64[num_features], time of the last visit
    sums: float64[num_features], of weight times time; float64[0] where no average is asked for
    """

    weights: NDArray[np.float64]
    squares: NDArray[np.float64]
    settled: NDArray[np.float64]
    sums: NDArray[np.float64]


class UpdateRule(NamedTuple):
    """How steps are made.

    kind: SGD, ADAGRAD or AROW; precision: added to G (Sigma_0^-1 of AROW)
    rates, l1: float64[num_features], factors of the rate, and lambdas; l2: of all features
    """

    kind: int
    precision: float
    rates: NDArray[np.float64]
    l1: NDArray[np.float64]
    l2: float


@borrowing
def flow(weight, time, l1, l2):
    """Weight after ``time`` (times the feature's own rate), and its mean over that time."""
    if weight == 0.0 or time <= 0.0 or (l1 == 0.0 and l2 == 0.0):
        return weight, weight
    size = abs(weight)
    if l2 == 0.0:
        moving = min(time, size / l1)
        left = size - l1 * time
        area = moving * (size - 0.5 * l1 * moving)
    else:
        floor = l1 / l2
        moving = time
        if floor > 0.0:
            moving = min(time, np.log1p(size / floor) / l2)
        left = size * np.exp(-l2 * time) + floor * np.expm1(-l2 * time)
        area = -(size + floor) * np.expm1(-l2 * moving) / l2 - floor * moving
    return np.copysign(max(0.0, left), weight), np.copysign(area / time, weight)


@borrowing
def own_rate(kind, squares):
    """A feature's own rate m, given G > 0: 1, G^-1/2 (AdaGrad, eq. 4) or G^-1 (AROW, eq. 11)."""
    if kind == ADAGRAD:
        return 1.0 / np.sqrt(squares)
    if kind == AROW:
        return 1.0 / squares
    return 1.0


@borrowing
def _settle_feature(feature, state, rule, time):
    """Bring one feature to ``time``, see :func:`settle`."""
    idle = time - state.settled[feature]
    if idle > 0.0:
        state.settled[feature] = time
        speed = 0.0
        if state.squares[feature] > 0.0:
            speed = rule.rates[feature] * own_rate(
                rule.kind, rule.precision + state.squares[feature]
            )
        weight, mean = flow(state.weights[feature], speed * idle, rule.l1[feature], rule.l2)
        state.weights[feature] = weight
        if len(state.sums):
            state.sums[feature] += idle * mean


@borrowing
def settle(ids, state, rule, time):
    """Bring the features ``ids`` to ``time``; a feature without gradient so far has no rate.

    ids: int32[n]; state: LearnerState, changed; rule: UpdateRule
    """
    for feature in ids:
        _settle_feature(feature, state, rule, time)


@borrowing
def step(ids, slopes, state, rule, time, rate):
    """A step of ``rate`` that begins at ``time``: eqs. 2 to 5 or 11, then 13 to 15.

    slopes: float64[len(ids)], gradient of the features ``ids``; others as in :func:`settle`
    Features whose gradient is 0 are left alone.
    """
    for k in range(len(ids)):
        slope, feature = slopes[k], ids[k]
        if slope != 0.0:
            _settle_feature(feature, state, rule, time)
            state.squares[feature] += slope * slope
            if state.squares[feature] > 0.0:
                speed = (
                    rate
                    * rule.rates[feature]
                    * own_rate(rule.kind, rule.precision + state.squares[feature])
                )
                state.weights[feature] -= speed * slope
                _settle_feature(feature, state, rule, time + rate)
