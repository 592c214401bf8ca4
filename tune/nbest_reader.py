"""Reading n-best lists, block by block, and what is to be said of them as a whole."""

import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, DataWarning
from align.lines import text_blocks
from align.texts import Texts
from features.space import FeatureSpace

from .nbest_json import RECORD_FORM, JsonRecords, RecordFault
from .nbest_lines import LINE_FORM, LineFault, LineParser
from .nbest_names import GroupConflict, NameTable
from .nbest_rows import HypothesisRows
from .references import References

__all__ = ["ListFacts", "NBestReader"]

LONGEST_LINE = 1 << 28  # bytes; a line of JSONL holds all hypotheses of a sentence
_BYTES_PER_ENTRY, _BYTES_PER_ROW = 12, 128  # while hypotheses are brought in order
_NAMED = 5  # dense features that are missing somewhere and are named one by one


@dataclass(frozen=True)
class ListFacts:
    """What is known of lists when they have been read.

    ids: int32[num_names], ids in ``space`` of the numbers that names had while reading
    columns: names of the columns; names, references, sources: as in NBest
    """

    num_sentences: int
    space: FeatureSpace
    ids: NDArray[np.int32]
    columns: tuple[str, ...]
    names: tuple[str, ...] | None
    references: References | None
    sources: Texts | None


class NBestReader:
    """Reads lists of any form one after the other; the form of each is told by its content.

    num_sentences: ids are below it, 0 = no limit
    rows: hypotheses read so far
    sizes: bytes that it takes to bring the hypotheses of each sentence in order
    """

    def __init__(self, num_sentences: int = 0) -> None:
        self.rows = 0
        self.sizes: dict[int, int] = {}
        self._num_sentences = num_sentences
        self._table = NameTable()
        self._lines = LineParser(self._table, num_sentences)
        self._records = JsonRecords(self._table, num_sentences)
        self._places: list[tuple[int, str | Path, int, int]] = []  # row, file, line, lines per row
        self._numbered = False  # whether a list has numbers for ids
        self._paths: Sequence[str | Path] = ()

    def blocks(self, paths: Sequence[str | Path]) -> Iterator[HypothesisRows]:
        """The hypotheses of all lists, some thousands at a time.

        Warns (DataWarning) of lists whose ids don't rise. Raises DataError naming file and line for
        what can't be read, see docs/file-formats.md.
        """
        self._paths = paths
        for path in paths:
            previous, unsorted = 0, False
            for part in self._file(path):
                own = part.sentences
                unsorted |= bool(own[0] < previous or (own[1:] < own[:-1]).any())
                previous = int(own[-1])
                self._measure(part)
                self.rows += len(part)
                yield part
            if unsorted:
                warnings.warn(f"{path}: sentence ids are not sorted", DataWarning, stacklevel=2)

    def _file(self, path: str | Path) -> Iterator[HypothesisRows]:
        line, is_json = 1, None
        for block in text_blocks(path, longest=LONGEST_LINE):
            if is_json is None:
                is_json = block.lstrip().startswith(b"{")
                if not is_json:
                    self._begin_text(path)
            yield from self._json(block, path, line) if is_json else self._text(block)
            line += block.count(b"\n") + 1

    def _begin_text(self, path: str | Path) -> None:
        self._places.append((self.rows, path, 1, 1))
        records = self._records
        if records.metrics:
            raise DataError(
                f"hypotheses without the metric {records.metrics[0]!r}, which those before have "
                f"(first: {records.first_with})",
                RECORD_FORM,
                file=path,
                line=1,
                remedy="Give all lists as JSONL with metrics, or none",
            )
        records.metrics, records.first_with = (), f"{path}, line 1"
        self._numbered = True

    def _json(self, block: bytes, path: str | Path, line: int) -> Iterator[HypothesisRows]:
        places: list[tuple[int, int]] = []
        try:
            part = self._records.parse(block.decode(), line, self.rows, str(path), places)
        except RecordFault as fault:
            raise DataError(
                fault.seen, RECORD_FORM, file=path, line=fault.line, remedy=fault.remedy
            ) from None
        except GroupConflict as conflict:
            self._keep_places(path, places)
            raise self._conflict(conflict, path, places[-1][1]) from None
        self._keep_places(path, places)
        if len(part):
            yield part

    def _keep_places(self, path: str | Path, places: list[tuple[int, int]]) -> None:
        self._places += [(row, path, line, 0) for row, line in places]

    def _text(self, block: bytes) -> Iterator[HypothesisRows]:
        try:
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
            self.sizes[sentence] = self.sizes.get(sentence, 0) + int(size)

    def _conflict(self, conflict: GroupConflict, path: str | Path, line: int) -> DataError:
        first_path, first_line = self.place(conflict.row)
        return DataError(
            f"{conflict.here} value(s) of {conflict.name!r}, but {conflict.before} in "
            f"{first_path}, line {first_line}",
            "the same number of values of a name in all lines",
            file=path,
            line=line,
            remedy="Lists of different systems can't be merged; give sparse features names of "
            "their own",
        )

    def place(self, row: int) -> tuple[str | Path, int]:
        """File and line of a hypothesis, by its number in the order of reading."""
        k = bisect_right(self._places, row, key=lambda place: place[0]) - 1
        first, path, line, step = self._places[k]
        return path, line + step * (row - first)

    def facts(self) -> ListFacts:
        """What the lists hold beside hypotheses, when all have been read.

        Warns (DataWarning) of sentences without hypotheses, and of dense features that some
        hypotheses lack. Raises DataError where there is no hypothesis, where ids are far apart or
        don't fit together, and where some records have references and others don't.
        """
        first = self._paths[0] if self._paths else None
        if not self.rows:
            raise DataError("no hypothesis", "an n-best list", file=first)
        names = list(self._records.names)
        count = self._num_sentences or max(max(self.sizes) + 1, len(names))
        if count > 1000 + 100 * len(self.sizes):
            raise DataError(
                f"sentence id {count - 1}, but hypotheses of {len(self.sizes)} sentences only",
                "ids counted from 0",
                file=first,
            )
        self._check_names(names, count)
        gaps = [k for k in range(count) if k not in self.sizes]
        if gaps:
            shown = gaps[0] if self._numbered or gaps[0] >= len(names) else repr(names[gaps[0]])
            _warn(f"{len(gaps)} sentences have no hypothesis (first: {shown})")
        self._warn_of_missing()
        space, ids = self._table.space()
        sources = self._records.sources if any(self._records.sources) else None
        return ListFacts(
            count,
            space,
            ids,
            self._records.metrics or (),
            tuple(names) if names and not self._numbered else None,
            self._references(names),
            None if sources is None else Texts.from_strings(one or "" for one in sources),
        )

    def _check_names(self, names: list[str], count: int) -> None:
        odd = next((name for k, name in enumerate(names) if name != str(k)), None)
        if self._numbered and odd is not None:
            raise DataError(
                f"the id {odd!r} in a JSONL list beside a list whose ids are numbers",
                "ids 0, 1, 2, ... in both",
                file=self._paths[0],
                remedy="Give lists of one form only, or number the records from 0 on",
            )
        if names and not self._numbered and len(names) != count:
            raise DataError(
                f"{len(names)} records",
                f"{count}, one per sentence",
                file=self._paths[0],
                remedy="References of other sentences, or not all of them?",
            )

    def _references(self, names: list[str]) -> References | None:
        found = self._records.references
        if not any(found):
            return None
        if self._numbered and len(found) < len(self.sizes):
            return None
        lacking = next((names[k] for k, own in enumerate(found) if own is None), None)
        if lacking is not None:
            raise DataError(
                f"no references of {lacking!r}, while other records have some",
                '"refs" in all records, or in none',
                file=self._paths[0],
            )
        return References.from_sentences([own or [] for own in found])

    def _warn_of_missing(self) -> None:
        missing = self._table.missing(self.rows)
        for name, number, row in missing[:_NAMED]:
            path, line = self.place(row)
            _warn(
                f"{path}, line {line}: the dense feature {name!r} is missing, here and in "
                f"{number} of {self.rows} hypotheses; it counts as 0 there"
            )
        if len(missing) > _NAMED:
            _warn(f"{len(missing) - _NAMED} more dense features are missing in some hypotheses")


def _warn(message: str) -> None:
    warnings.warn(message, DataWarning, stacklevel=3)
