"""Blocks of source words that a hypothesis has translated in one piece, on a stack.

Hierarchical orientation (Galley & Manning 2008, section 4) is that of a phrase with regard to the
block on top: a phrase that touches it is merged with it, and the result with what is below as long
as these touch, too; any other phrase is a new block on top. Stacks share what lies below: each is
a number, its top block and the stack below that, and equal stacks have equal numbers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import borrowing, njit

__all__ = ["Blocks", "number_stack", "stack_with", "start_blocks", "with_room_for_blocks"]

_ONE = np.uint64(1)
_SHIFT = np.uint64(29)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Blocks(NamedTuple):
    """Stacks of blocks, with room to grow; number 0 is the empty one, whose top is [0, 0).

    below: int32[room], stack under the top block; begin, end: int32[room], source span of that.
    slots: int32[2^k], stacks by hash, -1 = free, twice as many as there is room.
    used: int64[1], how many stacks there are.
    """

    below: NDArray[np.int32]
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    slots: NDArray[np.int32]
    used: NDArray[np.int64]


@njit(nogil=True, cache=True)
def start_blocks(room):
    """Room for stacks, the empty one among them."""
    capacity = 2
    while capacity < 2 * room:
        capacity *= 2
    blocks = Blocks(
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.full(capacity, -1, np.int32),
        np.ones(1, np.int64),
    )
    blocks.slots[_slot(blocks, 0, 0, 0)] = 0
    return blocks


@njit(nogil=True, cache=True)
def with_room_for_blocks(blocks, more):
    """The same stacks under the same numbers, with room for ``more``."""
    used = blocks.used[0]
    if used + more <= len(blocks.below):
        return blocks
    larger = start_blocks(2 * (used + more))
    for stack in range(1, used):
        number_stack(larger, blocks.below[stack], blocks.begin[stack], blocks.end[stack])
    return larger


@borrowing
def _slot(blocks, below, begin, end):
    """Slot of a stack, or the free one for it."""
    key = np.uint64(below) * _FACTOR + np.uint64(begin)
    key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(end)
    key = (key ^ (key >> _SHIFT)) * _FACTOR
    mask = np.uint64(len(blocks.slots) - 1)
    slot = (key ^ (key >> _SHIFT)) & mask
    stack = blocks.slots[slot]
    while stack >= 0 and not (
        blocks.below[stack] == below and blocks.begin[stack] == begin and blocks.end[stack] == end
    ):
        slot = (slot + _ONE) & mask
        stack = blocks.slots[slot]
    return slot


@borrowing
def number_stack(blocks, below, begin, end):
    """The number of the stack with [begin, end) on ``below``; there is room for it."""
    slot = _slot(blocks, below, begin, end)
    if blocks.slots[slot] < 0:
        stack = blocks.used[0]
        blocks.slots[slot] = stack
        blocks.below[stack], blocks.begin[stack], blocks.end[stack] = below, begin, end
        blocks.used[0] += 1
    return blocks.slots[slot]


@borrowing
def stack_with(blocks, stack, begin, end):
    """The stack after a phrase that covers [begin, end); there is room for it."""
    while stack > 0 and (blocks.end[stack] == begin or blocks.begin[stack] == end):
        begin, end = min(begin, blocks.begin[stack]), max(end, blocks.end[stack])
        stack = blocks.below[stack]
    return number_stack(blocks, stack, begin, end)
