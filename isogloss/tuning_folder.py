"""The folder of a tuning run: what was asked, what came of it, and how far it got.

manifest.json holds the command, the program's version and the digests of its inputs: enough to go
on with an interrupted run and to repeat a finished one. tasks/NAME.json is written when a training
is done, so that what is there is complete. usage.json, the only file that another run of the same
command doesn't repeat byte for byte, says how long it took.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from align.errors import DataError
from align.writers import write_lines
from features.space import FeatureSpace
from tune.experiment import Outcome, Task
from tune.results import Epoch

from . import __version__

__all__ = ["TuningFolder", "differing_files", "digest_of_file"]

KIND = "isogloss tuning run"
VERSION = [1, 0]  # a new major version can't be gone on with
MANIFEST, USAGE = "manifest.json", "usage.json"


def digest_of_file(path: str | Path) -> str:
    """SHA-256 of a file; of a folder, that of its files' names and digests.

    Raises DataError for a file that can't be read.
    """
    path = Path(path)
    try:
        if path.is_dir():
            parts = [f"{one.name} {digest_of_file(one)}" for one in sorted(path.iterdir())]
            return hashlib.sha256("\n".join(parts).encode()).hexdigest()
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError(error.strerror or str(error), "a readable file", file=path) from error


def _write_json(value: Any, path: Path) -> None:
    write_lines(json.dumps(value, indent=1, ensure_ascii=False).split("\n"), path)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(
            f"a file that can't be read ({error})",
            "one that `isogloss tune --out` wrote",
            file=path,
            remedy="Delete it to have it made again, or start again with --overwrite",
        ) from error


class TuningFolder:
    """A folder that is being filled, or was.

    command: options of `isogloss tune` by name, all that its result depends on
    """

    def __init__(self, path: Path, manifest: Mapping[str, Any]) -> None:
        self.path, self.manifest = path, manifest

    @property
    def command(self) -> Mapping[str, Any]:
        """What was asked."""
        command: Mapping[str, Any] = self.manifest["command"]
        return command

    @classmethod
    def start(
        cls,
        path: str | Path,
        command: Mapping[str, Any],
        inputs: Sequence[str],
        *,
        resume: bool = False,
        overwrite: bool = False,
    ) -> "TuningFolder":
        """A new folder, or one to go on with.

        Raises DataError where the folder exists and neither was asked for, or holds something else:
        another command, another version's run, other inputs, or no run.
        """
        path = Path(path)
        manifest = {
            "kind": KIND,
            "version": VERSION,
            "program": __version__,
            "command": dict(command),
            "inputs": {str(name): digest_of_file(name) for name in inputs},
        }
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            if not (resume or overwrite):
                raise DataError(
                    f"{path} exists and is not empty",
                    "a new folder",
                    remedy="Go on with --resume, start again with --overwrite, or choose another "
                    "folder",
                )
            before = cls.open(path)
            if resume:
                _check_same(path, before.manifest, manifest)
                return before
            before._clear()
        (path / "tasks").mkdir(parents=True, exist_ok=True)
        _write_json(manifest, path / MANIFEST)
        return cls(path, manifest)

    @classmethod
    def open(cls, path: str | Path) -> "TuningFolder":
        """The folder of an earlier run. Raises DataError where there is none."""
        path = Path(path)
        if not (path / MANIFEST).exists():
            raise DataError(
                f"no {MANIFEST}", "the folder of a run of `isogloss tune --out`", file=path
            )
        manifest = _read_json(path / MANIFEST)
        if not isinstance(manifest, dict) or manifest.get("kind") != KIND:
            raise DataError("another kind of run", KIND, file=path / MANIFEST)
        if manifest["version"][0] != VERSION[0]:
            raise DataError(
                f"format {manifest['version']}", f"format {VERSION[0]}", file=path / MANIFEST
            )
        return cls(path, manifest)

    def check_inputs(self) -> None:
        """Raise DataError where an input is not what it was."""
        for name, digest in self.manifest["inputs"].items():
            if digest_of_file(name) != digest:
                raise DataError("changed since the run", "the file of that time", file=name)

    def _clear(self) -> None:
        """Remove what a run has written, and nothing else."""
        for one in self._own_files():
            one.unlink()

    def _own_files(self) -> Iterator[Path]:
        yield from sorted((self.path / "tasks").glob("*.json"))
        yield from sorted((self.path / "tasks").glob("*.npz"))
        for name in ("weights.json", "epochs.jsonl", "report.json", USAGE, MANIFEST):
            if (self.path / name).exists():
                yield self.path / name

    def _task_file(self, task: Task) -> Path:
        return self.path / "tasks" / f"{task.name}.json"

    def state_file(self, task: Task) -> Path:
        """Where an unfinished task keeps its state."""
        return self.path / "tasks" / f"{task.name}.state.npz"

    def write_outcome(self, outcome: Outcome, space: FeatureSpace) -> None:
        """Keep what a task has learned; its state is no longer needed."""
        used = np.flatnonzero(outcome.weights).tolist()
        value = {
            "best_epoch": outcome.best_epoch,
            "held_out": outcome.held_out,
            "epochs": [asdict(epoch) for epoch in outcome.epochs],
            "tested": outcome.tested.tolist(),
            "hypotheses": outcome.hypotheses.tolist(),
            "weights": {space.names[k]: float(outcome.weights[k]) for k in used},
        }
        write_lines(
            [json.dumps(value, ensure_ascii=False)], self._task_file(outcome.task)
        )
        self.state_file(outcome.task).unlink(missing_ok=True)

    def read_outcome(self, task: Task, space: FeatureSpace) -> Outcome | None:
        """What a task has learned, None where it isn't done."""
        path = self._task_file(task)
        if not path.exists():
            return None
        value = _read_json(path)
        return Outcome(
            task,
            space.vector(value["weights"]),
            value["best_epoch"],
            tuple(Epoch(**epoch) for epoch in value["epochs"]),
            value["held_out"],
            np.array(value["tested"], np.int64),
            np.array(value["hypotheses"], np.int64),
        )

    def write_epochs(self, outcomes: Sequence[Outcome]) -> None:
        """epochs.jsonl: a line per epoch of each task."""
        write_lines(
            (
                json.dumps({"run": one.task.run, "fold": one.task.fold, **asdict(epoch)})
                for one in outcomes
                for epoch in one.epochs
            ),
            self.path / "epochs.jsonl",
        )

    def write_report(self, report: Mapping[str, Any]) -> None:
        """report.json: what the person was told, as numbers."""
        _write_json(report, self.path / "report.json")

    def write_usage(self, usage: Mapping[str, float]) -> None:
        """usage.json: what it took."""
        _write_json(usage, self.path / USAGE)


def _check_same(path: Path, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name, what in (("program", "version"), ("command", "command"), ("inputs", "input")):
        if before[name] == now[name]:
            continue
        seen = f"the run of another {what}"
        if name != "program":
            keys = sorted(before[name].keys() | now[name].keys())
            changed = [key for key in keys if before[name].get(key) != now[name].get(key)]
            seen += f" ({', '.join(changed[:3])})"
        raise DataError(
            seen,
            "the folder of the run to go on with",
            file=path / MANIFEST,
            remedy="Start again with --overwrite, or choose another folder",
        )


def differing_files(one: Path, other: Path) -> list[str]:
    """Names of files that two runs' folders don't have in common byte for byte, but for usage."""
    names = {
        str(file.relative_to(folder))
        for folder in (one, other)
        for file in folder.rglob("*")
        if file.is_file() and file.name != USAGE
    }
    return sorted(name for name in names if _content(one / name) != _content(other / name))


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.exists() else None
