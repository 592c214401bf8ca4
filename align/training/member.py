"""A member of a group that trains together: a shard of the text, and the rows of some words."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..links.known_links import KnownLinks
from ..model.kernels.estimation import ColumnTotals, Smoothing, StemmedWords
from ..model.parameters import AlignerOptions, Parameters
from ..text.bitext import Bitext
from .e_step import Expected
from .rows import LexicalRows, ShardRows
from .shard import Shard

__all__ = ["Member"]


class Member:
    """What is asked of a member, in turn; results that are for other members are tuples.

    threads: that it may use
    """

    _shard: Shard
    _rows: LexicalRows

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def read(
        self, bitext: Bitext, options: AlignerOptions, known_links: KnownLinks | None,
        bounds: Sequence[int],
    ) -> tuple[ShardRows, ...]:  # fmt: skip
        """Take a shard; its rows for each member. bounds: where the words of each member begin"""
        self._shard = Shard(bitext, options, known_links, bounds, self._threads)
        return tuple(self._shard.rows())

    def merge(self, words: StemmedWords, first: int, last: int, *parts: ShardRows) -> int:
        """Bring the rows [first, last) of all shards together; how many entries they have."""
        self._rows = LexicalRows(words, first, last, parts, self._threads)
        return len(self._rows.index)

    def split(self, domains: int) -> None:
        """Give each domain a copy of the tables."""
        self._rows.split(domains)

    def tables(self) -> tuple[NDArray[np.float32], ...]:
        """The tables of its words, float32[n, D, 2] for each member's shard."""
        return self._rows.tables()

    def expect(
        self, stage: str, parameters: Parameters, log_weights: NDArray[np.float64], units: float,
        *tables: NDArray[np.float32],
    ) -> tuple[NDArray[np.int64] | Expected, ...]:  # fmt: skip
        """E-step: counts of links int64[n, D, K] for each member, then all else.

        log_weights: float64[2, num_pairs, D]; tables: float32[n, D, 2], of each member's words
        """
        links, rest = self._shard.expect(stage, parameters, log_weights, units, tables)
        return (*links, rest)

    def log_likelihoods(
        self, stage: str, parameters: Parameters, *tables: NDArray[np.float32]
    ) -> NDArray[np.float64]:
        """Those of the shard, float64[2, num_pairs, D].

        tables: float32[n, D, 2], of each member's words
        """
        return self._shard.log_likelihoods(stage, parameters, tables)

    def add_up(self, stage: str, units: float, *parts: NDArray[np.int64]) -> None:
        """Take the counts of its words, int64[n, D, K] of each shard."""
        self._rows.add_up(stage, units, parts)

    def add_known(
        self, source: NDArray[np.int32], target: NDArray[np.int32], counts: NDArray[np.int64]
    ) -> None:
        """Count pairs of words more often. source, target: int32[n]; counts: int64[n]"""
        self._rows.add_known(source, target, counts)

    def column_sums(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Sums of its counts by target word, int64[D, num_types], and entries, int64[num_types]."""
        return self._rows.column_sums()

    def estimate(self, totals: ColumnTotals, smoothing: Smoothing) -> None:
        """M-step of its words. totals: of all words"""
        self._rows.estimate(totals, smoothing)

    def find_rare(self, threshold: float) -> int:
        """Find pairs of words that are counted less often; how many others there are."""
        return self._rows.find_rare(threshold)

    def drop_rare(self) -> tuple[NDArray[np.bool_], ...]:
        """Drop what was found; what is kept, bool[n] for each member's shard."""
        return tuple(self._rows.drop())

    def forget(self, *masks: NDArray[np.bool_]) -> None:
        """Drop the same from the shard. masks: bool[n] of each member's words"""
        self._shard.drop(masks)

    def rows(self) -> tuple[ShardRows, NDArray[np.float32]]:
        """The rows of its words in all shards, and their table float32[n, D, 2]."""
        return self._rows.rows()

    def restore(self, rows: ShardRows, table: NDArray[np.float32]) -> tuple[NDArray[np.bool_], ...]:
        """Go on from rows that were saved; what is kept, bool[n] for each member's shard.

        table: float32[n, D, 2]
        """
        return tuple(self._rows.restore(rows, table))
