"""Plain lines of tables by kernels; all others are left to the parser in Python."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.files.numerals import LARGEST_SINGLE, parse_number
from isogloss.align.kernels.hash_tables import TextTable

from .formats import TableFormat
from .kernels.filtering import choose_lines, enter_texts
from .kernels.parsing import COUNT, NUM_COUNTS, SCORE, VALUE, RuleRoom, parse_rules
from .phrases import FEW

__all__ = ["PlainParser", "PlainRules", "SourceFilter"]

_SHORTEST_LINE = len("a ||| b ||| 1") + 1  # with its feed


class PlainRules(NamedTuple):
    """Rules as they were read.

    text: uint8[bytes], the lines, UTF-8
    source, target: (int64[n], int64[n]), where each phrase begins and ends in it
    numbers: float64[n, num_scores], the scores as they stand in the file
    links: as in RuleColumns; counts: float64[n, 3]
    values: float32[m], of sparse features; value_offsets: int64[n + 1], those of each rule
    names: (int64[m], int64[m]), where their names begin and end
    """

    text: NDArray[np.uint8]
    source: tuple[NDArray[np.int64], NDArray[np.int64]]
    target: tuple[NDArray[np.int64], NDArray[np.int64]]
    numbers: NDArray[np.float64]
    links: Ragged
    counts: NDArray[np.float64]
    values: NDArray[np.float32]
    value_offsets: NDArray[np.int64]
    names: tuple[NDArray[np.int64], NDArray[np.int64]]


class SourceFilter:
    """The lines of a table that have one of some source phrases.

    format: of the table; few: so many lines are looked at without a kernel, for which Numba would
    have to be loaded
    """

    def __init__(self, sources: frozenset[str], format: TableFormat, few: int = FEW) -> None:
        self._sources, self._format, self._few = sources, format, few

    def choose(self, block: bytes, num_lines: int) -> tuple[list[int], list[str]]:
        """Numbers, from 0 on, of the lines of a block that are wanted, and these lines.

        block: ``num_lines`` lines, UTF-8, without the line feed of the last one
        """
        if b"\t" in block or num_lines <= self._few:
            lines = enumerate(block.decode().split("\n"))
            chosen = [(row, line) for row, line in lines if self._is_wanted(line)]
        else:
            bounds = np.empty((num_lines, 4), np.int64)
            text = np.frombuffer(block, np.uint8)
            size = choose_lines(text, self._format.source_field, self._texts, bounds)
            chosen = []
            for row, begin, end, is_odd in bounds[:size].tolist():
                line = block[begin:end].decode()
                if not is_odd or self._is_wanted(line):
                    chosen.append((row, line))
        return [row for row, _ in chosen], [line for _, line in chosen]

    def _is_wanted(self, line: str) -> bool:
        return self._format.source(line) in self._sources

    @cached_property
    def _texts(self) -> TextTable:
        encoded = [text.encode() for text in self._sources]
        offsets = offsets_of([len(text) for text in encoded])
        content = np.frombuffer(b"".join(encoded), np.uint8)
        slots = np.zeros(1 << (2 * len(encoded)).bit_length(), np.int32)
        hashes = np.empty(len(encoded), np.uint64)
        texts = TextTable(slots, hashes, offsets[:-1], offsets[1:], content)
        enter_texts(texts)
        return texts


class PlainParser:
    """Takes lines apart; keeps the room in which that is done."""

    def __init__(self) -> None:
        self._room = _room(0)
        self._size = 0

    def parse(self, lines: Sequence[str]) -> PlainRules | None:
        """The rules of lines; None where one of them isn't plain, or has a number that is wrong.

        What is read is what :meth:`MosesFormat.parse` reads.
        """
        content = "\n".join(lines).encode()
        if b"\t" in content or b"\r" in content or len(content) < _SHORTEST_LINE - 1:
            return None
        if len(content) > self._size:
            self._room, self._size = _room(len(content)), len(content)
        room, text = self._room, np.frombuffer(content, np.uint8)
        rules, width, num_links, num_values, num_unread = parse_rules(text, room)
        if rules < 0 or not _read_rest(content, room, num_unread):
            return None
        values = room.values[:num_values]
        if (np.abs(values) > LARGEST_SINGLE).any() or (room.counts[:rules] < 0.0).any():
            return None
        return PlainRules(
            text,
            (room.phrases[0, :rules], room.phrases[1, :rules]),
            (room.phrases[2, :rules], room.phrases[3, :rules]),
            room.scores[: rules * width].reshape(rules, width).copy(),
            Ragged(
                room.links[:num_links].copy(),
                np.ones(num_links, np.float32),
                np.append(0, room.link_ends[:rules]),
            ),
            room.counts[:rules].copy(),
            values.astype(np.float32),
            np.append(0, room.value_ends[:rules]),
            (room.names[0, :num_values], room.names[1, :num_values]),
        )


def _room(size: int) -> RuleRoom:
    """Room for so many bytes of plain lines; memory that is not used is not taken."""
    lines, entries = size // _SHORTEST_LINE + 2, size // 2 + 1
    return RuleRoom(
        np.empty((4, lines), np.int64), np.empty(entries), np.empty((lines, NUM_COUNTS)),
        np.empty(entries, np.int32), np.empty(lines, np.int64), np.empty((2, entries), np.int64),
        np.empty(entries), np.empty(lines, np.int64), np.empty((entries, 4), np.int64),
    )  # fmt: skip


def _read_rest(content: bytes, room: RuleRoom, number: int) -> bool:
    """Read the numbers that the kernel leaves; False where one is wrong."""
    places = {SCORE: room.scores, COUNT: room.counts.reshape(-1), VALUE: room.values}
    for kind, place, begin, end in room.unread[:number].tolist():
        token = content[begin:end]
        try:
            places[kind][place] = parse_number(token.decode())
        except ValueError:
            return False
    return True
