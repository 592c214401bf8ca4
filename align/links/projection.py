"""Spans of one side of a text carried over to the other one by the links of its words.

The words that a part of a span is linked to are its words there, less those that lie far from the
most of them; a policy says what becomes of holes between them. Where two spans claim a word, the
surer one has it. See docs/howto/project-annotations.md.
"""

from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import offsets_of, row_numbers, run_starts, span_entries
from ..errors import MAX_INT, check_options, check_types
from ..execution.calls import ExplainedClass, public
from ..execution.keywords import chosen_options
from ..files.tables.columns import Column, NamedNumbers
from ..files.tables.tabular import Tabular
from .formats.kernels.pharaoh import LONGEST, SOURCE_SHIFT
from .links import Links
from .projection_conflicts import settle_conflicts
from .projection_gaps import bridge_unlinked
from .spans import Spans

__all__ = [
    "GAPS", "STATUSES", "UNLINKED", "Projection", "ProjectionCounts", "ProjectionOptions",
    "project",
]  # fmt: skip

STATUSES = ("projected", "no link", "overlap", "low confidence")
GAPS = ("fill", "keep", "largest")
UNLINKED = ("drop", "extend")
_ROW = 2 * LONGEST  # above any position, so that rows of sorted keys never touch


@public
@dataclass(frozen=True)
class ProjectionOptions(metaclass=ExplainedClass):
    """Options of :func:`project`.

    Parameters
    ----------
    gaps : {"fill", "keep", "largest"}, default "fill"
        Unlinked words between linked words: make them part of the span, split the span into
        several parts, or keep the largest part only.
    max_gap : int, default 3
        Linked words more than this number of words away from most of the others are left out.
    unlinked : {"drop", "extend"}, default "extend"
        Source words without links: ignore them, and drop a span that has no others, or link them
        to the free target words between the links of their neighbors.
    min_confidence : float, default 0.0
        Drop projected spans below this confidence.
    nested : bool, default True
        Projected spans may overlap if their source spans do. False: no two spans overlap.

    Raises
    ------
    UsageError
        If a value is out of range.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.ProjectionOptions(gaps="largest").gaps
    'largest'
    """

    gaps: str = "fill"
    max_gap: int = 3
    unlinked: str = "extend"
    min_confidence: float = 0.0
    nested: bool = True

    def __post_init__(self) -> None:
        check_types(self)
        check_options(
            self,
            (
                (self.gaps in GAPS, "gaps", f"one of {', '.join(GAPS)}"),
                (0 <= self.max_gap <= MAX_INT, "max_gap", "at least 0"),
                (self.unlinked in UNLINKED, "unlinked", f"one of {', '.join(UNLINKED)}"),
                (0.0 <= self.min_confidence <= 1.0, "min_confidence", "between 0 and 1"),
            ),
        )


@dataclass(frozen=True)
class ProjectionCounts:
    """Counts of a projection; counts of several texts can be added.

    Parameters
    ----------
    read, projected : int
        Source spans, and spans of the result.
    unlinked : int
        Spans without a linked word.
    claimed : int
        Spans whose words all belong to spans of higher confidence.
    unsure : int
        Spans below ``min_confidence``.
    filled : int
        Unlinked words between the linked words of a span.
    strays : int
        Words left out because they are too far from the others, see ``max_gap``.
    cut : int
        Projected spans that lost words to spans of higher confidence.
    """

    read: int = 0
    projected: int = 0
    unlinked: int = 0
    claimed: int = 0
    unsure: int = 0
    filled: int = 0
    strays: int = 0
    cut: int = 0

    def __add__(self, other: "ProjectionCounts") -> "ProjectionCounts":
        names = [field.name for field in fields(self)]
        return ProjectionCounts(*(getattr(self, name) + getattr(other, name) for name in names))


@public
@dataclass(frozen=True, eq=False, repr=False)
class Projection(ComparedByContent, Tabular, metaclass=ExplainedClass):
    """Projected spans: the result of :func:`project`.

    Parameters
    ----------
    spans : Spans
        With confidence, in the order of their source spans.
    origin : ndarray of int64, shape (n_spans,)
        Number of each span's source span.
    counts : ProjectionCounts
        Number of spans projected, and dropped for each reason.
    source : Spans
        The source spans.
    status : ndarray of int32, shape (n_source_spans,)
        Outcome for each source span: 0 = projected, 1 = no link, 2 = overlap with a span of
        higher confidence, 3 = confidence below ``min_confidence``.
    source_confidence : ndarray of float32, shape (n_source_spans,)
        Confidence of each source span's projection; 0 without a link or with an overlap.

    Examples
    --------
    >>> import isogloss as ig
    >>> spans = ig.Spans.from_sentences([[(0, 2, "PER")]])
    >>> links = ig.Links.from_pairs([[(0, 1), (1, 2)]])
    >>> import numpy as np
    >>> projection = ig.project(spans, links, np.array([2]), np.array([3]))
    >>> [(span.start, span.end, span.label) for span in projection.spans[0]]
    [(1, 3, 'PER')]
    """

    spans: Spans
    origin: NDArray[np.int64]
    counts: ProjectionCounts
    source: Spans
    status: NDArray[np.int32]
    source_confidence: NDArray[np.float32]

    def __repr__(self) -> str:
        return f"Projection({self.spans}\n  of {self.counts.read:,} spans)"

    def table_columns(self) -> dict[str, Column]:
        """Return columns with one row per source span, including those that are lost.

        Returns
        -------
        dict
            sentence, label, start, end, status, target_start, target_end (-1 for a lost span) and
            confidence. A discontinuous span starts with its first part and ends with its last.
        """
        ends = np.full((2, len(self.status)), -1, np.int32)
        ends[:, self.origin] = _ends(self.spans)
        start, end = _ends(self.source)
        return {
            "sentence": row_numbers(self.source.offsets),
            "label": NamedNumbers(self.source.label, self.source.labels),
            "start": start,
            "end": end,
            "status": NamedNumbers(self.status, STATUSES),
            "target_start": ends[0],
            "target_end": ends[1],
            "confidence": self.source_confidence,
        }


def _ends(spans: Spans) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The first word of each span, and the word after its last one."""
    return spans.start[spans.part_offsets[:-1]], spans.end[spans.part_offsets[1:] - 1]


class _Reach(NamedTuple):
    """The links of words of spans, a row each, by part."""

    # part: int64[n], of a span; word: int64[n], number among the words of all parts
    # target: int64[n], position; probability: float64[n]

    part: NDArray[np.int64]
    word: NDArray[np.int64]
    target: NDArray[np.int64]
    probability: NDArray[np.float64]


class _Pieces(NamedTuple):
    """Parts of projected spans, by span and position, apart from each other."""

    # span, start, end: int64[n]

    span: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]


@public
def project(
    spans: Spans,
    links: Links,
    source_lengths: NDArray[np.int64],
    target_lengths: NDArray[np.int64],
    options: ProjectionOptions | None = None,
    **changes: Any,
) -> Projection:
    """Project spans of the source to the target along word links.

    The confidence of a projected span is a product. The first factor is the mean, over the source
    words, of the probability of the best link into the projected span: 0 without a link, 1 if
    links have no probabilities. The second is the share of its target words with such a link.

    Parameters
    ----------
    spans : Spans
        Spans of the source sentences.
    links : Links
        Links of the sentence pairs.
    source_lengths, target_lengths : ndarray of int64, shape (n_sentences,)
        Words of each sentence, such as ``bitext.source.lengths``.
    options : ProjectionOptions, optional
    **changes
        Single options by name, such as ``gaps="keep"``.

    Returns
    -------
    Projection

    Raises
    ------
    DataError
        If spans or links are outside of their sentence, or belong to another text.

    Examples
    --------
    >>> from isogloss.align import Links, Spans, project
    >>> spans = Spans.from_sentences([[(0, 2, "PER")]])
    >>> links = Links.from_pairs([[(0, 1), (1, 2), (2, 0)]])
    >>> project(spans, links, [3], [3]).spans[0]
    [Span(parts=((1, 3),), label='PER', confidence=1.0)]
    """
    options = chosen_options(options, ProjectionOptions(), changes, 'gaps="keep"')
    source_lengths, target_lengths = np.asarray(source_lengths), np.asarray(target_lengths)
    spans.check_range(source_lengths)
    links.check_range(source_lengths, target_lengths)
    if options.unlinked == "extend":
        links = bridge_unlinked(links, source_lengths, target_lengths)
    reach = _reach(spans, links)
    pieces, filled, strays = _pieces(reach, row_numbers(spans.part_offsets), options)
    sure = _confidence(spans, reach, pieces)
    settled = settle_conflicts(
        spans, pieces, sure, keep=options.gaps == "keep", nested=options.nested
    )
    size = _sizes(pieces, len(spans.label))
    if settled is not None:
        pieces = _Pieces(*settled)
        sure = _confidence(spans, reach, pieces)
    linked = np.zeros(len(spans.label), np.bool_)
    linked[row_numbers(spans.part_offsets)[reach.part]] = True
    placed = np.zeros_like(linked)
    placed[pieces.span] = True
    kept = placed & (sure >= options.min_confidence)
    status = np.select([kept, ~linked, ~placed], [0, 1, 2], 3).astype(np.int32)
    projected, unlinked, claimed, unsure = np.bincount(status, minlength=len(STATUSES)).tolist()
    cut = int((kept & (_sizes(pieces, len(kept)) < size)).sum())
    counts = ProjectionCounts(
        len(status), projected, unlinked, claimed, unsure, filled, strays, cut
    )
    return _result(spans, pieces, status, sure, counts)


def _sizes(pieces: _Pieces, num_spans: int) -> NDArray[np.float64]:
    """Words of each span: float64[num_spans]."""
    return np.asarray(
        np.bincount(pieces.span, pieces.end - pieces.start, minlength=num_spans), np.float64
    )


def _result(
    spans: Spans,
    pieces: _Pieces,
    status: NDArray[np.int32],
    sure: NDArray[np.float64],
    counts: ProjectionCounts,
) -> Projection:
    """The spans that are kept, as columns."""
    kept = status == 0
    origin = np.flatnonzero(kept)
    rows = kept[pieces.span]
    sizes = np.bincount(pieces.span[rows], minlength=len(kept))[origin]
    sentences = row_numbers(spans.offsets)[origin]
    projected = Spans(
        pieces.start[rows].astype(np.int32),
        pieces.end[rows].astype(np.int32),
        offsets_of(sizes),
        spans.label[origin],
        offsets_of(np.bincount(sentences, minlength=len(spans))),
        spans.labels,
        sure[origin].astype(np.float32),
    )
    return Projection(projected, origin, counts, spans, status, sure.astype(np.float32))


def _reach(spans: Spans, links: Links) -> _Reach:
    """The links of the words of each part."""
    sentence = row_numbers(spans.offsets)[row_numbers(spans.part_offsets)]
    keys = links.keys() >> SOURCE_SHIFT
    words = offsets_of(spans.end - spans.start)
    first = np.searchsorted(keys, (sentence << SOURCE_SHIFT) + spans.start)
    last = np.searchsorted(keys, (sentence << SOURCE_SHIFT) + spans.end)
    rows, offsets = span_entries(first, last - first)
    part = row_numbers(offsets)
    sure = np.ones(len(rows)) if links.probability is None else links.probability[rows]
    return _Reach(
        part,
        words[part] + links.source[rows] - spans.start[part],
        links.target[rows].astype(np.int64),
        sure.astype(np.float64),
    )


def _pieces(
    reach: _Reach, owner: NDArray[np.int64], options: ProjectionOptions
) -> tuple[_Pieces, int, int]:
    """Where each span comes to stand, and how many words were filled in and left out."""
    # owner: int64[num_parts], the span of each part
    order = np.argsort(reach.part * _ROW + reach.target, kind="stable")
    keys = (reach.part * _ROW + reach.target)[order]
    starts = run_starts(keys)
    if not len(starts):
        nothing = np.zeros(0, np.int64)
        return _Pieces(nothing, nothing, nothing), 0, 0
    words = keys[starts]
    weight = np.maximum.reduceat(reach.probability[order], starts)
    groups = _groups(words, options.max_gap)
    near = _best(words[groups] // _ROW, np.add.reduceat(weight, groups))
    chosen = np.repeat(near, np.diff(groups, append=len(words)))
    words, strays = words[chosen], int((~chosen).sum())
    runs = _groups(words, MAX_INT if options.gaps == "fill" else 0)
    first, last = words[runs], words[np.append(runs[1:], len(words)) - 1]
    filled = int((last - first + 1).sum() - len(words)) if options.gaps == "fill" else 0
    if options.gaps == "largest":
        longest = _best(first // _ROW, (last - first).astype(np.float64))
        first, last = first[longest], last[longest]
    pieces = _Pieces(owner[first // _ROW], first % _ROW, last % _ROW + 1)
    return _joined(pieces), filled, strays


def _groups(words: NDArray[np.int64], widest: int) -> NDArray[np.int64]:
    """Where words of a part begin with more than ``widest`` words between them and those before."""
    new = np.ones(len(words), np.bool_)
    new[1:] = (np.diff(words) > widest + 1) | (words[1:] // _ROW != words[:-1] // _ROW)
    return np.flatnonzero(new)


def _best(row: NDArray[np.int64], measure: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each group has the highest measure of its row, of equal ones the first."""
    order = np.lexsort((-measure, row))
    best = np.zeros(len(row), np.bool_)
    best[order[run_starts(row[order])]] = True
    return best


def _joined(pieces: _Pieces) -> _Pieces:
    """The pieces by span and position, those of a span joined that touch or overlap."""
    order = np.argsort(pieces.span * _ROW + pieces.start, kind="stable")
    span, start, end = (column[order] for column in pieces)
    reached = np.maximum.accumulate(span * _ROW + end)
    new = np.ones(len(span), np.bool_)
    new[1:] = span[1:] * _ROW + start[1:] > reached[:-1]
    begins = np.flatnonzero(new)
    return _Pieces(
        span[begins], start[begins], reached[np.append(begins[1:], len(span)) - 1] % _ROW
    )


def _confidence(spans: Spans, reach: _Reach, pieces: _Pieces) -> NDArray[np.float64]:
    """How sure each span is to stand where its pieces are; 0 for one without: float64[num_spans]"""
    num_spans, owner = len(spans.label), row_numbers(spans.part_offsets)
    if not len(pieces.span):
        return np.zeros(num_spans)
    key = owner[reach.part] * _ROW + reach.target
    place = np.searchsorted(pieces.span * _ROW + pieces.start, key, side="right") - 1
    inside = (place >= 0) & (key < (pieces.span * _ROW + pieces.end)[place])
    inside &= reach.probability > 0.0
    lengths = (spans.end - spans.start).astype(np.int64)
    reached = np.zeros(int(lengths.sum()))
    np.maximum.at(reached, reach.word[inside], reach.probability[inside])
    of_span = np.repeat(owner, lengths)
    sums = np.bincount(of_span, reached, minlength=num_spans)
    linked = np.bincount(np.unique(key[inside]) // _ROW, minlength=num_spans)
    size = _sizes(pieces, num_spans)
    words = np.bincount(of_span, minlength=num_spans)
    return np.asarray(sums / np.maximum(words, 1) * linked / np.maximum(size, 1.0))
