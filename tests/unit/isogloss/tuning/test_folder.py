"""The folder of a tuning run: written and read back, gone on with, refused, compared."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, ModelError, OutputError
from isogloss.align.files.parts import part_name
from isogloss.commands.tuning.recorded import recorded_command
from isogloss.commands.tuning.tune import TuneOptions
from isogloss.features.space import FeatureSpace
from isogloss.options import build_options
from isogloss.runs.run_folder import digest_of_file
from isogloss.tune.experiment import Outcome, Task
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights
from isogloss.tuning.folder import TuningFolder, differing_files

SPACE = FeatureSpace(["LM0", "PT_a~b", "PT_c~d"])
OUTCOME = Outcome(
    Task(1, 2),
    Weights(SPACE, np.array([0.1, 0.0, -1 / 3])),
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


COMMAND = {"rate": 0.1, "folds": 3}


def started(folder: Path, source: Path, **options: bool) -> TuningFolder:
    made = TuningFolder.prepare(folder, COMMAND, [str(source)], **options)
    made.begin()
    return made


def names_in(folder: Path) -> list[str]:
    return sorted(str(file.relative_to(folder)) for file in folder.rglob("*"))


def test_outcomes_come_back_as_they_were(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    assert folder.read_outcome(OUTCOME.task, SPACE) is None
    folder.write_outcome(OUTCOME)
    again = TuningFolder.open(tmp_path / "run").read_outcome(OUTCOME.task, SPACE)
    assert again is not None
    assert again.weights.values.tolist() == OUTCOME.weights.values.tolist()
    assert (again.best_epoch, again.epochs, again.held_out) == (1, OUTCOME.epochs, 41.25)
    assert ([3, 5], [30, 51]) == (again.tested.tolist(), again.hypotheses.tolist())


def test_a_finished_task_needs_no_state(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    folder.state_file(OUTCOME.task).write_bytes(b"x")
    folder.write_outcome(OUTCOME)
    assert not folder.state_file(OUTCOME.task).exists()


def test_epochs_are_lines(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    folder.write_epochs([OUTCOME])
    lines = (tmp_path / "run/epochs.jsonl").read_text().splitlines()
    assert {
        "run": 1, "fold": 2, "number": 1, "loss": 7.5, "score": 41.0, "active": 2, "held_out": None,
    } == json.loads(lines[1])  # fmt: skip


def test_a_folder_with_something_in_it_is_not_taken(tmp_path: Path, source: Path) -> None:
    with pytest.raises(DataError, match=r"exists and is not empty\. Resume"):
        started(tmp_path, source)
    for options in ({"overwrite": True}, {"resume": True}, {"resume": True, "overwrite": True}):
        with pytest.raises(DataError, match=r"contains list; expected only files of `isogloss tun"):
            started(tmp_path, source, **options)
    with pytest.raises(DataError, match=r"list is a file\. Choose another"):
        started(source, source, overwrite=True)
    assert [source] == list(tmp_path.iterdir())


def test_going_on_keeps_what_is_done_and_starting_again_does_not(
    tmp_path: Path, source: Path
) -> None:
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    again = started(tmp_path / "run", source, resume=True)
    assert again.read_outcome(OUTCOME.task, SPACE) is not None
    anew = started(tmp_path / "run", source, overwrite=True)
    assert anew.read_outcome(OUTCOME.task, SPACE) is None


def test_another_run_is_not_gone_on_with(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source)
    with pytest.raises(
        DataError, match=r"a run with a different command \(--rate\); expected the fold"
    ):
        TuningFolder.prepare(
            tmp_path / "run", {"rate": 0.2, "folds": 3}, [str(source)], resume=True
        )
    source.write_text("other")
    with pytest.raises(DataError, match=r"a run with a different input \(.*list\)"):
        started(tmp_path / "run", source, resume=True)


def test_of_another_version(tmp_path: Path, source: Path) -> None:
    started(tmp_path / "run", source)
    path = tmp_path / "run/manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps(manifest | {"program": "0.0.0"}))
    with pytest.raises(DataError, match="a run with a different version"):
        started(tmp_path / "run", source, resume=True)
    path.write_text(json.dumps(manifest | {"version": [2, 0]}))
    with pytest.raises(ModelError, match=r"has format version 2; this program reads 1\. Update"):
        TuningFolder.open(tmp_path / "run")
    path.write_text(json.dumps(manifest | {"version": [0, 9]}))
    with pytest.raises(
        ModelError, match=r"this program reads 1\. Use the version of isogloss that wrote it"
    ):
        TuningFolder.open(tmp_path / "run")
    path.write_text(json.dumps({"kind": "something"}))
    with pytest.raises(ModelError, match="is of kind 'something'; expected 'isogloss tuning run'"):
        TuningFolder.open(tmp_path / "run")
    path.write_text("{")
    with pytest.raises(DataError, match=r"manifest\.json: invalid JSON \(Expecting"):
        TuningFolder.open(tmp_path / "run")


def test_inputs_are_checked(tmp_path: Path, source: Path) -> None:
    folder = started(tmp_path / "run", source)
    folder.check_inputs()
    source.write_text("other")
    with pytest.raises(DataError, match=r"list: the file has changed since the run"):
        folder.check_inputs()


def test_relative_inputs_are_looked_for_where_the_run_was_started(
    tmp_path: Path, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    folder = TuningFolder.prepare("run", {}, ["list"])
    folder.check_inputs()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(
        DataError, match=r"^list: the file does not exist.*folder in which the run was"
    ):
        folder.check_inputs()
    Path("list").write_text("another list of that name")
    with pytest.raises(
        DataError, match=r"^list: the file has changed since .*folder in which the run was"
    ):
        folder.check_inputs()


def test_digests(tmp_path: Path, source: Path) -> None:
    before = digest_of_file(tmp_path)
    assert 64 == len(before) == len(digest_of_file(source))
    source.write_text("other")
    assert before != digest_of_file(tmp_path)
    with pytest.raises(DataError, match=r"none cannot be read: .* Check the path"):
        digest_of_file(tmp_path / "none")


@pytest.mark.parametrize(
    "damage",
    ["{", "", "[]", pytest.param("\udcff", id="bytes"), pytest.param("[" * 9**5, id="deep"), None],
)
def test_a_damaged_manifest_is_overwritten(
    tmp_path: Path, source: Path, damage: str | None
) -> None:
    """What the message says helps, whatever is wrong with the file."""
    run = tmp_path / "run"
    folder = started(run, source)
    folder.write_outcome(OUTCOME)
    folder.write_report({})
    folder.write_usage({})
    folder.write_epochs([OUTCOME])
    folder.weights_file.write_text("{}")
    if damage is None:
        damage = json.dumps({"kind": folder.manifest["kind"]})
    (run / "manifest.json").write_text(damage, encoding="utf-8", errors="surrogateescape")
    with pytest.raises(DataError, match=r"manifest.json: .*Start again with --overwrite, or choos"):
        started(run, source, resume=True)
    with pytest.raises(DataError, match=r"manifest.json: .*Restore it from a backup, or repeat"):
        TuningFolder.open(run)
    started(run, source, overwrite=True)
    assert ["manifest.json", "tasks", "tasks/files.json"] == names_in(run)
    TuningFolder.open(run).check_inputs()


@pytest.mark.parametrize("key", ["version", "program", "command", "inputs"])
def test_an_incomplete_manifest(tmp_path: Path, source: Path, key: str) -> None:
    manifest = dict(started(tmp_path / "run", source).manifest)
    path = tmp_path / "run/manifest.json"
    path.write_text(json.dumps(manifest | {key: 1.5}))
    with pytest.raises(DataError, match=rf"manifest.json: {key} is 1.5; expected "):
        TuningFolder.open(tmp_path / "run")
    del manifest[key]
    path.write_text(json.dumps(manifest))
    with pytest.raises(
        DataError,
        match=rf"manifest.json: the key '{key}' is missing\. Restore it from a backup, or repeat",
    ):
        TuningFolder.open(tmp_path / "run")
    with pytest.raises(
        DataError,
        match=rf"manifest.json: the key '{key}' is missing\. Start again with --overwrite",
    ):
        started(tmp_path / "run", source, resume=True)
    started(tmp_path / "run", source, overwrite=True)


def test_options_of_older_runs_have_their_present_names(tmp_path: Path, source: Path) -> None:
    present = {"accumulate_nbest": True, "initial_weights": "w", "loop_tolerance": 1e-4}
    for name in ("old", "new"):
        TuningFolder.prepare(tmp_path / name, present, [str(source)]).begin()
    path = tmp_path / "old/manifest.json"
    text = path.read_text().replace("accumulate_nbest", "accumulate")
    text = text.replace("initial_weights", "weights")
    path.write_text(text.replace("loop_tolerance", "least_change"))
    assert TuningFolder.open(tmp_path / "old").command == present
    later = present | {"per_item": None}  # an option that there was not, and is not given
    TuningFolder.prepare(tmp_path / "old", later, [str(source)], resume=True).begin()
    assert differing_files(tmp_path / "old", tmp_path / "new") == []


@pytest.mark.parametrize(
    ("optimizer", "older", "present"),
    [
        ("pro", {"epochs": 3, "tolerance": 1e-6}, {"samples": 3, "tolerance": 1e-6}),
        ("minrisk", {"epochs": 3}, {"temperatures": 3}),
        ("mira", {"decay": 0.5, "epochs": 3}, {"document_decay": 0.5, "epochs": 3}),
        (
            "lp-mert",
            {"search": "exact", "fixed": ["am"], "tolerance": 1e-6},
            {"search": "exact", "tied": ["am"], "margin": 1e-6},
        ),
        ("hinge", {"precision": 0.5, "decay": 0.1}, {"precision_step": 0.5, "decay": 0.1}),
        ("hinge", {"reference": "bold"}, {"oracle": "bold"}),
        ("mert", {"smoothing": "average"}, {"surface_smoothing": "average"}),
        ("minrisk", {"scale": 0.5}, {"inverse_temperature": 0.5}),
        ("arow", {"precision": 0.5, "fixed": ["am"]}, {"initial_precision": 0.5, "fixed": ["am"]}),
    ],
)
def test_an_older_option_of_several_meanings(
    tmp_path: Path, source: Path, optimizer: str, older: dict[str, Any], present: dict[str, Any]
) -> None:
    now = recorded_command(build_options(TuneOptions, {"optimizer": optimizer} | present))
    new = {"samples", "temperatures", "tied", "margin", "initial_precision", "precision_step"}
    new |= {"oracle", "surface_smoothing", "inverse_temperature"}
    then = {name: value for name, value in now.items() if name not in new}
    then |= dict.fromkeys(("precision", "document_decay", "reference", "scale", "smoothing"))
    then |= older
    TuningFolder.prepare(tmp_path / "old", then, [str(source)]).begin()
    assert TuningFolder.open(tmp_path / "old").command == now
    TuningFolder.prepare(tmp_path / "old", now, [str(source)], resume=True).begin()
    TuningFolder.prepare(tmp_path / "new", now, [str(source)]).begin()
    assert TuningFolder.open(tmp_path / "new").command == now


def test_a_folder_that_is_no_run(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no manifest.json; expected a run folder of "):
        TuningFolder.open(tmp_path)


def test_nothing_is_written_before_the_start(tmp_path: Path, source: Path) -> None:
    TuningFolder.prepare(tmp_path / "run", {}, [str(source)])
    assert [source] == list(tmp_path.iterdir())
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    before = names_in(tmp_path / "run")
    TuningFolder.prepare(tmp_path / "run", {}, [str(source)], overwrite=True)
    assert before == names_in(tmp_path / "run")


@pytest.mark.parametrize("resume", [False, True])
def test_a_run_that_has_begun_in_the_meantime_is_left_alone(
    tmp_path: Path, source: Path, resume: bool
) -> None:
    late = TuningFolder.prepare(
        tmp_path / "run", {"rate": 0.1, "folds": 3}, [str(source)], resume=resume
    )
    started(tmp_path / "run", source).write_outcome(OUTCOME)
    seen = "run contains manifest.json, tasks/run1" if resume else "exists and is not empty"
    with pytest.raises(DataError, match=seen):
        late.begin()
    late.discard_unused()
    assert started(tmp_path / "run", source, resume=True).read_outcome(OUTCOME.task, SPACE)


@pytest.mark.parametrize("exists", [False, True])
def test_a_folder_is_discarded_only_unused(tmp_path: Path, source: Path, exists: bool) -> None:
    if exists:
        (tmp_path / "run").mkdir()
    folder = started(tmp_path / "run", source)
    folder.discard_unused()
    assert exists == (tmp_path / "run").exists()
    folder = started(tmp_path / "run", source)
    folder.state_file(OUTCOME.task).write_bytes(b"x")
    before = names_in(tmp_path / "run")
    folder.discard_unused()
    again = started(tmp_path / "run", source, resume=True)
    again.state_file(OUTCOME.task).unlink()
    again.discard_unused()  # it was there before
    assert set(before) - {"tasks/run1.fold2.state.npz"} == set(names_in(tmp_path / "run"))


@pytest.mark.parametrize("key", ["best_epoch", "held_out", "epochs", "tested", "weights"])
def test_an_incomplete_outcome(tmp_path: Path, source: Path, key: str) -> None:
    folder = started(tmp_path / "run", source)
    folder.write_outcome(OUTCOME)
    path = tmp_path / "run/tasks/run1.fold2.json"
    value = json.loads(path.read_text())
    del value[key]
    path.write_text(json.dumps(value))
    with pytest.raises(
        DataError, match=rf"run1.fold2.json: the key '{key}' is missing. Delete it and pass "
    ):
        folder.read_outcome(OUTCOME.task, SPACE)
    path.unlink()
    assert started(tmp_path / "run", source, resume=True).read_outcome(OUTCOME.task, SPACE) is None


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ({"epochs": [{"number": 1}]}, r"the key 'loss' is missing in epochs\[0\]"),
        ({"epochs": [1]}, r"epochs\[0\] is 1; expected an object"),
        ({"epochs": [{"number": -1}]}, r"epochs\[0\]\.number is -1; expected an integer of at l"),
        ({"tested": [1]},
            "tested and hypotheses differ in length; expected a file written by a run"
        ),
        ({"tested": [1, "x"]}, r"tested\[1\] is 'x'; expected an integer"),
        ({"weights": {"LM0": "x"}}, "a value of weights is invalid; expected a number"),
        ({"weights": {"LM0": math.nan}}, "a value of weights is invalid; expected a finite"),
        ({"hypotheses": [1, 2**70]}, r"hypotheses\[1\] is 118.*; expected an integer of at most"),
        ({"best_epoch": True}, "best_epoch is True; expected an integer"),
        ({"best_epoch": 2}, "best_epoch is 2, but the last epoch is 1; expected a file written"),
        ({"held_out": math.inf}, "held_out is inf; expected a finite number"),
    ],
)  # fmt: skip
def test_an_outcome_with_other_values(
    tmp_path: Path, source: Path, change: dict[str, object], seen: str
) -> None:
    folder = started(tmp_path / "run", source)
    folder.write_outcome(OUTCOME)
    path = tmp_path / "run/tasks/run1.fold2.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match=rf"run1.fold2.json: {seen}.*\. Delete it and pass"):
        folder.read_outcome(OUTCOME.task, SPACE)


@pytest.mark.parametrize("name", ["/proc/run", "list/run"])
def test_a_folder_that_can_not_be_made(
    tmp_path: Path, source: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        OutputError, match=rf"{name} cannot be written: .*Choose another name or fo"
    ):
        TuningFolder.prepare(name, {}, ["list"])


def test_differences_are_named(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / name / "tasks").mkdir(parents=True)
        (tmp_path / name / "usage.json").write_text(name)
        (tmp_path / name / "tasks/a.json").write_text("same")
    assert [] == differing_files(tmp_path / "one", tmp_path / "other")
    (tmp_path / "one/tasks" / part_name("run1.final.json", "00000012")).write_text(
        "of a killed run"
    )
    assert [] == differing_files(tmp_path / "one", tmp_path / "other")
    other = part_name("b", "00000012")
    (tmp_path / "one" / other).write_text("of no run")
    assert [other] == differing_files(tmp_path / "one", tmp_path / "other")
    (tmp_path / "one" / other).unlink()
    (tmp_path / "other/tasks/a.json").write_text("other")
    (tmp_path / "one/b").write_text("b")
    assert ["b", "tasks/a.json"] == differing_files(tmp_path / "one", tmp_path / "other")
