"""Lines of Moses' and cdec's n-best lists to columns."""

import re
from collections import Counter
from collections.abc import Iterator

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import pluralize
from isogloss.align.files.numerals import is_decimal
from isogloss.align.files.text_io import split_fields, split_tokens
from isogloss.align.kernels.numbers import LARGEST
from isogloss.align.text.string_array import Texts
from isogloss.features.space import is_sparse

from .feature_names import NameTable
from .kernels.lines import MAX_FIELDS, Workspace, parse_lines
from .kernels.names import BAD, FULL, GROUP
from .rows import HypothesisRows

__all__ = [
    "FORESTS",
    "LINE_FORM",
    "NO_LIMIT",
    "LineFault",
    "LineParser",
    "finite_single",
    "line_fault",
    "parse_features",
    "read_number",
]

LINE_FORM = "id ||| hypothesis ||| NAME= value ... ||| score"
_ID = re.compile(r"[0-9]{1,18}")
_TOKEN = re.compile(rb"[^ \t\n]*")
_SHORTEST_LINE = len("0 ||| |||")  # with its feed
NO_LIMIT = 1 << 62
_NUMBERED = "Number the sentences from 0, or use names in all lines"
_KALDI = re.compile(r"\S+-[0-9]+ ")
_JOIN_KALDI = "Join the scores of a Kaldi list to its words, as docs/howto/asr.md shows"
_HYPERGRAPH = "# target"  # see isogloss.tune.forest.moses_text
FORESTS = "Pass the folder of the hypergraphs of all sentences to `isogloss tune --forests`"
_EXTRACTED = "FEATURES_TXT_BEGIN"  # see isogloss.tune.nbest.moses_statistics
_NO_NUMBER = re.compile(r"[+-]?(?:inf|infinity|nan)", re.IGNORECASE)


class LineFault(Exception):
    """A line that can't be read; the caller, who knows the file, raises DataError for it.

    row: of the lines not given back; seen: what stands there; remedy: as in DataError
    """

    def __init__(self, row: int, seen: str, remedy: str = "") -> None:
        super().__init__(seen)
        self.row, self.seen, self.remedy = row, seen, remedy


def read_number(token: str) -> float:
    """A decimal number, and nothing else that Python takes for one.

    Raises ValueError.
    """
    if not is_decimal(token) and not _NO_NUMBER.fullmatch(token):
        raise ValueError(f"{token[:80]!r} is not a number")
    return float(token)


def finite_single(value: float, name: str) -> float:
    """The value of a feature. Raises ValueError where it is not finite in single precision."""
    if not abs(value) <= LARGEST:  # false for NaN as well
        raise ValueError(f"the value of {name!r} is not finite in single precision")
    return value


def parse_features(text: str) -> Iterator[tuple[str, float]]:
    """(name, value) of a feature field, Moses' or cdec's.

    Moses: ``LM0= -1.2 TM0= a b c twi_fish= 1``; several values of one name are called
    ``TM0.0``, ``TM0.1``. cdec and Joshua: ``name=value``. The last ``=`` of a token ends the name.
    Raises ValueError for anything else.
    """
    name = ""
    values: list[float] = []

    def flush() -> Iterator[tuple[str, float]]:
        if name:
            if not values:
                raise ValueError(f"{name!r} has no value")
            if len(values) == 1:
                yield name, values[0]
            else:
                yield from ((f"{name}.{k}", value) for k, value in enumerate(values))

    for token in split_tokens(text):
        head, _, value = token.rpartition("=")
        if head:
            yield from flush()
            name, values = head, []
            if value:
                yield name, read_number(value)
                name = ""
        elif name:
            values.append(read_number(token))
        else:
            raise ValueError(f"{token!r} has no name before it")
    yield from flush()


class LineParser:
    """Takes blocks of lines apart; features by number of ``names``.

    num_sentences: ids are below it, 0 = no limit
    """

    def __init__(self, names: NameTable, num_sentences: int = 0) -> None:
        self._names, self._limit = names, num_sentences
        self._room = _room(0)

    def parse(self, block: bytes, row: int) -> Iterator[HypothesisRows]:
        """Hypotheses of whole lines, perhaps in parts. row: number of the first one.

        Raises LineFault for a line that can't be read, and GroupConflict. Rows of faults are
        counted from the first one that was not given back.
        """
        text = np.frombuffer(block, np.uint8)
        if len(self._room.content) < len(block):
            self._room = _room(len(block))
        at, status = 0, FULL
        while status == FULL:
            status, at, rows, entries, unread, name, here = parse_lines(
                text, at, row, self._limit or NO_LIMIT, self._names.names, self._room
            )
            self._read_rest(block, rows, unread)
            if rows:
                yield _taken(self._room, rows, entries)
            row += rows
            if status == FULL:
                self._names.grow()
        if status == GROUP:
            self._names.conflict(name, here)
        if status == BAD:
            line = block[at:].partition(b"\n")[0].decode()
            raise line_fault(line, self._limit) or LineFault(0, repr(line))

    def _read_rest(self, block: bytes, rows: int, unread: int) -> None:
        """Read the numbers that the kernel leaves. Raises LineFault."""
        room = self._room
        for entry, begin in room.unread[:unread].tolist():
            token = _TOKEN.match(block, begin)[0].decode()  # type: ignore[index]
            try:
                name = self._names.name(int(room.ids[entry]))
                room.values[entry] = finite_single(read_number(token), name)
            except ValueError as error:
                row = int(np.searchsorted(room.row_ends[:rows], entry, "right"))
                raise LineFault(row, str(error)) from None


def _room(size: int) -> Workspace:
    """Room for a block of so many bytes; memory that is not used is not taken."""
    lines, entries = size // _SHORTEST_LINE + 1, size // 2 + 1
    return Workspace(
        np.empty(lines, np.int64), np.empty(size, np.uint8), np.empty(lines, np.int64),
        np.empty(entries, np.int32), np.empty(entries, np.float32), np.empty(lines, np.int64),
        np.empty((entries, 2), np.int32),
    )  # fmt: skip


def _taken(room: Workspace, rows: int, entries: int) -> HypothesisRows:
    """Copies of what was written."""
    ends = np.append(0, room.text_ends[:rows])
    return HypothesisRows.of(
        room.sentences[:rows].copy(),
        Texts(room.content[: ends[-1]].copy(), ends),
        Ragged(
            room.ids[:entries].copy(),
            room.values[:entries].copy(),
            np.append(0, room.row_ends[:rows]),
        ),
    )


def line_fault(line: str, num_sentences: int = 0) -> LineFault | None:
    """What is wrong with a line, if anything is. num_sentences: as LineParser's"""
    fields = split_fields(line)
    if line.startswith(_EXTRACTED):
        remedy = "Pass its score file as well (`scores=...`)"
        return LineFault(0, "the file is a feature file of the Moses extractor", remedy)
    if not 3 <= len(fields) <= MAX_FIELDS:
        remedy = _JOIN_KALDI if _KALDI.match(line) and len(fields) == 1 else ""
        return LineFault(0, f"the line has {pluralize(len(fields), 'field')}", remedy)
    if fields[0] == _HYPERGRAPH:
        return LineFault(0, "the file is a hypergraph of Moses", FORESTS)
    if not _ID.fullmatch(fields[0]):
        return LineFault(0, f"the sentence id {fields[0]!r} is not a number", _NUMBERED)
    if num_sentences and int(fields[0]) >= num_sentences:
        limit = pluralize(num_sentences, "sentence")
        seen = f"the sentence id {fields[0]} is too large for {limit}"
        return LineFault(0, seen, "Number the sentences from 0")
    try:
        features = list(parse_features(fields[2]))
        for name, value in features:
            finite_single(value, name)
    except ValueError as error:
        return LineFault(0, str(error))
    counts = Counter(name for name, _ in features)
    twice = [name for name, count in counts.items() if count > 1 and not is_sparse(name)]
    if twice:
        return LineFault(
            0,
            f"the dense feature {twice[0]!r} is repeated",
            "Remove one, or make the feature sparse with an underscore in its name",
        )
    return None
