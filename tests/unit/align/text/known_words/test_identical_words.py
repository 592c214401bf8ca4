"""Words that are the same on both sides: which are linked, and with which other links."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import isogloss as ig
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.known_words.identical_words import (
    CONFIDENCE,
    identical_words,
    with_identical_words,
)

WORDS = ["Planck", "1878", "B2", "ESA", "Germania", "de", "año", "αβγδ", "a.b.c.d", "x-ray", "٣"]
SENTENCES = st.lists(st.sampled_from(WORDS), max_size=6)
PAIRS = st.lists(st.tuples(SENTENCES, SENTENCES), max_size=6)


def bitext_of(pairs: list[tuple[list[str], list[str]]]) -> Bitext:
    return Bitext.from_sentences([pair[0] for pair in pairs], [pair[1] for pair in pairs])


def naive(source: list[str], target: list[str]) -> list[tuple[int, int]]:
    return [
        (i, target.index(word))
        for i, word in enumerate(source)
        if source.count(word) == target.count(word) == 1
        and (any(map(str.isdigit, word)) or sum(map(str.isalpha, word)) >= 4)
    ]


@given(PAIRS)
def test_words_that_stand_once_on_both_sides(pairs: list[tuple[list[str], list[str]]]) -> None:
    found = identical_words(bitext_of(pairs))
    assert [*found] == [naive(*pair) for pair in pairs]


@given(PAIRS, st.randoms(use_true_random=False))
def test_links_that_are_added(pairs: list[tuple[list[str], list[str]]], random) -> None:
    links = [
        sorted({(random.randrange(len(s)), random.randrange(len(t))) for _ in range(2)})
        if s and t else []
        for s, t in pairs
    ]  # fmt: skip
    given = ig.Links.from_pairs(links)
    whole = with_identical_words(given, bitext_of(pairs))
    for (source, target), before, after in zip(pairs, links, whole, strict=True):
        own, others = {i for i, _ in before}, {j for _, j in before}
        added = [(i, j) for i, j in naive(source, target) if i not in own or j not in others]
        assert after == sorted({*before, *added})


def test_probabilities() -> None:
    bitext = bitext_of([(["1878", "Planck", "de"], ["de", "1878", "Planck"])])
    scores = np.array([0.25, 0.5], np.float32)
    links = ig.Links(np.int32([1, 2]), np.int32([2, 0]), np.int64([0, 2]), scores)
    whole = with_identical_words(links, bitext)
    assert [*whole] == [[(0, 1), (1, 2), (2, 0)]]
    np.testing.assert_array_equal(whole.probability, np.float32([CONFIDENCE, 0.25, 0.5]))


def test_words_that_a_model_lacks_are_not_equal() -> None:
    known = bitext_of([(["Planck", "Germania"], ["Planck", "Germania"])])
    other = bitext_of([(["Galilei", "Planck"], ["Galilei", "Planck"])])
    sides = [
        own.to_vocabulary(side.vocabulary)
        for own, side in ((other.source, known.source), (other.target, known.target))
    ]
    assert [*identical_words(Bitext.unlabeled(*sides))] == [[(1, 1)]]


def test_a_vocabulary_larger_than_the_text() -> None:
    whole = bitext_of([([f"word{k}"], [f"word{k}"]) for k in range(100)])
    assert [*identical_words(whole[40:42])] == [[(0, 0)], [(0, 0)]]
