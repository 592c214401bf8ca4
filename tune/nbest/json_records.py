"""JSONL n-best lists: a record per sentence with texts, features and metrics by name."""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, pluralize
from isogloss.align.files.records import parse_json
from isogloss.align.files.text_io import on_one_line
from isogloss.align.text.string_array import Texts

from .feature_names import NameTable
from .kernels.names import count_rows
from .lines import FORESTS, finite_single
from .records.fields import FieldFault, NullFault, RecordFields
from .records.originals import original_record
from .rows import HypothesisRows
from .sentence_ids import NumberId

__all__ = ["RECORD_FORM", "JsonRecords", "RecordFault"]

_FIELDS = (
    "If the keys have other names, pass "
    '`fields={"id": NAME, "text": NAME, "features": [NAME, NAME]}`, '
    "with metrics=NAME for --metric column:NAME"
)
RECORD_FORM = '{"id": ..., "hyps": [{"text": "...", "features": {"NAME": 1.0}}, ...]}'


class RecordFault(Exception):
    """A record that can't be read; the caller, who knows the file, raises DataError for it.

    line: its number; seen, remedy, expected: as in DataError
    """

    def __init__(self, line: int, seen: str, remedy: str, expected: str) -> None:
        super().__init__(seen)
        self.line, self.seen, self.remedy, self.expected = line, seen, remedy, expected


@dataclass
class _Rows:
    """Hypotheses of some records, grown one by one."""

    sentences: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    columns: list[list[float]] = field(default_factory=list)
    originals: list[str] = field(default_factory=list)

    def arrays(self, num_columns: int) -> HypothesisRows:
        ids, values = np.array(self.ids, np.int32), np.array(self.values, np.float32)
        return HypothesisRows.of(
            np.array(self.sentences, np.int64),
            Texts.from_strings(self.texts),
            Ragged(ids, values, np.array(self.ends, np.int64)),
            np.array(self.columns, np.float64).reshape(len(self.sentences), num_columns),
            Texts.from_strings(self.originals),
        )


class JsonRecords:
    """What the records of lists say beside their hypotheses, brought together by id.

    names: number of each id, in the order of first appearance
    order: that number of each record
    references, sources: of each id, None where no record has told yet
    frames: of each id, see `Originals`; none unless records are kept
    metrics: what every hypothesis is measured with, None before the first one
    first_with: file and line of that one
    fields: of records that are not ours
    are_scored: whether records that are kept have a score already
    broken: hypotheses with line breaks within
    """

    def __init__(
        self,
        table: NameTable,
        num_sentences: int,
        fields: RecordFields | None = None,
        *,
        keep_records: bool = False,
    ) -> None:
        self.names: dict[str, int] = {}
        self.order: list[int] = []
        self.references: list[list[str] | None] = []
        self.sources: list[str | None] = []
        self.frames: list[str] = []
        self.metrics: tuple[str, ...] | None = None
        self.first_with = ""
        self.fields = fields
        self.are_scored = False
        self.broken = 0
        self._table, self._limit, self._keeps = table, num_sentences, keep_records

    def parse(
        self,
        records: Iterable[tuple[int, str | dict[str, Any]]],
        row: int,
        file: str,
        places: list[tuple[int, int]],
    ) -> HypothesisRows:
        """Hypotheses of records; features by number of the table.

        Which sentence an id stands for is known when all have been read. Until then the sentences
        are -1, -2, ..., in the order in which ids first appear.

        records: lines of JSON or what they say, each with its number
        row: number of the first hypothesis; file: shown in messages
        places: the first row and the line of each record, appended to

        Raises RecordFault for a record that can't be read; GroupConflict is about the last of
        ``places``.
        """
        rows = _Rows()
        for number, given in records:
            places.append((row + len(rows.sentences), number))
            part = ""
            try:
                if isinstance(given, str):
                    value, record = self._load(given, number)
                else:
                    value, record = None, given
                sentence = self._sentence(record)
                for k, hypothesis in enumerate(_hypotheses(record), start=1):
                    part = f"hypothesis {k}: "
                    self._add(hypothesis, rows, row + len(rows.sentences), f"{file}, line {number}")
                    rows.sentences.append(~sentence)
                self._keep(value, sentence, rows)
            except _BadPart as error:
                seen = f"{part}{error}"
                raise RecordFault(number, seen, error.remedy, error.expected) from None
        hypotheses = rows.arrays(len(self.metrics or ()))
        features = hypotheses.rows
        count_rows(self._table.names, features.ids, features.offsets, row)
        return hypotheses

    def _keep(self, value: Any, sentence: int, rows: _Rows) -> None:
        """Keep a record as it was given, of which the last rows are the hypotheses."""
        lacking = len(rows.sentences) - len(rows.originals)
        if value is None or not self._keeps:
            rows.originals += [""] * lacking
            return
        original = original_record(value, self.fields)
        rows.originals += original.hypotheses
        self.frames[sentence] = self.frames[sentence] or original.frame
        self.are_scored |= original.has_score

    def _load(self, text: str, line: int) -> tuple[Any, dict[str, Any]]:
        """What a line says, and the record that this is. Raises _BadPart."""
        if not text.strip():
            raise _BadPart("the line is blank")
        try:
            record = parse_json(text)
        except DataError as error:
            raise _BadPart(f"the line is not a JSON record ({error})") from None
        if self.fields:
            try:
                return record, self.fields.record(record, line - 1)
            except NullFault as fault:
                raise _BadPart(str(fault), expected="a number") from None
            except FieldFault as fault:
                raise _BadPart(str(fault), "Pass the names of the keys (`fields=...`)") from None
        if not isinstance(record, dict):
            raise _BadPart("the record is not a JSON object", _FIELDS)
        return record, record

    def number(self, name: str) -> int:
        """Number of the id of a further record. Raises ValueError for one id too many."""
        sentence = self.names.setdefault(name, len(self.names))
        self.order.append(sentence)
        if self._limit and sentence >= self._limit:
            number = pluralize(self._limit, "sentence")
            raise ValueError(
                f"there are more records than the {number} (first: record {sentence + 1})"
            )
        if sentence == len(self.references):
            self.references.append(None)
            self.sources.append(None)
            self.frames.append("")
        return sentence

    def _sentence(self, record: Mapping[str, Any]) -> int:
        """Number of a record's id; its references and source are kept. Raises _BadPart."""
        name = _id(record)
        try:
            sentence = self.number(name)
        except ValueError as error:
            raise _BadPart(str(error)) from None
        references, source = record.get("refs"), record.get("src")
        if references is not None and not _are_strings(references):
            raise _BadPart('"refs" is not a list of strings')
        if source is not None and not isinstance(source, str):
            raise _BadPart('"src" is not a string')
        if references:
            clean = [_one_line(reference, "refs") for reference in references]
            if self.references[sentence] not in (None, clean):
                raise _BadPart(f"the references of {name!r} differ from those of an earlier record")
            self.references[sentence] = clean
        if source is not None:
            self.sources[sentence] = _one_line(source, "src")
        return sentence

    def _add(self, hypothesis: Any, rows: _Rows, row: int, place: str) -> None:
        """Append a hypothesis. Raises _BadPart."""
        if not isinstance(hypothesis, dict) or not isinstance(hypothesis.get("text"), str):
            raise _BadPart('"text" is missing or not a string')
        features, metrics = hypothesis.get("features"), hypothesis.get("metrics")
        text = _whole(hypothesis["text"], "text").strip(" \t")
        rows.texts.append(on_one_line(text).strip(" \t"))
        self.broken += on_one_line(text.strip()) != text.strip()
        for name, value in _numbers(features, "features"):
            try:
                rows.values.append(finite_single(value, name))
                rows.ids.append(self._table.number(name, row))
            except UnicodeEncodeError:
                raise _half_character(name, "features") from None
            except ValueError as error:
                raise _BadPart(str(error)) from None
        rows.ends.append(len(rows.ids))
        rows.columns.append(self._metrics(dict(_numbers(metrics, "metrics")), place))

    def _metrics(self, values: dict[str, float], place: str) -> list[float]:
        if self.metrics is None:
            self.metrics = tuple(_whole(name, "metrics") for name in values)
            self.first_with = place
        for name in self.metrics:
            if name not in values:
                raise _BadPart(
                    f"the metric {name!r} is missing, unlike in earlier hypotheses (first: "
                    f"{self.first_with})",
                    "Add the metric to every hypothesis, or remove it from all",
                )
        for name, value in values.items():
            if name not in self.metrics:
                raise _BadPart(
                    f"the metric {name!r} is missing in earlier hypotheses (first: "
                    f"{self.first_with})",
                    "Add the metric to every hypothesis, or remove it from all",
                )
            if not math.isfinite(value):
                raise _BadPart(f"the metric {name!r} is not finite")
        return [values[name] for name in self.metrics]


class _BadPart(Exception):
    """What is wrong with a record or a hypothesis, and what to do."""

    def __init__(self, seen: str, remedy: str = "", expected: str = RECORD_FORM) -> None:
        super().__init__(seen)
        self.remedy, self.expected = remedy, expected


def _id(record: Mapping[str, Any]) -> str:
    identifier = record.get("id")
    if isinstance(identifier, str):
        return _one_line(identifier, "id")
    if isinstance(identifier, bool) or not isinstance(identifier, (int, float)):
        if "rules" in record and "edges" in record:
            raise _BadPart("the record is a hypergraph, as of cdec", FORESTS)
        if "id" not in record:
            raise _BadPart('"id" is missing', _FIELDS)
        raise _BadPart('"id" is neither a string nor a number')
    return NumberId(json.dumps(identifier))


def _hypotheses(record: Mapping[str, Any]) -> list[Any]:
    hypotheses = record.get("hyps")
    if not isinstance(hypotheses, list):
        raise _BadPart('"hyps" is not a list', _FIELDS)
    return hypotheses


def _one_line(text: str, key: str) -> str:
    """A string below a key, with blanks in place of line breaks. Raises _BadPart."""
    return on_one_line(_whole(text, key))


def _whole(text: str, key: str) -> str:
    """The string itself. Raises _BadPart where it can't be written as UTF-8."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _half_character(text, key) from None
    return text


def _half_character(text: str, key: str) -> _BadPart:
    half = next(character for character in text if "\ud800" <= character <= "\udfff")
    return _BadPart(
        f'"{key}" contains the unpaired surrogate {ascii(half)[1:-1]}',
        "Write the whole character as UTF-8 or as a surrogate pair",
    )


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _numbers(values: Any, key: str) -> list[tuple[str, float]]:
    """Names and numbers of an object, none where there is none. Raises _BadPart."""
    if values is None:
        return []
    if not isinstance(values, dict):
        raise _BadPart(f'"{key}" is not an object')
    for name, value in values.items():
        if not isinstance(value, (int, float)):  # true and false count as 1 and 0
            raise _BadPart(f"the value of {name!r} in {key!r} is not a number: {value!r}")
    try:
        return [(name, float(value)) for name, value in values.items()]
    except OverflowError:
        raise _BadPart(f"a number in {key!r} is too large") from None
