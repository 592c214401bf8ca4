"""Rows drawn from a text of unknown length, in one pass and in memory of the sample's size."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw_rows"]


def draw_rows(
    blocks: Iterable[tuple[NDArray[np.bool_], NDArray[np.bool_]]], size: int, seed: int
) -> tuple[NDArray[np.int64], int]:
    """Draw ``size`` rows: all that are required, and others with equal probability.

    Each row gets a random number, and those with the smallest ones are drawn. So what is drawn
    depends on the rows and the seed, not on how they are cut into blocks.

    blocks: bool[n], bool[n] of n consecutive rows: whether each is required, and may be drawn

    Returns the numbers of the rows, int64[num_drawn], increasing, and how many rows there are. More
    than ``size`` are drawn where more are required, fewer where fewer may be drawn.
    """
    generator = np.random.default_rng(seed)
    required = [np.zeros(0, np.int64)]
    drawn = _Smallest(size)
    count = 0
    for is_required, is_allowed in blocks:
        keys = generator.random(len(is_required))
        required.append(count + np.flatnonzero(is_required))
        rows = np.flatnonzero(is_allowed & ~is_required & (keys < drawn.bound))
        drawn.add(count + rows, keys[rows])
        count += len(is_required)
    always = np.concatenate(required)
    others = drawn.rows(max(size - len(always), 0))
    return np.sort(np.concatenate([always, others])), count


class _Smallest:
    """The rows with the smallest keys. size: how many at most"""

    def __init__(self, size: int) -> None:
        self.bound = np.inf  # rows with larger keys are not among them
        self._size, self._count = size, 0
        self._rows, self._keys = [np.zeros(0, np.int64)], [np.zeros(0)]

    def add(self, rows: NDArray[np.int64], keys: NDArray[np.float64]) -> None:
        """Add rows with their keys."""
        self._rows.append(rows)
        self._keys.append(keys)
        self._count += len(rows)
        if self._count > 2 * self._size:
            self._reduce(self._size)
            self.bound = self._keys[0].max(initial=0.0)

    def rows(self, size: int) -> NDArray[np.int64]:
        """The ``size`` rows with the smallest keys, in any order."""
        self._reduce(size)
        return self._rows[0]

    def _reduce(self, size: int) -> None:
        rows, keys = np.concatenate(self._rows), np.concatenate(self._keys)
        order = np.argsort(keys, kind="stable")[:size]
        self._rows, self._keys, self._count = [rows[order]], [keys[order]], len(order)
