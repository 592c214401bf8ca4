"""Are the lines of two files translations of each other, one by one? What the lengths tell.

A long sentence has a long translation, so the lengths of true pairs go up and down together; at a
lost or doubled line they stop doing so (Gale and Church 1993 align sentences by lengths alone).
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Shift", "find_break", "length_correlation", "shifted_lines"]

_WINDOW = 200  # pairs whose lengths are compared
_LARGEST_SHIFT = 5  # lines
_CLEAR_GAIN = 0.3  # by which another shift must raise the correlation of a window, ...
_CLEAR_FIT = 0.5  # ... and what it must reach; pairs at random have 0.07 on average
_BREAK_GAIN = 0.25  # by which the lengths must fit better than at random, of what they differ


def length_correlation(source: NDArray[np.int32], target: NDArray[np.int32]) -> float:
    """Correlation of log lengths; nan where one side never varies.

    source, target: int32[num_pairs] each, words of each line
    """
    return float(_correlate(np.log1p(source)[None], np.log1p(target)[None])[0])


def _correlate(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Correlation of each row, float64[rows]."""
    left = left - left.mean(axis=1, keepdims=True)
    right = right - right.mean(axis=1, keepdims=True)
    product = np.sqrt((left**2).sum(axis=1) * (right**2).sum(axis=1))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(product > 1e-9, (left * right).sum(axis=1) / product, np.nan)


@dataclass(frozen=True)
class Shift:
    """Pairs ``first`` to ``last`` (1-based) fit better with the target ``lines`` further down."""

    first: int
    last: int
    lines: int


def shifted_lines(source: NDArray[np.int32], target: NDArray[np.int32]) -> list[Shift]:
    """Stretches where the lines are off by up to 5, judged in windows of 200 pairs.

    source, target: int32[num_pairs], tokens per sentence. The ends of a stretch are where the sum
    of length differences is least.
    """
    windows = (len(source) - 2 * _LARGEST_SHIFT) // _WINDOW
    if windows < 1:
        return []
    left, right = (np.log1p(side.astype(np.float64)) for side in (source, target))
    by_window = [0, *_window_shifts(left, right, windows), 0]
    stretches: list[Shift] = []
    begin = 1
    for window, (lines, following) in enumerate(pairwise(by_window)):
        if lines == following:
            continue
        middle = _LARGEST_SHIFT + window * _WINDOW
        end = _gap_between(left, right, (lines, following), middle)
        if window == windows and following == 0:
            end = len(source)  # the last lines fill no window
        if lines:
            stretches.append(Shift(begin, end, lines))
        begin = end + 1
    return stretches


def _window_shifts(
    left: NDArray[np.float64], right: NDArray[np.float64], windows: int
) -> list[int]:
    """The shift of each window: another one than 0 only where it fits much better."""
    shifts = range(-_LARGEST_SHIFT, _LARGEST_SHIFT + 1)

    def rows(side: NDArray[np.float64], begin: int) -> NDArray[np.float64]:
        return side[begin : begin + windows * _WINDOW].reshape(windows, _WINDOW)

    unshifted = rows(left, _LARGEST_SHIFT)
    fits = np.nan_to_num(
        np.stack([_correlate(unshifted, rows(right, _LARGEST_SHIFT + shift)) for shift in shifts])
    )
    most = fits.max(axis=0)
    clear = (most > _CLEAR_FIT) & (most - fits[_LARGEST_SHIFT] > _CLEAR_GAIN)
    best: list[int] = np.where(clear, fits.argmax(axis=0) - _LARGEST_SHIFT, 0).tolist()
    for window in range(1, windows - 1):  # one with a gap inside fits nowhere
        around = best[window - 1], best[window + 1]
        if not best[window] and all(around) and fits[_LARGEST_SHIFT, window] < _CLEAR_FIT:
            best[window] = around[0]
    return best


def _gap_between(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    shifts: tuple[int, int],
    middle: int,
) -> int:
    """How many pairs in all come before the gap where one shift goes over to the next."""
    low = max(middle - _WINDOW, _LARGEST_SHIFT)
    high = min(middle + _WINDOW, len(left) - _LARGEST_SHIFT)
    pairs = np.arange(low, high)
    costs = [np.abs(left[pairs] - right[pairs + shift]) for shift in shifts]
    return low + _cheapest_gap(costs[0], costs[1])[0]


def _cheapest_gap(before: NDArray[np.float64], after: NDArray[np.float64]) -> tuple[int, float]:
    """Pairs in front of the gap, and the cost: theirs ``before`` it, of the others ``after``."""
    total = np.concatenate(([0.0], np.cumsum(before)))
    total += np.concatenate((np.cumsum(after[::-1])[::-1], [0.0]))
    gap = int(total.argmin())
    return gap, float(total[gap])


def find_break(source: NDArray[np.int32], target: NDArray[np.int32]) -> int | None:
    """The line from which on two files of different length fit no more, guessed from lengths.

    One gap (lines lost or added in one place) is assumed: pairs before it are compared as they
    stand, pairs after it from the end. None where no place stands out.

    source: int32[num_source_lines], words of each line; target: int32[num_target_lines]
    """
    gap = len(target) - len(source)
    left, right = (np.log1p(side.astype(np.float64)) for side in (source, target))
    common = min(len(left), len(right))
    if common < 20 or not gap:
        return None
    before = left[:common] - right[:common]
    after = left[-common:] - right[-common:]
    ratio = np.median(np.concatenate((before, after)))
    before_gap, cost = _cheapest_gap(np.abs(before - ratio), np.abs(after - ratio))
    random = np.abs(left[:common] - np.roll(right[:common], common // 2) - ratio).mean()
    return before_gap + 1 if cost / common < (1 - _BREAK_GAIN) * random else None
