"""Regularisers of neighbouring bins with their whole gradient (Clark, Dyer & Lavie 2014)."""

import numpy as np

from align.kernels.lazy import njit

STEEP = 20.0  # 1 - tanh(20) is 0 in float64


@njit(nogil=True, cache=True)
def linear_neighbours(weights, neighbours, strength, gradient):
    """Equations 9, 10: strength times the sum of ((w_{j-1} + w_{j+1}) / 2 - w_j)^2.

    Over the j that have both neighbours. The gradient is that of the sum: a weight stands in its
    own term and in those of its neighbours.

    weights: float64[n]; neighbours: int64[n, 2], previous and next, -1 = none; gradient:
    float64[n], added to. Returns the value.
    """
    value = 0.0
    for feature in range(len(weights)):
        before, behind = neighbours[feature, 0], neighbours[feature, 1]
        if before >= 0 and behind >= 0:
            deviation = 0.5 * (weights[before] + weights[behind]) - weights[feature]
            value += strength * deviation * deviation
            slope = 2.0 * strength * deviation
            gradient[feature] -= slope
            gradient[before] += 0.5 * slope
            gradient[behind] += 0.5 * slope
    return value


@njit(nogil=True, cache=True)
def monotone_neighbours(weights, neighbours, strength, sharpness, gradient):
    """Equations 12, 13: the same terms, each times tanh(deviation / half span)^(2 sharpness).

    The half span is (w_{j-1} - w_{j+1}) / 2; where it is 0 the factor is 1. The factor, too, has
    derivatives by all three weights.

    weights: float64[n]; neighbours: int64[n, 2], previous and next, -1 = none; gradient:
    float64[n], added to. Returns the value.
    """
    value = 0.0
    for feature in range(len(weights)):
        before, behind = neighbours[feature, 0], neighbours[feature, 1]
        if before < 0 or behind < 0:
            continue
        deviation = 0.5 * (weights[before] + weights[behind]) - weights[feature]
        if deviation == 0.0:
            continue
        span = 0.5 * (weights[before] - weights[behind])
        factor, by_ratio = 1.0, 0.0  # by_ratio: derivative of the factor times the ratio
        if abs(deviation) < STEEP * abs(span):
            ratio = abs(deviation / span)
            bend = np.tanh(ratio)
            factor = bend ** (2.0 * sharpness)
            if factor > 0.0:
                by_ratio = 2.0 * sharpness * factor / bend * (1.0 - bend * bend) * ratio
        value += strength * factor * deviation * deviation
        by_deviation = strength * deviation * (2.0 * factor + by_ratio)
        by_span = -strength * deviation * deviation * by_ratio / span if by_ratio > 0.0 else 0.0
        gradient[feature] -= by_deviation
        gradient[before] += 0.5 * (by_deviation + by_span)
        gradient[behind] += 0.5 * (by_deviation - by_span)
    return value
