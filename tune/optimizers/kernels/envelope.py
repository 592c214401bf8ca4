"""Upper envelopes of lines, one line per hypothesis: what a model's choice is along a direction."""

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.sorting import rising_order


@njit(nogil=True, cache=True)
def fill_columns(ids, values, offsets, column_of, columns):
    """Add the values of some features to dense columns.

    ids: int32[total], values: float32[total], offsets: int64[H + 1]
    column_of: int64[num_features], the column of each feature, -1 for none
    columns: float64[D, H]
    """
    for row in range(len(offsets) - 1):
        for entry in range(offsets[row], offsets[row + 1]):
            column = column_of[ids[entry]]
            if column >= 0:
                columns[column, row] += values[entry]


@njit(nogil=True, cache=True)
def add_columns(columns, weights, scores):
    """Add weight times column to scores, column by column.

    columns: float64[D, H]; weights: float64[D]; scores: float64[H]
    """
    for column in range(len(weights)):
        weight = weights[column]
        if weight != 0.0:
            for row in range(len(scores)):
                scores[row] += weight * columns[column, row]


@njit(nogil=True, cache=True)
def sort_slopes(slopes, offsets, order):
    """Order the lines of each sentence by slope, equal ones as they stand.

    slopes: float64[H]; offsets: int64[S + 1]; order: uint32[H], counted within the sentence
    """
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        lines = rising_order(slopes[begin:end])
        for k in range(end - begin):
            order[begin + k] = lines[k]


@njit(nogil=True, cache=True)
def _records(order, scores, front):
    """Lines that are at least as high, at step 0, as all before them; returns how many."""
    # Those in between are below one with a further slope, and stay so.
    size = 0
    best = -np.inf
    for line in order:
        if scores[line] >= best:
            best = scores[line]
            front[size] = line
            size += 1
    return size


@njit(nogil=True, cache=True)
def _hull(front, size, scores, slopes, distances):
    """Keep the lines on the envelope on one side of step 0; returns how many."""
    # front: lines from the outermost slope to the highest score, changed in place
    # distances: float64, where line k takes over from line k - 1, counted from step 0; infinite for
    #   the first one, and no other: lines that meet so far off are as good as parallel
    kept = 1
    distances[0] = np.inf
    for number in range(1, size):
        line = front[number]
        last = front[kept - 1]
        if scores[line] == scores[last]:
            if slopes[line] == slopes[last]:  # the same line: the first in the list wins
                front[kept - 1] = min(line, last)
            continue
        if slopes[line] == slopes[last]:
            kept -= 1
        while kept > 0:
            last = front[kept - 1]
            distance = (scores[line] - scores[last]) / abs(slopes[line] - slopes[last])
            if distance < distances[kept - 1]:
                distances[kept] = distance
                break
            kept -= 1
        front[kept] = line
        kept += 1
    return kept


@njit(nogil=True, cache=True)
def envelopes(scores, slopes, order, offsets, steps, before, after, first):
    """Where the best hypotheses change along a line, for all sentences; returns how often.

    Hypothesis h scores ``scores[h] + step * slopes[h]``. The lines of a sentence are gone through
    by slope from both ends; those that reach a new height at step 0 are few, and the envelope is
    made of them. O(n) for a sentence of n hypotheses, given the order.

    scores, slopes: float64[H]; order: uint32[H], of :func:`sort_slopes`; offsets: int64[S + 1]
    steps: float64[H], increasing within a sentence (written)
    before, after: int64[H], the best hypothesis on either side of each step (written)
    first: int64[S], the best hypotheses at step minus infinity (written)
    """
    longest = 1
    for sentence in range(len(first)):
        longest = max(longest, offsets[sentence + 1] - offsets[sentence])
    front = np.empty(longest, np.uint32)
    distances = np.empty(longest)
    count = 0
    for sentence in range(len(first)):
        begin, end = offsets[sentence], offsets[sentence + 1]
        lines, line_scores, line_slopes = order[begin:end], scores[begin:end], slopes[begin:end]
        size = _records(lines, line_scores, front)
        size = _hull(front, size, line_scores, line_slopes, distances)
        best = begin + front[0]
        first[sentence] = best
        for k in range(1, size):
            steps[count], before[count] = -distances[k], best
            best = begin + front[k]
            after[count] = best
            count += 1
        size = _records(lines[::-1], line_scores, front)
        size = _hull(front, size, line_scores, line_slopes, distances)
        step = 0.0
        for k in range(size - 1, -1, -1):
            if begin + front[k] != best:  # mostly the highest at step 0 is so on either side
                steps[count], before[count] = step, best
                best = begin + front[k]
                after[count] = best
                count += 1
            step = distances[k]
    return count


@njit(nogil=True, cache=True)
def statistics_changes(statistics, before, after, steps, changes):
    """Take in the changes of hypothesis that change statistics; returns how many they are.

    statistics: float64[H, K]; before, after: int64[n]
    steps: float64[n], those of other changes are taken out
    changes: float64[n, K], by how much (written)
    """
    count = 0
    for change in range(len(steps)):
        changed = False
        for column in range(statistics.shape[1]):
            amount = statistics[after[change], column] - statistics[before[change], column]
            changes[count, column] = amount
            changed |= amount != 0.0
        if changed:
            steps[count] = steps[change]
            count += 1
    return count


@njit(nogil=True, cache=True)
def running_sums(order, steps, changes, sums, boundaries, totals):
    """Sum the changes in the order of their steps; equal steps are one; returns how many differ.

    order: int64[n], of increasing steps; steps: float64[n]; changes: float64[n, K]
    sums: float64[K], where to begin (changed)
    boundaries: float64[n], the different steps (written)
    totals: float64[K, n + 1], statistics before, between and behind them (written)
    """
    count = 0
    for column in range(len(sums)):
        totals[column, 0] = sums[column]
    for change in order:
        if count == 0 or steps[change] != boundaries[count - 1]:
            boundaries[count] = steps[change]
            count += 1
        for column in range(len(sums)):
            sums[column] += changes[change, column]
            totals[column, count] = sums[column]
    return count
