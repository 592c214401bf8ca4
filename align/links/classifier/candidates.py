"""Cells that may be links, and what is known of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...execution.logarithms import log
from .kernels.features import FIRST, SECOND, cell_features, choice_features, count_cells

__all__ = ["LEAST", "Candidates", "word_features"]

LEAST = 0.02  # mean posterior of a cell that may be a link


def word_features(words: Sequence[str], counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Log count, kind and length of words: float32[num_words + 1, 3], the last of unknown words.

    counts: int64[num_words], how often each stands in the text
    Kinds are letters (0), digits (1), other characters (2), and unknown words (-1).
    """
    features = np.full((len(words) + 1, 3), [0.0, -1.0, 0.0], np.float32)
    features[:-1, 0] = log(np.maximum(counts, 1).astype(np.float64))
    features[:-1, 1] = [_kind(word) for word in words]
    features[:-1, 2] = [len(word) for word in words]
    return features


def _kind(word: str) -> int:
    if any(map(str.isalpha, word)):
        return 0
    return 1 if any(map(str.isdecimal, word)) else 2


class Candidates(NamedTuple):
    """Cells of sentence pairs that may be links.

    sizes: int64[2, num_pairs], source and target words of each pair
    places: int64[n, 4], cell, pair, source and target position
    features: float32[n, FIRST]
    """

    sizes: NDArray[np.int64]
    places: NDArray[np.int64]
    features: NDArray[np.float32]

    @classmethod
    def of(
        cls,
        offsets: NDArray[np.int64],
        sizes: NDArray[np.int64],
        values: NDArray[np.float32],
        words: tuple[NDArray[np.float32], NDArray[np.float32]],
    ) -> "Candidates":
        """The cells whose mean posterior is at least LEAST.

        offsets: int64[num_pairs + 1], first cell of each pair; sizes: int64[2, num_pairs], source
            and target words of each
        values: float32[2, num_cells], P(link) in both directions
        words: float32[num_words, 3] for each side, features of all words of the sentences
        """
        least = np.float32(LEAST)
        places = np.empty((count_cells(values, least), 4), np.int64)
        features = np.empty((len(places), FIRST), np.float32)
        cell_features(offsets, sizes, values, least, *words, places, features)
        return cls(sizes, places, features)

    def with_choice(self, chances: NDArray[np.float32]) -> NDArray[np.float32]:
        """The features, and what a first choice says: float32[n, FIRST + SECOND].

        chances: float32[n], P(link) by the first choice
        """
        choice = np.empty((len(self.places), SECOND), np.float32)
        choice_features(self.sizes, self.places, chances, choice)
        return np.concatenate([self.features, choice], axis=1)
