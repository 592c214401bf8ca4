"""N-grams of the references of a sentence, and how many of them a hypothesis has."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import key_slot
from isogloss.align.kernels.lazy import borrowing, njit

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio (Knuth's multiplicative hashing)


class ReferenceNgrams(NamedTuple):
    """A trie of n-grams: a node is an n-gram, its children are that n-gram and one symbol more.

    keys: uint64[num_slots], node << 32 | symbol, 0 = free slot
    children: int32[num_slots], 0 where the slot is free; unigrams are the nodes 1, 2, ... of their
    symbols
    counts: int32[num_nodes + 1, columns], how often each n-gram occurs
    """

    keys: NDArray[np.uint64]
    children: NDArray[np.int32]
    counts: NDArray[np.int32]


class Tally(NamedTuple):
    """How often each n-gram came in the hypothesis looked at.

    seen: int32[num_nodes + 1], how often each came; row: int64[num_nodes + 1], in which row last
    """

    seen: NDArray[np.int32]
    row: NDArray[np.int64]


@njit(nogil=True, cache=True)
def _child_slot(keys, node, symbol):
    """Slot of a child, or the free one where it belongs, and its key."""
    key = (np.uint64(node) << np.uint64(32)) | np.uint64(symbol)
    value = key * _MULTIPLIER
    return key_slot(keys, key, value ^ (value >> np.uint64(32))), key


@borrowing
def child_of(ngrams, node, symbol):
    """The n-gram with one symbol, above 0, more; 0 where there is none. ngrams: ReferenceNgrams"""
    slot, _ = _child_slot(ngrams.keys, node, symbol)
    return ngrams.children[slot]


@njit(nogil=True, cache=True)
def count_ngrams(symbols, offsets, first, last, order):
    """ReferenceNgrams of the texts first..last - 1, a column for each; orders 1 to ``order``."""
    units = symbols[offsets[first] : offsets[last]]
    nodes = 0
    for symbol in units:
        nodes = max(nodes, symbol)
    room = (order - 1) * len(units)
    size = 16
    while size < 2 * room:
        size *= 2
    keys, children = np.zeros(size, np.uint64), np.zeros(size, np.int32)
    counts = np.zeros((nodes + room + 1, last - first), np.int32)
    for text in range(first, last):
        end = offsets[text + 1]
        for begin in range(offsets[text], end):
            node = symbols[begin]
            counts[node, text - first] += 1
            for position in range(begin + 1, min(begin + order, end)):
                slot, key = _child_slot(keys, node, symbols[position])
                if not children[slot]:
                    nodes += 1
                    keys[slot], children[slot] = key, nodes
                node = children[slot]
                counts[node, text - first] += 1
    return ReferenceNgrams(keys, children, counts[: nodes + 1])


@njit(nogil=True, cache=True)
def most_of_any(ngrams):
    """The same with one column, the highest count that any of the texts has."""
    counts = np.zeros((len(ngrams.counts), 1), np.int32)
    for node in range(len(counts)):
        for column in range(ngrams.counts.shape[1]):
            counts[node, 0] = max(counts[node, 0], ngrams.counts[node, column])
    return ReferenceNgrams(ngrams.keys, ngrams.children, counts)


@njit(nogil=True, cache=True)
def start_tally(ngrams):
    """A Tally in which no hypothesis was looked at."""
    return Tally(np.zeros(len(ngrams.counts), np.int32), np.full(len(ngrams.counts), -1, np.int64))


@njit(nogil=True, cache=True)
def add_matches(symbols, begin, end, row, order, ngrams, tally, matches):
    """Count n-grams of symbols[begin:end], clipped by the counts of each column.

    row: a number that no other hypothesis has; matches: int64[columns, >= order], added to.
    """
    counts = ngrams.counts
    for first in range(begin, end):
        node = symbols[first]
        length = 0
        while node:  # what has no reference with it has none with more of it
            if tally.row[node] != row:
                tally.row[node] = row
                tally.seen[node] = 0
            for column in range(counts.shape[1]):
                if tally.seen[node] < counts[node, column]:
                    matches[column, length] += 1
            tally.seen[node] += 1
            length += 1
            if length == order or first + length == end or not symbols[first + length]:
                break
            slot, _ = _child_slot(ngrams.keys, node, symbols[first + length])
            node = ngrams.children[slot]
