"""Forests of many sentences over one feature space, as learners take them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.features.space import FeatureSpace

from ..weights.given import places_beside
from ..weights.weights import Weights
from .hypergraph import Hypergraph

__all__ = ["Forests"]


@dataclass(frozen=True, eq=False)
class Forests(Sequence[Hypergraph]):
    """The hypergraphs of sentences, in memory or memory-mapped.

    :func:`isogloss.tune.read_forests` returns them. Indexing a sentence without a forest raises
    DataError.

    Parameters
    ----------
    graphs : sequence of Hypergraph or None
        All over ``space``; None for a sentence without a forest.
    numbers : ndarray of int64, shape (n_sentences,)
        Sentences of this sequence, as positions in ``graphs``.
    lacking : ndarray of int64, shape (n_lacking,)
        Positions in ``graphs`` without a forest, increasing.
    space : FeatureSpace
    place : str or Path
        File or folder that was read.
    whole : bool, default True
        Whether the number of sentences is known; it is not for a folder with a file per sentence.
    over : FeatureSpace, optional
        Another space that forests are returned over, without features that it lacks.
    keeping : Weights, optional
        Fixed weights of sparse features that ``over`` lacks, which count in every score.
    lowercase : bool, default False
        Lowercase the words.
    """

    graphs: Sequence[Hypergraph | None]
    numbers: NDArray[np.int64]
    lacking: NDArray[np.int64]
    space: FeatureSpace
    place: str | Path
    whole: bool = True
    over: FeatureSpace | None = None
    keeping: Weights | None = None
    lowercase: bool = False

    @cached_property
    def _renumbered(self) -> tuple[NDArray[np.int32], NDArray[np.float64]] | None:
        """New number of each feature and weights of those kept, None where nothing changes."""
        over = self.over
        if over is None or over is self.space:
            return None
        return places_beside(over, self.space, self.keeping)

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, number: int) -> Hypergraph: ...

    @overload
    def __getitem__(self, number: slice) -> list[Hypergraph]: ...

    def __getitem__(self, number: int | slice) -> Hypergraph | list[Hypergraph]:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        sentence = int(self.numbers[number])
        graph = self.graphs[sentence]
        if graph is None:
            raise DataError(
                f"sentence {sentence} has no forest", "one for each sentence",
                file=self.place,
                remedy="Omit the sentence and its references, as Forests.found does",
            )  # fmt: skip
        if self.lowercase:
            graph = replace(graph, words=tuple(word.lower() for word in graph.words))
        if self.over is not None and self._renumbered is not None:
            numbers, kept = self._renumbered
            graph = replace(graph, rows=graph.rows.renumbered(numbers), space=self.over, kept=kept)
        return graph

    def select(self, rows: NDArray[np.int64]) -> "Forests":
        """Return the forests of some sentences, in the given order.

        Parameters
        ----------
        rows : ndarray of int64, shape (n_selected,)
            Positions in this sequence.

        Returns
        -------
        Forests
        """
        return replace(self, numbers=self.numbers[rows])

    @property
    def found(self) -> NDArray[np.int64]:
        """Positions of sentences with a forest: ndarray of int64, shape (n_found,)."""
        return np.flatnonzero(~np.isin(self.numbers, self.lacking))

    def __repr__(self) -> str:
        lacking = len(self) - len(self.found)
        return f"Forests({len(self):,} sentences, {lacking:,} without a forest, {self.space})"
