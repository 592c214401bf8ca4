"""Phrases as numbers: equal keys for equal phrases, and the byte order of their text."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.align.text.corpus import Corpus
from isogloss.features.extraction.kernels.phrases import packed_words
from isogloss.features.extraction.phrases import Phrases, Side
from isogloss.features.table.phrases import phrase_texts

# around the blank, the bar of the separator, and each other's beginnings
WORDS = [
    "a", "a!", "a\x01", "aa", "ab", "\x01", "\x1f", "!", "|", "||", "||a", "|||a", "a|||", "||||",
    "{", "}", "~", "~a", "\x7f", "é", "\u00a0", "\u2028", "語", "\U0001f600", "\uffff", "NULL",
]  # fmt: skip
EDGES = st.lists(st.lists(st.sampled_from(WORDS), max_size=10), max_size=4)
FREE = st.lists(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\r\n"), min_size=1)
        .filter(lambda word: word != "|||"),  # the separator is no word
        max_size=9,
    ),
    max_size=3,
)  # fmt: skip


def all_phrases(corpus: Corpus) -> Phrases:
    """Each span of 1 to 8 words inside a sentence."""
    spans = [
        (begin, end - begin)
        for first, last in pairwise(corpus.offsets.tolist())
        for begin in range(first, last)
        for end in range(begin + 1, min(begin + 8, last) + 1)
    ]
    places = np.array(spans, np.int64).reshape(-1, 2)
    return Phrases(places[:, 0].astype(np.int32), places[:, 1].astype(np.int8))


def words_of(corpus: Corpus, phrases: Phrases) -> list[tuple[str, ...]]:
    tokens = [corpus.vocabulary[token] for token in corpus.tokens.tolist()]
    places = zip(phrases.positions.tolist(), phrases.lengths.tolist(), strict=True)
    return [tuple(tokens[at : at + length]) for at, length in places]


def in_byte_order(phrases: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    return sorted(phrases, key=lambda phrase: f"{' '.join(phrase)} |||".encode())


@settings(max_examples=60, deadline=None)
@given(EDGES | FREE)
def test_equal_phrases_alone_have_equal_keys(sentences: list[list[str]]) -> None:
    corpus = Corpus.from_sentences(sentences)
    phrases = all_phrases(corpus)
    keys = Side.of(corpus).keys(phrases).tolist()
    expected = words_of(corpus, phrases)
    assert len(set(zip(keys, expected, strict=True))) == len(set(expected)) == len(set(keys))


@settings(max_examples=60, deadline=None)
@given(EDGES | FREE)
def test_byte_order(sentences: list[list[str]]) -> None:
    corpus = Corpus.from_sentences(sentences)
    phrases = all_phrases(corpus)
    own = words_of(corpus, phrases)
    order = Side.of(corpus).byte_order(phrases).tolist()
    assert [own[k] for k in order] == in_byte_order(own)
    assert sorted(order) == list(range(len(own)))


def test_words_of_all_edges_in_one_corpus() -> None:
    corpus = Corpus.from_sentences([WORDS, WORDS[::-1], WORDS[::2] + WORDS[1::2]])
    phrases, side = all_phrases(corpus), Side.of(corpus)
    own = words_of(corpus, phrases)
    assert [own[k] for k in side.byte_order(phrases).tolist()] == in_byte_order(own)
    keys = side.keys(phrases).tolist()
    assert len(set(keys)) == len(set(own)) == len(set(zip(keys, own, strict=True)))


def test_a_phrase_before_its_own_beginning() -> None:
    # "a b |||" comes before "a |||", "a } |||" behind it
    corpus = Corpus.from_sentences([["a", "b"], ["a", "}"], ["a", "|"]])
    phrases, side = all_phrases(corpus), Side.of(corpus)
    texts = [" ".join(words) for words in words_of(corpus, phrases)]
    order = [texts[k] for k in side.byte_order(phrases).tolist()]
    assert order == ["a b", "a |", "a", "a", "a", "a }", "b", "|", "}"]


@pytest.mark.parametrize("num_words", [3, 4000, 70000])
def test_words_over_several_columns(num_words: int) -> None:
    rng = np.random.default_rng(1)
    shared = [f"w{k}" for k in rng.integers(3, size=400)]
    corpus = Corpus.from_sentences([shared, *([f"w{k}"] for k in range(num_words))])
    phrases = all_phrases(Corpus(corpus.tokens[:400], np.array([0, 400]), corpus.vocabulary))
    own = words_of(corpus, phrases)
    assert [own[k] for k in Side.of(corpus).byte_order(phrases)] == in_byte_order(own)


@pytest.mark.parametrize("bits", [20, 21, 30, 31])
def test_words_are_packed_from_the_front(bits: int) -> None:
    words = np.array([1, (1 << bits) - 1, 5], np.int32)
    places, lengths = np.array([0, 1, 0], np.int32), np.array([3, 1, 1], np.int8)
    per_column = 63 // bits
    columns = np.empty((-(-4 // per_column), 3), np.int64)
    packed_words(words, 7, bits, places, lengths, columns)
    rows = [[1, (1 << bits) - 1, 5, 7], [(1 << bits) - 1, 7], [1, 7]]
    for number, row in enumerate(rows):
        padded = row + [0] * (per_column * len(columns) - len(row))
        expected = [
            sum(word << bits * (per_column - 1 - k) for k, word in enumerate(part))
            for part in np.reshape(padded, (-1, per_column)).tolist()
        ]
        assert columns[:, number].tolist() == expected


def test_texts_and_selection() -> None:
    corpus = Corpus.from_sentences([["a", "b", "c"], [], ["b"]])
    phrases = Phrases(np.array([1, 3, 0], np.int32), np.array([2, 1, 3], np.int8))
    side = Side.of(corpus)
    assert phrase_texts(side.texts(phrases)) == ["b c", "b", "a b c"]
    chosen = phrases.select(np.array([2, 0]))
    assert phrase_texts(side.texts(chosen)) == ["a b c", "b c"]
    assert len(chosen) == 2


@pytest.mark.parametrize("sentences", [[], [[]], [["a", "b"]]])
def test_no_phrase(sentences: list[list[str]]) -> None:
    side = Side.of(Corpus.from_sentences(sentences))
    none = Phrases(np.zeros(0, np.int32), np.zeros(0, np.int8))
    assert side.keys(none).tolist() == side.byte_order(none).tolist() == []
    assert len(side.texts(none)) == 0


def test_too_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.features.extraction.phrases.KEY_BITS", 2)
    Side.of(Corpus.from_sentences([["a", "b", "c"]]))
    message = "a side of the text has 4 words; expected fewer than 4. Extract from"
    with pytest.raises(UsageError, match=message):
        Side.of(Corpus.from_sentences([["a", "b", "c", "a"]]))
