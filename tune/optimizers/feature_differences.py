"""Differences of feature vectors as a linear map of the weights, dense or sparse, on threads."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.files.scratch import Empty
from isogloss.align.kernels.ragged import row_scores

from ..kernels.differences import row_differences
from .kernels.linear import (
    add_dense_rows,
    add_sparse_rows,
    column_squares,
    dense_scores,
    fill_dense_rows,
)

__all__ = ["DENSE_COLUMNS", "FeatureDifferences"]

DENSE_COLUMNS = 64  # with more of them, rows are stored as sparse ones
_BLOCK = 1 << 13  # differences that are taken at a time
_FILLED = 0.25  # share of values that are not 0 from which on a matrix is worth its place


@dataclass(frozen=True)
class FeatureDifferences:
    """Rows of differences between feature vectors, n of them, over the c features that differ.

    ids: int32[c], the feature of each column
    columns: int32[e], values: float32[e], offsets: int64[n + 1], the rows
    matrix: float32[n, c], the same where there are few columns and most are filled; else None
    """

    ids: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]
    matrix: NDArray[np.float32] | None

    @classmethod
    def of_pairs(
        cls,
        rows: Ragged,
        pairs: NDArray[np.int64],
        num_features: int,
        empty: Empty = np.empty,
    ) -> "FeatureDifferences":
        """Row ``pairs[k, 0]`` minus row ``pairs[k, 1]``. pairs: int64[n, 2].

        empty: makes the arrays that grow with n
        """
        ids, columns, values, offsets = _differences(rows, pairs, num_features, empty)
        differs = column_squares(columns, values, len(ids))[0] > 0.0  # not all that was met does
        if not differs.all():
            ids, number = ids[differs], (np.cumsum(differs) - 1).astype(np.int32)
            for begin in range(0, len(columns), _BLOCK):
                part = columns[begin : begin + _BLOCK]
                part[:] = number[part]
        matrix = None
        if len(ids) <= DENSE_COLUMNS and len(columns) >= _FILLED * len(pairs) * len(ids):
            matrix = empty((len(pairs), len(ids)), np.float32)
            matrix[:] = 0.0
            fill_dense_rows(columns, values, offsets, matrix)
        return cls(ids, columns, values, offsets, matrix)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def squares(self) -> NDArray[np.float64]:
        """Sum of squares of each column: float64[c]."""
        return np.asarray(column_squares(self.columns, self.values, len(self.ids))[0])

    def units(self) -> NDArray[np.float64]:
        """Size of what each column holds, where it holds anything: float64[c].

        The root of the mean square of a column's entries, 1 for a count that is there or not. It is
        what a weight of 1 amounts to in a score.
        """
        squares, counts = column_squares(self.columns, self.values, len(self.ids))
        return np.asarray(np.sqrt(squares / np.maximum(counts, 1)))

    def scores(
        self, weights: NDArray[np.float64], begin: int, end: int, result: NDArray[np.float64]
    ) -> None:
        """Write the sums of weight times value of rows ``begin`` to ``end``.

        weights: float64[c]; result: float64[end - begin]
        """
        if self.matrix is not None:
            dense_scores(self.matrix[begin:end], weights, result)
        else:
            row_scores(self.columns, self.values, self.offsets[begin : end + 1], weights, result)

    def weighted_sum(
        self, coefficients: NDArray[np.float64], begin: int, end: int
    ) -> NDArray[np.float64]:
        """Sum of rows ``begin`` to ``end``, each times its coefficient: float64[c].

        coefficients: float64[end - begin]
        """
        result = np.zeros(len(self.ids))
        if self.matrix is not None:
            add_dense_rows(self.matrix[begin:end], coefficients, result)
        else:
            bounds = self.offsets[begin : end + 1]
            add_sparse_rows(self.columns, self.values, bounds, coefficients, result)
        return result


def _differences(
    rows: Ragged, pairs: NDArray[np.int64], num_features: int, empty: Empty
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.int64]]:
    """Features met, in that order, and rows over them, as ``row_differences`` gives them."""
    # It is called for some thousands of pairs at a time, as it needs several times what it returns.
    blocks = [pairs[begin : begin + _BLOCK] for begin in range(0, len(pairs), _BLOCK)]
    most = sum(int((rows.offsets[block + 1] - rows.offsets[block]).sum()) for block in blocks)
    columns, values = empty(most, np.int32), empty(most, np.float32)
    offsets = empty(len(pairs) + 1, np.int64)
    offsets[0] = at = done = count = 0
    number = np.full(num_features, -1, np.int32)  # column of each feature
    ids = [np.zeros(0, np.int32)]
    for block in blocks:
        met, local, differences, local_offsets = row_differences(
            rows.ids, rows.values, rows.offsets, block, num_features
        )
        new = met[number[met] < 0]
        number[new] = np.arange(count, count + len(new))
        count += len(new)
        ids.append(new)
        end = at + len(local)
        columns[at:end], values[at:end] = number[met][local], differences
        offsets[done + 1 : done + 1 + len(block)] = at + local_offsets[1:]
        at, done = end, done + len(block)
    return np.concatenate(ids), columns[:at], values[:at], offsets
