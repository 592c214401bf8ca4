"""Text of a segment with elements inside: formats leave words whole, everything else parts them."""

import re
from typing import Any

from lxml import etree

from ...errors import pluralize, warn

__all__ = ["InlineElements"]

# native codes of a translation tool, dropped with their text
_CODES = frozenset(("bpt", "ept", "ph", "it", "ut", "sub"))
# what stands for something of its own, such as an object or the end of a line
_PARTING = frozenset(
    ("ph", "x", "it", "ut", "br", "lb", "pb", "cb", "img", "image", "tab", "p", "div")
)
_PARTING_TYPES = frozenset(
    ("lb", "br", "pb", "cb", "image", "img", "linebreak", "x-lb", "x-br", "x-linebreak", "x-img")
)
_FORMATS = frozenset(("bpt", "ept", "g", "hi", "bx", "ex", "mrk", "sub", "pc", "sc", "ec"))
_PART, _FORMAT = "\0", "\1"  # marks of where an element stood; XML can't hold them
_MARKS = re.compile("[\0\1]+")
_IN_WORD = re.compile(r"(?<=\w)[\0\1]+(?=\w)")
_BETWEEN = re.compile(r"(?<=[^\s\0\1])[\0\1]+(?=[^\s\0\1])")


class InlineElements:
    """Takes the text out of segments, and counts the units whose words touch an element.

    path: of the file, for messages
    """

    def __init__(self, path: object) -> None:
        self._path = path
        self._unit = 0
        self._parted, self._whole = _Units(), _Units()

    def text(self, segment: Any, unit: int) -> str:
        """The text of a segment of a unit, which may have line breaks.

        What can't be a mere change of format is a space where it stands between two characters.
        """
        pieces: list[str] = []
        names: list[tuple[str, str]] = []
        _collect(segment, pieces, names)
        text = "".join(pieces)
        for found in _IN_WORD.findall(text):
            counted, mark = (self._parted, _PART) if _PART in found else (self._whole, _FORMAT)
            counted.add(unit, [name for of, name in names if of == mark])
        return _MARKS.sub("", _BETWEEN.sub(lambda run: " " if _PART in run[0] else "", text))

    def warn(self, units: int) -> None:
        """Warn of words that touch elements, when all units are read. units: how many there were"""
        for counted, what in (
            (self._parted, "stand inside words, which are parted there"),
            (self._whole, "stand inside words, which stay whole, as after a change of format"),
        ):
            if counted.number:
                warn(
                    f"{self._path}: elements ({', '.join(counted.names)}) {what}, in "
                    f"{counted.number} of {pluralize(units, 'unit')} (first: unit {counted.first})"
                )


class _Units:
    """Units that something was seen in."""

    def __init__(self) -> None:
        self.number = self.first = self._last = 0
        self.names: dict[str, None] = {}

    def add(self, unit: int, names: list[str]) -> None:
        self.names |= dict.fromkeys(names)
        if unit != self._last:
            self.number += 1
            self.first, self._last = self.first or unit, unit


def _collect(element: Any, pieces: list[str], names: list[tuple[str, str]]) -> None:
    """Add the text of an element to pieces, with marks in place of the elements in it."""
    pieces.append(element.text or "")
    for child in element:
        name = etree.QName(child).localname
        parts = _parts_words(child, name)
        mark = _PART if parts else _FORMAT
        pieces.append(mark)
        names.append((mark, name))
        if name not in _CODES and (len(child) or child.text):
            _collect(child, pieces, names)
            pieces.append(mark)
        pieces.append(child.tail or "")


def _parts_words(element: Any, name: str) -> bool:
    """Whether an element can't be a mere change of format."""
    if name in _PARTING or element.get("type", "").lower() in _PARTING_TYPES:
        return True
    return name not in _FORMATS and not len(element) and not element.text
