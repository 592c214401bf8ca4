"""Weights of features by name, read from the files of several programs and written as ours."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import DataError, UsageError, check_argument
from isogloss.align.files.records import is_feature_name
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.files.text_io import LONGEST_DOCUMENT, MAX_LINES, read_lines
from isogloss.align.files.writers import write_lines
from isogloss.features.space import FeatureSpace, is_sparse, starting_with

from .lines import MARKS, RENAME, check_line_names, parse_weights, weights_file
from .moses_ini import MosesIni, is_moses_ini

if TYPE_CHECKING:
    from isogloss.features.bins.binning import Binning

__all__ = ["Weights", "check_weight_names", "weights_as_json"]

_SHOWN, _LONGEST = 5, 60  # weights in a repr, and characters of a name there


@dataclass(frozen=True, eq=False)
class Weights(Tabular, ComparedByContent):
    """Weights of features by name: ``weights["LM0"]``, ``dict(weights)``.

    A feature outside the space has a weight of 0. Two of them are equal if they hold the same
    features in the same order with the same weights.

    Parameters
    ----------
    space : FeatureSpace
        The features.
    values : ndarray of float64, shape (n_features,)
        Finite numbers.

    Raises
    ------
    WrongTypeError
        If ``space`` is not a FeatureSpace; a dict becomes weights by :meth:`from_dict`.
    ValueError
        If there is not one finite weight for each feature.

    Examples
    --------
    >>> weights = Weights.from_dict({"LM0": 0.5, "WordPenalty0": -1, "PT_a_b": 0.25})
    >>> weights["LM0"], "LM1" in weights, len(weights)
    (0.5, False, 3)
    >>> weights.top(2)
    {'WordPenalty0': -1.0, 'LM0': 0.5}
    >>> weights == Weights.from_dict(dict(weights))
    True
    """

    space: FeatureSpace
    values: NDArray[np.float64]

    def __post_init__(self) -> None:
        remedy = 'Weights.from_dict({"LM0": 0.5})'
        check_argument(self.space, FeatureSpace, "space", "a FeatureSpace", remedy)
        if self.values.shape != (len(self.space),):
            raise ValueError("each feature needs one weight")
        if not np.isfinite(self.values).all():
            raise ValueError("weights must be finite")

    @classmethod
    def zeros(cls, space: FeatureSpace) -> "Weights":
        """Return a weight of 0 for each feature.

        Examples
        --------
        >>> from isogloss.features import FeatureSpace
        >>> Weights.zeros(FeatureSpace(["LM0"])).as_dict()
        {'LM0': 0.0}
        """
        return cls(space, np.zeros(len(space)))

    @classmethod
    def from_dict(cls, weights: Mapping[str, float]) -> "Weights":
        """Return weights over a space of their own, dense names first.

        Parameters
        ----------
        weights : dict of float
            Weights by name; their order is kept.

        Raises
        ------
        WrongTypeError
            If the weights are not a mapping from names.
        ValueError
            If a weight is not finite.

        Examples
        --------
        >>> Weights.from_dict({"PT_a_b": 1, "LM0": 0.5}).as_dict()
        {'LM0': 0.5, 'PT_a_b': 1.0}
        """
        what = 'a dict of numbers by name, such as {"LM0": 0.5}'
        check_argument(weights, Mapping, "weights", what)
        for name in weights:
            check_argument(name, str, "the name of a weight", "a string")
        space = FeatureSpace(sorted(weights, key=is_sparse))
        return cls(space, np.array([weights[name] for name in space], np.float64))

    @classmethod
    def load(cls, path: str | Path) -> "Weights":
        """Read weights from a file of this or another program.

        Parameters
        ----------
        path : str or Path
            JSON, a folder of ``isogloss tune --out``, a moses.ini with its file of sparse weights,
            or lines of text: ``NAME value``, ``NAME=value`` or Moses' ``NAME= v v v``, recognized
            line by line. Several values of one Moses name, in one line or in consecutive lines,
            become ``NAME.0``, ``NAME.1``, ...

        Returns
        -------
        Weights

        Raises
        ------
        DataError
            If the file holds anything else, a value that is not finite, or a name twice.

        Examples
        --------
        >>> from tempfile import mkdtemp
        >>> path = f"{mkdtemp()}/weights.json"
        >>> Weights.from_dict({"LM0": 0.5}).save(path)
        >>> Weights.load(path)["LM0"]
        0.5
        """
        path = weights_file(path)
        lines = read_lines(path, longest=LONGEST_DOCUMENT, most=MAX_LINES)
        if is_moses_ini(lines):
            return cls.from_dict(MosesIni(tuple(lines), Path(path)).weights())
        return cls.from_dict(parse_weights(lines, path))

    def save(self, path: str | Path | None, *, keep_zeros: bool = False) -> None:
        """Write the weights as JSON, or as lines of text.

        Parameters
        ----------
        path : str, Path or None
            JSON if the name ends in ``.json`` or for standard output (None), else lines
            ``NAME value``.
        keep_zeros : bool, default False
            Also write sparse features with a weight of 0, see :meth:`as_dict`.

        Raises
        ------
        DataError
            If a name would not be read back; nothing is written then.
        OutputError
            If the file can't be written.
        """
        named = self.as_dict(keep_zeros=keep_zeros)
        check_weight_names(named, path)
        if _holds_json(path):
            write_lines(weights_as_json(named), path)
            return
        mark = MARKS["text"]
        write_lines((f"{name}{mark}{value!r}" for name, value in named.items()), path)

    def to_space(self, space: FeatureSpace) -> "Weights":
        """The same weights over another space, by name; 0 for features that are new there."""
        if space is self.space:
            return self
        return Weights(space, space.vector(self.as_dict()))

    def covering(self, space: FeatureSpace) -> "Weights":
        """The weights over a space, and behind them those of sparse features that it lacks.

        A decoder has the sparse features of the rules for a text, lists those of hypotheses:
        others, such as bins that none of these is in, keep the weights that they have.
        """
        return self.to_space(space).with_rest_of(self)

    def with_rest_of(self, others: "Weights", scale: float = 1.0) -> "Weights":
        """These weights, and behind them those of others for sparse features that these lack.

        Where these were learned from the others, features that no example had keep their weights.
        Names are those of these weights' space, see :meth:`renamed_for`.
        Where anything is added, sparse features of weight 0 are left out.

        scale: a factor of what is added
        """
        named = others.renamed_for(self.space).as_dict()
        given = {name: value for name, value in named.items() if is_sparse(name)}
        lacking = (self.space.ids(given) < 0).tolist()
        rest = {
            name: scale * value
            for (name, value), lacks in zip(given.items(), lacking, strict=True)
            if lacks
        }
        return Weights.from_dict(self.as_dict() | rest) if rest else self

    def renamed_for(self, *spaces: FeatureSpace) -> "Weights":
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

    def with_bin_weights(self, binning: "Binning", scores: Collection[str] = ()) -> "Weights":
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
        return self.to_space(FeatureSpace(names))

    def __getitem__(self, name: str) -> float:
        number = self.space.id(name)
        return float(self.values[number]) if number >= 0 else 0.0

    def __contains__(self, name: str) -> bool:
        return name in self.space

    def __iter__(self) -> Iterator[str]:
        return iter(self.space)

    def __len__(self) -> int:
        return len(self.space)

    def __repr__(self) -> str:
        largest = ", ".join(f"{_cut(name)} {value:.4g}" for name, value in self.top(_SHOWN).items())
        counts = (
            f"{len(self):,} features, {self.space.num_dense:,} of them dense; "
            f"{self.num_active:,} weights other than 0"
        )
        return f"Weights({counts}{': ' if largest else ''}{largest})"

    def table_columns(self) -> dict[str, Column]:
        """Columns feature and weight, in the order of the space."""
        return {"feature": list(self.space), "weight": self.values}

    def keys(self) -> Sequence[str]:
        """Return the names of all features, in the order of the space.

        Examples
        --------
        >>> dict(Weights.from_dict({"LM0": 0.5}))
        {'LM0': 0.5}
        """
        return self.space.names

    def items(self) -> Iterator[tuple[str, float]]:
        """Yield name and weight of every feature, in the order of the space.

        Examples
        --------
        >>> list(Weights.from_dict({"LM0": 0.5}).items())
        [('LM0', 0.5)]
        """
        return zip(self.space, self.values.tolist(), strict=True)

    def top(self, count: int = 20, *, sparse: bool | None = None) -> dict[str, float]:
        """Return the weights that are largest in magnitude, the largest first.

        Parameters
        ----------
        count : int, default 20
            How many at most; weights of 0 are left out.
        sparse : bool, optional
            True for sparse features only, False for dense ones only; default: both.

        Returns
        -------
        dict of float
            Weights by name; of equal magnitudes the feature that comes first in the space.

        Raises
        ------
        UsageError
            If ``count`` is not a positive integer.

        Examples
        --------
        >>> weights = Weights.from_dict({"LM0": 0.5, "WordPenalty0": -1, "PT_a_b": 0.25})
        >>> weights.top(1)
        {'WordPenalty0': -1.0}
        >>> weights.top(sparse=True)
        {'PT_a_b': 0.25}
        """
        if not isinstance(count, int) or count < 1:
            raise UsageError(f"count must be a positive integer, got {count!r}")
        order = np.argsort(-np.abs(self.values), kind="stable")
        order = order[self.values[order] != 0.0]
        if sparse is not None:
            order = order[(order >= self.space.num_dense) == sparse]
        return {self.space.names[k]: float(self.values[k]) for k in order[:count].tolist()}

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


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."


def _holds_json(path: str | Path | None) -> bool:
    return path is None or str(path) == "-" or str(path).endswith(".json")


def _in_any(spaces: Iterable[FeatureSpace], names: list[str]) -> list[bool]:
    """Which of some names a space has, of several."""
    known = np.zeros(len(names), np.bool_)
    for space in spaces:
        known |= space.ids(names) >= 0
    return known.tolist()


def check_weight_names(names: Iterable[str], path: str | Path | None) -> None:
    """Raise DataError for a name that :meth:`Weights.save` can't write there.

    JSON holds any name that can be printed.
    """
    if not _holds_json(path):
        check_line_names(names, "text", path)
        return
    for name in names:
        if not is_feature_name(name):
            raise DataError(
                f"the name {name!r} is not printable", "a printable name", file=path, remedy=RENAME
            )
