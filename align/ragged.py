"""Runs of equal values in sorted arrays."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["distinct_sums", "run_lengths", "run_starts"]

Number = TypeVar("Number", np.int64, np.float64)


def run_starts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each run of equal neighbours begins: int64[num_runs], rising; none of an empty array.

    values: [n], of any type, equal ones side by side.
    """
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)


def run_lengths(starts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Number of values in each run of an array of ``size``: int64[num_runs]."""
    return np.diff(starts, append=size)


def distinct_sums(
    values: NDArray[Number], weights: NDArray[np.float64]
) -> tuple[NDArray[Number], NDArray[np.float64]]:
    """Rising distinct values, and the sum of each one's weights.

    values: [n]; weights: float64[n]
    """
    order = np.argsort(values, kind="stable")  # linear for a few rising runs, one after the other
    values, weights = values[order], weights[order]
    starts = run_starts(values)
    sums = np.add.reduceat(weights, starts) if len(starts) else weights
    return values[starts], sums
