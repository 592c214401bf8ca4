"""Stems: words that begin alike, and the lexical table by stems that a rare word leans towards."""

import numpy as np
from numpy.typing import NDArray

from ..model.kernels.estimation import StemmedWords
from ..text.bitext import Bitext
from ..text.corpus import Corpus
from ..text.known_words.text_form import type_counts
from ..text.vocabulary import Vocabulary

__all__ = ["stemmed_words", "stems_of", "unstemmed_words"]


def stems_of(vocabulary: Vocabulary, length: int) -> NDArray[np.int32]:
    """Stem of each word, int32[num_types]: words with the same first ``length`` characters.

    NULL has stem 0 to itself.
    """
    numbers: dict[str, int] = {}
    stems = [numbers.setdefault(word[:length], len(numbers) + 1) for word in vocabulary.words[1:]]
    return np.array([0, *stems], np.int32)


def stemmed_words(bitext: Bitext, length: int) -> StemmedWords:
    """The words of a bitext with their stems of so many characters."""
    source, target = (stems_of(side.vocabulary, length) for side in (bitext.source, bitext.target))
    return StemmedWords(
        np.argsort(source, kind="stable"), source, target,
        _shares(bitext.source, source), _shares(bitext.target, target), int(target.max()) + 1,
    )  # fmt: skip


def unstemmed_words(num_source: int, num_target: int) -> StemmedWords:
    """So many words of both sides, each a stem to itself."""
    ones = np.ones(num_source), np.ones(num_target)
    source, target = (np.arange(len(side), dtype=np.int32) for side in ones)
    return StemmedWords(np.arange(num_source), source, target, *ones, num_target)


def _shares(corpus: Corpus, stems: NDArray[np.int32]) -> NDArray[np.float64]:
    counts = type_counts(corpus).astype(np.float64)
    return np.asarray(counts / np.maximum(np.bincount(stems, counts), 1.0)[stems])
