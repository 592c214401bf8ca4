"""The aligner on real text with hand links: small, but the figures mean something."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from isogloss.align import (
    AlignerOptions,
    Bitext,
    evaluate,
    read_gold,
    read_sentences,
    symmetrize,
    train,
)
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.corpus import Corpus
from tests.naive.alignment import forward_backward, jump_table, read_sentence


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
    return Bitext.unlabeled(*(Corpus.from_sentences(side) for side in sides)), gold


@pytest.fixture(scope="module")
def model(hansards):
    return train(hansards[0], threads=2)


PLAIN = AlignerOptions(
    agreement=False, stem_length=0, prune=0.0, hmm_iterations=3, null_probability=0.2
)


def error(links, gold) -> float:
    """AER in per cent of the last pairs, which have hand links."""
    return 100 * evaluate(links.part(len(links) - len(gold)), gold).aer


def test_flat_hmm_is_level_with_the_classic_tools(hansards):
    """On this text MGIZA's HMM (5 + 3 iterations, no classes) has 27.33 and 19.69 AER."""
    bitext, gold = hansards
    directions = train(bitext, options=PLAIN, threads=2).align_directions(bitext, 2)
    errors = {
        heuristic: error(symmetrize(*directions, heuristic), gold)
        for heuristic in ("grow-diag-final", "grow-diag-final-and")
    }
    assert errors["grow-diag-final"] < 27.33
    assert errors["grow-diag-final-and"] < 21.0


def test_the_default_is_ahead_of_the_sparse_samplers(hansards, model):
    """On this text eflomal has 11.40 to 13.20 AER; the flat HMM stands near 20."""
    bitext, gold = hansards
    assert error(model.align(bitext, threads=2), gold) < 9.5
    directions = model.align_directions(bitext, 2)
    assert error(symmetrize(*directions, "grow-diag-final-and"), gold) < 10.5


@pytest.mark.parametrize(
    ("changes", "limit"),
    [
        ({"agreement": True}, 15.0),
        ({"stem_length": 4}, 14.0),
        ({"agreement": True, "final_jumps": True}, 15.0),
    ],
    ids=str,
)
def test_each_means_alone_halves_the_distance_to_the_sparse_samplers(hansards, changes, limit):
    bitext, gold = hansards
    options = PLAIN.replace(hmm_iterations=5, **changes)
    links = train(bitext, options=options, threads=2).align_posterior(bitext, 0.5, 2)
    assert error(links, gold) < limit


def test_every_posterior_is_a_probability(hansards, model):
    """Sums of float32 shares come out at 1 + 1e-6 here and there."""
    bitext, _ = hansards
    _, values = model.link_posteriors(bitext, 2)
    assert ((values >= 0.0) & (values <= 1.0)).all()
    alone = replace(model, options=model.options.replace(identical_words=False))
    sure = alone.align_posterior(bitext, 1.0, 2).probability
    assert len(sure) > 100
    assert sure.max() > 0.99
    np.testing.assert_array_equal(sure, sure.max())


def test_a_higher_threshold_gives_fewer_and_better_links(hansards, model):
    bitext, gold = hansards
    first = len(bitext) - len(gold)
    parts = [model.align_posterior(bitext, value, 2).part(first) for value in (0.2, 0.5, 0.9)]
    scores = [evaluate(links, gold) for links in parts]
    for lower, other in pairwise(scores):
        assert lower.precision < other.precision
        assert lower.recall > other.recall


def test_posteriors_are_those_of_double_precision(hansards, model):
    """Trained tables are peaked; the longest pair and some others."""
    bitext, _ = hansards
    cells = bitext.source.lengths * bitext.target.lengths
    rows = np.array([int(cells.argmax()), 0, 17, 1000, len(bitext) - 1])
    text = bitext.select(rows)
    places, values = model.link_posteriors(text)
    likelihoods = model.log_likelihoods(text)
    lexical = model.parameters.lexical_tables(model.options.lexical_floor)
    jumps = model.parameters.jumps(model.options)
    assert np.isfinite(values).all()
    for number in np.flatnonzero(text.usable):
        cells_of_pair = values[:, slice(*places.offsets[number : number + 2])]
        cells_of_pair = cells_of_pair.reshape(
            2, text.source.lengths[number], text.target.lengths[number]
        )
        for side in (0, 1):
            twin = forward_backward(
                read_sentence(text, model.index, side, number, lexical),
                jump_table(jumps, side, 0),
            )
            expected = twin.links if side == 0 else twin.links.T
            np.testing.assert_allclose(cells_of_pair[side], expected, rtol=1e-3, atol=1e-5)
            assert likelihoods[side, number, 0] == pytest.approx(twin.log_likelihood, rel=1e-5)


def test_threads_and_the_disk_change_no_link(hansards, model, tmp_path):
    bitext, _ = hansards
    again = train(bitext, threads=1)
    for part in ("lexical", "null_source", "null_target", "jump", "start"):
        first, other = (getattr(trained.parameters, part) for trained in (model, again))
        assert first.tobytes() == other.tobytes()
    model.save(tmp_path / "model")
    loaded = AlignmentModel.load(tmp_path / "model")
    some = bitext.select(np.arange(0, len(bitext), 7))
    first, other = loaded.align(some), model.align(some, threads=2)
    for part in ("source", "target", "offsets", "probability"):
        np.testing.assert_array_equal(getattr(first, part), getattr(other, part))


def test_shuffled_pairs_score_lower(hansards, model):
    bitext, _ = hansards
    some = bitext.select(np.arange(500))
    shuffled = Bitext.unlabeled(some.source, some.target.select(np.roll(np.arange(500), 1)))
    good, bad = model.scores(some), model.scores(shuffled)
    both = np.isfinite(good) & np.isfinite(bad)
    assert (good[both] > bad[both]).mean() > 0.95
