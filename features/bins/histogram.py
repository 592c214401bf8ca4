"""Histogram: the distinct values of a feature and their population, from a stream of blocks."""

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import distinct_sums
from isogloss.align.errors import DataError

__all__ = ["Histogram", "check_finite"]

_STEP = 2.0**-20  # weights are multiples of it: sums are exact, whatever the order of the blocks

_Run = tuple[NDArray[np.float64], NDArray[np.float64]]


def check_finite(values: NDArray[np.float64], what: str = "value") -> None:
    """Raise DataError for NaN and infinities in float64[n], with the position of the first one.

    values: float64[n], called ``what`` in the message
    """
    bad = ~np.isfinite(values)
    if bad.any():
        position = int(np.argmax(bad))
        seen = f"the {what} at index {position} is {values[position]}"
        raise DataError(seen, "finite values")


class Histogram:
    """Distinct values with their weights.

    Holds at most 32 bytes per distinct value, as rising runs of which each is at least twice as
    long as the next; merging two runs takes about as much again for a moment. Neither grows with
    the number of values that were added.
    """

    def __init__(self) -> None:
        self._runs: list[_Run] = []

    def add(self, values: NDArray[np.float64], weights: NDArray[np.float64] | None = None) -> None:
        """Count values.

        values: float64[n]
        weights: float64[n], the population of each, 0 or more, taken to the nearest multiple of
            2^-20; default: 1. Values of weight 0 are no part of the population.

        Raises DataError for NaN and infinities and for a weight below 0.
        """
        check_finite(values)
        if weights is None:
            weights = np.ones(len(values))
        check_finite(weights, "weight")
        if (weights < 0.0).any():
            position = int(np.argmax(weights < 0.0))
            raise DataError(f"the weight at index {position} is {weights[position]}", "0 or more")
        weights = np.rint(weights / _STEP) * _STEP
        positive = weights > 0.0
        if not positive.any():
            return
        # adding 0.0 makes 0.0 of -0.0
        run = distinct_sums(values[positive] + 0.0, weights[positive])
        while self._runs and len(self._runs[-1][0]) < 2 * len(run[0]):
            run = _merged([self._runs.pop(), run])
        self._runs.append(run)

    def distinct(self) -> _Run:
        """Distinct values float64[k], rising, and their weights float64[k], above 0."""
        if len(self._runs) != 1:
            self._runs = [_merged(self._runs)]
        return self._runs[0]


def _merged(runs: list[_Run]) -> _Run:
    if not runs:
        return np.zeros(0), np.zeros(0)
    return distinct_sums(
        np.concatenate([values for values, _ in runs]),
        np.concatenate([weights for _, weights in runs]),
    )
