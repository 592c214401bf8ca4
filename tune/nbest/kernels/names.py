"""Names of features by number, while lists are read: a hash table, groups of values, counts."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import TextTable, text_hash, text_slot
from isogloss.align.kernels.lazy import borrowing, inlined

DONE, BAD, FULL, GROUP = 0, 1, 2, 3  # how parsing ended, see parse_lines

_DOT, _ZERO, _UNDERSCORE = 46, 48, 95


class Names(NamedTuple):
    """Names of features by number, in the order in which they were met; heads of groups, too.

    slots: int32[2^k], hashes: uint64[room]: hash table, see
        isogloss.align.kernels.hash_tables.TextTable
    content: uint8[bytes], bounds: int64[room + 1]: the names, UTF-8
    sizes: int32[room], values that follow the name where it is given: 1, or more for the head of
        a group such as ``TM0= -1 -2``; 0 = not given as such yet
    first: int64[room], the row in which that was seen first
    elements: int32[room], where in ``parts`` the numbers of NAME.0, NAME.1, .. of a group begin
    parts: int32[part room]
    dense: bool[room], whether the name has no underscore
    counts: int64[room], values given to the feature; whole: int64[room], the rows before this one
        all have it; last: int64[room], the last row that has it, -1 = none; the latter two of
        dense features only
    used: int64[3], names, bytes and parts that there are
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    content: NDArray[np.uint8]
    bounds: NDArray[np.int64]
    sizes: NDArray[np.int32]
    first: NDArray[np.int64]
    elements: NDArray[np.int32]
    parts: NDArray[np.int32]
    dense: NDArray[np.bool_]
    counts: NDArray[np.int64]
    whole: NDArray[np.int64]
    last: NDArray[np.int64]
    used: NDArray[np.int64]


@inlined
def table_of(names):
    """The TextTable of Names."""
    return TextTable(names.slots, names.hashes, names.bounds, names.bounds[1:], names.content)


@borrowing
def number_name(names, text, begin, end, key):
    """Number of a name, a new one where it is new; -1 where the table is full."""
    slot = text_slot(table_of(names), text, begin, end, key)
    number = names.slots[slot] - 1
    if number >= 0:
        return number
    number, start = names.used[0], names.used[1]
    full = number == len(names.hashes) or 2 * number >= len(names.slots)
    if full or start + end - begin > len(names.content):
        return -1
    dense = True
    for place in range(end - begin):
        byte = text[begin + place]
        names.content[start + place] = byte
        if byte == _UNDERSCORE:
            dense = False
    names.slots[slot] = number + 1
    names.hashes[number] = key
    names.bounds[number + 1] = start + end - begin
    names.dense[number] = dense
    names.last[number] = -1
    names.used[0] = number + 1
    names.used[1] = start + end - begin
    return number


@borrowing
def name_number(names, text):
    """Number of the name ``text``, a new one where it is new; -1 where the table is full."""
    return number_name(names, text, 0, len(text), text_hash(text, 0, len(text)))


@borrowing
def fill_slots(names):
    """Enter all names into an empty hash table."""
    table = table_of(names)
    for number in range(names.used[0]):
        begin, end = names.bounds[number], names.bounds[number + 1]
        slot = text_slot(table, names.content, begin, end, names.hashes[number])
        names.slots[slot] = number + 1


@borrowing
def _add_elements(names, head, size):
    """Number NAME.0, NAME.1, ..; False where the table is full."""
    first = names.used[2]
    if first + size > len(names.parts):
        return False
    for element in range(size):
        digits, rest = 1, element
        while rest >= 10:
            rest //= 10
            digits += 1
        begin = names.used[1]  # written where a new name comes to stand
        at, length = begin, names.bounds[head + 1] - names.bounds[head]
        if at + length + 1 + digits > len(names.content):
            return False
        for place in range(length):
            names.content[at + place] = names.content[names.bounds[head] + place]
        at += length
        names.content[at] = _DOT
        rest = element
        for place in range(at + digits, at, -1):
            names.content[place] = _ZERO + rest % 10
            rest //= 10
        at += 1 + digits
        number = number_name(names, names.content, begin, at, text_hash(names.content, begin, at))
        if number < 0:
            return False
        names.parts[first + element] = number
    names.elements[head] = first
    names.used[2] = first + size
    return True


@borrowing
def give(names, number, size, row):
    """Note that ``size`` values follow a name: DONE, FULL, or GROUP where other numbers did."""
    if names.sizes[number] == size:
        return DONE
    if names.sizes[number] != 0:
        return GROUP
    if size > 1 and not _add_elements(names, number, size):
        return FULL
    names.sizes[number] = size
    names.first[number] = row
    return DONE


@borrowing
def give_single(names, number, row):
    """Note that one value follows a name; False where more did before."""
    return give(names, number, np.int64(1), row) == DONE


@borrowing
def count_features(names, ids, begin, end, row):
    """Count the features of a row; returns the dense one that comes twice, -1 where none does."""
    for entry in range(begin, end):
        number = ids[entry]
        if names.dense[number]:
            if names.last[number] == row:
                return number
            names.last[number] = row
            if names.whole[number] == row:
                names.whole[number] = row + 1
        names.counts[number] += 1
    return -1


@borrowing
def count_rows(names, ids, offsets, row):
    """Count the features of rows, the first of which is number ``row``; none comes twice."""
    for k in range(len(offsets) - 1):
        count_features(names, ids, offsets[k], offsets[k + 1], row + k)
