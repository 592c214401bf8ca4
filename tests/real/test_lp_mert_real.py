"""LP-MERT on real n-best lists: the two exact searches, both solvers, and MERT."""

import warnings
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataWarning
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.optimizers.lp_mert.losses import by_sentence, sentence_losses
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions, tune_lp_mert
from isogloss.tune.optimizers.mert import MertOptions, tune_mert
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights


@pytest.fixture(scope="module")
def examples(shared_data: Path) -> Examples:
    """100 sentences, 100 hypotheses each, 15 dense features."""
    references = read_references([shared_data / "nbest/europarl-into-en.ref.gz"], lowercase=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        lists = read_nbest([shared_data / "nbest/europarl-into-en.100best.gz"], len(references))
    return Examples.from_nbest(lists, references, metric_named("bleu"))


@pytest.mark.parametrize("number", range(6))
def test_no_search_finds_less_loss(examples: Examples, number: int) -> None:
    rng = np.random.default_rng(number)
    few = examples.select(rng.choice(len(examples), 4, replace=False))
    start = np.ones(len(few.space))
    exact, lazy, highs = (
        tune_lp_mert(few, Weights(few.space, start), LpMertOptions(**options), rng)  # type: ignore[arg-type]
        for options in (
            {"search": "exact"},
            {"search": "lazy", "max_checks": 3000},
            {"search": "exact", "solver": "highs", "max_checks": 150},
        )
    )
    assert exact.exact
    assert exact.unsure == 0
    chosen = few.best(exact.weights)
    assert exact.loss == pytest.approx(sentence_losses(few)[chosen].sum(), abs=1e-12)
    for other in (lazy, highs):
        if other.exact:
            assert other.loss == pytest.approx(exact.loss, abs=1e-9)
        else:
            assert other.loss >= exact.loss - 1e-9
    mean = by_sentence(few)
    mert = tune_mert(mean, Weights(mean.space, start), MertOptions(random_walks=4), rng)
    assert mean.best_score(exact.weights) >= mean.best_score(mert.weights) - 1e-12


@pytest.mark.thorough
def test_the_beam_goes_on_from_mert(examples: Examples) -> None:
    start = np.ones(len(examples.space))
    mert = tune_mert(
        examples, Weights(examples.space, start), MertOptions(), np.random.default_rng(1)
    )
    result = tune_lp_mert(
        examples, Weights(examples.space, start), LpMertOptions(), np.random.default_rng(1)
    )
    assert result.epochs[1].score == examples.best_score(mert.weights)
    assert examples.best_score(result.weights.values) > examples.best_score(mert.weights)
    again = tune_lp_mert(
        examples,
        Weights(examples.space, start),
        LpMertOptions(),
        np.random.default_rng(1),
        threads=2,
    )
    assert result.weights.values.tobytes() == again.weights.values.tobytes()
