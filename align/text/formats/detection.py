"""The format of a file of pairs, told by how it begins."""

import re
from pathlib import Path
from typing import BinaryIO

from ...errors import DataError
from ...files.records import parse_json
from ...files.tables.reading import TABLES
from ...files.text_io import FIELD_SEPARATOR, LONGEST_LINE, split_fields

__all__ = ["BITEXT_FORMATS", "LEAD", "detect_format", "first_lines", "xml_format"]

BITEXT_FORMATS = ("pairs", "tsv", "jsonl", "tmx", "xliff", "wmt", *TABLES)
LEAD = 1 << 16  # bytes of a first line that tell XML, which may be one line as a whole
_NO_ELEMENT = re.compile(rb"<!--(?:[^-]|-(?!->))*(?:-->|\Z)|<\?(?:[^?]|\?(?!>))*(?:\?>|\Z)")
_TABS_BESIDE = re.compile(r"\t\|\|\|\t")  # a separator of pairs with tabs around it
_OUTERMOST = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_BY_ROOT = {b"xliff": "xliff", b"dataset": "wmt"}
_ROOTS = (b"tmx", *_BY_ROOT)
_XML = (b"<?xml", *(b"<" + root for root in _ROOTS), *(b"<!DOCTYPE " + root for root in _ROOTS))
_BOMS = b"\xff\xfe\xef\xbb\xbf"


def first_lines(stream: BinaryIO) -> list[bytes]:
    """Lines up to the first that is not blank; of XML only the first bytes."""
    lines = []
    while line := stream.readline(LEAD):
        if not (line.endswith(b"\n") or _is_xml(line)):
            line += stream.readline(LONGEST_LINE)
        lines.append(line)
        if line.strip():
            break
    return lines


def _is_xml(line: bytes) -> bool:
    text = line[:200].replace(b"\0", b"").lstrip(_BOMS + b" \t\r\n")  # UTF-16 as well
    return text.startswith(_XML)


def detect_format(lines: list[bytes], path: str | Path) -> str:
    """Format of a one-file bitext, told by the last of its first ``lines``.

    Raises DataError where it fits no format, or more than one.
    """
    if not lines or not lines[-1].strip():
        return BITEXT_FORMATS[0]  # blank pairs only: no format differs from another
    if _is_xml(lines[-1]):
        return "tmx"
    text = lines[-1].decode(errors="replace").removeprefix("\ufeff").rstrip("\r\n")
    if text.lstrip().startswith("{") and _is_json(text):
        return "jsonl"
    marks = {
        "jsonl": text.lstrip().startswith("{"),
        "pairs": len(split_fields(text)) > 1,
        "tsv": "\t" in _TABS_BESIDE.sub("", text),
    }
    formats = [format for format, fits in marks.items() if fits]
    if len(formats) == 1:
        return formats[0]
    raise DataError(
        f"the format is ambiguous: {' or '.join(formats)}"
        if formats
        else f"the format is unknown: the line contains no {FIELD_SEPARATOR}, tab, JSON or XML",
        "both sides of a pair per line (pairs, tsv, jsonl) or unit (tmx)",
        file=path,
        line=len(lines),
        remedy=("Set" if formats else "Pass the target file as well, or set") + " `format=...`",
    )


def xml_format(begin: bytes) -> str:
    """Format of a bitext in XML, by its first bytes and its outermost element."""
    plain = _NO_ELEMENT.sub(b"", begin.replace(b"\0", b""))  # UTF-16 as well
    found = _OUTERMOST.search(plain)
    return _BY_ROOT.get(found[1], "tmx") if found else "tmx"


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except DataError:
        return False
    return True
