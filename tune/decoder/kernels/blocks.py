"""Blocks of source words that a hypothesis has translated in one piece, on a stack.

Hierarchical orientation (Galley & Manning 2008, section 4) is that of a phrase with regard to the
block on top: a phrase that touches it is merged with it, and the result with what is below as long
as these touch, too; any other phrase is a new block on top. Stacks share what lies below: each is
a number, its top block and the stack below that, and equal stacks have equal numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import row_key, row_slot
from isogloss.align.kernels.lazy import borrowing, njit

__all__ = [
    "TOP",
    "TOP_END",
    "Blocks",
    "number_stack",
    "stack_with",
    "start_blocks",
    "with_room_for_blocks",
]


# columns of a stack's row
BELOW, TOP, TOP_END = range(3)


class Blocks(NamedTuple):
    """Stacks of blocks, with room to grow; number 0 is the empty one, whose top is [0, 0).

    rows: int64[room, 3], by column: the stack BELOW the top block; the source span of that, from
        TOP to TOP_END.
    slots: int32[2^k], stacks by hash, -1 = free, twice as many as there is room.
    used: int64[1], how many stacks there are.
    """

    rows: NDArray[np.int64]
    slots: NDArray[np.int32]
    used: NDArray[np.int64]


@njit(nogil=True, cache=True)
def start_blocks(room):
    """Room for stacks, the empty one among them."""
    capacity = 2
    while capacity < 2 * room:
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    blocks = Blocks(np.zeros((room, 3), np.int64), slots, np.ones(1, np.int64))
    slots[row_slot(slots, blocks.rows, 0, row_key(blocks.rows, 0))] = 0
    return blocks


@njit(nogil=True, cache=True)
def with_room_for_blocks(blocks, more):
    """The same stacks under the same numbers, with room for ``more``."""
    used = blocks.used[0]
    if used + more < len(blocks.rows):
        return blocks
    larger = start_blocks(2 * (used + more))
    for stack in range(1, used):
        below, begin, end = blocks.rows[stack]
        number_stack(larger, below, begin, end)
    return larger


@borrowing
def number_stack(blocks, below, begin, end):
    """The number of the stack with [begin, end) on ``below``; there is room for it."""
    rows, slots, new = blocks.rows, blocks.slots, blocks.used[0]
    rows[new, BELOW], rows[new, TOP], rows[new, TOP_END] = below, begin, end
    slot = row_slot(slots, rows, new, row_key(rows, new))
    if slots[slot] < 0:
        slots[slot] = new
        blocks.used[0] += 1
    return slots[slot]


@borrowing
def stack_with(blocks, stack, begin, end):
    """The stack after a phrase that covers [begin, end); there is room for it."""
    rows = blocks.rows
    while stack > 0 and (rows[stack, TOP_END] == begin or rows[stack, TOP] == end):
        begin, end = min(begin, rows[stack, TOP]), max(end, rows[stack, TOP_END])
        stack = rows[stack, BELOW]
    return number_stack(blocks, stack, begin, end)
