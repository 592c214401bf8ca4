"""What MERT climbs on: the metric over the weights of some features, of n-best lists or forests."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.features.space import FeatureSpace

from ..examples import Examples
from ..kernels.best import first_best
from ..metrics.protocol import Metric
from .line_search import Columns, LineSearcher, Surface

__all__ = ["Landscape", "ListLandscape", "Position"]


class Position(Protocol):
    """A point of a landscape from which lines are looked along; of one climb."""

    def score(self, weights: NDArray[np.float64]) -> float:
        """Stand at some weights; the metric of the best translations there.

        weights: float64[D], of the features that are tuned
        """
        ...

    def surface(self, direction: NDArray[np.float64], feature: int | None = None) -> Surface:
        """The metric along a direction. direction: float64[D]

        feature: where the direction is that of one feature, its place among those tuned
        """
        ...

    def move(self, step: float) -> None:
        """Go so far along the direction that was looked along last."""
        ...


class Landscape(Protocol):
    """The metric of the best translations, over the weights of D features."""

    @property
    def space(self) -> FeatureSpace:
        """All features, tuned or not."""
        ...

    @property
    def metric(self) -> Metric:
        """What is maximized, or minimized."""
        ...

    @property
    def features(self) -> NDArray[np.int64]:
        """The features that are tuned, each of which differs within some sentence: int64[D]."""
        ...

    @property
    def spreads(self) -> NDArray[np.float64]:
        """How much each of them differs within sentences: float64[D], above 0."""
        ...

    def best_score(self, weights: NDArray[np.float64]) -> float:
        """Metric of the best translations. weights: float64[num_features]"""
        ...

    def position(self) -> Position:
        """A new one; it stands nowhere yet."""
        ...


@dataclass(frozen=True)
class ListLandscape:
    """That of n-best lists.

    constant: float64[H], what features that aren't tuned add to scores
    """

    examples: Examples
    columns: Columns
    constant: NDArray[np.float64]

    @classmethod
    def of(
        cls, examples: Examples, start: NDArray[np.float64], tuned: NDArray[np.int64]
    ) -> "ListLandscape":
        """Over those of some features that differ within a sentence.

        start: float64[num_features], weights of those that aren't tuned
        tuned: int64[k], features

        Raises DataError where model scores under the start weights aren't finite.
        """
        columns = Columns.of(examples, tuned)
        others = start.copy()
        others[columns.features] = 0.0
        constant = examples.scores(others) if others.any() else np.zeros(len(examples.rows))
        if not np.isfinite(examples.scores(start)).all():
            raise DataError(
                "model scores are not finite", remedy="Scale the weights or features down"
            )
        return cls(examples, columns, constant)

    @property
    def space(self) -> FeatureSpace:
        """All features, tuned or not."""
        return self.examples.space

    @property
    def metric(self) -> Metric:
        """That of the examples."""
        return self.examples.metric

    @property
    def features(self) -> NDArray[np.int64]:
        """The features that are tuned: int64[D]."""
        return self.columns.features

    @property
    def spreads(self) -> NDArray[np.float64]:
        """Root mean squares of the differences from each sentence's mean: float64[D]."""
        return self.columns.spreads

    def best_score(self, weights: NDArray[np.float64]) -> float:
        """Metric of the best hypotheses. weights: float64[num_features]"""
        return self.examples.best_score(weights)

    def position(self) -> "_ListPosition":
        """A new one, with arrays of its own."""
        return _ListPosition(self)


class _ListPosition:
    """Model scores of all hypotheses at a point, and their slopes along the last direction."""

    def __init__(self, lists: ListLandscape) -> None:
        self._lists = lists
        self._searcher = LineSearcher(lists.examples)
        self._scores = self._slopes = lists.constant

    def score(self, weights: NDArray[np.float64]) -> float:
        """Stand at some weights; the metric there. weights: float64[D]"""
        examples = self._lists.examples
        self._scores = self._lists.columns.scores(weights, self._lists.constant)
        return examples.score(first_best(self._scores, examples.sentence_offsets))

    def surface(self, direction: NDArray[np.float64], feature: int | None = None) -> Surface:
        """The metric along a direction: float64[D]. feature: its place, if it is that of one"""
        columns = self._lists.columns
        if feature is None:
            self._slopes, order = columns.scores(direction), None
        else:
            self._slopes, order = columns.values[feature], columns.orders[feature]
        return self._searcher.surface(self._scores, self._slopes, order)

    def move(self, step: float) -> None:
        """Go so far along the last direction."""
        self._scores += step * self._slopes
