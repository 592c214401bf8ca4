"""Weights of features: told by name, read from the forms of several programs, written as ours."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.files.writers import write_lines
from align.text.readers import read_lines
from features.space import FeatureSpace, is_sparse

from .lines import MARKS, check_names, parse_weights
from .moses_ini import MosesIni, is_moses_ini

__all__ = ["Weights", "check_weight_names", "read_weights", "weights_as_json", "write_weights"]


@dataclass(frozen=True)
class Weights:
    """Weights of a feature space.

    values: float64[len(space)]
    """

    space: FeatureSpace
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.space),):
            raise ValueError("one weight per feature")
        if not np.isfinite(self.values).all():
            raise ValueError("weights are finite")

    def __getitem__(self, name: str) -> float:
        number = self.space.id(name)
        return float(self.values[number]) if number >= 0 else 0.0

    def as_dict(self) -> dict[str, float]:
        """Non-zero weights and all dense ones by name."""
        keep = (self.values != 0.0) | (np.arange(len(self.space)) < self.space.num_dense)
        return {
            self.space.names[number]: float(self.values[number])
            for number in np.flatnonzero(keep).tolist()
        }

    @property
    def num_active(self) -> int:
        """Number of non-zero weights."""
        return int(np.count_nonzero(self.values))


def weights_as_json(weights: Mapping[str, float]) -> list[str]:
    """Lines of JSON that hold weights and say which features are dense."""
    space = {"dense": [name for name in weights if not is_sparse(name)]}
    value = {"space": space, "weights": dict(weights)}
    return json.dumps(value, indent=1, ensure_ascii=False).split("\n")


def _holds_json(path: str | Path | None) -> bool:
    return path is None or str(path) == "-" or str(path).endswith(".json")


def check_weight_names(names: Iterable[str], path: str | Path | None) -> None:
    """Raise DataError for a name that :func:`write_weights` can't write there; JSON holds any."""
    if not _holds_json(path):
        check_names(names, "text", path)


def write_weights(weights: Mapping[str, float], path: str | Path | None) -> None:
    """Write weights: JSON where the name ends in .json or for stdout, else ``NAME value`` lines.

    Raises ValueError for a weight that is not finite, DataError for a name that would not be read
    back from a line; nothing is written then.
    """
    if not all(np.isfinite(value) for value in weights.values()):
        raise ValueError("weights are finite")
    if _holds_json(path):
        write_lines(weights_as_json(weights), path)
        return
    check_weight_names(weights, path)
    mark = MARKS["text"]
    write_lines((f"{name}{mark}{float(value)!r}" for name, value in weights.items()), path)


def read_weights(path: str | Path) -> dict[str, float]:
    """Read JSON, a moses.ini with its file of sparse weights, or lines of text.

    Lines are ``NAME value``, ``NAME=value`` or Moses' ``NAME= v v v``, told apart one by one.
    Several values of one Moses name, in one line or in lines that follow each other, become
    ``NAME.0``, ``NAME.1``, ...

    Raises DataError for anything else, for values that are not finite and for a name that comes
    twice.
    """
    lines = read_lines(path)
    if is_moses_ini(lines):
        return MosesIni(tuple(lines), Path(path)).weights()
    return parse_weights(lines, path)
