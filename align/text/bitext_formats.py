"""Bitexts in every format: two line-aligned files, or one file of pairs (text, TSV, JSONL, TMX)."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..errors import DataError, OptionError, UsageError, pluralize, shown_file, warn
from ..files.records import parse_json
from ..files.text_io import (
    FIELD_SEPARATOR,
    LONGEST_LINE,
    ArrivingLines,
    decode_lines,
    iter_lines,
    on_one_line,
    open_binary,
    raise_damage,
    split_fields,
    stream_lines,
)
from .languages import is_language

__all__ = [
    "BITEXT_FORMATS",
    "Forgive",
    "Languages",
    "Pair",
    "PairStream",
    "check_line_counts",
    "detect_format",
    "iter_pairs",
    "open_pairs",
    "parse_languages",
]

DOMAIN = "domain"  # the property or key that is taken to name the domain of a pair
BITEXT_FORMATS = ("pairs", "tsv", "jsonl", "tmx")
_SIDES = (("source", "target"), ("src", "tgt"), ("src", "trg"))  # keys of JSONL
_LEAD = 1 << 16  # bytes of a first line that tell XML, which may be one line as a whole
_BOMS = b"\xff\xfe\xef\xbb\xbf"
_SURROGATE = re.compile("[\ud800-\udfff]")  # what JSON can write but UTF-8 can't

Languages = tuple[str, str]
Forgive = Callable[[int, DataError], None]  # told of the number of a line, and what is wrong


class Pair(NamedTuple):
    """A sentence pair as it stands in a file.

    source, target: text of the sides; links: Pharaoh text of a TSV's third column, else None;
    number: 1-based line, or number of the unit in TMX.
    label: the property of a TMX unit, or the key of a JSON line, that was asked for; None = none
    rest: text of a TSV's columns behind the third, which nothing reads; None = none
    """

    source: str
    target: str
    links: str | None
    number: int
    label: str | None = None
    rest: str | None = None


class PairStream(NamedTuple):
    """An open bitext: its pairs, read as they are asked for, and what numbers them.

    counted: "line", or "unit" in TMX.
    arriving: the lines of a file that is read as it comes in
    """

    counted: str
    pairs: Iterator[Pair]
    arriving: ArrivingLines | None = None


class _Asked(NamedTuple):
    """What is read of a pair where a file has more: languages of the sides, what labels it."""

    languages: Languages | None
    prop: str | None

    @property
    def key(self) -> str:
        """What is taken to name the domain of a pair."""
        return DOMAIN if self.prop is None else self.prop

    def labeled(self, pairs: Iterator[Pair], path: str | Path) -> Iterator[Pair]:
        """Pairs with the labels that were asked for; warns of domains that nobody asked for."""
        passed_over = ""
        for pair in pairs:
            if self.prop is None and pair.label is not None:
                passed_over = passed_over or pair.label
                pair = pair._replace(label=None)
            yield pair
        if passed_over:
            warn(
                f"{shown_file(path)}: the property {self.key!r}, such as {passed_over!r}, is "
                f'ignored; to use it as domain label, pass `labels="prop:{self.key}"` to '
                "`isogloss align`"
            )


def parse_languages(text: str) -> Languages:
    """Two language codes, source first: ``en-es``, or ``en-GB,es-ES`` with regions.

    Raises UsageError for another form, or where one code is a variety of the other.
    """
    codes = text.split("," if "," in text else "-")
    if len(codes) != 2 or not all(codes):
        raise OptionError("langs", "two codes such as en-es, or en-GB,es-ES with regions", text)
    source, target = codes
    if is_language(source, target) or is_language(target, source):
        raise OptionError("langs", "two different languages", text)
    return source, target


@contextmanager
def open_pairs(
    source: str | Path,
    target: str | Path | None = None,
    *,
    format: str | None = None,
    languages: Languages | None = None,
    arriving: bool = False,
    prop: str | None = None,
    forgive: Forgive | None = None,
) -> Iterator[PairStream]:
    """Open two line-aligned files, or one file of pairs in any of :data:`BITEXT_FORMATS`.

    The format of one file is recognized by its content (TMX by ``<?xml`` or ``<tmx``, JSONL by a
    ``{``, pairs by `` ||| ``, TSV by a tab in the first line that is not blank) unless ``format``
    names it. ``languages`` (source, target) choose the sides of TMX and of JSONL translations.
    ``arriving``: take lines of one file as soon as they are there. ``prop``: the property of TMX
    units, or the key of JSON lines, that labels pairs. ``forgive``: told of each line that can't be
    read, which is an empty pair then; not of TMX.

    Raises UsageError for a ``format`` that is unknown or given with two files; DataError where the
    format can't be told, and while the pairs are read: for different line counts, and with file and
    line for each line that is not of the format.
    """
    if format is not None and format not in BITEXT_FORMATS:
        raise OptionError("format", f"one of {', '.join(BITEXT_FORMATS)}", format)
    if format is not None and target is not None:
        raise UsageError("a bitext in two files has no other format; omit `format=...`")
    if target is not None:
        yield PairStream("line", _two_files(source, target))
        return
    asked = _Asked(languages, prop)
    with open_binary(source, until_damage=True) as stream:
        lead = _first_lines(stream)
        raise_damage(stream, source, len(lead))
        format = format or detect_format(lead, source)
        if format == "tmx":
            from .tmx import read_units  # lxml, which nothing else needs

            units = read_units(stream, source, languages, b"".join(lead), asked.key)
            found = (Pair(left, right, None, number, name) for number, left, right, name in units)
            yield PairStream("unit", asked.labeled(found, source))
        else:
            arrived = ArrivingLines(stream, source, lead) if arriving else None
            raw = arrived or stream_lines(stream, source, lead)
            read = partial(_READERS[format], path=source, asked=asked)
            if forgive is None:
                pairs = read(decode_lines(raw, source))
            else:
                pairs = _forgiven(raw, source, read, forgive)
            pairs = asked.labeled(pairs, source)
            yield PairStream("line", pairs, arrived)


def _forgiven(
    raw: Iterable[bytes],
    path: str | Path,
    read: Callable[[Iterator[str]], Iterator[Pair]],
    forgive: Forgive,
) -> Iterator[Pair]:
    """The pair of each line, an empty one where it can't be read."""
    for number, line in enumerate(raw, start=1):
        pair = Pair("", "", None, number)
        try:
            for found in read(decode_lines([line], path, number)):
                pair = found._replace(number=number)
        except DataError as error:
            forgive(number, error)
        yield pair


def iter_pairs(
    source: str | Path,
    target: str | Path | None = None,
    *,
    format: str | None = None,
    languages: Languages | None = None,
) -> Iterator[Pair]:
    """Pairs of a bitext one at a time, in memory that does not grow with the file.

    Arguments and errors are those of :func:`open_pairs`.
    """
    with open_pairs(source, target, format=format, languages=languages) as stream:
        yield from stream.pairs


def check_line_counts(
    source: str | Path, num_source: int, target: str | Path, num_target: int
) -> None:
    """Raise DataError where two line-aligned files differ in length."""
    if num_source != num_target:
        raise DataError(
            f"the file has {pluralize(num_target)}, but {source} has {num_source}",
            "two files with one line per sentence pair",
            file=target,
            line=min(num_source, num_target) + 1,
            remedy="Look for a missing or duplicated line break in one of them",
        )


def _two_files(source: str | Path, target: str | Path) -> Iterator[Pair]:
    sides = iter_lines(source), iter_lines(target)
    for number, (left, right) in enumerate(zip_longest(*sides), start=1):
        if left is None:
            check_line_counts(source, number - 1, target, number + sum(1 for _ in sides[1]))
        elif right is None:
            check_line_counts(source, number + sum(1 for _ in sides[0]), target, number - 1)
        yield Pair(left, right, None, number)


def _first_lines(stream: BinaryIO) -> list[bytes]:
    """Lines up to the first that is not blank; of XML only the first bytes."""
    lines = []
    while line := stream.readline(_LEAD):
        if not (line.endswith(b"\n") or _is_xml(line)):
            line += stream.readline(LONGEST_LINE)
        lines.append(line)
        if line.strip():
            break
    return lines


def _is_xml(line: bytes) -> bool:
    text = line[:200].replace(b"\0", b"").lstrip(_BOMS + b" \t\r\n")  # UTF-16 as well
    return text.startswith((b"<?xml", b"<tmx", b"<!DOCTYPE tmx"))


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
        "tsv": "\t" in text,
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


def _is_json(text: str) -> bool:
    try:
        parse_json(text)
    except DataError:
        return False
    return True


def _separated(lines: Iterator[str], path: str | Path, asked: _Asked) -> Iterator[Pair]:
    for number, line in enumerate(lines, start=1):
        fields = split_fields(line)
        if len(fields) != 2 and line.strip(" \t"):
            raise DataError(
                f"the line has {pluralize(len(fields), 'field')}",
                f"source {FIELD_SEPARATOR} target, with spaces around the separator",
                file=path,
                line=number,
                remedy="Correct the line, or choose another format (`format=...`)",
            )
        yield Pair(fields[0], fields[-1], None, number)


def _tabbed(lines: Iterator[str], path: str | Path, asked: _Asked) -> Iterator[Pair]:
    for number, line in enumerate(lines, start=1):
        source, *fields = line.split("\t", maxsplit=3)
        if not fields and line.strip(" "):
            raise DataError(
                "the line has 1 column",
                "source and target, separated by a tab",
                file=path,
                line=number,
                remedy="Correct the line, or choose another format (`format=...`)",
            )
        target, links, rest = (*fields, None, None, None)[:3]
        yield Pair(source, target or "", links, number, rest=rest)


def _objects(lines: Iterator[str], path: str | Path, asked: _Asked) -> Iterator[Pair]:
    for number, line in enumerate(lines, start=1):
        source = target = ""
        label = None
        try:
            if line.strip(" \t"):
                record = _json_record(line)
                source, target = _json_sides(record, asked.languages)
                label = _json_label(record, asked)
        except DataError as error:
            raise error.placed(path, number) from error
        yield Pair(on_one_line(source), on_one_line(target), None, number, label)


def _json_label(record: Any, asked: _Asked) -> str | None:
    """What labels a pair. Raises DataError for anything but text, where it was asked for."""
    value = record.get(asked.key)
    if value is not None and not isinstance(value, str):
        if asked.prop is None:
            return None
        raise DataError(f"{asked.key} is {json.dumps(value)[:40]}", "the name of a domain")
    return value


def _json_record(line: str) -> Any:
    try:
        record = parse_json(line)
    except DataError as error:
        raise DataError(
            error.seen,
            "a JSON object on each line",
            remedy="Correct the line, or choose another format (`format=...`)",
        ) from error
    return record


def _json_sides(record: Any, languages: Languages | None) -> tuple[str, str]:
    """Both sides of a JSON line; the DataError of a bad one does not know its place."""
    record, keys = _side_keys(record, languages)
    source, target = (record[key] for key in keys)
    for key, text in zip(keys, (source, target), strict=True):
        if not isinstance(text, str):
            raise DataError(f"{key} is {json.dumps(text)[:40]}", "a string")
        if _SURROGATE.search(text):
            raise DataError(f"{key} contains an unpaired surrogate", "valid Unicode")
    return source, target


def _side_keys(record: Any, languages: Languages | None) -> tuple[dict[str, Any], Languages]:
    """The object that holds both sides, and their keys."""
    expected = "the keys source and target, src and tgt, src and trg, or translation"
    if not isinstance(record, dict):
        raise DataError(f"the JSON value is not an object: {json.dumps(record)[:40]}", expected)
    for keys in _SIDES:
        if keys[0] in record and keys[1] in record:
            return record, keys
    translation = record.get("translation")
    if not isinstance(translation, dict):
        raise DataError(f"the record has the keys {', '.join(record) or '(none)'}", expected)
    seen = f"the translation has {', '.join(translation) or 'no languages'}"
    if languages is None:
        raise DataError(
            seen, "the two languages to read",
            remedy='Pass them, source first: `languages=("en", "es")`',
        )  # fmt: skip
    sides = [next((key for key in translation if is_language(key, code)), "") for code in languages]
    if not all(sides):
        remedy = "Choose other languages (`languages=...`)"
        raise DataError(seen, " and ".join(languages), remedy=remedy)
    return translation, (sides[0], sides[1])


_READERS: dict[str, Callable[..., Iterator[Pair]]] = {
    "pairs": _separated,
    "tsv": _tabbed,
    "jsonl": _objects,
}
