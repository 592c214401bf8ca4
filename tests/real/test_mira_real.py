"""K-best MIRA on real n-best lists."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataWarning
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.optimizers.mira import MiraOptions, tune_mira
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights


def examples(folder: Path, metric: Metric) -> Examples:
    """100 sentences, 100 hypotheses each, 15 dense features."""
    references = read_references([folder / "nbest/europarl-into-en.ref.gz"], lowercase=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        lists = read_nbest([folder / "nbest/europarl-into-en.100best.gz"], len(references))
    return Examples.from_nbest(lists, references, metric)


@pytest.mark.parametrize(("metric", "least"), [("bleu", 1.0), ("wer", 0.5)])
@pytest.mark.parametrize("average", [True, False])
def test_a_real_list_is_learned(
    shared_data: Path, metric: str, least: float, average: bool
) -> None:
    measured = metric_named(metric)
    given = examples(shared_data, measured)
    start = np.zeros(len(given.space))
    options = MiraOptions(epochs=15, average=average)
    result = tune_mira(given, Weights(given.space, start), options, np.random.default_rng(1))
    gain = measured.sign * (given.best_score(result.weights.values) - given.best_score(start))
    assert gain > least
    assert np.isfinite(result.weights.values).all()
    best = result.epochs[result.best_epoch]
    assert best.score == given.best_score(result.weights.values)
    again = tune_mira(
        given, Weights(given.space, start), options, np.random.default_rng(1), threads=2
    )
    assert result.weights.values.tobytes() == again.weights.values.tobytes()
