"""Uniform-population binning as Clark, Dyer & Lavie (2014, section 3.2) tell it, in fractions."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction


def adjusted(frequencies: Sequence[int], num_bins: int) -> tuple[list[Fraction], Fraction]:
    """Frequencies clipped at the size of a bin, and that size u = sum_i min(f_i, u) / N.

    The paper repeats u = sum_i f_i / N, f_i = min(f_i, u). Its limit clips the k most frequent
    values: u = (sum of the others) / (N - k), for the least k where none of the others exceeds u.
    """
    falling = sorted(frequencies, reverse=True)
    for k in range(num_bins):
        size = Fraction(sum(falling[k:]), num_bins - k)
        if falling[k] <= size:
            break
    return [min(Fraction(f), size) for f in frequencies], size


def bins(values: Sequence[float], bits: int, half: Fraction = Fraction(1, 2)) -> list[list[float]]:
    """The distinct values of each bin, rising.

    A value across the end of a bin belongs to it where less than ``half`` lies outside.
    """
    counts = Counter(values)
    distinct = sorted(counts)
    num_bins = min(2**bits, len(distinct))
    frequency, size = adjusted([counts[x] for x in distinct], num_bins)
    result: list[list[float]] = []
    i, placed = 0, Fraction(0)
    for j in range(1, num_bins + 1):
        own: list[float] = []
        last = len(distinct) - (num_bins - j)  # R(j): the values behind it fill the later bins
        while i < last and frequency[i] <= j * size - placed:  # C(j)
            own.append(distinct[i])
            placed += frequency[i]
            i += 1
        outside = placed + frequency[i] - j * size if i < last else None
        across = outside is not None and outside / frequency[i] < half
        if across or not own:  # a bin is never empty
            own.append(distinct[i])
            placed += frequency[i]
            i += 1
        result.append(own)
    result[-1] += distinct[i:]
    return result
