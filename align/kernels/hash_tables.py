"""Hash tables with open addressing: the slot of a key, or of a text."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .lazy import borrowing, inlined

FNV_OFFSET, FNV_PRIME = np.uint64(14695981039346656037), np.uint64(1099511628211)  # FNV-1a
_ONE, _HALF = np.uint64(1), np.uint64(32)
_MIX = np.uint64(0x9E3779B97F4A7C15)  # 2^64 over the golden ratio (Knuth's multiplicative hashing)


class TextTable(NamedTuple):
    """Numbers of different texts.

    slots: int32[2^k], number + 1, 0 = free
    hashes: uint64[room]; begins, ends: int64[room]; the text of a number is
    ``content[begins[number]:ends[number]]``
    content: uint8[bytes], UTF-8
    """

    slots: NDArray[np.int32]
    hashes: NDArray[np.uint64]
    begins: NDArray[np.int64]
    ends: NDArray[np.int64]
    content: NDArray[np.uint8]


@borrowing
def key_slot(keys, key, value):
    """Slot of a key, or the free one where it belongs.

    keys: uint64[2^k], 0 = free; key: uint64, not 0; value: uint64, its hash, which may be itself
    """
    mask = np.uint64(len(keys) - 1)
    slot = value & mask
    while keys[slot] != key and keys[slot] != 0:
        slot = (slot + _ONE) & mask
    return slot


@borrowing
def number_keys(keys, slots, slot_numbers, first, numbers):
    """Number the different keys in order of first appearance; returns how many there are.

    keys: int64[n], 0 or more
    slots: uint64[2^k], zeros, more than n; slot_numbers: int32[2^k], room
    first: int64[n], where each different key stands first, and numbers: int32[n], the number of
    each key; written
    """
    size = np.int32(0)
    for place in range(len(keys)):
        key = np.uint64(keys[place]) + _ONE
        value = key * _MIX
        slot = key_slot(slots, key, value ^ (value >> _HALF))
        if slots[slot] == 0:
            slots[slot] = key
            slot_numbers[slot] = size
            first[size] = place
            size += np.int32(1)
        numbers[place] = slot_numbers[slot]
    return size


@borrowing
def text_hash(text, begin, end):
    """FNV-1a hash of the bytes begin..end - 1: uint64."""
    value = FNV_OFFSET
    for position in range(begin, end):
        value = (value ^ np.uint64(text[position])) * FNV_PRIME
    return value


@inlined
def text_slot(table, text, begin, end, value):
    """Slot of the text begin..end - 1 of ``text``, or the free one where it belongs.

    table: TextTable; text: uint8; value: uint64, its :func:`text_hash`
    """
    mask = np.uint64(len(table.slots) - 1)
    slot = (value ^ (value >> _HALF)) & mask
    while table.slots[slot]:
        number = table.slots[slot] - 1
        first = table.begins[number]
        if table.hashes[number] == value and table.ends[number] - first == end - begin:
            same = 0
            while same < end - begin and table.content[first + same] == text[begin + same]:
                same += 1
            if same == end - begin:
                break
        slot = (slot + _ONE) & mask
    return slot


@borrowing
def row_key(rows, row):
    """Hash of a row of int64[n, columns]: uint64."""
    key = np.uint64(0)
    for column in range(rows.shape[1]):
        key = (key ^ (key >> _HALF) ^ np.uint64(rows[row, column])) * _MIX
    return key ^ (key >> _HALF)


@borrowing
def row_slot(slots, rows, row, key):
    """Slot of the row that equals ``rows[row]``, or the free one for it.

    slots: int32[2^k], numbers of rows, -1 = free; rows: int64[n, columns]; key: its `row_key`
    """
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] >= 0:
        column = 0
        while column < rows.shape[1] and rows[slots[slot], column] == rows[row, column]:
            column += 1
        if column == rows.shape[1]:
            break
        slot = (slot + _ONE) & mask
    return slot
