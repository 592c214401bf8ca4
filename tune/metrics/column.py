"""A number that the list holds for each hypothesis, as metric: what another tool said of it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, OptionError, pluralize

from ..nbest.types import NBest
from ..references import References

__all__ = ["COLUMN", "Column"]

COLUMN = "column:"
"""What names of columns begin with, as metrics."""

_LOWER, _HIGHER = ":lower", ":higher"


@dataclass(frozen=True)
class Column:
    """Mean of a column of the list, or of a feature, over the sentences.

    The statistics are the value and 1.

    Parameters
    ----------
    column : str
        Name of the column or feature.
    higher : bool, default True
        Whether higher values are better.
    """

    column: str
    higher: bool = True
    num_statistics: ClassVar[int] = 2

    @classmethod
    def parse(cls, text: str) -> "Column":
        """Return the metric of ``NAME``, ``NAME:higher`` or ``NAME:lower``.

        Parameters
        ----------
        text : str

        Returns
        -------
        Column

        Raises
        ------
        UsageError
            If the name is empty.
        """
        name = text.removesuffix(_LOWER).removesuffix(_HIGHER)
        if not name:
            raise OptionError("metric", "column:NAME or column:NAME:lower", f"{COLUMN}{text}")
        return cls(name, higher=not text.endswith(_LOWER))

    @property
    def name(self) -> str:
        """Name as on the command line."""
        return f"{COLUMN}{self.column}{'' if self.higher else _LOWER}"

    @property
    def sign(self) -> int:
        """1 if higher values are better, else -1."""
        return 1 if self.higher else -1

    def statistics(
        self, lists: NBest, references: References | None = None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """Return the statistics of each hypothesis.

        Parameters
        ----------
        lists : NBest
        references : References, optional
            Not used.
        threads : int, default 1
            Not used.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses, 2)
            0 for a feature that a hypothesis lacks, and 1.

        Raises
        ------
        DataError
            If the lists have no such column, or a value is not finite.
        """
        if self.column in lists.columns:
            values = np.asarray(lists.columns[self.column], np.float64)
        elif self.column in lists.space:
            weights = np.zeros(len(lists.space))
            weights[lists.space.id(self.column)] = 1.0
            values = lists.rows.scores(weights)
        else:
            known = sorted(lists.columns) or list(lists.space.names[: lists.space.num_dense])
            raise DataError(
                f"the list has no column or feature {self.column!r}",
                f"one of {', '.join(known)}" if known else "a list with columns",
            )
        self._check(values, lists)
        return np.column_stack([values, np.ones(len(values))])

    def _check(self, values: NDArray[np.float64], lists: NBest) -> None:
        lacking = np.flatnonzero(~np.isfinite(values))
        if not len(lacking):
            return
        first = int(lacking[0])
        sentence = int(np.searchsorted(lists.sentence_offsets, first, side="right")) - 1
        shown = lists.names[sentence] if lists.names else str(sentence)
        raise DataError(
            f"column {self.column!r} is {values[first]} for {len(lacking)} of "
            f"{pluralize(len(values), 'hypothesis')} (first: hypothesis "
            f"{first - int(lists.sentence_offsets[sentence]) + 1} of sentence {shown})",
            "a finite number for every hypothesis",
            remedy="Add the missing values",
        )

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the mean value, in the column's unit.

        Parameters
        ----------
        sums : ndarray of float64, shape (..., 2)

        Returns
        -------
        ndarray of float64, shape (...)
        """
        count = sums[..., 1]
        return np.where(count > 0, sums[..., 0] / np.where(count > 0, count, 1.0), 0.0)

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the value, negated if lower is better.

        Parameters
        ----------
        statistics : ndarray of float64, shape (n_hypotheses, 2)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return self.sign * statistics[:, 0]

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the gains: values add up in any document.

        Parameters
        ----------
        background : ndarray of float64, shape (2,)
            Not used.
        statistics : ndarray of float64, shape (n_hypotheses, 2)

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return self.gains(statistics)
