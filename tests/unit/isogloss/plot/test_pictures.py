"""isogloss.plot: library objects and paths in, axes out."""

import dataclasses
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import isogloss as ig
from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.features.bins.binning import Binning, BinSpec
from isogloss.features.bins.uniform import uniform_population_bins
from isogloss.tune.nbest.types import parse_nbest
from isogloss.tune.results import Epoch

LISTS = "0 ||| bad ||| LM0= -2 ||| 0\n0 ||| good ||| LM0= -9 ||| 0"
RESULT = ig.TuningResult(
    ig.Weights.from_dict({"LM0": 0.5, "PT_a_b": -0.25}),
    2,
    tuple(Epoch(k, 0.0, 56.0 + k / 2, k, 59.0 + k) for k in range(3)),
    metric="bleu",
)
BINNING = Binning((BinSpec("p", 1),), (uniform_population_bins(np.array([0.1, 0.2]), 1),))
BIN_WEIGHTS = {"p_bin0:2": 0.5, "p_bin1:2": 1.5}


@pytest.fixture(autouse=True)
def figures() -> Iterator[None]:
    """Pictures without a screen, closed afterwards."""
    pytest.importorskip("matplotlib", reason="plots need Matplotlib").use("Agg")
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def examples() -> ig.Examples:
    return ig.Examples.from_nbest(
        parse_nbest(LISTS, "lists"), ig.References.from_sentences(["good"]), "ter"
    )


def legend(axes: Any) -> list[str]:
    return axes.get_legend_handles_labels()[1]


def test_a_result_is_drawn_as_changes_from_its_start() -> None:
    scores, active = ig.plot.tuning(RESULT)
    assert scores.get_ylabel() == "bleu, change from the start"
    name = "TuningResult"
    assert legend(scores) == [
        f"{name}, 56.00 at epoch 0", f"{name}, held out, 59.00 at epoch 0", "kept: epoch 2",
    ]  # fmt: skip
    assert [list(line.get_ydata()) for line in scores.lines] == [[0, 0.5, 1], [0, 1, 2], [2]]
    assert list(active.lines[0].get_ydata()) == [0, 1, 2]


def test_runs_of_folders_by_name(tmp_path: Path) -> None:
    lines = [{"run": 1, "number": k, "score": 20.0 + k, "active": 3} for k in range(2)]
    file = tmp_path / "epochs.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    scores, _ = ig.plot.tuning({"one": tmp_path, "two": str(file)})
    assert legend(scores) == ["one", "two"]
    assert list(scores.lines[0].get_ydata()) == [20, 21]
    scores, _ = ig.plot.tuning(tmp_path)
    assert legend(scores) == [str(tmp_path)]


def test_the_metric_by_a_weight() -> None:
    axes = ig.plot.surface(examples(), {"LM0": 1.0}, "LM0", limits=(-1, 2))
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("LM0", "ter")
    assert axes.get_xlim() == (-1, 2)
    assert legend(axes)[1].startswith("given: 100.00 at 1")


def test_the_weights_of_a_result() -> None:
    result = dataclasses.replace(RESULT, weights=ig.Weights.from_dict({"LM0": 1.0}))
    axes = ig.plot.surface(examples(), result, "LM0", limits=(-1, 2))
    assert legend(axes)[1].startswith("given: 100.00 at 1")


def test_weights_by_strength(tmp_path: Path) -> None:
    ig.Weights.from_dict({"LM0": 0.25}).save(tmp_path / "weights.json")
    weights, active = ig.plot.l1_path({0.1: RESULT, 0.01: tmp_path, 1.0: RESULT.weights}, top=1)
    assert legend(weights)[-1] == "LM0"
    assert list(active.lines[0].get_ydata()) == [1, 2, 2]


def test_weights_of_a_score(tmp_path: Path) -> None:
    BINNING.save(tmp_path / "bins.json")
    for given in (BIN_WEIGHTS, ig.Weights.from_dict(BIN_WEIGHTS)):
        for binning in (BINNING, tmp_path / "bins.json"):
            axes, population = ig.plot.weights(given, binning)
            assert list(axes.lines[0].get_ydata()) == [0.5, 1.5]
            assert population.get_xlabel() == "p"


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: ig.plot.tuning(7), "a run must be a path, not 7"),
        (
            lambda: ig.plot.tuning([RESULT, RESULT]),
            r'runs must be a dict of several by name, not a list; use tuning\(\{"first": first, "',
        ),
        (
            lambda: ig.plot.surface(RESULT, examples(), "LM0"),
            r"examples and weights are swapped; use surface\(examples, weights, feature\)",
        ),
        (
            lambda: ig.plot.surface(examples(), "LM0", {"LM0": 1.0}),
            r"feature must be the name of a feature, not {'LM0': 1.0}; use surface\(examples, wei",
        ),
        (
            lambda: ig.plot.surface("list", {}, "LM0"),
            "examples must be Examples, not 'list'; use E",
        ),
        (lambda: ig.plot.surface(examples(), 3, "LM0"), "weights must be Weights or a dict of num"),
        (lambda: ig.plot.l1_path([1]), r"runs must be a dict of weights by strength .*, not \[1\]"),
        (lambda: ig.plot.weights(BIN_WEIGHTS, 3), "binning must be a path, not 3"),
        (lambda: ig.plot.weights(3, BINNING), "weights must be a path, not 3"),
    ],
)
def test_other_types(draw: Callable[[], object], message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        draw()


def test_a_feature_that_is_not_there() -> None:
    with pytest.raises(UsageError, match=r"the lists have no feature 'lm'; did you mean LM0\?"):
        ig.plot.surface(examples(), {"LM0": 1.0}, "lm")


def test_nothing_to_draw() -> None:
    with pytest.raises(UsageError, match="there are no runs to plot"):
        ig.plot.tuning({})


def test_without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "matplotlib.pyplot", None)
        with pytest.raises(UsageError, match=r"needs Matplotlib: pip install isogloss\[plot\]"):
            ig.plot.tuning(RESULT)


def test_matplotlib_is_loaded_when_a_picture_is_drawn() -> None:
    code = "import sys, isogloss; isogloss.plot.tuning; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
