"""Sums in a fixed order.

BLAS, which NumPy's ``@`` and norms call, adds in an order that depends on its threads: results that
are written to files are not made with it.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["dot", "norm", "row_dots"]


def dot(left: NDArray[np.float64], right: NDArray[np.float64]) -> float:
    """Sum of the products of two vectors. left, right: float64[n]"""
    return float(np.sum(left * right))


def norm(vector: NDArray[np.float64]) -> float:
    """Euclidean length. vector: float64[n]"""
    return float(np.sqrt(dot(vector, vector)))


def row_dots(rows: NDArray[np.floating], vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sum of the products of each row and a vector.

    rows: float[m, n]; vector: float64[n]. Returns float64[m].
    """
    result = np.zeros(len(rows))
    for column, factor in enumerate(vector.tolist()):
        result += factor * rows[:, column].astype(np.float64)
    return result
