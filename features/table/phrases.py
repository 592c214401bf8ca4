"""Phrases as text and as corpora."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import count, pairwise

import numpy as np

from align.ragged import offsets_of
from align.text.corpus import Corpus
from align.text.vocabulary import Vocabulary

__all__ = ["phrase_corpus", "phrase_texts", "phrases_of"]


def phrase_texts(phrases: Corpus) -> list[str]:
    """Each phrase as text."""
    words = phrases.vocabulary.words
    tokens, bounds = phrases.tokens.tolist(), phrases.offsets.tolist()
    text = [words[token] for token in tokens]
    return [" ".join(text[a:b]) for a, b in pairwise(bounds)]


def phrase_corpus(texts: Iterable[str]) -> Corpus:
    """A corpus of phrases, a blank between words."""
    texts = list(texts)
    offsets = offsets_of([text.count(" ") + 1 for text in texts])
    words = " ".join(texts).split(" ")
    ids: defaultdict[str, int] = defaultdict(count(1).__next__)
    tokens = np.fromiter(map(ids.__getitem__, words), np.int32, len(words))
    return Corpus(tokens, offsets, Vocabulary(ids))


def phrases_of(sentences: Iterable[Sequence[str]], max_length: int = 7) -> frozenset[str]:
    """All phrases up to a length that occur in the sentences: the rules an input can use."""
    phrases: set[str] = set()
    for words in sentences:
        for begin in range(len(words)):
            for end in range(begin + 1, min(begin + max_length, len(words)) + 1):
                phrases.add(" ".join(words[begin:end]))
    return frozenset(phrases)
