"""Regularizers of neighboring bins with their whole gradient (Clark, Dyer & Lavie 2014)."""

import numpy as np

from isogloss.align.kernels.lazy import njit

STEEP = 20.0  # 1 - tanh(20) is 0 in float64


@njit(nogil=True, cache=True)
def linear_neighbors(weights, neighbors, strength, gradient):
    """Equations 9, 10: strength times the sum of ((w_{j-1} + w_{j+1}) / 2 - w_j)^2.

    Over the j that have both neighbors. The gradient is that of the sum: a weight stands in its
    own term and in those of its neighbors.

    weights: float64[n]; neighbors: int64[n, 2], previous and next, -1 = none; gradient:
    float64[n], added to. Returns the value.
    """
    value = 0.0
    for feature in range(len(weights)):
        before, behind = neighbors[feature, 0], neighbors[feature, 1]
        if before >= 0 and behind >= 0:
            deviation = 0.5 * (weights[before] + weights[behind]) - weights[feature]
            value += strength * deviation * deviation
            slope = 2.0 * strength * deviation
            gradient[feature] -= slope
            gradient[before] += 0.5 * slope
            gradient[behind] += 0.5 * slope
    return value


@njit(nogil=True, cache=True)
def monotone_neighbors(weights, neighbors, strength, sharpness, gradient):
    """Equations 12, 13: the same terms, each times tanh(deviation / half span)^(2 sharpness).

    The half span is (w_{j-1} - w_{j+1}) / 2; where it is 0 the factor is 1. The factor, too, has
    derivatives by all three weights.

    weights: float64[n]; neighbors: int64[n, 2], previous and next, -1 = none; gradient:
    float64[n], added to. Returns the value.
    """
    value = 0.0
    for feature in range(len(weights)):
        before, behind = neighbors[feature, 0], neighbors[feature, 1]
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
def monotone_factors(weights, neighbors, sharpness):
    """What multiplies each squared deviation in equation 12: float64[n], 0 without both neighbors.

    weights: float64[n]; neighbors: int64[n, 2], previous and next, -1 = none
    """
    factors = np.zeros(len(weights))
    for feature in range(len(weights)):
        before, behind = neighbors[feature, 0], neighbors[feature, 1]
        if before >= 0 and behind >= 0:
            deviation = 0.5 * (weights[before] + weights[behind]) - weights[feature]
            if deviation != 0.0:
                span = 0.5 * (weights[before] - weights[behind])
                factors[feature] = _factor(deviation, span, sharpness)[0]
    return factors


@njit(nogil=True, cache=True)
def _factor(deviation, span, sharpness):
    """Equation 13 of a deviation other than 0, and its derivative by the ratio times the ratio."""
    # The ratio is that of the deviation to the half span.
    if abs(deviation) >= STEEP * abs(span):
        return 1.0, 0.0
    ratio = abs(deviation / span)
    bend = np.tanh(ratio)
    factor = bend ** (2.0 * sharpness)
    if factor == 0.0:
        return 0.0, 0.0
    return factor, 2.0 * sharpness * factor / bend * (1.0 - bend * bend) * ratio


@njit(nogil=True, cache=True)
def neighbor_chains(neighbors):
    """Features in an order in which each bin follows the one before it: int64[n].

    neighbors: int64[n, 2], previous and next, -1 = none
    """
    order, place = np.empty(len(neighbors), np.int64), 0
    for head in range(len(neighbors)):
        if neighbors[head, 0] >= 0:
            continue
        feature = head
        while feature >= 0:
            order[place] = feature
            place += 1
            feature = neighbors[feature, 1]
    return order


@njit(nogil=True, cache=True)
def loose_neighbors(weights, neighbors, loose, factors, hold):
    """Changes of loose weights by which the sum of factor times squared deviation is least.

    Each chain of neighbors by itself; in a chain that is all loose nothing changes. Where that sum
    alone may leave a choice, as fewer than two weights are held or a factor is below 1, the squares
    of ``hold`` times the changes are added, so that the smallest changes are found.

    weights: float64[n]; neighbors: int64[n, 2], previous and next, -1 = none; loose: bool[n];
    factors: float64[n], of each weight's own deviation. Returns the changes, float64[n].
    """
    changes, order, begin = np.zeros(len(weights)), neighbor_chains(neighbors), 0
    for end in range(1, len(order) + 1):
        if end < len(order) and neighbors[order[end], 0] >= 0:
            continue
        chain = order[begin:end]
        begin = end
        num_held = len(chain) - np.count_nonzero(loose[chain])
        if num_held == 0 or num_held == len(chain):
            continue
        firm = num_held >= 2 and (len(chain) < 3 or factors[chain[1:-1]].min() == 1.0)
        _change_chain(chain, weights, loose, factors, 0.0 if firm else hold, changes)
    return changes


@njit(nogil=True, cache=True)
def _change_chain(chain, weights, loose, factors, hold, changes):
    """Write the changes of a chain's weights: least squares, by Givens's rotations."""
    # An equation for each deviation, of at most three loose weights, and one for each hold; they
    # become a triangle of three diagonals. Normal equations would square their condition, which
    # grows with the square of the chain's length.
    # chain: int64[n], in its order; changes: float64[num_weights], of the loose ones
    length = len(chain)
    triangle, row = np.zeros((length, 4)), np.empty(4)
    column = np.zeros(length + 1, np.int64)  # how many loose weights come before each place
    for place in range(length):
        column[place + 1] = column[place] + loose[chain[place]]
    num_loose = column[length]
    for place in range(1, length + 1):
        if place < length - 1:
            scale = np.sqrt(factors[chain[place]])
            before, behind = weights[chain[place - 1]], weights[chain[place + 1]]
            row[:] = 0.0
            row[3] = scale * (weights[chain[place]] - 0.5 * (before + behind))
            for step in range(3):
                if loose[chain[place - 1 + step]]:
                    shift = column[place - 1 + step] - column[place - 1]
                    row[shift] = scale * (-1.0 if step == 1 else 0.5)
            _rotate_in(triangle, row, column[place - 1], num_loose)
        if loose[chain[place - 1]]:  # all equations that begin with it are there
            row[:] = 0.0
            row[0] = hold
            _rotate_in(triangle, row, column[place - 1], num_loose)
    found = np.zeros(num_loose + 2)
    for place in range(length - 1, -1, -1):
        here = column[place]
        if loose[chain[place]] and triangle[here, 0] != 0.0:
            rest = triangle[here, 1] * found[here + 1] + triangle[here, 2] * found[here + 2]
            found[here] = (triangle[here, 3] - rest) / triangle[here, 0]
            changes[chain[place]] = found[here]


@njit(nogil=True, cache=True)
def _rotate_in(triangle, row, column, num_columns):
    """Add an equation to a triangle of equations by Givens's rotations."""
    # triangle: float64[n, 4], each row's entries on and right of the diagonal and its right side;
    # row: float64[4], the equation's entries from ``column`` on and its right side, overwritten
    while column < num_columns:
        if row[0] != 0.0:
            if triangle[column, 0] == 0.0:
                triangle[column] = row
                return
            length = np.hypot(triangle[column, 0], row[0])
            cosine, sine = triangle[column, 0] / length, row[0] / length
            for k in range(4):
                upper = triangle[column, k]
                triangle[column, k] = cosine * upper + sine * row[k]
                row[k] = cosine * row[k] - sine * upper
        row[0], row[1], row[2] = row[1], row[2], 0.0
        if row[0] == 0.0 and row[1] == 0.0:
            return
        column += 1


@njit(nogil=True, cache=True)
def linear_neighbor_factors(order, neighbors, strength, diagonal):
    """Second derivatives of equation 9 plus a diagonal, as L D L': float64[n, 3] in the order.

    Of each feature D, and what L has one and two places below: of five diagonals no others fill.

    order: int64[n], of ``neighbor_chains``; neighbors: int64[n, 2]; diagonal: float64[n], above 0
    """
    factors = np.zeros((len(order), 3))
    for place in range(len(order)):
        factors[place, 0] += diagonal[order[place]]
        if neighbors[order[place], 0] >= 0 and neighbors[order[place], 1] >= 0:
            factors[place - 1, 0] += 0.5 * strength
            factors[place, 0] += 2.0 * strength
            factors[place + 1, 0] += 0.5 * strength
            factors[place - 1, 1] -= strength
            factors[place, 1] -= strength
            factors[place - 1, 2] += 0.5 * strength
    for place in range(len(order)):
        if place >= 2:
            factors[place, 0] -= factors[place - 2, 0] * factors[place - 2, 2] ** 2
        if place >= 1:
            shared = factors[place - 1, 0] * factors[place - 1, 1]
            factors[place, 0] -= shared * factors[place - 1, 1]
            factors[place, 1] -= shared * factors[place - 1, 2]
        factors[place, 1] /= factors[place, 0]
        factors[place, 2] /= factors[place, 0]
    return factors


@njit(nogil=True, cache=True)
def solve_factors(order, factors, values):
    """x of L D L' x = values: float64[n].

    order: int64[n]; factors: float64[n, 3], of ``linear_neighbor_factors``; values: float64[n]
    """
    num = len(order)
    found = values[order]
    for place in range(num):
        if place >= 1:
            found[place] -= factors[place - 1, 1] * found[place - 1]
        if place >= 2:
            found[place] -= factors[place - 2, 2] * found[place - 2]
    result = np.empty(num)
    for place in range(num - 1, -1, -1):
        found[place] /= factors[place, 0]
        if place + 1 < num:
            found[place] -= factors[place, 1] * found[place + 1]
        if place + 2 < num:
            found[place] -= factors[place, 2] * found[place + 2]
        result[order[place]] = found[place]
    return result
