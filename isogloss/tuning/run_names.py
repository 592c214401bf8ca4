"""What tuning runs write to their folders, told from what is a user's by its name."""

import re
from collections.abc import Sequence
from pathlib import Path

from align.errors import DataError, some_names
from align.files.outputs import entries
from align.files.parts import is_part, whole_name
from align.files.records import parse_json, read_bounded
from align.files.stored_folder import StoredKind

from ..runs.epoch_log import EPOCH_LOG
from ..runs.run_folder import AGAIN, MANIFEST

__all__ = [
    "COPY",
    "POOL",
    "REPORT",
    "STATE",
    "TASKS",
    "TUNING_RUN",
    "USAGE",
    "WEIGHTS",
    "check_replaceable",
    "is_left",
    "is_of_run",
    "remove",
    "run_files",
]

COPY = "Bring it back from a copy, or give the run's `isogloss tune` again with --overwrite"
TUNING_RUN = StoredKind(
    kind="isogloss tuning run",
    version=(1, 0),
    remedy=COPY,
    outdated="Use the isogloss that wrote it, or another folder",
)
TASKS, USAGE, REPORT, WEIGHTS = "tasks", "usage.json", "report.json", "weights.json"
_FILES = (MANIFEST, USAGE, REPORT, WEIGHTS, EPOCH_LOG)
STATE, POOL = ".state.npz", ".pool.gz"
_TASK_FILE = re.compile(
    r"run[0-9]+\.((final|fold[0-9]+)\.(json|state\.npz)"
    r"|final\.iteration[0-9]+\.(json|nbest\.gz|held-out\.gz)|final\.epoch[0-9]+\.pool\.gz)"
)


def is_of_run(file: Path, folder: Path) -> bool:
    """Whether a run in ``folder`` writes a file of this name, or a part of it."""
    name = whole_name(file.name)
    if file.parent == folder:
        return name in _FILES and file.is_file()
    is_task = file.parent == folder / TASKS and _TASK_FILE.fullmatch(name) is not None
    return is_task and file.is_file()


def _entries(folder: Path) -> list[Path]:
    """What is in a run's folder and in its folder of tasks."""
    found = entries(folder) if folder.is_dir() else []
    tasks = folder / TASKS
    if not tasks.is_dir() or tasks.is_symlink():
        return found
    return [entry for entry in found if entry != tasks] + entries(tasks)


def run_files(folder: Path) -> list[Path]:
    """What runs have written there, the manifest last."""
    files = [entry for entry in _entries(folder) if is_of_run(entry, folder)]
    return sorted(files, key=lambda file: file.name == MANIFEST)


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
    # without the manifest, which comes first and goes last, names such as weights.json say nothing
    begun = not overwrite or (folder / MANIFEST).exists()
    names = [
        str(entry.relative_to(folder))
        for entry in found
        if not is_of_run(entry, folder)
        or not (begun or is_part(entry.name) or entry.parent != folder)
    ]
    if _is_foreign(folder / MANIFEST):
        names.append(f"another program's {MANIFEST}")
    if names:
        raise DataError(
            f"{folder} holds {some_names(names)}",
            "nothing but what `isogloss tune --out` writes",
            remedy="Choose another folder, or remove them first",
        )
    kept = [str(entry.relative_to(folder)) for entry in found if not is_part(entry.name)]
    if kept and not overwrite:
        raise DataError(
            f"{folder} holds {some_names(kept)}",
            f"the {MANIFEST} of the run to go on with as well, or nothing",
            remedy=AGAIN,
        )
