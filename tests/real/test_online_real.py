"""Online optimizers on real n-best lists."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.online.learner import tune_online
from isogloss.tune.online.options import ONLINE_OPTIMIZERS
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights


@pytest.fixture(scope="module")
def given(shared_data: Path) -> tuple[Examples, Weights]:
    """1,014 sentences, 70,113 hypotheses, 16 dense features."""
    folder = shared_data / "nbest-de-en"
    references = read_references([folder / "tune.en.0"])
    lists = read_nbest([folder / "default.best100.gz"], len(references))
    start = Weights.load(folder / "default.weights").to_space(lists.space)
    return Examples.from_nbest(lists, references, Bleu()), start


@pytest.mark.parametrize(
    ("name", "least"),
    [("adagrad-pro", 40.4), ("sgd", 40.3), ("ramp", 40.7), ("expected-bleu", 40.4)],
)
def test_a_real_list_is_learned(given: tuple[Examples, Weights], name: str, least: float) -> None:
    examples, start = given
    assert 39.63 == pytest.approx(examples.best_score(start), abs=0.01)
    options = replace(ONLINE_OPTIMIZERS[name], epochs=8)
    result = tune_online(examples, start, options, np.random.default_rng(1))
    assert examples.best_score(result.weights) > least
