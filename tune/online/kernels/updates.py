"""Online updates with lazy shrinkage: only the features of a mini-batch are touched.

Time is the sum of the rates of the steps made. Between its gradients a weight flows towards 0,
dw/dt = -m (l2 w + l1 sign(w)), where m is the feature's own rate. Flows add up: one over the time
since a feature was last touched equals one per step, so that lazy weights are the eager ones. With
l1 alone the flow of one step is FOBOS' soft threshold (Green et al. 2013, eq. 15).
"""

import numpy as np

from align.kernels.lazy import njit

SGD, ADAGRAD, AROW = 0, 1, 2


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def own_rate(rule, squares):
    """A feature's own rate m, given G > 0: 1, G^-1/2 (AdaGrad, eq. 4) or G^-1 (AROW, eq. 11)."""
    if rule == ADAGRAD:
        return 1.0 / np.sqrt(squares)
    if rule == AROW:
        return 1.0 / squares
    return 1.0


@njit(nogil=True, cache=True)
def settle(ids, weights, squares, settled, sums, time, rule, precision, rates, l1, l2):
    """Bring the features ``ids`` to ``time``; a feature without gradient so far has no rate.

    weights, squares (G), settled (time of the last visit), sums (of weight x time, or empty),
    rates (factors), l1: float64[num_features]; precision: added to G (Sigma_0^-1 of AROW)
    """
    for feature in ids:
        idle = time - settled[feature]
        if idle > 0.0:
            settled[feature] = time
            speed = 0.0
            if squares[feature] > 0.0:
                speed = rates[feature] * own_rate(rule, precision + squares[feature])
            weight, mean = flow(weights[feature], speed * idle, l1[feature], l2)
            weights[feature] = weight
            if len(sums):
                sums[feature] += idle * mean


@njit(nogil=True, cache=True)
def step(
    ids, slopes, weights, squares, settled, sums, time, rate, rule, precision, rates, l1, l2
):  # fmt: skip
    """A step of ``rate`` that begins at ``time``: eqs. 2 to 5 or 11, then 13 to 15.

    slopes: float64[len(ids)], gradient of the features ``ids``; others as in :func:`settle`
    Features whose gradient is 0 are left alone.
    """
    for place in range(len(ids)):
        slope = slopes[place]
        if slope != 0.0:
            feature = ids[place]
            one = ids[place : place + 1]
            settle(one, weights, squares, settled, sums, time, rule, precision, rates, l1, l2)
            squares[feature] += slope * slope
            if squares[feature] > 0.0:
                speed = rate * rates[feature] * own_rate(rule, precision + squares[feature])
                weights[feature] -= speed * slope
                settle(
                    one, weights, squares, settled, sums, time + rate, rule, precision, rates,
                    l1, l2,
                )  # fmt: skip
