"""Sums over the rows of ragged arrays."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def row_scores(ids, values, offsets, weights, result):
    """Write the sum of weight times value of each row, in the order of its entries.

    ids: int32[total], values: float32[total], offsets: int64[n + 1]; weights: float64[num_ids];
    result: float64[n]
    """
    for row in range(len(result)):
        total = 0.0
        for place in range(offsets[row], offsets[row + 1]):
            total += weights[ids[place]] * np.float64(values[place])
        result[row] = total
