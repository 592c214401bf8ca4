"""The spans of a sentence that a table has, against a look at each of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.text.corpus import Corpus
from isogloss.tune.decoder import source_phrases
from isogloss.tune.decoder.source_phrases import SourcePhrases

WORDS = st.sampled_from("abc")
PHRASES = st.lists(st.lists(WORDS, max_size=4).map(tuple), unique=True, max_size=12)


def spans(phrases: list[tuple[str, ...]], sentence: list[str], longest: int) -> list[list[int]]:
    """Every span, one by one."""
    size = len(sentence)
    return [
        [begin, end, phrases.index(tuple(sentence[begin:end]))]
        for begin in range(size)
        for end in range(begin + 1, min(begin + longest, size) + 1)
        if tuple(sentence[begin:end]) in phrases
    ]


def found(phrases: list[tuple[str, ...]], sentence: list[str]) -> list[list[int]]:
    corpus = Corpus.from_sentences(phrases)
    words = corpus.vocabulary.encode(sentence)
    return np.stack(SourcePhrases(corpus).find(words), axis=1).tolist()


@given(PHRASES, st.lists(st.sampled_from("abcd"), max_size=9))
def test_all_spans(phrases: list[tuple[str, ...]], sentence: list[str]) -> None:
    assert spans(phrases, sentence, 20) == found(phrases, sentence)


@pytest.mark.parametrize("bits", [3, 6])
def test_hashes_that_are_the_same(bits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    longer = source_phrases._longer
    mask = np.uint64((1 << bits) - 1)
    monkeypatch.setattr(source_phrases, "_longer", lambda keys, words: longer(keys, words) & mask)
    phrases = [tuple(text) for text in ("a", "b", "ab", "ca")]
    sentence = list("abcabdcaab")
    assert spans(phrases, sentence, 20) == found(phrases, sentence)


def test_longer_phrases_are_not_looked_for() -> None:
    phrases = [("a",) * size for size in (1, 20, 21, 22)]
    assert spans(phrases, ["a"] * 25, 20) == found(phrases, ["a"] * 25)
