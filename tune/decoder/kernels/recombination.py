"""Recombination: hypotheses that all that follows scores alike are one node.

They cover the same words, end at the same position, have equal language-model contexts, and their
last phrases have equal scores for the orientation of what may follow.
"""

from typing import NamedTuple

import numpy as np

from align.kernels.lazy import inlined, njit

__all__ = ["Coverage", "hash_table", "node_key", "node_slot"]

_ONE = np.uint64(1)
_SHIFT = np.uint64(32)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Coverage(NamedTuple):
    """What a hypothesis covers: see coverage.py; begin, end: of its last phrase.

    begin: see `Place`; group: of the last option, see `Reordering`; stack: see `Blocks`
    """

    window: np.uint64
    first: np.int64
    end: np.int64
    begin: np.int64
    group: np.int64
    stack: np.int64


@inlined
def node_key(coverage, states, row):
    """Hash of what must be equal for two hypotheses to be recombined: uint64.

    coverage: Coverage; states: States; row: the state
    """
    contexts = states.contexts
    key = coverage.window * _FACTOR + np.uint64(coverage.first)
    key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(coverage.end)
    last = (np.uint64(coverage.begin) << _SHIFT) + np.uint64(coverage.group)
    key = (key ^ (key >> _SHIFT)) * _FACTOR + last
    key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(coverage.stack)
    for k in range(contexts.shape[1]):
        key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(contexts[row, k] + 1)
    key = (key ^ (key >> _SHIFT)) * _FACTOR
    return key ^ (key >> _SHIFT)


@inlined
def _is_node(nodes, node, key, coverage, states, row):
    """Whether a node has this key, coverage and context."""
    same = nodes.key[node] == key and nodes.window[node] == coverage.window
    same = same and nodes.first[node] == coverage.first and nodes.end[node] == coverage.end
    same = same and nodes.begin[node] == coverage.begin and nodes.group[node] == coverage.group
    same = same and nodes.stack[node] == coverage.stack
    contexts, node_contexts = states.contexts, nodes.states.contexts
    k = 0
    while same and k < contexts.shape[1]:
        same = contexts[row, k] == node_contexts[node, k]
        k += 1
    return same


@inlined
def node_slot(slots, nodes, key, coverage, states, row):
    """Slot of the node of this coverage and context, or the free one for it.

    Not a `align.kernels.hash_tables` slot: what is compared is spread over five columns.

    slots: int32[2^k], nodes, -1 = free; nodes: Nodes; key: of `node_key`, whose arguments follow
    """
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    while slots[slot] >= 0 and not _is_node(nodes, slots[slot], key, coverage, states, row):
        slot = (slot + _ONE) & mask
    return slot


@njit(nogil=True, cache=True)
def hash_table(size, keys, begin, end):
    """A hash table for ``size`` nodes and more, with the nodes [begin, end) in it: int32[2^k].

    keys: uint64, of each node
    """
    capacity = 1024
    while capacity < 4 * size:
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    mask = np.uint64(capacity - 1)
    for node in range(begin, end):
        slot = keys[node] & mask
        while slots[slot] >= 0:
            slot = (slot + _ONE) & mask
        slots[slot] = node
    return slots
