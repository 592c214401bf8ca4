"""manifest.json of a pipeline's folder: what the run was made of, and which stages are done."""

import platform
import sys
from collections.abc import Callable, Mapping
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

from msgspec import UNSET, Struct, UnsetType, field
from msgspec.structs import fields

from isogloss.align.errors import DataError, ModelError, some_names
from isogloss.align.files.outputs import entries
from isogloss.align.files.parts import is_part
from isogloss.align.files.records import Count, Finite, Name, Text, conform, read_json, renamed
from isogloss.align.files.stored_folder import StoredKind
from isogloss.align.model.store import MODEL_FORMAT, with_present_names

from ..runs.measure import StoredUsage
from ..runs.run_folder import AGAIN, MANIFEST, digest_of_file, is_in_use, read_manifest
from .config import RunConfig, config_from_values

__all__ = ["known_files", "open_manifest", "open_run"]

_ELSEWHERE = "Choose another folder, or remove this one first"
PIPELINE_RUN = StoredKind(
    kind="isogloss pipeline run", version=(1, 1), remedy=AGAIN, outdated=AGAIN
)

# parts of a configuration that say what is read, and which stages there are
_TEXTS = ("run", "train", "evaluate", "align", "extract", "tune", "test")
# tables some of whose keys had other names in older runs
_PRESENT: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "align": with_present_names,
    "tune": partial(renamed, names={"nbest": "nbest_size"}, choices={}),
}
Figures = TypeVar("Figures")


class _Stage(Struct, Generic[Figures]):
    figures: Figures
    usage: StoredUsage


class _Text(Struct):
    pairs: Count
    source_tokens: Count
    target_tokens: Count
    seeds: dict[Name, Count]


class _Alignment(Struct):
    aer: dict[Text, dict[Text, Finite]] = field(default_factory=dict)
    domain_accuracy: Finite | None = None


class _Extraction(Struct):
    phrase_pairs: Count


class _Features(Struct):
    rules: Count


class _Tuning(Struct):
    active: Count
    features: Count
    best_epoch: Count
    tuning_bleu: list[Finite]


class _Translation(Struct):
    test_bleu: dict[Text, Finite | Text]


class _Stages(Struct, rename="kebab"):
    """What each stage tells, as far as the report and later stages look at it."""

    text: _Stage[_Text] | UnsetType = UNSET
    align_flat: _Stage[_Alignment] | UnsetType = UNSET
    align_latent: _Stage[_Alignment] | UnsetType = UNSET
    extract: _Stage[_Extraction] | UnsetType = UNSET
    language_model: _Stage[dict[str, Any]] | UnsetType = UNSET
    features: _Stage[_Features] | UnsetType = UNSET
    tune_dense: _Stage[_Tuning] | UnsetType = UNSET
    tune_full: _Stage[_Tuning] | UnsetType = UNSET
    translate: _Stage[_Translation] | UnsetType = UNSET


class _Configuration(Struct):
    """The file of a run's configuration, and what it held."""

    file: Text
    values: dict[Text, Any]


class _Manifest(Struct):
    digest: Text
    inputs: dict[Text, Text]
    python: Text
    seed: int
    stages: _Stages
    files: list[Text]
    configuration: _Configuration | UnsetType = UNSET  # since version 1.1


def open_run(folder: Path) -> tuple[dict[str, Any], RunConfig | None]:
    """The manifest of a run, and what it says of its texts; None in one of version 1.0.

    Features and decoder are not in it: they may need the user's own templates.

    Raises DataError where a folder has no manifest or it is damaged, ModelError where it is that of
    another kind of run, or of a version that this program can't read.
    """
    path = folder / MANIFEST
    remedy = "Repeat the run with `isogloss run --overwrite`"
    manifest = read_manifest(path, PIPELINE_RUN, _Manifest, remedy)
    known = {field.encode_name for field in fields(_Stages)}
    manifest["stages"] = {
        name: manifest["stages"][name] for name in manifest["stages"] if name in known
    }
    if "configuration" not in manifest:
        return manifest, None
    recorded = manifest["configuration"]
    texts = {name: recorded["values"][name] for name in _TEXTS if name in recorded["values"]}
    for table, present in _PRESENT.items():
        if isinstance(texts.get(table), dict):
            texts[table] = present(texts[table])
    return manifest, config_from_values(texts, Path(recorded["file"]))


def open_manifest(config: RunConfig, *, resume: bool, overwrite: bool) -> dict[str, Any]:
    """The manifest of the folder to go on with, or a new one; nothing is written.

    With both, a run is gone on with where it is the same, else started again.

    Raises DataError where the folder exists and neither was asked for, or holds another run, or
    something without a manifest that names the files of a run; ModelError where it is of another
    kind or version, and OutputError where it can't be made.
    """
    path = config.out / MANIFEST
    in_use = is_in_use(config.out, resume=resume, overwrite=overwrite)
    fresh = {
        **PIPELINE_RUN.stamp(),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "digest": config.digest,
        "configuration": {"file": str(config.file), "values": config.values},
        "seed": config.seed,
        "inputs": {str(path): digest_of_file(path) for path in config.inputs},
        "stages": {},
    }
    if not in_use or all(is_part(path.name) for path in entries(config.out)):
        return fresh
    if resume:
        with suppress(DataError, ModelError) if overwrite else nullcontext():
            return _same_run(path, fresh)
    _check_replaceable(path)
    for model in sorted(config.out.glob("*.model")):
        if MODEL_FORMAT.is_at(model):  # what else it holds is told before anything is trained
            MODEL_FORMAT.check_replaceable(model, overwrite=True)
    return fresh


def known_files(path: Path) -> list[str] | None:
    """The files that a run's manifest of any version names as its own; None where it names none."""
    with suppress(DataError):
        manifest = read_json(path, dict[str, Any])
        if manifest.get("kind") == PIPELINE_RUN.kind and "files" in manifest:
            return conform(manifest["files"], list[Text])
    return None


def _check_replaceable(path: Path) -> None:
    """Raise DataError where a folder is not that of a run. path: its manifest"""
    if path.exists():
        foreign = [] if known_files(path) is not None else [f"a {MANIFEST} of another program"]
    else:  # a run's manifest comes first
        foreign = [entry.name for entry in entries(path.parent) if not is_part(entry.name)]
    if foreign:
        raise DataError(
            f"{path.parent} contains {some_names(foreign)}",
            "only files of `isogloss run`",
            remedy="Choose another folder, or remove them first",
        )


def _same_run(path: Path, fresh: dict[str, Any]) -> dict[str, Any]:
    """The manifest of the run to go on with. Raises DataError where it is another one's."""
    if not path.exists():
        raise DataError(
            f"{path.parent} contains no {MANIFEST}",
            "the folder of an earlier run",
            remedy="Choose another folder",
        )
    remedy = AGAIN if known_files(path) is not None else _ELSEWHERE
    manifest = read_manifest(path, PIPELINE_RUN, _Manifest, remedy)
    for name in ("tune-dense", "tune-full"):
        _check_best_epoch(manifest["stages"].get(name), path)
    names = {"digest": "configuration", "program": "version", "inputs": "input"}
    changed = [names[key] for key in names if manifest[key] != fresh[key]]
    if changed:
        raise DataError(
            f"{path} belongs to a run with a different {changed[0]}",
            "the run to resume",
            remedy=AGAIN,
        )
    return manifest


def _check_best_epoch(stage: Mapping[str, Any] | None, path: Path) -> None:
    """Raise DataError where tuning is said to have ended with an epoch that it did not have."""
    if stage is None:
        return
    figures = stage["figures"]
    if figures["best_epoch"] >= len(figures["tuning_bleu"]):
        raise DataError(
            f"best_epoch is {figures['best_epoch']}, but the last epoch is "
            f"{len(figures['tuning_bleu']) - 1}",
            file=path,
            remedy=AGAIN,
        )
