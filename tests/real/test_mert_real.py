"""MERT on Moses' n-best lists: surfaces hold when scored anew, and tuning pays."""

import gzip
from itertools import takewhile

import numpy as np
import pytest

from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.optimizers.line_search import error_surface, line_search
from isogloss.tune.optimizers.mert import MertOptions, tune_mert
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights

SENTENCES = 100


@pytest.fixture(scope="module")
def tuning(shared_data, tmp_path_factory):
    """The first sentences of two lists, and Moses' default weights."""
    data, folder = shared_data / "nbest-es-en", tmp_path_factory.mktemp("lists")
    lists = []
    for name in ("run1", "run2"):
        with gzip.open(data / f"{name}.best100.gz", "rt", encoding="utf-8") as file:
            own = list(takewhile(lambda line: int(line.split(" ", 1)[0]) < SENTENCES, file))
        lists.append(folder / name)
        lists[-1].write_text("".join(own), encoding="utf-8")
    references = []
    for k in range(4):
        with (data / f"tune.en.{k}").open(encoding="utf-8") as file:
            own = file.readlines()[:SENTENCES]
        references.append(folder / f"ref{k}")
        references[-1].write_text("".join(own), encoding="utf-8")
    examples = Examples.from_nbest(
        read_nbest(lists, SENTENCES), read_references(references), Bleu()
    )
    with (data / "run1.init.opt").open(encoding="utf-8") as file:
        start = np.array([float(one) for one in file.readline().split()])
    return examples, start  # the lists name features in the order of the file


def test_surfaces_hold_when_scored_anew(tuning):
    examples, start = tuning
    rng = np.random.default_rng(1)
    for direction in [*np.eye(len(start)), rng.normal(size=len(start))]:
        surface = error_surface(examples, start, direction)
        wide = np.flatnonzero(np.diff(surface.boundaries) > 1e-6)
        for k in rng.choice(wide, 8):
            step = surface.boundaries[k : k + 2].mean()
            assert examples.best_score(start + step * direction) == surface.scores[k + 1]


def test_line_search_is_the_best_of_many_steps(tuning):
    examples, start = tuning
    for feature in (6, 7, 10):
        direction = np.eye(len(start))[feature]
        step, score = line_search(examples, start, direction)
        assert score == examples.best_score(start + step * direction)
        others = np.linspace(-2, 2, 101)
        assert score >= max(
            examples.best_score(start + distance * direction) for distance in others
        )


def test_tuning_gains_and_is_what_it_says(tuning):
    examples, start = tuning
    options = MertOptions(random_restarts=1, random_walks=4)
    first, second = (
        tune_mert(
            examples,
            Weights(examples.space, start),
            options,
            np.random.default_rng(1),
            threads=threads,
        )
        for threads in (1, 2)
    )
    assert first.weights.values.tobytes() == second.weights.values.tobytes()
    scores = [epoch.score for epoch in first.epochs]
    assert examples.best_score(first.weights.values) == max(scores)
    assert max(scores) > scores[0] + 2.0
