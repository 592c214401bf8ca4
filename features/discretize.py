"""Uniform-population binning of real-valued features (Clark, Dyer & Lavie 2014, section 3.2)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, UsageError

from .phrase_table import PhraseTable
from .ragged import Ragged

__all__ = ["Bins", "discretize_score", "uniform_population_bins"]


@dataclass(frozen=True)
class Bins:
    """Bins of one feature.

    first: float64[num_bins], the lowest value of each bin, rising. A value belongs to the last
        bin that begins at or below it; lower values belong to the first bin.
    """

    first: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.first)

    def assign(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Bin of each value: int64[n]. Raises DataError for NaN and infinities."""
        _check_finite(values)
        return np.maximum(np.searchsorted(self.first, values, side="right") - 1, 0)


def _check_finite(values: NDArray[np.float64]) -> None:
    bad = ~np.isfinite(values)
    if bad.any():
        raise DataError(
            f"value {values[np.argmax(bad)]} at place {np.argmax(bad)}",
            "finite values to put into bins",
        )


def adjusted_frequencies(
    frequencies: NDArray[np.float64], num_bins: int
) -> tuple[NDArray[np.float64], float]:
    """Clip frequencies at the size of a bin until none exceeds it (eqs. 5, 6).

    The bin size is the total over the number of bins; the print divides by the number of values,
    which would make bins of the mean frequency instead. The fixed point of the printed iteration
    is found at once: the size at which every larger frequency fills a bin of its own.
    """
    falling = np.sort(frequencies)[::-1]
    # with the k largest clipped, the others share what is left of the num_bins - k bins
    sizes = np.cumsum(falling[::-1])[::-1][:num_bins] / np.arange(num_bins, 0, -1)
    size = float(sizes[np.argmax(falling[:num_bins] <= sizes)])
    return np.minimum(frequencies, size), size


def uniform_population_bins(values: NDArray[np.float64], bits: int) -> Bins:
    """At most 2^bits bins, populated as evenly as whole values allow.

    A value lies in one bin only; a value across an ideal boundary goes to the side that is
    violated less. With no more distinct values than bins each value gets its own. Only the order
    of the values matters, so increasing transformations don't change the bins.

    Raises DataError for no values, NaN or infinities; UsageError for bits outside 1..16.
    """
    if not 1 <= bits <= 16:
        raise UsageError(f"{bits} bits; expected 1 to 16")
    if len(values) == 0:
        raise DataError("no values", "values to put into bins")
    _check_finite(values)
    distinct, counts = np.unique(values, return_counts=True)
    num_bins = min(1 << bits, len(distinct))
    if num_bins == len(distinct):
        return Bins(distinct)
    frequencies, size = adjusted_frequencies(counts.astype(np.float64), num_bins)
    first = []
    place, placed = 0, 0.0
    for bin_number in range(1, num_bins + 1):
        first.append(distinct[place])
        # the last value that leaves one for each later bin
        last = len(distinct) - (num_bins - bin_number)
        room = bin_number * size - placed
        begin = place
        while place < last and frequencies[place] <= room * (1 + 1e-12):
            placed += frequencies[place]
            room -= frequencies[place]
            place += 1
        straddles = place < last and (frequencies[place] - room) / frequencies[place] < 0.5 - 1e-9
        if straddles or place == begin:
            placed += frequencies[place]
            place += 1
    return Bins(np.array(first))


def bin_feature_name(name: str, number: int, num_bins: int) -> str:
    """``p(e|f)_bin07``: numbers have equal width, so names sort in the order of the values."""
    return f"{name.replace('_', '-')}_bin{number:0{len(str(num_bins - 1))}d}"


def discretize_score(
    table: PhraseTable, name: str, bits: int, *, keep: bool = False
) -> tuple[PhraseTable, Bins]:
    """Replace a score column by indicator features of its bins, over the table's rules.

    With ``keep`` the real-valued column stays beside them.

    Raises UsageError for an unknown column.
    """
    if name not in table.score_names:
        raise UsageError(f"score {name!r}; the table has {', '.join(table.score_names)}")
    column = table.score_names.index(name)
    bins = uniform_population_bins(table.scores[:, column], bits)
    ids = bins.assign(table.scores[:, column]).astype(np.int32)
    rows = Ragged(ids, np.ones(len(ids), np.float32), np.arange(len(ids) + 1))
    names: Sequence[str] = [bin_feature_name(name, k, len(bins)) for k in range(len(bins))]
    table = table.with_sparse(names, rows)
    if not keep:
        rest = [k for k in range(len(table.score_names)) if k != column]
        table = replace(
            table,
            scores=table.scores[:, rest],
            score_names=tuple(table.score_names[k] for k in rest),
        )
    return table, bins
