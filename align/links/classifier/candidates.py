"""Cells that may be links, and what is known of them."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .kernels.features import POSITIONS, SECOND, cell_features, choice_features, mark_cells

__all__ = ["FIRST", "Candidates", "Translations", "word_features"]

FIRST = POSITIONS + 3  # features of a cell, before a first choice
_LEAST = np.float32(0.02)  # mean posterior of a cell that may be a link
_LEAST_BEST = np.float32(0.0003)  # of one that is the best of its row or column


def word_features(words: Sequence[str], counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Count, kind and length of words: float32[num_words + 1, 3], the last of unknown words.

    counts: int64[num_words], how often each stands in the text
    Kinds are letters (0), digits (1), other characters (2), and unknown words (-1).
    """
    features = np.full((len(words) + 1, 3), [1.0, -1.0, 0.0], np.float32)
    features[:-1, 0] = np.maximum(counts, 1)
    features[:-1, 1] = [_kind(word) for word in words]
    features[:-1, 2] = [len(word) for word in words]
    return features


def _kind(word: str) -> int:
    if any(map(str.isalpha, word)):
        return 0
    return 1 if any(map(str.isdecimal, word)) else 2


class Translations(NamedTuple):
    """Translation probabilities of the pairs of words in cells.

    table: float32[num_type_pairs, D, 2], t(source | target) and t(target | source) of each domain
    pair_ids: uint32[num_cells], row of each cell; domains: float64[num_pairs, D], P(D | f, e)
    """

    table: NDArray[np.float32]
    pair_ids: NDArray[np.uint32]
    domains: NDArray[np.float64]

    def of(self, cells: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.float32]:
        """Both probabilities, averaged over domains, and their product: float32[n, 3].

        cells, pairs: int64[n]
        """
        by_domain = self.table.take(self.pair_ids[cells], axis=0)
        both = sum(
            by_domain[:, number] * self.domains[pairs, number, None]
            for number in range(by_domain.shape[1])
        )
        return np.column_stack([both, np.prod(both, axis=1)]).astype(np.float32)


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
        translations: Translations,
    ) -> "Candidates":
        """The cells with some posterior, and the best of each row and column.

        offsets: int64[num_pairs + 1], first cell of each pair; sizes: int64[2, num_pairs], source
            and target words of each
        values: float32[2, num_cells], P(link) in both directions
        words: float32[num_words, 3] for each side, features of all words of the sentences
        """
        is_likely = np.empty(values.shape[1], np.bool_)
        count = mark_cells(offsets, sizes, values, _LEAST, _LEAST_BEST, is_likely)
        places = np.empty((count, 4), np.int64)
        features = np.empty((count, POSITIONS), np.float32)
        cell_features(offsets, sizes, values, is_likely, *words, places, features)
        features = np.concatenate([features, translations.of(*places.T[:2])], axis=1)
        return cls(sizes, places, features)

    def with_choice(self, chances: NDArray[np.float32]) -> NDArray[np.float32]:
        """The features, and what a first choice says: float32[n, FIRST + SECOND].

        chances: float32[n], P(link) by the first choice
        """
        choice = np.empty((len(self.places), SECOND), np.float32)
        choice_features(self.sizes, self.places, chances, choice)
        return np.concatenate([self.features, choice], axis=1)
