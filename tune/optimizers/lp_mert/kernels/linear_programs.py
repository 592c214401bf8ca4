"""Weights that make chosen hypotheses the best of their lists, or the proof that there are none."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import njit

EXTREME, INTERIOR, UNDECIDED = 1, 0, -1

DEPENDENT = 1e-20
"""Squared length up to which what is left of a unit vector counts as nothing."""


class Combination(NamedTuple):
    """Hypotheses that are to win, and the lists that they are in.

    columns: float64[D, H], features of all hypotheses; offsets: int64[S + 1], those of each list
    sentences: int64[k], lists that take part; chosen: int64[S], hypothesis of each of these
    """

    columns: NDArray[np.float64]
    offsets: NDArray[np.int64]
    sentences: NDArray[np.int64]
    chosen: NDArray[np.int64]


class _ActiveSet(NamedTuple):
    """Differences that win by just what they should, with the factors of their matrix."""

    # normals: float64[D + 1, D], differences at unit length, in ``basis`` and ``triangle``
    #   float64[D, D] their factors; multipliers: float64[D + 1]
    # rows: int64[D + 1, 2], winner and rival of each difference

    normals: NDArray[np.float64]
    basis: NDArray[np.float64]
    triangle: NDArray[np.float64]
    multipliers: NDArray[np.float64]
    rows: NDArray[np.int64]


@njit(nogil=True, cache=True)
def runner_up(columns, begin, end, winner, weights, scores):
    """By how much the hypothesis ``winner`` beats the next best of its list, and which that is.

    columns: float64[D, H], features of the hypotheses; begin, end: those of the list, at least 2
    weights: float64[D]; scores: float64[>= end - begin], room
    """
    size = end - begin
    for row in range(size):
        scores[row] = 0.0
    for feature in range(len(weights)):
        weight = weights[feature]
        column = columns[feature, begin:end]
        for row in range(size):
            scores[row] += weight * column[row]
    winning = scores[winner - begin]
    scores[winner - begin] = -np.inf
    best, rival = -np.inf, 0
    for row in range(size):
        if scores[row] > best:
            best, rival = scores[row], row
    return winning - best, begin + rival


@njit(nogil=True, cache=True)
def margins(columns, offsets, weights, chosen):
    """Least margin over all lists of their best hypotheses, which are written to ``chosen``.

    columns: float64[D, H]; offsets: int64[S + 1]; weights: float64[D]; chosen: int64[S]
    """
    scores = np.zeros(columns.shape[1])
    for feature in range(len(weights)):
        weight = weights[feature]
        column = columns[feature]
        for row in range(len(scores)):
            scores[row] += weight * column[row]
    least = np.inf
    for sentence in range(len(offsets) - 1):
        best = second = -np.inf
        at = offsets[sentence]
        for row in range(offsets[sentence], offsets[sentence + 1]):
            if scores[row] > best:
                second, best, at = best, scores[row], row
            elif scores[row] > second:
                second = scores[row]
        chosen[sentence] = at
        least = min(least, best - second)
    return least


@njit(nogil=True, cache=True)
def _first_lost(combination, weights, turn, threshold, scores):
    """The first list, in turn, whose chosen hypothesis does not win by more than ``threshold``."""
    # Returns the margin (infinity where all win), the winner that should be, its rival, and the
    # turn.
    columns, offsets, sentences, chosen = combination
    number = len(sentences)
    for step in range(number):
        k = (turn + step) % number
        sentence = sentences[k]
        begin, end = offsets[sentence], offsets[sentence + 1]
        if end - begin > 1:
            winner = chosen[sentence]
            margin, rival = runner_up(columns, begin, end, winner, weights, scores)
            if margin <= threshold:
                return margin, winner, rival, k
    return np.inf, 0, 0, turn


@njit(nogil=True, cache=True)
def _orthogonalize(basis, size, vector, parts):
    """Take from ``vector`` what the first rows of ``basis`` span; returns its squared length."""
    # basis: float64[D, D], orthonormal rows; parts: float64[D], what was taken (written). Twice, so
    #   that what is left is orthogonal to the last bit.
    parts[:size] = 0.0
    for _ in range(2):
        for row in range(size):
            part = 0.0
            for d in range(len(vector)):
                part += basis[row, d] * vector[d]
            for d in range(len(vector)):
                vector[d] -= part * basis[row, d]
            parts[row] += part
    square = 0.0
    for d in range(len(vector)):
        square += vector[d] * vector[d]
    return square


@njit(nogil=True, cache=True)
def _remove(drop, size, active, vector, parts):
    """Take a row out of the active set and factorize again from there on; returns the new size."""
    # active: _ActiveSet, changed; vector, parts: float64[D], room
    normals, basis, triangle, multipliers, rows = active
    size -= 1
    for row in range(drop, size):
        multipliers[row] = multipliers[row + 1]
        rows[row] = rows[row + 1]
        normals[row] = normals[row + 1]
        vector[:] = normals[row]
        length = np.sqrt(_orthogonalize(basis, row, vector, parts))
        triangle[:row, row] = parts[:row]
        triangle[row, row] = length
        basis[row] = vector / length
    return size


@njit(nogil=True, cache=True)
def _blocking(size, triangle, multipliers, parts, change):
    """Change of the multipliers by a step, how far it goes, and which of them is 0 then."""
    # change: float64[D], by which they fall (written)
    for row in range(size - 1, -1, -1):
        value = parts[row]
        for later in range(row + 1, size):
            value -= triangle[row, later] * change[later]
        change[row] = value / triangle[row, row]
    longest, drop = np.inf, -1
    for row in range(size):
        if change[row] > 1e-12 and multipliers[row] < longest * change[row]:
            longest, drop = multipliers[row] / change[row], row
    return longest, drop


@njit(nogil=True, cache=True)
def certificate_residual(columns, rows, multipliers, size):
    """How far a convex combination of differences is from 0, sum of absolute values.

    No weights of absolute value up to 1 make all of the differences score higher than this.
    rows: int64[., 2], winner and rival of each difference; multipliers: float64[.], >= 0, of the
    differences at unit length
    """
    total = residual = 0.0
    scaled = np.empty(size)
    for row in range(size):
        square = 0.0
        for feature in range(len(columns)):
            square += (columns[feature, rows[row, 0]] - columns[feature, rows[row, 1]]) ** 2
        scaled[row] = multipliers[row] / np.sqrt(square)
        total += scaled[row]
    for feature in range(len(columns)):
        value = 0.0
        for row in range(size):
            value += scaled[row] * (columns[feature, rows[row, 0]] - columns[feature, rows[row, 1]])
        residual += abs(value)
    return residual / total


@njit(nogil=True, cache=True)
def _satisfy(weights, missing, size, active):
    """Make the difference behind the active ones win by what it misses, at the least change."""
    # Active differences that would push the other way are dropped. Returns how many are active
    # then, this one included; 0 where no weights do it: then the multipliers of the ``size`` that
    # are still active and of this one, put behind them, are a certificate, whose length is returned
    # second.
    # weights: float64[D], changed; active: _ActiveSet, changed
    normals, basis, triangle, multipliers, rows = active
    dimensions = len(weights)
    change, parts = np.zeros(dimensions), np.zeros(dimensions)
    normal, row = normals[size].copy(), rows[size].copy()
    vector = np.empty(dimensions)
    pull = 0.0
    while True:
        vector[:] = normal
        square = _orthogonalize(basis, size, vector, parts)
        longest, drop = _blocking(size, triangle, multipliers, parts, change)
        free = size < dimensions and square > DEPENDENT
        full = missing / square if free else np.inf
        step = min(longest, full)
        if step == np.inf:
            multipliers[:size] = np.maximum(0.0, -change[:size])
            multipliers[size], rows[size] = 1.0, row
            return 0, size + 1
        if free:
            for d in range(dimensions):
                weights[d] += step * vector[d]
            missing -= step * square
        for number in range(size):
            multipliers[number] -= step * change[number]
        pull += step
        if full <= longest:
            break
        size = _remove(drop, size, active, vector, parts)
    normals[size], rows[size], multipliers[size] = normal, row, pull
    triangle[:size, size] = parts[:size]
    triangle[size, size] = np.sqrt(square)
    basis[size] = vector / np.sqrt(square)
    return size + 1, 0


@njit(nogil=True, cache=True)
def nearest_weights(combination, weights, margin, tolerance, reach, steps):
    """Weights near the given ones under which every chosen hypothesis is the best of its list.

    The dual active-set method of Goldfarb and Idnani (1983) for the least change of the weights
    such that differences of unit length score ``margin`` or more; the differences that take part
    are those that lose, found as it goes. Extreme is told by weights that win, interior by a
    convex combination of differences that is 0 (Farkas), which is computed again from the data.

    combination: Combination; weights: float64[D], changed in place
    margin: 1, or another number above 0; 0 to find the nearest weights that do not lose
    tolerance: by how much to win (with margin 0: to lose at most) where no |weight| is over 1
    reach: give up as interior where the weights become shorter than this (margin 0)
    steps: how often to look for differences that lose
    """
    columns, offsets, sentences, _ = combination
    dimensions = len(weights)
    basis, triangle = np.zeros((2, dimensions, dimensions))
    normals, multipliers = np.zeros((dimensions + 1, dimensions)), np.zeros(dimensions + 1)
    rows = np.zeros((dimensions + 1, 2), np.int64)
    active = _ActiveSet(normals, basis, triangle, multipliers, rows)
    longest = 0
    for sentence in sentences:
        longest = max(longest, offsets[sentence + 1] - offsets[sentence])
    scores = np.empty(longest)
    size, turn = 0, len(sentences) - 1  # the last list is new, most often
    for _ in range(steps):
        threshold = np.abs(weights).max() * (tolerance if margin > 0.0 else -tolerance)
        lead, winner, rival, turn = _first_lost(combination, weights, turn, threshold, scores)
        if lead == np.inf:
            return EXTREME
        turn = (turn + 1) % len(sentences)
        square = 0.0
        for d in range(dimensions):
            normals[size, d] = columns[d, winner] - columns[d, rival]
            square += normals[size, d] ** 2
        length = np.sqrt(square)
        missing = margin - lead / length
        if missing <= 0.0:  # wins as it should, and yet by less than the tolerance
            return UNDECIDED
        normals[size] /= length
        rows[size, 0], rows[size, 1] = winner, rival
        size, certificate = _satisfy(weights, missing, size, active)
        if certificate > 0:
            residual = certificate_residual(columns, rows, multipliers, certificate)
            return INTERIOR if margin > 0.0 and residual <= tolerance else UNDECIDED
        if reach > 0.0 and np.sqrt((weights * weights).sum()) < reach:
            return INTERIOR
    return UNDECIDED
