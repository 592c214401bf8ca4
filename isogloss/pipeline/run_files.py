"""Which stage of a run writes which files, and what is left there of stages that aren't done.

manifest.json names them before the first one is written: nothing else is ever removed.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from isogloss.align.files.outputs import entries, file_name, naming_output
from isogloss.align.files.parts import discard, is_part, remove_left_parts, whole_name
from isogloss.align.model.domain_posterior import OUT
from isogloss.align.model.model import FLAT
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.training.checkpoint import Checkpoint

from ..runs.run_folder import MANIFEST, REPORT_PAGE
from .config import RunConfig

__all__ = ["names_of_run", "present_files", "remove_left_files", "remove_states"]

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
    "report": r"report\.(txt|html)|manifest\.json",
}


def names_of_run(config: RunConfig, domains: Sequence[str]) -> list[str]:
    """The files and folders that a run writes. domains: of its seeds"""
    names = [MANIFEST, "report.txt", REPORT_PAGE, "flat.links.gz", "flat.model", "flat.checkpoint"]
    tables = [("flat", FLAT)]
    if domains:
        names += ["latent.links.gz", "latent.model", "latent.checkpoint", "domains.tsv.gz"]
        tables += [("latent", domain) for domain in (*domains, OUT)]
    for kind, domain in tables:
        for direction in ("s2t", "t2s"):
            names.append(f"{_LEXICON}/{kind}.{file_name(domain)}.{direction}.tsv.gz")
    if config.extract:
        table, rich = "phrase-table", "phrase-table.features"
        names += [f"{table}.gz", f"{table}.columns.json", "lm.arpa.gz", f"{rich}.gz"]
        names += [f"{rich}.columns.json", f"{rich}.bins.json"]
        names += ["weights.dense.json", "weights.full.json"] if config.tuning else []
        tested = ("untuned", *(("dense", "full") if config.tuning else ()))
        names += [f"test.{kind}.txt" for kind in tested] if config.test else []
    return names


def present_files(folder: Path) -> list[str]:
    """Names of what is in a run's folder and could be a run's."""
    return [
        str(path.relative_to(folder))
        for path, stage in _entries(folder)
        if stage is not None and not is_part(path.name)
    ]


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


def remove_left_files(folder: Path, done: Collection[str], own: Collection[str]) -> None:
    """Remove what stages have written that aren't done, and what killed ones have left.

    States of training stay, and what the run doesn't write. own: names of what it does

    Raises OutputError where something can't be removed.
    """
    with naming_output(folder):
        for path, stage in _entries(folder):
            name = str(path.with_name(whole_name(path.name)).relative_to(folder))
            if stage is None or name not in own:
                continue
            if path.suffix == ".checkpoint" or path.name == MANIFEST:
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
