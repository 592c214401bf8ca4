"""Lexicalized reordering during search: where a phrase stands with regard to the one before it."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import row_key, row_slot
from isogloss.align.kernels.lazy import borrowing, njit

from .blocks import TOP, TOP_END, stack_with, start_blocks
from .coverage import is_covered

__all__ = [
    "NUM_CLASSES",
    "Columns",
    "Place",
    "Reordering",
    "columns_of_move",
    "kept_begin",
    "orientation",
    "orientation_scores",
    "reordering_features",
]

NUM_CLASSES = 4  # monotone, swap, discontinuous to the left, to the right


class Reordering(NamedTuple):
    """Weighted scores of orientations.

    A column is an orientation; where there are models of phrases and of blocks, 4 times that of
    phrases plus that of blocks; where there is no model, there is one column of zeros.

    previous: float64[num_options, columns], of an option with regard to what is before it.
    next: float64[num_groups, columns], of what follows an option with regard to it, by group; group
        0 has none: the start of the sentence, and words that are copied.
    group: int32[num_options], options of a group have the same scores for what follows.
    phrases, blocks: whether there are models of the orientation of phrases, and hierarchical ones.
    """

    previous: NDArray[np.float64]
    next: NDArray[np.float64]
    group: NDArray[np.int32]
    phrases: bool
    blocks: bool


class Columns(NamedTuple):
    """Reordering models side by side.

    logs: float32[num_rules, num_columns], natural logs of probabilities.
    sides: int64[num_columns], 0 = with regard to what is before a phrase, 1 = what comes next.
    classes: bool[num_columns, 4], the orientations that a column speaks of.
    of_blocks: bool[num_columns], whether its model is hierarchical.
    """

    logs: NDArray[np.float32]
    sides: NDArray[np.int64]
    classes: NDArray[np.bool_]
    of_blocks: NDArray[np.bool_]


class Place(NamedTuple):
    """Where a hypothesis stands when the next phrase is placed.

    begin: of its last phrase, if the word before that is still to come, so that a swap may follow;
        else 0
    end: of its last phrase
    gap_begin, gap_end: of the words still to come before ``begin`` and from ``end`` on
    top_begin, top_end: its block on top
    """

    begin: np.integer[Any]
    end: np.integer[Any]
    gap_begin: np.integer[Any]
    gap_end: np.integer[Any]
    top_begin: np.integer[Any]
    top_end: np.integer[Any]


@borrowing
def orientation(before_begin, before_end, begin, end):
    """Class of the source span [begin, end) after [before_begin, before_end).

    Nothing is [0, 0): a sentence begins monotone with its first word, else it jumps to the right.
    """
    if begin == before_end:
        return 0
    if end == before_begin:
        return 1
    return 2 if begin < before_end else 3


@borrowing
def _next_block(place, begin, end):
    """Class of the block that a phrase which covers [begin, end) will be part of."""
    # All that lies open between the last phrase and this one may join it later on. Moses looks at
    # one word only, the one beside the last phrase.
    if place.end <= begin < place.gap_end:
        return 0
    if place.gap_begin <= begin and end <= place.begin:
        return 1
    return 2 if begin < place.end else 3


@borrowing
def columns_of_move(reordering, place, begin, end):
    """Columns of what a phrase that covers [begin, end) is with regard to the place: two numbers.

    The first is for its own scores, the second for those of the phrase before.
    """
    previous = following = 0
    if reordering.phrases:
        previous = following = orientation(place.begin, place.end, begin, end)
    if reordering.blocks:
        previous *= NUM_CLASSES
        previous += orientation(place.top_begin, place.top_end, begin, end)
        following = NUM_CLASSES * following + _next_block(place, begin, end)
    return previous, following


@borrowing
def kept_begin(reordering, first, window, begin):
    """The ``begin`` of a Place. first, window: see coverage.py, with the phrase"""
    if begin <= first or not (reordering.phrases or reordering.blocks):
        return 0
    return 0 if is_covered(window, begin - 1 - first) else begin


@njit(nogil=True, cache=True)
def orientation_scores(rules, columns, weights, of_states):
    """The Reordering of options.

    rules: int64[num_options], -1 = a copied word; columns: Columns; weights: float64[num_columns]
    of_states: float64[2, num_options, 4], scores of state features by side and orientation of the
        phrases; [2, 0, 4] = there are none
    """
    logs, sides, classes, of_blocks = columns
    num, blocks, states = len(rules), of_blocks.any(), of_states.shape[1] > 0
    phrases = states or not of_blocks.all()
    outer = NUM_CLASSES if phrases and blocks else 1
    scores = np.zeros((2, num, outer * NUM_CLASSES))
    for option in range(num):
        if states:
            for side in range(2):
                for k in range(outer * NUM_CLASSES):
                    scores[side, option, k] = of_states[side, option, k // outer]
        if rules[option] >= 0:
            for column in range(len(sides)):
                value = weights[column] * logs[rules[option], column]
                for k in range(outer * NUM_CLASSES):
                    kind = k // NUM_CLASSES if outer > 1 and not of_blocks[column] else k
                    if classes[column, kind % NUM_CLASSES]:
                        scores[sides[column], option, k] += value
    after, group, num_groups = _grouped(scores[1])
    return Reordering(scores[0].copy(), after[:num_groups], group, phrases, blocks)


@njit(nogil=True, cache=True)
def _grouped(scores):
    """Different rows of float64[num, columns], zeros first; the row of each; how many differ."""
    num = len(scores)
    rows, group = np.zeros((num + 1, scores.shape[1])), np.empty(num, np.int32)
    bits = rows.view(np.int64)
    capacity = 4
    while capacity < 2 * (num + 1):
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    slots[row_slot(slots, bits, 0, row_key(bits, 0))] = 0
    used = 1
    for number in range(num):
        for k in range(rows.shape[1]):
            rows[used, k] = scores[number, k] + 0.0  # -0.0 becomes 0.0
        slot = row_slot(slots, bits, used, row_key(bits, used))
        if slots[slot] < 0:
            slots[slot] = used
            used += 1
        group[number] = slots[slot]
    return rows, group, used


@njit(nogil=True, cache=True)
def reordering_features(options, offsets, begin, end, rules, columns):
    """What each column of the tables is worth in derivations, without weights.

    options: int32, offsets: int64[n + 1], options of each derivation; begin, end: int32, their
    source spans; rules: int64[num_options], -1 = a copied word; columns: Columns
    Derivations may stop before the end of the sentence, which is where the last options end.
    Returns float64[n, num_columns].
    """
    logs, sides, classes, of_blocks = columns
    num_source_words = end.max() if len(end) > 0 else 0
    values = np.zeros((len(offsets) - 1, len(sides)))
    kinds = np.empty((2, 2), np.int64)  # by side, and whether of blocks
    for row in range(len(offsets) - 1):
        chosen = options[offsets[row] : offsets[row + 1]]
        blocks, stack = start_blocks(len(chosen) + 1), np.int32(0)
        covered = np.zeros(num_source_words, np.bool_)
        before, last_begin, last_end = np.int64(-1), np.int32(0), np.int32(0)
        for option in chosen:
            start, stop = begin[option], end[option]
            gap_begin, gap_end = _gaps(covered, last_begin, last_end)
            top_begin, top_end = blocks.rows[stack, TOP], blocks.rows[stack, TOP_END]
            place = Place(last_begin, last_end, gap_begin, gap_end, top_begin, top_end)
            kinds[:, 0] = orientation(last_begin, last_end, start, stop)
            kinds[0, 1] = orientation(top_begin, top_end, start, stop)
            kinds[1, 1] = _next_block(place, start, stop)
            for column in range(len(sides)):
                rule = rules[option] if sides[column] == 0 else before
                if rule >= 0 and classes[column, kinds[sides[column], np.int64(of_blocks[column])]]:
                    values[row, column] += logs[rule, column]
            stack = stack_with(blocks, stack, start, stop)
            covered[start:stop] = True
            before, last_begin, last_end = rules[option], start, stop
    return values


@borrowing
def _gaps(covered, begin, end):
    """Where the uncovered words before ``begin`` begin, and where those from ``end`` on end."""
    while begin > 0 and not covered[begin - 1]:
        begin -= 1
    while end < len(covered) and not covered[end]:
        end += 1
    return begin, end
