"""Features of cells, one cell at a time, from whole matrices."""

import numpy as np
from numpy.typing import NDArray


def first_features(
    one: NDArray[np.float32],
    other: NDArray[np.float32],
    source: int,
    target: int,
    words: tuple[NDArray[np.float32], NDArray[np.float32]],
) -> list[float]:
    """Features of a cell of the first pass.

    one, other: float32[height, width], P(link) in both directions
    words: float32[3] of the source and of the target word
    """
    mean = np.float32(0.5) * (one + other)
    height, width = mean.shape
    here = mean[source, target]
    row_best = max([mean[source, k] for k in range(width) if k != target], default=0.0)
    column_best = max([mean[k, target] for k in range(height) if k != source], default=0.0)
    p, q = one[source, target], other[source, target]
    slope = (source + 0.5) / height - (target + 0.5) / width
    return [
        p, q, here, np.sqrt(p * q), min(p, q), max(p, q),
        here - row_best, here - column_best, row_best, column_best,
        mean[source].sum(), mean[:, target].sum(), one[source].sum(), one[:, target].sum(),
        other[source].sum(), other[:, target].sum(),
        *neighbors(mean, source, target), slope, abs(slope), height, width,
        *words[0], *words[1],
    ]  # fmt: skip


def may_be_linked(mean: NDArray[np.float32], source: int, target: int) -> bool:
    """Whether a cell is a candidate. mean: float32[height, width]"""
    here = mean[source, target]
    is_best = here in (mean[source].max(), mean[:, target].max())
    return bool(here >= np.float32(0.02) or (is_best and here >= np.float32(0.0003)))


def neighbors(values: NDArray[np.float32], source: int, target: int) -> list[float]:
    """The eight values around a cell, -1 outside."""
    framed = np.pad(values, 1, constant_values=-1.0)
    around = framed[source : source + 3, target : target + 3].ravel()
    return [*around[:4], *around[5:]]


def second_features(chances: NDArray[np.float32], source: int, target: int) -> list[float]:
    """Features of a cell of the second pass. chances: float32[height, width], 0 = no candidate"""
    height, width = chances.shape
    here = chances[source, target]
    row, column = chances[source].copy(), chances[:, target].copy()
    row[target] = column[source] = 0.0
    sure = [k for k in range(height) if chances[k].max() >= np.float32(0.7)]
    above = max([k for k in sure if k < source], default=-1)
    below = min([k for k in sure if k > source], default=height)
    left = -1 if above < 0 else int(chances[above].argmax())
    right = width if below == height else int(chances[below].argmax())
    line = left + (right - left) * (source - above) / (below - above)
    return [
        here, chances[source].sum() - here, chances[:, target].sum() - here,
        *neighbors(chances, source, target), row.max(), column.max(),
        target - line, abs(target - line), target - left, right - target,
    ]  # fmt: skip
