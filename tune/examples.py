"""Tuning examples: hypotheses with features and metric statistics; what optimisers learn from."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError
from features.ragged import Ragged
from features.space import FeatureSpace

from .kernels.best import first_best
from .metrics.protocol import Metric
from .nbest import NBest
from .references import References

__all__ = ["Examples"]


@dataclass(frozen=True)
class Examples:
    """Sentences with at least one hypothesis each; S sentences, H hypotheses.

    sentences: int64[S], their numbers in the list they come from, increasing
    sentence_offsets: int64[S + 1], hypotheses of each sentence
    rows: feature vectors over ``space``, one per hypothesis
    statistics: float64[H, metric.num_statistics]
    """

    sentences: NDArray[np.int64]
    sentence_offsets: NDArray[np.int64]
    rows: Ragged
    space: FeatureSpace
    statistics: NDArray[np.float64]
    metric: Metric

    def __post_init__(self) -> None:
        num_hypotheses = self.sentence_offsets[-1]
        if len(self.rows) != num_hypotheses or len(self.statistics) != num_hypotheses:
            raise ValueError("one feature row and one row of statistics per hypothesis")
        if len(self.sentences) != len(self) or (np.diff(self.sentence_offsets) < 1).any():
            raise ValueError("every sentence has a hypothesis")

    def __len__(self) -> int:
        return len(self.sentence_offsets) - 1

    @classmethod
    def from_nbest(
        cls, lists: NBest, references: References | None, metric: Metric, *, threads: int = 1
    ) -> "Examples":
        """Measure the hypotheses of n-best lists; sentences without any are left out.

        Raises DataError where lists and references differ in number, for lists without any
        hypothesis, and where the metric lacks what it needs.
        """
        if references is not None and len(references) != len(lists):
            raise DataError(
                f"references of {len(references)} sentences", f"{len(lists)}, as in the lists"
            )
        statistics = metric.statistics(lists, references, threads=threads)
        return cls.from_statistics(lists, statistics, metric)

    @classmethod
    def from_statistics(
        cls, lists: NBest, statistics: NDArray[np.float64], metric: Metric
    ) -> "Examples":
        """Hypotheses measured elsewhere; sentences without any are left out.

        statistics: float64[num_hypotheses, metric.num_statistics]

        Raises DataError for statistics of another metric, and for lists without any hypothesis.
        """
        if statistics.shape != (len(lists.texts), metric.num_statistics):
            raise DataError(
                f"statistics of shape {statistics.shape}",
                f"{metric.num_statistics} of each of {len(lists.texts)} hypotheses, "
                f"as {metric.name} has them",
            )
        filled = np.flatnonzero(np.diff(lists.sentence_offsets))
        if not len(filled):
            raise DataError("no sentence with a hypothesis", "sentences to tune on")
        offsets = np.append(lists.sentence_offsets[filled], lists.sentence_offsets[-1])
        return cls(filled, offsets, lists.rows, lists.space, statistics, metric)

    def hypotheses(self, sentence: int) -> range:
        """Numbers of the hypotheses of one sentence."""
        begin, end = self.sentence_offsets[sentence : sentence + 2].tolist()
        return range(begin, end)

    def sentence_rows(self, sentence: int) -> Ragged:
        """Feature vectors of the hypotheses of one sentence."""
        own = self.hypotheses(sentence)
        return self.rows.part(own.start, own.stop)

    def select(self, sentences: NDArray[np.int64]) -> "Examples":
        """The given sentences (counted from 0 within these examples), in increasing order."""
        chosen = np.sort(sentences)
        counts = np.diff(self.sentence_offsets)[chosen]
        offsets = np.append(0, np.cumsum(counts))
        rows = np.repeat(self.sentence_offsets[:-1][chosen] - offsets[:-1], counts)
        rows = rows + np.arange(offsets[-1])
        return Examples(
            self.sentences[chosen],
            offsets,
            self.rows.select(rows),
            self.space,
            self.statistics[rows],
            self.metric,
        )

    def over(self, space: FeatureSpace) -> "Examples":
        """The same examples over another space; features that it doesn't hold are left out."""
        number = np.array([space.id(name) for name in self.space.names], np.int32)
        ids = number[self.rows.ids] if len(self.rows.ids) else self.rows.ids
        kept = ids >= 0
        offsets = np.append(0, np.cumsum(kept))[self.rows.offsets]
        rows = Ragged(ids[kept], self.rows.values[kept], offsets)
        return replace(self, rows=rows, space=space)

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Sentence metric of each hypothesis on its own, higher is better: float64[H]."""
        return self.metric.gains(self.statistics)

    def dense(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values of a few features as a matrix, float64[H, len(features)]; absent ones are 0."""
        place = np.full(len(self.space), -1, np.int64)
        place[features] = np.arange(len(features))
        column = place[self.rows.ids]
        row = np.repeat(np.arange(len(self.rows)), np.diff(self.rows.offsets))
        kept = column >= 0
        result = np.zeros((len(self.rows), len(features)))
        np.add.at(result, (row[kept], column[kept]), self.rows.values[kept])
        return result

    def scores(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Model scores of the hypotheses: float64[H]."""
        return self.rows.scores(weights)

    def best(self, weights: NDArray[np.float64]) -> NDArray[np.int64]:
        """Number of the best hypothesis of each sentence; of equal ones the first: int64[S]."""
        return np.asarray(first_best(self.scores(weights), self.sentence_offsets))

    def score(self, chosen: NDArray[np.int64]) -> float:
        """Metric of one hypothesis per sentence, in the reported unit. chosen: int64[S]."""
        return float(self.metric.score(self.statistics[chosen].sum(0)))

    def best_score(self, weights: NDArray[np.float64]) -> float:
        """Metric of the best hypotheses under weights float64[num_features]."""
        return self.score(self.best(weights))
