"""Differences of feature vectors as a linear map of the weights, dense or sparse, on threads."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.kernels.ragged import row_scores
from features.ragged import Ragged

from .kernels.differences import row_differences
from .kernels.linear import (
    add_dense_rows,
    add_sparse_rows,
    column_squares,
    dense_scores,
    fill_dense_rows,
)

__all__ = ["DENSE_COLUMNS", "FeatureDifferences"]

DENSE_COLUMNS = 64  # with more of them, rows are stored as sparse ones
_FILLED = 0.25  # share of values that are not 0 from which on a matrix is worth its place


@dataclass(frozen=True)
class FeatureDifferences:
    """Rows of differences between feature vectors, n of them, over the c features that differ.

    ids: int32[c], the feature of each column
    columns int32, values float32, offsets int64[n + 1]: the rows
    matrix: float32[n, c], the same where there are few columns and most are filled; else None
    """

    ids: NDArray[np.int32]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]
    matrix: NDArray[np.float32] | None

    @classmethod
    def of_pairs(
        cls, rows: Ragged, pairs: NDArray[np.int64], num_features: int
    ) -> "FeatureDifferences":
        """Row ``pairs[k, 0]`` minus row ``pairs[k, 1]``. pairs: int64[n, 2]."""
        ids, columns, values, offsets = row_differences(
            rows.ids, rows.values, rows.offsets, pairs, num_features
        )
        single = values.astype(np.float32)
        differs = column_squares(columns, single, len(ids)) > 0.0  # not all that was met does
        ids, columns = ids[differs], (np.cumsum(differs) - 1).astype(np.int32)[columns]
        matrix = None
        if len(ids) <= DENSE_COLUMNS and len(columns) >= _FILLED * len(pairs) * len(ids):
            matrix = np.zeros((len(pairs), len(ids)), np.float32)
            fill_dense_rows(columns, single, offsets, matrix)
        return cls(ids, columns, single, offsets, matrix)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def root_mean_squares(self) -> NDArray[np.float64]:
        """Size of what each column holds: float64[c]."""
        squares = column_squares(self.columns, self.values, len(self.ids))
        return np.asarray(np.sqrt(squares / max(len(self), 1)))

    def scores(
        self, weights: NDArray[np.float64], begin: int, end: int, result: NDArray[np.float64]
    ) -> None:
        """Write the sums of weight times value of rows ``begin`` to ``end``: float64[end - begin].

        weights: float64[c]
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
            own = self.offsets[begin : end + 1]
            add_sparse_rows(self.columns, self.values, own, coefficients, result)
        return result
