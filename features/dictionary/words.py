"""Which tokens are words, and where words may stand in an entry of a dictionary."""

import unicodedata
from collections.abc import Set
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary

__all__ = ["TokenKinds", "folded"]

_APOSTROPHES = "'\u2019"


@dataclass(frozen=True)
class TokenKinds:
    """What the types of a vocabulary are made of, by id; NULL is nothing.

    words: bool[types], hold a letter or a digit, in any script
    lettered: bool[types], hold a letter
    inner: bool[types], words, and hyphens and apostrophes, which may stand between words
    edges: bool[types], words that are no stopwords
    """

    words: NDArray[np.bool_]
    lettered: NDArray[np.bool_]
    inner: NDArray[np.bool_]
    edges: NDArray[np.bool_]

    @classmethod
    def of(cls, vocabulary: Vocabulary, stopwords: Set[str] = frozenset()) -> "TokenKinds":
        """Those of all types. stopwords: in lower case"""
        types = vocabulary.words
        words = np.array([any(map(str.isalnum, word)) for word in types])
        lettered = np.array([any(map(str.isalpha, word)) for word in types])
        inner = words | np.array([bool(word) and all(map(_is_joint, word)) for word in types])
        edges = words & np.array([word.lower() not in stopwords for word in types])
        for flags in (words, lettered, inner, edges):
            flags[0] = False
        return cls(words, lettered, inner, edges)


def _is_joint(character: str) -> bool:
    return character in _APOSTROPHES or unicodedata.category(character) == "Pd"


def folded(corpus: Corpus) -> Corpus:
    """The same text in lower case, over the words that are left."""
    lowered = [word.lower() for word in corpus.vocabulary.words[1:]]
    return corpus.to_vocabulary(Vocabulary(dict.fromkeys(lowered)), lowercase=True)
