"""Phrases found by the suffix array against a search through the text."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.align.text.corpus import Corpus
from isogloss.features.pruning import suffix_array
from isogloss.features.pruning.kernels.suffix_array import SAMPLED_LENGTHS, STEP
from isogloss.features.pruning.suffix_array import SuffixArray
from tests.naive.significance import sentences_with

# few words, so that phrases come often, and twice in a sentence
sentences = st.lists(st.sampled_from("abc"), max_size=12)
texts = st.lists(sentences, max_size=8)
phrases = st.lists(st.lists(st.sampled_from("abcx"), min_size=1, max_size=11), max_size=20)


def suffixes(text: list[list[str]]) -> list[tuple[list[str], int, int]]:
    """Words to the end of the sentence, position, sentence; in order."""
    suffixes, position = [], 0
    for number, words in enumerate(text):
        for begin in range(len(words)):
            suffixes.append((words[begin:], position, number))
            position += 1
    return sorted(suffixes, key=lambda suffix: suffix[:2])


def corpus(text: list[list[str]]) -> Corpus:
    """Ids rise with the words, so that both sort the same."""
    words = Corpus.from_sentences([list("abc")]).vocabulary
    return Corpus.from_sentences(text, words)


@given(texts)
def test_positions_are_in_the_order_of_their_suffixes(text: list[list[str]]) -> None:
    index = SuffixArray(corpus(text)).suffixes
    expected = suffixes(text)
    assert [position for _, position, _ in expected] == index.order.tolist()
    assert [sentence for _, _, sentence in expected] == index.sentence.tolist()
    assert list(range(len(expected))) == index.rank[index.order].tolist()


@given(texts)
def test_words_shared_with_the_place_before_in_the_sentence(text: list[list[str]]) -> None:
    index = SuffixArray(corpus(text)).suffixes
    before: dict[int, list[str]] = {}
    expected = []
    for words, _, sentence in suffixes(text):
        both = list(zip(words, before.get(sentence, []), strict=False))
        expected.append(next((k for k, (a, b) in enumerate(both) if a != b), len(both)))
        before[sentence] = words
    assert expected == index.shared.tolist()


@given(texts, phrases)
def test_phrases_are_found(text: list[list[str]], sought: list[list[str]]) -> None:
    """Phrases have a vocabulary of their own, with a word that is not in the text."""
    index = SuffixArray(corpus(text))
    expected = [sentences_with(phrase, text) for phrase in sought]
    assert [len(sentences) for sentences in expected] == index.count_sentences(
        Corpus.from_sentences(sought)
    ).tolist()
    assert [sorted(sentences) for sentences in expected] == [
        index.sentences(phrase).tolist() for phrase in sought
    ]


def test_places_of_a_phrase() -> None:
    """Of the vocabulary of the text itself, too."""
    text = Corpus.from_sentences([["a", "b", "a", "b"], [], ["b", "a"], ["a", "b"]])
    index = SuffixArray(text)
    sought = text.select(np.array([3, 2, 0]))
    low, high = index.find(sought)
    order = index.suffixes.order
    positions = [sorted(order[a:b].tolist()) for a, b in zip(low, high, strict=True)]
    assert [[0, 2, 6], [1, 4], [0]] == positions


@pytest.mark.parametrize("length", [1, 2, SAMPLED_LENGTHS, SAMPLED_LENGTHS + 1])
@pytest.mark.parametrize("times", [1, 10 * STEP // 3, 4 * STEP])
def test_frequent_phrases_repeated_in_a_sentence(length: int, times: int) -> None:
    """More places than are looked at one by one."""
    text = [["b"] * 3, ["a"] * (length + 3), ["a"] * length, ["c", "a"]] * times
    index = SuffixArray(Corpus.from_sentences(text))
    sought = Corpus.from_sentences([["a"] * length, ["b"], ["c", "a"]])
    expected = [times * (3 if length == 1 else 2), times, times]
    assert expected == index.count_sentences(sought).tolist()


def test_unknown_words_of_the_text_are_in_no_phrase() -> None:
    known = Corpus.from_sentences([["a", "b"]]).vocabulary
    index = SuffixArray(Corpus.from_sentences([["a", "x", "b"], ["a", "b"]], known))
    for phrase, expected in (("a b", [1]), ("x", []), ("a x", []), ("b", [0, 1])):
        assert expected == index.sentences(phrase.split()).tolist()


def test_a_text_without_words() -> None:
    for text in ([], [[], []]):
        index = SuffixArray(Corpus.from_sentences(text))
        assert [0] == index.count_sentences(Corpus.from_sentences([["a"]])).tolist()
        assert 0 == len(index.count_sentences(Corpus.from_sentences([])))


def test_a_long_sentence_of_one_word_does_not_take_long() -> None:
    """What compares suffixes word by word takes hours."""
    index = SuffixArray(Corpus.from_sentences([["a"] * 200_000, ["a", "a"]]))
    assert list(range(200_000))[::-1] == [
        position for position in index.suffixes.order.tolist() if position < 200_000
    ]
    sought = Corpus.from_sentences([["a"] * n for n in (1, 2, 3, 150_000)])
    assert [2, 2, 1, 1] == index.count_sentences(sought).tolist()


def test_same_suffixes_stay_in_text_order() -> None:
    index = SuffixArray(Corpus.from_sentences([["x", "y", "z"]] * 50))
    for low, high in pairwise([0, 50, 100, 150]):
        assert sorted(index.suffixes.order[low:high]) == index.suffixes.order[low:high].tolist()


def test_a_text_of_too_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suffix_array, "MAX_WORDS", 2)
    with pytest.raises(DataError, match=r"one side of the text has 3 words; expected at most 2\."):
        SuffixArray(Corpus.from_sentences([["a", "b"], ["c"]]))
