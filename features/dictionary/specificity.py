"""How special a phrase pair is to a domain: is it linked more often there than in the rest?"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["log_likelihood_ratio", "specificity"]

_SIGMAS = 1.96  # of a 95 % interval
_NOTHING = 1e-9  # occurrences that are none, but for rounding
_HALF = 0.5  # added to each count, so that ratios are finite (Haldane 1956)


def log_likelihood_ratio(
    inside: NDArray[np.float64], outside: NDArray[np.float64], size_inside: float,
    size_outside: float,
) -> NDArray[np.float64]:  # fmt: skip
    """G2 of each pair's rate in a domain against the rest: float64[n], below 0 if it is rarer.

    2 (a ln(a / E_a) + b ln(b / E_b)) of its occurrences a and b and those expected if the rates
    were the same (Dunning 1993, "Accurate methods for the statistics of surprise and coincidence",
    in the form of Rayson & Garside 2000, "Comparing corpora using frequency profiling"). Above
    10.83 chance alone gives it once in a thousand.

    inside, outside: float64[n], occurrences; size_inside, size_outside: words of the two texts
    """
    total, size = inside + outside, size_inside + size_outside
    ratio = np.zeros(len(total))
    if size_inside <= 0.0 or size_outside <= 0.0:
        return ratio
    for count, share in ((inside, size_inside / size), (outside, size_outside / size)):
        some = count > _NOTHING
        ratio[some] += 2.0 * count[some] * np.log(count[some] / (total[some] * share))
    sign = np.where(inside * size_outside < outside * size_inside, -1.0, 1.0)
    return sign * np.maximum(ratio, 0.0)


def specificity(
    inside: NDArray[np.float64], outside: NDArray[np.float64], size_inside: float,
    size_outside: float,
) -> NDArray[np.float64]:  # fmt: skip
    """Doublings of each pair's rate in a domain over its rate in the rest, at least: float64[n].

    The lower end of the 95 % interval of the log odds ratio in base 2, half an occurrence added to
    each count: 3 says that the pair is at least eight times as frequent in the domain, 0 that it
    need not be more frequent. Where a log-likelihood ratio says how sure it is that the rates
    differ, which is surest of the most frequent words, this says by how much. 0 without a rest.

    inside, outside: float64[n], occurrences; size_inside, size_outside: words of the two texts
    """
    if size_inside <= 0.0 or size_outside <= 0.0:
        return np.zeros(len(inside))
    counts = inside + _HALF, outside + _HALF
    others = (
        np.maximum(size_inside - inside, 0.0) + _HALF,
        np.maximum(size_outside - outside, 0.0) + _HALF,
    )
    log_odds = np.log(counts[0]) - np.log(others[0]) - np.log(counts[1]) + np.log(others[1])
    error = np.sqrt(1.0 / counts[0] + 1.0 / counts[1] + 1.0 / others[0] + 1.0 / others[1])
    return np.asarray((log_odds - _SIGMAS * error) / np.log(2.0))
