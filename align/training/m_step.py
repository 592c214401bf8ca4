"""M-step of all domains and both directions (Cuong & Sima'an 2015, Figure 2)."""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of
from ..execution import run_all, run_tasks
from ..model.cooccurrence import RANGES, PairIndex, even_ranges
from ..model.kernels.estimation import (
    ColumnTotals,
    Smoothing,
    StemmedWords,
    estimate_rows,
    normalize_jumps,
    sum_columns,
)
from ..model.kernels.gather import LinkCounts
from ..model.kernels.transitions import JumpCounts
from ..model.parameters import Parameters
from .counts import Counts

__all__ = [
    "column_sums", "column_totals", "estimate_jumps", "estimate_lexical", "estimate_links",
    "estimate_nulls", "stem_ranges",
]  # fmt: skip

_PART = 1 << 19  # word pairs at least whose counts are summed at a time
JUMP_ROUNDS = 5  # rounds of the jump update per M-step; more change the fifth digit


def estimate_lexical(
    parameters: Parameters,
    counts: Counts,
    index: PairIndex,
    words: StemmedWords,
    smoothing: Smoothing,
    threads: int = 1,
) -> None:
    """Replace the lexical tables by the normalized counts, c(f | e; D) over their sum.

    With ``domains`` of the smoothing m each row becomes (c + m * t) / (sum + m), where t is the
    general table, that of all domains together: a pair unseen in a small sample stays possible. In
    turn the rows of t lean by ``stems`` pseudo-counts towards
    P(stem of f | stem of e) * P(f | stem of f). Both depart from the paper. A single domain has the
    general table itself. With ``sparse`` a the rows, smoothed counts and all, have a Dirichlet
    prior of concentration a and are estimated by variational Bayes (Riley & Gildea 2012, eq. 3):
    exp(psi(c + a)) / exp(psi(sum + a n)), n being the words that the state meets.
    """
    sums = column_sums(counts.lexical, index, len(words.target), threads)
    totals = column_totals(*sums, counts.lexical.units, words)
    estimate_links(parameters.lexical, counts.lexical, index, words, totals, smoothing, threads)
    estimate_nulls(parameters, counts.lexical, smoothing)


def estimate_links(
    table: NDArray[np.float32],
    counts: LinkCounts,
    index: PairIndex,
    words: StemmedWords,
    totals: ColumnTotals,
    smoothing: Smoothing,
    threads: int,
) -> None:
    """Replace the rows of a table by normalized counts; see :func:`estimate_lexical`.

    table: float32[num_type_pairs + 1, D, 2]; index: all rows, or all those of some stems
    """
    rows = index.row_offsets, index.columns
    estimate = partial(estimate_rows, rows, words, counts, totals, smoothing)
    ranges = stem_ranges(np.diff(index.row_offsets), words, RANGES)
    run_all((partial(estimate, *part, table) for part in ranges), threads)


def estimate_nulls(parameters: Parameters, counts: LinkCounts, smoothing: Smoothing) -> None:
    """Replace the tables of words that are linked to NULL; see :func:`estimate_lexical`."""
    mass = 0.0 if parameters.num_domains == 1 else smoothing.domains
    _estimate_null(parameters.null_source, counts.null_source / counts.units, mass)
    _estimate_null(parameters.null_target, counts.null_target / counts.units, mass)


def column_sums(
    counts: LinkCounts, index: PairIndex, num_types: int, threads: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Counts of P(source | target) by target word, int64[D, num_types], and source words it meets.

    num_types: of the target side. The second is int64[num_types].
    """
    rows = index.row_offsets, index.columns
    parts = int(np.clip(len(index) // _PART, 1, RANGES))

    def add_up(first: int, last: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        own = np.zeros((counts.links.shape[1], num_types), np.int64)
        met = np.zeros(num_types, np.int64)
        sum_columns(rows, counts.links, first, last, own, met)
        return own, met

    tasks = (partial(add_up, *part) for part in even_ranges(index.row_offsets, parts))
    sums = run_tasks(tasks, threads)
    totals, sizes = next(sums)
    for more, met in sums:
        totals += more
        sizes += met
    return totals, sizes


def column_totals(
    sums: NDArray[np.int64], sizes: NDArray[np.int64], units: float, words: StemmedWords
) -> ColumnTotals:
    """What :func:`column_sums` gives, all rows together, by target word and by stem.

    sums: int64[D, num_types]; sizes: int64[num_types]
    """
    by_word = sums / units
    stems = np.zeros(words.num_targets)
    np.add.at(stems, words.target, by_word.sum(0))
    return ColumnTotals(by_word, stems, sizes)


def stem_ranges(sizes: NDArray[np.int64], words: StemmedWords, parts: int) -> list[tuple[int, int]]:
    """Ranges of ``words.order`` that are about as large, none of which divides a stem.

    sizes: int64[num_source_types], what each word adds
    """
    ordered, own = sizes[words.order], words.source[words.order]
    begins = np.flatnonzero(np.diff(own, prepend=-1))
    offsets = np.append(offsets_of(ordered)[begins], sizes.sum())
    edges = np.append(begins, len(own))
    return [(int(edges[first]), int(edges[last])) for first, last in even_ranges(offsets, parts)]


def _estimate_null(
    table: NDArray[np.float32], counts: NDArray[np.float64], smoothing: float
) -> None:
    together = counts.sum(0)
    together /= max(together.sum(), 1e-300)
    totals = np.maximum(counts.sum(1, keepdims=True) + smoothing, 1e-300)
    table[:] = (counts + smoothing * together) / totals
    table[:, -1] = 0.0  # unknown words


def estimate_jumps(
    parameters: Parameters, counts: JumpCounts, class_smoothing: float = 0.0
) -> None:
    """Replace the jump tables.

    Distances are normalized over the positions that exist, so the counts are divided by how often
    each distance was on offer instead of being normalized as they stand. To those of a class
    ``class_smoothing`` jumps are added as all classes make them, so that a class of few words
    jumps as others do. Classes depart from the paper; see Och & Ney 2003, section 3.
    """
    start_occupancy = np.zeros((*counts.start.shape[:2], *counts.occupancy.shape[3:]))
    # the start stands before position 0: nothing is open to its left; distance 0 counts as open,
    # but its weight is and stays the smallest there is
    start_occupancy[:, :, 0, :] = counts.start_occupancy
    several = counts.jump.shape[2] > 1
    for side, domain in np.ndindex(counts.start.shape[:2]):
        jumps, occupancy = counts.jump[side, domain], counts.occupancy[side, domain]
        total = jumps.sum()
        if several and total > 0.0:
            share = class_smoothing / total
            jumps = jumps + share * jumps.sum(0)
            occupancy = occupancy + share * occupancy.sum(0)
        for number, table in enumerate(parameters.jump[side, domain]):
            normalize_jumps(table, jumps[number], occupancy[number], JUMP_ROUNDS)
        normalize_jumps(
            parameters.start[side, domain],
            counts.start[side, domain],
            start_occupancy[side, domain],
            JUMP_ROUNDS,
        )
