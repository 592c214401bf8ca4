"""Ragged arrays: rows of different lengths, one after the other in a flat array of entries.

Everywhere ``offsets``, int64[num_rows + 1], tells where each row begins and where the last one
ends: row k is ``entries[offsets[k]:offsets[k + 1]]``. Equal neighbors of an array are a run.
"""

from collections.abc import Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = [
    "distinct_sums",
    "group_blocks",
    "joined_offsets",
    "number_distinct",
    "offsets_of",
    "per_entry",
    "positions_within",
    "row_means",
    "row_numbers",
    "rows_rise",
    "run_lengths",
    "run_starts",
    "select_rows",
    "selected_offsets",
    "slice_rows",
    "span_entries",
]

Number = TypeVar("Number", np.int64, np.float64)
Scalar = TypeVar("Scalar", bound=np.generic)


def offsets_of(lengths: ArrayLike) -> NDArray[np.int64]:
    """Where rows of these lengths begin, and where the last one ends: int64[num_rows + 1].

    lengths: whole numbers[num_rows]
    """
    lengths = np.asarray(lengths, np.int64)  # an empty list would be of floats
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def joined_offsets(parts: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Offsets of the rows of several arrays, one array after the other: int64[sum of num_rows + 1].

    parts: int64[num_rows + 1] each, offsets of an array
    """
    return offsets_of(np.concatenate([np.diff(offsets) for offsets in parts]))


def per_entry(values: NDArray[Scalar], offsets: NDArray[np.int64]) -> NDArray[Scalar]:
    """The value of its row for each entry, such as float64[num_entries, ...]: typed as ``values``.

    values: float64[num_rows, ...], or of another type; offsets: int64[num_rows + 1]
    """
    # np.diff takes several times longer for a few rows
    return np.repeat(values, offsets[1:] - offsets[:-1], axis=0)


def row_numbers(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The row of each entry: int64[num_entries], rising.

    offsets: int64[num_rows + 1]
    """
    return per_entry(np.arange(len(offsets) - 1), offsets)


def positions_within(offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """The position of each entry in its row, from 0 on: int64[num_entries].

    offsets: int64[num_rows + 1]
    """
    return np.arange(offsets[-1]) - per_entry(offsets[:-1], offsets)


def row_means(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> NDArray[np.float64]:
    """Mean of the entries of each row, none of them empty: float64[num_rows, ...].

    values: float64[num_entries, ...]; offsets: int64[num_rows + 1]
    """
    counts = np.diff(offsets).reshape(-1, *[1] * (values.ndim - 1))
    return np.asarray(np.add.reduceat(values, offsets[:-1]) / counts)


def slice_rows(
    offsets: NDArray[np.int64], first: int, end: int | None = None
) -> tuple[slice, NDArray[np.int64]]:
    """The entries of rows ``first`` to ``end``, and the offsets of these rows: int64[m + 1].

    offsets: int64[num_rows + 1], of all rows
    end: number of the row after the last; default: all rows from ``first`` on
    """
    bounds = offsets[first : None if end is None else end + 1]
    return slice(bounds[0], bounds[-1]), bounds - bounds[0]


def span_entries(
    begins: NDArray[Any], lengths: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The entries of spans, one after the other: int64[total], and offsets int64[num_spans + 1].

    begins, lengths: int64[num_spans], or of a shorter type; the first entry of each span, and how
        many it has
    """
    offsets = offsets_of(lengths)
    return np.repeat(begins - offsets[:-1], lengths) + np.arange(offsets[-1]), offsets


def select_rows(
    offsets: NDArray[np.int64], rows: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The entries of some rows in the order given: int64[total], and offsets int64[m + 1].

    offsets: int64[num_rows + 1], of all rows; rows: int64[m], or of a shorter type
    """
    begins = offsets[rows]
    return span_entries(begins, offsets[rows + 1] - begins)


def selected_offsets(offsets: NDArray[np.int64], rows: NDArray[Any]) -> NDArray[np.int64]:
    """The offsets alone of :func:`select_rows`, for entries that a kernel copies: int64[m + 1].

    offsets: int64[num_rows + 1], of all rows; rows: int64[m], or of a shorter type
    """
    return offsets_of(offsets[rows + 1] - offsets[rows])


def rows_rise(
    first: NDArray[np.int32], second: NDArray[np.int32], offsets: NDArray[np.int64]
) -> bool:
    """Whether the entries of each row rise by their first number, then by the second one.

    first, second: int32[num_entries]; offsets: int64[num_rows + 1]
    """
    rising = first[1:] > first[:-1]
    rising |= (first[1:] == first[:-1]) & (second[1:] > second[:-1])
    begins = offsets[1:-1]
    rising[begins[(begins > 0) & (begins < len(first))] - 1] = True
    return bool(rising.all())


def run_starts(values: NDArray[Any]) -> NDArray[np.int64]:
    """Where each run of equal neighbors begins: int64[num_runs], rising; none of an empty array.

    values: int64[n], or of any other type
    """
    new = np.ones(len(values), np.bool_)
    np.not_equal(values[1:], values[:-1], out=new[1:])
    return np.flatnonzero(new)


def run_lengths(starts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Number of values in each run of an array of ``size`` values: int64[num_runs].

    starts: int64[num_runs], see :func:`run_starts`
    """
    return np.diff(starts, append=size)


def number_distinct(
    values: NDArray[Any],
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Number the distinct values in rising order; fewer than 2^31.

    values: int64[n], or of any other type

    Returns a place of each distinct value, int64[m], any one where there are several; the number
    of each value, int32[n]; and how often each distinct value occurs, int64[m].
    ``np.unique`` does the same with a stable sort, which is several times slower.
    """
    order = np.argsort(values)
    starts = run_starts(values[order])
    counts = run_lengths(starts, len(values))
    numbers = np.empty(len(values), np.int32)
    numbers[order] = np.repeat(np.arange(len(starts), dtype=np.int32), counts)
    return order[starts], numbers, counts


def distinct_sums(
    values: NDArray[Number], weights: NDArray[np.float64]
) -> tuple[NDArray[Number], NDArray[np.float64]]:
    """The distinct values, rising, and the sum of the weights of each: float64[m] both.

    values: float64[n], or int64 as the distinct values are then; weights: float64[n]
    """
    order = np.argsort(values, kind="stable")  # linear for a few rising runs, one after the other
    values, weights = values[order], weights[order]
    starts = run_starts(values)
    sums = np.add.reduceat(weights, starts) if len(starts) else weights
    return values[starts], sums


def group_blocks(offsets: NDArray[np.int64], most: int) -> Iterator[tuple[int, int]]:
    """Yield ranges of groups with up to ``most`` rows, or of one group.

    offsets: int64[num_groups + 1], of the rows of each group
    """
    first = 0
    while first < len(offsets) - 1:
        reached = int(np.searchsorted(offsets, offsets[first] + most, "right")) - 1
        last = max(first + 1, reached)
        yield first, last
        first = last
