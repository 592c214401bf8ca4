"""Annotations carried over line by line: read, projected and written in bounded memory."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import DataError
from ...links.links import parse_links
from ...links.projection import Projection, ProjectionCounts, ProjectionOptions, project
from ...links.spans import Spans
from .files import AnnotationReader, AnnotationWriter
from .report import report_lines
from .sentence import AnnotatedSentence

__all__ = ["CarriedLines", "LinkLines", "TargetText", "carry_over"]

_BLOCK = 4096  # sentences at a time; bounds memory, changes no result


class CarriedLines(NamedTuple):
    """Lines of some annotated sentences, how many these are, and what became of their spans.

    report: a line per span
    """

    lines: list[str]
    sentences: int
    counts: ProjectionCounts
    report: Iterator[str]


@dataclass
class LinkLines:
    """Lines of links. is_reverse: the annotated side is the one they have behind the dash"""

    lines: Iterator[str]
    file: str | Path | None = None
    is_reverse: bool = False


@dataclass
class TargetText:
    """The side that annotations are carried over to.

    words: of each sentence, as links count them
    text: which has these words, a line each; None: they stand at its blanks
    """

    words: Iterator[Sequence[str]]
    text: Iterator[str] | None = None
    file: str | Path | None = None
    text_file: str | Path | None = None


def carry_over(
    reader: AnnotationReader,
    links: LinkLines,
    target: TargetText,
    options: ProjectionOptions,
    writer_of: Callable[[AnnotationReader], AnnotationWriter],
) -> Iterator[CarriedLines]:
    """Lines of the annotated target, some sentences at a time.

    writer_of: makes the writer, once the first sentences are read

    Raises DataError for what can't be read, and where the numbers of sentences differ.
    """
    sentences, first = iter(reader), 1
    writer: AnnotationWriter | None = None
    while True:
        block = list(islice(sentences, _BLOCK))
        size = len(block) + (len(block) < _BLOCK)  # one more than annotated is an error, too
        link_lines = list(islice(links.lines, size))
        words = list(islice(target.words, size))
        text = [" ".join(row) for row in words]
        if target.text is not None:
            text = list(islice(target.text, size))
            _check_size(len(block), len(text), target.text_file, "lines of text", first)
        _check_size(len(block), len(link_lines), links.file, "lines of links", first)
        _check_size(len(block), len(words), target.file, "sentences", first)
        if not block:
            return
        writer = writer or writer_of(reader)
        found = _project(reader, block, link_lines, words, links, options, first)
        lines: list[str] = []
        origins = np.split(found.origin, found.spans.offsets[1:-1])
        begins = found.source.offsets.tolist()
        for number, sentence in enumerate(block):
            _check_labels(writer, sentence, reader.path)
            origin = (origins[number] - begins[number]).tolist()
            spans = found.spans[number]
            try:
                lines += writer.lines(sentence, words[number], text[number], spans, origin)
            except DataError as error:
                file = target.text_file or target.file
                raise error.placed(str(file), first + number) from None
        report = report_lines(block, words, found, first)
        yield CarriedLines(lines, len(block), found.counts, report)
        first += len(block)


def _check_labels(writer: AnnotationWriter, sentence: AnnotatedSentence, path: str | Path) -> None:
    try:
        writer.check_labels(sentence.spans)
    except DataError as error:
        raise error.placed(path, sentence.line) from None


def _check_size(expected: int, number: int, file: str | Path | None, noun: str, first: int) -> None:
    """Raise DataError where there are fewer or more lines than annotated sentences."""
    if number != expected:
        done = first - 1 + min(number, expected)
        order = "fewer" if number < expected else "more"
        raise DataError(
            f"there are {order} {noun} than annotated sentences", file=file, line=done + 1,
            remedy="Pass files of the same text, without -DOCSTART- lines. If the columns have "
            "empty sentences, pass the tokenized text as well (`sentences=...`)",
        )  # fmt: skip


def _project(
    reader: AnnotationReader,
    block: Sequence[AnnotatedSentence],
    link_lines: Sequence[str],
    words: Sequence[Sequence[str]],
    links: LinkLines,
    options: ProjectionOptions,
    first: int,
) -> Projection:
    """Project the spans of some sentences. first: line of the first one"""
    lengths = np.array([sentence.length for sentence in block], np.int64)
    target_lengths = np.array([len(row) for row in words], np.int64)
    hint = ""
    try:
        known = parse_links(link_lines, links.file, scored=True)
        hint = _hint(reader, block)
        if links.is_reverse:
            known.check_range(target_lengths, lengths, links.file)
            known = known.reversed()
        else:
            known.check_range(lengths, target_lengths, links.file)
    except DataError as error:
        line = None if error.line is None else error.line + first - 1
        raise DataError(
            error.seen, error.expected, file=links.file, line=line, remedy=f"{error.remedy}{hint}"
        ) from None
    spans = Spans.from_sentences([sentence.spans for sentence in block])
    return project(spans, known, lengths, target_lengths, options)


def _hint(reader: AnnotationReader, block: Sequence[AnnotatedSentence]) -> str:
    """What else explains links outside of their sentences: text split at spaces, or other text."""
    is_raw = reader.format == "standoff" or any(sentence.in_characters for sentence in block)
    if is_raw and not reader.has_text:
        return "; pass `sentences=...` with the tokenized source text"
    return "; check `target=...`"
