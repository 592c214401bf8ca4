"""Spans: labeled stretches of the words of sentences, such as names, as ragged columns."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import offsets_of, row_numbers, select_rows
from ..arrays.row_choice import Rows, row_number, rows_chosen
from ..errors import DataError, WrongTypeError, pluralize
from ..execution.calls import ExplainedClass, public
from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular

__all__ = ["Parts", "Span", "Spans", "joined_parts"]

Parts = tuple[tuple[int, int], ...]


class Span(NamedTuple):
    """A labeled span of a sentence.

    Parameters
    ----------
    parts : tuple of (int, int)
        First word of each part, counted from 0, and the word after its last one. A discontinuous
        span has several parts.
    label : str
    confidence : float, optional
        From 0 to 1; None if it is unknown.

    Examples
    --------
    >>> import isogloss as ig
    >>> span = ig.Spans.from_sentences([[(0, 2, "PER")]])[0][0]
    >>> span.start, span.end, span.label
    (0, 2, 'PER')
    """

    parts: Parts
    label: str
    confidence: float | None = None

    @property
    def start(self) -> int:
        """Position of the first word."""
        return self.parts[0][0]

    @property
    def end(self) -> int:
        """Position after the last word."""
        return self.parts[-1][1]


def joined_parts(parts: Iterable[tuple[int, int]]) -> Parts:
    """The parts in their order, those joined that touch or overlap."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(parts):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)


@public
@dataclass(frozen=True, eq=False, repr=False)
class Spans(ComparedByContent, Tabular, metaclass=ExplainedClass):
    """Labeled spans of sentences: a sequence of lists of :class:`Span`.

    ``spans[3]`` is the list of a sentence; ``spans[10:20]``, ``spans[mask]`` and ``spans[[4, 2]]``
    are spans of some sentences. Spans may overlap and be nested.

    Parameters
    ----------
    start, end : ndarray of int32, shape (n_parts,)
        First word of each part, and the word after its last one.
    part_offsets : ndarray of int64, shape (n_spans + 1,)
        Span k has the parts ``part_offsets[k]:part_offsets[k + 1]``, at least one. Parts are in
        increasing order and don't touch.
    label : ndarray of int32, shape (n_spans,)
        Index into ``labels``.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Sentence k has the spans ``offsets[k]:offsets[k + 1]``.
    labels : tuple of str
        Names, each once.
    confidence : ndarray of float32, shape (n_spans,), default None
        From 0 to 1; None if it is unknown.

    Raises
    ------
    ValueError
        If the arrays don't fit together.

    Examples
    --------
    >>> from isogloss.align import Spans
    >>> spans = Spans.from_sentences([[(0, 2, "PER"), (4, 5, "LOC")], []])
    >>> spans[0][1]
    Span(parts=((4, 5),), label='LOC', confidence=None)
    >>> len(spans), spans.labels
    (2, ('PER', 'LOC'))
    """

    start: NDArray[np.int32]
    end: NDArray[np.int32]
    part_offsets: NDArray[np.int64]
    label: NDArray[np.int32]
    offsets: NDArray[np.int64]
    labels: tuple[str, ...]
    confidence: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        num_spans = len(self.label)
        if len(self.part_offsets) != num_spans + 1 or self.offsets[-1] != num_spans:
            raise ValueError("spans must have one label each and end at the last offset")
        if self.confidence is not None and len(self.confidence) != num_spans:
            raise ValueError("either all spans have a confidence or none has")
        if not len(self.start) == len(self.end) == self.part_offsets[-1]:
            raise ValueError("parts of spans must end at the last offset")
        if (np.diff(self.part_offsets) < 1).any():
            raise ValueError("a span must have at least one part")
        if (self.start < 0).any() or (self.end <= self.start).any():
            raise ValueError("a part of a span must have at least one word")
        owner = row_numbers(self.part_offsets)
        if ((self.start[1:] <= self.end[:-1]) & (owner[1:] == owner[:-1])).any():
            raise ValueError("the parts of a span must be increasing and separate")
        if len(set(self.labels)) != len(self.labels):
            raise ValueError("labels of spans must be unique")
        if num_spans and not 0 <= self.label.min() <= self.label.max() < len(self.labels):
            raise ValueError("the label of a span must be an index into the labels")

    @classmethod
    def from_sentences(cls, sentences: Iterable[Iterable[Span | tuple[int, int, str]]]) -> "Spans":
        """Build spans from lists, one list per sentence.

        Parameters
        ----------
        sentences : iterable of iterables of Span or (start, end, label)
            ``start`` is the first word, counted from 0, and ``end`` the word after the last one.

        Returns
        -------
        Spans
            With confidence if each span has it.

        Raises
        ------
        WrongTypeError
            If a label isn't a string.
        """
        rows = [[_span(span) for span in spans] for spans in sentences]
        flat = [span for spans in rows for span in spans]
        parts = np.array([part for span in flat for part in span.parts], np.int32).reshape(-1, 2)
        numbers: dict[str, int] = {}
        label = np.array([numbers.setdefault(span.label, len(numbers)) for span in flat], np.int32)
        sure = [span.confidence for span in flat]
        scored = bool(sure) and None not in sure
        return cls(
            parts[:, 0].copy(),
            parts[:, 1].copy(),
            offsets_of([len(span.parts) for span in flat]),
            label,
            offsets_of([len(spans) for spans in rows]),
            tuple(numbers),
            np.array(sure, np.float32) if scored else None,
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> list[Span]: ...
    @overload
    def __getitem__(self, number: Rows) -> "Spans": ...
    def __getitem__(self, number: int | Rows) -> "list[Span] | Spans":
        if not isinstance(number, int | np.integer):
            return self.select(*select_rows(self.offsets, rows_chosen(number, len(self), "spans")))
        number = row_number(number, len(self), "sentence")
        return [self._span(row) for row in range(*self.offsets[number : number + 2].tolist())]

    def __iter__(self) -> Iterator[list[Span]]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        scored = "" if self.confidence is None else " with confidence"
        labels = f"; labels: {', '.join(self.labels[:8])}" if self.labels else ""
        return f"Spans({len(self):,} sentences, {len(self.label):,} spans{scored}{labels})"

    def _span(self, row: int) -> Span:
        begin, end = self.part_offsets[row : row + 2].tolist()
        parts = zip(self.start[begin:end].tolist(), self.end[begin:end].tolist(), strict=True)
        sure = None if self.confidence is None else float(self.confidence[row])
        return Span(tuple(parts), self.labels[self.label[row]], sure)

    def table_columns(self) -> dict[str, Column]:
        """Return the columns of the table of spans, one row per part of a span.

        Returns
        -------
        dict
            sentence, span (numbered through all sentences), label, start, end, and confidence if
            it is known.
        """
        span = row_numbers(self.part_offsets)
        columns: dict[str, Column] = {
            "sentence": row_numbers(self.offsets)[span],
            "span": span,
            "label": NamedNumbers(self.label[span], self.labels),
            "start": self.start,
            "end": self.end,
        }
        if self.confidence is not None:
            columns["confidence"] = self.confidence[span]
        return columns

    def select(self, rows: NDArray[np.int64], offsets: NDArray[np.int64]) -> "Spans":
        """Return some spans, grouped into sentences anew.

        Parameters
        ----------
        rows : ndarray of int64, shape (n_rows,)
            Numbers of spans.
        offsets : ndarray of int64, shape (n_sentences + 1,)
            Sentence k gets the spans ``rows[offsets[k]:offsets[k + 1]]``.

        Returns
        -------
        Spans
        """
        places, part_offsets = select_rows(self.part_offsets, rows)
        return Spans(
            self.start[places],
            self.end[places],
            part_offsets,
            self.label[rows],
            offsets,
            self.labels,
            None if self.confidence is None else self.confidence[rows],
        )

    def check_range(
        self,
        lengths: NDArray[np.int64],
        file: str | Path | None = None,
    ) -> None:
        """Check that each span is inside its sentence.

        Parameters
        ----------
        lengths : ndarray of int64, shape (n_sentences,)
            Words of each sentence.
        file : str or Path, optional
            File that the error names.

        Raises
        ------
        DataError
            If a span is outside, or there are more or fewer sentences.
        """
        if len(self) != len(lengths):
            raise DataError(
                f"the annotations have {pluralize(len(self), 'sentence')}",
                f"{len(lengths)}, one per sentence of the text",
                file=file, remedy="Pass the annotations of this text",
            )  # fmt: skip
        sentence = row_numbers(self.offsets)[row_numbers(self.part_offsets)]
        bad = self.end > lengths[sentence]
        if bad.any():
            row = int(np.argmax(bad))
            line = int(sentence[row])
            raise DataError(
                f"a span covers the words {self.start[row]} to {self.end[row]}, but the sentence "
                f"has {pluralize(lengths[line], 'word')}",
                "spans within the sentence",
                file=file,
                line=line + 1,
                remedy="Word positions are 0-based, and the end is exclusive",
            )


def _span(span: Span | tuple[int, int, str]) -> Span:
    if isinstance(span, Span):
        return span._replace(parts=joined_parts(span.parts))
    start, end, label = span
    if not isinstance(label, str):
        raise WrongTypeError(f"the label of a span must be a string, not {label!r}")
    return Span(((start, end),), label)
