"""SuffixArray: where phrases occur in a text, and in how many of its sentences."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.errors import DataError
from isogloss.align.text.corpus import Corpus

from .kernels.suffix_array import (
    SAMPLED_LENGTHS,
    STEP,
    Suffixes,
    count_sentences,
    find_phrases,
    share_words,
    sort_suffixes,
)

__all__ = ["SuffixArray"]

MAX_WORDS = (1 << 31) - 1  # places are int32


class SuffixArray:
    """An index of a text that finds phrases of any length; 16 bytes per word of the text.

    corpus: the text; an unknown word (-1) is in no phrase
    suffixes: its positions in the order of what stands there up to the end of the sentence

    Raises DataError for a text of 2^31 words or more.
    """

    def __init__(self, corpus: Corpus) -> None:
        tokens, offsets = corpus.tokens, corpus.offsets
        if len(tokens) > MAX_WORDS:
            raise DataError(
                f"one side of the text has {len(tokens):,} words",
                f"at most {MAX_WORDS:,}",
                remedy="Use a part of the text",
            )
        first_word = offsets_of(np.bincount(tokens + 1, minlength=len(corpus.vocabulary) + 1))
        order, rank, sentence, shared = np.empty((4, len(tokens)), np.int32)
        sort_suffixes(tokens, offsets, first_word, order)
        repeats = np.empty((SAMPLED_LENGTHS, len(tokens) // STEP + 1), np.int64)
        share_words(tokens, offsets, order, rank, sentence, shared, repeats)
        self.corpus = corpus
        self.suffixes = Suffixes(
            tokens, offsets, first_word, order, rank, sentence, shared, repeats
        )

    def find(self, phrases: Corpus) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The places of each phrase: low, high int64[num_phrases] into the suffixes.

        ``phrases`` may have a vocabulary of its own; a phrase that does not occur has low = high.
        Phrases in the order of their text are found fastest.
        """
        low, high = np.empty((2, len(phrases)), np.int64)
        find_phrases(self._own_ids(phrases), phrases.offsets, self.suffixes, low, high)
        return low, high

    def count_sentences(self, phrases: Corpus) -> NDArray[np.int64]:
        """How many sentences hold each phrase, each sentence counted once: int64[num_phrases]."""
        low, high = self.find(phrases)
        result = np.empty(len(phrases), np.int64)
        count_sentences(low, high, phrases.lengths, self.suffixes, result)
        return result

    def sentences(self, phrase: Sequence[str]) -> NDArray[np.int32]:
        """The sentences that hold a phrase, rising: int32[n]."""
        low, high = self.find(Corpus.from_sentences([phrase]))
        return np.unique(self.suffixes.sentence[low[0] : high[0]])

    def _own_ids(self, phrases: Corpus) -> NDArray[np.int32]:
        """Words of the phrases as ids of the text, -1 where they are not in it."""
        words = phrases.vocabulary.words
        met = np.zeros(len(words) + 1, np.bool_)
        met[phrases.tokens] = True
        met[-1] = False
        used = np.flatnonzero(met)
        ids = np.full(len(words) + 1, -1, np.int32)  # the last one is that of -1
        ids[used] = self.corpus.vocabulary.encode([words[number] for number in used.tolist()])
        return np.asarray(ids[phrases.tokens])
