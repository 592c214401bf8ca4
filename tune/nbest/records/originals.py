"""Records as they were given, with all keys and line breaks, for lists that are written anew."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.text.string_array import Texts

from .fields import RecordFields, value_at, with_value_at

__all__ = ["Keeping", "OriginalRecord", "Originals", "dumped", "original_record", "score_key"]

_SCORE = "score"
_LIST, _COLUMNS, _BARE, _SINGLE = "list", "columns", "bare", "single"


class Keeping(NamedTuple):
    """What is kept of records of JSON.

    records: all of them, as they were given; repeats: of these also repeated hypotheses
    tells: warn of line breaks that are not kept
    """

    records: bool = False
    repeats: bool = False
    tells: bool = False

    @classmethod
    def of(cls, given: "bool | Keeping") -> "Keeping":
        """The same, or whether records are kept."""
        return given if isinstance(given, cls) else cls(bool(given))


class OriginalRecord(NamedTuple):
    """A record in parts, each of JSON.

    frame: what it is without its hypotheses
    hypotheses: of each, what was given
    has_score: whether it has a score where a new one would be written
    """

    frame: str
    hypotheses: list[str]
    has_score: bool


@dataclass(frozen=True, eq=False)
class Originals(ComparedByContent):
    """What the records of a list were, by hypothesis and by sentence.

    hypotheses: JSON of each, empty where there was none
    frames: JSON of the first record of each sentence without its hypotheses, empty for none
    score: key of the new score
    """

    hypotheses: Texts
    frames: Texts
    score: str = "score"

    def part(self, sentences: NDArray[np.int64], begin: int, end: int) -> "Originals":
        """Those of some sentences, int64[n], and of the hypotheses ``begin`` to ``end``."""
        return Originals(
            self.hypotheses.part(begin, end), self.frames.select(sentences), self.score
        )

    def lines(
        self, sentence: int, hypotheses: Sequence[int], scores: Sequence[float]
    ) -> Iterator[str] | None:
        """The records of a sentence with some of its hypotheses and their scores, in this order.

        None where they can't be written as they were given, as there is no record, or hypotheses
        come from lists of several forms.
        """
        if not (frame := self.frames[sentence]):
            return None
        form, name, record = json.loads(frame)
        given = [self.hypotheses[k] for k in hypotheses]
        values = [json.loads(text) for text in given if text]
        if len(values) < len(given) or any(
            isinstance(value, dict) == (form == _COLUMNS) for value in values
        ):
            return None
        if form == _COLUMNS:
            return iter([self._columns(name, record, values, scores)])
        scored = [{**value, self.score: score} for value, score in zip(values, scores, strict=True)]
        if form == _SINGLE:
            return map(dumped, scored)
        return iter([dumped(with_value_at(record, name, scored) if form == _LIST else scored)])

    def _columns(
        self, name: str, record: dict[str, Any], values: list[Any], scores: Sequence[float]
    ) -> str:
        record = with_value_at(record, name, [text for text, _ in values])
        for column in values[0][1] if values else ():
            record = with_value_at(record, column, [numbers[column] for _, numbers in values])
        return dumped({**record, self.score: list(scores)})


def score_key(fields: RecordFields | None, *, taken: bool = False) -> str:
    """The key of a new score: ``score``, or another where fields read one of this name.

    taken: whether records have a score already
    """
    read = fields is not None and _SCORE in (*fields.features, *fields.metrics)
    return f"new_{_SCORE}" if taken or read else _SCORE


def original_record(value: Any, fields: RecordFields | None) -> OriginalRecord:
    """The parts of a record that could be read."""
    if isinstance(value, list):
        return _parts(_BARE, "", None, value)
    assert isinstance(value, dict)
    name = fields.name("hyps") if fields else "hyps"
    listed = value_at(value, name)
    if fields and not isinstance(listed, list):
        name = fields.name("text")
        listed = value_at(value, name)
        if not isinstance(listed, list):
            return _parts(_SINGLE, "", None, [value])
    if fields is None or all(isinstance(one, dict) for one in listed):
        return _parts(_LIST, name, with_value_at(value, name, []), listed)
    columns = _columns(value, name, len(listed), fields)
    texts = [
        [text, {column: value_at(value, column)[k] for column in columns}]
        for k, text in enumerate(listed)
    ]
    for column in (name, *columns):
        value = with_value_at(value, column, [])
    return _parts(_COLUMNS, name, value, texts)


def _columns(record: Mapping[str, Any], texts: str, count: int, fields: RecordFields) -> list[str]:
    """Keys of the lists beside the texts: those of numbers, and others of as many entries."""
    others = {texts, *(fields.name(key) for key in ("id", "src", "refs"))}
    beside = [
        key
        for key, value in record.items()
        if isinstance(value, list) and len(value) == count and key not in others
    ]
    return list(dict.fromkeys((*fields.features, *fields.metrics, *beside)))


def _parts(form: str, name: str, record: Any, hypotheses: Sequence[Any]) -> OriginalRecord:
    scored = [record] if form == _COLUMNS else hypotheses
    return OriginalRecord(
        json.dumps([form, name, record]),
        [json.dumps(one) for one in hypotheses],
        any(isinstance(one, dict) and _SCORE in one for one in scored),
    )


def dumped(value: Any) -> str:
    """JSON on one line, its characters as they are but for halves, which UTF-8 doesn't have."""
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value)
    return text
