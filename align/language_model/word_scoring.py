"""Scores of sentences under estimated language models, found on word ids."""

import math

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of
from ..text.corpus import Corpus
from ..text.vocabulary import Vocabulary
from .kernels.sentence_scores import NgramRows, score_sentences
from .ngrams import NgramModel
from .words import UNKNOWN

__all__ = ["WordScorer"]

_LN_10 = math.log(10.0)


class WordScorer:
    """An n-gram model that scores a corpus as KenLM does, to the bit, without text in between.

    It is for models whose n-grams are sorted, and hold the prefix and the suffix of each of them,
    as those of :func:`estimate_language_model` are and do.

    Raises ValueError for n-grams that are out of order or lack a prefix.
    """

    __slots__ = ("_first", "_known", "_last_word", "_model", "_values")

    def __init__(self, model: NgramModel) -> None:
        self._model = model
        self._known: tuple[Vocabulary, NDArray[np.int32]] | None = None
        sizes = offsets_of([len(rows) for rows in model.ngrams])
        starts = [
            begin + offsets_of(np.bincount(prefixes, minlength=len(shorter)))[:-1]
            for begin, shorter, prefixes in zip(
                sizes[1:-1], model.ngrams[:-1], _prefixes(model), strict=True
            )
        ]
        self._first = np.concatenate([*starts, sizes[-1:]])
        self._last_word = np.concatenate([rows[:, -1] for rows in model.ngrams])
        self._values = np.stack(
            [np.concatenate(model.log_probability), np.concatenate(model.log_backoff)], axis=1
        )

    def score(self, corpus: Corpus) -> NDArray[np.float64]:
        """Natural log probability of each sentence with its end, float64[num_sentences].

        An empty one scores 0, as nothing is said about a sentence without tokens.
        """
        result = np.empty(len(corpus))
        numbers = self._numbers(corpus.vocabulary)
        ngrams = NgramRows(numbers, self._last_word, self._first, self._values)
        score_sentences(ngrams, self._model.order, corpus.tokens, corpus.offsets, result)
        return _LN_10 * result

    def _numbers(self, vocabulary: Vocabulary) -> NDArray[np.int32]:
        """Those of :func:`_numbers`, kept for the next text over the same vocabulary."""
        known = self._known
        if known is None or known[0] is not vocabulary:
            self._known = known = vocabulary, _numbers(self._model, vocabulary)
        return known[1]


def _numbers(model: NgramModel, vocabulary: Vocabulary) -> NDArray[np.int32]:
    """The model's number of each word of a vocabulary, int32[num_types + 1]; see ``NgramRows``."""
    numbers = np.full(len(vocabulary) + 1, UNKNOWN, np.int32)
    words = vocabulary.encode(model.words[3:])
    known = np.flatnonzero(words >= 0)
    numbers[words[known]] = 3 + known
    return numbers


def _prefixes(model: NgramModel) -> list[NDArray[np.int64]]:
    """Of each order above 1, the rows of its prefixes in the order below."""
    # Int64[n_k] each, rising.
    # Raises ValueError where an order is not sorted, or lacks a prefix of the next one.
    num_words = len(model.words)
    if not np.array_equal(model.ngrams[0][:, 0], np.arange(num_words)):
        raise ValueError("the words of the model must be its 1-grams")
    keys: list[NDArray[np.int64]] = []  # of each order above 1: row of the prefix, then last word
    prefixes = []
    for k, rows in enumerate(model.ngrams[1:], start=2):
        prefix = rows[:, 0].astype(np.int64)
        for column, shorter in enumerate(keys, start=1):
            wanted = prefix * num_words + rows[:, column]
            prefix = np.searchsorted(shorter, wanted)
            if len(wanted) and not np.array_equal(np.append(shorter, -1)[prefix], wanted):
                raise ValueError(f"the prefix of some {k}-gram is missing")
        keys.append(prefix * num_words + rows[:, -1])
        prefixes.append(prefix)
        if (np.diff(keys[-1]) <= 0).any():
            raise ValueError(f"the {k}-grams are not sorted")
    return prefixes
