"""Differences of feature rows over the few features of a mini-batch, whatever the space's size."""

import numpy as np

from isogloss.align.kernels.lazy import njit

SPREAD = np.uint64(0x9E3779B97F4A7C15)


@njit(nogil=True, cache=True)
def column_of(feature, slots, shift, ids, count):
    """Column of a feature, and the number of columns, which a new feature raises.

    slots: int32, a power of two, column by hashed feature, -1 = free; shift: 64 less its exponent
    ids: int32, feature of each column
    """
    mask = np.uint64(len(slots) - 1)
    slot = (np.uint64(feature) * SPREAD) >> shift
    while slots[slot] >= 0:
        if ids[slots[slot]] == feature:
            return slots[slot], count
        slot = (slot + np.uint64(1)) & mask
    slots[slot] = count
    ids[count] = feature
    return np.int32(count), count + 1


@njit(nogil=True, cache=True)
def row_differences(ids, values, offsets, pairs, num_features):
    """Row ``pairs[k, 0]`` minus row ``pairs[k, 1]``, entries that are not 0 only.

    ids: int32, values: float32, offsets: int64[n + 1]: feature rows
    pairs: int64[p, 2]; num_features: size of the space
    Returns the features met int32[c], and rows over them: columns int32, values float64, offsets
    int64[p + 1]. What is equal in both rows cancels exactly, so that it has no gradient at all.
    """
    total = 0
    for pair in range(len(pairs)):
        for row in pairs[pair]:
            total += offsets[row + 1] - offsets[row]
    bits = 1
    while 1 << bits < 2 * min(total, num_features):
        bits += 1
    slots = np.full(1 << bits, -1, np.int32)
    shift = np.uint64(64 - bits)
    active = np.empty(min(total, num_features), np.int32)
    count = 0
    columns, differences = np.empty(total, np.int32), np.empty(total)
    bounds = np.zeros(len(pairs) + 1, np.int64)
    sums = np.zeros(len(active))
    filled = 0
    for pair in range(len(pairs)):
        begin = filled
        for side in range(2):
            row = pairs[pair, side]
            for entry in range(offsets[row], offsets[row + 1]):
                column, count = column_of(ids[entry], slots, shift, active, count)
                value = np.float64(values[entry])
                sums[column] += -value if side else value
                columns[filled] = column
                filled += 1
        # a column that comes twice counts where it comes first
        end, filled = filled, begin
        for entry in range(begin, end):
            column = columns[entry]
            if sums[column] != 0.0:
                columns[filled], differences[filled] = column, sums[column]
                sums[column] = 0.0
                filled += 1
        bounds[pair + 1] = filled
    return active[:count].copy(), columns[:filled].copy(), differences[:filled].copy(), bounds


@njit(nogil=True, cache=True)
def sentence_counts(columns, offsets, bounds, num_columns):
    """Number of sentences of which a row has each column: int64[num_columns].

    columns int32, offsets int64[n + 1]: rows; bounds: int64[num_sentences + 1], rows of each
    """
    result = np.zeros(num_columns, np.int64)
    last = np.full(num_columns, -1, np.int64)
    for sentence in range(len(bounds) - 1):
        for place in range(offsets[bounds[sentence]], offsets[bounds[sentence + 1]]):
            if last[columns[place]] != sentence:
                last[columns[place]] = sentence
                result[columns[place]] += 1
    return result
