"""Weights of features by name, read from the files of several programs and written as ours."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.records import is_feature_name
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.files.text_io import LONGEST_DOCUMENT, MOST_LINES, read_lines
from isogloss.align.files.writers import write_lines
from isogloss.features.space import FeatureSpace, is_sparse, starting_with

from .lines import MARKS, RENAME, check_line_names, parse_weights
from .moses_ini import MosesIni, is_moses_ini

if TYPE_CHECKING:
    from isogloss.features.bins.binning import Binning

__all__ = ["Weights", "check_weight_names", "places_beside", "values_over", "weights_as_json"]

_SHOWN = 5  # weights in a repr


@dataclass(frozen=True, eq=False)
class Weights(Tabular):
    """Weights of a feature space, reached by name: ``weights["LM0"]``.

    A feature outside the space has a weight of 0. Two of them are equal where they hold the same
    features in the same order with the same weights.

    values: float64[len(space)], finite
    """

    space: FeatureSpace
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.space),):
            raise ValueError("one weight per feature")
        if not np.isfinite(self.values).all():
            raise ValueError("weights are finite")

    @classmethod
    def zeros(cls, space: FeatureSpace) -> "Weights":
        """A weight of 0 for each feature."""
        return cls(space, np.zeros(len(space)))

    @classmethod
    def from_dict(cls, weights: Mapping[str, float]) -> "Weights":
        """Weights over a space of their own: the names in their order, dense ones first.

        Raises ValueError for a weight that is not finite.
        """
        space = FeatureSpace(sorted(weights, key=is_sparse))
        return cls(space, np.array([weights[name] for name in space], np.float64))

    @classmethod
    def read(cls, path: str | Path) -> "Weights":
        """Read JSON, a moses.ini with its file of sparse weights, or lines of text.

        Lines are ``NAME value``, ``NAME=value`` or Moses' ``NAME= v v v``, told apart one by one.
        Several values of one Moses name, in one line or in lines that follow each other, become
        ``NAME.0``, ``NAME.1``, ...

        Raises DataError for anything else, for values that are not finite and for a name that comes
        twice.
        """
        lines = read_lines(path, longest=LONGEST_DOCUMENT, most=MOST_LINES)
        if is_moses_ini(lines):
            return cls.from_dict(MosesIni(tuple(lines), Path(path)).weights())
        return cls.from_dict(parse_weights(lines, path))

    def write(self, path: str | Path | None, *, keep_zeros: bool = False) -> None:
        """Write JSON where the name ends in .json or for stdout (None), else ``NAME value`` lines.

        keep_zeros: also the sparse features with a weight of 0, as :meth:`as_dict` does

        Raises DataError for a name that would not be read back; nothing is written then.
        """
        named = self.as_dict(keep_zeros=keep_zeros)
        check_weight_names(named, path)
        if _holds_json(path):
            write_lines(weights_as_json(named), path)
            return
        mark = MARKS["text"]
        write_lines((f"{name}{mark}{value!r}" for name, value in named.items()), path)

    def over(self, space: FeatureSpace) -> "Weights":
        """The same weights over another space, by name.

        Features that are new have a weight of 0; features that it lacks are left out.
        """
        if space is self.space:
            return self
        return Weights(space, space.vector(self.as_dict()))

    def covering(self, space: FeatureSpace) -> "Weights":
        """The weights over a space, and behind them those of sparse features that it lacks.

        A decoder has the sparse features of the rules for a text, lists those of hypotheses:
        others, such as bins that none of these is in, keep the weights that they have.
        """
        return self.over(space).with_rest_of(self)

    def with_rest_of(self, others: "Weights", scale: float = 1.0) -> "Weights":
        """These weights, and behind them those of others for sparse features that these lack.

        Where these were learned from the others, features that no example had keep their weights.
        Names are those of these weights' space, see :meth:`named_as`.
        Where anything is added, sparse features of weight 0 are left out.

        scale: a factor of what is added
        """
        named = others.named_as(self.space).as_dict()
        given = {name: value for name, value in named.items() if is_sparse(name)}
        lacking = (self.space.ids(given) < 0).tolist()
        rest = {
            name: scale * value
            for (name, value), lacks in zip(given.items(), lacking, strict=True)
            if lacks
        }
        return Weights.from_dict(self.as_dict() | rest) if rest else self

    def named_as(self, *spaces: FeatureSpace) -> "Weights":
        """The weights by the names of spaces, where theirs have a table's name before them:
        ``TranslationModel0_PT_a_b``, as a moses.ini has it, for ``PT_a_b``.

        What a table is called shows by a feature of a space that is named so without it, where no
        feature of any is named so with it. Names that a space has stay as they are.
        """
        sparse = [name for name in self.space if is_sparse(name)]
        unknown = [name for name, known in zip(sparse, _in_any(spaces, sparse), strict=True)
                   if not known]  # fmt: skip
        parts = {name: name.partition("_") for name in unknown}
        found = _in_any(spaces, [part[2] for part in parts.values()])
        tables = {part[0] for part, known in zip(parts.values(), found, strict=True) if known}
        tables = {
            table
            for table in tables
            if not any(starting_with(space.names, f"{table}_").any() for space in spaces)
        }
        if not tables:
            return self
        named = self.as_dict()
        for name, (table, _, rest) in parts.items():
            fits = table in tables and is_sparse(rest)
            if fits and name in named and rest not in named:
                named[rest] = named.pop(name)
        return Weights.from_dict(named)

    def binned(self, binning: "Binning", scores: Collection[str] = ()) -> "Weights":
        """The weights for a table some scores of which have become bins: these add about as much.

        Scores none of whose bins has a weight give theirs to them, as
        :meth:`isogloss.features.bins.binning.Binning.weights` says.

        scores: that the table has; they keep their weights
        """
        given = self.as_dict(keep_zeros=True)
        waiting = [
            spec.name
            for spec in binning.specs
            if spec.name in given
            and spec.name not in scores
            and not spec.keep
            and given.keys().isdisjoint(binning.names_of(spec.name))
        ]
        if not waiting:
            return self
        bins = binning.weights({name: given[name] for name in waiting})
        rest = {name: weight for name, weight in given.items() if name not in waiting}
        return Weights.from_dict(rest | bins)

    def select(self, names: Iterable[str]) -> "Weights":
        """The weights of some features, dense ones first; 0 for those it doesn't have."""
        return self.over(FeatureSpace(names))

    def __getitem__(self, name: str) -> float:
        number = self.space.id(name)
        return float(self.values[number]) if number >= 0 else 0.0

    def __contains__(self, name: str) -> bool:
        return name in self.space

    def __iter__(self) -> Iterator[str]:
        return iter(self.space)

    def __len__(self) -> int:
        return len(self.space)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Weights):
            return NotImplemented
        return self.space.has_names_of(other.space) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        order = np.argsort(-np.abs(self.values), kind="stable")[: min(_SHOWN, self.num_active)]
        largest = ", ".join(f"{self.space.names[k]} {self.values[k]:.4g}" for k in order.tolist())
        counts = (
            f"{len(self):,} features, {self.space.num_dense:,} of them dense; "
            f"{self.num_active:,} weights other than 0"
        )
        return f"Weights({counts}{': ' if largest else ''}{largest})"

    def table_columns(self) -> dict[str, Column]:
        """Columns feature and weight, in the order of the space."""
        return {"feature": list(self.space), "weight": self.values}

    def items(self) -> Iterator[tuple[str, float]]:
        """Name and weight of every feature, in the order of the space."""
        return zip(self.space, self.values.tolist(), strict=True)

    def as_dict(self, *, keep_zeros: bool = False) -> dict[str, float]:
        """Weights by name, in the order of the space, without sparse features of weight 0.

        keep_zeros: with them
        """
        if keep_zeros:
            return dict(self.items())
        keep = (self.values != 0.0) | (np.arange(len(self.space)) < self.space.num_dense)
        return {
            self.space.names[number]: float(self.values[number])
            for number in np.flatnonzero(keep).tolist()
        }

    @property
    def num_active(self) -> int:
        """Number of weights other than 0."""
        return int(np.count_nonzero(self.values))


def weights_as_json(weights: Mapping[str, float]) -> list[str]:
    """Lines of JSON that hold weights and say which features are dense."""
    space = {"dense": [name for name in weights if not is_sparse(name)]}
    value = {"space": space, "weights": dict(weights)}
    return json.dumps(value, indent=1, ensure_ascii=False).split("\n")


def _holds_json(path: str | Path | None) -> bool:
    return path is None or str(path) == "-" or str(path).endswith(".json")


def _in_any(spaces: Iterable[FeatureSpace], names: list[str]) -> list[bool]:
    """Which of some names a space has, of several."""
    known = np.zeros(len(names), np.bool_)
    for space in spaces:
        known |= space.ids(names) >= 0
    return known.tolist()


def places_beside(
    space: FeatureSpace, others: FeatureSpace, keeping: Weights | None
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Where the features of another space stand over ``space``, and behind it those that are kept.

    keeping: weights of sparse features that ``space`` lacks, None for none; those that have one
        other than 0 are kept

    Returns int32[len(others)], the new number of each, -1 for none, and the weights of those that
    are kept, float64[k], in the order of their numbers.
    """
    numbers = space.ids(others)
    if keeping is None:
        return numbers, np.zeros(0)
    lacking = np.flatnonzero(numbers < 0)
    lacking = lacking[lacking >= others.num_dense]
    weights = keeping.over(FeatureSpace([others.names[k] for k in lacking.tolist()])).values
    is_kept = weights != 0.0
    numbers[lacking[is_kept]] = len(space) + np.arange(np.count_nonzero(is_kept))
    return numbers, weights[is_kept]


def values_over(
    weights: Weights | NDArray[np.float64],
    space: FeatureSpace,
    kept: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Weights of a space's features, in its order: float64[len(space)].

    weights: float64[len(space)], or Weights, which are carried over by name
    kept: float64[k], weights that are put behind these, see :func:`places_beside`; None for none
    Raises UsageError for an array of another number, or another shape.
    """
    if isinstance(weights, Weights):
        weights = weights.over(space).values
    shape = np.shape(weights)
    if shape != (len(space),):
        seen = f"{shape[0]} weights" if len(shape) == 1 else f"weights of the shape {shape}"
        raise UsageError(
            f"{seen} for {len(space)} features; expected one for each, in one dimension, or "
            "Weights, which go by name"
        )
    return weights if kept is None or not len(kept) else np.concatenate([weights, kept])


def check_weight_names(names: Iterable[str], path: str | Path | None) -> None:
    """Raise DataError for a name that :meth:`Weights.write` can't write there.

    JSON holds any name that can be printed.
    """
    if not _holds_json(path):
        check_line_names(names, "text", path)
        return
    for name in names:
        if not is_feature_name(name):
            raise DataError(
                f"the name {name!r}", "names that can be printed", file=path, remedy=RENAME
            )
