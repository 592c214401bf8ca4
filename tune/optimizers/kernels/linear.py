"""Rows times weights, and coefficients times rows, where a row holds a value of each column."""

import numpy as np

from isogloss.align.kernels.lazy import njit


@njit(nogil=True, cache=True)
def dense_scores(matrix, weights, result):
    """Write the sum of weight times value of each row.

    matrix: float32[n, c]; weights: float64[c]; result: float64[n]
    """
    for row in range(len(matrix)):
        total = 0.0
        for column in range(matrix.shape[1]):
            total += weights[column] * np.float64(matrix[row, column])
        result[row] = total


@njit(nogil=True, cache=True)
def add_dense_rows(matrix, coefficients, result):
    """Add each row times its coefficient.

    matrix: float32[n, c]; coefficients: float64[n]; result: float64[c]
    """
    for row in range(len(matrix)):
        factor = coefficients[row]
        if factor != 0.0:
            for column in range(matrix.shape[1]):
                result[column] += factor * np.float64(matrix[row, column])


@njit(nogil=True, cache=True)
def add_sparse_rows(columns, values, offsets, coefficients, result):
    """Add each row times its coefficient.

    columns: int32, values: float32, offsets: int64[n + 1], places in the two; coefficients:
    float64[n]; result: float64[c]
    """
    for row in range(len(coefficients)):
        factor = coefficients[row]
        if factor != 0.0:
            for entry in range(offsets[row], offsets[row + 1]):
                result[columns[entry]] += factor * np.float64(values[entry])


@njit(nogil=True, cache=True)
def fill_dense_rows(columns, values, offsets, result):
    """Write sparse rows into a matrix of zeros.

    columns: int32, values: float32, offsets: int64[n + 1]; result: float32[n, c]
    """
    for row in range(len(result)):
        for entry in range(offsets[row], offsets[row + 1]):
            result[row, columns[entry]] = values[entry]


@njit(nogil=True, cache=True)
def column_squares(columns, values, num_columns):
    """Sum of squares of each column and number of its entries: float64, int64[num_columns].

    columns: int32[total]; values: float32[total]
    """
    sums, counts = np.zeros(num_columns), np.zeros(num_columns, np.int64)
    for entry in range(len(columns)):
        value = np.float64(values[entry])
        sums[columns[entry]] += value * value
        counts[columns[entry]] += 1
    return sums, counts
