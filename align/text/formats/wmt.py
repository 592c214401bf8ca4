"""Test sets of WMT since 2021: XML whose documents hold sources, references and translations."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from ...errors import pluralize, warn
from ...files.inputs.opening import raise_damage
from ...files.text_io import on_one_line
from .languages import Languages
from .segments import UNTOLD, SegmentCounts
from .xml_elements import XmlElements

__all__ = ["read_documents"]

_BLOCK = 1 << 16


def read_documents(
    stream: BinaryIO, path: str | Path, languages: Languages | None, lead: bytes = b""
) -> Iterator[tuple[int, str, str]]:
    """Number, source and reference of the segments of a test set, after its bytes ``lead``.

    Segments are numbered from 1. Of several references of a document the first in the language is
    taken, and translations of systems are passed over. Segments without a reference are left out;
    DataWarning counts both. Languages are as in XLIFF.

    Raises DataError for malformed XML, a file that is no test set or has no segment in the
    languages, several pairs of languages where none is named, and a damaged archive.
    """
    counts, lines = SegmentCounts(path, languages), 1
    elements = XmlElements(path, ("{*}doc", "{*}collection"), "XML")
    several = 0

    def blocks() -> Iterator[bytes]:
        nonlocal lines
        for block in chain((lead,), iter(lambda: stream.read(_BLOCK), b"")):
            lines += block.count(b"\n")
            yield block

    for element in elements.read(blocks()):
        source = next(element.iterchildren("{*}src"), None)
        if source is not None:
            references = list(element.iterchildren("{*}ref"))
            reference, swapped = _chosen(source, references, counts)
            several += len({_language(one) for one in references}) < len(references)
            yield from _pairs(source, reference, swapped, counts)
    raise_damage(stream, path, lines)
    root = elements.root()
    if root != "dataset":
        raise counts.error(f"the root element is <{root}>", "<dataset>, as WMT has it")
    counts.check()
    if several:
        warn(
            f"{path}: {pluralize(several, 'document', 'has')} several references; the first one is "
            "used"
        )


def _language(element: Any) -> str:
    return element.get("lang") or UNTOLD


def _chosen(source: Any, references: list[Any], counts: SegmentCounts) -> tuple[Any, bool | None]:
    """The first reference of a document in the languages, and whether sides are exchanged."""
    swapped: bool | None = None
    for reference in references:
        swapped = counts.direction(_language(source), _language(reference))
        if swapped is not None:
            return reference, swapped
    return None, swapped if references else False


def _pairs(
    source: Any, reference: Any, swapped: bool | None, counts: SegmentCounts
) -> Iterator[tuple[int, str, str]]:
    """The segments of a document that have a reference."""
    found = {} if reference is None else dict(_texts(reference))
    for number, text in _texts(source):
        counts.segments += 1
        if swapped is None:
            counts.other += 1
        elif number not in found:
            counts.lacks()
        else:
            counts.kept += 1
            sides = (text, found[number])
            first, second = reversed(sides) if swapped else sides
            yield counts.segments, first, second


def _texts(side: Any) -> Iterator[tuple[str, str]]:
    """Number and text of each segment."""
    for segment in side.iter("{*}seg"):
        yield segment.get("id") or "", on_one_line("".join(segment.itertext()))
