"""Tags of words: IOB1, BIO (IOB2) and BIOES (BILOU, BMES), to spans and back."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...errors import DataError, pluralize, warn
from ...links.spans import Span

__all__ = ["SCHEMES", "TagReader", "encode_tags", "is_tag"]

SCHEMES = ("bio", "iob1", "bioes")
_TAG = re.compile(r"O|[BIESLUM](?:-\S+)?")
_FIRST, _LAST, _INSIDE = "BSU", "ESLU", "IEML"
_EXPECTED = {
    "bio": "B-, I- or O",
    "iob1": "I-, B- or O",
    "bioes": "B-, I-, E- (L-), S- (U-) or O",
}
_REMEDY = "Correct the tag, or omit `scheme=...` to read it as the beginning of a span"


def is_tag(text: str) -> bool:
    """Whether a text is a tag such as O, B-PER or I."""
    return _TAG.fullmatch(text) is not None


class TagReader:
    """Finds the spans of tagged sentences.

    scheme: of the tags; None takes whatever has one meaning: a span begins at B, S and U, and at
        an I, E, L or M that doesn't go on with a span of its label
    file: for messages

    has_ends: whether some tag told that a span ends, as in BIOES
    """

    def __init__(self, scheme: str | None = None, file: str | Path | None = None) -> None:
        self._scheme, self._file = scheme, file
        self._odd, self._first_odd = 0, ("", 0)
        self.has_ends = False

    def spans(self, tags: Sequence[str], lines: Sequence[int]) -> list[Span]:
        """The spans of a sentence. lines: the line of each tag

        Raises DataError for what is no tag, or not one of the scheme where it stands.
        """
        spans: list[list[int]] = []
        labels: list[str] = []
        goes_on = False  # whether the last span may
        for word, (tag, line) in enumerate(zip(tags, lines, strict=True)):
            letter, label = self._split(tag, line)
            if self._scheme == "bioes" and goes_on and (letter in "OBSU" or label != labels[-1]):
                raise self._error(
                    f"the tag {tag!r} is within an open span {labels[-1]!r}",
                    "I- or E- of that span",
                    line,
                )
            if letter == "O":
                goes_on = False
                continue
            if letter in _INSIDE and goes_on and label == labels[-1]:
                spans[-1][1] = word + 1
            else:
                if letter in _INSIDE:
                    self._note_odd(tag, line)
                spans.append([word, word + 1])
                labels.append(label)
            goes_on = letter not in _LAST
        if self._scheme == "bioes" and goes_on:
            raise self._error(f"the span {labels[-1]!r} has no end", "E- or S-", lines[-1])
        return [
            Span(((start, end),), label) for (start, end), label in zip(spans, labels, strict=True)
        ]

    def _split(self, tag: str, line: int) -> tuple[str, str]:
        """Letter and label of a tag."""
        if not is_tag(tag):
            raise DataError(
                f"{tag!r} is not a valid tag", "a tag such as B-PER, I-PER or O",
                file=self._file, line=line,
                remedy="Correct the tag, or select the column of tags with `column=...`",
            )  # fmt: skip
        letter = tag[0]
        if letter in "ESLUM":
            self.has_ends = True
            if self._scheme in ("bio", "iob1"):
                raise self._error(f"the tag {tag!r} is not allowed", _EXPECTED[self._scheme], line)
        return letter, tag[2:]

    def _note_odd(self, tag: str, line: int) -> None:
        """Count a span that doesn't begin with B, which is usual in IOB1 alone."""
        if self._scheme in ("bio", "bioes"):
            raise self._error(f"the tag {tag!r} continues no span", "B- before it", line)
        if not self._odd:
            self._first_odd = tag, line
        self._odd += 1

    def _error(self, seen: str, expected: str, line: int) -> DataError:
        return DataError(seen, expected, file=self._file, line=line, remedy=_REMEDY)

    def warn(self) -> None:
        """Tell of spans that began without a B (DataWarning), unless the scheme is IOB1."""
        if self._odd and self._scheme is None:
            tag, line = self._first_odd
            warn(
                f"{self._file}: {pluralize(self._odd, 'span', 'does')} not begin with B- (first: "
                f"{tag} on line {line}); such spans are read as in IOB1. Pass "
                '`scheme="bio"` to make this an error'
            )


def encode_tags(spans: Iterable[Span], length: int, scheme: str = "bio") -> list[str]:
    """A tag per word; the parts of a span become spans of their own.

    Raises ValueError where spans overlap, which tags can't tell.
    """
    tags = ["O"] * length
    parts = sorted((start, end, span.label) for span in spans for start, end in span.parts)
    reached, before = 0, ""
    for start, end, label in parts:
        if start < reached:
            raise ValueError("overlapping spans cannot be written as tags")
        suffix = f"-{label}" if label else ""
        touches = start == reached and start > 0 and before == label
        begin = "I" if scheme == "iob1" and not touches else "B"
        tags[start:end] = [f"I{suffix}"] * (end - start)
        tags[start] = f"{begin}{suffix}"
        if scheme == "bioes":
            tags[end - 1] = f"{'E' if end - start > 1 else 'S'}{suffix}"
        reached, before = end, label
    return tags
