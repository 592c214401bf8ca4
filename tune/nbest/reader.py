"""Reading n-best lists, block by block, and what is to be said of them as a whole."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, pluralize, warn
from isogloss.align.files.text_io import LONGEST_LINE, text_blocks
from isogloss.align.text.string_array import Texts

from ..references import References
from .facts import ListFacts, sentence_numbers
from .feature_names import GroupConflict, NameTable
from .json_records import RECORD_FORM, JsonRecords, RecordFault
from .lines import LINE_FORM, NO_LIMIT, LineFault, LineParser
from .named_lines import has_named_lines, numbered_lines
from .records.arrays import ArrayReader, is_array
from .records.fairseq import FairseqLog, is_fairseq
from .records.fields import FieldFault, RecordFields
from .records.items import ItemLines, check_items
from .records.marian import is_marian, marian_lines
from .records.originals import Keeping, score_key
from .rows import HypothesisRows
from .sentence_ids import (
    check_sentence_names,
    farthest,
    number_names,
    warn_of_gaps,
    warn_of_lost_references,
    whole_numbers,
)

__all__ = ["NBestReader"]

LONGEST_RECORD = 1 << 25  # bytes of a line of JSONL, which holds all hypotheses of a sentence
_BOM = b"\xef\xbb\xbf"
_BYTES_PER_ENTRY, _BYTES_PER_ROW = 12, 128  # while hypotheses are brought in order
_NOTHING = Keeping()
_NAMED = 5  # dense features that are missing somewhere and are named one by one


class NBestReader:
    """Reads lists of any form one after the other; the form of each is recognized by its content.

    num_sentences: ids are below it, 0 = no limit
    fields: of records of JSON that are not ours
    blocks: reads a list, as text_blocks reads that of a file
    keeping: what is kept of records of JSON
    rows: hypotheses read so far
    """

    def __init__(
        self,
        num_sentences: int = 0,
        fields: RecordFields | None = None,
        blocks: Callable[..., Iterator[bytes]] = text_blocks,
        *,
        keeping: Keeping = _NOTHING,
    ) -> None:
        self.rows = 0
        self.keeping = keeping
        self._blocks = blocks
        self._sizes: dict[int, int] = {}
        self._num_sentences = num_sentences
        self._table = NameTable()
        self._lines = LineParser(self._table, num_sentences)
        self._records = JsonRecords(
            self._table, num_sentences, fields, keep_records=keeping.records
        )
        self._places: list[tuple[int, str | Path, int, int]] = []  # row, file, line, lines per row
        self._orders: list[tuple[str | Path, list[int]]] = []  # file, its records
        self._logs: set[str] = set()  # files of fairseq
        self._arrays: dict[str, ArrayReader] = {}  # by file
        self._numbered = False  # whether a list of lines is among them
        self._paths: Sequence[str | Path] = ()

    def blocks(self, paths: Sequence[str | Path]) -> Iterator[HypothesisRows]:
        """The hypotheses of all lists, some thousands at a time.

        Sentences below 0 are of records, see :meth:`ListFacts.sentences`.

        Warns (DataWarning) of lists whose ids don't rise. Raises DataError naming file and line for
        what can't be read, see docs/reference/file-formats.md.
        """
        self._paths = paths
        for path in paths:
            previous, unsorted, records = 0, False, len(self._records.order)
            for part in self._file(path):
                sentences = part.sentences
                if sentences[0] >= 0:  # the order of records is known at the end
                    unsorted |= bool(
                        sentences[0] < previous or (sentences[1:] < sentences[:-1]).any()
                    )
                    previous = int(sentences[-1])
                self._measure(part)
                self.rows += len(part)
                yield part
            self._orders.append((path, self._records.order[records:]))
            if unsorted:
                _warn(f"{path}: sentence ids are not sorted; they are grouped by id")

    def _file(self, path: str | Path) -> Iterator[HypothesisRows]:
        line, read = 1, None
        log, fields = FairseqLog(self._records.fields), self._records.fields
        for block in self._blocks(path, longest=_longest):
            read = read or self._form(block, path, log)
            yield from read(block, path, line)
            line += block.count(b"\n") + 1
        yield from self._add(log.end(), path)
        if array := self._arrays.pop(str(path), None):
            array.end(line - 1)
        elif fields and fields.per_item:
            check_items(line - 1, fields.per_item, path)

    def _form(
        self, block: bytes, path: str | Path, log: FairseqLog
    ) -> Callable[[bytes, str | Path, int], Iterator[HypothesisRows]]:
        """What reads the lines of a list, by its first ones."""
        fields = self._records.fields
        if is_array(block.decode(), fields):
            array = self._arrays[str(path)] = ArrayReader(path, fields)
            return partial(self._array, array)
        if _is_json(block) or (fields and block.lstrip().startswith(b"[")):
            return self._json
        if is_fairseq(block):
            self._logs.add(str(path))
            return partial(self._gathered, log)
        if fields and fields.per_item:
            return partial(self._gathered, ItemLines(fields))
        self._begin_text(path)
        if has_named_lines(block):
            return self._named
        self._numbered = True
        plain = marian_lines if is_marian(block) else bytes
        return lambda block, path, _: self._text([plain(block)], path)

    def _begin_text(self, path: str | Path) -> None:
        self._places.append((self.rows, path, 1, 1))
        records = self._records
        if records.metrics:
            raise DataError(
                f"the metric {records.metrics[0]!r} is missing, unlike in earlier hypotheses "
                f"(first: {records.first_with})",
                RECORD_FORM,
                file=path,
                line=1,
                remedy="Pass either all lists as JSONL with metrics, or none",
            )
        records.metrics, records.first_with = (), f"{path}, line 1"

    def _json(self, block: bytes, path: str | Path, line: int) -> Iterator[HypothesisRows]:
        return self._add(enumerate(block.decode().split("\n"), start=line), path)

    def _gathered(
        self, log: FairseqLog | ItemLines, block: bytes, path: str | Path, line: int
    ) -> Iterator[HypothesisRows]:
        try:
            records = list(log.records(block.decode(), line))
        except FieldFault as fault:
            number, seen = fault.args
            raise DataError(seen, log.form, file=path, line=number) from None
        yield from self._add(records, path)

    def _named(self, block: bytes, path: str | Path, line: int) -> Iterator[HypothesisRows]:
        for part in self._text(numbered_lines(block.decode(), self._records.number), path):
            yield replace(part, sentences=~part.sentences)

    def _array(
        self, array: ArrayReader, block: bytes, path: str | Path, line: int
    ) -> Iterator[HypothesisRows]:
        yield from self._add(array.records(block.decode(), line), path)

    def _add(
        self, records: Iterable[tuple[int, str | dict[str, Any]]], path: str | Path
    ) -> Iterator[HypothesisRows]:
        places: list[tuple[int, int]] = []
        try:
            part = self._records.parse(records, self.rows, str(path), places)
        except RecordFault as fault:
            raise DataError(
                fault.seen, fault.expected, file=path, line=fault.line, remedy=fault.remedy
            ) from None
        except GroupConflict as conflict:
            self._keep_places(path, places)
            raise self._conflict(conflict, path, places[-1][1]) from None
        self._keep_places(path, places)
        if len(part):
            yield part

    def _keep_places(self, path: str | Path, places: list[tuple[int, int]]) -> None:
        self._places += [(row, path, line, 0) for row, line in places]

    def _text(self, blocks: Iterable[bytes], path: str | Path) -> Iterator[HypothesisRows]:
        try:
            for block in blocks:
                yield from self._lines.parse(block, self.rows)
        except LineFault as fault:
            path, line = self.place(self.rows + fault.row)
            raise DataError(
                fault.seen, LINE_FORM, file=path, line=line, remedy=fault.remedy
            ) from None
        except GroupConflict as conflict:
            raise self._conflict(conflict, *self.place(self.rows)) from None

    def _measure(self, part: HypothesisRows) -> None:
        sentences, numbers = np.unique(part.sentences, return_inverse=True)
        texts, entries = np.diff(part.texts.offsets), np.diff(part.rows.offsets)
        sizes = np.bincount(numbers, texts + _BYTES_PER_ENTRY * entries + _BYTES_PER_ROW)
        for sentence, size in zip(sentences.tolist(), sizes.tolist(), strict=True):
            self._sizes[sentence] = self._sizes.get(sentence, 0) + int(size)

    def _conflict(self, conflict: GroupConflict, path: str | Path, line: int) -> DataError:
        first_path, first_line = self.place(conflict.row)
        return DataError(
            f"{conflict.name!r} has {pluralize(conflict.here, 'value')}, but {conflict.before} in "
            f"{first_path}, line {first_line}",
            "the same number of values in all lines",
            file=path,
            line=line,
            remedy="Do not merge lists of different systems, use different names for sparse "
            "features, and give a sum instead of a value per token",
        )

    def place(self, row: int) -> tuple[str | Path, int]:
        """File and line of a hypothesis, by its number in the order of reading."""
        k = bisect_right(self._places, row, key=lambda place: place[0]) - 1
        first, path, line, step = self._places[k]
        return path, line + step * (row - first)

    def facts(self) -> ListFacts:
        """What the lists hold beside hypotheses, when all have been read.

        Warns (DataWarning) of records that are not in the order of their ids, or are numbered
        otherwise than the sentences, of sentences without hypotheses, of line breaks in hypotheses,
        and of dense features that some lack. Raises DataError where there is no hypothesis, where
        ids are far apart or don't fit together, and where some records have references and others
        don't.
        """
        first = self._paths[0] if self._paths else None
        if not self.rows:
            raise DataError("the list has no hypothesis", "an n-best list", file=first)
        ids = list(self._records.names)
        numbers = self._numbers_of(ids)
        records = np.arange(len(ids)) if numbers is None else numbers
        sizes = self._sizes_by_sentence(records)
        count = self._count(sizes.keys() | set(records.tolist()))
        if numbers is None and self._num_sentences:
            check_sentence_names(ids, count, self._first_place)
        self._warn_of_order(records)
        names = number_names(ids, records, count) if ids and not self._numbered else None
        gaps = [k for k in range(count) if k not in sizes]
        warn_of_gaps(gaps, names if numbers is None else None)
        self._warn_of_missing()
        if self.keeping.tells:
            self._warn_of_line_breaks()
        space, features = self._table.space()
        return ListFacts(
            count, records, sizes, space, features, self._records.metrics or (), names,
            self._references(ids, records, count),
            _by_sentence(self._records.sources, records, count),
            _by_sentence(self._records.frames, records, count),
            score_key(self._records.fields, taken=self._records.are_scored),
        )  # fmt: skip

    def _numbers_of(self, ids: list[str]) -> NDArray[np.int64] | None:
        """Sentences of records, int64[len(ids)], where their ids are numbers; None for names."""
        numbers = whole_numbers(ids)
        most = self._num_sentences or (NO_LIMIT if self._numbered else farthest(len(ids)))
        odd = np.flatnonzero((numbers < 0) | (numbers >= most)).tolist()
        if odd and self._numbered:
            path, line = self._first_place(odd[0])
            raise DataError(
                f"the id {ids[odd[0]]!r} does not fit the other list, whose ids are numbers",
                f"ids 0 ... {most - 1} in both" if self._num_sentences else "ids 0, 1, 2, ...",
                file=path,
                line=line,
                remedy="Pass lists with the same ids, or number the records from 0",
            )
        if odd:
            return None
        given = self._numbered or self._num_sentences
        gaps = numbers.max(initial=-1) >= len(ids)  # sentences that would have no references
        counted_from_0 = 0 in numbers and not any(self._records.references)
        return None if gaps and not given and not counted_from_0 else numbers

    def _sizes_by_sentence(self, records: NDArray[np.int64]) -> dict[int, int]:
        read = np.fromiter(self._sizes, np.int64, len(self._sizes))
        result: dict[int, int] = {}
        sentences = sentence_numbers(read, records).tolist()
        for sentence, size in zip(sentences, self._sizes.values(), strict=True):
            result[sentence] = result.get(sentence, 0) + size
        return result

    def _count(self, known: Set[int]) -> int:
        """Number of sentences, of which some are known. Raises DataError for too few of these."""
        count = self._num_sentences or max(known) + 1
        if count > farthest(len(known)):
            found = pluralize(len(known), "sentence")
            seen = (
                f"there are {count} sentences, but only {found} with hypotheses"
                if self._num_sentences
                else f"the sentence id {count - 1} is too large for {found} with hypotheses"
            )
            raise DataError(seen, "ids that count from 0", file=self._paths[0])
        return count

    def _first_place(self, record: int) -> tuple[str | Path, int]:
        """File and line where an id stands first."""
        path, order = next(file for file in self._orders if record in file[1])
        return path, order.index(record) + 1

    def _warn_of_order(self, records: NDArray[np.int64]) -> None:
        for path, order in self._orders:
            if str(path) in self._logs:  # fairseq translates by length
                continue
            sentences = records[order]
            if (sentences[1:] < sentences[:-1]).any():
                _warn(f"{path}: sentence ids are not sorted; they are grouped by id")

    def _references(
        self, ids: list[str], records: NDArray[np.int64], count: int
    ) -> References | None:
        references = self._records.references
        if not any(references):
            return None
        if len(references) < count:
            lacking = np.setdiff1d(np.arange(count), records)
            warn_of_lost_references(len(lacking), int(lacking[0]))
            return None
        without = next((ids[k] for k, texts in enumerate(references) if texts is None), None)
        if without is not None:
            raise DataError(
                f"the record {without!r} has no references, but other records do",
                '"refs" in all records, or in none',
                file=self._paths[0],
            )
        order = np.argsort(records).tolist()
        return References.from_texts([references[k] or [] for k in order])

    def _warn_of_line_breaks(self) -> None:
        if broken := self._records.broken:
            _warn(
                f"{pluralize(broken, 'hypothesis', 'has')} line breaks, which are written as "
                "spaces; pass --sorted to keep line breaks"
            )

    def _warn_of_missing(self) -> None:
        missing = self._table.missing(self.rows)
        for name, number, row in missing[:_NAMED]:
            path, line = self.place(row)
            _warn(
                f"{path}: the dense feature {name!r} is missing in {number} of "
                f"{pluralize(self.rows, 'hypothesis')}, first at line {line}; missing values count "
                "as 0"
            )
        if len(missing) > _NAMED:
            more = pluralize(len(missing) - _NAMED, "more dense feature", "is")
            _warn(f"{more} missing in some hypotheses")


def _is_json(begin: bytes) -> bool:
    """Whether a list is one of records, by how it begins."""
    return begin.removeprefix(_BOM).lstrip().startswith(b"{")


def _longest(begin: bytes) -> int:
    """Bytes that a line of a list may have."""
    is_json = _is_json(begin) or begin.removeprefix(_BOM).lstrip().startswith(b"[")
    return LONGEST_RECORD if is_json else LONGEST_LINE


def _warn(message: str) -> None:
    warn(message)


def _by_sentence(
    texts: Sequence[str | None], records: NDArray[np.int64], count: int
) -> Texts | None:
    """Texts of records, int64[num_records], by sentence; None where none has one."""
    if not any(texts):
        return None
    result = [""] * count
    for sentence, text in zip(records.tolist(), texts, strict=True):
        result[sentence] = text or ""
    return Texts.from_strings(result)
