"""Forests as examples: hope, fear and expectations in all that a search has found."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.execution import dot, run_tasks
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ...forest.bleu import BleuForest, linear_gains
from ...forest.hypergraph import Hypergraph
from ...forest.inference import ForestDerivations, envelope, k_best, viterbi
from ...forest.kernels.inside import gradient, inside, probabilities
from ...metrics.bleu import Bleu
from ...nbest.types import NBest
from ...references import References
from .protocol import Expected, Hypotheses

__all__ = ["APPROXIMATIONS", "ForestExample", "ForestSource"]

Approximation = Literal["rerank", "linear"]
APPROXIMATIONS: tuple[Approximation, ...] = ("rerank", "linear")


@dataclass(frozen=True)
class ForestExample:
    """The forest of a sentence.

    references: of this sentence alone
    metric: BLEU within an oracle document as eq. 3 has it (document = chiang)
    approximation: of BLEU in the search for hope and fear, see
        `isogloss.tune.forest.bleu.BleuForest`
    """

    graph: Hypergraph
    references: References
    metric: Bleu
    approximation: Approximation = "rerank"

    @cached_property
    def forest(self) -> BleuForest:
        """The forest with BLEU's statistics; built when first asked for."""
        return BleuForest.of(self.graph, self.references.words_of(0))

    def best(self, weights: NDArray[np.float64]) -> Hypotheses:
        """The one with the best score. weights: float64[num_features]"""
        return self._measured(viterbi(self.graph, self.graph.scores(weights)))

    def n_best(self, weights: NDArray[np.float64], size: int) -> Hypotheses:
        """At most so many texts with the best scores, best first. weights: float64[num_features]"""
        return self._measured(k_best(self.graph, self.graph.scores(weights), size))

    def hope(
        self, weights: NDArray[np.float64], document: NDArray[np.float64], mu: float = -1.0
    ) -> Hypotheses:
        """The most of score - mu gain (Chiang 2012, eq. 12), about.

        weights: float64[num_features]; document: float64[9]; mu: below 0
        """
        scores = self.graph.scores(weights)
        if self.approximation == "rerank":
            return self._measured(self.forest.hope(scores, document, mu))
        return self._linear(scores, document, -mu)

    def fear(self, weights: NDArray[np.float64], document: NDArray[np.float64]) -> Hypotheses:
        """The most of score - gain, about. weights: float64[num_features]; document: float64[9]"""
        scores = self.graph.scores(weights)
        if self.approximation == "rerank":
            return self._measured(self.forest.fear(scores, document))
        return self._linear(scores, document, -1.0)

    def _linear(
        self, scores: NDArray[np.float64], document: NDArray[np.float64], factor: float
    ) -> Hypotheses:
        gains = factor * linear_gains(self.forest, document)
        return self._measured(self.forest.best_with(scores, gains))

    def expectation(
        self, weights: NDArray[np.float64], document: NDArray[np.float64], temperature: float
    ) -> Expected:
        """The expected gain, to first order (appendix A.3), and its gradient (eq. 22).

        weights: float64[num_features]; document: float64[9]; temperature: above 0
        """
        forest = self.forest
        scores = self.graph.scores(weights)[forest.edge_of]
        gains = linear_gains(forest, document)
        expected, used, worth = gradient(forest.edges, scores, gains, float(temperature))
        size = _size(used, scores / temperature) * _size(used, gains) / temperature
        return self._expected(float(expected), worth, size * used)

    def secant(
        self,
        weights: NDArray[np.float64],
        document: NDArray[np.float64],
        temperature: float,
        mu: float,
    ) -> Expected:
        """What leads from fear to hope, with gains to first order (Chiang 2012, A.2 and A.3).

        weights: float64[num_features]; document: float64[9]; temperature, mu: above 0
        """
        forest = self.forest
        scores = self.graph.scores(weights)[forest.edge_of]
        gains = mu * linear_gains(forest, document)
        total, worth, sizes = 0.0, np.zeros(len(gains)), np.zeros(len(gains))
        for side in (0.5 / mu, -0.5 / mu):
            tilted = scores + np.sign(side) * gains
            of_node, of_edge = inside(forest.edges, tilted, float(temperature))
            _, used = probabilities(forest.edges, of_node, of_edge, float(temperature))
            total += side * of_node[-1]
            worth += side * used
            sizes += abs(side) * _size(used, tilted / temperature) * used
        return self._expected(total, worth, sizes)

    def _expected(
        self, gain: float, worth: NDArray[np.float64], sizes: NDArray[np.float64]
    ) -> Expected:
        """From what split edges are worth. worth, sizes: float64[E'], see `Expected.of`"""
        of_edge = [np.zeros(self.graph.num_edges), np.zeros(self.graph.num_edges)]
        for sums, values in zip(of_edge, (worth, sizes), strict=True):
            np.add.at(sums, self.forest.edge_of, values)
        return Expected.of(gain, self.graph.rows, *of_edge)

    def envelope(
        self, weights: NDArray[np.float64], direction: NDArray[np.float64]
    ) -> tuple[Hypotheses, NDArray[np.float64]]:
        """Those that are best for some x, of weights + x direction, by rising x.

        Macherey et al. (2008), Kumar et al. (2009).
        weights, direction: float64[num_features]
        Returns float64[n - 1], too, the x at which each gives way to the next.
        Raises UsageError where the score of an edge is not finite.
        """
        scores, slopes = self.graph.scores(weights), self.graph.scores(direction)
        found, _, crossings = envelope(self.graph, scores, slopes)
        return self._measured(found), crossings

    def _measured(self, found: ForestDerivations) -> Hypotheses:
        """Derivations with their features, and BLEU's statistics of their texts, exact."""
        texts = [" ".join(words) for words in found.texts(self.graph)]
        features = found.features(self.graph)
        lists = NBest(
            np.array([0, len(texts)]), Texts.from_strings(texts), Ragged.empty(len(texts)),
            FeatureSpace(()),
        )  # fmt: skip
        return Hypotheses.of(features, self.metric.statistics(lists, self.references))


def _size(used: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """How large the values of a derivation's edges are, 1 at least."""
    # used: float64[E'], probabilities of edges; values: float64[E']
    return 1.0 + dot(used, np.abs(values))


@dataclass(frozen=True)
class ForestSource:
    """Forests that are there, such as another system's.

    graphs: over one space; references: of each
    threads: to judge weights with
    Raises DataError where they differ in number, UsageError for no forest, and for spaces that
    differ.
    """

    graphs: Sequence[Hypergraph]
    references: References
    approximation: Approximation = "rerank"
    metric: Bleu = field(default_factory=lambda: Bleu(document="chiang"))
    threads: int = 1

    def __post_init__(self) -> None:
        if not self.graphs:
            raise UsageError("there is no forest; pass one for each sentence")
        if len(self.graphs) != len(self.references):
            raise DataError(
                f"there are references for {pluralize(len(self.references), 'sentence')}",
                f"{len(self.graphs)}, one per forest",
            )
        if any(graph.space is not self.space for graph in self.graphs):
            raise UsageError("all forests must have the same feature space")

    @cached_property
    def space(self) -> FeatureSpace:
        """The features of the forests."""
        return self.graphs[0].space

    def __len__(self) -> int:
        return len(self.graphs)

    def example(self, number: int, weights: NDArray[np.float64]) -> ForestExample:
        """A sentence's forest, whatever the weights. weights: float64[num_features]"""
        references = self.references.select(np.array([number]))
        return ForestExample(self.graphs[number], references, self.metric, self.approximation)

    def score(self, weights: NDArray[np.float64]) -> float:
        """BLEU of the best derivations' texts. weights: float64[num_features]"""
        sums = np.zeros(self.metric.num_statistics)
        tasks = (partial(self._best, number, weights) for number in range(len(self)))
        for best in run_tasks(tasks, self.threads):
            sums += best.statistics[0]
        return float(self.metric.score(sums))

    def _best(self, number: int, weights: NDArray[np.float64]) -> Hypotheses:
        return self.example(number, weights).best(weights)
