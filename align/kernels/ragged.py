"""Rows of ragged arrays: sums over them, some of them, some of their entries."""

import numpy as np

from .lazy import njit


@njit(nogil=True, cache=True)
def row_scores(ids, values, offsets, weights, result):
    """Write the sum of weight times value of each row, in the order of its entries.

    ids: int32[total], values: float32[total], offsets: int64[n + 1]; weights: float64[num_ids];
    result: float64[n]
    """
    for row in range(len(result)):
        total = 0.0
        for entry in range(offsets[row], offsets[row + 1]):
            total += weights[ids[entry]] * np.float64(values[entry])
        result[row] = total


@njit(nogil=True, cache=True)
def longest_row(offsets):
    """Most entries of a row; 0 where there is none. offsets: int64[n + 1], where each row begins"""
    longest = 0
    for row in range(len(offsets) - 1):
        longest = max(longest, offsets[row + 1] - offsets[row])
    return longest


@njit(nogil=True, cache=True)
def copy_spans(data, offsets, rows, result):
    """Write the entries of some rows one after the other.

    data: any type[total]; offsets: int64[n + 1], where each row begins; rows: int64[m]
    result: as ``data``, with room for them, written
    """
    size = 0
    for row in rows:
        for entry in range(offsets[row], offsets[row + 1]):
            result[size] = data[entry]
            size += 1


@njit(nogil=True, cache=True)
def copy_bounds(offsets, bounds, groups, result):
    """Write where the rows of some groups begin when these stand one after the other.

    offsets: int64[n + 1], where each row begins; bounds: int64[g + 1], rows of each group
    groups: int64[m]; result: int64[number of their rows + 1]
    """
    size = 0
    result[0] = 0
    for group in groups:
        for row in range(bounds[group], bounds[group + 1]):
            result[size + 1] = result[size] + offsets[row + 1] - offsets[row]
            size += 1


@njit(nogil=True, cache=True)
def renumber_entries(ids, values, offsets, numbers, new_ids, new_values, new_offsets):
    """Write the entries under other ids, without those whose id has none; returns how many.

    ids: int32[total], values: float32[total], offsets: int64[n + 1]; numbers: int32[num_ids], the
    new id of each, or -1; new_ids, new_values, new_offsets: with room for as many, written
    """
    size = 0
    new_offsets[0] = 0
    for row in range(len(offsets) - 1):
        for entry in range(offsets[row], offsets[row + 1]):
            number = numbers[ids[entry]]
            if number >= 0:
                new_ids[size], new_values[size] = number, values[entry]
                size += 1
        new_offsets[row + 1] = size
    return size
