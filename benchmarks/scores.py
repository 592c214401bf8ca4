"""What is computed of links and of domain posteriors: errors, differences, calibration."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align import Links
from isogloss.align.links.evaluate import AlignmentScore, error_rates, link_counts
from isogloss.align.links.gold_links import GoldLinks

__all__ = [
    "Bin", "Difference", "binned", "bootstrap", "calibration_error", "confusion", "reliability",
    "score", "sentence_counts",
]  # fmt: skip

RESAMPLES = 1000
SEED = 1


def _found(links: Links, gold: Links) -> NDArray[np.bool_]:
    """bool[num_links]: which links are among the hand links."""
    return np.isin(links.keys(), gold.keys())


def sentence_counts(links: Links, gold: GoldLinks) -> NDArray[np.int64]:
    """|A|, |S|, |A and S|, |A and P| of each sentence pair: int64[num_pairs, 4]."""
    return link_counts(links, gold).astype(np.int64)


def score(counts: NDArray[np.int64]) -> AlignmentScore:
    """Precision, recall and AER of all sentence pairs together."""
    return AlignmentScore.of_counts(counts)


@dataclass(frozen=True)
class Difference:
    """A difference of AER in points, minus = the first one is better, and its 95 % interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:+6.2f} [{self.low:+6.2f}, {self.high:+6.2f}]"


def bootstrap(
    pairs: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> Difference:
    """Paired bootstrap (Koehn 2004) of the mean difference of AER over some texts.

    Sentence pairs are drawn with replacement within each text, the same ones for both systems.
    pairs: int64[num_pairs, 4] of both systems for each text, see :func:`sentence_counts`.
    """
    generator = np.random.default_rng(seed)
    drawn, values = np.zeros(resamples), []
    for one, other in pairs:
        size = len(one)
        weights = generator.multinomial(size, np.full(size, 1.0 / size), resamples)
        drawn += 100.0 * error_rates(weights @ one) - 100.0 * error_rates(weights @ other)
        first, second = (100.0 * float(error_rates(counts.sum(0))) for counts in (one, other))
        values.append(first - second)
    low, high = np.percentile(drawn / len(pairs), [2.5, 97.5])
    return Difference(float(np.mean(values)), float(low), float(high))


@dataclass(frozen=True)
class Bin:
    """Links of a range of confidence: how many, their mean confidence, shares in P and in S."""

    low: float
    high: float
    count: int
    confidence: float
    possible: float
    sure: float


def reliability(parts: Sequence[tuple[Links, GoldLinks]], edges: NDArray[np.float64]) -> list[Bin]:
    """Scored links of some texts, binned by their probability; empty bins are left out.

    edges: float64[n + 1], rising; the last bin holds its upper edge.
    """
    confidence = np.concatenate([links.probability for links, _ in parts]).astype(np.float64)
    possible, sure = (
        np.concatenate([_found(links, getattr(gold, kind)) for links, gold in parts])
        for kind in ("possible", "sure")
    )
    return binned(confidence, possible, sure, edges)


def binned(
    confidence: NDArray[np.float64],
    possible: NDArray[np.bool_],
    sure: NDArray[np.bool_],
    edges: NDArray[np.float64],
) -> list[Bin]:
    """The bins of :func:`reliability` for links given one by one: [num_links] each."""
    place = np.clip(np.searchsorted(edges, confidence, side="right") - 1, 0, len(edges) - 2)
    bins = []
    for number in range(len(edges) - 1):
        own = place == number
        if own.any():
            means = [float(part[own].mean()) for part in (confidence, possible, sure)]
            low, high = float(edges[number]), float(edges[number + 1])
            bins.append(Bin(low, high, int(own.sum()), *means))
    return bins


def calibration_error(bins: Sequence[Bin], kind: str = "possible") -> float:
    """Expected calibration error: mean distance of confidence and share of right links.

    kind: "possible" or "sure", what counts as right.
    """
    total = sum(one.count for one in bins)
    apart = (one.count * abs(one.confidence - getattr(one, kind)) for one in bins)
    return sum(apart) / total if total else 0.0


def confusion(
    guesses: Sequence[str], truth: Sequence[str], columns: Sequence[str]
) -> tuple[list[str], NDArray[np.int64], float]:
    """True domains (rows), how often each was taken for which, share of right guesses.

    The share is of the pairs whose true domain is among ``columns``; "" is not counted.
    """
    rows = sorted(set(truth) - {""})
    matrix = np.zeros((len(rows), len(columns)), np.int64)
    for guess, true in zip(guesses, truth, strict=True):
        if true:
            matrix[rows.index(true), columns.index(guess)] += 1
    known = [number for number, row in enumerate(rows) if row in columns]
    right = sum(int(matrix[number, columns.index(rows[number])]) for number in known)
    total = int(matrix[known].sum())
    return rows, matrix, right / total if total else 0.0
