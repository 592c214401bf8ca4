"""Lexicalized reordering: how likely a phrase pair is to go on, to swap or to jump.

Orientations are those of Tillmann (2004) and Koehn et al. (2005), or hierarchical (Galley & Manning
2008); names, columns, smoothing and tables are those of Moses.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice, product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import run_starts
from isogloss.align.errors import DataError, OptionError, UsageError, pluralize
from isogloss.align.files.text_io import block_lines

from ..table.columns import RuleFault, line_columns, number_rows
from ..table.phrases import FEW
from ..table.plain_lines import PlainParser

__all__ = [
    "ADAGRAD_PRO",
    "CLASSES",
    "KINDS",
    "ReorderingModel",
    "ReorderingRows",
    "proportional_smoothing",
    "read_reordering_table",
    "reordering_scores",
]

ADAGRAD_PRO = "hier-mslr-bidirectional-fe"  # the eight dense features of Green et al. (2013)
KINDS = ("wbe", "phrase", "hier")  # the columns of the orientation kernel
CLASSES: dict[str, dict[str, tuple[int, ...]]] = {  # columns, and the kernel's classes in each
    "mslr": {
        "monotone": (0,), "swap": (1,), "discontinuous-left": (2,), "discontinuous-right": (3,)
    },
    "msd": {"monotone": (0,), "swap": (1,), "discontinuous": (2, 3)},
    "leftright": {"right": (0, 3), "left": (1, 2)},
    "monotonicity": {"monotone": (0,), "nonmonotone": (1, 2, 3)},
}  # fmt: skip
_DIRECTIONS = {"backward": (0,), "forward": (1,), "bidirectional": (0, 1)}
_NEIGHBORS = ("previous", "next")
_CONDITIONS = ("f", "fe")
_COLLAPSED = {"allff": False, "collapseff": True}
_BARS = " ||| "
_PROPORTIONAL = 0.1  # what Moses adds to the count of each class before it divides by their sum
_DIGEST = 8  # bytes by which rows are told apart: ten million rows clash once in 300,000 tables


@dataclass(frozen=True)
class ReorderingModel:
    """What a lexicalized reordering model tells apart, and what it is conditioned on.

    kind: how neighbors are found: ``wbe`` by word links, ``phrase`` by phrase pairs, ``hier`` by
        blocks of any length
    classes: a key of CLASSES
    direction: ``backward`` for the orientation with the previous phrase, ``forward`` for that with
        the next one, ``bidirectional`` for both
    condition: ``f``, the source phrase, or ``fe``, the phrase pair
    collapsed: a decoder has one weight per neighbor instead of one per column; the table is the
        same

    Raises UsageError for a value that is not one of these.
    """

    kind: str
    classes: str
    direction: str
    condition: str
    collapsed: bool = False

    def __post_init__(self) -> None:
        for value, known in (
            (self.kind, KINDS),
            (self.classes, CLASSES),
            (self.direction, _DIRECTIONS),
            (self.condition, _CONDITIONS),
        ):
            if value not in known:
                raise UsageError(
                    f"{value!r} is not valid in a reordering model; expected one of "
                    f"{', '.join(known)}"
                )

    @classmethod
    def parse(cls, name: str) -> "ReorderingModel":
        """The model of a Moses name, such as ``hier-mslr-bidirectional-fe``.

        The parts are kind (``wbe`` where it is missing), classes, direction, condition, and
        ``allff`` (the same as nothing) or ``collapseff`` (collapsed). Raises UsageError for others.
        """
        parts = name.split("-")
        collapsed = parts[-1] in _COLLAPSED and _COLLAPSED[parts.pop()]
        if parts and parts[0] in CLASSES:
            parts.insert(0, KINDS[0])
        try:
            if len(parts) != 4:
                raise UsageError("the name does not have four parts")
            kind, classes, direction, condition = parts
            return cls(kind, classes, direction, condition, collapsed)
        except UsageError as error:
            raise UsageError(
                f"reordering model {name!r}: {error}. Expected KIND-CLASSES-DIRECTION-CONDITION, "
                f"for example {ADAGRAD_PRO}: {'|'.join(KINDS)}, {'|'.join(CLASSES)}, "
                f"{'|'.join(_DIRECTIONS)}, {'|'.join(_CONDITIONS)}, optionally followed by "
                f"-{' or -'.join(_COLLAPSED)}"
            ) from None

    def __str__(self) -> str:
        parts = (self.kind, self.classes, self.direction, self.condition)
        return "-".join(parts) + "-collapseff" * self.collapsed

    @property
    def kernel_kind(self) -> int:
        """The column of the kernel's result that the model needs."""
        return KINDS.index(self.kind)

    @property
    def neighbors(self) -> tuple[int, ...]:
        """0 for the previous phrase, 1 for the next one; in the order of the columns."""
        return _DIRECTIONS[self.direction]

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the probabilities of a row, in order, as ``LexR.hier.monotone.previous``."""
        return tuple(
            f"LexR.{self.kind}.{name}.{_NEIGHBORS[side]}"
            for side in self.neighbors
            for name in CLASSES[self.classes]
        )

    @property
    def feature_names(self) -> tuple[str, ...]:
        """What a decoder has weights for: the columns, or ``LexR.hier.previous`` if collapsed."""
        if not self.collapsed:
            return self.columns
        return tuple(f"LexR.{self.kind}.{_NEIGHBORS[side]}" for side in self.neighbors)

    def column_counts(self, counts: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum the kernel's classes to the model's columns.

        counts: float64[..., 2, 4], by neighbor and class. Returns float64[..., num_columns].
        """
        columns = list(product(self.neighbors, CLASSES[self.classes].values()))
        sums = np.empty((*counts.shape[:-2], len(columns)))
        for column, (side, (first, *others)) in enumerate(columns):
            sums[..., column] = counts[..., side, first]
            for other in others:
                sums[..., column] += counts[..., side, other]
        return sums


def _check_smoothing(weight: float) -> None:
    if not (math.isfinite(weight) and weight >= 0.0):
        raise OptionError("reordering_smoothing", "0 (none) or above", weight)


def proportional_smoothing(
    model: ReorderingModel, weight: float, totals: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What to add to the counts of a row, in proportion to those of the whole table.

    weight * (count of the column + 0.1) / count of its neighbor, Moses's ``--SmoothWithCounts``.

    totals: float64[2, 4], sum of the counts of all rules. Returns float64[num_columns].
    Raises UsageError for a weight that is negative or no number.
    """
    _check_smoothing(weight)
    blocks = model.column_counts(totals).reshape(len(model.neighbors), -1)
    sums = blocks.sum(axis=1, keepdims=True)
    if not sums.all():
        return np.full(blocks.size, weight)
    result: NDArray[np.float64] = weight * (blocks + _PROPORTIONAL) / sums
    return result.ravel()


def reordering_scores(
    counts: NDArray[np.float64],
    model: ReorderingModel,
    sources: NDArray[np.int32],
    smoothing: float | NDArray[np.float64] = 0.5,
) -> NDArray[np.float64]:
    """Probabilities of the orientations: (count + smoothing) / their sum over the classes.

    Each neighbor's classes sum to 1; they are equal where nothing was counted. A model
    conditioned on f adds up the counts of all rules of a source phrase.

    counts: float64[num_rules, 2, 4], occurrences (or their weights) of each rule in a block that
        splits no source phrase, by neighbor (previous, next) and class of the kernel
    sources: int32[num_rules], number of each rule's source phrase, rising
    smoothing: added to the count of each column (0 = unsmoothed, where an orientation that was not
        seen has probability 0), or float64[num_columns] from :func:`proportional_smoothing`

    Returns float64[rows, num_columns], with a row per rule where the model is conditioned on fe,
    and per source phrase that has a rule where on f, in their order. The table has the same rows:
    ``source ||| target ||| p ...`` or ``source ||| p ...``, sorted as a phrase table is.

    Raises UsageError for a smoothing that is negative or no number.
    """
    for value in np.ravel(smoothing).tolist():
        _check_smoothing(value)
    sums = model.column_counts(counts)
    if model.condition == "f" and len(sums):
        sums = np.add.reduceat(sums, run_starts(sources), axis=0)
    shape = len(sums), len(model.neighbors), len(CLASSES[model.classes])
    blocks = (sums + smoothing).reshape(shape)
    totals = blocks.sum(axis=2, keepdims=True)
    nothing = totals[:, :, 0] == 0.0
    if nothing.any():
        blocks[nothing] = 1.0
        totals[nothing] = float(shape[2])
    result: NDArray[np.float64] = blocks / totals
    return result.reshape(sums.shape)


@dataclass(frozen=True)
class ReorderingRows:
    """Rows of a reordering table.

    source: str[n], phrases, a blank between words; target: str[n], empty for a model given f alone
    scores: float64[n, num_columns], probabilities in (0, 1]
    """

    source: tuple[str, ...]
    target: tuple[str, ...]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.source)


class _Seen:
    """Digests of all rows so far, in sorted runs whose lengths double."""

    def __init__(self) -> None:
        self._runs: list[NDArray[np.uint64]] = []

    def add(self, phrases: Iterable[bytes]) -> int | None:
        """Remember rows, by their phrases; returns the first that was there before, if any."""
        digests = np.frombuffer(
            b"".join(blake2b(text, digest_size=_DIGEST).digest() for text in phrases), np.uint64
        )
        order = np.argsort(digests, kind="stable")
        run = digests[order]
        again = [order[1:][run[1:] == run[:-1]]]
        for other in self._runs:
            position = np.minimum(np.searchsorted(other, run), len(other) - 1)
            again.append(order[other[position] == run])
        while self._runs and len(self._runs[-1]) <= len(run):
            run = np.sort(np.concatenate([self._runs.pop(), run]))
        self._runs.append(run)
        repeated = np.concatenate(again)
        return int(repeated.min()) if len(repeated) else None


_LINE_FORMATS = {
    "fe": "source ||| target ||| probabilities",
    "f": "source ||| probabilities",
}


_Parsed = tuple[ReorderingRows, Sequence[bytes]]
"""Rows, and what tells each from all others: its phrases, UTF-8."""


def _parse_plain(
    lines: Sequence[str], model: ReorderingModel, parser: PlainParser
) -> _Parsed | None:
    """What :func:`_parse` gives, by a kernel; None where that takes a closer look."""
    if model.condition != "fe" or len(lines) <= FEW:
        return None
    rules = parser.parse(lines)
    if rules is None or rules.numbers.shape[1] != len(model.columns):
        return None
    content = rules.text.tobytes()
    if content.count(b"|||") != 2 * len(lines) or _improbable(rules.numbers).any():
        return None
    (first, split), (begin, end) = (
        [bounds.tolist() for bounds in side] for side in (rules.source, rules.target)
    )
    rows = ReorderingRows(
        tuple(content[a:b].decode() for a, b in zip(first, split, strict=True)),
        tuple(content[a:b].decode() for a, b in zip(begin, end, strict=True)),
        rules.numbers,
    )
    bars = _BARS.encode()  # blanks beside those of a line may be many
    spans = zip(first, split, begin, end, strict=True)
    return rows, [content[a:b] + bars + content[c:d] for a, b, c, d in spans]


def _parse(lines: Sequence[str], model: ReorderingModel) -> _Parsed:
    """The rows of some lines. Raises RuleFault."""
    expected = len(model.columns)
    phrases_and = _LINE_FORMATS[model.condition].removesuffix("probabilities")
    line_format = f"{phrases_and}{expected} probabilities, as in {model}"
    size = len(model.condition) + 1
    *phrases, texts = line_columns(lines, size, size, line_format)
    for column in phrases:
        if "" in column:
            raise RuleFault(column.index(""), "a phrase is empty", line_format)
    for row, text in enumerate(texts):
        number = text.count(" ") + 1 if text else 0
        if number != expected:
            raise RuleFault(
                row,
                f"the line has {pluralize(number, 'score')}",
                line_format,
                "Check that the table belongs to this model",
            )
    scores = number_rows(texts, line_format)
    bad = _improbable(scores)
    if bad.any():
        row = int(np.argmax(bad.any(axis=1)))
        raise RuleFault(
            row,
            f"the scores {texts[row]!r} contain {scores[row][bad[row]][0]:g}",
            "probabilities above 0 and at most 1",
            "A table without smoothing contains zeros: extract it again with smoothing",
        )
    source, target = tuple(phrases[0]), tuple(phrases[1]) if len(phrases) > 1 else ()
    keys = [_BARS.join(row).encode() for row in zip(*phrases, strict=True)]
    return ReorderingRows(source, target, scores), keys


def _improbable(scores: NDArray[np.float64]) -> NDArray[np.bool_]:
    return ~((scores > 0.0) & (scores <= 1.0))


def read_reordering_table(
    path: str | Path, model: ReorderingModel, *, rows: int = 1 << 16
) -> Iterator[ReorderingRows]:
    """Read a Moses reordering table, plain or compressed, in blocks of at most ``rows`` rows.

    The rows may be in any order. Memory grows by eight bytes per row, by which rows are compared.

    Raises DataError naming the line for a missing or empty field, another number of scores than the
    model's, what is no number, a value outside of (0, 1], and phrases that came before; for a file
    without rows; and as :func:`isogloss.align.files.text_io.iter_lines` does.
    """
    lines = block_lines(path)
    seen, first, parser = _Seen(), 1, PlainParser()
    while chunk := list(islice(lines, rows)):
        try:
            block, phrases = _parse_plain(chunk, model, parser) or _parse(chunk, model)
            again = seen.add(phrases)
            if again is not None:
                raise RuleFault(
                    again,
                    f"the entry {phrases[again].decode()!r} is repeated",
                    "unique entries",
                    "Check whether several tables were concatenated",
                )
        except RuleFault as fault:
            remedy = fault.remedy
            if model.condition == "f" and _BARS not in chunk[fault.row]:
                remedy = (
                    "Some versions of Moses omit the phrases in such a table: insert the source "
                    "phrases of the phrase table before the lines, in their order"
                )
            raise DataError(
                fault.seen, fault.expected, file=path, line=first + fault.row, remedy=remedy
            ) from None
        yield block
        first += len(chunk)
    if first == 1:
        raise DataError("the table is empty", f"lines {_LINE_FORMATS[model.condition]}", file=path)
