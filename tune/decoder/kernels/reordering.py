"""Lexicalised reordering during search: where a phrase stands with regard to the one before it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import borrowing, njit

from .coverage import is_covered

__all__ = [
    "NUM_CLASSES",
    "Reordering",
    "kept_begin",
    "orientation",
    "orientation_scores",
    "reordering_features",
]

NUM_CLASSES = 4  # monotone, swap, discontinuous to the left, to the right
_ONE = np.uint64(1)
_SHIFT = np.uint64(29)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Reordering(NamedTuple):
    """Weighted scores of orientations; one column of zeros where there is no such model.

    previous: float64[num_options, classes], of an option with regard to the phrase before it.
    next: float64[num_groups, classes], of the phrase after an option with regard to it, by group;
        group 0 has none: the start of the sentence, and words that are copied.
    group: int32[num_options], options of a group have the same scores for what follows.
    swaps: whether some model tells a swap from a jump to the left.
    """

    previous: NDArray[np.float64]
    next: NDArray[np.float64]
    group: NDArray[np.int32]
    swaps: bool


@borrowing
def orientation(num_classes, before_begin, before_end, begin, end):
    """Class of the source span [begin, end) after [before_begin, before_end); see `Reordering`.

    Nothing is [0, 0): a sentence begins monotone with its first word, else it jumps to the right.
    """
    if num_classes == 1 or begin == before_end:
        return 0
    if end == before_begin:
        return 1
    return 2 if begin < before_end else 3


@borrowing
def kept_begin(reordering, first, window, begin):
    """Where the last phrase begins, 0 where it doesn't matter: what is before it is covered.

    first, window: see coverage.py, with the phrase
    """
    if not reordering.swaps or begin <= first:
        return 0
    return 0 if is_covered(window, begin - 1 - first) else begin


@njit(nogil=True, cache=True)
def orientation_scores(rules, logs, weights, sides, classes):
    """The Reordering of options.

    rules: int64[num_options], -1 = a copied word; logs: float32[num_rules, num_columns], natural
    logs of probabilities; weights: float64[num_columns]; sides: int64[num_columns], 0 = with regard
    to the previous phrase, 1 = the next one; classes: bool[num_columns, 4], those that a column
    speaks of
    """
    num = len(rules)
    scores = np.zeros((2, num, NUM_CLASSES))
    for option in range(num):
        if rules[option] >= 0:
            for column in range(len(sides)):
                value = weights[column] * logs[rules[option], column]
                for k in range(NUM_CLASSES):
                    if classes[column, k]:
                        scores[sides[column], option, k] += value
    after, group, num_groups = _grouped(scores[1])
    swaps = False
    for column in range(len(sides)):
        swaps |= classes[column, 1] != classes[column, 2]
    return Reordering(scores[0].copy(), after[:num_groups], group, swaps)


@njit(nogil=True, cache=True)
def _grouped(scores):
    """Different rows of float64[num, 4], zeros first; the row of each, and how many differ."""
    num = len(scores)
    rows, group = np.zeros((num + 1, NUM_CLASSES)), np.empty(num, np.int32)
    capacity = 4
    while capacity < 2 * (num + 1):
        capacity *= 2
    slots, mask = np.full(capacity, -1, np.int32), np.uint64(capacity - 1)
    slots[_row_hash(rows, 0) & mask] = 0
    used = 1
    for number in range(num):
        for k in range(NUM_CLASSES):
            rows[used, k] = scores[number, k] + 0.0  # -0.0 becomes 0.0
        slot = _row_hash(rows, used) & mask
        while slots[slot] >= 0 and not _same_row(rows, slots[slot], used):
            slot = (slot + _ONE) & mask
        if slots[slot] < 0:
            slots[slot] = used
            used += 1
        group[number] = slots[slot]
    return rows, group, used


@njit(nogil=True, cache=True)
def _row_hash(rows, row):
    key = np.uint64(0)
    for bits in rows[row].view(np.uint64):
        key = (key ^ (key >> _SHIFT) ^ bits) * _FACTOR
    return key ^ (key >> _SHIFT)


@borrowing
def _same_row(rows, one, other):
    same = True
    for k in range(NUM_CLASSES):
        same = same and rows[one, k] == rows[other, k]
    return same


@njit(nogil=True, cache=True)
def reordering_features(options, offsets, begin, end, rules, logs, sides, classes):
    """What each column of the tables is worth in derivations, without weights.

    options: int32, offsets: int64[n + 1], options of each derivation; begin, end: int32, their
    source spans; rules, logs, sides, classes: see `orientation_scores`
    Returns float64[n, num_columns].
    """
    values = np.zeros((len(offsets) - 1, len(sides)))
    for row in range(len(offsets) - 1):
        before, before_begin, before_end = np.int64(-1), np.int32(0), np.int32(0)
        for k in range(offsets[row], offsets[row + 1]):
            option = options[k]
            kind = orientation(NUM_CLASSES, before_begin, before_end, begin[option], end[option])
            for column in range(len(sides)):
                rule = rules[option] if sides[column] == 0 else before
                if rule >= 0 and classes[column, kind]:
                    values[row, column] += logs[rule, column]
            before, before_begin, before_end = rules[option], begin[option], end[option]
    return values
