"""Agreement of the two directions, and links by posterior."""

import numpy as np
import pytest

from align import AlignerOptions, Bitext, Corpus, UsageError, train
from align.em import Trainer
from align.kernels import hmm
from align.kernels.agreement import add_products
from tests.naive.alignment import random_bitext

LENGTHS = [(3, 2), (1, 4), (0, 2), (5, 5), (2, 1)]


def distinct_bitext() -> Bitext:
    """Every token is a type of its own, so that each cell has its own pair of types."""
    sides = []
    for side in (0, 1):
        numbers = iter(range(100))
        sides.append([[f"{side}-{next(numbers)}" for _ in range(n[side])] for n in LENGTHS])
    return Bitext.unlabelled(Corpus.from_sentences(sides[0]), Corpus.from_sentences(sides[1]))


def trained(bitext: Bitext) -> Trainer:
    trainer = Trainer(bitext, AlignerOptions(window=2, agreement=True), 1)
    rng = np.random.default_rng(3)
    for direction in trainer.directions:
        direction.lexical[:, :-1] = rng.uniform(0.01, 1.0, direction.lexical[:, :-1].shape)
        direction.null[:] = rng.uniform(0.01, 1.0, direction.null.shape)
    return trainer


def posteriors(trainer: Trainer, side: int, weights: np.ndarray) -> np.ndarray:
    """Link posteriors from the counting kernel, which is compared with enumeration elsewhere."""
    direction, options = trainer.directions[side], trainer.options
    counts = np.zeros(len(trainer.index) + 1)
    jumps = (np.zeros(7), np.zeros(7), np.zeros((4, 4)), np.zeros(4))
    hmm.expectations(
        trainer.texts[side],
        direction.lexical_columns(0, options.lexical_floor),
        direction.jump_columns(0, options),
        weights,
        counts,
        np.zeros(direction.null.shape[1]),
        jumps,
    )
    return counts[trainer.cells.pair_ids]


def test_links_are_counted_by_the_product_of_the_posteriors() -> None:
    trainer = trained(distinct_bitext())
    weights = np.array([1.0, 0.5, 1.0, 0.0, 0.25])
    ones = np.where(weights > 0, 1.0, 0.0)
    cell_weights = np.repeat(weights, np.diff(trainer.cells.offsets))
    product = posteriors(trainer, 0, ones) * posteriors(trainer, 1, ones) * cell_weights
    expected = np.bincount(trainer.cells.pair_ids, product, minlength=len(trainer.index) + 1)
    for counts, _ in trainer._agree(weights[None]):
        np.testing.assert_allclose(counts.lexical[0], expected, rtol=1e-5, atol=1e-7)


def test_jumps_and_null_are_counted_by_each_direction_alone() -> None:
    trainer = trained(distinct_bitext())
    weights = np.array([1.0, 0.5, 1.0, 0.0, 0.25])
    plain = Trainer(trainer.bitext, AlignerOptions(window=2), 1)
    plain.directions = trainer.directions
    for side, (counts, objective) in enumerate(trainer._agree(weights[None])):
        expected = type(counts).zeros(trainer.directions[side])
        assert objective == pytest.approx(plain._expect("hmm", side, 0, weights, expected))
        for name in ("null", "jump", "start", "occupancy", "start_occupancy"):
            np.testing.assert_allclose(
                getattr(counts, name), getattr(expected, name), rtol=1e-9, atol=1e-12
            )


def test_add_products() -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(4, size=9).astype(np.uint32)
    one, other = rng.uniform(size=(2, 9)).astype(np.float32)
    counts = np.ones(5)
    offsets, weights = np.array([0, 2, 2, 6, 9]), np.array([1.0, 9.0, 0.0, 0.5])
    add_products(ids, offsets, weights, one, other, counts)
    each = np.repeat(weights, np.diff(offsets))
    expected = 1 + np.bincount(ids, each * one.astype(float) * other, minlength=5)
    np.testing.assert_allclose(counts, expected, rtol=1e-6)


def test_posterior_links_are_those_above_the_threshold() -> None:
    bitext = random_bitext(np.random.default_rng(1), [(4, 5), (0, 1), (3, 3), (1, 6)] * 5)
    model = train(bitext, AlignerOptions(agreement=True, hmm_iterations=2))
    cells, posterior = model.link_posteriors(bitext)
    links = model.align_posterior(bitext, 0.3)
    for pair in range(len(bitext)):
        own = posterior[:, cells.offsets[pair] : cells.offsets[pair + 1]].mean(0)
        table = own.reshape(bitext.source.lengths[pair], bitext.target.lengths[pair])
        assert list(zip(*map(np.ndarray.tolist, np.nonzero(table >= 0.3)), strict=True)) == (
            links[pair]
        )
    fewer = model.align_posterior(bitext, 0.9)
    assert all(set(fewer[pair]) <= set(links[pair]) for pair in range(len(bitext)))


def test_posteriors_of_each_word_sum_to_one_at_most() -> None:
    bitext = random_bitext(np.random.default_rng(2), [(4, 3), (2, 5)] * 4)
    cells, posterior = train(bitext, AlignerOptions(agreement=True)).link_posteriors(bitext)
    for pair in range(len(bitext)):
        shape = (bitext.source.lengths[pair], bitext.target.lengths[pair])
        own = posterior[:, cells.offsets[pair] : cells.offsets[pair + 1]]
        assert (own[0].reshape(shape).sum(1) <= 1 + 1e-5).all()
        assert (own[1].reshape(shape).sum(0) <= 1 + 1e-5).all()


def test_threads_change_nothing() -> None:
    bitext = random_bitext(np.random.default_rng(4), [(4, 3), (2, 5), (6, 6)] * 4)
    one, two = (train(bitext, AlignerOptions(agreement=True), threads=n) for n in (1, 2))
    for mine, other in zip(one.directions, two.directions, strict=True):
        assert mine.lexical.tobytes() == other.lexical.tobytes()
        assert mine.jump.tobytes() == other.jump.tobytes()


@pytest.mark.parametrize("threshold", [0.0, 1.5, float("nan")])
def test_threshold_out_of_range(threshold: float) -> None:
    bitext = random_bitext(np.random.default_rng(0), [(2, 2)] * 2)
    with pytest.raises(UsageError, match=r"threshold \S+; expected above 0, at most 1"):
        train(bitext).align_posterior(bitext, threshold)


def test_posteriors_need_the_hmm() -> None:
    bitext = random_bitext(np.random.default_rng(0), [(2, 2)] * 2)
    with pytest.raises(UsageError, match="link posteriors need a model with HMM iterations"):
        train(bitext, AlignerOptions(hmm_iterations=0)).link_posteriors(bitext)
