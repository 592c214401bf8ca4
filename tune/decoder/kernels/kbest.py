"""Exact k best derivations of a search graph by A* from the goal backwards."""

from heapq import heappop, heappush

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.sorting import rising_order

__all__ = ["best_derivations"]

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_ONE = np.uint64(1)


@njit(nogil=True, cache=True)
def _sort_arcs(order, begin, end, previous, score, node_score):
    """Sort the arcs ``order[begin:end]`` into one node by the best derivation through each."""
    values, arcs = np.empty(end - begin), order[begin:end].copy()
    for k in range(len(arcs)):
        values[k] = -(node_score[previous[arcs[k]]] + score[arcs[k]])
    rank = rising_order(values)
    for k in range(len(arcs)):
        order[begin + k] = arcs[rank[k]]


@njit(nogil=True, cache=True)
def _surface_key(arcs, begin, option, surface, word_offsets):
    """Hash of the target string of the arcs from ``begin`` on."""
    key = _FACTOR
    for place in range(begin, len(arcs)):
        phrase = option[arcs[place]]
        for word in range(word_offsets[phrase], word_offsets[phrase + 1]):
            key = (key ^ (np.uint64(surface[word]) + _ONE)) * _FACTOR
            key ^= key >> _SHIFT
    return key


@njit(nogil=True, cache=True)
def best_derivations(lattice, surface, word_offsets, k, distinct, most_pops):
    """The k best derivations, best first.

    A node's best score is an exact estimate of what lies before it, so the queue yields
    derivations in order (A*). An entry is a derivation from some arc on to the goal; what lies
    before follows the best arcs, and the next best arc of every node on that way is a new entry
    (as in Eppstein 1998).

    lattice: Lattice
    surface: int32[num_words], ids of the options' words; word_offsets: int64[num_options + 1].
    k: how many at most. distinct: only the best one of each target string (told apart by a
    64-bit hash). most_pops: derivations looked at before giving up.
    Returns arcs int64[total] in target order, offsets int64[num + 1] and scores float64[num].
    """
    node_score, arc_offsets, previous, option, target, score = lattice[:6]
    order = np.arange(len(previous))
    is_sorted = np.zeros(len(node_score), np.bool_)
    goal = len(node_score) - 1
    # entries: position of the arc in ``order``, the entry behind it (-1 = none), score behind it
    positions, behind, suffix = [arc_offsets[goal]], [-1], [0.0]
    queue = [(-node_score[goal], 0)]
    _sort_arcs(order, arc_offsets[goal], arc_offsets[goal + 1], previous, score, node_score)
    arcs, offsets, scores = [0 for _ in range(0)], [0], [0.0 for _ in range(0)]
    seen = {np.uint64(0)}  # Numba needs an element for the type
    seen.clear()
    pops = 0
    while len(queue) > 0 and len(scores) < k and pops < most_pops:
        negative, entry = heappop(queue)
        pops += 1
        while True:
            position = positions[entry]
            arc = order[position]
            node = previous[arc]
            if position + 1 < arc_offsets[target[arc] + 1]:
                other = order[position + 1]
                value = suffix[entry] + (node_score[previous[other]] + score[other])
                positions.append(position + 1)
                behind.append(behind[entry])
                suffix.append(suffix[entry])
                # max: rounding must not let a later derivation overtake
                heappush(queue, (max(negative, -value), len(positions) - 1))
            if node == 0:
                break
            if not is_sorted[node]:
                begin, end = arc_offsets[node], arc_offsets[node + 1]
                _sort_arcs(order, begin, end, previous, score, node_score)
                is_sorted[node] = True
            positions.append(arc_offsets[node])
            behind.append(entry)
            suffix.append(suffix[entry] + score[arc])
            entry = len(positions) - 1
        while entry >= 0:
            arcs.append(order[positions[entry]])
            entry = behind[entry]
        if distinct:
            key = _surface_key(arcs, offsets[-1], option, surface, word_offsets)
            if key in seen:
                while len(arcs) > offsets[-1]:
                    arcs.pop()
                continue
            seen.add(key)
        scores.append(-negative)
        offsets.append(len(arcs))
    return np.array(arcs), np.array(offsets), np.array(scores)
