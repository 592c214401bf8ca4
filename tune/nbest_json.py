"""JSONL n-best lists: a record per sentence with texts, features and metrics by name."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from align.lines import on_one_line
from align.texts import Texts
from features.ragged import Ragged

from .kernels.nbest_text import count_rows
from .nbest_lines import finite_single
from .nbest_names import NameTable
from .nbest_rows import HypothesisRows

__all__ = ["RECORD_FORM", "JsonRecords", "RecordFault"]

RECORD_FORM = '{"id": ..., "hyps": [{"text": "...", "features": {"NAME": 1.0}}, ...]}'


class RecordFault(Exception):
    """A record that can't be read; who knows the file makes a DataError of it.

    line: its number; seen, remedy: as in DataError
    """

    def __init__(self, line: int, seen: str, remedy: str = "") -> None:
        super().__init__(seen)
        self.line, self.seen, self.remedy = line, seen, remedy


@dataclass
class _Rows:
    """Hypotheses of some records, grown one by one."""

    sentences: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)
    ends: list[int] = field(default_factory=lambda: [0])
    columns: list[list[float]] = field(default_factory=list)

    def arrays(self, num_columns: int) -> HypothesisRows:
        ids, values = np.array(self.ids, np.int32), np.array(self.values, np.float32)
        return HypothesisRows.of(
            np.array(self.sentences, np.int64),
            Texts.from_strings(self.texts),
            Ragged(ids, values, np.array(self.ends, np.int64)),
            np.array(self.columns, np.float64).reshape(len(self.sentences), num_columns),
        )


class JsonRecords:
    """What the records of lists say beside their hypotheses, brought together by id.

    names: number of each id, in the order of first appearance
    references, sources: of each sentence, None where no record has told yet
    metrics: what every hypothesis is measured with, None before the first one
    first_with: where that one stands
    """

    def __init__(self, table: NameTable, num_sentences: int) -> None:
        self.names: dict[str, int] = {}
        self.references: list[list[str] | None] = []
        self.sources: list[str | None] = []
        self.metrics: tuple[str, ...] | None = None
        self.first_with = ""
        self._table, self._limit = table, num_sentences

    def parse(
        self, block: str, line: int, row: int, file: str, places: list[tuple[int, int]]
    ) -> HypothesisRows:
        """Hypotheses of whole lines; features by number of the table.

        line: number of the first line; row: of the first hypothesis; file: shown in messages
        places: the first row and the line of each record, appended to

        Raises RecordFault for a record that can't be read; GroupConflict is about the last of
        ``places``.
        """
        rows = _Rows()
        for number, text in enumerate(block.split("\n"), start=line):
            places.append((row + len(rows.sentences), number))
            record = _load(text, number)
            sentence = self._sentence(record, number)
            hypotheses = record.get("hyps")
            if not isinstance(hypotheses, list):
                raise RecordFault(number, '"hyps" is no list')
            for k, one in enumerate(hypotheses, start=1):
                try:
                    self._add(one, rows, row + len(rows.sentences), f"{file}, line {number}")
                except _BadHypothesis as error:
                    raise RecordFault(
                        number, f"hypothesis {k}: {error}", error.remedy
                    ) from None
                rows.sentences.append(sentence)
        found = rows.arrays(len(self.metrics or ()))
        count_rows(self._table.names, found.rows.ids, found.rows.offsets, row)
        return found

    def _sentence(self, record: Mapping[str, Any], line: int) -> int:
        """Number of a record's sentence; its references and source are kept."""
        name = record.get("id")
        if isinstance(name, bool) or not isinstance(name, (str, int, float)):
            raise RecordFault(line, '"id" is no string or number' if "id" in record else 'no "id"')
        sentence = self.names.setdefault(on_one_line(str(name)), len(self.names))
        if self._limit and sentence >= self._limit:
            raise RecordFault(
                line, f"record {sentence + 1}, while there are {self._limit} sentences"
            )
        if sentence == len(self.references):
            self.references.append(None)
            self.sources.append(None)
        references, source = record.get("refs"), record.get("src")
        if references is not None and not _are_strings(references):
            raise RecordFault(line, '"refs" is no list of strings')
        if source is not None and not isinstance(source, str):
            raise RecordFault(line, '"src" is no string')
        if references:
            clean = list(map(on_one_line, references))
            if self.references[sentence] not in (None, clean):
                raise RecordFault(line, f"other references of {name!r} than before")
            self.references[sentence] = clean
        if source is not None:
            self.sources[sentence] = on_one_line(source)
        return sentence

    def _add(self, hypothesis: Any, rows: _Rows, row: int, place: str) -> None:
        """Append a hypothesis. Raises _BadHypothesis."""
        if not isinstance(hypothesis, dict) or not isinstance(hypothesis.get("text"), str):
            raise _BadHypothesis('no "text" that is a string')
        features, metrics = hypothesis.get("features"), hypothesis.get("metrics")
        rows.texts.append(on_one_line(hypothesis["text"]).strip(" \t"))
        for name, value in _numbers(features, "features"):
            try:
                rows.values.append(finite_single(value, name))
            except ValueError as error:
                raise _BadHypothesis(str(error)) from None
            rows.ids.append(self._table.number(name, row))
        rows.ends.append(len(rows.ids))
        rows.columns.append(self._metrics(dict(_numbers(metrics, "metrics")), place))

    def _metrics(self, found: dict[str, float], place: str) -> list[float]:
        if self.metrics is None:
            self.metrics, self.first_with = tuple(found), place
        for name in self.metrics:
            if name not in found:
                raise _BadHypothesis(
                    f"no metric {name!r}, which those before have (first: {self.first_with})",
                    "Measure every hypothesis, or take the metric out of all of them",
                )
        for name, value in found.items():
            if name not in self.metrics:
                raise _BadHypothesis(
                    f"the metric {name!r}, which those before lack (first: {self.first_with})",
                    "Measure every hypothesis, or take the metric out of all of them",
                )
            if not math.isfinite(value):
                raise _BadHypothesis(f"the metric {name!r} is not finite")
        return [found[name] for name in self.metrics]


class _BadHypothesis(Exception):
    """What is wrong with a hypothesis, and what to do."""

    def __init__(self, seen: str, remedy: str = "") -> None:
        super().__init__(seen)
        self.remedy = remedy


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{twice!r} comes twice in an object")
    return result


def _load(text: str, line: int) -> dict[str, Any]:
    try:
        record = json.loads(text, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise RecordFault(line, f"no JSON record ({error})") from None
    if not isinstance(record, dict):
        raise RecordFault(line, "no JSON object")
    return record


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _numbers(values: Any, key: str) -> list[tuple[str, float]]:
    """Names and numbers of an object, none where there is none. Raises _BadHypothesis."""
    if values is None:
        return []
    if not isinstance(values, dict):
        raise _BadHypothesis(f'"{key}" is no object')
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise _BadHypothesis(f"{name!r} in {key!r} is no number: {value!r}")
    try:
        return [(name, float(value)) for name, value in values.items()]
    except OverflowError:
        raise _BadHypothesis(f"a number in {key!r} that is too large") from None
