"""The best derivation along a line of weights, w + x d for every x (Macherey et al. 2008; Kumar et
al. 2009).

What a derivation is worth is a line over x: its score by w, and by d its slope. Of the lines of a
node's derivations only those count that are highest somewhere.
"""

from typing import NamedTuple

import numpy as np

from isogloss.align.kernels.lazy import njit
from isogloss.align.kernels.sorting import rising_order

__all__ = ["upper_envelope"]


class _Lines(NamedTuple):
    """Lines of nodes, those of a node one after the other, by rising slope."""

    # begins: first line of each node, and the end of the last so far
    # values, slopes: at x = 0, and by x; edges: of each line
    # pointer_begins, pointers: of each line, the line of each of its edge's tails

    begins: list[int]
    values: list[float]
    slopes: list[float]
    edges: list[int]
    pointer_begins: list[int]
    pointers: list[int]


@njit(nogil=True, cache=True)
def _highest(values, slopes):
    """Lines that are highest somewhere, by rising slope: int64[n]; of equal ones the first."""
    # values, slopes: float64[num]
    hull = np.empty(len(values), np.int64)
    size = 0
    for line in rising_order(slopes):
        while size > 0:
            last = hull[size - 1]
            if slopes[line] == slopes[last]:
                if values[line] <= values[last]:
                    break
                size -= 1
                continue
            if size == 1:
                hull[size] = line
                size += 1
                break
            # the last one is nowhere highest where this one overtakes it before it begins
            before = hull[size - 2]
            reach = (values[before] - values[line]) * (slopes[last] - slopes[before])
            begin = (values[before] - values[last]) * (slopes[line] - slopes[before])
            if reach <= begin:
                size -= 1
                continue
            hull[size] = line
            size += 1
            break
        if size == 0:
            hull[0] = line
            size = 1
    return hull[:size].copy()


@njit(nogil=True, cache=True)
def _add_sums(lines, edge, tails, value, slope, candidates):
    """Lines of an edge: at each x, those of its tails that are highest there."""
    # candidates: values, slopes, edges and, for each, lines of its tails; longer afterwards
    values, slopes, edges, pointers = candidates
    arity = len(tails)
    now = np.empty(arity, np.int64)
    for k in range(arity):
        now[k] = lines.begins[tails[k]]
    while True:
        total, steepness = value, slope
        for k in range(arity):
            total += lines.values[now[k]]
            steepness += lines.slopes[now[k]]
        values.append(total)
        slopes.append(steepness)
        edges.append(edge)
        for k in range(arity):
            pointers.append(now[k])
        first, where = -1, np.inf
        for k in range(arity):
            line = now[k]
            if line + 1 < lines.begins[tails[k] + 1]:
                rise = lines.slopes[line + 1] - lines.slopes[line]
                x = (lines.values[line] - lines.values[line + 1]) / rise
                if first < 0 or x < where:
                    first, where = k, x
        if first < 0:
            return
        now[first] += 1


@njit(nogil=True, cache=True)
def upper_envelope(graph, scores, slopes):
    """The derivations of the goal that are best for some x, from -inf on.

    graph: Edges; scores, slopes: float64[E], of each edge at x = 0, and by x
    Returns the edges of each, a derivation's before those of its tails, int64[total]; int64[n + 1],
    where each begins; float64[n, 2], value at x = 0 and slope.
    """
    none = [0 for _ in range(0)]
    lines = _Lines(
        [0], [0.0 for _ in range(0)], [0.0 for _ in range(0)], none, [0], [0 for _ in range(0)]
    )
    num = len(graph.edge_offsets) - 1
    for node in range(num):
        values, steep = [0.0 for _ in range(0)], [0.0 for _ in range(0)]
        edges, pointers = [0 for _ in range(0)], [0 for _ in range(0)]
        for edge in range(graph.edge_offsets[node], graph.edge_offsets[node + 1]):
            tails = graph.tails[graph.tail_offsets[edge] : graph.tail_offsets[edge + 1]]
            candidates = values, steep, edges, pointers
            _add_sums(lines, edge, tails, scores[edge], slopes[edge], candidates)
        begins = np.zeros(len(edges) + 1, np.int64)
        for k in range(len(edges)):
            arity = graph.tail_offsets[edges[k] + 1] - graph.tail_offsets[edges[k]]
            begins[k + 1] = begins[k] + arity
        for k in _highest(np.array(values), np.array(steep)):
            lines.values.append(values[k])
            lines.slopes.append(steep[k])
            lines.edges.append(edges[k])
            for place in range(begins[k], begins[k + 1]):
                lines.pointers.append(pointers[place])
            lines.pointer_begins.append(len(lines.pointers))
        lines.begins.append(len(lines.values))
    return _derivations(lines, lines.begins[num - 1], lines.begins[num])


@njit(nogil=True, cache=True)
def _derivations(lines, first, last):
    """What `upper_envelope` returns, of the lines first..last - 1."""
    trees, offsets = [0 for _ in range(0)], [0]
    of_line = np.empty((last - first, 2))
    for line in range(first, last):
        of_line[line - first, 0] = lines.values[line]
        of_line[line - first, 1] = lines.slopes[line]
        waiting = [line]
        while len(waiting) > 0:
            top = waiting.pop()
            trees.append(lines.edges[top])
            for place in range(
                lines.pointer_begins[top + 1] - 1, lines.pointer_begins[top] - 1, -1
            ):
                waiting.append(lines.pointers[place])
        offsets.append(len(trees))
    return np.array(trees), np.array(offsets), of_line
