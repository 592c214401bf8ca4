"""A model links names and numbers that it does not know, if its options say so."""

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.corpus import Corpus

PAIRS = [("the house is red", "la casa es roja"), ("the car is new", "el coche es nuevo")] * 30
NEW = "the Lagrange house is 1878", "la casa Lagrange es 1878"
NAMES = {(1, 2), (4, 4)}


@pytest.fixture(scope="module")
def model() -> ig.AlignmentModel:
    return ig.train(Bitext.from_pairs(PAIRS), hmm_iterations=3)


def test_new_names_are_linked(model: ig.AlignmentModel) -> None:
    pair = model.align_pair(*NEW)
    assert NAMES <= {link[:2] for link in pair.links}
    links = model.align([NEW[0]], [NEW[1]])
    assert NAMES <= set(links[0])
    assert links.probability is not None
    assert [*links] == [sorted(link[:2] for link in pair.links)]
    text = Bitext.from_pairs([NEW])
    encoded = model.encode(text)
    assert (1, 2) not in model.align(encoded)[0]  # what the words were is gone
    assert model.with_identical_words(model.align(encoded), text) == links
    assert (1, 2) in model.align_posterior(text, 0.99)[0]


@pytest.mark.parametrize("heuristic", ["intersection", "grow-diag-final-and", "union"])
def test_a_heuristic_adds_nothing(model: ig.AlignmentModel, heuristic: str) -> None:
    text = Bitext.from_pairs([NEW])
    links = model.align(text, heuristic=heuristic)
    assert links == model.align(model.encode(text), heuristic=heuristic)
    assert links == model.with_identical_words(links, text, heuristic)


def test_without_the_option() -> None:
    options = ig.AlignerOptions(hmm_iterations=3, identical_words=False)
    model = ig.train(Bitext.from_pairs(PAIRS), options=options)
    assert (1, 2) not in {link[:2] for link in model.align_pair(*NEW).links}


def test_the_papers_have_no_such_links() -> None:
    sides = [Corpus.from_sentences(side) for side in zip(*PAIRS, strict=True)]
    assert ig.train(Bitext.unlabeled(*sides), preset="paper").options.identical_words is False


def test_a_pair_alone_is_aligned_as_in_a_text(model: ig.AlignmentModel) -> None:
    pairs = [
        NEW,
        *PAIRS[:2],
        ("1878", "1878"),
        ("1878 1878 is", "es 1878"),
        ("", "casa"),
        ("a", ""),
    ]
    text = Bitext.from_pairs(pairs)
    for options in ({}, {"heuristic": "union"}, {"heuristic": "grow-diag-final-and"}):
        links = model.align(text, **options)
        if links.probability is None:
            links = model.with_confidence(model.encode(text), links)
        for number, pair in enumerate(pairs):
            alone = model.align_pair(*pair, **options)
            assert [link[:2] for link in alone] == links[number]
            np.testing.assert_array_equal(
                np.float32([link.probability for link in alone]), links[[number]].probability
            )
