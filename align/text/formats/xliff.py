"""XLIFF 1.2 and 2.x in: segments with their translations, one at a time and in bounded memory."""

import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from lxml import etree

from ...errors import DataError, pluralize, warn
from ...files.inputs.opening import raise_damage
from ...files.text_io import on_one_line
from .languages import Languages, is_language
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


class _Counts:
    """What was seen and left out in the segments read so far."""

    def __init__(self, path: str | Path, languages: Languages | None) -> None:
        self.path, self.languages = path, languages
        self.segments = self.kept = self.lacking = self.first_lacking = 0
        self.other = self.parted = self.first_parted = 0
        self.seen: dict[str, None] = {}  # source and target languages, in order of appearance

    def error(self, seen: str, expected: str = "", remedy: str = "") -> DataError:
        return DataError(seen, expected, file=self.path, remedy=remedy)

    def check(self) -> None:
        """Raise DataError where no segment was kept, else warn of those that weren't."""
        languages = "-".join(self.languages or ())
        if self.segments and self.other == self.segments:
            raise self.error(
                f"no segment is in the languages {languages}; the languages are "
                f"{', '.join(self.seen)}",
                remedy="Choose one of these pairs (`languages=...`)",
            )
        if self.segments and not self.kept:
            raise self.error("no segment has a translation", "segments with <source> and <target>")
        total = pluralize(self.segments, "segment")
        if self.other:
            warn(f"{self.path}: {self.other} of {total} are not in {languages} and are skipped")
        if self.lacking:
            warn(
                f"{self.path}: the translation is missing in {self.lacking} of {total} (first: "
                f"segment {self.first_lacking}); such segments are skipped"
            )
        if self.parted:
            warn(
                f"{self.path}: a placeholder joins two words in {self.parted} of {total} (first: "
                f"segment {self.first_parted}); it is read as a space"
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
    swapped = _direction(unit, counts)
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
            counts.lacking += 1
            counts.first_lacking = counts.first_lacking or counts.segments
            continue
        if marks:
            counts.parted += 1
            counts.first_parted = counts.first_parted or counts.segments
        counts.kept += 1
        first, second = reversed(texts) if swapped else texts
        yield counts.segments, first, second


def _direction(unit: Any, counts: _Counts) -> bool | None:
    """Whether the sides of a unit are to be exchanged; None where it has other languages."""
    source, target = _languages(unit)
    counts.seen.setdefault(f"{source}-{target}")
    if counts.languages is None:
        if len(counts.seen) > 1:
            raise counts.error(
                f"the languages are {', '.join(counts.seen)}", "one pair of languages, or the two "
                "languages to read", remedy='Pass them, source first: `languages=("en", "es")`',
            )  # fmt: skip
        return False
    for swapped, wanted in enumerate((counts.languages, counts.languages[::-1])):
        if all(
            code == "?" or is_language(code, language)
            for code, language in zip((source, target), wanted, strict=True)
        ):
            return bool(swapped)
    return None


def _languages(unit: Any) -> tuple[str, str]:
    """Source and target language of a unit, ``?`` for one that isn't told."""
    source = target = None
    for above in unit.iterancestors("{*}file", "{*}xliff"):
        source = source or above.get("source-language") or above.get("srcLang")
        target = target or above.get("target-language") or above.get("trgLang")
    if target is None:
        element = next(unit.iterchildren("{*}target"), None)
        target = None if element is None else element.get(_LANG)
    return source or "?", target or "?"


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
