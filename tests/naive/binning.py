"""Uniform-population binning as Clark, Dyer & Lavie (2014, section 3.2) tell it, in fractions."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction


def adjusted(
    frequencies: Sequence[int | Fraction], num_bins: int
) -> tuple[list[Fraction], Fraction]:
    """Frequencies clipped at the size of a bin, and that size u = sum_i min(f_i, u) / N.

    The paper repeats u = sum_i f_i / N, f_i = min(f_i, u). Its limit clips the k most frequent
    values: u = (sum of the others) / (N - k), for the least k where none of the others exceeds u.
    """
    falling = sorted(frequencies, reverse=True)
    for k in range(num_bins):
        size = Fraction(sum(falling[k:])) / (num_bins - k)
        if falling[k] <= size:
            break
    return [min(Fraction(f), size) for f in frequencies], size


def bins(values: Sequence[float], bits: int) -> list[list[float]]:
    """The distinct values of each bin, rising."""
    return histogram_bins(Counter(values), bits)


def histogram_bins(counts: Mapping[float, int | Fraction], bits: int) -> list[list[float]]:
    """The values of each bin, rising; values without a count are in none.

    A value across the end of a bin belongs to it where less than half lies outside.
    """
    distinct = sorted(x for x, count in counts.items() if count > 0)
    num_bins = min(2**bits, len(distinct))
    if num_bins == len(distinct):
        return [[x] for x in distinct]
    frequency, size = adjusted([counts[x] for x in distinct], num_bins)
    result: list[list[float]] = []
    i, placed = 0, Fraction(0)
    for j in range(1, num_bins + 1):
        members: list[float] = []
        last = len(distinct) - (num_bins - j)  # R(j): the values behind it fill the later bins
        while i < last and frequency[i] <= j * size - placed:  # C(j)
            members.append(distinct[i])
            placed += frequency[i]
            i += 1
        outside = placed + frequency[i] - j * size if i < last else None
        across = outside is not None and outside / frequency[i] < Fraction(1, 2)
        if across or not members:  # a bin is never empty
            members.append(distinct[i])
            placed += frequency[i]
            i += 1
        result.append(members)
    result[-1] += distinct[i:]
    return result


def bin_of(value: float, bins_found: Sequence[Sequence[float]]) -> int:
    """The bin of a value, seen or not: the last one that begins at or below it, or the first."""
    return max([0, *(k for k, members in enumerate(bins_found) if members[0] <= value)])


def windows(num_bins: int, overlap: int) -> list[set[int]]:
    """The bins of each window of ``overlap`` + 1 neighboring bins."""
    every = set(range(num_bins))
    starts = ({begin + k for k in range(overlap + 1)} for begin in range(num_bins))
    return [window for window in starts if window <= every]


def extended(num_bins: int, extend: int) -> list[set[int]]:
    """Equation 8: each bin with its neighbors, as many of them as there are."""
    every = set(range(num_bins))
    return [{k + step for step in range(-extend, extend + 1)} & every for k in range(num_bins)]
