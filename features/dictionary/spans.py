"""What holds for all words of a phrase, and how often phrases occur in a text."""

from collections.abc import Iterator
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers

from ..extraction.phrases import Phrases, Side

__all__ = ["all_of", "least_of", "occurrences", "places"]

Number = TypeVar("Number", np.float32, np.int64)
_CHUNK = 1 << 20  # words of a text that are looked at together


def all_of(flags: NDArray[np.bool_], phrases: Phrases) -> NDArray[np.bool_]:
    """Whether a flag is set for all words of each phrase: bool[n].

    flags: bool[num_tokens]
    """
    return least_of(flags.astype(np.float32), phrases) > 0.0


def least_of(values: NDArray[Number], phrases: Phrases) -> NDArray[Number]:
    """The least value of the words of each phrase: float32[n], or typed as ``values``.

    values: float32[num_tokens], or int64
    """
    least = values[phrases.positions]
    for offset in range(1, int(phrases.lengths.max(initial=1))):
        rows = np.flatnonzero(phrases.lengths > offset)
        least[rows] = np.minimum(least[rows], values[phrases.positions[rows] + offset])
    return least


def places(side: Side, keys: NDArray[np.int64]) -> Iterator[tuple[NDArray[np.int64], Phrases]]:
    """Where some phrases occur in a text, a part of the text after the other.

    keys: int64[m], of different phrases, rising

    Yields int64[k], the row in ``keys``, and the places.
    """
    tokens, longest = len(side.words), 1 + int((keys & 7).max(initial=0))
    ends = side.corpus.offsets[1:]
    if not len(keys):
        return
    for begin in range(0, tokens, _CHUNK):
        positions = np.arange(begin, min(begin + _CHUNK, tokens), dtype=np.int32)
        left = ends[np.searchsorted(ends, positions, side="right")] - positions
        for length in range(1, longest + 1):
            at = positions[left >= length]
            phrases = Phrases(at, np.full(len(at), length, np.int8))
            wanted = side.keys(phrases)
            rows = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            hits = np.flatnonzero(keys[rows] == wanted)
            yield rows[hits], phrases.select(hits)


def occurrences(
    side: Side, keys: NDArray[np.int64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """How often some phrases occur in a text, overlaps counted: float64[m, K].

    keys: int64[m], of different phrases, rising
    weights: float64[num_pairs, K], what an occurrence in each sentence counts
    """
    result = np.zeros((len(keys), weights.shape[1]))
    sentence = row_numbers(side.corpus.offsets).astype(np.int32)
    for rows, phrases in places(side, keys):
        own = weights[sentence[phrases.positions]]
        for column in range(weights.shape[1]):
            result[:, column] += np.bincount(rows, own[:, column], len(keys))
    return result
