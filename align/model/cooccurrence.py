"""PairIndex: the pairs of word types that meet in some sentence pair, and the cells they fill.

A cell is a pair of positions (j, i) of one sentence pair. Both directions and all domains share
one index: a lexical table is a column over it.
"""

from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.id_counts import id_counts
from ..arrays.ragged import offsets_of, per_entry, slice_rows
from ..errors import DataError
from ..execution import run_all
from ..files.scratch import Empty, ScratchArrays, reserve
from ..kernels.cooccurrence import (
    Occurrences,
    Sentences,
    count_columns,
    fill_index,
    fill_occurrences,
    look_up_cells,
)
from ..text.bitext import Bitext
from ..text.corpus import Corpus
from .kernels.estimation import BLOCK, DROPPED, mark_rare, number_kept, renumber

__all__ = [
    "RANGES", "Cells", "KeptPairs", "PairIndex", "build_pair_index", "cell_offsets", "even_ranges",
    "occurrences",
]  # fmt: skip

MAX_WORD_PAIRS = (1 << 31) - 1  # stems number them by int32
RANGES = 64  # of rows, which threads work on by turns
_BLOCK = 65536  # sentence pairs looked up at a time when cells go to a file


@dataclass(frozen=True, eq=False, repr=False)
class PairIndex(ComparedByContent):
    """Rows are source types, columns the target types they meet (compressed sparse rows).

    row_offsets: int64[num_source_types + 1]
    columns: int32[num_pairs], target type, rising within a row.
    The id of a pair is its place in ``columns``; ``len(columns)`` stands for a pair never seen.
    """

    row_offsets: NDArray[np.int64]
    columns: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return f"PairIndex({len(self):,} pairs of {len(self.row_offsets) - 1:,} source types)"

    @property
    def rows(self) -> NDArray[np.int32]:
        """int32[num_pairs], source type of each pair."""
        return per_entry(np.arange(len(self.row_offsets) - 1, dtype=np.int32), self.row_offsets)

    def check(self, num_targets: int) -> None:
        """Raise ValueError for columns that kernels can't take; reads all of them.

        num_targets: types of the target side
        """
        columns = self.columns
        rising = np.ones(len(columns) + 1, bool)
        rising[1:-1] = columns[1:] > columns[:-1]
        rising[self.row_offsets[1:-1]] = True  # where another row begins
        if not rising.all() or (columns <= 0).any() or (columns >= num_targets).any():
            raise ValueError("word pairs must be sorted")

    def find(self, source: NDArray[np.int32], target: NDArray[np.int32]) -> NDArray[np.int64]:
        """Ids of pairs of types, int64[n]; ``len(self)`` for a pair that is not here.

        source, target: int32[n], word ids.
        """
        keys = self.rows.astype(np.int64) << 32 | self.columns
        wanted = source.astype(np.int64) << 32 | target
        ids = np.searchsorted(keys, wanted)
        known = ids < len(self)
        known[known] = keys[ids[known]] == wanted[known]
        return np.where(known, ids, len(self))

    def counted(
        self, links: NDArray[np.int64] | NDArray[np.float32], threshold: float
    ) -> "KeptPairs":
        """The pairs counted at least ``threshold`` times in one direction or both.

        links: int64[num_pairs + 1, D, K], counts by domain and direction, or float32
        """
        marks = np.empty(len(self) + 1, np.uint8)
        mark_rare(links, threshold, marks)
        return KeptPairs.of_marks(marks)

    def selected(self, kept: "KeptPairs") -> "PairIndex":
        """An index of the pairs that are kept."""
        return PairIndex(kept.before(self.row_offsets), self.columns[kept.mask])

    def cells(self, bitext: Bitext, scratch: Path | None = None) -> "Cells":
        """Pair ids of any bitext over the same vocabularies; words may be unknown (-1).

        With ``scratch`` they are kept in that file, which is created, instead of in memory.
        """
        offsets = cell_offsets(bitext)
        if scratch is None:
            pair_ids = np.empty(offsets[-1], np.uint32)
            self._look_up(bitext, pair_ids)
        else:
            reserve(scratch, 4 * int(offsets[-1]))
            pair_ids = np.memmap(scratch, np.uint32, "r+", shape=(int(offsets[-1]),))
            for begin in range(0, len(bitext), _BLOCK):
                rows = np.arange(begin, min(begin + _BLOCK, len(bitext)))
                cells = slice(offsets[begin], offsets[rows[-1] + 1])
                self._look_up(bitext.select(rows), pair_ids[cells])
        return Cells(pair_ids, offsets)

    def _look_up(self, bitext: Bitext, pair_ids: NDArray[np.uint32]) -> None:
        source, target = bitext.source, bitext.target
        look_up_cells(
            source.tokens,
            source.offsets,
            target.tokens,
            target.offsets,
            self.row_offsets,
            self.columns,
            pair_ids,
        )


@dataclass(frozen=True, eq=False, repr=False)
class KeptPairs(ComparedByContent):
    """Which pairs of an index are kept, and their new ids, in a byte for each pair.

    marks: uint8[num_pairs + 1], how many pairs of its block are kept before it, and DROPPED for one
    that isn't; the last one stands for a pair never seen.
    firsts: uint32[num_blocks], how many are kept before each block
    """

    marks: NDArray[np.uint8]
    firsts: NDArray[np.uint32]

    @classmethod
    def of_marks(cls, marks: NDArray[np.uint8]) -> "KeptPairs":
        """Those without a mark. marks: uint8[num_pairs + 1], DROPPED or 0, changed"""
        firsts = np.empty((len(marks) - 1) // BLOCK + 1, np.uint32)
        number_kept(marks, firsts)
        return cls(marks, firsts)

    @classmethod
    def of_mask(cls, kept: NDArray[np.bool_]) -> "KeptPairs":
        """Those of a mask. kept: bool[num_pairs]"""
        marks = np.zeros(len(kept) + 1, np.uint8)
        marks[:-1][~kept] = DROPPED
        return cls.of_marks(marks)

    def __len__(self) -> int:
        return int(self.before(np.array([len(self.marks) - 1]))[0])

    def __repr__(self) -> str:
        return f"KeptPairs({len(self):,} of {len(self.marks) - 1:,} pairs)"

    @property
    def mask(self) -> NDArray[np.bool_]:
        """bool[num_pairs], whether a pair is kept."""
        return self.marks[:-1] < DROPPED

    def before(self, ids: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
        """How many pairs are kept before each one: int64[n], its new id.

        ids: int64[n], or another type of whole numbers
        """
        before: NDArray[np.int64] = self.firsts[ids // BLOCK].astype(np.int64)
        before += self.marks[ids] % DROPPED
        return before


@dataclass(frozen=True, eq=False, repr=False)
class Cells(ComparedByContent):
    """The pair id at each pair of positions.

    pair_ids: uint32[num_cells], cell (j, i) of pair n stands at offsets[n] + j * I + i.
    offsets: int64[num_sentence_pairs + 1]
    """

    pair_ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]

    def __repr__(self) -> str:
        return f"Cells({len(self.offsets) - 1:,} sentence pairs, {len(self.pair_ids):,} cells)"

    def part(self, first: int, count: int) -> "Cells":
        """Those of ``count`` sentence pairs from ``first`` on; the ids are not copied."""
        cells, offsets = slice_rows(self.offsets, first, first + count)
        return Cells(self.pair_ids[cells], offsets)

    def renumber(self, kept: KeptPairs, threads: int) -> None:
        """Replace the ids by those of an index that is left of the first one."""
        size = len(self.pair_ids)
        edges = np.linspace(0, size, RANGES + 1).astype(np.int64).tolist()
        parts = (self.pair_ids[first:last] for first, last in pairwise(edges))
        run_all((partial(renumber, part, kept.marks, kept.firsts) for part in parts), threads)


def cell_offsets(bitext: Bitext) -> NDArray[np.int64]:
    """int64[num_sentence_pairs + 1]: where the cells of each sentence pair begin."""
    return offsets_of(bitext.source.lengths * bitext.target.lengths)


def occurrences(corpus: Corpus, empty: Empty = np.empty) -> Occurrences:
    """The sentences that each word of a corpus stands in; none of its words is unknown.

    empty: makes the array of sentences
    """
    counts = id_counts(corpus.tokens, len(corpus.vocabulary))
    offsets, sentences = offsets_of(counts), empty(len(corpus.tokens), np.int32)
    fill_occurrences(corpus.tokens, corpus.offsets, offsets[:-1].copy(), sentences)
    return Occurrences(sentences, offsets)


def even_ranges(offsets: NDArray[np.int64], parts: int) -> list[tuple[int, int]]:
    """Rows [0, n) in so many ranges of about as many entries; some may be empty.

    offsets: int64[n + 1], where the entries of each row begin
    """
    ends = np.searchsorted(offsets, np.linspace(0, offsets[-1], parts + 1)[1:-1]).tolist()
    return list(pairwise([0, *ends, len(offsets) - 1]))


def build_pair_index(
    bitext: Bitext, scratch: Path | None = None, threads: int = 1
) -> tuple[PairIndex, Cells]:
    """Index all pairs of types that meet in ``bitext``, without hashing.

    Time and memory grow with the number of cells, the sum of J * I. With ``scratch`` the cells
    are kept in that file, which is created, instead of in memory; that takes longer.

    Raises DataError for more pairs of types than can be numbered.
    """
    where = occurrences(
        bitext.source, np.empty if scratch is None else ScratchArrays(scratch.parent)
    )
    source, target = (
        Sentences(side.tokens, side.offsets, len(side.vocabulary))
        for side in (bitext.source, bitext.target)
    )
    ranges = even_ranges(where.offsets, RANGES)
    counts = np.zeros(len(bitext.source.vocabulary), np.int64)
    run_all((partial(count_columns, where, target, *part, counts) for part in ranges), threads)
    row_offsets = offsets_of(counts)
    if row_offsets[-1] > MAX_WORD_PAIRS:
        raise DataError(
            f"the text has {row_offsets[-1]} distinct word pairs", f"at most {MAX_WORD_PAIRS}",
            remedy="Train on parts of the text, or exclude its longest sentences "
            "(`max_length=...`)",
        )  # fmt: skip
    rows = row_offsets, np.empty(row_offsets[-1], np.int32)
    offsets = cell_offsets(bitext)
    cells = offsets, np.empty(offsets[-1] if scratch is None else 0, np.uint32)
    run_all(
        (partial(fill_index, where, source, target, rows, *part, cells) for part in ranges), threads
    )
    index = PairIndex(*rows)
    return index, Cells(cells[1], offsets) if scratch is None else index.cells(bitext, scratch)
