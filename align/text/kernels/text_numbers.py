"""Texts by number: different ones in order of first appearance, and the numbers of others."""

from ...kernels.hash_tables import text_hash, text_slot
from ...kernels.lazy import borrowing


@borrowing
def number_texts(offsets, table, numbers):
    """Number different texts in order of first appearance; returns how many there are.

    offsets: int64[n + 1], where each text begins in the content of the table
    table: TextTable with room for n texts, its slots 0, written
    numbers: int64[n], the number of each text, written
    """
    size = 0
    for k in range(len(numbers)):
        begin, end = offsets[k], offsets[k + 1]
        value = text_hash(table.content, begin, end)
        slot = text_slot(table, table.content, begin, end, value)
        if table.slots[slot] == 0:
            table.hashes[size] = value
            table.begins[size], table.ends[size] = begin, end
            size += 1
            table.slots[slot] = size
        numbers[k] = table.slots[slot] - 1
    return size


@borrowing
def find_texts(table, content, offsets, numbers):
    """Write the number of each text, -1 where the table hasn't got it.

    table: TextTable; content: uint8[bytes], UTF-8; offsets: int64[n + 1], where each text begins
    numbers: int64[n], written
    """
    for k in range(len(numbers)):
        begin, end = offsets[k], offsets[k + 1]
        slot = text_slot(table, content, begin, end, text_hash(content, begin, end))
        numbers[k] = table.slots[slot] - 1
