"""Files of annotations of every format: found out, read sentence by sentence, written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from ...errors import DataError, UsageError, check_options, pluralize, warn
from ...files.records import is_name
from ...files.text_io import iter_lines, split_tokens
from ...links.spans import Span
from .characters import WordPlaces
from .columns import column_lines, read_columns, read_tag_lines
from .json_lines import TAG_KEYS, CutWords, json_line, read_json_lines
from .sentence import AnnotatedSentence
from .standoff import StandoffWriter, read_standoff, text_lines
from .tags import SCHEMES, TagReader, encode_tags, is_tag

__all__ = ["FLAT_FORMATS", "FORMATS", "AnnotationForm", "AnnotationReader", "AnnotationWriter"]

FORMATS = ("columns", "tags", "jsonl", "standoff")
FLAT_FORMATS = ("columns", "tags")  # no two of their spans overlap
_LOOKED_AT = 100  # lines that tell the format
_CONFIDENCE = re.compile(r"_|[0-9]+(?:\.[0-9]+)?")  # in columns, where each word has one
_STANDOFF = re.compile(r"(?:[TREAMN#][0-9]+|\*)\t")


@dataclass(frozen=True)
class AnnotationForm:
    """How annotations are read.

    format: one of FORMATS; None: as the content tells
    scheme: of tags, one of SCHEMES; None: found out
    column: that of the tag, from 1 on; 0 = the last one
    text: the annotated text of standoff; None: the file's name with .txt in place of .ann
    """

    format: str | None = None
    scheme: str | None = None
    column: int = 0
    text: str | Path | None = None

    def __post_init__(self) -> None:
        check_options(
            self,
            (
                (self.format in (None, *FORMATS), "format", f"one of {', '.join(FORMATS)}"),
                (self.scheme in (None, *SCHEMES), "scheme", f"one of {', '.join(SCHEMES)}"),
                (
                    self.column != 1 and self.column >= 0,
                    "column",
                    "at least 2, or 0 for the last column",
                ),
            ),
        )


class AnnotationReader:
    """The sentences of a file of annotations, one after the other.

    path: the file
    sentences: the words of the text, as links count them; None: as the annotations have them
    format: that of the file; scheme: of its tags, as far as it was read
    has_text: whether ``sentences`` are given

    Raises DataError, when it is read, for what is not of the format or not of the text;
    UsageError for standoff without a text.
    """

    def __init__(
        self,
        path: str | Path,
        form: AnnotationForm | None = None,
        sentences: Iterable[Sequence[str]] | None = None,
    ) -> None:
        form = form or AnnotationForm()
        lines = iter_lines(path)
        head = list(islice(lines, _LOOKED_AT))
        self.path, self._form = path, form
        self._has_tabs = any("\t" in line for line in head)
        self._lines = chain(head, lines)
        self._sentences = None if sentences is None else iter(sentences)
        self._tags, self._cuts = TagReader(form.scheme, path), CutWords()
        self.format = form.format or _format_of(head)
        self._column = form.column or _tag_column(head, tabs=self._has_tabs)
        self.has_text = sentences is not None

    @property
    def scheme(self) -> str:
        """That of the tags: the one given, else bioes where a tag tells of an end, else bio."""
        return self._form.scheme or ("bioes" if self._tags.has_ends else "bio")

    def __iter__(self) -> Iterator[AnnotatedSentence]:
        lines, words, path = self._lines, self._sentences, self.path
        if self.format == "jsonl":
            return read_json_lines(lines, self._tags, self._cuts, words, file=path)
        if self.format == "standoff":
            text = text_lines(self._text())
            return read_standoff(lines, text, self._cuts, words, file=path)
        if self.format == "tags":
            return read_tag_lines(lines, self._tags, words, file=path)
        return read_columns(
            lines, self._tags, words, tabs=self._has_tabs, column=self._column, file=path
        )

    def _text(self) -> str | Path:
        """The annotated text of standoff."""
        path = Path(self.path)
        if self._form.text is not None:
            return self._form.text
        if path.suffix != ".ann":
            raise UsageError(
                f"{path} is in standoff format, which needs the annotated text; pass `text=...`"
            )
        return path.with_suffix(".txt")

    def warn(self) -> None:
        """Tell what was repaired (DataWarning), when all is read."""
        self._tags.warn()
        if self._cuts.count:
            warn(
                f"{self.path}: {pluralize(self._cuts.count, 'span', 'splits')} a word (first: "
                f"line {self._cuts.first_line}); such spans were extended to whole words"
            )


def _format_of(head: Sequence[str]) -> str:
    """The format that the first lines are of."""
    lines = [line for line in head if line.strip()]
    first = lines[0] if lines else ""
    if first.lstrip().startswith("{"):
        return "jsonl"
    if _STANDOFF.match(first):
        return "standoff"
    if all("\t" not in line and all(map(is_tag, split_tokens(line))) for line in lines):
        return "tags"
    return "columns"


def _tag_column(head: Sequence[str], *, tabs: bool) -> int:
    """The column of tags before one of confidences, which is not of tags; 0 = the last one."""
    lines = [line for line in head if line.strip() and not (tabs and "\t" not in line)]
    rows = [line.split("\t") if tabs else split_tokens(line) for line in lines]
    widths = {len(row) for row in rows}
    if len(widths) != 1 or min(widths) < 3:
        return 0
    last = [row[-1].strip(" ") for row in rows]
    return widths.pop() - 1 if all(map(_CONFIDENCE.fullmatch, last)) else 0


class AnnotationWriter:
    """Lines of annotated sentences, one after the other.

    format: one of FORMATS; scheme: of tags
    confidence: write it in columns, and into notes of standoff; JSON lines have it anyway
    characters: count those of the text in JSON lines, too, whose source counts words
    """

    def __init__(
        self,
        format: str,
        scheme: str = "bio",
        *,
        confidence: bool = False,
        characters: bool = False,
    ) -> None:
        self._format, self._scheme = format, scheme
        self._confidence, self._characters = confidence, characters
        self._standoff = StandoffWriter(confidence=confidence)
        self._is_told = False

    def lines(
        self,
        sentence: AnnotatedSentence,
        words: Sequence[str],
        text: str,
        spans: Sequence[Span],
        origin: Sequence[int] = (),
    ) -> Iterator[str]:
        """The lines of a sentence.

        sentence: that its spans come from; text: which has the words
        origin: the span of the sentence that each one comes from; empty = they are its own

        Raises DataError where the text hasn't, and for labels that the format can't hold.
        """
        self.check_labels(spans)
        if self._confidence and spans:
            self._warn_of_confidence(sentence)
        if self._format == "columns":
            yield from column_lines(words, spans, self._scheme, confidence=self._confidence)
        elif self._format == "tags":
            yield " ".join(encode_tags(spans, len(words), self._scheme))
        elif self._format == "standoff":
            yield from self._standoff.lines(spans, WordPlaces(words, text))
        else:
            counts_characters = self._characters or sentence.in_characters
            places = WordPlaces(words, text) if counts_characters else None
            tags = None
            if sentence.key in TAG_KEYS:
                tags = encode_tags(spans, len(words), self._scheme)
            yield json_line(sentence, words, spans, places, tags, origin)

    def _warn_of_confidence(self, sentence: AnnotatedSentence) -> None:
        """Warn (DataWarning) once where the format has no place for a confidence."""
        if self._format in ("columns", "standoff"):
            return
        is_object = self._format == "jsonl" and not (sentence.listed or sentence.key in TAG_KEYS)
        if not is_object and not self._is_told:
            self._is_told = True
            form = "[start, end, label]" if self._format == "jsonl" and sentence.listed else "tags"
            warn(
                f"the output contains no confidence: spans are written as {form}. Pass --to "
                "columns or --to standoff as well"
            )

    def check_labels(self, spans: Sequence[Span]) -> None:
        """Raise DataError for a label that the format can't hold; tags can have an empty one."""
        for span in spans if self._format != "jsonl" else ():
            if not is_name(span.label) and (span.label or self._format == "standoff"):
                raise DataError(
                    f"the label {span.label!r} contains whitespace",
                    remedy="Write JSON lines with --to jsonl, or rename the label",
                )  # fmt: skip
