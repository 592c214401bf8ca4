"""What the file of a task says its weights chose: hypotheses of the run's own lists."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.experiment import Outcome, Plan, Task
from isogloss.tune.metrics.column import Column
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.folder import TuningFolder

SPACE = FeatureSpace(["LM0"])
EXAMPLES = Examples(
    np.arange(6), np.arange(0, 13, 2), Ragged.empty(12), SPACE, np.zeros((12, 2)), Column("m")
)
PLAN, TASK = Plan(folds=3), Task(1, 2)
FOLD = PLAN.split(6, TASK).test
GOOD = Outcome(TASK, Weights.zeros(SPACE), 0, (), 0.5, FOLD, 2 * FOLD + 1)


def test_choices_of_the_fold() -> None:
    TuningFolder(Path("run"), {}).check_choices(GOOD, PLAN, EXAMPLES)


@pytest.mark.parametrize(
    ("changes", "seen"),
    [
        (
            {"tested": FOLD[:1], "hypotheses": FOLD[:1]},
            "tested does not list the sentences of the fold",
        ),
        ({"tested": 5 - FOLD}, "tested does not list the sentences of the fold"),
        ({"tested": FOLD + 99}, "tested does not list the sentences of the fold"),
        ({"hypotheses": FOLD + 99}, "the hypotheses do not belong to the sentences "),
        ({"hypotheses": 2 * FOLD + 2}, "the hypotheses do not belong to the sentences "),
    ],
    ids=range(5),
)
def test_choices_of_other_lists(changes: dict, seen: str) -> None:
    """Numbers that are right by themselves, but not those of the run's lists."""
    message = rf"run1.fold2.json: {seen}.*Delete it and pass --resume, which trains run1\.f"
    with pytest.raises(DataError, match=message):
        TuningFolder(Path("run"), {}).check_choices(replace(GOOD, **changes), PLAN, EXAMPLES)
