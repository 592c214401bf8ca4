"""Whether the words of a phrase belong together."""

import numpy as np
from numpy.typing import NDArray

from ..extraction.phrases import Phrases, Side
from .spans import occurrences

__all__ = ["cohesion"]


def cohesion(side: Side, phrases: Phrases) -> NDArray[np.float64]:
    """Pointwise mutual information of the parts of each phrase, in bits: float64[n].

    log2 of how many times as often the phrase xy occurs as it would if x and y came one after the
    other by chance, f(xy) N / (f(x) f(y)), at the split where that is least (Church & Hanks 1990,
    "Word association norms, mutual information, and lexicography"). A word has infinity.
    """
    keys = [side.keys(phrases)]
    for split in range(1, int(phrases.lengths.max(initial=1))):
        for part in _parts(phrases, split):
            keys.append(side.keys(part))
    wanted = np.unique(np.concatenate(keys))
    counts = occurrences(side, wanted, np.ones((len(side.corpus), 1)))[:, 0]

    def count(part: Phrases) -> NDArray[np.float64]:
        return counts[np.searchsorted(wanted, side.keys(part))]

    bits = np.full(len(phrases), np.inf)
    whole = count(phrases) * len(side.words)
    for split in range(1, int(phrases.lengths.max(initial=1))):
        rows = np.flatnonzero(phrases.lengths > split)
        first, second = map(count, _parts(phrases, split))
        bits[rows] = np.minimum(bits[rows], np.log2(whole[rows] / (first * second)))
    return bits


def _parts(phrases: Phrases, split: int) -> tuple[Phrases, Phrases]:
    """What stands before and behind ``split`` words, of the phrases that have more of them."""
    longer = phrases.select(np.flatnonzero(phrases.lengths > split))
    sizes = np.full(len(longer), split, np.int8)
    return (
        Phrases(longer.positions, sizes),
        Phrases(longer.positions + np.int32(split), longer.lengths - sizes),
    )
