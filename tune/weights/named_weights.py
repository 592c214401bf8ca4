"""Weights as a mapping from names of features, and as a table."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import UnknownNameError, UsageError, check_argument
from isogloss.align.files.tables.columns import Column
from isogloss.align.files.tables.html import html_table
from isogloss.align.files.tables.tabular import Tabular
from isogloss.features.space import FeatureSpace, is_sparse

from .near_names import near_names

__all__ = ["NamedWeights"]

_ROWS = 20  # of a table in a notebook
_SHOWN, _LONGEST = 5, 60  # weights in a repr, and characters of a name there


@dataclass(frozen=True, eq=False)
class NamedWeights(Tabular, ComparedByContent):
    """Weights of features by name; :class:`.weights.Weights` reads, changes and writes them.

    Parameters
    ----------
    space : FeatureSpace
    values : ndarray of float64, shape (n_features,)
    """

    space: FeatureSpace
    values: NDArray[np.float64]

    def __getitem__(self, name: str) -> float:
        check_argument(name, str, "the name of a feature", "a string")
        if name not in self.space and not is_sparse(name):
            raise UnknownNameError(f"there is no weight {name!r}; {near_names(name, [self.space])}")
        return self.get(name)

    def get(self, name: str, default: float = 0.0) -> float:
        """Return the weight of a feature.

        Parameters
        ----------
        name : str
        default : float, default 0.0
            Returned for a feature without a weight.

        Returns
        -------
        float

        Examples
        --------
        >>> from isogloss.tune import Weights
        >>> Weights.from_dict({"LM0": 0.5}).get("LM1")
        0.0
        """
        number = self.space.id(name)
        return float(self.values[number]) if number >= 0 else default

    def __contains__(self, name: str) -> bool:
        return name in self.space

    def __iter__(self) -> Iterator[str]:
        return iter(self.space)

    def __len__(self) -> int:
        return len(self.space)

    def _repr_html_(self) -> str:
        rows = list(self.top(_ROWS).items())
        title = f"Weights: {len(self):,} features, {self.num_active:,} weights other than 0"
        return html_table(title, ("feature", "weight"), rows, self.num_active - len(rows))

    def __repr__(self) -> str:
        largest = ", ".join(f"{_cut(name)} {value:.4g}" for name, value in self.top(_SHOWN).items())
        counts = (
            f"{len(self):,} features, {self.space.num_dense:,} of them dense; "
            f"{self.num_active:,} weights other than 0"
        )
        return f"Weights({counts}{': ' if largest else ''}{largest})"

    def table_columns(self) -> dict[str, Column]:
        """Return columns feature and weight, in the order of the space."""
        return {"feature": list(self.space), "weight": self.values}

    def keys(self) -> Sequence[str]:
        """Return the names of all features, in the order of the space.

        Examples
        --------
        >>> from isogloss.tune import Weights
        >>> dict(Weights.from_dict({"LM0": 0.5}))
        {'LM0': 0.5}
        """
        return self.space.names

    def items(self) -> Iterator[tuple[str, float]]:
        """Yield name and weight of every feature, in the order of the space.

        Examples
        --------
        >>> from isogloss.tune import Weights
        >>> list(Weights.from_dict({"LM0": 0.5}).items())
        [('LM0', 0.5)]
        """
        return zip(self.space, self.values.tolist(), strict=True)

    def top(self, count: int = 20, *, sparse: bool | None = None) -> dict[str, float]:
        """Return the weights that are largest in magnitude, the largest first.

        Parameters
        ----------
        count : int, default 20
            Maximum number; zero weights are left out.
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
        >>> from isogloss.tune import Weights
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
        """Return the weights by name, in the order of the space.

        Parameters
        ----------
        keep_zeros : bool, default False
            Keep sparse features of weight 0.

        Returns
        -------
        dict of float

        Examples
        --------
        >>> from isogloss.tune import Weights
        >>> Weights.from_dict({"LM0": 0, "PT_a_b": 0}).as_dict()
        {'LM0': 0.0}
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
        """Number of nonzero weights."""
        return int(np.count_nonzero(self.values))


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
