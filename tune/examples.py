"""Tuning examples: hypotheses with features and metric statistics, which optimizers learn from."""

from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import group_blocks, row_means, row_numbers, selected_offsets
from isogloss.align.arrays.row_choice import Rows, row_number, rows_chosen
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError, WrongTypeError, check_argument, counted
from isogloss.align.execution.calls import ExplainedClass, public
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


@public
@dataclass(frozen=True, eq=False)
class Examples(ComparedByContent, metaclass=ExplainedClass):
    """Sentences whose hypotheses have feature vectors and metric statistics.

    Parameters
    ----------
    sentences : ndarray of int64, shape (n_sentences,)
        Numbers of the sentences in the lists, increasing.
    sentence_offsets : ndarray of int64, shape (n_sentences + 1,)
        Hypotheses of each sentence, at least one.
    rows : Ragged
        Feature vectors over ``space``, one per hypothesis. Ids from ``len(space)`` on are the
        features of ``kept``.
    space : FeatureSpace
        Features whose weights are learned.
    statistics : ndarray of float64, shape (n_hypotheses, metric.num_statistics)
    metric : Metric
    empty : callable, default numpy.empty
        Allocates arrays with a row per hypothesis, also for selections.
    kept : ndarray of float64, shape (n_kept,)
        Fixed weights of features outside the space, which count in every score; default: none.

    Examples
    --------
    >>> from isogloss.tune.nbest.types import parse_nbest
    >>> text = "0 ||| a cat sat ||| LM0= -2 ||| 0\\n0 ||| the cat sat ||| LM0= -3 ||| 0"
    >>> references = References.from_sentences(["the cat sat"])
    >>> (examples := Examples.from_nbest(parse_nbest(text, "lists"), references, "wer"))
    Examples(1 sentence, 2 hypotheses, 1 feature, wer)
    >>> examples.best({"LM0": 1}).tolist(), round(examples.best_score({"LM0": 1}), 1)
    ([0], 33.3)
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

    def __getitem__(self, sentences: int | Rows) -> "Examples":
        """Some of the sentences, or one, as :meth:`select` does."""
        if isinstance(sentences, int | np.integer):
            return self.select(np.array([row_number(sentences, len(self), "sentence")]))
        return self.select(rows_chosen(sentences, len(self), "sentences"))

    @classmethod
    def from_nbest(
        cls,
        lists: NBest,
        references: References | None = None,
        metric: Metric | str = "bleu",
        *,
        threads: int = 1,
        empty: Empty = np.empty,
    ) -> "Examples":
        """Measure the hypotheses of n-best lists; sentences without any are left out.

        Parameters
        ----------
        lists : NBest
        references : References, optional
            References of the same sentences; default: those of the lists. A column needs none.
        metric : Metric or str, default "bleu"
        threads : int, default 1
            Does not change the result.
        empty : callable, default numpy.empty
            Allocates the arrays, such as ScratchArrays for lists that are larger than memory.

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
        """
        _check_lists(lists, references)
        metric = given_metric(metric)
        references = lists.references if references is None else references
        if references is not None and len(references) != len(lists):
            seen = f"there are references for {counted(len(references), 'sentence')}"
            raise DataError(seen, f"{len(lists)}, as in the lists")
        offsets = lists.sentence_offsets
        statistics = empty((len(lists.texts), metric.num_statistics), np.float64)
        for first, last in group_blocks(offsets, _BLOCK):
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
        """Return examples from statistics that are computed already.

        Sentences without hypotheses are left out.

        Parameters
        ----------
        lists : NBest
        statistics : ndarray of float64, shape (n_hypotheses, metric.num_statistics)
            The metric's statistics of each hypothesis.
        metric : Metric
        empty : callable, default numpy.empty
            Allocates the arrays of selections.

        Returns
        -------
        Examples

        Raises
        ------
        DataError
            If the statistics have another shape, or no sentence has a hypothesis.
        """
        if statistics.shape != (len(lists.texts), metric.num_statistics):
            raise DataError(
                f"the statistics have the shape {statistics.shape}",
                f"{(len(lists.texts), metric.num_statistics)}, a row of {metric.name} statistics "
                "for each hypothesis",
            )
        filled = np.flatnonzero(np.diff(lists.sentence_offsets))
        if not len(filled):
            raise DataError("no sentence has a hypothesis")
        offsets = np.append(lists.sentence_offsets[filled], lists.sentence_offsets[-1])
        return cls(filled, offsets, lists.rows, lists.space, statistics, metric, empty)

    def hypotheses(self, sentence: int) -> range:
        """Return the row numbers of a sentence's hypotheses.

        Parameters
        ----------
        sentence : int

        Returns
        -------
        range
        """
        begin, end = self.sentence_offsets[sentence : sentence + 2].tolist()
        return range(begin, end)

    def sentence_rows(self, sentence: int) -> Ragged:
        """Return the feature vectors of a sentence's hypotheses.

        Parameters
        ----------
        sentence : int

        Returns
        -------
        Ragged
        """
        numbers = self.hypotheses(sentence)
        return self.rows.part(numbers.start, numbers.stop)

    def select(self, sentences: NDArray[np.int64]) -> "Examples":
        """Return some of the sentences, in increasing order.

        Parameters
        ----------
        sentences : ndarray of int64, shape (n_selected,)
            Positions within these examples, from 0.

        Returns
        -------
        Examples
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
        """Return the examples over another feature space.

        Parameters
        ----------
        space : FeatureSpace
            Features outside it are dropped, except those kept.
        keeping : Weights, optional
            Fixed weights of sparse features outside the space, which still count in every score;
            default: none. Use it to evaluate weights that were mostly learned on other examples.

        Returns
        -------
        Examples
        """
        if space is self.space:
            return self
        numbers, kept = places_beside(space, self.space, keeping)
        behind = len(space) + len(kept) + np.arange(len(self.kept), dtype=np.int32)
        rows = self.rows.renumbered(np.concatenate([numbers, behind]), self.empty)
        return replace(self, rows=rows, space=space, kept=np.concatenate([kept, self.kept]))

    @cached_property
    def gains(self) -> NDArray[np.float64]:
        """Sentence metric, higher is better: ndarray of float64, shape (n_hypotheses,)."""
        result = self.empty(len(self.statistics), np.float64)
        for begin in range(0, len(result), _BLOCK):
            part = slice(begin, begin + _BLOCK)
            result[part] = self.metric.gains(self.statistics[part])
        return result

    def dense(self, features: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of some features as a matrix.

        Parameters
        ----------
        features : ndarray of int64, shape (n_features,)
            Ids in the space.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses, n_features)
            0 for features that a hypothesis lacks.
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
            f"Examples({counted(len(self), 'sentence')}, {counted(len(self.rows), 'hypothesis')}, "
            f"{counted(len(self.space), 'feature')}, {self.metric.name})"
        )

    def scores(
        self, weights: GivenWeights | NDArray[np.float64], scale: float = 1.0
    ) -> NDArray[np.float64]:
        """Return the model score of each hypothesis.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
            By name, or an array in the order of the space.
        scale : float, default 1.0
            Factor of the kept weights, see :class:`isogloss.tune.TuningResult`.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return self.rows.scores(values_over(weights, self.space, scale * self.kept))

    def best(
        self, weights: GivenWeights | NDArray[np.float64], scale: float = 1.0
    ) -> NDArray[np.int64]:
        """Return the number of the best hypothesis of each sentence.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
            By name, or an array in the order of the space.
        scale : float, default 1.0
            Factor of the kept weights.

        Returns
        -------
        ndarray of int64, shape (n_sentences,)
            Row numbers; ties go to the first hypothesis.
        """
        values = values_over(weights, self.space, scale * self.kept)
        result = np.empty(len(self), np.int64)
        for first, last in group_blocks(self.sentence_offsets, _BLOCK):
            bounds = self.sentence_offsets[first : last + 1]
            scores = self.rows.scores(values, int(bounds[0]), int(bounds[-1]))
            result[first:last] = bounds[0] + first_best(scores, bounds - bounds[0])
        return result

    def score(self, chosen: NDArray[np.int64]) -> float:
        """Return the metric of one hypothesis per sentence.

        Parameters
        ----------
        chosen : ndarray of int64, shape (n_sentences,)
            Row numbers of the hypotheses.

        Returns
        -------
        float
            Corpus score in the metric's reported unit.
        """
        what, remedy = "an array of row numbers", "best_score(weights) for weights"
        check_argument(chosen, (list, np.ndarray), "chosen", what, remedy)
        return float(self.metric.score(self.statistics[chosen].sum(0)))

    def best_score(self, weights: GivenWeights | NDArray[np.float64], scale: float = 1.0) -> float:
        """Return the metric of the best hypotheses under some weights.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
        scale : float, default 1.0
            As for :meth:`scores`.

        Returns
        -------
        float
            Corpus score in the metric's reported unit.
        """
        return self.score(self.best(weights, scale))

    def check_learnable(self) -> None:
        """Raise UsageError if examples keep fixed weights: use such for evaluation only."""
        if len(self.kept):
            raise UsageError(
                f"examples with fixed weights of {counted(len(self.kept), 'feature')} cannot be "
                "used for tuning; pass examples over all features"
            )

    def random_score(self) -> float:
        """Return the metric of expected statistics under uniform choice."""
        expected = row_means(self.statistics, self.sentence_offsets).sum(0)
        return float(self.metric.score(expected))


def _check_lists(lists: object, references: object) -> None:
    """Raise WrongTypeError for what are no lists, or no references."""
    if isinstance(lists, References) and isinstance(references, NBest):
        raise WrongTypeError(
            "lists and references are swapped; use from_nbest(lists, references, metric)"
        )
    check_argument(lists, NBest, "lists", "NBest", "read_nbest(files)")
    if references is not None:
        check_references(references)
