"""A shard: some sentence pairs of a text, and what the E-step needs of them."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..links.known_links import KnownLinks
from ..model.cooccurrence import KeptPairs, build_pair_index
from ..model.kernels.gather import LinkCounts
from ..model.likelihoods import log_likelihoods
from ..model.parameters import AlignerOptions, Parameters, paired_text
from ..text.bitext import Bitext
from .counts import Counts
from .e_step import EStep, Expected
from .rows import ShardRows

__all__ = ["Shard"]

_NO_LINKS = np.zeros((1, 1, 2), np.int64)  # they are with the rows


class Shard:
    """Sentence pairs of a text, beginning at a multiple of PAIRS.

    bounds: the rows [bounds[k], bounds[k + 1]) of source words are asked for together
    """

    def __init__(
        self, bitext: Bitext, options: AlignerOptions, known_links: KnownLinks | None,
        bounds: Sequence[int], threads: int,
    ) -> None:  # fmt: skip
        self._bitext, self._options, self._known_links = bitext, options, known_links
        self._bounds, self._threads = bounds, threads
        self._index, self._cells = build_pair_index(bitext, None, threads)
        self._index_changed()

    def _index_changed(self) -> None:
        text = paired_text(self._bitext, self._cells, self._known_links)
        self._e_step = EStep(self._bitext, self._index, text, self._options, self._threads)

    def rows(self) -> list[ShardRows]:
        """The rows of the index, those of each range of words."""
        sizes, edges = np.diff(self._index.row_offsets), self._edges()
        return [
            ShardRows(sizes[slice(*words)], self._index.columns[slice(*entries)])
            for words, entries in zip(pairwise(self._bounds), pairwise(edges), strict=True)
        ]

    def _edges(self) -> list[int]:
        """Where the entries of each range of words begin, and their end."""
        return [int(edge) for edge in self._index.row_offsets[list(self._bounds)]]

    def _with_tables(
        self, parameters: Parameters, tables: Sequence[NDArray[np.float32]]
    ) -> Parameters:
        """Parameters with the tables float32[n, D, 2] of each range of words."""
        never_met = np.zeros((1, *tables[0].shape[1:]), np.float32)
        return replace(parameters, lexical=np.concatenate([*tables, never_met]))

    def expect(
        self, stage: str, parameters: Parameters, log_weights: NDArray[np.float64], units: float,
        tables: Sequence[NDArray[np.float32]],
    ) -> tuple[list[NDArray[Any]], Expected]:  # fmt: skip
        """E-step: counts of links by range of words, int64[n, D, K], and all else.

        log_weights: float64[2, num_pairs, D]; tables: float32[n, D, 2] of each range of words
        """
        own = self._with_tables(parameters, tables)
        agreement = self._options.agreement and stage == "hmm"
        counts = Counts.zeros(own, units, agreement)
        found = self._e_step.run(stage, own, log_weights, counts)
        links, source, target, _ = counts.lexical
        rest = Counts(LinkCounts(_NO_LINKS, source, target, units), counts.jumps)
        parts = [np.asarray(links[begin:end]) for begin, end in pairwise(self._edges())]
        return parts, replace(found, counts=rest)

    def log_likelihoods(
        self, stage: str, parameters: Parameters, tables: Sequence[NDArray[np.float32]]
    ) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D): float64[2, num_pairs, D].

        tables: float32[n, D, 2] of each range of words
        """
        own = self._with_tables(parameters, tables)
        return log_likelihoods(own, self._options, self._e_step.text, stage, self._threads)

    def drop(self, masks: Sequence[NDArray[np.bool_]]) -> None:
        """Keep some entries of the index. masks: bool[n] for each range of words"""
        kept = KeptPairs.of_mask(np.concatenate(masks))
        self._index = self._index.selected(kept)
        self._cells.renumber(kept, self._threads)
        self._index_changed()
