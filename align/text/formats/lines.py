"""Pairs in lines: both sides separated by `` ||| `` or a tab, or as keys of a JSON object."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ...errors import DataError, pluralize
from ...files.records import parse_json
from ...files.text_io import FIELD_SEPARATOR, on_one_line, split_fields
from .languages import Languages, is_language
from .pair import Asked, Pair

__all__ = ["READERS"]

SIDES = (("source", "target"), ("src", "tgt"), ("src", "trg"))  # keys of JSONL
_SURROGATE = re.compile("[\ud800-\udfff]")  # what JSON can write but UTF-8 can't


def _separated(lines: Iterator[str], path: str | Path, asked: Asked) -> Iterator[Pair]:
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


def _tabbed(lines: Iterator[str], path: str | Path, asked: Asked) -> Iterator[Pair]:
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


def _objects(lines: Iterator[str], path: str | Path, asked: Asked) -> Iterator[Pair]:
    for number, line in enumerate(lines, start=1):
        source = target = ""
        label = None
        try:
            if line.strip(" \t"):
                record = _json_record(line)
                source, target = _json_sides(record, asked)
                label = _json_label(record, asked)
        except DataError as error:
            raise error.placed(path, number) from error
        yield Pair(on_one_line(source), on_one_line(target), None, number, label)


def _json_label(record: Any, asked: Asked) -> str | None:
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


def _json_sides(record: Any, asked: Asked) -> tuple[str, str]:
    """Both sides of a JSON line; the DataError of a bad one does not know its place."""
    if asked.columns is not None:
        keys = asked.columns
        source, target = (_value(record, key) for key in keys)
    else:
        record, keys = _side_keys(record, asked.languages)
        source, target = (record[key] for key in keys)
    for key, text in zip(keys, (source, target), strict=True):
        if not isinstance(text, str):
            raise DataError(f"{key} is {json.dumps(text)[:40]}", "a string")
        if _SURROGATE.search(text):
            raise DataError(f"{key} contains an unpaired surrogate", "valid Unicode")
    return source, target


def _value(record: Any, key: str) -> Any:
    """The value of a key, or of one in an object in the record: ``translation.en``."""
    found = record
    for name in [key] if isinstance(record, dict) and key in record else key.split("."):
        if not isinstance(found, dict) or name not in found:
            names = ", ".join(record) if isinstance(record, dict) else "no keys"
            raise DataError(f"the record has the keys {names or '(none)'}", f"the key {key}")
        found = found[name]
    return found


def _side_keys(record: Any, languages: Languages | None) -> tuple[dict[str, Any], Languages]:
    """The object that holds both sides, and their keys."""
    expected = "the keys source and target, src and tgt, src and trg, translation, or languages"
    if not isinstance(record, dict):
        raise DataError(f"the JSON value is not an object: {json.dumps(record)[:40]}", expected)
    for keys in SIDES:
        if keys[0] in record and keys[1] in record:
            return record, keys
    translation = record.get("translation")
    if translation is None and languages is not None:
        named = _of_languages(record, languages)
        if named is not None:
            return record, named
    if not isinstance(translation, dict):
        raise DataError(f"the record has the keys {', '.join(record) or '(none)'}", expected)
    seen = f"the translation has {', '.join(translation) or 'no languages'}"
    if languages is None:
        raise DataError(
            seen, "the two languages to read",
            remedy='Pass them, source first: `languages=("en", "es")`',
        )  # fmt: skip
    named = _of_languages(translation, languages)
    if named is not None:
        return translation, named
    remedy = "Choose other languages (`languages=...`)"
    raise DataError(seen, " and ".join(languages), remedy=remedy)


def _of_languages(record: dict[str, Any], languages: Languages) -> Languages | None:
    """The keys of a record that name the languages, None where one lacks."""
    source, target = (
        next((key for key in record if is_language(key, code)), "") for code in languages
    )
    return (source, target) if source and target else None


READERS: dict[str, Callable[..., Iterator[Pair]]] = {
    "pairs": _separated,
    "tsv": _tabbed,
    "jsonl": _objects,
}
