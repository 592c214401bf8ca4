"""Rows of numbered entries that have a value each: sparse features, or links."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..files.scratch import Empty
from ..kernels.ragged import copy_bounds, copy_spans, renumber_entries, row_scores
from .equality import ComparedByContent
from .ragged import (
    joined_offsets,
    per_entry,
    positions_within,
    row_numbers,
    selected_offsets,
    slice_rows,
)

__all__ = ["Ragged"]


@dataclass(frozen=True, eq=False)
class Ragged(ComparedByContent):
    """Rows of (id, value) entries; an id may come twice in a row, its values add up.

    ids: int32[total]; values: float32[total]; offsets: int64[num_rows + 1]
    """

    ids: NDArray[np.int32]
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def empty(cls, rows: int) -> "Ragged":
        """So many rows without an entry."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.float32), np.zeros(rows + 1, np.int64))

    @classmethod
    def from_rows(cls, rows: Iterable[Iterable[tuple[int, float]]]) -> "Ragged":
        """Build from (id, value) pairs per row."""
        ids: list[int] = []
        values: list[float] = []
        offsets = [0]
        for row in rows:
            for entry_id, value in row:
                ids.append(entry_id)
                values.append(value)
            offsets.append(len(ids))
        return cls(np.array(ids, np.int32), np.array(values, np.float32), np.array(offsets))

    def select(self, rows: NDArray[np.int64]) -> "Ragged":
        """The given rows (int64[m]), in that order."""
        offsets = selected_offsets(self.offsets, rows)
        ids = np.empty(offsets[-1], self.ids.dtype)
        values = np.empty(offsets[-1], self.values.dtype)
        copy_spans(self.ids, self.offsets, rows, ids)
        copy_spans(self.values, self.offsets, rows, values)
        return Ragged(ids, values, offsets)

    def select_groups(
        self, bounds: NDArray[np.int64], groups: NDArray[np.int64], empty: Empty = np.empty
    ) -> "Ragged":
        """The rows of some groups of consecutive rows, in that order.

        bounds: int64[num_groups + 1], the row at which each group begins
        groups: int64[m], numbers of groups
        empty: makes the arrays
        """
        entries = self.offsets[bounds]
        num_rows = int((bounds[groups + 1] - bounds[groups]).sum())
        total = int((entries[groups + 1] - entries[groups]).sum())
        ids, values = empty(total, self.ids.dtype), empty(total, self.values.dtype)
        offsets = empty(num_rows + 1, np.int64)
        copy_spans(self.ids, entries, groups, ids)
        copy_spans(self.values, entries, groups, values)
        copy_bounds(self.offsets, bounds, groups, offsets)
        return Ragged(ids, values, offsets)

    def renumbered(self, numbers: NDArray[np.int32], empty: Empty = np.empty) -> "Ragged":
        """The entries under other ids, without those whose id has none.

        numbers: int32[num_ids], the new id of each, -1 for none
        empty: makes the arrays
        """
        total = len(self.ids)
        ids, values = empty(total, np.int32), empty(total, np.float32)
        offsets = empty(len(self) + 1, np.int64)
        size = renumber_entries(self.ids, self.values, self.offsets, numbers, ids, values, offsets)
        return Ragged(ids[:size], values[:size], offsets)

    def hstack(self, other: "Ragged", shift: int) -> "Ragged":
        """Each row followed by the same row of ``other``, whose ids are raised by ``shift``."""
        row = np.concatenate([row_numbers(self.offsets), row_numbers(other.offsets)])
        order = np.argsort(row, kind="stable")
        ids = np.concatenate([self.ids, other.ids + np.int32(shift)])
        values = np.concatenate([self.values, other.values])
        return Ragged(ids[order], values[order], self.offsets + other.offsets)

    @classmethod
    def joined(cls, parts: Sequence["Ragged"]) -> "Ragged":
        """The rows of several, one after the other."""
        if len(parts) == 1:
            return parts[0]
        return cls(
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.values for part in parts]),
            joined_offsets([part.offsets for part in parts]),
        )

    def without_prefix(self, first: "Ragged") -> "Ragged | None":
        """What follows the entries of ``first`` in each row, the reverse of :meth:`hstack`.

        None where a row does not begin with the entries that ``first`` has there.
        """
        lengths, skipped = np.diff(self.offsets), np.diff(first.offsets)
        if len(lengths) != len(skipped) or (lengths < skipped).any():
            return None
        early = positions_within(self.offsets) < per_entry(skipped, self.offsets)
        if not (
            np.array_equal(self.ids[early], first.ids)
            and np.array_equal(self.values[early], first.values)
        ):
            return None
        return Ragged(self.ids[~early], self.values[~early], self.offsets - first.offsets)

    def part(self, begin: int, end: int) -> "Ragged":
        """Rows ``begin`` to ``end``, as views."""
        entries, offsets = slice_rows(self.offsets, begin, end)
        return Ragged(self.ids[entries], self.values[entries], offsets)

    def scores(
        self, weights: NDArray[np.float64], begin: int = 0, end: int | None = None
    ) -> NDArray[np.float64]:
        """Sum of weight times value of rows ``begin`` to ``end``: float64[end - begin].

        weights: float64[num_ids]
        """
        offsets = self.offsets[begin : len(self.offsets) if end is None else end + 1]
        result = np.empty(len(offsets) - 1)
        row_scores(self.ids, self.values, offsets, weights, result)
        return result
