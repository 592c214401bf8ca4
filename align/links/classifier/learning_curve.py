"""How links get better with more gold sentences: AER by cross-fitting, with intervals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["CurvePoint", "JudgedSentences", "LearningCurve", "learning_curve"]

_RESAMPLES = 1000
_SEED = 1
_INTERVAL = (2.5, 97.5)  # percentiles
_HARDLY = 0.02  # share of the AER that is hardly worth as many sentences again
_FEW = 50  # sentences below which the expected gain varies by more than what is gained
_DOUBLED = 1.0 - 0.5**0.5  # share of b n^-1/2 that twice as many sentences gain


class CurvePoint(NamedTuple):
    """AER, 0 to 1, of sentences that so many others have taught, with a 95 % interval."""

    sentences: int
    aer: float
    low: float
    high: float


class LearningCurve(NamedTuple):
    """AER by number of gold sentences, and what twice as many would gain.

    points: the last one is of all sentences, each judged by what the other folds teach
    gain: expected of twice as many, with a 95 % interval; None of too few to tell
    """

    points: tuple[CurvePoint, ...]
    gain: tuple[float, float, float] | None

    def outlook(self) -> str:
        """Whether more gold sentences would help, in a sentence without its full stop."""
        number, aer, _, _ = self.points[-1]
        if self.gain is None or number < _FEW:
            return f"{number} gold sentences don't tell how much more of them would help"
        gain, low, high = self.gain
        expected = f"AER {aer:.2%} -> about {aer - max(gain, 0.0):.1%} with twice as many"
        if low > 0.0 and gain > _HARDLY * aer:
            return f"more gold sentences would still help: {expected}"
        if high <= _HARDLY * aer:
            return f"more gold sentences would hardly help: {expected}"
        return f"more gold sentences may help: {expected}"


class JudgedSentences(NamedTuple):
    """Counts of links that some number of sentences has taught to choose.

    learned_from: sentences that each was judged by
    counts: int64[num_pairs, 3], links chosen, right ones (sure ones twice), and sure gold links
    """

    learned_from: float
    counts: NDArray[np.int64]


def learning_curve(judged: Sequence[JudgedSentences], num_sentences: int) -> LearningCurve:
    """The curve through some numbers of sentences, the largest last.

    AER is taken as a + b n^-1/2, fitted by least squares with weights of n. Intervals come from
    resampled sentences, the same for all numbers.

    num_sentences: that the last ones stand for
    """
    sizes = np.array([each.learned_from for each in judged])
    sums = np.stack([each.counts for each in judged])
    errors = _error(sums.sum(axis=1))
    drawn = np.random.default_rng(_SEED).integers(0, sums.shape[1], (_RESAMPLES, sums.shape[1]))
    resampled = np.stack([_error(sums[:, rows].sum(axis=1)) for rows in drawn])
    lows, highs = np.percentile(resampled, _INTERVAL, axis=0)
    shown = [*sizes[:-1].astype(int).tolist(), num_sentences]
    points = zip(shown, errors.tolist(), lows.tolist(), highs.tolist(), strict=True)
    gain = None
    if len(judged) > 1:
        gains = _gains(sizes, np.vstack([errors, resampled]))
        low, high = np.percentile(gains[1:], _INTERVAL).tolist()
        gain = float(gains[0]), low, high
    return LearningCurve(tuple(CurvePoint(*point) for point in points), gain)


def _error(sums: NDArray[np.int64]) -> NDArray[np.float64]:
    """AER of counts: float64[...]. sums: int64[..., 3]"""
    links = sums[..., 0] + sums[..., 2]
    return np.asarray(1.0 - np.where(links == 0, 1.0, sums[..., 1] / np.maximum(links, 1)))


def _gains(sizes: NDArray[np.float64], errors: NDArray[np.float64]) -> NDArray[np.float64]:
    """What twice the last size is expected to gain: float64[n]. errors: float64[n, num_sizes]"""
    scale = sizes**-0.5
    weights = sizes / sizes.sum()
    scale_mean = (weights * scale).sum()
    apart = weights * (scale - scale_mean)
    slope = (errors * apart).sum(axis=1) / (apart * scale).sum()
    return np.asarray(slope * scale[-1] * _DOUBLED)
