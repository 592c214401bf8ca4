"""N-best lists as examples: hope, fear and expectations by looking at all hypotheses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.space import FeatureSpace

from ...examples import Examples
from ...metrics.protocol import Metric
from .protocol import Expected, Hypotheses

__all__ = ["ListExample", "ListSource"]


@dataclass(frozen=True)
class ListExample:
    """The n-best list of a sentence.

    examples: of all sentences; number: of this one
    """

    examples: Examples
    number: int

    def best(self, weights: NDArray[np.float64]) -> Hypotheses:
        """The one with the best score, of equal ones the first. weights: float64[num_features]"""
        return self._chosen(np.argmax(self._scores(weights)))

    def n_best(self, weights: NDArray[np.float64], size: int) -> Hypotheses:
        """At most so many with the best scores, best first. weights: float64[num_features]"""
        return self._chosen(np.argsort(-self._scores(weights), kind="stable")[:size])

    def hope(
        self, weights: NDArray[np.float64], document: NDArray[np.float64], mu: float = -1.0
    ) -> Hypotheses:
        """The most of score - mu gain (Chiang 2012, eq. 12).

        weights: float64[num_features]; document: float64[K]; mu: below 0
        """
        return self._chosen(np.argmax(self._scores(weights) - mu * self._gains(document)))

    def fear(self, weights: NDArray[np.float64], document: NDArray[np.float64]) -> Hypotheses:
        """The most of score - gain. weights: float64[num_features]; document: float64[K]"""
        return self._chosen(np.argmax(self._scores(weights) - self._gains(document)))

    def expectation(
        self, weights: NDArray[np.float64], document: NDArray[np.float64], temperature: float
    ) -> Expected:
        """The expected gain and its gradient (Chiang 2012, eq. 22).

        weights: float64[num_features]; document: float64[K]; temperature: above 0
        """
        scores, gains = self._scores(weights) / temperature, self._gains(document)
        odds = np.exp(scores - scores.max())
        probabilities = odds / odds.sum()
        expected = float((probabilities * gains).sum())
        rows = self.examples.sentence_rows(self.number)
        worth = probabilities * (gains - expected) / temperature
        return Expected.of(expected, rows, worth)

    def _scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        bounds = self.examples.sentence_offsets[self.number : self.number + 2].tolist()
        return self.examples.rows.scores(weights, *bounds)

    def _gains(self, document: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.examples.metric.gains_in(document, self._statistics())

    def _statistics(self) -> NDArray[np.float64]:
        begin, end = self.examples.sentence_offsets[self.number : self.number + 2].tolist()
        return self.examples.statistics[begin:end]

    def _chosen(self, places: np.intp | NDArray[np.intp]) -> Hypotheses:
        """Some of the list. places: counted in it"""
        chosen = np.atleast_1d(places)
        rows = self.examples.sentence_rows(self.number).select(chosen)
        return Hypotheses.of(rows, self._statistics()[chosen])


@dataclass(frozen=True)
class ListSource:
    """Fixed n-best lists. examples: as measured"""

    examples: Examples

    @property
    def space(self) -> FeatureSpace:
        """The features of the lists."""
        return self.examples.space

    @property
    def metric(self) -> Metric:
        """What the hypotheses were measured by."""
        return self.examples.metric

    def __len__(self) -> int:
        return len(self.examples)

    def example(self, number: int, weights: NDArray[np.float64]) -> ListExample:
        """A sentence's list, whatever the weights. weights: float64[num_features]"""
        return ListExample(self.examples, number)

    def score(self, weights: NDArray[np.float64]) -> float:
        """Metric of the best hypotheses. weights: float64[num_features]"""
        return self.examples.best_score(weights)
