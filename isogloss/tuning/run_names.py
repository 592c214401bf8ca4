"""What tuning runs write to their folders, told from what is a user's.

tasks/files.json comes first and says what trainings a run has: their files, and those that stand
beside it in the folder above, are the run's, and nothing else is ever removed. It stands apart from
the manifest, so that a run whose manifest is damaged can be started again.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from isogloss.align.errors import DataError, some_names
from isogloss.align.files.outputs import entries
from isogloss.align.files.parts import is_part, whole_name
from isogloss.align.files.records import Count, Counting, parse_json, read_bounded, read_json
from isogloss.align.files.stored_folder import StoredKind
from isogloss.align.files.writers import write_lines
from isogloss.tune.experiment import Task
from isogloss.tune.folds import USUAL_FOLDS

from ..runs.epoch_log import EPOCH_LOG
from ..runs.run_folder import AGAIN, MANIFEST, REPORT, REPORT_PAGE

__all__ = [
    "COPY",
    "OWN",
    "POOL",
    "STATE",
    "TASKS",
    "TUNING_RUN",
    "USAGE",
    "WEIGHTS",
    "check_replaceable",
    "is_left",
    "is_of_run",
    "name_files",
    "remove",
    "run_files",
]

COPY = "Restore it from a backup, or repeat the `isogloss tune` of the run with --overwrite"
TUNING_RUN = StoredKind(
    kind="isogloss tuning run",
    version=(1, 0),
    remedy=COPY,
    outdated="Use the version of isogloss that wrote it, or choose another folder",
)
TASKS, USAGE, WEIGHTS = "tasks", "usage.json", "weights.json"
_FILES = (MANIFEST, USAGE, REPORT, REPORT_PAGE, WEIGHTS, EPOCH_LOG)
STATE, POOL = ".state.npz", ".pool.gz"
OWN = "files.json"
_TASK_FILE = re.compile(
    r"run(?P<run>[0-9]{1,9})\.(final|fold(?P<fold>[0-9]{1,9}))\.(json|state\.npz)"
    r"|run(?P<loop>[0-9]{1,9})\.final\.(iteration(?P<iteration>[0-9]{1,9})"
    r"\.(json|nbest\.gz|held-out\.gz)|epoch[0-9]{1,9}\.pool\.gz)"
)


class _Own(Struct):
    """What trainings a run has: see :class:`isogloss.tune.experiment.Plan`."""

    # iterations: of each one's loop with a decoder, 0 where there is none

    runs: Counting
    folds: Count
    iterations: Count

    def names(self, name: str) -> bool:
        """Whether a file of the run's folder of tasks is called so."""
        match = _TASK_FILE.fullmatch(name)
        if match is None:
            return name == OWN
        run, fold = int(match["run"] or match["loop"]), int(match["fold"] or -1)
        task = Task(run, fold if match["fold"] else None)
        if not name.startswith(f"{task.name}.") or not 1 <= run <= self.runs or fold >= self.folds:
            return False
        return not match["loop"] or 0 < self.iterations >= int(match["iteration"] or 0)


def name_files(folder: Path, command: Mapping[str, Any]) -> None:
    """Write which files a run in ``folder`` is going to write. command: its options by name"""
    looped = bool(command.get("decoder") or command.get("decoder_command"))
    folds = command.get("folds")
    usual = 0 if looped or command.get("forests") else USUAL_FOLDS
    own = _Own(
        command.get("runs", 1),
        usual if folds is None else folds,
        command.get("decoder_iterations", 0) if looped else 0,
    )
    write_lines([msgspec.json.encode(own).decode()], folder / TASKS / OWN)


def _own(folder: Path) -> _Own | None:
    """What a run says of its files, None where no run does."""
    tasks = folder / TASKS
    if tasks.is_symlink() or (tasks / OWN).is_symlink() or not (tasks / OWN).is_file():
        return None
    try:
        return read_json(tasks / OWN, _Own)
    except DataError:
        return None


def is_of_run(file: Path, folder: Path, own: _Own | None = None) -> bool:
    """Whether a run in ``folder`` writes a file of this name, or a part of it.

    own: what that run says of its files; None = whatever run it is
    """
    name = whole_name(file.name)
    if file.parent == folder:
        return name in _FILES and file.is_file()
    if file.parent != folder / TASKS or not file.is_file():
        return False
    if own is None or is_part(file.name):
        return name == OWN or _TASK_FILE.fullmatch(name) is not None
    return own.names(name)


def _entries(folder: Path) -> list[Path]:
    """What is in a run's folder and in its folder of tasks."""
    found = entries(folder) if folder.is_dir() else []
    tasks = folder / TASKS
    if not tasks.is_dir() or tasks.is_symlink():
        return found
    return [entry for entry in found if entry != tasks] + entries(tasks)


def run_files(folder: Path) -> list[Path]:
    """What the run there has written, what names the others last of all.

    Where no run says what it has written, only parts of files are.
    """
    own = _own(folder)
    files = [
        entry
        for entry in _entries(folder)
        if is_of_run(entry, folder, own) and (own is not None or is_part(entry.name))
    ]
    order = [folder / MANIFEST, folder / TASKS / OWN]
    return sorted(files, key=lambda file: order.index(file) if file in order else -1)


def is_left(file: Path) -> bool:
    """Whether a file that a run has written is of no more use: a part, a finished task's state."""
    if is_part(file.name):
        return True
    task = file.name.removesuffix(STATE)
    if file.name.endswith(POOL):
        task = file.name.removesuffix(POOL).rpartition(".")[0]
    return task != file.name and file.with_name(f"{task}.json").exists()


def remove(files: Sequence[Path]) -> None:
    """Remove files."""
    for file in files:
        file.unlink()


def _is_foreign(file: Path) -> bool:
    """Whether a manifest is undamaged and of something else than a tuning run."""
    try:
        value = parse_json(read_bounded(file))
    except DataError:
        return False
    return isinstance(value, dict) and value.get("kind") != TUNING_RUN.kind


def check_replaceable(folder: Path, overwrite: bool) -> None:
    """Raise DataError where a run can't start in a folder that is in use.

    It can't where the folder holds what no run has written or, unless ``overwrite``, anything but
    parts of files.
    """
    found = _entries(folder)
    own = _own(folder)
    names = [
        str(entry.relative_to(folder))
        for entry in found
        if not is_of_run(entry, folder, own)
        or (overwrite and own is None and not is_part(entry.name))
    ]
    if _is_foreign(folder / MANIFEST):
        names = [*(name for name in names if name != MANIFEST), f"another program's {MANIFEST}"]
    if names:
        unnamed = "" if own is not None else f"; {TASKS}/{OWN} is missing or damaged"
        raise DataError(
            f"{folder} contains {some_names(names)}",
            f"only files of `isogloss tune --out`{unnamed}",
            remedy="Choose another folder, or remove them first",
        )
    begun = folder / TASKS / OWN  # stands there alone where a run was killed as it began
    kept = [
        str(entry.relative_to(folder))
        for entry in found
        if not is_part(entry.name) and entry != begun
    ]
    if kept and not overwrite:
        raise DataError(
            f"{folder} contains {some_names(kept)}",
            f"the {MANIFEST} of the run to resume as well, or no file",
            remedy=AGAIN,
        )
