"""Which stage of a run writes which files, and what is left there of stages that aren't done."""

import re
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from align.files.outputs import entries, naming_output
from align.files.parts import discard, is_part, remove_left_parts, whole_name
from align.model.checkpoint import Checkpoint
from align.model.store import MODEL_FORMAT

from ..runs.run_folder import MANIFEST

__all__ = ["foreign_files", "remove_left_files", "remove_states"]

_KINDS = ("flat", "latent")
_LEXICON = "lexicon"
_STAGES = {
    "align-flat": r"flat\.(links\.gz|model|checkpoint)|lexicon/flat\..+\.tsv\.gz",
    "align-latent": (
        r"latent\.(links\.gz|model|checkpoint)|domains\.tsv\.gz|lexicon/latent\..+\.tsv\.gz"
    ),
    "extract": r"phrase-table\.(gz|columns\.json)",
    "language-model": r"lm\.arpa\.gz",
    "features": r"phrase-table\.features\.(gz|columns\.json|bins\.json)",
    "tune-dense": r"weights\.dense\.json",
    "tune-full": r"weights\.full\.json",
    "translate": r"test\.(untuned|dense|full)\.txt",
    "report": r"report\.txt|manifest\.json",
}


def _entries(folder: Path) -> Iterator[tuple[Path, str | None]]:
    """What is in a run's folder, and the stage that writes it, parts of files included."""
    below = folder / _LEXICON
    inside = entries(below) if below.is_dir() and not below.is_symlink() else []
    for path in (*entries(folder), *inside):
        if path == below and path.is_dir() and not path.is_symlink():
            continue
        name = str(path.with_name(whole_name(path.name)).relative_to(folder))
        stages = (stage for stage, names in _STAGES.items() if re.fullmatch(names, name))
        yield path, next(stages, None)


def foreign_files(folder: Path) -> list[str]:
    """Names of what is in a folder and no run writes."""
    return [str(path.relative_to(folder)) for path, stage in _entries(folder) if stage is None]


def remove_left_files(folder: Path, done: Collection[str]) -> None:
    """Remove what stages have written that aren't done, and what killed ones have left.

    States of training stay, and what no run writes.

    Raises OutputError where something can't be removed.
    """
    with naming_output(folder):
        for path, stage in _entries(folder):
            if stage is None or path.suffix == ".checkpoint" or path.name == MANIFEST:
                continue
            if is_part(path.name):
                remove_left_parts(path.with_name(whole_name(path.name)))
            elif stage in done:
                continue
            elif not path.is_dir():
                path.unlink()
            elif not MODEL_FORMAT.foreign(path):
                discard(path)
    with suppress(OSError):
        (folder / _LEXICON).rmdir()


def remove_states(folder: Path, done: Collection[str] = tuple(_STAGES)) -> None:
    """Remove the states of training of stages that are done, or that an earlier run has left."""
    for kind in _KINDS:
        if f"align-{kind}" in done:
            Checkpoint(folder / f"{kind}.checkpoint", "").remove()
