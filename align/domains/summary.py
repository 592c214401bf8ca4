"""What P(D | f, e) says of a text as a whole: shares, typical pairs, weights for other programs."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..text.bitext import Bitext

__all__ = ["DomainSummary", "format_instance_weights", "summarize", "typical_pairs"]

LEAST_WEIGHT = 1e-6  # so that no phrase has a count of zero
STEADY = 10  # words added to the length of a pair when its log-odds are divided by it


@dataclass(frozen=True)
class DomainSummary:
    """How much of a text belongs to each domain.

    share: float64[D], mean of P(D | f, e) over the pairs with words on both sides
    count: int64[D], pairs whose most likely domain it is
    entropy: mean entropy of P(D | f, e), bits: 0 = every pair is sure, log2 D = nothing is known
    num_pairs, num_unusable: pairs looked at; pairs with an empty side, which are left out
    """

    share: NDArray[np.float64]
    count: NDArray[np.int64]
    entropy: float
    num_pairs: int
    num_unusable: int


def summarize(bitext: Bitext, posterior: NDArray[np.float64]) -> DomainSummary:
    """How the pairs of a bitext fall into domains.

    posterior: float64[num_pairs, D], P(D | f, e)
    """
    usable = posterior[bitext.usable]
    domains = posterior.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        bits = np.where(usable > 0.0, -usable * np.log2(usable), 0.0).sum(1)
    return DomainSummary(
        usable.mean(0) if len(usable) else np.zeros(domains),
        np.bincount(usable.argmax(1), minlength=domains),
        float(bits.mean()) if len(usable) else 0.0,
        len(usable),
        len(posterior) - len(usable),
    )


def typical_pairs(
    bitext: Bitext, posterior: NDArray[np.float64], domain: int, limit: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The pairs most typical of a domain: their numbers int64[n] and scores float64[n], falling.

    Among the pairs whose most likely domain it is, by the log-odds of P(D | f, e), in nats, over
    the number of words of both sides plus ten: the odds alone are highest for the longest pairs,
    the odds per word for single words. A pair that repeats another's words is passed over.

    posterior: float64[num_pairs, D], P(D | f, e)
    """
    pairs = np.flatnonzero(bitext.usable & (posterior.argmax(1) == domain))
    # the rest is exact where P itself rounds to 1
    rest = np.delete(posterior[pairs], domain, 1).sum(1)
    odds = np.log(posterior[pairs, domain]) - np.log(np.maximum(rest, 1e-300))
    score = odds / (bitext.source.lengths + bitext.target.lengths + STEADY)[pairs]
    seen: set[tuple[bytes, bytes]] = set()
    chosen: list[int] = []
    for row in np.argsort(-score, kind="stable").tolist():
        pair = int(pairs[row])
        text = (bitext.source.sentence(pair).tobytes(), bitext.target.sentence(pair).tobytes())
        if len(chosen) < limit and text not in seen:
            seen.add(text)
            chosen.append(row)
        elif len(chosen) == limit:
            break
    return pairs[chosen], score[chosen]


def format_instance_weights(probability: NDArray[np.float64]) -> Iterator[str]:
    """Moses' instance weights: P(D | f, e) per line, six decimals, 0.000001 at least.

    probability: float64[num_pairs]
    """
    for value in np.maximum(probability, LEAST_WEIGHT).tolist():
        yield f"{value:.6f}"
