"""Whether a text shows the domains that its seeds name."""

import warnings

import numpy as np
import pytest

from isogloss.align import AlignerOptions, Bitext, DataWarning, train
from isogloss.align.text.corpus import Corpus
from isogloss.align.training.seed_check import findings, held_out_recall


def two_kinds(labels: np.ndarray, count: int = 300) -> Bitext:
    """Pairs about letters and pairs about digits, in turn, under the given labels."""
    rng = np.random.default_rng(2)
    words = [
        [f"{'ld'[k % 2]}{n}" for n in rng.integers(0, 20, rng.integers(3, 8))] for k in range(count)
    ]
    side = Corpus.from_sentences(words)
    return Bitext(side, side, labels.astype(np.int16), ("letters", "digits"))


def labels(right: bool, count: int = 300) -> np.ndarray:
    kind = np.arange(count) % 2
    if not right:
        kind = np.random.default_rng(7).permutation(kind)
    return np.where(np.arange(count) < 200, kind, -1)


def recall(bitext: Bitext) -> np.ndarray:
    seeds = [np.flatnonzero(bitext.label_ids == domain) for domain in (0, 1)]
    rest = np.flatnonzero(bitext.label_ids < 0)
    return held_out_recall(bitext, seeds, rest, 2)


def test_domains_that_differ_are_told_apart():
    values = recall(two_kinds(labels(right=True)))
    assert (values > 0.6).all()  # the rest holds both kinds, too
    assert findings(("letters", "digits"), (100, 100), values) == []


def test_random_labels_are_told_by_chance():
    values = recall(two_kinds(labels(right=False)))
    assert (values < 0.5).all()


def test_what_is_said():
    said = findings(("a", "b"), (100, 400), np.array([0.35, 0.9]))
    assert len(said) == 1
    assert said[0].startswith("the seed sample of domain 'a' is indistinguishable from other text")
    assert "recognize 35% of its 100 pairs" in said[0]
    assert "33% is expected by chance" in said[0]
    both = findings(("a", "b"), (100, 400), np.array([0.35, 0.3]))
    assert both[2].startswith("no second domain was found")


def test_training_warns_of_labels_that_mean_nothing():
    options = AlignerOptions(model1_iterations=1, hmm_iterations=1, language_model_order=2)
    with pytest.warns(DataWarning, match="the seed sample of domain|no second domain"):
        train(two_kinds(labels(right=False)), options=options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        train(two_kinds(labels(right=True)), options=options)
