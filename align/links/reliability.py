"""How far external links are to be trusted: hit and false alarm rates, learned from agreement.

A model of our own, after Dawid & Skene (1979), who learn the error rates of observers so: each file
is an observer of the cells of a sentence pair. What it says of a cell is one of some kinds: no
link, or a link of a range of probability. Given the alignment a, each cell's kind x is drawn by
itself, from P_1(x) where a holds the link and from P_0(x) where it doesn't, in either direction:

    P(f, a, x | e) = P(f, a | e) * prod over cells (j, i) of P_1(x_ji) if a_j = i else P_0(x_ji)

so that the posterior of a multiplies the emission of word j by word i by P_1(x_ji) / P_0(x_ji).
All is divided by that ratio of "no link", so that factors are held for linked cells and NULL only.
P_1 is the share of each kind among the links that the posteriors of the text alone expect, P_0
that among other cells: a round of EM from rates that say nothing. More rounds would have the
external links confirm itself, as it errs where the model does, too. For the same reason factors get
a power, the weight, below 1. External links that agrees with the text by chance alone stays without
effect.
"""

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import offsets_of, row_numbers, select_rows, slice_rows
from .external_links import ExternalLinks
from .links import Links

__all__ = ["KINDS", "WeightedLinks"]

KINDS = 16  # as of the kernels
# where the probability of a link begins another kind
_EDGES = np.array(
    [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999], np.float32
)
_PRIOR = 10.0  # cells of both classes that kinds were seen in before, as often as in all cells
_MOST = 1e6  # the greatest factor that all files together come to


@dataclass(frozen=True, eq=False, repr=False)
class WeightedLinks(ComparedByContent):
    """External links as kernels take it, and the rates of its files so far.

    cells: uint32[num_entries], kinds: uint8[num_entries], offsets: int64[num_pairs + 1], expected:
        float32[num_entries, 2]: as in ``PairedText``
    factors: float32[num_kinds, 2], what emissions of P(source | target) and P(target | source) are
        multiplied by; changed by :meth:`learn`
    log_absent: float64[num_kinds, 2], of each file, log P_1 / P_0 of "no link" times the weight
    weight: power of the factors
    """

    cells: NDArray[np.uint32]
    kinds: NDArray[np.uint8]
    offsets: NDArray[np.int64]
    expected: NDArray[np.float32]
    factors: NDArray[np.float32]
    log_absent: NDArray[np.float64]
    weight: float

    def __repr__(self) -> str:
        files = len(self.factors) // KINDS
        return (
            f"WeightedLinks({len(self.offsets) - 1:,} sentence pairs, {len(self.cells):,} links "
            f"of {files} aligner{'s' * (files != 1)}; weight {self.weight:g})"
        )

    @classmethod
    def none(cls, num_pairs: int) -> "WeightedLinks":
        """No external links of so many sentence pairs."""
        nothing = np.zeros((0, 2), np.float32)
        return cls(
            np.zeros(0, np.uint32), np.zeros(0, np.uint8), np.zeros(num_pairs + 1, np.int64),
            nothing, nothing, np.zeros((0, 2)), 1.0,
        )  # fmt: skip

    @classmethod
    def of(
        cls, external_links: ExternalLinks, target_lengths: NDArray[np.int64]
    ) -> "WeightedLinks":
        """External links that nothing is known of yet: all factors are 1.

        target_lengths: int64[num_pairs], words
        """
        columns = [
            _entries(links, k, target_lengths) for k, links in enumerate(external_links.files)
        ]
        pairs, cells, kinds = (np.concatenate(parts) for parts in zip(*columns, strict=True))
        order = np.argsort(pairs, kind="stable")
        num_kinds = KINDS * len(external_links.files)
        return cls(
            cells[order],
            kinds[order],
            offsets_of(np.bincount(pairs, minlength=len(target_lengths))),
            np.zeros((len(order), 2), np.float32),
            np.ones((num_kinds, 2), np.float32),
            np.zeros((num_kinds, 2)),
            external_links.weight,
        )

    def part(self, first: int, count: int) -> Self:
        """That of ``count`` sentence pairs from ``first`` on; arrays are shared, not copied."""
        rows, offsets = slice_rows(self.offsets, first, first + count)
        return self._of_rows(rows, offsets)

    def select(self, pairs: NDArray[np.int64]) -> Self:
        """That of some sentence pairs, whose rates are learned apart. pairs: int64[n], rising"""
        rows, offsets = select_rows(self.offsets, pairs)
        own = self._of_rows(rows, offsets)
        return replace(own, factors=self.factors.copy(), log_absent=self.log_absent.copy())

    def _of_rows(self, rows: slice | NDArray[np.int64], offsets: NDArray[np.int64]) -> Self:
        """Some entries, int64[n], and where the rows of each pair begin, int64[m + 1]."""
        return replace(
            self, cells=self.cells[rows], kinds=self.kinds[rows], offsets=offsets,
            expected=self.expected[rows],
        )  # fmt: skip

    def sample(self, size: int) -> NDArray[np.int64]:
        """At most so many pairs that there are external links of, evenly spread: int64[n]."""
        told = np.flatnonzero(np.diff(self.offsets))
        return told[np.linspace(0, len(told) - 1, min(size, len(told))).astype(np.int64)]

    def learn(self, num_cells: NDArray[np.int64], used: NDArray[np.bool_]) -> None:
        """Rates, and factors, from what was expected in an E-step without external links.

        num_cells: int64[num_pairs], J * I; used: bool[num_pairs], which ones had an E-step
        """
        rows = row_numbers(self.offsets)
        kept = used[rows]
        kinds, is_file = self.kinds[kept], self.kinds[kept] % KINDS == 0
        sizes = np.where(is_file, num_cells[rows[kept]], 1.0)
        total = len(self.factors)
        cells = np.bincount(kinds, sizes, total).reshape(-1, KINDS).astype(np.float64)
        cells[:, 0] -= cells[:, 1:].sum(1)
        bound = np.log(_MOST) / len(cells)
        for side in (0, 1):
            expected = np.bincount(kinds, self.expected[kept, side], total).reshape(-1, KINDS)
            expected[:, 0] -= expected[:, 1:].sum(1)
            ratio = _log_ratios(cells, np.clip(expected, 0.0, cells))
            factor = ratio - ratio[:, :1]
            factor[:, 0] = -ratio[:, 0]
            factor = self.weight * np.clip(factor, -bound, bound)
            self.factors[:, side] = np.exp(factor).ravel()
            self.log_absent[::KINDS, side] = -factor[:, 0]

    def state(self) -> dict[str, NDArray[Any]]:
        """What :meth:`restore` needs: float64[num_kinds, 2] and the like, by name."""
        return {"external_factors": self.factors, "external_absent": self.log_absent}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go on from rates that were saved. state: what :meth:`state` gave, as arrays[...]"""
        self.factors[:] = state["external_factors"]
        self.log_absent[:] = state["external_absent"]

    def log_baseline(
        self, source_lengths: NDArray[np.int64], target_lengths: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """What factors lack of P(f, x | e) and P(e, x | f) in logarithms: float64[2, num_pairs].

        It differs by direction, and a constant of all pairs is left out.
        source_lengths, target_lengths: int64[num_pairs], words
        """
        rows, pairs = row_numbers(self.offsets), len(source_lengths)
        return np.stack(
            [
                lengths * np.bincount(rows, self.log_absent[self.kinds, side], pairs)
                for side, lengths in enumerate((source_lengths, target_lengths))
            ]
        )


def _entries(
    links: Links, number: int, target_lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    """Sentence pair, cell and kind of each entry of a file."""
    told, pair = np.flatnonzero(np.diff(links.offsets)), row_numbers(links.offsets)
    cell = links.source * target_lengths[pair] + links.target
    kind = np.full(len(cell), len(_EDGES) + 1, np.uint8)
    if links.probability is not None:
        kind = 1 + np.searchsorted(_EDGES, links.probability, side="right").astype(np.uint8)
    return (
        np.concatenate([told, pair]),
        np.concatenate([np.zeros(len(told), np.uint32), cell.astype(np.uint32)]),
        np.concatenate([np.zeros(len(told), np.uint8), kind]) + np.uint8(KINDS * number),
    )


def _log_ratios(cells: NDArray[np.float64], expected: NDArray[np.float64]) -> NDArray[np.float64]:
    """log P_1 / P_0 of each kind: float64[num_files, KINDS]; 0 of kinds that there are none of."""
    # cells, expected: float64[num_files, KINDS], cells of each kind, and links expected among them
    share = _PRIOR * cells / np.maximum(cells.sum(1, keepdims=True), 1.0)
    hits, alarms = expected + share, cells - expected + share
    hits /= np.maximum(hits.sum(1, keepdims=True), 1e-300)
    alarms /= np.maximum(alarms.sum(1, keepdims=True), 1e-300)
    return np.log(np.where(cells > 0.0, hits, 1.0)) - np.log(np.where(cells > 0.0, alarms, 1.0))
