"""The lattice of a search: recombined hypotheses (nodes), and the phrases between them (arcs)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import borrowing, njit

from .blocks import Blocks, start_blocks, with_room_for_blocks
from .coverage import gap_begin, gap_end
from .ngram import States, start_context
from .reordering import Place

__all__ = [
    "Arcs",
    "Lattice",
    "Nodes",
    "grown",
    "place_of",
    "reorder_arcs",
    "reorder_nodes",
    "start_arcs",
    "start_nodes",
    "trimmed",
    "with_room_for_arcs",
    "with_room_for_nodes",
    "with_room_for_stacks",
]


class Nodes(NamedTuple):
    """Recombined hypotheses, with room to grow.

    score: float64[room], best so far; future: float64[room], estimate of the rest.
    key: uint64[room], hash of all that follows here.
    window: uint64[room]; first: int32[room], coverage; end, begin, group: int32[room], of the last
        phrase; stack: int32[room], of blocks; see `Coverage`.
    states: States, after the last word.
    blocks: Blocks, where there are hierarchical models.
    """

    score: NDArray[np.float64]
    future: NDArray[np.float64]
    key: NDArray[np.uint64]
    window: NDArray[np.uint64]
    first: NDArray[np.int32]
    end: NDArray[np.int32]
    begin: NDArray[np.int32]
    group: NDArray[np.int32]
    stack: NDArray[np.int32]
    states: States
    blocks: Blocks


class Arcs(NamedTuple):
    """Phrases between nodes, with room to grow.

    score: float64[room], weighted; language_model: float64[room], natural log.
    previous, option, node: int32[room].
    """

    score: NDArray[np.float64]
    language_model: NDArray[np.float64]
    previous: NDArray[np.int32]
    option: NDArray[np.int32]
    node: NDArray[np.int32]


class Lattice(NamedTuple):
    """Nodes and arcs on ways from the start (node 0) to the goal (the last node).

    node_score: float64[num_nodes], best score of each node.
    arc_offsets: int64[num_nodes + 1], arcs into each node; arcs are sorted by node.
    previous, option, node: int32[num_arcs], node before each arc, its option, node behind it.
    score: float64[num_arcs], weighted; language_model: float64[num_arcs], natural log.
    distortion: float64[num_arcs], in source words, <= 0.
    """

    node_score: NDArray[np.float64]
    arc_offsets: NDArray[np.int64]
    previous: NDArray[np.int32]
    option: NDArray[np.int32]
    node: NDArray[np.int32]
    score: NDArray[np.float64]
    language_model: NDArray[np.float64]
    distortion: NDArray[np.float64]


@njit(nogil=True, cache=True)
def start_nodes(table, width, rest, num_source_words):
    """Room for nodes, with the start node in it."""
    room = 256 * num_source_words
    nodes = Nodes(
        np.empty(room),
        np.empty(room),
        np.empty(room, np.uint64),
        np.empty(room, np.uint64),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        States(np.empty((room, width), np.int32), np.empty((room, width), np.float32)),
        start_blocks(num_source_words),
    )
    nodes.score[0], nodes.future[0] = 0.0, rest
    nodes.window[0], nodes.first[0], nodes.end[0] = 0, 0, 0
    nodes.begin[0], nodes.group[0], nodes.stack[0] = 0, 0, 0
    start_context(table, nodes.states, 0)
    return nodes


@njit(nogil=True, cache=True)
def start_arcs(num_source_words):
    """Room for arcs."""
    room = 1024 * num_source_words
    return Arcs(
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
    )


@njit(nogil=True, cache=True)
def grown(array, used, num):
    """The array itself if it has ``num`` rows, else a larger one with the ``used`` first rows."""
    if num <= len(array):
        return array
    larger = np.empty((2 * num, *array.shape[1:]), array.dtype)
    numbers, copies = array.reshape(-1), larger.reshape(-1)
    for k in range(used * (len(numbers) // len(array))):
        copies[k] = numbers[k]
    return larger


@njit(nogil=True, cache=True)
def with_room_for_nodes(nodes, used, num):
    """The first ``used`` nodes with room for ``num``."""
    return Nodes(
        grown(nodes.score, used, num),
        grown(nodes.future, used, num),
        grown(nodes.key, used, num),
        grown(nodes.window, used, num),
        grown(nodes.first, used, num),
        grown(nodes.end, used, num),
        grown(nodes.begin, used, num),
        grown(nodes.group, used, num),
        grown(nodes.stack, used, num),
        States(grown(nodes.states.contexts, used, num), grown(nodes.states.backoffs, used, num)),
        nodes.blocks,
    )


@njit(nogil=True, cache=True)
def with_room_for_stacks(nodes, more):
    """The same nodes with room for ``more`` stacks of blocks."""
    return Nodes(
        nodes.score,
        nodes.future,
        nodes.key,
        nodes.window,
        nodes.first,
        nodes.end,
        nodes.begin,
        nodes.group,
        nodes.stack,
        nodes.states,
        with_room_for_blocks(nodes.blocks, more),
    )


@borrowing
def place_of(nodes, node, reordering, num_source_words):
    """Where the hypothesis of a node stands: a Place. reordering: Reordering"""
    begin, end, stack, blocks = nodes.begin[node], nodes.end[node], nodes.stack[node], nodes.blocks
    before, after, first = begin, end, nodes.first[node]
    if reordering.blocks:
        window = nodes.window[node]
        before = gap_begin(window, first, begin)
        if end >= first:
            after = gap_end(window, first, end, num_source_words)
    return Place(begin, end, before, after, blocks.begin[stack], blocks.end[stack])


@njit(nogil=True, cache=True)
def with_room_for_arcs(arcs, used, num):
    """The first ``used`` arcs with room for ``num``."""
    return Arcs(
        grown(arcs.score, used, num),
        grown(arcs.language_model, used, num),
        grown(arcs.previous, used, num),
        grown(arcs.option, used, num),
        grown(arcs.node, used, num),
    )


@njit(nogil=True, cache=True)
def _reorder(column, start, order):
    """Put the rows ``order`` (int64[num]) at ``start``, in place."""
    chosen, numbers = column[order].reshape(-1), column.reshape(-1)
    begin = start * (len(numbers) // len(column))
    for k in range(len(chosen)):
        numbers[begin + k] = chosen[k]


@njit(nogil=True, cache=True)
def reorder_nodes(nodes, start, order):
    """Put the nodes ``order`` at ``start``; their keys are not needed any more."""
    _reorder(nodes.score, start, order)
    _reorder(nodes.future, start, order)
    _reorder(nodes.window, start, order)
    _reorder(nodes.first, start, order)
    _reorder(nodes.end, start, order)
    _reorder(nodes.begin, start, order)
    _reorder(nodes.group, start, order)
    _reorder(nodes.stack, start, order)
    _reorder(nodes.states.contexts, start, order)
    _reorder(nodes.states.backoffs, start, order)


@njit(nogil=True, cache=True)
def reorder_arcs(arcs, start, order):
    """Put the arcs ``order`` at ``start``."""
    _reorder(arcs.score, start, order)
    _reorder(arcs.language_model, start, order)
    _reorder(arcs.previous, start, order)
    _reorder(arcs.option, start, order)
    _reorder(arcs.node, start, order)


@njit(nogil=True, cache=True)
def trimmed(nodes, num_nodes, arcs, num_arcs, begin):
    """Drop the nodes from which the goal (the last node) is out of reach, and their arcs.

    Arcs run forwards and are sorted by node, so one pass back finds what is needed.
    begin: int32[num_options]. Returns a Lattice.
    """
    needed = np.zeros(num_nodes, np.bool_)
    needed[num_nodes - 1] = True
    for arc in range(num_arcs - 1, -1, -1):
        if needed[arcs.node[arc]]:
            needed[arcs.previous[arc]] = True
    number = np.empty(num_nodes, np.int32)
    num_needed = 0
    for place in range(num_nodes):
        number[place] = num_needed  # read where the node is needed
        num_needed += needed[place]
    kept = np.flatnonzero(needed[arcs.node[:num_arcs]])
    previous, option, node = arcs.previous[kept], arcs.option[kept], arcs.node[kept]
    distortion = -np.abs(nodes.end[previous] - begin[option]).astype(np.float64)
    node = number[node]
    offsets = np.zeros(num_needed + 1, np.int64)
    for target in node:
        offsets[target + 1] += 1
    for k in range(num_needed):
        offsets[k + 1] += offsets[k]
    return Lattice(
        nodes.score[:num_nodes][needed],
        offsets,
        number[previous],
        option,
        node,
        arcs.score[kept],
        arcs.language_model[kept],
        distortion,
    )
