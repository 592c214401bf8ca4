"""Standoff annotations, as brat's .ann files have them: spans of the characters of a whole text."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from ...errors import DataError, warn
from ...files.encodings import not_utf8
from ...files.records import is_name
from ...files.text_io import raw_lines, split_tokens
from ...links.spans import Parts, Span, joined_parts
from .characters import WordPlaces, span_text
from .json_lines import CutWords
from .sentence import AnnotatedSentence, next_words

__all__ = ["StandoffWriter", "read_standoff", "text_lines"]

_RANGES = re.compile(r"[0-9]{1,15} [0-9]{1,15}(?:;[0-9]{1,15} [0-9]{1,15})*", re.ASCII)
_OTHERS = {"R": "relation", "E": "event", "A": "attribute", "M": "attribute", "N": "normalization",
           "#": "note", "*": "equivalence"}  # fmt: skip
_FORM = "T1<TAB>LABEL START END<TAB>text"


class _Mark(NamedTuple):
    """A span of the text: its characters from the begin of the text on, and its line."""

    parts: Parts
    label: str
    line: int
    text: str


def text_lines(path: str | Path) -> Iterator[str]:
    """Lines of a text whose characters are counted: a carriage return at its end is one of them.

    Raises DataError for a missing file, a damaged archive and what is not UTF-8.
    """
    for number, raw in enumerate(raw_lines(path), start=1):
        if number == 1 and raw.startswith(b"\xef\xbb\xbf"):
            raw = raw[3:]
            warn(f"{path}: the byte order mark is ignored in offsets")
        try:
            yield raw.decode()
        except UnicodeDecodeError as error:
            raise not_utf8(raw, error, path, number) from None


def read_standoff(
    lines: Iterable[str],
    text: Iterable[str],
    cuts: CutWords,
    sentences: Iterator[Sequence[str]] | None = None,
    *,
    file: str | Path | None = None,
) -> Iterator[AnnotatedSentence]:
    """Sentences, a line of the text each, with the spans of brat's lines ``T1``.

    Other lines (relations, events, notes) are left out and told. Offsets count code points of the
    text, line ends among them.

    text: lines of the annotated text; sentences: their words, default: at blanks

    Raises DataError for a line that is not of the form, a span that is not where its text is, and
    one of several lines of the text.
    """
    marks = sorted(_marks(lines, file), key=lambda mark: (mark.parts, mark.line))
    begin, at = 0, 0
    for number, line in enumerate(text, start=1):
        words = split_tokens(line.removesuffix("\r"))
        if sentences is not None:
            words = list(next_words(sentences, file, number))
        places, spans = None, []
        while at < len(marks) and marks[at].parts[0][0] <= begin + len(line):
            places = places or _places(words, line, number)
            spans.append(_span(marks[at], places, begin, cuts, file))
            at += 1
        yield AnnotatedSentence(len(words), spans, number, words=words)
        begin += len(line) + 1
    if at < len(marks):
        raise DataError(
            f"a span covers the characters {marks[at].parts[0][0]} to {marks[at].parts[-1][1]} of "
            f"a text of length {begin}",
            "spans within the text",
            file=file, line=marks[at].line,
            remedy="Pass the text that was annotated",
        )  # fmt: skip
    if sentences is not None and next(sentences, None) is not None:
        raise DataError(
            "there are more lines of words than of text", "one line of words per line of text",
            file=file, remedy="Pass the words of the text that was annotated",
        )  # fmt: skip


def _places(words: Sequence[str], line: str, number: int) -> WordPlaces:
    try:
        return WordPlaces(words, line)
    except DataError as error:
        raise error.placed("the annotated text", number) from None


def _marks(lines: Iterable[str], file: str | Path | None) -> Iterator[_Mark]:
    """The spans of the lines, in their order."""
    others: Counter[str] = Counter()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if not line.startswith("T"):
            if line[0] not in _OTHERS:
                raise _odd(line, file, number)
            others[_OTHERS[line[0]]] += 1
            continue
        fields = line.split("\t", 2)
        label, _, ranges = fields[1].partition(" ") if len(fields) > 1 else ("", "", "")
        if not is_name(label) or not _RANGES.fullmatch(ranges):
            raise _odd(line, file, number)
        parts = [tuple(map(int, part.split())) for part in ranges.split(";")]
        if any(end <= start for start, end in parts):
            raise _odd(line, file, number)
        yield _Mark(joined_parts((start, end) for start, end in parts), label, number,
                    fields[2] if len(fields) > 2 else "")  # fmt: skip
    if others:
        told = ", ".join(f"{kind}s ({count})" for kind, count in others.items())
        warn(f"{file}: skipped {told}; only spans are projected")


def _odd(line: str, file: str | Path | None, number: int) -> DataError:
    return DataError(
        f"the line {line[:60]!r} is malformed", _FORM, file=file, line=number,
        remedy="START and END are 0-based character offsets, and END is exclusive",
    )  # fmt: skip


def _span(
    mark: _Mark, places: WordPlaces, begin: int, cuts: CutWords, file: str | Path | None
) -> Span:
    """The words of a span. begin: the first character of their line"""
    parts = [(start - begin, end - begin) for start, end in mark.parts]
    line = places.text
    if parts[-1][1] > len(line):
        raise DataError(
            f"the span of characters {mark.parts[0][0]} to {mark.parts[-1][1]} crosses a line "
            "break",
            "spans within one line of text", file=file, line=mark.line,
            remedy="Split the span, or put the sentence on one line",
        )  # fmt: skip
    seen = " ".join(line[start:end] for start, end in parts)
    if mark.text and seen.split() != mark.text.split():
        raise DataError(
            f"the text at the span is {seen[:40]!r}", f"{mark.text[:40]!r}",
            file=file, line=mark.line,
            remedy="Check that this is the annotated text. Offsets count Unicode code points, "
            "including line breaks; UTF-16 units or omitted carriage returns shift them",
        )  # fmt: skip
    try:
        words = joined_parts(places.words(start, end) for start, end in parts)
        if any(places.cuts(start, end) for start, end in parts):
            cuts.add(mark.line)
    except DataError as error:
        raise error.placed(str(file), mark.line) from None
    return Span(words, mark.label)


class StandoffWriter:
    """Writes spans as brat's lines, of one sentence after the other.

    confidence: add it to each span, as an annotator's note
    """

    def __init__(self, *, confidence: bool = False) -> None:
        self._confidence = confidence
        self._begin = self._number = 0

    def lines(self, spans: Sequence[Span], places: WordPlaces) -> Iterator[str]:
        """The lines of the next sentence."""
        for span in spans:
            self._number += 1
            parts = places.characters(span.parts)
            ranges = ";".join(f"{self._begin + start} {self._begin + end}" for start, end in parts)
            text = span_text(span.parts, (), places)
            yield f"T{self._number}\t{span.label} {ranges}\t{text}"
            if self._confidence:
                sure = span.confidence or 0.0
                yield f"#{self._number}\tAnnotatorNotes T{self._number}\tconfidence {sure:.4f}"
        self._begin += len(places.text) + 1
