"""Bins of even population (Clark, Dyer & Lavie 2014, section 3.2)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import DataError, OptionError

from .histogram import Histogram, check_finite

__all__ = ["MAX_BITS", "Bins", "adjusted_frequencies", "histogram_bins", "uniform_population_bins"]

MAX_BITS = 16


@dataclass(frozen=True, eq=False)
class Bins(ComparedByContent):
    """Bins of one feature, in the order of its values.

    A value belongs to the last bin that begins at or below it; lower values belong to the first
    bin. So values above all those seen are in the last bin, and a value between two bins is in the
    lower one.

    first, median, last: float64[num_bins], lowest, middle (by population) and highest value seen
        of each bin; first <= median <= last < first of the next bin
    population: float64[num_bins], weight of each bin, above 0
    """

    first: NDArray[np.float64]
    median: NDArray[np.float64]
    last: NDArray[np.float64]
    population: NDArray[np.float64]

    def __post_init__(self) -> None:
        columns = (self.first, self.median, self.last, self.population)
        if not len(self.first) or any(column.shape != (len(self.first),) for column in columns):
            raise ValueError("each bin must have a first, median and last value and a population")
        if (
            not all(np.isfinite(column).all() for column in columns)
            or (self.population <= 0.0).any()
        ):
            raise ValueError("values must be finite and populations above 0")
        within = (self.first <= self.median) & (self.median <= self.last)
        if not within.all() or (self.last[:-1] >= self.first[1:]).any():
            raise ValueError("values must increase from bin to bin")

    def __len__(self) -> int:
        return len(self.first)

    def assign(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Bin of each value: int64[n].

        values: float64[n]

        Raises DataError for NaN and infinities.
        """
        check_finite(values)
        return np.maximum(np.searchsorted(self.first, values, side="right") - 1, 0)


def adjusted_frequencies(
    frequencies: NDArray[np.float64], num_bins: int
) -> tuple[NDArray[np.float64], float, int]:
    """Clip frequencies at the size u of a bin until none exceeds it (eqs. 5, 6).

    The bin size is the total over the number of bins; the print divides by the number of values,
    which would make bins of the mean frequency instead. The fixed point of the printed iteration
    is found at once: with the k largest clipped, the others share the num_bins - k other bins.

    frequencies: float64[n], of the values in rising order

    Returns the clipped ones, float64[n], and u, both times ``parts``, and ``parts`` =
    num_bins - k: whole numbers stay whole, so that comparisons of them are exact.
    """
    falling = np.sort(frequencies)[::-1]
    others = np.cumsum(falling[::-1])[::-1][:num_bins]
    parts = np.arange(num_bins, 0, -1)[: len(others)]
    k = int(np.argmax(falling[:num_bins] * parts <= others))
    size = float(others[k])
    return np.minimum(frequencies * float(parts[k]), size), size, int(parts[k])


def _fill(frequencies: NDArray[np.float64], num_bins: int) -> list[int]:
    """Index of the first value of each bin, for rising values, more than there are bins."""
    adjusted, size, _ = adjusted_frequencies(frequencies, num_bins)
    filled = np.cumsum(adjusted)
    whole = np.searchsorted(filled, size * np.arange(1, num_bins + 1), side="right").tolist()
    first, value = [], 0
    for number in range(num_bins):
        first.append(value)
        # R(j): one value is left for each later bin
        end = len(frequencies) - (num_bins - 1 - number)
        # those that end within the room C(j)
        value = max(value, min(whole[number], end))
        if value == end:
            continue
        outside = filled[value] - (number + 1) * size
        if 2.0 * outside < adjusted[value] or value == first[-1]:
            value += 1
    return first


def histogram_bins(histogram: Histogram, bits: int) -> Bins:
    """At most 2^bits bins, populated as evenly as whole values allow.

    A value lies in one bin only; a value across an ideal boundary goes to the side that is
    violated less. With no more distinct values than bins each value gets its own. Only the order
    of the values matters, so increasing transformations don't change the bins.

    Raises DataError where nothing was counted; UsageError for bits outside 1..16.
    """
    if not 1 <= bits <= MAX_BITS:
        raise OptionError("bits", f"between 1 and {MAX_BITS}", bits)
    values, weights = histogram.distinct()
    if not len(values):
        raise DataError("the list of values is empty", "at least one value to compute bins")
    num_bins = min(1 << bits, len(values))
    places = list(range(num_bins)) if num_bins == len(values) else _fill(weights, num_bins)
    return _describe(values, weights, np.array(places))


def _describe(
    values: NDArray[np.float64], weights: NDArray[np.float64], first: NDArray[np.int64]
) -> Bins:
    last = np.append(first[1:], len(values)) - 1
    below = np.append(0.0, np.cumsum(weights))
    half = (below[first] + below[last + 1]) / 2.0
    median = np.clip(np.searchsorted(below, half, side="left") - 1, first, last)
    population = below[last + 1] - below[first]
    return Bins(values[first], values[median], values[last], population)


def uniform_population_bins(
    values: NDArray[np.float64], bits: int, weights: NDArray[np.float64] | None = None
) -> Bins:
    """:func:`histogram_bins` of values in any order, with an optional weight for each.

    values: float64[n]
    weights: float64[n], 0 or more

    Raises DataError for no values, NaN or infinities; UsageError for bits outside 1..16.
    """
    histogram = Histogram()
    histogram.add(values, weights)
    return histogram_bins(histogram, bits)
