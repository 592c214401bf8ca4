"""Recombination: hypotheses that all that follows scores alike are one node.

They cover the same words, end at the same position, have equal language-model contexts, and their
last phrases have equal scores for the orientation of what may follow.
"""

import numpy as np

from isogloss.align.kernels.lazy import inlined, njit

from .lattice import KEY

__all__ = ["hash_table", "node_key", "node_slot"]

_ONE = np.uint64(1)
_SHIFT = np.uint64(32)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@inlined
def node_key(place_key, group, matched, states, row):
    """Hash of what must be equal for two hypotheses to be recombined: int64.

    place_key: int64, of the place without what depends on the option: its group, and the words of
    the constraint matched with it; states: States; row: the state
    """
    contexts = states.contexts
    key = np.uint64(place_key) * _FACTOR + (np.uint64(matched) << _SHIFT) + np.uint64(group)
    for k in range(contexts.shape[1]):
        key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(contexts[row, k] + 1)
    key = (key ^ (key >> _SHIFT)) * _FACTOR
    return np.int64(key ^ (key >> _SHIFT))


@inlined
def _are_one(nodes, node, other, states, row):
    """Whether two nodes have the same key and place, and the one the context of ``row``."""
    same, column = True, 0
    while same and column < nodes.place.shape[1]:
        same = nodes.place[node, column] == nodes.place[other, column]
        column += 1
    contexts, node_contexts = states.contexts, nodes.states.contexts
    column = 0
    while same and column < contexts.shape[1]:
        same = node_contexts[node, column] == contexts[row, column]
        column += 1
    return same


@inlined
def node_slot(slots, nodes, candidate, states, row):
    """Slot of the node that a candidate is to be recombined with, or the free one for it.

    slots: int32[2^k], nodes, -1 = free; nodes: Nodes; candidate: its place in them; states: States;
    row: its state
    """
    mask = np.uint64(len(slots) - 1)
    slot = np.uint64(nodes.place[candidate, KEY]) & mask
    while slots[slot] >= 0 and not _are_one(nodes, slots[slot], candidate, states, row):
        slot = (slot + _ONE) & mask
    return slot


@njit(nogil=True, cache=True)
def hash_table(size, nodes, begin, end):
    """A hash table for ``size`` nodes and more, with the nodes [begin, end) in it: int32[2^k].

    nodes: Nodes
    """
    capacity = 1024
    while capacity < 4 * size:
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    mask = np.uint64(capacity - 1)
    for node in range(begin, end):
        slot = np.uint64(nodes.place[node, KEY]) & mask
        while slots[slot] >= 0:
            slot = (slot + _ONE) & mask
        slots[slot] = node
    return slots
