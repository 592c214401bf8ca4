"""Plain lines of Moses' tables: where phrases and names stand, numbers, links and counts.

Plain are lines that a kernel reads as the parser in Python would. It takes no others: lines with
faults, properties, more than three counts or several blanks inside of a phrase are left to that.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing
from isogloss.align.kernels.numbers import read_double

SCORE, COUNT, VALUE = 0, 1, 2  # where a number belongs
NUM_COUNTS = 3
_END, _SEPARATOR, _TOKEN = 0, 1, 2  # what comes next in a line
_FEED, _BLANK, _DASH, _ZERO, _UNDERSCORE, _BAR = 10, 32, 45, 48, 95, 124
_WIDEST = 256  # positions of a link in a rule are below


class RuleRoom(NamedTuple):
    """What lines are written to.

    phrases: int64[4, lines], where the source phrase begins and ends, and the target phrase
    scores: float64[entries], line after line; counts: float64[lines, NUM_COUNTS]
    links: int32[entries], source position * 256 + target position; link_ends: int64[lines]
    names: int64[2, entries], where the names of sparse features begin and end; values:
        float64[entries]; value_ends: int64[lines]
    unread: int64[entries, 4], numbers left to Python: SCORE, COUNT or VALUE; place in that array;
        where the text begins and ends
    """

    phrases: NDArray[np.int64]
    scores: NDArray[np.float64]
    counts: NDArray[np.float64]
    links: NDArray[np.int32]
    link_ends: NDArray[np.int64]
    names: NDArray[np.int64]
    values: NDArray[np.float64]
    value_ends: NDArray[np.int64]
    unread: NDArray[np.int64]


@borrowing
def _token_end(text, at):
    while at < len(text) and text[at] != _BLANK and text[at] != _FEED:
        at += 1
    return at


@borrowing
def _next(text, at):
    """What comes next, and where it begins; of a separator the place behind it."""
    while at < len(text) and text[at] == _BLANK:
        at += 1
    if at == len(text) or text[at] == _FEED:
        return _END, at
    if _token_end(text, at) == at + 3 and text[at] == text[at + 1] == text[at + 2] == _BAR:
        return _SEPARATOR, at + 3
    return _TOKEN, at


@borrowing
def _read_phrase(text, at):
    """Where a phrase begins and ends, and the place behind its separator."""
    # -1 where it isn't plain.
    # Between its words stand single blanks, as in the phrase that is meant.
    kind, at = _next(text, at)
    begin = end = at
    while kind == _TOKEN:
        if at > begin and at != end + 1:
            return begin, end, -1
        end = _token_end(text, at)
        kind, at = _next(text, end)
    return begin, end, at if kind == _SEPARATOR and end > begin else -1


@borrowing
def _read_number(text, at, kind, place, unread, size):
    """A number, the place behind it, and how many numbers are left to Python by now."""
    value, end = read_double(text, at)
    if end < 0:
        end = _token_end(text, at)
        unread[size, 0], unread[size, 1], unread[size, 2], unread[size, 3] = kind, place, at, end
        size += 1
    return value, end, size


@borrowing
def _read_position(text, at):
    """A position in a phrase, and the place behind it; -1 where there is none."""
    position, begin = np.int64(0), at
    while at < len(text) and _ZERO <= text[at] < _ZERO + 10 and at - begin < 7:
        position = 10 * position + (np.int64(text[at]) - _ZERO)
        at += 1
    return position, at if at > begin and position < _WIDEST else -1


@borrowing
def _read_links(text, at, links, size):
    """Read ``i-j ...``; returns what comes next, where, and how many links there are."""
    kind, at = _next(text, at)
    while kind == _TOKEN:
        left, at = _read_position(text, at)
        if at < 0 or at == len(text) or text[at] != _DASH:
            return kind, at, size
        right, at = _read_position(text, at + 1)
        if at < 0 or at != _token_end(text, at):
            return kind, at, size
        links[size] = left * _WIDEST + right
        size += 1
        kind, at = _next(text, at)
    return kind, at, size


@borrowing
def _read_sparse(text, at, names, values, size, unread, num_unread):
    """Read ``NAME value ...``; returns what comes next, where, entries and unread numbers."""
    kind, at = _next(text, at)
    while kind == _TOKEN:
        end = _token_end(text, at)
        sparse = False
        for place in range(at, end):
            sparse |= text[place] == _UNDERSCORE
        names[0, size], names[1, size] = at, end
        kind, at = _next(text, end)
        if kind != _TOKEN or not sparse:
            return _TOKEN, at, size, num_unread
        values[size], at, num_unread = _read_number(text, at, VALUE, size, unread, num_unread)
        size += 1
        kind, at = _next(text, at)
    return kind, at, size, num_unread


@borrowing
def parse_rules(text, room):
    """Read lines ``source ||| target ||| scores [||| links [||| counts [||| NAME value ...]]]``.

    text: uint8[bytes], whole lines without tabs and carriage returns, no feed behind the last
    Returns how many lines were read, the scores of each, links, entries of sparse features, and
    numbers left to Python. The first is -1 where a line isn't plain.
    """
    phrases, scores, counts, unread = room.phrases, room.scores, room.counts, room.unread
    links, names, values = room.links, room.names, room.values
    at, rule, width, size, num_links = np.int64(0), 0, 0, 0, np.int64(0)
    num_values, num_unread = np.int64(0), np.int64(0)
    while True:
        for side in range(2):
            phrases[2 * side, rule], phrases[2 * side + 1, rule], at = _read_phrase(text, at)
            if at < 0:
                return -1, 0, 0, 0, 0
        first = size
        kind, at = _next(text, at)
        while kind == _TOKEN:
            scores[size], at, num_unread = _read_number(text, at, SCORE, size, unread, num_unread)
            size += 1
            kind, at = _next(text, at)
        width = size if rule == 0 else width
        if width == 0 or size - first != width:
            return -1, 0, 0, 0, 0
        if kind == _SEPARATOR:
            kind, at, num_links = _read_links(text, at, links, num_links)
        for column in range(NUM_COUNTS):
            counts[rule, column] = 0.0
        if kind == _SEPARATOR:
            kind, at = _next(text, at)
            column = 0
            while kind == _TOKEN and column < NUM_COUNTS:
                counts[rule, column], at, num_unread = _read_number(
                    text, at, COUNT, rule * NUM_COUNTS + column, unread, num_unread
                )
                column += 1
                kind, at = _next(text, at)
        if kind == _SEPARATOR:
            kind, at, num_values, num_unread = _read_sparse(
                text, at, names, values, num_values, unread, num_unread
            )
        if kind == _SEPARATOR:
            kind, at = _next(text, at)
        if kind != _END:
            return -1, 0, 0, 0, 0
        room.link_ends[rule] = num_links
        room.value_ends[rule] = num_values
        rule += 1
        if at == len(text):
            return rule, width, num_links, num_values, num_unread
        at += 1
