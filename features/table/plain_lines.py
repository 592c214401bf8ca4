"""Plain lines of Moses' tables by a kernel; all others are left to the parser in Python."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.files.numerals import LARGEST_SINGLE, parse_number
from align.sparse_rows import Ragged

from .kernels.parsing import COUNT, NUM_COUNTS, SCORE, VALUE, RuleRoom, parse_rules

__all__ = ["PlainParser", "PlainRules"]

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
