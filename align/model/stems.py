"""Stems: words that begin alike, and the lexical table by stems that a rare word leans towards."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..text.bitext import Bitext
from ..text.corpus import Corpus
from ..text.vocabulary import Vocabulary
from .cooccurrence import PairIndex
from .kernels.estimation import divide_by_group, number_stem_pairs, sum_by_group

__all__ = ["StemPairs", "stems_of"]


def stems_of(vocabulary: Vocabulary, length: int) -> NDArray[np.int64]:
    """Stem of each word, int64[num_types]: words with the same first ``length`` characters.

    NULL has stem 0 to itself.
    """
    numbers: dict[str, int] = {}
    stems = [numbers.setdefault(word[:length], len(numbers) + 1) for word in vocabulary.words[1:]]
    return np.array([0, *stems], np.int64)


@dataclass(frozen=True)
class StemPairs:
    """The pairs of stems behind the pairs of types of an index.

    pair: int32[num_type_pairs], the pair of stems of each
    stems: (source, target), each int32[num_stem_pairs]
    shares: (source, target), each float64[num_types], how many of the running words of its stem are
        this word
    """

    pair: NDArray[np.int32]
    stems: tuple[NDArray[np.int32], NDArray[np.int32]]
    shares: tuple[NDArray[np.float64], NDArray[np.float64]]

    @classmethod
    def build(cls, bitext: Bitext, index: PairIndex, length: int) -> "StemPairs":
        """The stems of ``length`` characters behind an index of the bitext."""
        rows, columns = (
            stems_of(side.vocabulary, length) for side in (bitext.source, bitext.target)
        )
        pair, source, target = (np.empty(len(index), np.int32) for _ in range(3))
        size = number_stem_pairs(
            (index.row_offsets, index.columns), np.argsort(rows, kind="stable"), rows, columns,
            pair, source, target,
        )  # fmt: skip
        shares = _shares(bitext.source, rows), _shares(bitext.target, columns)
        return cls(pair, (source[:size].copy(), target[:size].copy()), shares)

    def probabilities(self, counts: NDArray[np.float64], side: int) -> NDArray[np.float64]:
        """P(generated stem | state's stem): float64[num_stem_pairs].

        counts: float64[num_type_pairs]; side: 0 where source words are generated, 1 target words.
        """
        totals = np.zeros(len(self.stems[0]))
        sum_by_group(counts, self.pair, totals)
        divide_by_group(totals, self.stems[1 - side], np.zeros(len(self.shares[1 - side])))
        return totals


def _shares(corpus: Corpus, stems: NDArray[np.int64]) -> NDArray[np.float64]:
    tokens = corpus.tokens[corpus.tokens > 0]
    counts = np.bincount(tokens, minlength=len(corpus.vocabulary)).astype(np.float64)
    return np.asarray(counts / np.maximum(np.bincount(stems, counts), 1.0)[stems])
