"""Formats of table files: what they have in common, how their numbers stand for scores, Moses'.

A format takes lines apart into :class:`RuleColumns` and puts lines together from
:class:`RuleTexts`. The other formats are in :mod:`isogloss.features.table.grammars`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.align.files.text_io import split_fields, split_tokens

from .columns import (
    BAR,
    RuleFault,
    check_phrases,
    count_rows,
    format_numbers,
    line_columns,
    link_rows,
    number_rows,
    sparse_rows,
    with_blank,
)

__all__ = [
    "MOSES",
    "SCALES",
    "MosesFormat",
    "RuleColumns",
    "RuleTexts",
    "Scale",
    "TableFormat",
    "scale_named",
]


LOG_FLOOR = -100.0  # what Moses and this decoder take for the logarithm of 0

_SMALLEST = math.exp(LOG_FLOOR)

_LARGEST_LOG = 700.0  # a double holds e^700


@dataclass(frozen=True)
class Scale:
    """How a number in a file stands for a score: as itself, or as its logarithm times ``factor``.

    factor: 0.0 = the score itself; else the number is ``factor * ln(score)``
    """

    factor: float = 0.0

    def scores(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores that numbers stand for: float64[n, k]; logarithms below -700 are taken for -700.

        numbers: float64[n, k]
        """
        if not self.factor:
            return numbers
        return np.asarray(np.exp(np.maximum(numbers / self.factor, -_LARGEST_LOG)))

    def numbers(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers that stand for scores: float64[n, k]; 0 is taken for e^-100, as decoders do.

        scores: float64[n, k], or float64[n]
        """
        floored = np.where(scores == 0.0, _SMALLEST, scores)
        return floored if not self.factor else np.asarray(self.factor * np.log(floored))

    def texts(self, scores: NDArray[np.float64]) -> list[str]:
        """Scores as text: six significant digits, as Moses prints; of logarithms ten.

        So the six digits of a score can be had back from its logarithm.

        scores: float64[n]
        """
        if not self.factor:
            return format_numbers(self.numbers(scores))
        return list(map("{:.10g}".format, self.numbers(scores).tolist()))

    def check(self, numbers: NDArray[np.float64]) -> None:
        """Raise RuleFault for the first row of numbers (float64[n, k]) that stands for no score."""
        bad = numbers <= 0.0 if not self.factor else numbers / self.factor > _LARGEST_LOG
        if bad.any():
            row, column = np.argwhere(bad)[0].tolist()
            if self.factor:
                raise RuleFault(
                    row,
                    f"a score is {numbers[row, column]:g}",
                    f"logarithms up to {_LARGEST_LOG:g}",
                )
            raise RuleFault(
                row,
                f"a score is {numbers[row, column]:g}",
                "scores above 0, because decoders use their logarithm",
                'If the scores are logarithms, pass `scale="log"`',
            )


SCALES = {
    "probability": Scale(),
    "log": Scale(1.0),
    "-log": Scale(-1.0),
    "log10": Scale(1.0 / math.log(10.0)),
    "-log10": Scale(-1.0 / math.log(10.0)),
}


def scale_named(name: str) -> Scale:
    """A scale of :data:`SCALES`. Raises UsageError for another name."""
    if name not in SCALES:
        raise UsageError(f"unknown scale {name!r}; expected one of {', '.join(SCALES)}")
    return SCALES[name]


@dataclass(frozen=True)
class RuleColumns:
    """Rules as they were read, n of them.

    source, target: str[n], phrases, a blank between words
    scores: float64[n, num_scores], probabilities or what else decoders take the logarithm of
    links: phrase-internal links; id = source position * 256 + target position
    counts: float64[n, 3], c(e), c(f), c(f, e); 0 where not given
    sparse: sparse features, ids into ``sparse_names``
    score_names: names that stand in the lines; None where they don't
    properties: str[n], what stands behind the sparse features; None where nothing does
    labels: str[n], left-hand sides that tell equal rules apart; None where there are none
    """

    source: Sequence[str]
    target: Sequence[str]
    scores: NDArray[np.float64]
    links: Ragged
    counts: NDArray[np.float64]
    sparse: Ragged
    sparse_names: tuple[str, ...]
    score_names: tuple[str, ...] | None = None
    properties: Sequence[str] | None = None
    labels: Sequence[str] | None = None


@dataclass(frozen=True)
class RuleTexts:
    """The fields of n rules as text.

    source, target, links, counts, sparse, properties: str[n]; links are ``i-j ...``, sparse
        features are entries as the format has them
    scores: str[num_scores][n], a column per name in ``score_names``
    """

    source: Sequence[str]
    target: Sequence[str]
    score_names: tuple[str, ...]
    scores: Sequence[Sequence[str]]
    links: Sequence[str]
    counts: Sequence[str]
    sparse: Sequence[str]
    properties: Sequence[str]


class TableFormat(ABC):
    """A format of table files."""

    name: str
    source_field: int  # which field holds the source phrase

    @abstractmethod
    def parse(self, lines: Sequence[str]) -> RuleColumns:
        """Parse lines. Raises RuleFault for the first line of another format."""

    @abstractmethod
    def original(self, lines: Sequence[str], score_names: tuple[str, ...]) -> RuleTexts:
        """The fields as they stand in lines that :meth:`parse` has read with these scores."""

    @abstractmethod
    def score_texts(self, name: str, scores: NDArray[np.float64]) -> list[str]:
        """A column of scores, float64[n], as the format shows it.

        scores: float64[n]
        """

    @abstractmethod
    def sparse_entry(self, name: str, value: float) -> str:
        """A sparse feature and its value as text."""

    @abstractmethod
    def join(self, texts: RuleTexts) -> Iterator[str]:
        """Put lines together."""

    def source(self, line: str) -> str:
        """The source phrase of a line, for lines of the same file to be compared by it."""
        number = self.source_field
        fields = line.split(BAR, number + 1)
        if "\t" in line or len(fields) < number + 2:
            fields = split_fields(line.replace("\t", " "))
        text = fields[number] if len(fields) > number else ""
        return " ".join(split_tokens(text)) if "  " in text or text[:1] == " " else text


_MOSES_LINE = (
    "source ||| target ||| scores ||| i-j links ||| counts ||| NAME value ... ||| {{properties}}"
)


def _moses_entries(text: str) -> Iterator[tuple[str, str]]:
    tokens = text.split(" ")
    if len(tokens) % 2:
        raise ValueError
    return zip(tokens[::2], tokens[1::2], strict=True)


@dataclass(frozen=True)
class MosesFormat(TableFormat):
    """Moses' phrase tables; links and all fields after them may be missing.

    A score is a probability or another number above 0 whose logarithm decoders take, as indicators
    are (1 and 2.718). With another ``scale`` the numbers in the file are logarithms.
    """

    scale: Scale = SCALES["probability"]

    name = "moses"
    source_field = 0

    def parse(self, lines: Sequence[str]) -> RuleColumns:
        """Parse lines; the properties keep their blanks."""
        columns = line_columns(lines, 3, 7, _MOSES_LINE, verbatim=6)
        source, target, scores, links, counts, sparse, properties = columns
        check_phrases((source, target), _MOSES_LINE)
        numbers = number_rows(scores, _MOSES_LINE)
        self.scale.check(numbers)
        rows, names = sparse_rows(
            sparse, _moses_entries, "NAME value ..., an underscore in each name"
        )
        return RuleColumns(
            source,
            target,
            self.scale.scores(numbers),
            link_rows(links),
            count_rows(counts),
            rows,
            names,
            properties=properties if any(properties) else None,
        )

    def original(self, lines: Sequence[str], score_names: tuple[str, ...]) -> RuleTexts:
        """The fields as they stand."""
        columns = line_columns(lines, 3, 7, _MOSES_LINE, verbatim=6)
        source, target, scores, links, counts, sparse, properties = columns
        width = scores[0].count(" ") + 1
        tokens = " ".join(scores).split(" ")
        each = [tokens[k::width] for k in range(width)]
        return RuleTexts(source, target, score_names, each, links, counts, sparse, properties)

    def score_texts(self, name: str, scores: NDArray[np.float64]) -> list[str]:
        """A column of scores as text: themselves, or their logarithms where the file has these.

        scores: float64[n]
        """
        return self.scale.texts(scores)

    def sparse_entry(self, name: str, value: float) -> str:
        """``NAME value``."""
        return f"{name} {value:g}"

    def join(self, texts: RuleTexts) -> Iterator[str]:
        """Lines as Moses writes them."""
        fields = (texts.links, texts.counts, texts.sparse, texts.properties)
        columns = (texts.source, texts.target, zip(*texts.scores, strict=True))
        for source, target, scores, links, counts, sparse, properties in zip(
            *columns, *map(with_blank, fields), strict=True
        ):
            yield (
                f"{source} ||| {target} ||| {' '.join(scores)} |||{links} |||{counts} |||"
                f"{sparse} |||{properties}"
            )


MOSES = MosesFormat()
