"""The aligner on real text with hand links: small, but the figures mean something."""

import pytest

from align import (
    AlignerOptions,
    Bitext,
    Corpus,
    evaluate,
    read_gold,
    read_sentences,
    symmetrize,
    train,
)


@pytest.fixture(scope="module")
def hansards(shared_data):
    """2,381 pairs of Canadian Hansards, then the 447 pairs with hand links."""
    folder = shared_data / "en-fr-hansards"
    sides = [
        read_sentences(folder / f"train.parliament.{code}.gz", lowercase=True)
        + read_sentences(folder / f"test.{code}.gz", lowercase=True)
        for code in ("en", "fr")
    ]
    gold = read_gold(folder / "test.en-fr.gold.gz")
    return Bitext.unlabelled(*(Corpus.from_sentences(side) for side in sides)), gold


def test_flat_hmm_is_level_with_the_classic_tools(hansards):
    """On this text MGIZA's HMM (5 + 3 iterations, no classes) has 27.33 and 19.69 AER."""
    bitext, gold = hansards
    directions = train(bitext, threads=2).align_directions(bitext, 2)
    first = len(bitext) - len(gold)
    errors = {
        heuristic: 100 * evaluate(symmetrize(*directions, heuristic).part(first), gold).aer
        for heuristic in ("grow-diag-final", "grow-diag-final-and")
    }
    assert errors["grow-diag-final"] < 27.33
    assert errors["grow-diag-final-and"] < 21.0


def test_agreement_halves_the_distance_to_the_sparse_samplers(hansards):
    """On this text eflomal has 11.40 to 13.20 AER; the flat HMM stands near 20."""
    bitext, gold = hansards
    options = AlignerOptions(agreement=True, hmm_iterations=5)
    links = train(bitext, options, threads=2).align_posterior(bitext, 0.5, 2)
    assert 100 * evaluate(links.part(len(bitext) - len(gold)), gold).aer < 15.0
