"""Lines of Moses' and cdec's n-best lists: their fields, and the names and numbers of features.

What reads lines allocates nothing and does without Numba's counting of references: to count those
of twenty arrays at every call took three quarters of the time.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import FNV_OFFSET, FNV_PRIME, text_slot
from isogloss.align.kernels.lazy import borrowing
from isogloss.align.kernels.numbers import ends_token, read_number

from .names import BAD, DONE, FULL, GROUP, count_features, give, number_name, table_of

MAX_FIELDS = 6  # id, hypothesis, features, score, and two kinds of alignment

_TAB, _FEED, _RETURN, _BLANK = 9, 10, 13, 32
_ZERO, _EQUALS, _BAR = 48, 61, 124
# typed, as each function is compiled once more for a number that is written out
_NONE, _ONE, _NO_NAME = np.int64(0), np.int64(1), np.int64(-1)


class Workspace(NamedTuple):
    """What the lines of a block are written to.

    sentences: int64[lines]; content: uint8[bytes], text_ends: int64[lines]: the hypotheses
    ids: int32[entries], numbers of names; values: float32[entries]; row_ends: int64[lines]
    unread: int64[entries, 2], entries whose number is left to others, and where its text begins
    """

    sentences: NDArray[np.int64]
    content: NDArray[np.uint8]
    text_ends: NDArray[np.int64]
    ids: NDArray[np.int32]
    values: NDArray[np.float32]
    row_ends: NDArray[np.int64]
    unread: NDArray[np.int64]


@borrowing
def _is_separator(text, at):
    """Whether ``|||`` stands here, between blanks, between tabs, or at an end of the line."""
    if at + 3 > len(text) or text[at] != _BAR or text[at + 1] != _BAR or text[at + 2] != _BAR:
        return False
    is_end = at + 3 == len(text)
    if at > 0 and text[at - 1] == _TAB:
        return not is_end and text[at + 3] == _TAB
    if at > 0 and text[at - 1] != _BLANK and text[at - 1] != _FEED:
        return False
    return is_end or text[at + 3] == _BLANK or text[at + 3] == _FEED


@borrowing
def _is_space(byte):
    """Whether a byte is white space within a line."""
    return byte in (_BLANK, _TAB, _RETURN)


@borrowing
def _read_sentence(text, at, most):
    """The id and the place of the separator behind it; -1 where there is none below ``most``."""
    while at < len(text) and _is_space(text[at]):
        at += 1
    begin, sentence = at, 0
    while at < len(text) and _ZERO <= text[at] < _ZERO + 10 and at - begin < 18:
        sentence = 10 * sentence + (text[at] - _ZERO)
        at += 1
    if at == begin or sentence >= most:
        return sentence, -1
    while at < len(text) and _is_space(text[at]):
        at += 1
    return sentence, at if _is_separator(text, at) else -1


@borrowing
def _read_hypothesis(text, at, content, size):
    """Copy the hypothesis up to the next separator, without blanks around it."""
    # Returns the place of the separator, -1 where there is none, and the new size of the content.
    while at < len(text) and _is_space(text[at]):
        at += 1
    begin = at
    while at < len(text) and text[at] != _FEED:
        if text[at] == _BAR and _is_separator(text, at):
            break
        at += 1
    else:
        return -1, size
    end = at
    while end > begin and _is_space(text[end - 1]):
        end -= 1
    for place in range(begin, end):
        content[size] = text[place]
        size += 1
    return at, size


@borrowing
def _new_group(names, head, size, row):
    """Note that a name is given with ``size`` values, which is new."""
    # Returns status, and what GROUP is about, see :func:`parse_lines`.
    if size == 0:
        return BAD, head, 0
    status = give(names, head, size, row)
    if status == DONE and size > 1:
        first = names.elements[head]
        for number in names.parts[first : first + size]:
            if give(names, np.int64(number), _ONE, row) != DONE:
                return GROUP, np.int64(number), 1
    return status, head, size


@borrowing
def _name_values(sizes, elements, parts, head, begin, end, ids):
    """Number the values of a name, entries ``begin`` to ``end``; False where that takes more."""
    # A single value has the name itself, of several each has its own.
    if head < 0:
        return True
    size = end - begin
    if size == 0 or sizes[head] != size:  # a name that never had a value has the size 0, too
        return False
    ids[begin] = head
    if size > 1:
        first = elements[head]
        for place in range(size):
            ids[begin + place] = parts[first + place]
    return True


@borrowing
def _read_features(text, at, row, names, room, entry, unread):
    """Read ``LM0= -1.2 TM0= a b c`` or ``LM0=-1.2`` up to the next separator or the line's end."""
    # Returns status, place, entries, unread entries, and the name that GROUP is about with its
    # number of values. In the loop single arrays are handed on: named tuples cost more than all the
    # rest.
    ids, values = room.ids, room.values
    table = table_of(names)
    sizes, elements, parts = names.sizes, names.elements, names.parts
    head, first = _NO_NAME, entry
    while True:
        while at < len(text) and (text[at] == _BLANK or text[at] == _TAB):
            at += 1
        begin, equals, key, name_key = at, -1, FNV_OFFSET, FNV_OFFSET
        ended = at == len(text) or text[at] == _FEED or _is_separator(text, at)
        if not ended:
            if head >= 0 and text[at] < _ZERO + 10:  # a number, as a rule
                value, end = read_number(text, at)
                if end >= 0:
                    values[entry] = value
                    entry += 1
                    at = end
                    continue
            while not ends_token(text, at):
                if text[at] == _EQUALS:
                    equals, name_key = at, key
                key = (key ^ np.uint64(text[at])) * FNV_PRIME
                at += 1
            if equals <= begin:  # a number
                if head < 0:
                    return BAD, at, entry, unread, head, 0
                values[entry] = np.float32(0.0)
                room.unread[unread, 0], room.unread[unread, 1] = entry, begin
                entry += 1
                unread += 1
                continue
        if not _name_values(sizes, elements, parts, head, first, entry, ids):
            status, name, given = _new_group(names, head, entry - first, row)
            if status != DONE:
                return status, at, entry, unread, name, given
            _name_values(sizes, elements, parts, head, first, entry, ids)
        if ended:
            return DONE, at, entry, unread, head, 0
        number = table.slots[text_slot(table, text, begin, equals, name_key)] - 1
        if number < 0:
            number = number_name(names, text, begin, equals, name_key)
            if number < 0:
                return FULL, at, entry, unread, head, 0
        head, first = number, entry
        if equals < at - 1:  # NAME=value
            value, end = read_number(text, equals + 1)
            values[entry] = value
            if end < 0:
                room.unread[unread, 0], room.unread[unread, 1] = entry, equals + 1
                unread += 1
            entry += 1
            if not _name_values(sizes, elements, parts, head, first, entry, ids):
                status, name, given = _new_group(names, head, _ONE, row)
                if status != DONE:
                    return status, at, entry, unread, name, given
                ids[first] = head
            head = _NO_NAME


@borrowing
def parse_lines(text, at, row, most, names, room):
    """Read lines ``id ||| hypothesis ||| features [||| more]`` of a block.

    text: uint8, whole lines; at: where to begin; row: number of the first hypothesis
    most: ids are below this
    Returns status, place, rows and entries written, unread entries, and two numbers: the name that
    GROUP is about and the number of values it has here. Other than DONE, the place is where a line
    begins that is wrong (BAD, or GROUP: a name with another number of values than before), or that
    should be read again when there is room for more names (FULL).
    """
    rows, entry, size, unread = _NONE, _NONE, _NONE, _NONE
    while True:
        begin = at
        sentence, at = _read_sentence(text, at, most)
        if at < 0:
            return BAD, begin, rows, entry, unread, -1, 0
        at, new_size = _read_hypothesis(text, at + 3, room.content, size)
        if at < 0:
            return BAD, begin, rows, entry, unread, -1, 0
        status, at, new_entry, new_unread, name, given = _read_features(
            text, at + 3, row + rows, names, room, entry, unread
        )
        if status != DONE:
            return status, begin, rows, entry, unread, name, given
        fields = 3
        while at < len(text) and text[at] != _FEED:
            if text[at] == _BAR and _is_separator(text, at):
                fields += 1
            at += 1
        if fields > MAX_FIELDS:
            return BAD, begin, rows, entry, unread, -1, 0
        if count_features(names, room.ids, entry, new_entry, row + rows) >= 0:
            return BAD, begin, rows, entry, unread, -1, 0
        entry, size, unread = new_entry, new_size, new_unread
        room.sentences[rows] = sentence
        room.text_ends[rows] = size
        room.row_ends[rows] = entry
        rows += 1
        if at == len(text):
            return DONE, at, rows, entry, unread, -1, 0
        at += 1
