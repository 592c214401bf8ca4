"""What decoding and tuning begin with: a moses.ini and weights, for a table and other models."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path

from isogloss.align.files.outputs import real_path
from isogloss.align.files.writers import write_lines
from isogloss.features.bins.binning import Binning
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.feature_list import FeatureList
from isogloss.tune.decoder.named_weights import LANGUAGE_MODELS, PENALTIES, REORDERING, TABLE
from isogloss.tune.decoder.reordering import orientation_names
from isogloss.tune.weights.starting import (
    DEFAULT_WEIGHTS,
    LANGUAGE_MODEL_WEIGHT,
    ORIENTATION_WEIGHT,
)

from .moses_decoder import DISTORTION_LIMIT

__all__ = ["StartingModels", "starting_files", "write_starting_files"]

_SCORE_WEIGHT = 0.2  # what Moses begins tuning with
_TABLE_NAME = "TranslationModel0"
_COUNTS, _WEIGHTS, _MOSES_INI = "features.tsv", "weights.txt", "moses.ini"
_SPARSE_WEIGHTS = "sparse-weights.txt"
_FACTORS = "input-factor=0 output-factor=0"


@dataclass(frozen=True)
class StartingModels:
    """The models beside a phrase table.

    relative: whether the moses.ini names files relative to its folder, where they are below the
        parent of that
    """

    language_models: tuple[Path, ...] = ()
    reordering: tuple[tuple[ReorderingModel, Path], ...] = ()
    relative: bool = False

    def path_in(self, folder: Path, file: str | Path) -> str:
        """What a moses.ini in a folder calls a file."""
        whole, base = real_path(file), real_path(folder)
        is_near = self.relative and whole.is_relative_to(base.parent)
        return os.path.relpath(whole, base) if is_near else str(whole)


def starting_files(folder: str | Path) -> list[Path]:
    """The files that :func:`write_starting_files` may write into a folder."""
    return [Path(folder) / name for name in (_COUNTS, _WEIGHTS, _MOSES_INI, _SPARSE_WEIGHTS)]


def write_starting_files(
    folder: str | Path,
    table: str | Path,
    features: FeatureList,
    models: StartingModels,
    binning: Binning | None = None,
) -> None:
    """Write features.tsv, weights.txt and moses.ini into a folder.

    Weights are those that Moses begins tuning with; bins of the table weigh what their score would,
    other sparse features 0. Where there are sparse features, sparse-weights.txt has their names as
    Moses has them.

    Raises OutputError where they can't be written.
    """
    folder = Path(folder)
    groups = list(_features(folder, table, features.score_names, models))
    dense = (pair for group in groups for pair in group.weights)
    bins = binning.weights(DEFAULT_WEIGHTS.as_dict()) if binning else {}
    # bins have weights also where there are more sparse features than are named
    others = [*({name: bins.get(name, 0) for name in features.sparse_names} | bins).items()]
    sparse = folder / _SPARSE_WEIGHTS if others else None
    named = models.path_in(folder, sparse) if sparse else None
    write_lines(features.lines(), folder / _COUNTS)
    write_lines((f"{name} {weight}" for name, weight in chain(dense, others)), folder / _WEIGHTS)
    write_lines(_moses_ini(groups, features.score_names, named), folder / _MOSES_INI)
    if sparse:
        write_lines((f"{_TABLE_NAME}_{name} {weight}" for name, weight in others), sparse)


@dataclass(frozen=True)
class _Feature:
    """A feature of a moses.ini. line: below [feature]; weights: by the decoder's names"""

    name: str
    line: str
    weights: Sequence[tuple[str, float]]


def _features(
    folder: Path, table: str | Path, scores: Sequence[str], models: StartingModels
) -> Iterator[_Feature]:
    path_in = partial(models.path_in, folder)
    for kind in reversed(PENALTIES):
        name = f"{kind}0"
        yield _Feature(name, kind, [(name, DEFAULT_WEIGHTS[name])])
    size, path = f"num-features={len(scores)}", f"path={path_in(table)}"
    line = f"{TABLE} name={_TABLE_NAME} {size} {path} {_FACTORS}"
    yield _Feature(_TABLE_NAME, line, [(score, _SCORE_WEIGHT) for score in scores])
    for number, (model, file) in enumerate(models.reordering):
        names = orientation_names(model, number)
        name, size = f"{REORDERING}{number}", f"num-features={len(names)}"
        line = f"{REORDERING} name={name} {size} type={model} {_FACTORS} path={path_in(file)}"
        yield _Feature(name, line, [(feature, ORIENTATION_WEIGHT) for feature in names])
    for number, file in enumerate(models.language_models):
        name = f"LM{number}"
        line = f"{LANGUAGE_MODELS[0]} name={name} factor=0 path={path_in(file)}"
        yield _Feature(name, line, [(name, LANGUAGE_MODEL_WEIGHT)])


def _moses_ini(
    features: Sequence[_Feature], scores: Sequence[str], sparse: str | None
) -> Iterator[str]:
    yield f"# scores in their order: {' '.join(scores)}"
    yield from ("[input-factors]", "0", "", "[mapping]", "0 T 0", "")
    yield from ("[distortion-limit]", str(DISTORTION_LIMIT), "")
    yield from ("[feature]", *(feature.line for feature in features), "", "[weight]")
    for feature in features:
        values = " ".join(str(weight) for _, weight in feature.weights)
        yield f"{feature.name}= {values}"
    if sparse:
        yield from ("", "# weights of sparse features", "[weight-file]", sparse)
