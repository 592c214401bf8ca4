"""Weights of features by name, read from the files of several programs and written as ours."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

import numpy as np

from isogloss.align.errors import DataError, check_argument, check_path
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.files.outputs import check_unused
from isogloss.align.files.records import is_feature_name
from isogloss.align.files.text_io import LONGEST_DOCUMENT, MAX_LINES, read_lines
from isogloss.align.files.writers import write_lines
from isogloss.features.space import FeatureSpace, is_sparse

from .lines import MARKS, RENAME, check_line_names, parse_weights, warn_of_colons, weights_file
from .moses_ini import MosesIni, is_moses_ini
from .named_weights import NamedWeights
from .table_names import without_tables

if TYPE_CHECKING:
    from isogloss.features.bins.binning import Binning

__all__ = ["Weights", "check_weight_names", "weights_as_json"]


@public
@dataclass(frozen=True, eq=False, repr=False)
class Weights(NamedWeights, metaclass=ExplainedClass):
    """Weights of features by name: ``weights["LM0"]``, ``dict(weights)``.

    A sparse feature outside the space has a weight of 0; ``weights.get(name)`` is 0 for any feature
    outside of it. Two of them are equal if they hold the same
    features in the same order with the same weights.

    Parameters
    ----------
    space : FeatureSpace
        The features.
    values : ndarray of float64, shape (n_features,)
        Finite numbers.

    Raises
    ------
    KeyError
        If a dense feature outside the space is looked up.
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

    def __new__(cls, *arguments: object, **named: object) -> Self:
        """Refuse a dict without values as ``__post_init__`` does, which is not reached then."""
        if len(arguments) == 1 and not named:
            _check_space(arguments[0])
        return super().__new__(cls)

    def __post_init__(self) -> None:
        _check_space(self.space)
        if self.values.shape != (len(self.space),):
            raise ValueError("each feature needs one weight")
        if not np.isfinite(self.values).all():
            raise ValueError("weights must be finite")

    @classmethod
    def zeros(cls, space: FeatureSpace) -> "Weights":
        """Return a weight of 0 for each feature.

        Parameters
        ----------
        space : FeatureSpace

        Returns
        -------
        Weights

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

        Returns
        -------
        Weights

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
        check_path(path)
        path = weights_file(path)
        lines = read_lines(path, longest=LONGEST_DOCUMENT, most=MAX_LINES)
        if is_moses_ini(lines):
            return cls.from_dict(MosesIni(tuple(lines), Path(path)).weights())
        weights = parse_weights(lines, path)
        warn_of_colons(weights, path)
        return cls.from_dict(weights)

    def save(
        self, path: str | Path | None, *, overwrite: bool | None = None, keep_zeros: bool = False
    ) -> None:
        """Write the weights as JSON, or as lines of text.

        Parameters
        ----------
        path : str, Path or None
            JSON if the name ends in ``.json`` or for standard output (None), else lines
            ``NAME value``.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.
        keep_zeros : bool, default False
            Also write sparse features with a weight of 0, see :meth:`as_dict`.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        DataError
            If a name would not be read back; nothing is written then.
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        named = self.as_dict(keep_zeros=keep_zeros)
        check_weight_names(named, path)
        if _holds_json(path):
            write_lines(weights_as_json(named), path)
            return
        mark = MARKS["text"]
        write_lines((f"{name}{mark}{value!r}" for name, value in named.items()), path)

    def to_space(self, space: FeatureSpace) -> "Weights":
        """Return the weights over another space, matched by name.

        Parameters
        ----------
        space : FeatureSpace
            Features that have no weight yet get 0; weights of other features are dropped.

        Returns
        -------
        Weights

        Examples
        --------
        >>> weights = Weights.from_dict({"LM0": 0.5, "WordPenalty0": -1})
        >>> weights.to_space(FeatureSpace(["LM0", "LM1"])).as_dict()
        {'LM0': 0.5, 'LM1': 0.0}
        """
        if space is self.space:
            return self
        return Weights(space, space.vector(self.as_dict()))

    def covering(self, space: FeatureSpace) -> "Weights":
        """Return the weights over a space, extended by sparse features it lacks.

        A decoder or n-best list only has the sparse features of one text. Weights of other sparse
        features are kept.

        Parameters
        ----------
        space : FeatureSpace
            Its features come first.

        Returns
        -------
        Weights

        Examples
        --------
        >>> weights = Weights.from_dict({"LM0": 0.5, "PT_a_b": 1})
        >>> weights.covering(FeatureSpace(["WordPenalty0"])).as_dict()
        {'WordPenalty0': 0.0, 'PT_a_b': 1.0}
        """
        return self.to_space(space).with_rest_of(self)

    def with_rest_of(self, others: "Weights", scale: float = 1.0) -> "Weights":
        """Return the weights, extended by other weights of sparse features.

        Use it to keep the initial weights of features that no example had.

        Parameters
        ----------
        others : Weights
            Added if these weights lack the feature, under the names of :meth:`renamed_for`.
        scale : float, default 1.0
            Factor of the added weights.

        Returns
        -------
        Weights
            Without sparse features of weight 0 if any weight is added.

        Examples
        --------
        >>> learned = Weights.from_dict({"PT_a_b": 2})
        >>> learned.with_rest_of(Weights.from_dict({"PT_a_b": 1, "PT_c_d": 3})).as_dict()
        {'PT_a_b': 2.0, 'PT_c_d': 3.0}
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
        """Return the weights without the table names that a moses.ini prepends.

        ``TranslationModel0_PT_a_b`` becomes ``PT_a_b`` if a space has that feature and no feature
        of a space begins with ``TranslationModel0_``. Names of a space don't change.

        Parameters
        ----------
        *spaces : FeatureSpace
            Features of the decoder or the n-best lists.

        Returns
        -------
        Weights

        Examples
        --------
        >>> weights = Weights.from_dict({"TranslationModel0_PT_a_b": 1})
        >>> weights.renamed_for(FeatureSpace(["PT_a_b"])).as_dict()
        {'PT_a_b': 1.0}
        """
        shorter = without_tables(self.space, spaces)
        if not shorter:
            return self
        named = self.as_dict()
        for name, rest in shorter.items():
            if is_sparse(rest) and name in named and rest not in named:
                named[rest] = named.pop(name)
        return Weights.from_dict(named)

    def with_bin_weights(self, binning: "Binning", scores: Collection[str] = ()) -> "Weights":
        """Return the weights for a table some of whose scores are discretized.

        The weight of a score is spread over its bins so that they add about as much to the model
        score, see :meth:`isogloss.features.Binning.weights`. Scores with a weight on some bin don't
        change.

        Parameters
        ----------
        binning : Binning
        scores : collection of str, default ()
            Scores that the table still has; they keep their weights.

        Returns
        -------
        Weights
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
        """Return the weights of some features, dense ones first.

        Parameters
        ----------
        names : iterable of str
            Features without a weight get 0.

        Returns
        -------
        Weights

        Examples
        --------
        >>> Weights.from_dict({"LM0": 0.5, "WordPenalty0": -1}).select(["LM0"]).as_dict()
        {'LM0': 0.5}
        """
        return self.to_space(FeatureSpace(names))


def weights_as_json(weights: Mapping[str, float]) -> list[str]:
    """Lines of JSON that hold weights and say which features are dense."""
    space = {"dense": [name for name in weights if not is_sparse(name)]}
    value = {"space": space, "weights": dict(weights)}
    return json.dumps(value, indent=1, ensure_ascii=False).split("\n")


def _holds_json(path: str | Path | None) -> bool:
    return path is None or str(path) == "-" or str(path).endswith(".json")


def check_weight_names(names: Iterable[str], path: str | Path | None) -> None:
    """Raise DataError for a name that :meth:`Weights.save` can't write there.

    JSON holds any name that can be printed.
    """
    if not _holds_json(path):
        check_line_names(names, "text", path)
        return
    for name in names:
        if not is_feature_name(name):
            raise DataError(f"the name {name!r} is not printable", file=path, remedy=RENAME)


def _check_space(space: object) -> None:
    """Raise WrongTypeError for a dict, of which weights can be made."""
    remedy = 'Weights.from_dict({"LM0": 0.5})'
    check_argument(space, FeatureSpace, "space", "a FeatureSpace", remedy)
