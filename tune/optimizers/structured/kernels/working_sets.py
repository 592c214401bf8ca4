"""Quadratic programs of working sets by sequential minimal optimization (Chiang 2012, alg. 2-4)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing, njit

from ....kernels.rows import Rows

__all__ = ["MAX_ROUNDS", "Sets", "optimize_sets"]

MAX_ROUNDS = 1000


class Sets(NamedTuple):
    """Working sets of some sentences, n derivations in all.

    offsets: int64[s + 1], derivations of each; the first is the one that weights move to
    rows: their features, float64, ids rising; losses: float64[n], beside the first of the set
    """

    offsets: NDArray[np.int64]
    rows: Rows
    losses: NDArray[np.float64]


@borrowing
def _score(rows, row, weights):
    total = 0.0
    for entry in range(rows.offsets[row], rows.offsets[row + 1]):
        total += weights[rows.ids[entry]] * rows.values[entry]
    return total


@borrowing
def _violations(sets, number, weights, result):
    """v = loss - w (h(first) - h(d)) of each of a set, its margin violated; returns how many."""
    first, last = sets.offsets[number], sets.offsets[number + 1]
    base = _score(sets.rows, first, weights)
    for row in range(first, last):
        result[row - first] = sets.losses[row] + _score(sets.rows, row, weights) - base
    return last - first


@borrowing
def _select_pair(values, alphas, size, epsilon):
    """Two of a set whose dual variables are to change (SELECTPAIR), (-1, -1) for none."""
    # The one that violates its margin most, and of those that have a share the one that violates it
    # least: both conditions in print hold of them, and no other pair is further from the optimum.
    up, down = 0, -1
    for place in range(size):
        if values[place] > values[up]:
            up = place
        if alphas[place] > 0.0 and (down < 0 or values[place] < values[down]):
            down = place
    if values[up] > values[down] + epsilon:
        return up, down
    return -1, -1


@borrowing
def _difference(rows, left, right, ids, values):
    """The features of one row minus those of another; returns how many differ."""
    # ids: int32[m], values: float64[m], written
    one, end_one = rows.offsets[left], rows.offsets[left + 1]
    two, end_two = rows.offsets[right], rows.offsets[right + 1]
    size = 0
    while one < end_one or two < end_two:
        value = 0.0
        if two == end_two or (one < end_one and rows.ids[one] <= rows.ids[two]):
            feature = rows.ids[one]
        else:
            feature = rows.ids[two]
        if one < end_one and rows.ids[one] == feature:
            value += rows.values[one]
            one += 1
        if two < end_two and rows.ids[two] == feature:
            value -= rows.values[two]
            two += 1
        if value != 0.0:
            ids[size], values[size] = feature, value
            size += 1
    return size


@borrowing
def _optimize_pair(alphas, up, down, surplus, change, rates, weights):
    """Move a share from one derivation to another (OPTIMIZEPAIR): exact for these two."""
    # up, down: their places in ``alphas``; surplus: v of one minus v of the other, above 0
    # change: ids and values of the difference of their features
    ids, values = change
    square = 0.0
    for k in range(len(ids)):
        square += rates[ids[k]] * values[k] * values[k]
    most = alphas[down]
    if surplus < most * square:
        most = surplus / square
    alphas[up] += most
    alphas[down] -= most
    for k in range(len(ids)):
        weights[ids[k]] -= rates[ids[k]] * most * values[k]


@njit(nogil=True, cache=True)
def optimize_sets(sets, alphas, rates, weights, epsilon):
    """Move weights to the optimum of all sets together, a pair of each at a time.

    The program: least |w' - w|^2 / (2 rate) + sum of the greatest violation of each set, where w
    are the weights of alphas = 1 for the first of each set. ``weights`` and ``alphas`` belong
    together, here and at the end: w' = w + sum of rate alpha (h(first) - h(d)).

    sets: Sets; alphas: float64[n], changed; rates: float64[num_features], eta or the variances
    weights: float64[num_features], changed; epsilon: of the optimality conditions
    Returns how many pairs were moved.
    """
    offsets = sets.offsets
    largest, longest = 0, 0
    for number in range(len(offsets) - 1):
        largest = max(largest, offsets[number + 1] - offsets[number])
    for row in range(len(sets.losses)):
        longest = max(longest, sets.rows.offsets[row + 1] - sets.rows.offsets[row])
    values = np.empty(largest)
    ids, differences = np.empty(2 * longest, np.int32), np.empty(2 * longest)
    moved = 0
    for _ in range(MAX_ROUNDS):
        before = moved
        for number in range(len(offsets) - 1):
            first = offsets[number]
            size = _violations(sets, number, weights, values)
            up, down = _select_pair(values, alphas[first : first + size], size, epsilon)
            if up >= 0:
                count = _difference(sets.rows, first + up, first + down, ids, differences)
                change = (ids[:count], differences[:count])
                surplus = values[up] - values[down]
                _optimize_pair(alphas, first + up, first + down, surplus, change, rates, weights)
                moved += 1
        if moved == before:
            break
    return moved
