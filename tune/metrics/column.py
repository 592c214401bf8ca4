"""A number that the list holds for each hypothesis, as metric: what another tool said of it."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError

from ..nbest.types import NBest
from ..references import References

__all__ = ["COLUMN", "Column"]

COLUMN = "column:"
"""What names of columns begin with, as metrics."""

_LOWER, _HIGHER = ":lower", ":higher"


@dataclass(frozen=True)
class Column:
    """Mean of a column of the list, or of a feature, over the sentences. Statistics: value, 1.

    column: its name; higher: whether higher values are better
    """

    column: str
    higher: bool = True
    num_statistics: ClassVar[int] = 2

    @classmethod
    def parse(cls, text: str) -> "Column":
        """From ``NAME``, ``NAME:higher`` or ``NAME:lower``. Raises UsageError for no name."""
        name = text.removesuffix(_LOWER).removesuffix(_HIGHER)
        if not name:
            raise UsageError(
                f"metric must be column:NAME or column:NAME:lower, got '{COLUMN}{text}'"
            )
        return cls(name, higher=not text.endswith(_LOWER))

    @property
    def name(self) -> str:
        """As on the command line."""
        return f"{COLUMN}{self.column}{'' if self.higher else _LOWER}"

    @property
    def sign(self) -> int:
        """1 where higher values are better, else -1."""
        return 1 if self.higher else -1

    def statistics(
        self, lists: NBest, references: References | None = None, *, threads: int = 1
    ) -> NDArray[np.float64]:
        """float64[num_hypotheses, 2]. A feature that a hypothesis doesn't have is 0.

        Raises DataError where the lists have no such column, or a hypothesis no finite value.
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
            f"column {self.column!r} is {values[first]} for {len(lacking)} of the "
            f"{len(values)} hypotheses checked, first for "
            f"number {first - int(lists.sentence_offsets[sentence]) + 1} of sentence {shown}",
            "a finite number for every hypothesis",
            remedy="Add the missing values",
        )

    def score(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean value, in the column's own unit: float64[...]. sums: float64[..., 2]"""
        count = sums[..., 1]
        return np.where(count > 0, sums[..., 0] / np.where(count > 0, count, 1.0), 0.0)

    def gains(self, statistics: NDArray[np.float64]) -> NDArray[np.float64]:
        """The value, or minus the value where lower is better.

        statistics: float64[n, 2]. Returns float64[n].
        """
        return self.sign * statistics[:, 0]

    def gains_in(
        self, background: NDArray[np.float64], statistics: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The gains: values add up, whatever the background.

        background: float64[2]; statistics: float64[n, 2]. Returns float64[n].
        """
        return self.gains(statistics)
