"""States of learners with hope and fear: gone on from, read back, over other names, damaged."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.optimizers.structured.hinge import tune_hinge
from isogloss.tune.optimizers.structured.lists import ListSource
from isogloss.tune.optimizers.structured.options import HingeOptions
from isogloss.tune.optimizers.structured.state import (
    HingeState,
    read_hinge_state,
    write_hinge_state,
)
from tests.unit.tune.optimizers.structured.test_hinge import OPTIONS, SPACE, some_examples, tuned


@pytest.mark.parametrize("options", [OPTIONS[1], OPTIONS[3], OPTIONS[5]])
@pytest.mark.parametrize("workers", [1, 3])
def test_learning_goes_on_to_the_same_bytes(
    options: HingeOptions, workers: int, tmp_path: Path
) -> None:
    examples, options = some_examples(15), replace(options, epochs=3, workers=workers)
    states: list[HingeState] = []
    whole = tuned(examples, options, save=states.append)
    assert [state.course.epochs[-1].number for state in states] == [0, 1, 2, 3]
    for number, state in enumerate(states):
        path = tmp_path / f"{number}.npz"
        write_hinge_state(state, SPACE, path)
        again = read_hinge_state(path, SPACE)
        resumed = tune_hinge(ListSource(examples), again, options)
        assert resumed.weights.values.tobytes() == whole.weights.values.tobytes()
        assert resumed.epochs == whole.epochs
        write_hinge_state(again, SPACE, tmp_path / "again.npz")
        assert (tmp_path / "again.npz").read_bytes() == path.read_bytes()


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    states: list[HingeState] = []
    tuned(some_examples(15), HingeOptions(epochs=1, workers=2), save=states.append)
    write_hinge_state(states[-1], SPACE, tmp_path / "state.npz")
    return tmp_path / "state.npz"


def test_states_over_another_space(stored: Path) -> None:
    state = read_hinge_state(stored, FeatureSpace(["new", "b", "a"]))
    whole = read_hinge_state(stored, SPACE)
    assert state.weights.tolist() == np.insert(whole.weights[:, [1, 0]], 0, 0.0, axis=1).tolist()
    with pytest.raises(UsageError, match="workers must be 2, the number in the saved state, got 3"):
        tune_hinge(ListSource(some_examples(15)), whole, HingeOptions(workers=3))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"steps": [1]}, "columns have different numbers of learners"),
        ({"documents": [[1.0, 2.0], [1.0]]}, "oracle documents have different lengths"),
        ({"names": ["a"]}, "arrays have different lengths"),
        ({"steps": [1, -1]}, r"steps\[1\] is -1; expected an integer"),
    ],
)
def test_states_of_nonsense(values: dict, message: str, stored: Path) -> None:
    with np.load(stored) as content:
        arrays = dict(content)
    header = json.loads(arrays.pop("header").tobytes()) | values
    np.savez(stored, header=np.frombuffer(json.dumps(header).encode(), np.uint8), **arrays)
    with pytest.raises(
        DataError,
        match=rf"the file is not a state of kind 'isogloss learners with hope and f.*{message}",
    ):
        read_hinge_state(stored, SPACE)
