"""Test sets of WMT, NIST and IWSLT: the segments of a text, in markup like that of SGML."""

import re
from collections.abc import Iterable, Iterator
from html import unescape
from itertools import chain
from pathlib import Path

from ...errors import DataError
from ...files.text_io import read_lines

__all__ = ["Segments", "begins_test_set", "in_step", "read_sentence_lines", "sentence_lines"]

_SET = re.compile(r"\s*(?:<mteval>\s*)?<(?:srcset|refset|tstset)\b", re.IGNORECASE)
_HEAD = re.compile(r"\s*(?:<\?xml\b|<!DOCTYPE\b|<!--|<mteval>\s*$)|\s*$", re.IGNORECASE)
_TAG = re.compile(r"<(/?)(doc|seg)(?=[\s>/])([^<>]*)>", re.IGNORECASE)
_VALUE = re.compile(r"""\b(docid|id)\s*=\s*("[^"]*"|'[^']*'|[^\s"'/]+)""", re.IGNORECASE)
_ESCAPE = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6});")


class Segments:
    """The texts of segments, to go through once.

    name: document and number of the last segment, empty where it has none
    number: of the line on which it ends; ended: whether it was the last one
    """

    def __init__(self, lines: Iterable[str], path: str | Path) -> None:
        self.name = ("", "")
        self.number, self.ended = 0, False
        self.path = path
        self._lines = lines

    def __iter__(self) -> Iterator[str]:
        """Raises DataError where a segment has no end, or there is none."""
        document, name = "", ""
        parts: list[str] | None = None
        count = 0
        for line in self._lines:
            self.number, begin = self.number + 1, 0
            for tag in _TAG.finditer(line):
                closes, element, rest = tag[1], tag[2].lower(), tag[3]
                if element == "doc":
                    document = _value(rest, "docid") if not closes else ""
                    continue
                if bool(closes) is (parts is None):
                    seen = "a segment ends" if closes else "a segment begins"
                    raise self._error(f"{seen} {'outside' if closes else 'inside'} a segment")
                if not closes:
                    parts, begin, name = [], tag.end(), _value(rest, "id")
                if closes or rest.endswith("/"):
                    assert parts is not None
                    text = " ".join([*parts, line[begin : tag.start()] if closes else ""])
                    parts, count = None, count + 1
                    self.name = (document, name)
                    yield _ESCAPE.sub(lambda found: unescape(found[0]), text.strip(" \t"))
            if parts is not None:
                parts.append(line[begin:])
        if parts is not None or not count:
            raise self._error("the last segment has no end" if count or parts else "no segment")
        self.ended = True

    def _error(self, seen: str) -> DataError:
        return DataError(
            f"the test set is malformed ({seen})", "segments such as <seg id=...>TEXT</seg>",
            file=self.path, line=self.number, remedy="Check that the file is complete",
        )  # fmt: skip


def _value(attributes: str, name: str) -> str:
    found = (match for match in _VALUE.finditer(attributes) if match[1].lower() == name)
    return next((match[2].strip("\"'") for match in found), "")


def sentence_lines(lines: Iterator[str], path: str | Path) -> Iterable[str]:
    """The lines of a text, or the segments of a test set, which is told by its first line."""
    lead: list[str] = []

    def taken() -> Iterator[str]:
        for line in lines:
            lead.append(line)
            yield line

    is_set = begins_test_set(taken())
    whole = chain(lead, lines)
    return Segments(whole, path) if is_set else whole


def begins_test_set(lines: Iterable[str]) -> bool:
    """Whether lines are those of a test set; no more are taken than tell it."""
    for line in lines:
        if _SET.match(line) or not _HEAD.match(line):
            return _SET.match(line) is not None
    return False


def read_sentence_lines(path: str | Path, most: int) -> list[str]:
    """All sentences of a file, as :func:`sentence_lines` finds them. most: lines of the file"""
    return list(sentence_lines(iter(read_lines(path, most=most)), path))


def in_step(first: Segments, second: Segments) -> Iterator[str]:
    """The second of two test sets, whose segments have the names of those of the first.

    A segment of the first is always taken before that of the second. Raises DataError for another
    name.
    """
    for text in second:
        if not first.ended and all(first.name) and all(second.name) and first.name != second.name:
            (document, number), (wanted, place) = second.name, first.name
            raise DataError(
                f"the segment is number {number} of the document {document!r}",
                f"number {place} of {wanted!r}, as in {first.path}, line {first.number}",
                file=second.path, line=second.number,
                remedy="Pass the source and the reference of the same test set, in the same order",
            )  # fmt: skip
        yield text
