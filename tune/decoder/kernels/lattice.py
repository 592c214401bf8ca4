"""The lattice of a search: recombined hypotheses (nodes), and the phrases between them (arcs)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing, njit

from .blocks import TOP, TOP_END, Blocks, start_blocks, with_room_for_blocks
from .coverage import gap_begin, gap_end
from .ngram import States, empty_states, start_context
from .reordering import Place

__all__ = [
    "BEGIN",
    "END",
    "FIRST",
    "FUTURE",
    "GROUP",
    "KEY",
    "MATCHED",
    "NODE",
    "OPTION",
    "PREVIOUS",
    "SCORE",
    "STACK",
    "WINDOW",
    "Arcs",
    "Lattice",
    "Nodes",
    "grown",
    "place_of",
    "reorder_arcs",
    "reorder_nodes",
    "room_for_rows",
    "start_arcs",
    "start_nodes",
    "trimmed",
    "with_room_for_arcs",
    "with_room_for_nodes",
    "with_room_for_stacks",
]


# columns of a node's values and of its place
SCORE, FUTURE = range(2)
KEY, WINDOW, FIRST, END, BEGIN, GROUP, STACK, MATCHED = range(8)
_NUM_COLUMNS = 8
# columns of an arc's ids
PREVIOUS, OPTION, NODE = range(3)


class Nodes(NamedTuple):
    """Recombined hypotheses, with room to grow.

    values: float64[room, 2], by column: SCORE, best so far; FUTURE, estimate of the rest.
    place: int64[room, 8], what is covered and where the last phrase stands, by column:
        KEY, hash of all that follows here and of the context; WINDOW (the bits of a uint64) and
        FIRST, see coverage.py; END and BEGIN of the last phrase, see `Place`; GROUP of the last
        option, see `Reordering`; STACK, see `Blocks`; MATCHED, words of the `Constraint` so far
    states: States, after the last word.
    blocks: Blocks, where there are hierarchical models.
    """

    values: NDArray[np.float64]
    place: NDArray[np.int64]
    states: States
    blocks: Blocks


class Arcs(NamedTuple):
    """Phrases between nodes, with room to grow.

    values: float64[room, 1 + num_models], the weighted score, then the natural log by each
        language model.
    ids: int32[room, 3], by column: the PREVIOUS node, the OPTION, and the NODE behind it.
    """

    values: NDArray[np.float64]
    ids: NDArray[np.int32]


class Lattice(NamedTuple):
    """Nodes and arcs on ways from the start (node 0) to the goal (the last node).

    node_score: float64[num_nodes], best score of each node.
    arc_offsets: int64[num_nodes + 1], arcs into each node; arcs are sorted by node.
    previous, option, node: int32[num_arcs], node before each arc, its option, node behind it.
    score: float64[num_arcs], weighted.
    language_model: float64[num_arcs, num_models], natural log.
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
def start_nodes(table, rest, num_source_words):
    """Room for nodes, with the start node in it."""
    room = 256 * num_source_words
    nodes = Nodes(
        np.empty((room, 2)),
        np.empty((room, _NUM_COLUMNS), np.int64),
        empty_states(table, room),
        start_blocks(num_source_words),
    )
    nodes.values[0, SCORE], nodes.values[0, FUTURE] = 0.0, rest
    nodes.place[0] = 0
    start_context(table, nodes.states, 0)
    return nodes


@njit(nogil=True, cache=True)
def start_arcs(num_source_words, num_models):
    """Room for arcs."""
    room = 1024 * num_source_words
    return Arcs(np.empty((room, 1 + num_models)), np.empty((room, 3), np.int32))


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


@borrowing
def _bytes_to_grow(array, num):
    """Memory of what `grown` makes of a matrix."""
    return 2 * num * array.shape[1] * array.itemsize if num > len(array) else 0


@borrowing
def room_for_rows(nodes, num_nodes, arcs, num_arcs):
    """Bytes of the new arrays that so many nodes and arcs need, stacks of blocks left out."""
    return (
        _bytes_to_grow(nodes.values, num_nodes)
        + _bytes_to_grow(nodes.place, num_nodes)
        + _bytes_to_grow(nodes.states.contexts, num_nodes)
        + _bytes_to_grow(nodes.states.backoffs, num_nodes)
        + _bytes_to_grow(arcs.values, num_arcs)
        + _bytes_to_grow(arcs.ids, num_arcs)
    )


@njit(nogil=True, cache=True)
def with_room_for_nodes(nodes, used, num):
    """The first ``used`` nodes with room for ``num``."""
    states = nodes.states
    return Nodes(
        grown(nodes.values, used, num),
        grown(nodes.place, used, num),
        States(grown(states.contexts, used, num), grown(states.backoffs, used, num)),
        nodes.blocks,
    )


@njit(nogil=True, cache=True)
def with_room_for_stacks(nodes, more):
    """The same nodes with room for ``more`` stacks of blocks."""
    blocks = with_room_for_blocks(nodes.blocks, more)
    return Nodes(nodes.values, nodes.place, nodes.states, blocks)


@borrowing
def place_of(nodes, node, reordering, num_source_words):
    """Where the hypothesis of a node stands: a Place. reordering: Reordering"""
    blocks, row = nodes.blocks, nodes.place
    begin, end, stack = row[node, BEGIN], row[node, END], row[node, STACK]
    before, after = begin, end
    if reordering.blocks:
        window, first = np.uint64(row[node, WINDOW]), row[node, FIRST]
        before = gap_begin(window, first, begin)
        if end >= first:
            after = gap_end(window, first, end, num_source_words)
    return Place(begin, end, before, after, blocks.rows[stack, TOP], blocks.rows[stack, TOP_END])


@njit(nogil=True, cache=True)
def with_room_for_arcs(arcs, used, num):
    """The first ``used`` arcs with room for ``num``."""
    return Arcs(grown(arcs.values, used, num), grown(arcs.ids, used, num))


@njit(nogil=True, cache=True)
def _reorder(column, start, order):
    """Put the rows ``order`` (int64[num]) at ``start``, in place."""
    chosen, numbers = column[order].reshape(-1), column.reshape(-1)
    begin = start * (len(numbers) // len(column))
    for k in range(len(chosen)):
        numbers[begin + k] = chosen[k]


@njit(nogil=True, cache=True)
def reorder_nodes(nodes, start, order):
    """Put the nodes ``order`` at ``start``."""
    _reorder(nodes.values, start, order)
    _reorder(nodes.place, start, order)
    _reorder(nodes.states.contexts, start, order)
    _reorder(nodes.states.backoffs, start, order)


@njit(nogil=True, cache=True)
def reorder_arcs(arcs, start, order):
    """Put the arcs ``order`` at ``start``."""
    _reorder(arcs.values, start, order)
    _reorder(arcs.ids, start, order)


@njit(nogil=True, cache=True)
def trimmed(nodes, num_nodes, arcs, num_arcs, begin):
    """Drop the nodes from which the goal (the last node) is out of reach, and their arcs.

    Arcs run forwards and are sorted by node, so one pass back finds what is needed.
    begin: int32[num_options]. Returns a Lattice.
    """
    needed = np.zeros(num_nodes, np.bool_)
    needed[num_nodes - 1] = True
    for arc in range(num_arcs - 1, -1, -1):
        if needed[arcs.ids[arc, NODE]]:
            needed[arcs.ids[arc, PREVIOUS]] = True
    number = np.empty(num_nodes, np.int32)
    num_needed = 0
    for place in range(num_nodes):
        number[place] = num_needed  # read where the node is needed
        num_needed += needed[place]
    kept = np.flatnonzero(needed[arcs.ids[:num_arcs, NODE]])
    ids, values = arcs.ids[kept], arcs.values[kept]
    previous, option, node = ids[:, PREVIOUS].copy(), ids[:, OPTION].copy(), ids[:, NODE].copy()
    distortion = np.empty(len(kept))
    offsets = np.zeros(num_needed + 1, np.int64)
    for k in range(len(kept)):
        distortion[k] = -abs(nodes.place[previous[k], END] - begin[option[k]])
        previous[k], node[k] = number[previous[k]], number[node[k]]
        offsets[node[k] + 1] += 1
    for k in range(num_needed):
        offsets[k + 1] += offsets[k]
    return Lattice(
        nodes.values[:num_nodes, SCORE][needed],
        offsets,
        previous,
        option,
        node,
        values[:, 0].copy(),
        values[:, 1:].copy(),
        distortion,
    )
