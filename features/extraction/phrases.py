"""Phrases of a corpus: which are the same, and how they sort."""

from bisect import bisect_left
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import span_entries
from isogloss.align.errors import UsageError
from isogloss.align.kernels.hash_tables import number_keys
from isogloss.align.text.corpus import Corpus

from .kernels.phrases import KEY_BITS, packed_words, phrase_keys

__all__ = ["Phrases", "Side", "first_places"]

_SEPARATOR = b"||| "


@dataclass(frozen=True)
class Phrases:
    """Places of phrases in a corpus.

    positions: int32[n], corpus position of the first word; lengths: int8[n], 1 to 8 words
    """

    positions: NDArray[np.int32]
    lengths: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.positions)

    def select(self, rows: NDArray[np.int64]) -> "Phrases":
        """The phrases ``rows`` (int64[k]), in that order."""
        return Phrases(self.positions[rows], self.lengths[rows])


@dataclass(frozen=True)
class Side:
    """A corpus whose phrases can be told apart and sorted without looking at their text.

    words: int32[num_tokens], rank of each token's word, from 1 on, in the byte order of words
        followed by a blank; the rank ``end`` is that of the field separator
    bigrams, fourgrams: int32[num_tokens], numbers of the bigram and of the 4-gram that begin at
        a token
    """

    corpus: Corpus
    words: NDArray[np.int32]
    bigrams: NDArray[np.int32]
    fourgrams: NDArray[np.int32]
    end: int

    @classmethod
    def of(cls, corpus: Corpus) -> "Side":
        """Number the words of a corpus, which holds all its words.

        Raises UsageError for a text of 2^30 words or more.
        """
        if len(corpus.tokens) >= 1 << KEY_BITS:
            raise UsageError(
                f"a side of the text has {len(corpus.tokens):,} words; expected fewer than "
                f"{1 << KEY_BITS:,}. Extract from parts of the text"
            )
        texts = [f"{word} ".encode() for word in corpus.vocabulary.words]
        order = sorted(range(1, len(texts)), key=texts.__getitem__)
        before = bisect_left(order, _SEPARATOR, key=texts.__getitem__)
        rank = np.zeros(len(texts), np.int32)
        rank[order] = np.arange(1, len(texts))
        rank[rank > before] += 1
        words = rank[corpus.tokens]
        bigrams = _sequences(words, 1)
        return cls(corpus, words, bigrams, _sequences(bigrams, 2), before + 1)

    def keys(self, phrases: Phrases) -> NDArray[np.int64]:
        """A number per phrase, equal for equal phrases: int64[n]."""
        result = np.empty(len(phrases), np.int64)
        sequences = self.words, self.bigrams, self.fourgrams
        phrase_keys(*sequences, phrases.positions, phrases.lengths, result)
        return result

    def byte_order(self, phrases: Phrases) -> NDArray[np.int64]:
        """The phrases sorted by the bytes of their text and the field separator: int64[n], rows."""
        bits = int(max(self.end, self.words.max(initial=0))).bit_length()
        longest = int(phrases.lengths.max(initial=0)) + 1
        columns = np.empty((-(-longest // (63 // bits)), len(phrases)), np.int64)
        packed_words(self.words, self.end, bits, phrases.positions, phrases.lengths, columns)
        return np.lexsort(columns[::-1])

    def texts(self, phrases: Phrases) -> Corpus:
        """The phrases as a corpus of their own."""
        places, offsets = span_entries(phrases.positions, phrases.lengths)
        return Corpus(self.corpus.tokens[places], offsets, self.corpus.vocabulary)


def _sequences(numbers: NDArray[np.int32], step: int) -> NDArray[np.int32]:
    """Number each pair of a number and the one ``step`` further on; behind the last stands 0."""
    following = np.zeros_like(numbers)
    following[: max(len(numbers) - step, 0)] = numbers[step:]
    keys = numbers.astype(np.int64) * (int(numbers.max(initial=0)) + 1) + following
    return first_places(keys)[1]


def first_places(keys: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Where each different key stands first, int64[m], and the number of each: int32[n].

    keys: int64[n], 0 or more; numbered in order of first appearance, without sorting
    """
    size = 1 << (2 * len(keys)).bit_length()
    first, numbers = np.empty(len(keys), np.int64), np.empty(len(keys), np.int32)
    slots = np.zeros(size, np.uint64), np.empty(size, np.int32)
    different = number_keys(keys, *slots, first, numbers)
    return first[:different].copy(), numbers
