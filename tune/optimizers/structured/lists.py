"""N-best lists as examples: hope, fear and expectations by looking at all hypotheses."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.align.execution import dot, exp, log
from isogloss.features.space import FeatureSpace

from ...examples import Examples
from ...metrics.bleu import Bleu
from ...metrics.protocol import Metric
from ...weights.given import values_over
from ..line_search import list_envelope
from .protocol import ExampleSource, Expected, Hypotheses

__all__ = ["ListExample", "ListSource", "as_source", "sources_of"]


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
        likely, _ = _softmax(scores)
        expected = float((likely * gains).sum())
        sizes = likely * _size(likely, scores) * _size(likely, gains) / temperature
        worth = likely * (gains - expected) / temperature
        return Expected.of(expected, self._rows(), worth, sizes)

    def secant(
        self,
        weights: NDArray[np.float64],
        document: NDArray[np.float64],
        temperature: float,
        mu: float,
    ) -> Expected:
        """What leads from fear to hope (Chiang 2012, A.2).

        weights: float64[num_features]; document: float64[K]; temperature, mu: above 0
        """
        scores, gains = self._scores(weights) / temperature, self._gains(document)
        change = mu / temperature * gains
        hope, above = _softmax(scores + change)
        fear, below = _softmax(scores - change)
        both, worth = (hope + fear) / (2.0 * mu), (hope - fear) / (2.0 * mu)
        sizes = both * (_size(hope, scores + change) + _size(fear, scores - change))
        gain = temperature * (above - below) / (2.0 * mu)
        return Expected.of(gain, self._rows(), worth, sizes)

    def _rows(self) -> Ragged:
        return self.examples.sentence_rows(self.number)

    def envelope(
        self, weights: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> tuple[Hypotheses, NDArray[np.float64]]:
        """Those that are best for some x, of weights + x direction, by rising x (Och 2003).

        weights, direction: float64[num_features]
        Returns float64[n - 1], too, the x at which each gives way to the next.
        Raises DataError where model scores aren't finite.
        """
        lines, crossings = list_envelope(self._scores(weights), self._scores(direction))
        return self._chosen(lines), crossings

    def _scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        bounds = self.examples.sentence_offsets[self.number : self.number + 2].tolist()
        return self.examples.rows.scores(values_over(weights, self.examples.space), *bounds)

    def _gains(self, document: NDArray[np.float64]) -> NDArray[np.float64]:
        return self.examples.metric.gains_in(document, self._statistics())

    def _statistics(self) -> NDArray[np.float64]:
        begin, end = self.examples.sentence_offsets[self.number : self.number + 2].tolist()
        return self.examples.statistics[begin:end]

    def _chosen(self, places: np.intp | NDArray[np.intp]) -> Hypotheses:
        """Some of the list. places: counted in it"""
        chosen = np.atleast_1d(places)
        rows = self._rows().select(chosen)
        return Hypotheses.of(rows, self._statistics()[chosen])


def _softmax(scores: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Probabilities, as exp(score), and the log of the sum of these. scores: float64[n]"""
    best = scores.max()
    odds = exp(scores - best)
    total = odds.sum()
    return odds / total, float(best + log(total))


def _size(likely: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """How large values are, 1 at least. likely: float64[n], probabilities; values: float64[n]"""
    return 1.0 + dot(likely, np.abs(values))


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


def as_source(examples: Examples | ExampleSource) -> ExampleSource:
    """A source; lists with the gains of Chiang's oracle document where their metric is BLEU."""
    if not isinstance(examples, Examples):
        return examples
    metric = examples.metric
    if isinstance(metric, Bleu):
        examples = replace(examples, metric=replace(metric, document="chiang"))
    return ListSource(examples)


def sources_of(
    examples: Examples | ExampleSource, held_out: Examples | ExampleSource | None
) -> tuple[ExampleSource, ExampleSource | None]:
    """What is learned from, and what chooses the epoch.

    Raises UsageError for held-out examples over other features, and for lists to learn from that
    keep weights.
    """
    if isinstance(examples, Examples):
        examples.check_learnable()
    source, judge = as_source(examples), None if held_out is None else as_source(held_out)
    if judge is not None and not judge.space.has_names_of(source.space):
        raise UsageError("the held-out examples must have the feature space of the examples")
    return source, judge
