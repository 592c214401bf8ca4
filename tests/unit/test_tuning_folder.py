"""The folder of a tuning run: written and read back, gone on with, refused, compared."""

import json
from pathlib import Path

import numpy as np
import pytest

from align.errors import DataError
from features.space import FeatureSpace
from isogloss.tuning_folder import TuningFolder, differing_files, digest_of_file
from tune.experiment import Outcome, Task
from tune.results import Epoch

SPACE = FeatureSpace(["LM0", "PT_a~b", "PT_c~d"])
OUTCOME = Outcome(
    Task(1, 2),
    np.array([0.1, 0.0, -1 / 3]),
    1,
    (Epoch(0, 0.0, 40.0, 1, 39.0), Epoch(1, 7.5, 41.0, 2, None)),
    41.25,
    np.array([3, 5]),
    np.array([30, 51]),
)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "list"
    path.write_text("0 ||| a ||| LM0= 1 ||| 1\n")
    return path


def started(folder: Path, source: Path, **options: bool) -> TuningFolder:
    return TuningFolder.start(folder, {"rate": 0.1}, [str(source)], **options)


def test_outcomes_come_back_as_they_were(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    assert folder.read_outcome(OUTCOME.task, SPACE) is None
    folder.write_outcome(OUTCOME, SPACE)
    again = TuningFolder.open(tmp_path / "run").read_outcome(OUTCOME.task, SPACE)
    assert again is not None
    assert again.weights.tolist() == OUTCOME.weights.tolist()
    assert (again.best_epoch, again.epochs, again.held_out) == (1, OUTCOME.epochs, 41.25)
    assert ([3, 5], [30, 51]) == (again.tested.tolist(), again.hypotheses.tolist())


def test_a_finished_task_needs_no_state(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    folder.state_file(OUTCOME.task).write_bytes(b"x")
    folder.write_outcome(OUTCOME, SPACE)
    assert not folder.state_file(OUTCOME.task).exists()


def test_epochs_are_lines(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    folder.write_epochs([OUTCOME])
    lines = (tmp_path / "run/epochs.jsonl").read_text().splitlines()
    assert {
        "run": 1, "fold": 2, "number": 1, "loss": 7.5, "score": 41.0, "active": 2, "held_out": None,
    } == json.loads(lines[1])  # fmt: skip


def test_a_folder_with_something_in_it_is_not_taken(tmp_path: Path, source: Path) -> None:
    with pytest.raises(DataError, match=r"exists and is not empty; expected a new folder\. Go on"):
        started(tmp_path, source)
    with pytest.raises(DataError, match=r"no manifest.json; expected the folder of a run"):
        started(tmp_path, source, overwrite=True)
    assert source.exists()


def test_going_on_keeps_what_is_done_and_starting_again_does_not(
    tmp_path: Path, source: Path
) -> None:
    started(tmp_path / "run", source).write_outcome(OUTCOME, SPACE)
    again = started(tmp_path / "run", source, resume=True)
    assert again.read_outcome(OUTCOME.task, SPACE) is not None
    anew = started(tmp_path / "run", source, overwrite=True)
    assert anew.read_outcome(OUTCOME.task, SPACE) is None


def test_another_run_is_not_gone_on_with(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source)
    with pytest.raises(DataError, match=r"the run of another command \(rate\); expected the fold"):
        TuningFolder.start(tmp_path / "run", {"rate": 0.2}, [str(source)], resume=True)
    source.write_text("other")
    with pytest.raises(DataError, match=r"the run of another input \(.*list\)"):
        started(tmp_path / "run", source, resume=True)


def test_of_another_version(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source)
    path = tmp_path / "run/manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"program": "0.0.0"}))
    with pytest.raises(DataError, match="the run of another version"):
        started(tmp_path / "run", source, resume=True)
    path.write_text(json.dumps(manifest | {"version": [2, 0]}))
    with pytest.raises(DataError, match=r"manifest.json: format \[2, 0\]; expected format 1"):
        TuningFolder.open(tmp_path / "run")
    path.write_text(json.dumps({"kind": "something"}))
    with pytest.raises(DataError, match="another kind of run; expected isogloss tuning run"):
        TuningFolder.open(tmp_path / "run")
    path.write_text("{")
    with pytest.raises(DataError, match=r"can't be read .*; expected one that `isogloss tune"):
        TuningFolder.open(tmp_path / "run")


def test_inputs_are_checked(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    folder.check_inputs()
    source.write_text("other")
    with pytest.raises(DataError, match=r"list: changed since the run; expected the file of that"):
        folder.check_inputs()


def test_digests(tmp_path: Path, source: Path) -> None:
    one = digest_of_file(tmp_path)
    assert 64 == len(one) == len(digest_of_file(source))
    source.write_text("other")
    assert one != digest_of_file(tmp_path)
    with pytest.raises(DataError, match="none: No such file or directory; expected a readable"):
        digest_of_file(tmp_path / "none")


def test_differences_are_named(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / "tasks").mkdir(parents=True)
        (tmp_path / name / "usage.json").write_text(name)
        (tmp_path / name / "tasks/a.json").write_text("same")
    assert [] == differing_files(tmp_path / "one", tmp_path / "other")
    (tmp_path / "other/tasks/a.json").write_text("other")
    (tmp_path / "one/b").write_text("b")
    assert ["b", "tasks/a.json"] == differing_files(tmp_path / "one", tmp_path / "other")
