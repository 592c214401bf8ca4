"""Dictionaries as TBX-Basic, the form in which terminology databases exchange terms."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from lxml import etree

from isogloss.align.text.formats.languages import Languages

from .entries import Entry

__all__ = ["tbx_lines"]

_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
_NAMESPACE = "urn:iso:std:iso:30042:ed-2"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_INDENT = "      "


def tbx_lines(
    shown: Iterable[tuple[Entry, Sequence[tuple[int, str, str]]]], languages: Languages
) -> Iterator[str]:
    """Lines of a TBX document: ISO 30042:2019, TBX-Basic in DCA style.

    Each pair is a concept of its own, with its domain as subject field, and a note with its
    confidence and counts; examples, line and text of both sides, are contexts whose source is the
    line. Characters that XML 1.0 can't hold become U+FFFD.

    languages: source and target
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield (
        f'<tbx xmlns="{_NAMESPACE}" type="TBX-Basic" style="dca" xml:lang={_quoted(languages[0])}>'
    )
    yield "  <tbxHeader>"
    yield "    <fileDesc>"
    yield "      <titleStmt><title>Translation pairs of a bitext</title></titleStmt>"
    yield "      <sourceDesc><p>Extracted from an aligned bitext by isogloss</p></sourceDesc>"
    yield "    </fileDesc>"
    yield "  </tbxHeader>"
    yield "  <text>"
    yield "    <body>"
    for number, (entry, examples) in enumerate(shown, start=1):
        concept = _concept(f"c{number}", entry, examples, languages)
        etree.indent(concept, space="  ", level=3)
        yield _INDENT + etree.tostring(concept, encoding="unicode")
    yield "    </body>"
    yield "  </text>"
    yield "</tbx>"


def _concept(
    name: str, entry: Entry, examples: Sequence[tuple[int, str, str]], languages: Languages
) -> Any:
    concept = etree.Element("conceptEntry", id=name)
    if entry.special is not None:
        _add(concept, "descrip", entry.domain, "subjectField")
    _add(concept, "note", _note(entry))
    for side, (language, term) in enumerate(
        zip(languages, (entry.source, entry.target), strict=True), start=1
    ):
        section = etree.SubElement(concept, "langSec", {_LANG: language})
        term_section = etree.SubElement(section, "termSec")
        _add(term_section, "term", term)
        for example in examples:
            group = etree.SubElement(term_section, "descripGrp")
            _add(group, "descrip", str(example[side]), "context")
            _add(group, "admin", f"line {example[0]}", "source")
    return concept


def _note(entry: Entry) -> str:
    special = ""
    if entry.special is not None and entry.llr is not None:
        special = f"; special {entry.special:.2f}; log-likelihood ratio {entry.llr:.1f}"
    return (
        f"confidence {entry.confidence:.4f}{special}; count {entry.count:.1f}; "
        f"p(target|source) {entry.target_probability:.4f}; "
        f"p(source|target) {entry.source_probability:.4f}"
    )


def _add(parent: Any, tag: str, text: str, kind: str = "") -> None:
    element = etree.SubElement(parent, tag, {"type": kind} if kind else {})
    element.text = _NOT_XML.sub("\ufffd", text)


def _quoted(text: str) -> str:
    escaped = _NOT_XML.sub("\ufffd", text).replace("&", "&amp;").replace("<", "&lt;")
    return '"' + escaped.replace('"', "&quot;") + '"'
