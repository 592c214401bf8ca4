"""One JSON array that holds all sentences, as pipelines of Hugging Face give it.

An element is a sentence: an object with its only hypothesis, or a list of such objects. The array
may be one line, or many; an element at a time is parsed.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isogloss.align.errors import DataError
from isogloss.align.files.records import parse_json

from .fields import TEXTS, FieldFault, RecordFields
from .items import check_items

__all__ = ["ArrayReader", "is_array"]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_LONGEST = 1 << 25  # characters of an element


def is_array(begin: str, fields: RecordFields | None) -> bool:
    """Whether a list is one array, and not an array per line, which only ``fields`` explain."""
    first = begin.lstrip("\ufeff \t\n")
    if not first.startswith("["):
        return False
    inner = first[1:].lstrip(" \t\n")
    if inner[:1] not in ("[", "{", "]", ""):
        return False  # a line of a Moses list or the like
    line = first.partition("\n")[0].strip()
    return fields is None or inner.startswith("[") or not line.endswith("]")


class ArrayReader:
    """Takes the elements of an array out of its lines, as records of JSONL.

    path: of the list, for messages
    fields: text=NAME, features=NAME,NAME and metrics=NAME where hypotheses have other keys
    """

    def __init__(self, path: str | Path, fields: RecordFields | None = None) -> None:
        self._path, self._fields = path, fields
        self._depth = self._count = self._size = 0
        self._parts: list[str] = []  # of the element that has begun, or what stands between two
        self._line = 1

    def records(self, block: str, line: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Records of the elements that end in some lines, each with its first line's number.

        line: number of the first line

        Raises DataError with file and line for what is no such array.
        """
        for number, text in enumerate(block.split("\n"), start=line):
            begin = 0
            for token in _TOKEN.finditer(text):
                mark = token[0]
                if mark in "[{":
                    self._depth += 1
                    if self._depth == 2:
                        self._between(text[begin : token.start()], number)
                        begin, self._line = token.start(), number
                    elif self._depth == 1:
                        self._between(text[begin : token.start()], number)
                        begin = token.end()
                elif mark in "]}":
                    self._depth -= 1
                    if self._depth == 1:
                        self._parts.append(text[begin : token.end()])
                        begin = token.end()
                        yield self._line, self._record()
                    elif self._depth == 0:
                        self._between(text[begin : token.start()], number, end=True)
                        begin = token.end()
            self._keep(text[begin:], number)

    def _keep(self, text: str, number: int) -> None:
        """Keep the rest of a line, which goes on in the next one."""
        if self._depth < 2:
            if text.strip():
                self._parts.append(text)
            return
        self._parts.append(text)
        self._size += len(text)
        if self._size > _LONGEST:
            raise self._fault(number, f"an element has more than {_LONGEST} characters")

    def _between(self, text: str, number: int, *, end: bool = False) -> None:
        """Check what stands before an element, or before the end."""
        found = "".join([*self._parts, text]).strip(" \t\ufeff")
        self._parts = []
        wanted = "" if end or self._count == 0 else ","
        if found != wanted:
            seen = (
                f"there is {found[:60]!r} between two elements"
                if found
                else "a comma between elements is missing"
            )
            raise self._fault(number, seen)

    def _record(self) -> dict[str, Any]:
        """The record of the element that has ended."""
        text, self._parts, self._size = "\n".join(self._parts), [], 0
        try:
            value = parse_json(text)
        except DataError as error:
            raise self._fault(self._line, error.seen) from None
        number, self._count = self._count, self._count + 1
        hypotheses = value if isinstance(value, list) else [value]
        try:
            if self._fields is not None:
                return self._fields.record(hypotheses, number)
            return {"id": number, "hyps": list(map(_hypothesis, hypotheses))}
        except FieldFault as fault:
            raise self._fault(self._line, str(fault)) from None

    def end(self, line: int) -> None:
        """Raise DataError where the array has no end, or something is left over."""
        if self._depth or "".join(self._parts).strip():
            seen = "the array is truncated" if self._depth else "text follows the array"
            raise self._fault(line, seen)
        if self._fields and self._fields.per_item:
            check_items(self._count, self._fields.per_item, self._path, "element")

    def _fault(self, line: int, seen: str) -> DataError:
        return DataError(
            seen, '[[{"translation_text": "..."}, ...], ...], one list per sentence',
            file=self._path, line=line,
        )  # fmt: skip


def _hypothesis(value: Any) -> dict[str, Any]:
    """A hypothesis of ours. Raises FieldFault for another."""
    name = next((name for name in TEXTS if name in value), None) if _is_object(value) else None
    if name is None:
        raise FieldFault(f"a hypothesis has none of {', '.join(TEXTS)}")
    return {"text": value[name]}


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)
