"""TMX in: translation units, one at a time and in bounded memory."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from lxml import etree

from ...errors import DataError, pluralize, warn
from ...files.inputs.opening import raise_damage
from ...files.text_io import on_one_line
from .inline import InlineElements
from .languages import is_language
from .xml_elements import XmlElements

__all__ = ["read_units"]

_BLOCK = 1 << 16
_LANG = "{http://www.w3.org/XML/1998/namespace}lang"


class _Counts:
    """Counts of what was left out or chosen in the units read so far."""

    def __init__(self, path: str | Path, languages: tuple[str, str]) -> None:
        self.path, self.languages = path, languages
        self.units = self.lacking = self.first_lacking = self.varied = self.first_varied = 0
        self.disagreeing = self.segless = 0
        self.inline = InlineElements(path)
        self.first_disagreement: tuple[object, ...] = ()  # unit, what each side says
        self.seen: dict[str, None] = {}  # languages in order of appearance

    def check(self) -> None:
        """Raise DataError where no unit had both languages, else warn of those without."""
        names = f"{self.languages[0]} or {self.languages[1]}"
        if self.segless and self.lacking == self.units:
            raise DataError(
                f"no unit has a <seg> in both {self.languages[0]} and {self.languages[1]}; it is "
                f"missing in <tuv> of {pluralize(self.segless, 'unit')}",
                "the text of each <tuv> in a <seg>",
                file=self.path,
                remedy="Export the memory again with its text, or rename the elements",
            )
        if self.units and self.lacking == self.units:
            raise DataError(
                f"no unit contains both {self.languages[0]} and {self.languages[1]}; the languages "
                f"are {', '.join(self.seen) or '(none)'}",
                file=self.path,
                remedy="Choose two of its languages (`languages=...`)",
            )
        if self.lacking:
            warn(
                f"{self.path}: {names} is missing in {self.lacking} of "
                f"{pluralize(self.units, 'unit')} (first: unit {self.first_lacking}); such units "
                f"are skipped{self._shown_segless}"
            )
        self.inline.warn(self.units)
        if self.varied:
            warn(
                f"{self.path}: there are several variants of {names} in {self.varied} of "
                f"{pluralize(self.units, 'unit')} (first: unit {self.first_varied}); the first "
                "variant is used"
            )
        if self.disagreeing:
            number, first, second, *_ = self.first_disagreement
            warn(
                f"{self.path}: the labels of both sides differ in {self.disagreeing} of "
                f"{pluralize(self.units, 'unit')} (first: unit {number}, {first!r} and "
                f"{second!r}); such labels are ignored"
            )

    @property
    def _shown_segless(self) -> str:
        if not self.segless:
            return ""
        have = "has" if self.segless == 1 else "have"
        return f"; {self.segless} of them {have} a <tuv> without <seg>"


def read_units(
    stream: BinaryIO,
    path: str | Path,
    languages: tuple[str, str] | None,
    lead: bytes = b"",
    prop: str = "",
) -> Iterator[tuple[int, str, str, str | None]]:
    """Number, source and target text of the units of a TMX stream, after its first bytes ``lead``.

    The fourth is the text of their first ``<prop type=PROP>``, or, where the unit has none itself,
    of its two sides; None where there is none, or the sides disagree, which DataWarning counts.

    Units are numbered from 1. Native codes (``bpt``, ``ept``, ``ph``, ``it``, ``ut``, ``sub``) are
    dropped with their text; what isn't a mere change of format, such as ``ph``, parts words. Line
    breaks become blanks. Of several variants of a language the first is taken; units without one of
    the languages are left out; DataWarning counts both.

    Raises DataError for malformed XML, an entity of a DTD, a file that is no TMX or holds no unit
    in both languages, no languages named, and a damaged archive.
    """
    elements = XmlElements(path, ("{*}tu",), "TMX")
    counts, lines = _Counts(path, languages or ("", "")), 1

    def blocks() -> Iterator[bytes]:
        nonlocal lines
        for block in chain((lead,), iter(lambda: stream.read(_BLOCK), b"")):
            lines += block.count(b"\n")
            yield block

    for unit in elements.read(blocks()):
        counts.units += 1
        if languages is None:
            raise _languages_wanted(unit, path)
        texts = _side_texts(unit, counts)
        if texts is None:
            counts.lacking += 1
            counts.first_lacking = counts.first_lacking or counts.units
        else:
            yield counts.units, *texts, _property(unit, prop, counts)
    raise_damage(stream, path, lines)
    root = elements.root()
    if root != "tmx":
        raise DataError(
            f"the root element is <{root}>",
            "TMX",
            file=path,
            remedy="Convert the file to TMX, TSV or two line-aligned files",
        )
    counts.check()


def _property(unit: Any, name: str, counts: _Counts) -> str | None:
    """The text of the first property of a unit that has this type, or else of its two sides."""
    # None where the sides don't agree.
    own = next(_properties(unit, name), None)
    if own is not None:
        return own
    told = {
        value: None
        for variant in unit.iterchildren("{*}tuv")
        if any(is_language(_language(variant), wanted) for wanted in counts.languages)
        for value in _properties(variant, name)
    }
    if len(told) > 1:
        counts.disagreeing += 1
        counts.first_disagreement = counts.first_disagreement or (counts.units, *told)
    return next(iter(told)) if len(told) == 1 else None


def _properties(element: Any, name: str) -> Iterator[str]:
    """The texts of the properties of this type that stand right below an element."""
    for prop in element.iterchildren("{*}prop"):
        if prop.get("type") == name:
            yield on_one_line("".join(prop.itertext()))


def _language(variant: Any) -> str:
    return variant.get(_LANG) or variant.get("lang") or "?"


def _languages_wanted(unit: Any, path: str | Path) -> DataError:
    codes = [_language(variant) for variant in unit.iterchildren("{*}tuv")]
    return DataError(
        f"the languages of the units are {', '.join(codes) or '(none)'}",
        "the two languages to read",
        file=path,
        remedy='Pass them, source first: `languages=("en", "es")`',
    )


def _side_texts(unit: Any, counts: _Counts) -> tuple[str, str] | None:
    """Text of a unit in both languages, None where one is missing."""
    texts: list[str | None] = [None, None]
    varied = segless = False
    for variant in unit.iterchildren("{*}tuv"):
        code = _language(variant)
        counts.seen.setdefault(code)
        segment = next(variant.iterchildren("{*}seg"), None)
        if segment is None:
            segless = segless or any(is_language(code, wanted) for wanted in counts.languages)
            continue
        for side, wanted in enumerate(counts.languages):
            if is_language(code, wanted):
                if texts[side] is None:
                    texts[side] = _text(segment, counts)
                else:
                    varied = True
    if varied:
        counts.varied += 1
        counts.first_varied = counts.first_varied or counts.units
    source, target = texts
    counts.segless += segless and (source is None or target is None)
    return None if source is None or target is None else (source, target)


def _text(segment: Any, counts: _Counts) -> str:
    """Text of a segment on one line, without native codes."""
    if len(segment):
        for entity in segment.iter(etree.Entity):
            raise DataError(
                f"unit {counts.units} contains the entity {entity.text}",
                "text without DTD entities",
                file=counts.path,
                remedy="Replace entities by their characters, for example with `xmllint --noent`",
            )
        return on_one_line(counts.inline.text(segment, counts.units))
    return on_one_line(segment.text or "")
