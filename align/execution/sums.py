"""Sums in a fixed order, or of which the order makes no difference.

BLAS, which NumPy's ``@`` and norms call, adds in an order that depends on its threads: results that
are written to files are not made with it.
"""

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["dot", "exact_sums", "norm", "row_dots"]


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


def exact_sums(parts: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Sums float64[n] of parts float64[n], rounded once: in any order the same."""
    return np.array([math.fsum(column) for column in zip(*parts, strict=True)])
