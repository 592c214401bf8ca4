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
        factor, by_ratio = _factor(deviation, span, sharpness)
        value += strength * factor * deviation * deviation
        by_deviation = strength * deviation * (2.0 * factor + by_ratio)
        by_span = -strength * deviation * deviation * by_ratio / span if by_ratio > 0.0 else 0.0
        gradient[feature] -= by_deviation
        gradient[before] += 0.5 * (by_deviation + by_span)
        gradient[behind] += 0.5 * (by_deviation - by_span)
    return value


@njit(nogil=True, cache=True)
def monotone_factors(weights, neighbours, sharpness):
    """What multiplies each squared deviation in equation 12: float64[n], 0 without both neighbours.

    weights: float64[n]; neighbours: int64[n, 2], previous and next, -1 = none
    """
    factors = np.zeros(len(weights))
    for feature in range(len(weights)):
        before, behind = neighbours[feature, 0], neighbours[feature, 1]
        if before >= 0 and behind >= 0:
            deviation = 0.5 * (weights[before] + weights[behind]) - weights[feature]
            if deviation != 0.0:
                span = 0.5 * (weights[before] - weights[behind])
                factors[feature] = _factor(deviation, span, sharpness)[0]
    return factors


@njit(nogil=True, cache=True)
def _factor(deviation, span, sharpness):
    """Equation 13 of a deviation other than 0, and its derivative by the ratio times the ratio.

    The ratio is that of the deviation to the half span.
    """
    if abs(deviation) >= STEEP * abs(span):
        return 1.0, 0.0
    ratio = abs(deviation / span)
    bend = np.tanh(ratio)
    factor = bend ** (2.0 * sharpness)
    if factor == 0.0:
        return 0.0, 0.0
    return factor, 2.0 * sharpness * factor / bend * (1.0 - bend * bend) * ratio


@njit(nogil=True, cache=True)
def loose_neighbours(weights, neighbours, loose, factors, hold):
    """Changes of loose weights by which the sum of factor times squared deviation is least.

    Each chain of neighbours by itself, by its normal equations, of five diagonals; in a chain
    that is all loose nothing changes. ``hold`` times the squared changes is added, so that
    of many such changes the least ones are found.

    weights: float64[n]; neighbours: int64[n, 2], previous and next, -1 = none; loose: bool[n];
    factors: float64[n], of each weight's own deviation. Returns the changes, float64[n].
    """
    changes = np.zeros(len(weights))
    chain = np.empty(len(weights), np.int64)
    for head in range(len(weights)):
        if neighbours[head, 0] >= 0:
            continue
        length, feature, is_held = 0, head, False
        while feature >= 0:
            chain[length] = feature
            length += 1
            is_held |= not loose[feature]
            feature = neighbours[feature, 1]
        if is_held:
            found = _loose_in_chain(chain[:length], weights, loose, factors, hold)
            changes[chain[:length]] = found
    return changes


@njit(nogil=True, cache=True)
def _loose_in_chain(chain, weights, loose, factors, hold):
    """The changes of a chain's weights, float64[n]. chain: int64[n], in its order"""
    length = len(chain)
    bands, wanted = np.zeros((length, 3)), np.zeros(length)  # of a place and the two behind it
    for place in range(1, length - 1):
        before, here, behind = weights[chain[place - 1]], weights[chain[place]], chain[place + 1]
        deviation = 0.5 * (before + weights[behind]) - here
        factor = factors[chain[place]]
        for first in range(3):
            if not loose[chain[place - 1 + first]]:
                continue
            share = -1.0 if first == 1 else 0.5
            wanted[place - 1 + first] -= factor * share * deviation
            for second in range(first, 3):
                if loose[chain[place - 1 + second]]:
                    other = -1.0 if second == 1 else 0.5
                    bands[place - 1 + first, second - first] += factor * share * other
    for place in range(length):
        bands[place, 0] += hold if loose[chain[place]] else 1.0
    return _five_diagonals(bands, wanted)


@njit(nogil=True, cache=True)
def _five_diagonals(bands, wanted):
    """What a symmetric positive matrix of five diagonals times is ``wanted``, by its factors LDL'.

    bands: float64[n, 3], each row's diagonal and the two entries behind it, overwritten by the
    factors; wanted: float64[n], overwritten by the result, which is returned
    """
    length = len(wanted)
    for place in range(length):
        if place >= 1:
            bands[place, 0] -= bands[place - 1, 1] ** 2 * bands[place - 1, 0]
            bands[place, 1] -= bands[place - 1, 2] * bands[place - 1, 0] * bands[place - 1, 1]
            wanted[place] -= bands[place - 1, 1] * wanted[place - 1]
        if place >= 2:
            bands[place, 0] -= bands[place - 2, 2] ** 2 * bands[place - 2, 0]
            wanted[place] -= bands[place - 2, 2] * wanted[place - 2]
        bands[place, 1] /= bands[place, 0]
        bands[place, 2] /= bands[place, 0]
    for place in range(length - 1, -1, -1):
        wanted[place] /= bands[place, 0]
        if place + 1 < length:
            wanted[place] -= bands[place, 1] * wanted[place + 1]
        if place + 2 < length:
            wanted[place] -= bands[place, 2] * wanted[place + 2]
    return wanted
