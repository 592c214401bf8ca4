"""Lexical rows of some source words, for a text that is in several shards."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of
from ..errors import DataError
from ..execution import run_all
from ..kernels.cooccurrence import count_merged, merge_columns
from ..model.cooccurrence import MAX_WORD_PAIRS, RANGES, KeptPairs, PairIndex, even_ranges
from ..model.kernels.estimation import (
    DROPPED,
    ColumnTotals,
    Smoothing,
    StemmedWords,
    add_rows,
)
from ..model.kernels.gather import LinkCounts
from .m_step import column_sums, estimate_links

__all__ = ["LexicalRows", "ShardRows"]

_NOTHING = KeptPairs(np.array([DROPPED], np.uint8), np.zeros(1, np.uint32))
_NO_NULLS = np.zeros((0, 0), np.int64)  # links to NULL are counted elsewhere


class ShardRows(NamedTuple):
    """The rows [first, last) of the index of a shard.

    sizes: int64[last - first], entries of each row; columns: int32[n], as in ``PairIndex``
    """

    sizes: NDArray[np.int64]
    columns: NDArray[np.int32]


class LexicalRows:
    """Tables and counts of the source words [first, last), all those of their stems.

    words: of the whole text, those of one stem one after the other
    parts: the rows of each shard
    """

    def __init__(
        self, words: StemmedWords, first: int, last: int, parts: Sequence[ShardRows], threads: int
    ) -> None:
        self._words, self._first, self._last = words, first, last
        self._threads = threads
        rows, self._ids = _merged(parts, len(words.target), threads)
        self.index = self._index_of(rows)
        self.table = np.empty((len(self.index), 1, 2), np.float32)
        self.table[:, :, 0] = 1.0 / len(words.source)
        self.table[:, :, 1] = 1.0 / len(words.target)
        self._counts = LinkCounts(self.table, _NO_NULLS, _NO_NULLS, 1.0)
        self._kept = _NOTHING

    def _index_of(self, rows: ShardRows) -> PairIndex:
        """The rows among those of all words; the others are empty."""
        sizes = np.zeros(len(self._words.source), np.int64)
        sizes[self._first : self._last] = rows.sizes
        return PairIndex(offsets_of(sizes), rows.columns)

    def restore(self, rows: ShardRows, table: NDArray[np.float32]) -> list[NDArray[np.bool_]]:
        """Go on from rows that were saved, some of the entries that there are.

        table: float32[n, D, 2]. Returns which are kept, bool[n] for each shard.
        """
        index = self._index_of(rows)
        ids = index.find(self.index.rows, self.index.columns)
        self._kept = KeptPairs.of_mask(ids < len(index))
        masks = self.drop()
        self.table = table.copy()
        return masks

    def rows(self) -> tuple[ShardRows, NDArray[np.float32]]:
        """The entries of all shards, and their table float32[n, D, 2]."""
        sizes = np.diff(self.index.row_offsets)[self._first : self._last]
        return ShardRows(sizes, self.index.columns), self.table

    def split(self, domains: int) -> None:
        """Give each domain a copy of the tables."""
        self.table = np.repeat(self.table, domains, axis=1)

    def tables(self) -> tuple[NDArray[np.float32], ...]:
        """The entries of each shard: float32[n, D, 2]."""
        return tuple(self.table.take(ids, axis=0) for ids in self._ids)

    def add_up(self, stage: str, units: float, parts: Sequence[NDArray[np.int64]]) -> None:
        """Take the counts of all shards in place of earlier ones.

        parts: int64[n, D, K] each
        """
        _, domains, directions = parts[0].shape
        links = np.zeros((len(self.index) + 1, domains, directions), np.int64)
        for ids, part in zip(self._ids, parts, strict=True):
            add_rows(ids, part, links)
        # those of Model 1 are rounded as they are where they stand in the table
        kept = links.astype(np.float32) if stage == "model1" else links
        self._counts = LinkCounts(kept, _NO_NULLS, _NO_NULLS, units)

    def add_known(
        self, source: NDArray[np.int32], target: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> None:
        """Count pairs of words more often, where they are in a row.

        source, target: int32[n]; counts: int64[n]
        """
        ids = self.index.find(source, target)
        known = ids < len(self.index)
        self._counts.links[ids[known]] += counts[known, None, None]

    def column_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Those of :func:`column_sums` for these rows: int64[D, num_types] and int64[num_types]."""
        return column_sums(self._counts, self.index, len(self._words.target), self._threads)

    def estimate(self, totals: ColumnTotals, smoothing: Smoothing) -> None:
        """M-step, after which the counts are gone. totals: of all rows"""
        estimate_links(
            self.table, self._counts, self.index, self._words, totals, smoothing, self._threads
        )
        self._counts = LinkCounts(self.table, _NO_NULLS, _NO_NULLS, 1.0)

    def find_rare(self, threshold: float) -> int:
        """Find pairs counted less often in both directions, to :meth:`drop`; how many are kept."""
        self._kept = self.index.counted(self._counts.links, threshold)
        return len(self._kept)

    def drop(self) -> list[NDArray[np.bool_]]:
        """Drop the pairs that were found; returns which are kept, bool[n] for each shard."""
        kept, self._kept = self._kept, _NOTHING
        left = kept.mask
        masks = [left[ids] for ids in self._ids]
        self._ids = [
            kept.before(ids[mask]).astype(np.uint32)
            for ids, mask in zip(self._ids, masks, strict=True)
        ]
        self.table = self.table[left]
        self.index = self.index.selected(kept)
        self._counts = LinkCounts(self.table, _NO_NULLS, _NO_NULLS, 1.0)
        return masks


def _merged(
    parts: Sequence[ShardRows], num_types: int, threads: int
) -> tuple[ShardRows, list[NDArray[np.uint32]]]:
    """The rows of all shards in one, and where each entry of a shard stands in it."""
    begins = offsets_of([len(part.columns) for part in parts])
    starts = np.stack(
        [offsets_of(part.sizes) + begin for part, begin in zip(parts, begins[:-1], strict=True)]
    )
    columns = np.concatenate([part.columns for part in parts])
    ranges = even_ranges((starts - begins[:-1, None]).sum(0), RANGES)
    sizes = np.zeros(starts.shape[1] - 1, np.int64)
    count = partial(count_merged, columns, starts)
    run_all((partial(count, *part, num_types, sizes) for part in ranges), threads)
    offsets, ids = offsets_of(sizes), np.empty(len(columns), np.uint32)
    if offsets[-1] > MAX_WORD_PAIRS:
        raise DataError(
            f"a part of the words has {offsets[-1]} distinct word pairs",
            f"at most {MAX_WORD_PAIRS}",
            remedy="Use more workers",
        )
    merged = offsets, np.empty(offsets[-1], np.int32)
    merge = partial(merge_columns, columns, starts)
    run_all((partial(merge, *part, num_types, merged, ids) for part in ranges), threads)
    return ShardRows(sizes, merged[1]), np.split(ids, begins[1:-1])
