"""FeatureSpace: features are reached by name only."""

import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "FeatureSpace",
    "bin_feature_name",
    "escape",
    "is_sparse",
]

_ESCAPES = {"%": "%25", "_": "%5F", "~": "%7E", "=": "%3D", ":": "%3A", " ": "%20", "\t": "%09"}
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
    r"(?P<feature>[^_:]+)_bin(?P<first>[0-9]+)(?:\.\.[0-9]+)?:(?P<total>[0-9]+)"
    r"(?P<kind>_(?:overlap|extend)[0-9]+)?"
)


def bin_feature_name(
    feature: str, number: int, num_bins: int, *, overlap: int = 0, extend: int = 0
) -> str:
    """Name of the indicator of a bin, ``p(e|f)_bin07:16`` for the eighth of 16.

    Numbers have equal width, so names sort in the order of the values. A window of neighbouring
    bins names its first and last one, ``p(e|f)_bin07..09:16_overlap2``; a bin that takes in its
    neighbours names itself, ``p(e|f)_bin07:16_extend1``.
    """
    width = len(str(num_bins - 1))
    bins = f"{number:0{width}d}" + (f"..{number + overlap:0{width}d}" if overlap else "")
    kind = f"_overlap{overlap}" if overlap else f"_extend{extend}" if extend else ""
    return f"{escape(feature)}_bin{bins}:{num_bins}{kind}"


def _chains(names: Iterable[str]) -> Iterator[list[int]]:
    """Ids of the bins of each discretised feature, in the order of its values."""
    chains: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for number, name in enumerate(names):
        match = _BIN.fullmatch(name) if "_bin" in name else None
        if match:
            chain = chains.setdefault(match.group("feature", "total", "kind"), [])
            chain.append((int(match["first"]), number))
    for chain in chains.values():
        yield [number for _, number in sorted(chain)]


class FeatureSpace:
    """Frozen mapping between feature names and ids 0..n-1; dense features come first."""

    __slots__ = ("_ids", "_neighbours", "names", "num_dense")

    def __init__(self, names: Iterable[str]) -> None:
        self.names: tuple[str, ...] = tuple(names)
        self._ids = {name: number for number, name in enumerate(self.names)}
        if len(self._ids) != len(self.names):
            raise ValueError("feature names are unique")
        self.num_dense = next(
            (k for k, name in enumerate(self.names) if is_sparse(name)), len(self.names)
        )
        if not all(is_sparse(name) for name in self.names[self.num_dense :]):
            raise ValueError("dense features come before sparse ones")
        self._neighbours: NDArray[np.int32] | None = None

    @property
    def neighbours(self) -> NDArray[np.int32]:
        """Ids of the previous and the next bin of each feature: int32[len(self), 2], read-only.

        -1 stands for none: at the ends of a discretised feature, and for all that is no bin. The
        order is that of the values, as the names tell it (:func:`bin_feature_name`), whatever the
        order of the ids. The bins of one feature, of one kind (plain, or windows of one width),
        are one chain; those that are not in the space are passed over. The next one's previous is
        the feature itself. Clark, Dyer & Lavie (2014, section 4): w_{j-1}, w_{j+1} of
        equations 9 to 13 for j that has both.
        """
        if self._neighbours is None:
            neighbours = np.full((len(self), 2), -1, np.int32)
            for chain in _chains(self.names):
                neighbours[chain[1:], 0] = chain[:-1]
                neighbours[chain[:-1], 1] = chain[1:]
            neighbours.setflags(write=False)
            self._neighbours = neighbours
        return self._neighbours

    def __repr__(self) -> str:
        parts = []
        for kind, names in (
            ("dense", self.names[: self.num_dense]),
            ("sparse", self.names[self.num_dense :]),
        ):
            shown = [*names[:_SHOWN_NAMES], *["..."] * (len(names) > _SHOWN_NAMES)]
            parts.append(f"{len(names):,} {kind} features{': ' * bool(names)}{' '.join(shown)}")
        return f"FeatureSpace({'; '.join(parts)})"

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __contains__(self, name: str) -> bool:
        return name in self._ids

    def id(self, name: str, default: int = -1) -> int:
        """Id of a feature, or ``default``."""
        return self._ids.get(name, default)

    def vector(self, values: Mapping[str, float]) -> NDArray[np.float64]:
        """float64[len(self)]; features not named are 0, names outside the space are left out."""
        result = np.zeros(len(self))
        for name, value in values.items():
            if name in self._ids:
                result[self._ids[name]] = value
        return result
