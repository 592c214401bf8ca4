"""Model 1 kernels against the enumeration of all alignments."""

import numpy as np
import pytest

from align.cooccurrence import build_pair_index
from align.corpus import Bitext, Corpus
from align.kernels import model1
from align.kernels.text import LexicalColumns
from align.parameters import directed_texts
from tests.naive.alignment import (
    Expected,
    filled,
    log_likelihood,
    model1_paths,
    random_bitext,
    read_sentence,
)

LENGTHS = [(1, 1), (4, 3), (2, 4), (3, 0), (0, 2), (3, 1), (1, 4), (4, 4)]


def random_table(
    rng: np.random.Generator, num_pairs: int, bitext: Bitext, side: int, floor: float = 1e-7
) -> LexicalColumns:
    generated = (bitext.source, bitext.target)[side]
    return LexicalColumns(
        rng.random(num_pairs + 1, np.float32),
        rng.random(len(generated.vocabulary), np.float32),
        floor,
    )


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_log_likelihood_is_that_of_all_alignments(seed: int, side: int) -> None:
    rng = np.random.default_rng(seed)
    bitext = random_bitext(rng, LENGTHS)
    index, cells = build_pair_index(bitext)
    lexical = random_table(rng, len(index), bitext, side)
    actual = np.full(len(bitext), np.nan)
    model1.log_likelihoods(directed_texts(bitext, cells)[side], lexical, actual)
    expected = [
        log_likelihood(model1_paths(read_sentence(bitext, index, side, number, lexical)))
        if 0 not in lengths
        else 0.0
        for number, lengths in enumerate(LENGTHS)
    ]
    np.testing.assert_allclose(actual, expected, rtol=1e-9)


@pytest.mark.parametrize("domains", [1, 3])
@pytest.mark.parametrize("side", [0, 1])
def test_counts_are_posteriors_weighted_by_domain(side: int, domains: int) -> None:
    rng = np.random.default_rng(side)
    bitext = random_bitext(rng, LENGTHS)
    index, cells = build_pair_index(bitext)
    posterior = rng.dirichlet(np.ones(domains), len(bitext))
    posterior[1] = np.eye(domains)[0]  # all other domains pass pair 1 over
    for domain in range(domains):
        lexical = random_table(rng, len(index), bitext, side)
        counts = np.zeros(len(index) + 1)
        null_counts = np.zeros(len(lexical.null))
        weights = posterior[:, domain].copy()
        objective = model1.expectations(
            directed_texts(bitext, cells)[side], lexical, weights, counts, null_counts
        )
        expected, total = Expected(), 0.0
        for number, lengths in enumerate(LENGTHS):
            if 0 not in lengths:
                sentence = read_sentence(bitext, index, side, number, lexical)
                paths = model1_paths(sentence)
                expected.add(sentence, paths, weights[number], window=1)
                total += weights[number] * log_likelihood(paths)
        assert objective == pytest.approx(total, rel=1e-9)
        np.testing.assert_allclose(
            counts, filled(expected.lexical, len(counts)), rtol=1e-9, atol=1e-12
        )
        np.testing.assert_allclose(
            null_counts, filled(expected.null, len(null_counts)), rtol=1e-9, atol=1e-12
        )


def test_counts_are_added_to_what_stands_there() -> None:
    rng = np.random.default_rng(4)
    bitext = random_bitext(rng, [(2, 2)])
    index, cells = build_pair_index(bitext)
    lexical = random_table(rng, len(index), bitext, 0)
    text, weights = directed_texts(bitext, cells)[0], np.ones(1)
    counts, null_counts = np.zeros(len(index) + 1), np.zeros(len(lexical.null))
    model1.expectations(text, lexical, weights, counts, null_counts)
    once = counts.copy()
    model1.expectations(text, lexical, weights, counts, null_counts)
    np.testing.assert_allclose(counts, 2 * once, rtol=1e-12)


def test_repeated_state_words_share_the_posterior() -> None:
    """(a a b / x): position counts, so that `a` gets 2/3 of x (NLTK 3.10.4 gave 1/2)."""
    bitext = Bitext.unlabelled(
        Corpus.from_sentences([["x"]]), Corpus.from_sentences([["a", "a", "b"]])
    )
    index, cells = build_pair_index(bitext)
    lexical = LexicalColumns(
        np.full(len(index) + 1, 0.5, np.float32), np.zeros(2, np.float32), 1e-12
    )
    counts, null_counts = np.zeros(len(index) + 1), np.zeros(2)
    model1.expectations(directed_texts(bitext, cells)[0], lexical, np.ones(1), counts, null_counts)
    np.testing.assert_allclose(counts[:2], [2 / 3, 1 / 3], rtol=1e-9)


def test_floor_is_the_least_probability() -> None:
    rng = np.random.default_rng(5)
    bitext = random_bitext(rng, [(2, 3)])
    index, cells = build_pair_index(bitext)
    lexical = LexicalColumns(
        np.zeros(len(index) + 1, np.float32),
        np.zeros(len(bitext.source.vocabulary), np.float32),
        1e-3,
    )
    actual = np.zeros(1)
    model1.log_likelihoods(directed_texts(bitext, cells)[0], lexical, actual)
    assert actual[0] == pytest.approx(2 * np.log(1e-3), rel=1e-12)
