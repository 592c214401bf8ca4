"""EM on whole texts: how they are cut into blocks, and the rise of the likelihood."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import logsumexp

from isogloss.align.model.parameters import AlignerOptions
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.e_step import link_blocks
from isogloss.align.training.em import Trainer
from isogloss.align.training.latent_domain import LatentDomains
from isogloss.align.training.train import train
from tests.naive.alignment import random_bitext


@pytest.mark.parametrize("lengths", [[(1, 1)], [(0, 2), (3, 3)], [(2, 2)] * 500, [(9, 0)] * 9])
def test_blocks_cover_the_text_in_order(
    lengths: list[tuple[int, int]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """About as many links in each; how many depends on the text and its domains alone."""
    monkeypatch.setattr("isogloss.align.training.e_step.BLOCK", 20)
    bitext = random_bitext(np.random.default_rng(0), lengths, num_types=1)
    log_weights = np.zeros((2, len(lengths), 3))
    log_weights[:, ::2, 1] = -np.inf
    monkeypatch.setattr("isogloss.align.model.likelihoods.PAIRS", 100)
    text = Trainer(bitext, AlignerOptions()).text
    blocks = link_blocks(text, log_weights)
    edges = [0, *(last for _, last in blocks)]
    assert set(range(0, len(lengths), 100)) < set(edges)  # at which shards may begin
    assert list(pairwise(edges)) == blocks
    assert len(bitext) == edges[-1]
    sizes = np.array([j * i * (2 + number % 2) for number, (j, i) in enumerate(lengths)])
    assert max(sizes[first:last].sum() for first, last in blocks) < 20 + sizes.max() + 1


PLAIN = AlignerOptions(
    agreement=False, stem_length=0, prune=0.0, domain_smoothing=0.0, lexical_floor=1e-12,
    language_model_refits=0,
)  # fmt: skip


def assert_never_falls(values: np.ndarray) -> None:
    """Room for float32 passes, and for pairs whose domain weighs less than 1e-6."""
    assert np.isfinite(values).all()
    assert (np.diff(values, axis=0) >= -1e-6 * np.abs(values[:-1])).all(), np.diff(values, axis=0)
    assert (values[-1] > values[0]).all()


@pytest.mark.parametrize("final", [False, True], ids=["free end", "final jump"])
@pytest.mark.parametrize("smoothing", [0.0, 0.1, 0.5])
@pytest.mark.parametrize("window", [1, 5])
def test_em_never_lowers_the_likelihood(window: int, smoothing: float, final: bool) -> None:
    """Within each stage: Model 1 and HMM, of each direction."""
    rng = np.random.default_rng(window)
    bitext = random_bitext(rng, rng.integers(1, 12, (60, 2)).tolist(), num_types=15)
    options = PLAIN.replace(
        model1_iterations=12, hmm_iterations=25, jump_window=window, jump_smoothing=smoothing,
        final_jumps=final,
    )  # fmt: skip
    trace = train(bitext, options=options).trace
    for stage in ("model1", "hmm"):
        assert_never_falls(np.array([one.log_likelihood for one in trace if one.stage == stage]))


def mixed_bitext(seed: int) -> Bitext:
    """Three kinds of text over the same words, the last one without a seed."""
    rng = np.random.default_rng(seed)
    bitext = random_bitext(rng, rng.integers(1, 8, (150, 2)).tolist(), num_types=12)
    labels = np.full(150, -1, np.int16)
    labels[:50], labels[50:100] = 0, 1
    return bitext.with_numbered_labels(labels, ("law", "med"))


@pytest.mark.filterwarnings("ignore::isogloss.align.DataWarning")
@pytest.mark.parametrize("final", [False, True], ids=["free end", "final jump"])
@pytest.mark.parametrize("shared", [False, True], ids=["own jumps", "shared jumps"])
@pytest.mark.parametrize("sides", ["target", "source", "both"])
def test_em_never_lowers_the_bound_of_the_mixture(sides: str, shared: bool, final: bool) -> None:
    """sum log sum_D P(D) (P(e | D) P(f | e, D) + P(f | D) P(e | f, D)), fixed language models.

    With one summand this is what EM climbs. With both, the counts of either direction are weighed
    by P(D | f, e), as in the paper, not by their own part of it: nothing promises a rise, but here
    is one.
    """
    bitext = mixed_bitext(3)
    options = PLAIN.replace(
        jump_window=2, shared_jumps=shared, final_jumps=final, language_model_sides=sides,
        language_model_order=1, out_domain_size=30, jump_smoothing=0.2,
    )  # fmt: skip
    trainer = Trainer(bitext, options)
    trainer.iterate("model1", 1, np.zeros((2, len(bitext), 1)))
    latent = LatentDomains(trainer)
    latent.initialize("model1")
    assert latent.models is not None
    language = latent.models.score(bitext)[::-1]  # P(f | e, D) goes with P(e | D)
    summands = {"target": [0], "source": [1], "both": [0, 1]}[sides]
    known = np.flatnonzero(bitext.label_ids >= 0)

    def bound(stage: str) -> float:
        both = latent.log_prior + language + trainer.log_likelihoods(stage)
        joint = logsumexp(both[summands], axis=0)
        values = logsumexp(joint, axis=1)
        values[known] = joint[known, bitext.label_ids[known]]
        return float(values.sum())

    for stage in ("model1", "hmm"):
        values = [bound(stage)]
        for number in range(1, 9):
            latent.update(trainer.iterate(stage, number, latent.log_weights()))
            values.append(bound(stage))
        assert_never_falls(np.array(values)[:, None])
