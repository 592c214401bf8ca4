"""PRO, minimum risk and expected BLEU on real n-best lists."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataWarning
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.optimizers.minimum_risk import MinimumRiskOptions, tune_minimum_risk
from isogloss.tune.optimizers.pro import ProOptions, tune_pro
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> Examples:
    """100 sentences, 100 hypotheses each, 15 dense features."""
    folder = shared_data / "nbest"
    references = read_references([folder / "europarl-into-en.ref.gz"], lowercase=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        lists = read_nbest([folder / "europarl-into-en.100best.gz"], len(references))
    return Examples.from_nbest(lists, references, Bleu())


def test_pro_learns_a_real_list(examples: Examples) -> None:
    start = np.zeros(len(examples.space))
    result = tune_pro(
        examples, Weights(examples.space, start), ProOptions(), np.random.default_rng(1)
    )
    assert result.epochs[1].score > result.epochs[0].score + 1.0
    assert examples.best_score(result.weights.values) == result.epochs[result.best_epoch].score


def test_expected_bleu_and_minimum_risk_are_above_pro(examples: Examples) -> None:
    start, rng = np.zeros(len(examples.space)), np.random.default_rng(1)
    pro = tune_pro(examples, Weights(examples.space, start), ProOptions(), rng)
    for objective in ("corpus", "sentence"):
        options = MinimumRiskOptions(objective=objective)
        result = tune_minimum_risk(examples, Weights(examples.space, start), options, rng)
        assert result.epochs[result.best_epoch].score > pro.epochs[pro.best_epoch].score


def test_held_out_sentences_gain_too(examples: Examples) -> None:
    everything = np.arange(len(examples))
    learned, other = examples.select(everything[:70]), examples.select(everything[70:])
    start = np.zeros(len(examples.space))
    result = tune_pro(
        learned, Weights(learned.space, start), ProOptions(), np.random.default_rng(1)
    )
    assert other.best_score(result.weights.values) > other.best_score(start)
