"""FeatureSpace: features are reached by name only."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import overload

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, check_listed
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.text.text_index import TextIndex

__all__ = [
    "FeatureNames",
    "FeatureSpace",
    "bin_feature_name",
    "escape",
    "is_sparse",
    "starting_with",
]

_ESCAPES = {"%": "%25", "_": "%5F", "~": "%7E", "=": "%3D", ":": "%3A", " ": "%20", "\t": "%09"}
_FORMS = ("_overlap", "_extend")
_MOST_BINS = 1 << 16  # of a score
_MOST_NEW_BINS = 1 << 20  # of all scores together, that no hypothesis has
_SHOWN_NAMES = 5  # of dense and of sparse features in a repr
_TABLE = str.maketrans(_ESCAPES)


def escape(word: str) -> str:
    """A word as it stands in a feature name: what has a meaning there is written %XX."""
    return word.translate(_TABLE)


def is_sparse(name: str) -> bool:
    """Moses' convention: a name with an underscore is sparse, one without is dense."""
    return "_" in name


# no escaped word holds a colon, so that no word looks like a bin
_BIN = re.compile(
    r"(?P<feature>[^_:]+)_bin(?P<first>[0-9]{1,9})(?:\.\.[0-9]{1,9})?:(?P<total>[0-9]{1,9})"
    r"(?P<kind>_(?:overlap|extend)[0-9]{1,9})?"
)


def bin_feature_name(
    feature: str, number: int, num_bins: int, *, overlap: int = 0, extend: int = 0
) -> str:
    """Name of the indicator of a bin, ``p(e|f)_bin07:16`` for the eighth of 16.

    Numbers have equal width, so names sort in the order of the values. A window of neighboring
    bins names its first and last one, ``p(e|f)_bin07..09:16_overlap2``; a bin that takes in its
    neighbors names itself, ``p(e|f)_bin07:16_extend1``.
    """
    return _bin_name(escape(feature), number, num_bins, overlap, extend)


def _bin_name(escaped: str, number: int, num_bins: int, overlap: int, extend: int) -> str:
    width = len(str(num_bins - 1))
    bins = f"{number:0{width}d}" + (f"..{number + overlap:0{width}d}" if overlap else "")
    kind = f"_overlap{overlap}" if overlap else f"_extend{extend}" if extend else ""
    return f"{escaped}_bin{bins}:{num_bins}{kind}"


_Discretized = tuple[str, str, str | None]
"""A feature, escaped; the number of its bins; the kind of window, None for plain bins."""


def _chains(names: Iterable[str]) -> dict[_Discretized, list[int]]:
    """Ids of the bins of each discretized feature, in the order of its values."""
    chains: dict[_Discretized, list[tuple[int, int]]] = {}
    for number, name in enumerate(names):
        match = _BIN.fullmatch(name) if "_bin" in name else None
        if match:
            feature, total, kind = match.group("feature", "total", "kind")
            chains.setdefault((feature, total, kind), []).append((int(match["first"]), number))
    return {key: [number for _, number in sorted(chain)] for key, chain in chains.items()}


def _all_bins(discretized: _Discretized) -> list[str]:
    """Names of all bins of a discretized feature; none where it has more than a score may have."""
    feature, total, kind = discretized
    num_bins, kind = int(total), kind or ""
    overlap, extend = (int(kind.removeprefix(form)) if form in kind else 0 for form in _FORMS)
    if not max(overlap, extend) < num_bins <= _MOST_BINS:
        return []
    return [_bin_name(feature, k, num_bins, overlap, extend) for k in range(num_bins - overlap)]


class FeatureNames(Sequence[str]):
    """Names by number: some that are there, then those of an index, made as they are asked for."""

    def __init__(self, first: tuple[str, ...], further: TextIndex) -> None:
        self._first, self._further = first, further.texts

    def __len__(self) -> int:
        return len(self._first) + len(self._further)

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        number %= len(self)
        inside = number < len(self._first)
        return self._first[number] if inside else self._further[number - len(self._first)]

    def __iter__(self) -> Iterator[str]:
        return chain(self._first, self._further)

    def starting_with(self, prefix: str) -> NDArray[np.bool_]:
        """Which names begin with a prefix: bool[len(self)]."""
        return np.concatenate(
            [starting_with(self._first, prefix), self._further.starting_with(prefix)]
        )


def starting_with(names: Sequence[str], prefix: str) -> NDArray[np.bool_]:
    """Which names begin with a prefix: bool[len(names)]."""
    if isinstance(names, FeatureNames):
        return names.starting_with(prefix)
    return np.array([name.startswith(prefix) for name in names], np.bool_)


@public
class FeatureSpace(metaclass=ExplainedClass):
    """Map feature names to ids 0 to n - 1 and back; dense features come first.

    A name with an underscore is a sparse feature, as in Moses. Iteration yields the names,
    ``name in space`` says if there is a feature, and ``len(space)`` is their number.

    Parameters
    ----------
    names : iterable of str
        Unique names, dense features before sparse ones.
    further : TextIndex, optional
        Sparse features after ``names``. An index takes a fifth of the time and memory of millions
        of strings.

    Raises
    ------
    ValueError
        If a name comes twice, or a dense feature follows a sparse one.

    Examples
    --------
    >>> space = FeatureSpace(["LM0", "p(e|f)", "PT_house"])
    >>> space.id("PT_house"), space.id("unknown"), space.num_dense
    (2, -1, 2)
    >>> space.vector({"p(e|f)": 0.5, "unknown": 1.0})
    array([0. , 0.5, 0. ])
    """

    __slots__ = ("_further", "_ids", "_neighbors", "names", "num_dense")

    def __init__(self, names: Iterable[str], further: TextIndex | None = None) -> None:
        check_listed(names, "the names of features")
        first = tuple(names)
        self._ids = {name: number for number, name in enumerate(first)}
        self._further = further if further is not None and len(further) else None
        self.names: Sequence[str] = first
        if self._further is not None:
            self.names = FeatureNames(first, self._further)
        if len(self._ids) != len(first) or (
            self._further is not None and (self._further.find(first) >= 0).any()
        ):
            raise ValueError("feature names must be unique")
        self.num_dense = next((k for k, name in enumerate(first) if is_sparse(name)), len(first))
        if not all(is_sparse(name) for name in first[self.num_dense :]):
            raise ValueError("dense features must come before sparse features")
        self._neighbors: NDArray[np.int32] | None = None

    @property
    def neighbors(self) -> NDArray[np.int32]:
        """Ids of the previous and the next bin of each feature: int32[n_features, 2].

        The array is read-only. -1 stands for no neighbor: at the ends of a discretized feature, and
        for features that aren't bins. Bins are ordered by the values in their names
        (:func:`bin_feature_name`), not by id. Neighbors are bins of the same feature and kind:
        plain, or windows of one width. Bins that are not in the space are skipped. They are w_{j-1}
        and w_{j+1} of equations 9 to 13 of Clark, Dyer and Lavie (2014).
        """
        if self._neighbors is None:
            neighbors = np.full((len(self), 2), -1, np.int32)
            for chain in _chains(self.names).values():
                neighbors[chain[1:], 0] = chain[:-1]
                neighbors[chain[:-1], 1] = chain[1:]
            neighbors.setflags(write=False)
            self._neighbors = neighbors
        return self._neighbors

    def with_all_bins(self) -> "FeatureSpace":
        """Append the bins that are missing from the space; ids stay the same.

        The name of a bin contains the number of bins of its feature (:func:`bin_feature_name`).

        Returns
        -------
        FeatureSpace

        Raises
        ------
        DataError
            If more than a million bins are missing.
        """
        lacking: list[str] = []
        for discretized, seen in _chains(self.names).items():
            every = dict.fromkeys(_all_bins(discretized))
            if len(every) > len(seen) and all(self.names[k] in every for k in seen):
                lacking += [name for name in every if name not in self]
            if len(lacking) > _MOST_NEW_BINS:
                raise DataError(
                    f"{len(lacking)} bins occur in no hypothesis", f"at most {_MOST_NEW_BINS}"
                )
        return FeatureSpace([*self.names, *lacking]) if lacking else self

    def __repr__(self) -> str:
        parts = []
        for kind, first, end in (
            ("dense", 0, self.num_dense),
            ("sparse", self.num_dense, len(self)),
        ):
            size = end - first
            shown = [*self.names[first : min(end, first + _SHOWN_NAMES)]]
            shown += ["..."] * (size > _SHOWN_NAMES)
            parts.append(f"{size:,} {kind} features{': ' * bool(size)}{' '.join(shown)}")
        return f"FeatureSpace({'; '.join(parts)})"

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: str) -> bool:
        return self.id(name) >= 0

    def __eq__(self, other: object) -> bool:
        return self.has_names_of(other) if isinstance(other, FeatureSpace) else NotImplemented

    def __hash__(self) -> int:
        return hash((len(self), self.num_dense))

    def has_names_of(self, other: "FeatureSpace") -> bool:
        """Whether another space has the same features under the same ids.

        Parameters
        ----------
        other : FeatureSpace

        Returns
        -------
        bool
        """
        return self is other or (
            len(self) == len(other) and all(map(str.__eq__, self.names, other.names))
        )

    def id(self, name: str, default: int = -1) -> int:
        """Return the id of a feature.

        Parameters
        ----------
        name : str
        default : int, default -1
            Returned for an unknown feature.

        Returns
        -------
        int
        """
        number = self._ids.get(name, -1)
        if number < 0 and self._further is not None:
            number = int(self.ids([name])[0])
        return number if number >= 0 else default

    def ids(self, names: Iterable[str]) -> NDArray[np.int32]:
        """Return the ids of features.

        Parameters
        ----------
        names : iterable of str

        Returns
        -------
        ndarray of int32, shape (n_names,)
            -1 for an unknown feature.
        """
        names = list(names)
        result = np.array([self._ids.get(name, -1) for name in names], np.int32)
        if self._further is not None and (missing := np.flatnonzero(result < 0)).size:
            found = self._further.find(names[k] for k in missing.tolist())
            result[missing] = np.where(found >= 0, found + len(self._ids), -1)
        return result

    def vector(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        """Return values by name as a vector.

        Parameters
        ----------
        values : mapping of str to float
            Unknown features are skipped.

        Returns
        -------
        ndarray of float64, shape (n_features,)
            0 for features that aren't named.
        """
        result = np.zeros(len(self))
        ids = self.ids(values)
        result[ids[ids >= 0]] = np.fromiter(values.values(), np.float64, len(ids))[ids >= 0]
        return result
