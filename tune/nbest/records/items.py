"""Lists without ids, in which each N lines are the hypotheses of a sentence.

A line is a hypothesis and its scores, separated by tabs, as beam searches of NeMo write them, or
``SCORE ||| HYPOTHESIS``, as those of OpenNMT-tf and CTranslate2 do.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.numerals import parse_number
from isogloss.align.files.text_io import FIELD_SEPARATOR

from .fields import FieldFault, RecordFields

__all__ = ["ItemLines", "check_items"]

_SCORE = "score"
_SCORED = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)? \|\|\| [^\t]*")


class ItemLines:
    """Brings the lines of each item together as a record of JSONL.

    fields: features=NAME,NAME are the names of the scores; else it is ``score``, or ``score.0``,
        ``score.1`` where there are several
    """

    form: ClassVar[str] = "a hypothesis and its scores, separated by tabs, as in the first line"

    def __init__(self, fields: RecordFields) -> None:
        self._size, self._names = fields.per_item, list(fields.features)
        self._score_first: bool | None = None
        self._hyps: list[dict[str, Any]] = []
        self._count = 0

    def records(self, block: str, line: int) -> Iterator[tuple[int, dict[str, Any]]]:
        """Records that end in some lines, each with the number of its first line.

        line: number of the first line

        Raises FieldFault with the number of the line for one that can't be read.
        """
        for number, text in enumerate(block.split("\n"), start=line):
            try:
                self._hyps.append(self._hypothesis(text))
            except ValueError as error:
                raise FieldFault(number, str(error)) from None
            if len(self._hyps) == self._size:
                yield number + 1 - self._size, {"id": self._count, "hyps": self._hyps}
                self._hyps = []
                self._count += 1

    def _hypothesis(self, line: str) -> dict[str, Any]:
        if self._score_first is None:
            self._score_first = _SCORED.fullmatch(line) is not None
        if self._score_first:
            value, bar, text = line.partition(f" {FIELD_SEPARATOR} ")
            values = [value] if bar else []
        else:
            text, *values = line.split("\t")
        self._names = self._names or _names(len(values))
        if len(values) != len(self._names):
            raise ValueError(
                f"the line has {pluralize(len(values), 'score')} instead of {len(self._names)}"
            )
        numbers = map(parse_number, values)
        return {"text": text, "features": dict(zip(self._names, numbers, strict=True))}


def _names(count: int) -> list[str]:
    return [_SCORE] if count == 1 else [f"{_SCORE}.{number}" for number in range(count)]


def check_items(count: int, per_item: int, path: str | Path, what: str = "line") -> None:
    """Raise DataError where lines, or what else holds a hypothesis each, are left over."""
    if count % per_item:
        raise DataError(
            f"the file has {pluralize(count, what)}",
            f"a multiple of {per_item}, the number of hypotheses of each sentence", file=path,
            remedy="Check that the file is complete, and correct the number (`per_item=...`)",
        )  # fmt: skip
