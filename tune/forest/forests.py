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
    """The hypergraph of each sentence, in memory or made of stored arrays when it is asked for.

    A sentence without a forest has its place; asking for it raises DataError with its number.

    graphs: of sentences, all over ``space``; None for one without a forest
    numbers: int64[n], the sentences that these are, counted from 0
    lacking: int64[k], the sentences of ``graphs`` without a forest, rising
    place: the file or folder that they come from
    whole: whether it knows of the last sentences that have none, as a folder with a file for each
        does not
    over: another space that they are put over, None = ``space``; features that it lacks are left
        out
    keeping: weights of sparse features that ``over`` lacks; these are kept, and count in scores
    lowercase: put words in lower case
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
        """Some of them, in that order. rows: int64[m], places in this sequence"""
        return replace(self, numbers=self.numbers[rows])

    @property
    def found(self) -> NDArray[np.int64]:
        """The places in this sequence that have a forest: int64[m]."""
        return np.flatnonzero(~np.isin(self.numbers, self.lacking))

    def __repr__(self) -> str:
        lacking = len(self) - len(self.found)
        return f"Forests({len(self):,} sentences, {lacking:,} without a forest, {self.space})"
