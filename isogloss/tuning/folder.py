"""The folder of a tuning run: what was asked, what came of it, and how far it got.

manifest.json holds the command, the version of the program and the digests of its inputs: enough to
go on with an interrupted run and to repeat a finished one. tasks/files.json says which files the
run writes, see run_names. tasks/NAME.json is written when a training is done, so that what is there
is complete. usage.json says how long the run took; it is
the only file that differs when the same command is run again.
"""

import json
from collections.abc import Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from isogloss.align.errors import DataError, ModelError
from isogloss.align.files.outputs import naming_output
from isogloss.align.files.parts import is_part
from isogloss.align.files.records import Count, Finite, Text, read_json, renamed
from isogloss.align.files.writers import write_lines
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.experiment import Outcome, Plan, Task
from isogloss.tune.nbest.types import NBest
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights

from ..options import flag
from ..runs.epoch_log import EPOCH_LOG
from ..runs.run_folder import (
    AGAIN,
    MANIFEST,
    REPORT,
    digest_of_file,
    is_in_use,
    read_manifest,
)
from .run_names import (
    COPY,
    OWN,
    POOL,
    STATE,
    TASKS,
    TUNING_RUN,
    USAGE,
    WEIGHTS,
    check_replaceable,
    is_left,
    is_of_run,
    name_files,
    remove,
    run_files,
)

__all__ = ["TuningFolder", "differing_files"]


class _Manifest(Struct):
    """What the manifest of a run holds: its options by name, and a digest of each file it read."""

    command: dict[str, Any]
    inputs: dict[Text, Text]


class _Outcome(Struct):
    """What the file of a task holds, see :class:`isogloss.tune.experiment.Outcome`."""

    best_epoch: Count
    held_out: Finite
    epochs: list[Epoch]
    tested: list[Count]
    hypotheses: list[Count]
    weights: dict[str, Finite]
    note: str
    scale: Finite = 1.0


# options of older runs, and what they are called now
_RENAMED = {
    "accumulate": "accumulate_nbest", "beta": "bin_strength", "cosine_by": "cosine_method",
    "first_come": "deterministic", "hope_weight": "hope_metric_weight",
    "least_change": "loop_tolerance", "neighbours": "bin_regularizer",
    "precision": "initial_precision", "reference": "oracle", "scale": "inverse_temperature",
    "sharpness": "bin_sharpness", "smoothing": "surface_smoothing",
    "templates_from": "plugin", "toward_start": "l2_to_init", "weights": "initial_weights",
}  # fmt: skip
# options that meant something else of some optimizers, by optimizer, and what that is called now
_MOVED: Mapping[str, Mapping[str, str]] = {
    "pro": {"epochs": "samples"},
    "mira": {"decay": "document_decay"},
    "minrisk": {"epochs": "temperatures"},
    "lp-mert": {"fixed": "tied", "tolerance": "margin"},
    "hinge": {"initial_precision": "precision_step"},
}
_VALUES: Mapping[str, Mapping[Any, Any]] = {
    "first_come": {True: False, False: True},
    "cosine_by": {"projection": "exact", "program": "heuristic"},
}


def _with_new_names(command: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a run, older ones under their present names."""
    named = renamed(command, _RENAMED, _VALUES)
    for moved in _MOVED.values():
        for older, present in moved.items():
            if older in named:
                named.setdefault(present, None)
    for older, present in _MOVED.get(str(named.get("optimizer")), {}).items():
        if named.get(older) is not None:
            named[present], named[older] = named[older], None
    return named


def _write_json(value: Any, path: Path) -> None:
    write_lines(json.dumps(value, indent=1, ensure_ascii=False).split("\n"), path)


class TuningFolder:
    """The folder of a run, to be filled, gone on with or repeated.

    manifest: the command, the program's version and the digests of the inputs
    new: no earlier run is gone on with; resume, overwrite: what was asked for a folder in use
    """

    def __init__(
        self,
        path: Path,
        manifest: Mapping[str, Any],
        *,
        new: bool = False,
        resume: bool = False,
        overwrite: bool = False,
    ) -> None:
        self.path, self.manifest = path, manifest
        self._new, self._resume, self._overwrite = new, resume, overwrite
        self._begun = self._made = False

    @property
    def command(self) -> Mapping[str, Any]:
        """Options of `isogloss tune` by name, all that its result depends on."""
        command: Mapping[str, Any] = self.manifest["command"]
        return command

    @classmethod
    def prepare(
        cls,
        path: str | Path,
        command: Mapping[str, Any],
        inputs: Sequence[str],
        *,
        resume: bool = False,
        overwrite: bool = False,
    ) -> "TuningFolder":
        """A new folder, or one to go on with; nothing is written before :meth:`begin`.

        command: options of `isogloss tune` by name; inputs: files that it reads

        Raises DataError where the folder is in use and may neither be gone on with nor be
        overwritten, or holds something else: a run of another command, of another version of the
        program or on other inputs, or files that no run has written; ModelError where it is a run's
        of another kind; and OutputError where it can't be made.
        """
        path = Path(path)
        in_use = is_in_use(path, resume=resume, overwrite=overwrite)  # before inputs are read
        manifest = {
            **TUNING_RUN.stamp(),
            "command": dict(command),
            "inputs": {str(name): digest_of_file(name) for name in inputs},
        }
        if in_use and resume and (path / MANIFEST).exists():
            with suppress(DataError, ModelError) if overwrite else nullcontext():
                before = cls.open(path, AGAIN)
                _check_same(path, before.manifest, manifest)
                return before
        if in_use:
            check_replaceable(path, overwrite)
        return cls(path, manifest, new=True, resume=resume, overwrite=overwrite)

    @classmethod
    def open(cls, path: str | Path, remedy: str = COPY) -> "TuningFolder":
        """The folder of an earlier run.

        remedy: what to do where the manifest is damaged

        Raises DataError where there is no such folder, and ModelError where it is that of another
        kind of run or of a version that can't be read.
        """
        path = Path(path)
        file = path / MANIFEST
        if not file.exists():
            raise DataError(
                f"the folder has no {MANIFEST}", "a run folder of `isogloss tune --out`", file=path
            )
        manifest = read_manifest(file, TUNING_RUN, _Manifest, remedy)
        return cls(path, manifest | {"command": _with_new_names(manifest["command"])})

    def begin(self) -> None:
        """Make the folder in place of what an earlier run has written, or take up that run.

        Parts of files that a killed run has left are removed, and states of finished trainings.

        Raises DataError where something else has used the folder in the meantime, and OutputError
        where it can't be made.
        """
        with naming_output(self.path):
            if self._new:
                if is_in_use(self.path, resume=self._resume, overwrite=self._overwrite):
                    check_replaceable(self.path, self._overwrite)
                    remove(run_files(self.path))
                self._begun, self._made = True, not self.path.exists()
                (self.path / TASKS).mkdir(parents=True, exist_ok=True)
                name_files(self.path, self.command)
                _write_json(self.manifest, self.path / MANIFEST)
            else:
                remove([file for file in run_files(self.path) if is_left(file)])

    def discard_unused(self) -> None:
        """Remove what :meth:`begin` has made, unless something has been learned since."""
        files = run_files(self.path)
        if not self._begun or any(file.parent != self.path and file.name != OWN for file in files):
            return
        with suppress(OSError):
            remove(files)
            (self.path / TASKS).rmdir()
            if self._made:
                self.path.rmdir()

    def check_inputs(self) -> None:
        """Raise DataError where an input is missing or has changed since the run."""
        for name, digest in self.manifest["inputs"].items():
            remedy = "Restore the original file"
            if not Path(name).is_absolute():
                remedy += (
                    "; its name is relative to the folder in which the run was started, so you may "
                    "need to repeat the command there"
                )
            if not Path(name).exists():
                raise DataError("the file does not exist", file=name, remedy=remedy)
            if digest_of_file(name) != digest:
                raise DataError("the file has changed since the run", file=name, remedy=remedy)

    def _task_file(self, task: Task) -> Path:
        return self.path / TASKS / f"{task.name}.json"

    def state_file(self, task: Task) -> Path:
        """Where an unfinished task keeps its state."""
        return self.path / TASKS / f"{task.name}{STATE}"

    def pool_file(self, task: Task, epoch: int) -> Path:
        """Where an unfinished task keeps the hypotheses that it had accumulated by an epoch."""
        return self.tasks / f"{task.name}.epoch{epoch}{POOL}"

    def write_outcome(self, outcome: Outcome) -> None:
        """Keep what a task has learned; its state is no longer needed."""
        weights = {name: value for name, value in outcome.weights.as_dict().items() if value != 0.0}
        value = {
            "best_epoch": outcome.best_epoch,
            "held_out": outcome.held_out,
            "epochs": [asdict(epoch) for epoch in outcome.epochs],
            "tested": outcome.tested.tolist(),
            "hypotheses": outcome.hypotheses.tolist(),
            "note": outcome.note,
            "scale": outcome.scale,
            "weights": weights,
        }
        write_lines([json.dumps(value, ensure_ascii=False)], self._task_file(outcome.task))
        self.state_file(outcome.task).unlink(missing_ok=True)
        for pool in range(len(outcome.epochs)):
            self.pool_file(outcome.task, pool).unlink(missing_ok=True)

    def read_outcome(self, task: Task, space: FeatureSpace) -> Outcome | None:
        """What a task has learned, None where it isn't done.

        space: features of the weights; bins that it lacks may have been learned, too

        Raises DataError for a file that is damaged.
        """
        if not self._task_file(task).exists():
            return None
        value: _Outcome = read_json(self._task_file(task), _Outcome, self._again(task))
        if len(value.tested) != len(value.hypotheses):
            raise self._misfit(task, "tested and hypotheses differ in length")
        if value.best_epoch >= len(value.epochs):
            last = len(value.epochs) - 1
            raise self._misfit(
                task, f"best_epoch is {value.best_epoch}, but the last epoch is {last}"
            )
        if (space.ids(value.weights) < 0).any():
            space = space.with_all_bins()
        return Outcome(
            task,
            Weights(space, space.vector(value.weights)),
            value.best_epoch,
            tuple(value.epochs),
            value.held_out,
            np.array(value.tested, np.int64),
            np.array(value.hypotheses, np.int64),
            value.note,
            value.scale,
        )

    def check_choices(self, outcome: Outcome, plan: Plan, examples: Examples | NBest) -> None:
        """Raise DataError where what was read of a task can't come from these examples."""
        tested, chosen = outcome.tested, outcome.hypotheses
        if not np.array_equal(tested, plan.split(len(examples), outcome.task).test):
            raise self._misfit(outcome.task, "tested does not list the sentences of the fold")
        first, last = examples.sentence_offsets[tested], examples.sentence_offsets[tested + 1]
        if ((chosen < first) | (chosen >= last)).any():
            raise self._misfit(
                outcome.task, "the hypotheses do not belong to the sentences that were tested"
            )

    def _misfit(self, task: Task, seen: str) -> DataError:
        return DataError(
            seen, "a file written by a run", file=self._task_file(task), remedy=self._again(task)
        )

    @staticmethod
    def _again(task: Task) -> str:
        return f"Delete it and pass --resume, which trains {task.name} again"

    def write_epochs(self, outcomes: Sequence[Outcome]) -> None:
        """Write epochs.jsonl: a line per epoch of each task."""
        write_lines(
            (
                json.dumps({"run": outcome.task.run, "fold": outcome.task.fold, **asdict(epoch)})
                for outcome in outcomes
                for epoch in outcome.epochs
            ),
            self.path / EPOCH_LOG,
        )

    def write_report(self, report: Mapping[str, Any]) -> None:
        """report.json: scores, gains and tests as numbers."""
        _write_json(report, self.path / REPORT)

    @property
    def tasks(self) -> Path:
        """Where the files of trainings stand."""
        return self.path / TASKS

    @property
    def weights_file(self) -> Path:
        """weights.json: the weights of the best run."""
        return self.path / WEIGHTS

    def write_usage(self, usage: Mapping[str, float]) -> None:
        """usage.json: time and memory."""
        _write_json(usage, self.path / USAGE)


def _check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name, what in (("program", "version"), ("command", "command"), ("inputs", "input")):
        if before[name] == now[name]:
            continue
        seen = f"the folder contains a run with a different {what}"
        if name != "program":
            keys = sorted(before[name].keys() | now[name].keys())
            changed = [key for key in keys if before[name].get(key) != now[name].get(key)]
            if not changed:  # options that earlier runs don't record, and that are not given
                continue
            shown = map(flag, changed[:3]) if name == "command" else changed[:3]
            seen += f" ({', '.join(shown)})"
        raise DataError(seen, "the folder of the run to resume", file=path / MANIFEST, remedy=AGAIN)


def differing_files(first: Path, second: Path) -> list[str]:
    """Names of the files that two runs' folders don't have in common byte for byte.

    usage.json and parts of files that a killed run has left don't count.
    """
    names = {
        str(file.relative_to(folder))
        for folder in (first, second)
        for file in folder.rglob("*")
        if file.is_file()
        and file.name != USAGE
        and not (is_part(file.name) and is_of_run(file, folder))
    }
    return sorted(name for name in names if _content(first / name) != _content(second / name))


def _content(path: Path) -> object:
    """The bytes of a file, None for no file; of a manifest its values, under present names."""
    if path.name != MANIFEST or not path.exists():
        return path.read_bytes() if path.exists() else None
    manifest = read_json(path, dict[str, Any])
    return manifest | {"command": _with_new_names(manifest["command"])}
