"""Tuning examples: hypotheses with features and metric statistics, which optimizers learn from."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import row_means, row_numbers, selected_offsets
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError, WrongTypeError, check_argument
from isogloss.align.files.scratch import Empty
from isogloss.align.kernels.ragged import copy_spans
from isogloss.features.space import FeatureSpace

from .kernels.best import first_best
from .metrics.names import given_metric
from .metrics.protocol import Metric
from .nbest.types import NBest
from .references import References, check_references
from .weights.given import GivenWeights, places_beside, values_over
from .weights.weights import Weights

__all__ = ["Examples"]

_BLOCK = 1 << 17  # hypotheses that are measured or scored at a time


@dataclass(frozen=True, eq=False)
class Examples(ComparedByContent):
    """Sentences with at least one hypothesis each; S sentences, H hypotheses.

    sentences: int64[S], their numbers in the list they come from, increasing
    sentence_offsets: int64[S + 1], hypotheses of each sentence
    rows: feature vectors over ``space``, one per hypothesis; numbers behind it are of features
        that nothing is learned of, see :meth:`over`
    statistics: float64[H, metric.num_statistics]
    empty: makes the arrays that grow with H, those of selections included
    kept: float64[k], weights of the features behind the space, which count in every score
    """

    sentences: NDArray[np.int64]
    sentence_offsets: NDArray[np.int64]
    rows: Ragged
    space: FeatureSpace
    statistics: NDArray[np.float64]
    metric: Metric
    empty: Empty = np.empty
    kept: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def __post_init__(self) -> None:
        num_hypotheses = self.sentence_offsets[-1]
        if len(self.rows) != num_hypotheses or len(self.statistics) != num_hypotheses:
            raise ValueError("each hypothesis needs one feature row and one row of statistics")
        if len(self.sentences) != len(self) or (np.diff(self.sentence_offsets) < 1).any():
            raise ValueError("every sentence needs a hypothesis")

    def __len__(self) -> int:
        return len(self.sentence_offsets) - 1

    @classmethod
    def from_nbest(
        cls,
        lists: NBest,
        references: References | None,
        metric: Metric | str,
        *,
        threads: int = 1,
        empty: Empty = np.empty,
    ) -> "Examples":
        """Measure the hypotheses of n-best lists; sentences without any are left out.

        Parameters
        ----------
        lists : NBest
            The hypotheses.
        references : References or None
            Of the same sentences; None: those that the lists hold.
        metric : Metric or str
            A metric, or its name.
        threads : int, default 1
            They change no result.
        empty : callable, default numpy.empty
            Makes the arrays, such as ScratchArrays for lists that are larger than memory.

        Returns
        -------
        Examples

        Raises
        ------
        DataError
            If lists and references differ in number, no sentence has a hypothesis, or the metric
            lacks what it needs.
        WrongTypeError
            If an argument is of another type.

        Examples
        --------
        >>> from isogloss.tune.nbest.types import parse_nbest
        >>> lists = parse_nbest("0 ||| a cat sat ||| LM0= -2 ||| 0", "lists")
        >>> Examples.from_nbest(lists, References.from_sentences(["the cat sat"]), "ter")
        Examples(1 sentences, 1 hypotheses, 1 features, ter)
        """
        _check_lists(lists, references)
        metric = given_metric(metric)
        references = lists.references if references is None else references
        if references is not None and len(references) != len(lists):
            raise DataError(
                f"there are references for {len(references)} sentences",
                f"{len(lists)}, as in the lists",
            )
        offsets = lists.sentence_offsets
        statistics = empty((len(lists.texts), metric.num_statistics), np.float64)
        for first, last in _blocks(offsets):
            chosen_references = (
                None if references is None else references.select(np.arange(first, last))
            )
            statistics[offsets[first] : offsets[last]] = metric.statistics(
                lists.part(first, last), chosen_references, threads=threads
            )
        return cls.from_statistics(lists, statistics, metric, empty=empty)

    @classmethod
    def from_statistics(
        cls,
        lists: NBest,
        statistics: NDArray[np.float64],
        metric: Metric,
        *,
        empty: Empty = np.empty,
    ) -> "Examples":
        """Hypotheses measured elsewhere; sentences without any are left out.

        statistics: float64[num_hypotheses, metric.num_statistics]

        Raises DataError for statistics of another metric, and for lists without any hypothesis.
        """
        if statistics.shape != (len(lists.texts), metric.num_statistics):
            raise DataError(
                f"the statistics have the shape {statistics.shape}",
                f"{(len(lists.texts), metric.num_statistics)}, a row of {metric.name} statistics "
                "for each hypothesis",
            )
        filled = np.flatnonzero(np.diff(lists.sentence_offsets))
        if not len(filled):
            raise DataError("no sentence has a hypothesis", "at least one hypothesis")
        offsets = np.append(lists.sentence_offsets[filled], lists.sentence_offsets[-1])
        return cls(filled, offsets, lists.rows, lists.space, statistics, metric, empty)

    def hypotheses(self, sentence: int) -> range:
        """Numbers of the hypotheses of one sentence."""
        begin, end = self.sentence_offsets[sentence : sentence + 2].tolist()
        return range(begin, end)

    def sentence_rows(self, sentence: int) -> Ragged:
        """Feature vectors of the hypotheses of one sentence."""
        numbers = self.hypotheses(sentence)
        return self.rows.part(numbers.start, numbers.stop)

    def select(self, sentences: NDArray[np.int64]) -> "Examples":
        """Some sentences, in increasing order.

        sentences: int64[s], their numbers, counted from 0 within these examples
        """
        chosen = np.sort(sentences)
        bounds, width = self.sentence_offsets, self.statistics.shape[1]
        offsets = selected_offsets(bounds, chosen)
        statistics = self.empty((int(offsets[-1]), width), np.float64)
        copy_spans(self.statistics.reshape(-1), bounds * width, chosen, statistics.reshape(-1))
        return replace(
            self,
            sentences=self.sentences[chosen],
            sentence_offsets=offsets,
            rows=self.rows.select_groups(bounds, chosen, self.empty),
            statistics=statistics,
        )

    def to_space(self, space: FeatureSpace, keeping: Weights | None = None) -> "Examples":
        """The same examples over another space; features that it doesn't hold are left out.

        keeping: weights of sparse features that the space lacks; these are kept, and count in
            scores whatever is learned, as where examples are judged by weights most of which were
            learned on others
        """
        if space is self.space:
            return self
        numbers, kept = places_beside(space, self.space, keeping)
        behind = len(space) + len(kept) + np.arange(len(self.kept), dtype=np.int32)
        rows = self.rows.renumbered(np.concatenate([numbers, behind]), self.empty)
        return replace(self, rows=rows, space=space, kept=np.concatenate([kept, self.kept]))

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Sentence metric of each hypothesis on its own, higher is better: float64[H]."""
        result = self.empty(len(self.statistics), np.float64)
        for begin in range(0, len(result), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            result[part] = self.metric.gains(self.statistics[part])
        return result

    def dense(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Values of a few features as a matrix: float64[H, k], 0 where a hypothesis has none.

        features: int64[k], ids in the space
        """
        column_of = np.full(len(self.space) + len(self.kept), -1, np.int64)
        column_of[features] = np.arange(len(features))
        result = self.empty((len(self.rows), len(features)), np.float64)
        for begin in range(0, len(result), _BLOCK):
            block = result[begin : begin + _BLOCK]
            rows = self.rows.part(begin, begin + len(block))
            column = column_of[rows.ids]
            row = row_numbers(rows.offsets)
            kept = column >= 0
            block[:] = 0.0
            np.add.at(block, (row[kept], column[kept]), rows.values[kept])
        return result

    def __repr__(self) -> str:
        return (
            f"Examples({len(self):,} sentences, {len(self.rows):,} hypotheses, "
            f"{len(self.space):,} features, {self.metric.name})"
        )

    def scores(
        self, weights: GivenWeights | NDArray[np.float64], scale: float = 1.0
    ) -> NDArray[np.float64]:
        """Model scores of the hypotheses: float64[H].

        weights: float64[num_features], or Weights or a dict, which are carried over by name
        scale: a factor of the weights that are kept, as these have it, see `isogloss.tune.results`
        """
        return self.rows.scores(values_over(weights, self.space, scale * self.kept))

    def best(
        self, weights: GivenWeights | NDArray[np.float64], scale: float = 1.0
    ) -> NDArray[np.int64]:
        """Number of the best hypothesis of each sentence; of equal ones the first: int64[S].

        weights: float64[num_features], or Weights or a dict by name; scale: as of :meth:`scores`
        """
        values = values_over(weights, self.space, scale * self.kept)
        result = np.empty(len(self), np.int64)
        for first, last in _blocks(self.sentence_offsets):
            bounds = self.sentence_offsets[first : last + 1]
            scores = self.rows.scores(values, int(bounds[0]), int(bounds[-1]))
            result[first:last] = bounds[0] + first_best(scores, bounds - bounds[0])
        return result

    def score(self, chosen: NDArray[np.int64]) -> float:
        """Metric of one hypothesis per sentence, in the reported unit. chosen: int64[S]."""
        return float(self.metric.score(self.statistics[chosen].sum(0)))

    def best_score(self, weights: GivenWeights | NDArray[np.float64], scale: float = 1.0) -> float:
        """Metric of the best hypotheses under some weights, in the reported unit.

        weights: float64[num_features], or Weights or a dict by name; scale: as of :meth:`scores`
        """
        return self.score(self.best(weights, scale))

    def check_learnable(self) -> None:
        """Raise UsageError where features keep their weights: such examples are to judge by."""
        if len(self.kept):
            raise UsageError(
                f"examples with fixed weights of {len(self.kept)} features cannot be used for "
                "tuning; pass examples over all features"
            )

    def random_score(self) -> float:
        """Metric of expected statistics, every hypothesis of a sentence being as likely."""
        expected = row_means(self.statistics, self.sentence_offsets).sum(0)
        return float(self.metric.score(expected))


def _check_lists(lists: object, references: object) -> None:
    """Raise WrongTypeError for what are no lists, or no references."""
    if isinstance(lists, References) and isinstance(references, NBest):
        raise WrongTypeError("lists and references are exchanged; the lists come first")
    check_argument(lists, NBest, "lists", "NBest", "read_nbest(files)")
    if references is not None:
        check_references(references)


def _blocks(offsets: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Ranges of sentences with up to ``_BLOCK`` hypotheses, or of one sentence.

    offsets: int64[S + 1], hypotheses of each sentence
    """
    first = 0
    while first < len(offsets) - 1:
        reached = int(np.searchsorted(offsets, offsets[first] + _BLOCK, "right")) - 1
        last = max(first + 1, reached)
        yield first, last
        first = last
