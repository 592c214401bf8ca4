"""The columns of n-best lists, their hypotheses one by one, and the table that they are."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import index
from typing import NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import offsets_of, positions_within, row_numbers, slice_rows
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import WrongTypeError, counted, pluralize
from isogloss.align.files.tables.columns import Column, NamedNumbers, StringBlock, ValueLists
from isogloss.align.files.tables.html import html_table
from isogloss.align.files.tables.tabular import Tabular
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace

from ..kernels.best import first_best
from ..references import References
from ..weights.given import GivenWeights, values_over
from .records.originals import Originals

__all__ = ["Hypothesis", "HypothesisLists", "hypothesis_columns"]

_ROWS, _COLUMNS = 10, 12  # of a table in a notebook
_SHOWN_TEXT, _SHOWN_FEATURES = 60, 5  # characters and features of a hypothesis in a repr


class Hypothesis(NamedTuple):
    """One translation of a sentence.

    Attributes
    ----------
    text : str
    features : dict of float
        Values by name in the order of the list; repeated names are summed.
    columns : dict of float
        Metrics of a JSONL list by name.
    """

    text: str
    features: dict[str, float]
    columns: dict[str, float]

    def __repr__(self) -> str:
        cut = "..." if len(self.text) > _SHOWN_TEXT else ""
        values = [f"{name}={value:g}" for name, value in self.features.items()]
        more = ["..."] if len(values) > _SHOWN_FEATURES else []
        metrics = [f"{name}={value:g}" for name, value in self.columns.items()]
        parts = [repr(self.text[:_SHOWN_TEXT]) + cut, *values[:_SHOWN_FEATURES], *more, *metrics]
        return f"Hypothesis({', '.join(parts)})"


@dataclass(frozen=True, eq=False)
class HypothesisLists(Tabular, ComparedByContent):
    """Hypotheses of sentences 0..n-1; :class:`.types.NBest` reads and writes them.

    sentence_offsets: int64[num_sentences + 1]; columns: float64[num_hypotheses] each; places:
    int32[num_hypotheses]. The docstring of :class:`.types.NBest` describes the fields.
    """

    sentence_offsets: NDArray[np.int64]
    texts: Texts
    rows: Ragged
    space: FeatureSpace
    columns: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    names: tuple[str, ...] | None = field(default=None, compare=False)  # see __eq__
    references: References | None = None
    sources: Texts | None = None
    places: NDArray[np.int32] | None = None
    originals: Originals | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.sentence_offsets[-1] != len(self.texts) or len(self.rows) != len(self.texts):
            raise ValueError("each hypothesis needs one text and one feature row")

    def __len__(self) -> int:
        return len(self.sentence_offsets) - 1

    def __eq__(self, other: object) -> bool:
        """Whether the hypotheses and the ids of sentences are equal, in whatever format."""
        same = super().__eq__(other)
        if same is not True or not isinstance(other, HypothesisLists):
            return same
        numbers = tuple(map(str, range(len(self))))
        return (self.names or numbers) == (other.names or numbers)

    __hash__ = None

    @overload
    def __getitem__(self, sentence: int) -> list[Hypothesis]: ...

    @overload
    def __getitem__(self, sentence: slice) -> Self: ...

    def __getitem__(self, sentence: int | slice) -> list[Hypothesis] | Self:
        """The hypotheses of one sentence, or the lists of consecutive ones, as :meth:`part` does.

        Raises IndexError where there is no such sentence, WrongTypeError for what is no number, and
        for a slice with a step.
        """
        if isinstance(sentence, slice):
            first, last, step = sentence.indices(len(self))
            if step != 1:
                raise WrongTypeError(
                    f"a slice of n-best lists must have no step, got {step}; use "
                    "[nbest[number] for number in numbers] for other sentences"
                )
            return self.part(first, max(first, last))
        if not hasattr(sentence, "__index__"):
            raise WrongTypeError(f"the number of a sentence must be an integer, got {sentence!r}")
        sentence = index(sentence)
        if not -len(self) <= sentence < len(self):
            raise IndexError(
                f"sentence {sentence} is out of range for {pluralize(len(self), 'sentence')}"
            )
        return [self._hypothesis(row) for row in self.hypotheses(sentence % len(self))]

    def __iter__(self) -> Iterator[list[Hypothesis]]:
        return (self[sentence] for sentence in range(len(self)))

    def _repr_html_(self) -> str:
        names = [*self.space.names[: self.space.num_dense][:_COLUMNS], *self.columns]
        rows: list[tuple[object, ...]] = []
        for sentence, begin in enumerate(self.sentence_offsets[:-1].tolist()):
            if len(rows) == _ROWS or begin == len(self.texts):
                break
            one = self._hypothesis(begin)
            values = one.features | one.columns
            rows.append((sentence, one.text, *(values.get(name, 0.0) for name in names)))
        title = f"{len(self):,} sentences, {len(self.texts):,} hypotheses; the first of each list"
        header = ("sentence", "text", *names)
        return html_table(f"{type(self).__name__}: {title}", header, rows, len(self) - len(rows))

    def __repr__(self) -> str:
        num_dense = self.space.num_dense
        sizes = (
            f"{counted(len(self), 'sentence')}, {counted(len(self.texts), 'hypothesis')}, "
            f"{num_dense:,} dense and {len(self.space) - num_dense:,} sparse features"
        )
        first = f"; first: {self._hypothesis(0)!r}" if len(self.texts) else ""
        return f"{type(self).__name__}({sizes}{first})"

    def _hypothesis(self, row: int) -> Hypothesis:
        begin, end = self.rows.offsets[row : row + 2].tolist()
        features: dict[str, float] = {}
        for number, value in zip(
            self.rows.ids[begin:end].tolist(), self.rows.values[begin:end].tolist(), strict=True
        ):
            name = self.space.names[number]
            features[name] = features.get(name, 0.0) + value
        columns = {name: float(values[row]) for name, values in self.columns.items()}
        return Hypothesis(self.texts[row], features, columns)

    def table_columns(self) -> dict[str, Column]:
        """Return the columns of :func:`hypothesis_columns`, a row per hypothesis."""
        return hypothesis_columns(
            self.sentence_offsets, self.names, self.texts, self.rows, self.space, self.columns
        )

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
        hypotheses = self.hypotheses(sentence)
        return self.rows.part(hypotheses.start, hypotheses.stop)

    def part(self, first: int, last: int) -> Self:
        """Return the lists of consecutive sentences as views.

        Parameters
        ----------
        first, last : int
            Sentences [first, last).

        Returns
        -------
        NBest
        """
        rows, offsets = slice_rows(self.sentence_offsets, first, last)
        begin, end = int(rows.start), int(rows.stop)
        sentences = np.arange(first, last)
        return type(self)(
            offsets,
            self.texts.part(begin, end),
            self.rows.part(begin, end),
            self.space,
            {name: values[rows] for name, values in self.columns.items()},
            tuple(map(str, sentences.tolist())) if self.names is None else self.names[first:last],
            None if self.references is None else self.references.select(sentences),
            None if self.sources is None else self.sources.select(sentences),
            None if self.places is None else self.places[rows],
            self.originals and self.originals.part(sentences, begin, end),
        )

    def scores(self, weights: GivenWeights | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the model score of each hypothesis.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
            By name, or an array in the order of the space.

        Returns
        -------
        ndarray of float64, shape (n_hypotheses,)
        """
        return self.rows.scores(values_over(weights, self.space))

    def best(self, weights: GivenWeights | NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the number of the best hypothesis of each sentence.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
            By name, or an array in the order of the space.

        Returns
        -------
        ndarray of int64, shape (n_sentences,)
            Row numbers, -1 for a sentence without hypotheses; ties go to the first hypothesis.
        """
        return np.asarray(first_best(self.scores(weights), self.sentence_offsets))

    def rerank(self, weights: GivenWeights | NDArray[np.float64], nbest_size: int = 0) -> Self:
        """Return the lists in the order of the scores under some weights, best first.

        Parameters
        ----------
        weights : Weights, dict of float or ndarray of float64, shape (n_features,)
            By name, or an array in the order of the space.
        nbest_size : int, default 0
            Maximum number of hypotheses per sentence; 0 = all.

        Returns
        -------
        NBest

        Raises
        ------
        UsageError
            If a dict names a feature that the lists don't have.

        Examples
        --------
        >>> from isogloss.tune.nbest.types import parse_nbest
        >>> lists = parse_nbest("0 ||| bad ||| LM0= -9 ||| 0\\n0 ||| good ||| LM0= -2 ||| 0", "-")
        >>> lists.rerank({"LM0": 1})[0][0].text
        'good'
        """
        order = self.ranked(self.scores(weights), nbest_size)
        rows = np.concatenate([np.zeros(0, np.int64), *order])
        originals = self.originals
        if originals is not None:
            originals = replace(originals, hypotheses=originals.hypotheses.select(rows))
        return replace(
            self,
            sentence_offsets=offsets_of([len(part) for part in order]),
            texts=self.texts.select(rows),
            rows=self.rows.select(rows),
            columns={name: values[rows] for name, values in self.columns.items()},
            places=None if self.places is None else self.places[rows],
            originals=originals,
        )

    def ranked(self, scores: NDArray[np.float64], nbest_size: int = 0) -> list[NDArray[np.int64]]:
        """Return the hypotheses of each sentence, best first.

        Parameters
        ----------
        scores : ndarray of float64, shape (n_hypotheses,)
        nbest_size : int, default 0
            Maximum number of hypotheses per sentence; 0 = all.

        Returns
        -------
        list of ndarray of int64, shape (n_kept,)
            Row numbers; ties stay in the order of the list.
        """
        order = []
        for sentence in range(len(self)):
            rows = self.hypotheses(sentence)
            by_score = rows.start + np.argsort(-scores[rows.start : rows.stop], kind="stable")
            order.append(by_score[: nbest_size or None])
        return order


def hypothesis_columns(
    sentence_offsets: NDArray[np.int64],
    names: Sequence[str] | None,
    texts: Texts,
    rows: Ragged,
    space: FeatureSpace,
    further: Mapping[str, NDArray[np.float64]],
) -> dict[str, Column]:
    """Columns of n-best lists: sentence, rank, text, each dense feature, each further number,
    and ``sparse``, lists of the names and values of sparse features, where there are any.

    A name that is taken becomes ``feature:NAME`` or ``column:NAME``.

    sentence_offsets: int64[num_sentences + 1]; further: float64[num_hypotheses] each
    names: of the sentences; texts, rows: of the hypotheses
    """
    sentence = row_numbers(sentence_offsets)
    columns: dict[str, Column] = {
        "sentence": sentence,
        "rank": positions_within(sentence_offsets),
        "text": StringBlock(texts.content, texts.offsets),
    }
    if names is not None:
        columns["sentence"] = NamedNumbers(sentence.astype(np.int32), names)
    taken = {*columns, "sparse"}
    for number, values in enumerate(_dense_values(rows, space.num_dense)):
        name = space.names[number]
        columns[f"feature:{name}" if name in taken else name] = values
    for name, column in further.items():
        columns[f"column:{name}" if name in columns or name in taken else name] = column
    if len(space) > space.num_dense:
        columns["sparse"] = _sparse_lists(rows, space)
    return columns


def _dense_values(rows: Ragged, num_dense: int) -> NDArray[np.float64]:
    """Values of the dense features, a row each: float64[num_dense, num_hypotheses]."""
    row = row_numbers(rows.offsets)
    is_dense = rows.ids < num_dense
    place = rows.ids[is_dense].astype(np.int64) * len(rows) + row[is_dense]
    total = np.bincount(place, rows.values[is_dense], minlength=num_dense * len(rows))
    return total.astype(np.float64).reshape(num_dense, len(rows))


def _sparse_lists(rows: Ragged, space: FeatureSpace) -> ValueLists:
    """The sparse features of each hypothesis, in the order of the list."""
    num_dense = space.num_dense
    is_sparse = rows.ids >= num_dense
    sizes = np.bincount(row_numbers(rows.offsets)[is_sparse], minlength=len(rows))
    names = [space.names[number] for number in range(num_dense, len(space))]
    numbers = NamedNumbers(rows.ids[is_sparse] - np.int32(num_dense), names)
    return ValueLists(numbers, rows.values[is_sparse], offsets_of(sizes))
