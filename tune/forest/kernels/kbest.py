"""The k best derivations of a hypergraph, found lazily (Huang & Chiang 2005, algorithm 3).

A derivation of a node is an edge and, for each of its tails, which of the tail's best derivations.
What comes next in a node is asked for only where a derivation that holds the last one was taken.
"""

from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import njit

from .inside import Edges, best_edges

__all__ = ["best_derivations"]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_ONE = np.uint64(1)
_EMPTY = 1 << 62  # in the place of the tails raised: a node has no more derivations


class _Found(NamedTuple):
    """What was found so far. Nodes that were asked for have a row of the lists."""

    # row: int64[V], of each node, -1 = not asked for: its best derivation alone is known
    # derivations: of each row (edge, entry), best first; values: their scores
    # waiting: of each row a heap of (-score, edge, entry)
    # raised: of each row, tails of its last derivation whose next one was tried, _EMPTY = no more
    # rank_begins, ranks: of each entry, which derivation of each tail it is made of
    # seen: hashes of entries, of one node each as their edges are

    row: NDArray[np.int64]
    derivations: list[list[tuple[int, int]]]
    values: list[list[float]]
    waiting: list[list[tuple[float, int, int]]]
    raised: list[int]
    rank_begins: list[int]
    ranks: list[int]
    seen: set[np.uint64]


class _Best(NamedTuple):
    """What the best derivations of all nodes say: see `best_derivations`; best_edge: int64[V]."""

    edges: Edges
    scores: NDArray[np.float64]
    of_node: NDArray[np.float64]
    of_edge: NDArray[np.float64]
    best_edge: NDArray[np.int64]


@njit(nogil=True, cache=True)
def _nothing_found(num_nodes):
    return _Found(
        np.full(num_nodes, -1, np.int64),
        [[(0, 0) for _ in range(0)] for _ in range(0)],
        [[0.0 for _ in range(0)] for _ in range(0)],
        [[(0.0, 0, 0) for _ in range(0)] for _ in range(0)],
        [0 for _ in range(0)],
        [0],
        [0 for _ in range(0)],
        {np.uint64(0)},  # Numba needs an element for the type
    )


@njit(nogil=True, cache=True)
def _add_row(best, found, node):
    """A row for a node: the best derivation through each edge into it waits."""
    edges, rank_begins, ranks = best.edges, found.rank_begins, found.ranks
    found.row[node] = len(found.derivations)
    heap = [(0.0, 0, 0) for _ in range(0)]
    for edge in range(edges.edge_offsets[node], edges.edge_offsets[node + 1]):
        heap.append((-best.of_edge[edge], edge, len(rank_begins) - 1))
        for _ in range(edges.tail_offsets[edge], edges.tail_offsets[edge + 1]):
            ranks.append(0)
        rank_begins.append(len(ranks))
    heapify(heap)
    found.derivations.append([(0, 0) for _ in range(0)])
    found.values.append([0.0 for _ in range(0)])
    found.waiting.append(heap)
    found.raised.append(0)


@njit(nogil=True, cache=True)
def _raise_tail(best, found, here, edge, entry, number):
    """Let wait what has the next derivation of one tail, unless it does or did so already."""
    edges, rank_begins, ranks = best.edges, found.rank_begins, found.ranks
    begin, first, value = edges.tail_offsets[edge], rank_begins[entry], best.scores[edge]
    key = (np.uint64(edge) + _ONE) * _FACTOR
    for k in range(edges.tail_offsets[edge + 1] - begin):
        tail, rank = edges.tails[begin + k], ranks[first + k] + (k == number)
        ranks.append(rank)
        value += found.values[found.row[tail]][rank] if rank > 0 else best.of_node[tail]
        key = (key ^ (key >> _SHIFT) ^ (np.uint64(rank) + _ONE)) * _FACTOR
    key ^= key >> _SHIFT
    if key in found.seen:
        while len(ranks) > rank_begins[len(rank_begins) - 1]:
            ranks.pop()
        return
    found.seen.add(key)
    rank_begins.append(len(ranks))
    values = found.values[here]
    value = min(value, values[len(values) - 1])  # rounding must not let a later one overtake
    heappush(found.waiting[here], (-value, edge, len(rank_begins) - 2))


@njit(nogil=True, cache=True)
def _find(best, found, goal, wanted):
    """Find derivations until a node has more than ``wanted``, or no more."""
    edges, asked = best.edges, [(goal, wanted)]
    while len(asked) > 0:
        node, rank = asked[len(asked) - 1]
        if found.row[node] < 0:
            _add_row(best, found, node)
        here = found.row[node]
        derivations = found.derivations[here]
        if len(derivations) > rank:
            asked.pop()
            continue
        if len(derivations) > 0:
            edge, entry = derivations[len(derivations) - 1]
            number, begin = found.raised[here], edges.tail_offsets[edge]
            if number < edges.tail_offsets[edge + 1] - begin:
                tail = int(edges.tails[begin + number])
                after = found.ranks[found.rank_begins[entry] + number] + 1
                of_tail = found.row[tail]
                if of_tail < 0 or (
                    len(found.derivations[of_tail]) <= after and found.raised[of_tail] != _EMPTY
                ):
                    asked.append((tail, after))
                    continue
                found.raised[here] += 1
                if len(found.derivations[of_tail]) > after:
                    _raise_tail(best, found, here, edge, entry, number)
                continue
        if len(found.waiting[here]) == 0:
            found.raised[here] = _EMPTY
            asked.pop()
            continue
        negative, edge, entry = heappop(found.waiting[here])
        derivations.append((edge, entry))
        found.values[here].append(-negative)
        found.raised[here] = 0


@njit(nogil=True, cache=True)
def _unfolded(best, found, goal, taken):
    """The edges of a derivation, each before those of its tails: int64[n]."""
    # goal: node; taken: which of its derivations
    edges, tree = best.edges, [0 for _ in range(0)]
    open_nodes, open_ranks = [goal], [taken]
    while len(open_nodes) > 0:
        node, rank = open_nodes.pop(), open_ranks.pop()
        edge, entry = best.best_edge[node], -1
        if found.row[node] >= 0:
            edge, entry = found.derivations[found.row[node]][rank]
        tree.append(edge)
        begin, end = edges.tail_offsets[edge], edges.tail_offsets[edge + 1]
        for place in range(end - 1, begin - 1, -1):
            rank = found.ranks[found.rank_begins[entry] + place - begin] if entry >= 0 else 0
            open_nodes.append(int(edges.tails[place]))
            open_ranks.append(int(rank))
    return np.array(tree)


@njit(nogil=True, cache=True)
def _text_key(tree, edges, items, item_offsets):
    """Hash of the target side of a derivation. tree: int64[n], from `_unfolded`"""
    arity = edges.tail_offsets[1:] - edges.tail_offsets[:-1]
    # the edges behind each one that its tails begin with: a tail's tree follows the one before
    size = np.ones(len(tree), np.int64)
    for place in range(len(tree) - 1, -1, -1):
        child = place + 1
        for _ in range(arity[tree[place]]):
            size[place] += size[child]
            child += size[child]
    key = _FACTOR
    open_places, open_items = [0], [item_offsets[tree[0]]]
    while len(open_places) > 0:
        place, item = open_places.pop(), open_items.pop()
        if item == item_offsets[tree[place] + 1]:
            continue
        open_places.append(place)
        open_items.append(item + 1)
        if items[item] >= 0:
            key = (key ^ (np.uint64(items[item]) + _ONE)) * _FACTOR
            key ^= key >> _SHIFT
        else:
            child = place + 1
            for _ in range(-1 - items[item]):
                child += size[child]
            open_places.append(child)
            open_items.append(item_offsets[tree[child]])
    return key


@njit(nogil=True, cache=True)
def best_derivations(edges, scores, of_node, of_edge, texts, most, distinct, most_looked_at):
    """The best derivations of the goal, best first.

    edges: Edges; scores: float64[E]; of_node: float64[V] and of_edge: float64[E], the best of each
    node and through each edge, from `inside` without temperature
    texts: items int32[I] and item_offsets int64[E + 1]
    most: how many; distinct: of each target side the best alone (told apart by a 64-bit hash)
    most_looked_at: derivations found before giving up
    Returns the edges of each, a derivation's before those of its tails, int64[total]; int64[num +
    1], where each begins; float64[num], their scores.
    """
    goal, found = len(of_node) - 1, _nothing_found(len(of_node))
    best = _Best(edges, scores, of_node, of_edge, best_edges(edges, of_edge))
    texts_seen = {np.uint64(0)}  # Numba needs an element for the type
    texts_seen.clear()
    trees, offsets, values = [0 for _ in range(0)], [0], [0.0 for _ in range(0)]
    looked_at = 0
    while len(values) < most and looked_at < most_looked_at:
        _find(best, found, goal, looked_at)
        if len(found.derivations[found.row[goal]]) <= looked_at:
            break
        tree = _unfolded(best, found, goal, looked_at)
        looked_at += 1
        if distinct:
            key = _text_key(tree, edges, texts[0], texts[1])
            if key in texts_seen:
                continue
            texts_seen.add(key)
        for edge in tree:
            trees.append(edge)
        offsets.append(len(trees))
        values.append(found.values[found.row[goal]][looked_at - 1])
    return np.array(trees), np.array(offsets), np.array(values)
