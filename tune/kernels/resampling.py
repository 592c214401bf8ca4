"""Sums of statistics over resampled sentences, and over pairs of which some are exchanged."""

import numpy as np

from isogloss.align.kernels.lazy import njit


@njit(nogil=True, cache=True)
def resampled_sums(statistics, drawn, sums):
    """Add up the rows that each trial has drawn.

    statistics: float64[n, K]; drawn: int32[trials, n], rows from 0 to n - 1;
    sums: float64[trials, K], written
    """
    columns = statistics.shape[1]
    for trial in range(len(drawn)):
        for column in range(columns):
            sums[trial, column] = 0.0
        for draw in range(drawn.shape[1]):
            row = np.uint32(drawn[trial, draw])
            for column in range(columns):
                sums[trial, column] += statistics[row, column]


@njit(nogil=True, cache=True)
def exchanged_sums(differences, coins, sums):
    """Add up the rows whose coin shows 1.

    differences: float64[n, K]; coins: uint8[trials, (n + 7) // 8], bit r % 8 of byte r // 8 is that
    of row r; sums: float64[trials, K], written
    """
    columns = differences.shape[1]
    for trial in range(len(coins)):
        for column in range(columns):
            sums[trial, column] = 0.0
        for row in range(len(differences)):
            if (coins[trial, row >> 3] >> np.uint8(row & 7)) & 1:
                for column in range(columns):
                    sums[trial, column] += differences[row, column]
