"""What the tuning benchmark does to lists before it measures."""

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.methods import OPTIMIZERS
from tests.naive.examples import mean_examples

FOLDER = Path(__file__).parents[3] / "benchmarks"
NAMES = ("LM0", "PT_a", "PT_b", "PT_c")
ROWS = [[(0, 1.0), (2, 1.0)], [(0, 2.0), (2, 1.0), (3, 1.0)], [(0, 0.5), (1, 1.0)]]


@pytest.fixture
def tuning(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("tuning")


@pytest.fixture
def examples() -> Examples:
    dense = mean_examples([[0.1, 0.5], [0.4]], [[[0.0], [0.0]], [[0.0]]])
    return Examples(
        dense.sentences,
        dense.sentence_offsets,
        Ragged.from_rows(ROWS),
        FeatureSpace(NAMES),
        dense.statistics,
        dense.metric,
    )


def test_a_wider_space_holds_the_same_entries(tuning, examples):
    wide = tuning.widened(examples, 31)
    assert 31 == len(wide.space)
    assert [0, 11, 0, 11, 21, 0, 1] == wide.rows.ids.tolist()
    assert examples.rows.values.tolist() == wide.rows.values.tolist()
    weights = np.zeros(31)
    weights[[0, 1, 11, 21]] = [1.0, 2.0, 3.0, 4.0]
    own = examples.scores(np.array([1.0, 2.0, 3.0, 4.0]))
    assert own.tolist() == wide.scores(weights).tolist()


def test_frequent_features_and_all_dense_ones_are_kept(tuning, examples):
    few = tuning.frequent(examples, 2)
    assert ("LM0", "PT_b") == few.space.names
    assert [0, 1, 0, 1, 0] == few.rows.ids.tolist()
    assert [0, 2, 4, 5] == few.rows.offsets.tolist()


def test_dense_features_alone(tuning, examples):
    dense = tuning.dense_only(examples)
    assert ("LM0",) == dense.space.names
    assert [1.0, 2.0, 0.5] == dense.rows.values.tolist()


def test_folds_are_scored_by_weights_that_did_not_see_them(tuning, shared_data):
    examples, start = tuning.read_lists(shared_data, tuning.RUNS[:1])
    few = examples.select(np.arange(60))
    figures = tuning.sparse_figures("pro", few, start, 1)
    assert few.best_score(start) - 2 < figures["folds"][0] < figures["training"][0] + 1
    assert [14.0] == figures["active"]


def test_a_table_of_optimizers_beside_the_recorded_ones(tuning, shared_data, monkeypatch, capsys):
    monkeypatch.setattr(tuning, "RUNS", tuning.RUNS[:1])
    arguments = ["--only", "dense", "--optimizers", "pro", "--seeds", "2"]
    found = tuning.run(tuning.parse([*arguments, "--data", str(shared_data)]))["dense"]
    assert found["potential"]["start"] < min(found["pro"]["bleu"]) < found["potential"]["oracle"]
    assert 2 == len(found["pro"]["cpu_seconds"])
    table = capsys.readouterr().out
    assert "Moses mert, 20 restarts (recorded)  42.04  0.11    59.3" in table
    assert "\n  pro   " in table


def test_options(tuning):
    options = tuning.parse(["--only", "dense", "--optimizers", "mert", "pro", "--seeds", "1"])
    assert ("dense", ["mert", "pro"], 1) == (options.only, options.optimizers, options.seeds)
    assert list(OPTIMIZERS) == tuning.parse([]).optimizers
    with pytest.raises(SystemExit):
        tuning.parse(["--optimizers", "none"])
    assert "tuning" in sys.modules
