"""XLIFF 1.2 and 2.x in: segments with their translations, one at a time and in bounded memory."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from lxml import etree

from ...errors import pluralize, warn
from ...files.inputs.opening import raise_damage
from ...files.text_io import on_one_line
from .languages import Languages
from .segments import UNTOLD, SegmentCounts
from .xml_elements import XmlElements

__all__ = ["read_segments"]

_BLOCK = 1 << 16
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_UNITS = ("{*}trans-unit", "{*}unit")  # of versions 1 and 2; each holds its segments
_DROPPED = {"bpt", "ept", "it", "ph", "sub", "ut"}  # whose text is code of the document
_PARTING = {"x", "ph", "it", "ut"}  # what stands in the text, and is no mere format of it
_BREAKS = {"lb", "br", "pb", "image", "img"}  # kinds of others that part words, too
_MARK = "\0"  # a parting element, in texts; XML can't hold it
_BETWEEN = re.compile(r"(?<=[^\s\0])\0+(?=[^\s\0])")
_UNTRANSLATED = "needs-translation"


class _Counts(SegmentCounts):
    """Those of segments, and of words that a placeholder joins."""

    parted = first_parted = 0

    def part(self) -> None:
        """Count the last segment as one with such words."""
        self.parted += 1
        self.first_parted = self.first_parted or self.segments

    def check(self) -> None:
        """As of all segments; warn of such words."""
        super().check()
        if self.parted:
            warn(
                f"{self.path}: a placeholder joins two words in {self.parted} of "
                f"{pluralize(self.segments, 'segment')} (first: segment {self.first_parted}); it "
                "is read as a space"
            )


def read_segments(
    stream: BinaryIO, path: str | Path, languages: Languages | None, lead: bytes = b""
) -> Iterator[tuple[int, str, str]]:
    """Number, source and target text of the segments of an XLIFF stream, after its bytes ``lead``.

    Segments are numbered from 1, units without segments count as one. Without ``languages`` all
    have those of the file; where they are the other way round, the sides are exchanged. Codes are
    dropped; those that stand for something, such as a line break, part the words beside them.
    Segments without a translation are left out, which DataWarning counts unless they are not to be
    translated.

    Raises DataError for malformed XML, an entity of a DTD, a file that is no XLIFF or has no
    segment in the languages, several pairs of languages where none is named, and a damaged archive.
    """
    counts, lines = _Counts(path, languages), 1
    elements = XmlElements(path, (*_UNITS, "{*}group", "{*}file"), "XLIFF")

    def blocks() -> Iterator[bytes]:
        nonlocal lines
        for block in chain((lead,), iter(lambda: stream.read(_BLOCK), b"")):
            lines += block.count(b"\n")
            yield block

    for element in elements.read(blocks()):
        if _name(element) in ("trans-unit", "unit"):
            yield from _unit(element, counts)
    raise_damage(stream, path, lines)
    root = elements.root()
    if root != "xliff":
        raise counts.error(f"the root element is <{root}>", "XLIFF")
    counts.check()


def _unit(unit: Any, counts: _Counts) -> Iterator[tuple[int, str, str]]:
    """The segments of a unit that have a translation."""
    swapped = counts.direction(*_languages(unit))
    for source, target in _segments(unit):
        if target is None and unit.get("translate") == "no":
            continue
        counts.segments += 1
        if swapped is None:
            counts.other += 1
            continue
        marks = 0
        texts = []
        for element in (source, target):
            text = "".join(_parts(element, counts)) if element is not None else ""
            marks += len(_BETWEEN.findall(text))
            texts.append(on_one_line(_BETWEEN.sub(" ", text).replace(_MARK, "")))
        empty = target is None or (texts[0].strip(" \t") and not texts[1].strip(" \t"))
        if empty or target.get("state") == _UNTRANSLATED:
            counts.lacks()
            continue
        if marks:
            counts.part()
        counts.kept += 1
        first, second = reversed(texts) if swapped else texts
        yield counts.segments, first, second


def _languages(unit: Any) -> tuple[str, str]:
    """Source and target language of a unit."""
    source = target = None
    for above in unit.iterancestors("{*}file", "{*}xliff"):
        source = source or above.get("source-language") or above.get("srcLang")
        target = target or above.get("target-language") or above.get("trgLang")
    if target is None:
        element = next(unit.iterchildren("{*}target"), None)
        target = None if element is None else element.get(_LANG)
    return source or UNTOLD, target or UNTOLD


def _segments(unit: Any) -> Iterator[tuple[Any, Any]]:
    """The elements of source and target of each segment, None where there is none."""
    if _name(unit) == "unit":
        for segment in unit.iterchildren("{*}segment"):
            yield _child(segment, "source"), _child(segment, "target")
        return
    source, target = _child(unit, "source"), _child(unit, "target")
    parts = _marked(_child(unit, "seg-source"))
    translations = _marked(target)
    if not parts or not translations:
        yield source, target
        return
    for number, part in parts.items():
        yield part, translations.get(number)


def _child(element: Any, name: str) -> Any:
    return next(element.iterchildren(f"{{*}}{name}"), None)


def _marked(element: Any) -> dict[str, Any]:
    """The segments within an element, by their numbers."""
    found = () if element is None else element.iter("{*}mrk")
    return {mark.get("mid", ""): mark for mark in found if mark.get("mtype") == "seg"}


def _name(element: Any) -> str:
    return str(etree.QName(element).localname)


def _parts(element: Any, counts: _Counts) -> Iterator[str]:
    """The texts of an element, with marks where words are parted."""
    yield element.text or ""
    for child in element:
        if child.tag is etree.Entity:
            raise counts.error(
                f"segment {counts.segments} contains the entity {child.text}",
                "text without DTD entities",
                remedy="Replace entities by their characters, for example with `xmllint --noent`",
            )
        name = _name(child)
        if name == "cp":  # a character that XML can't hold
            yield " "
        elif name in _PARTING or _kind(child) in _BREAKS:
            yield _MARK
        if name not in _DROPPED:
            yield from _parts(child, counts)
        yield child.tail or ""


def _kind(element: Any) -> str:
    """What an element stands for, without the prefix of a tool: ``lb`` of ``x-html-lb``."""
    kind = element.get("ctype") or element.get("subType") or element.get("type") or ""
    return str(re.split("[-:]", kind.lower())[-1])
