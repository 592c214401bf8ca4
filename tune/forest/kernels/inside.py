"""Inside and outside passes: sums and maxima over derivations, by what edges are worth.

The temperature chooses the semiring: with T > 0 values are added as T log(exp(a / T) + exp(b / T)),
so that T = 1 is the log semiring; with T = 0, the limit, they are maxima (Viterbi).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import njit

__all__ = [
    "Edges",
    "best_edges",
    "derivations",
    "gradient",
    "inside",
    "largest_derivations",
    "outside_best",
    "probabilities",
]


class Edges(NamedTuple):
    """The edges of a hypergraph, see `isogloss.tune.forest.hypergraph.Hypergraph`.

    edge_offsets: int64[V + 1]; tail_offsets: int64[E + 1]; tails: int32[T]
    """

    edge_offsets: NDArray[np.int64]
    tail_offsets: NDArray[np.int64]
    tails: NDArray[np.int32]


@njit(nogil=True, cache=True)
def largest_derivations(edges, sizes):
    """The most that a derivation of each node is: sizes of its edges in sum. float64[V]

    edges: Edges; sizes: float64[E]
    """
    edge_offsets, tail_offsets, tails = edges
    largest = np.zeros(len(edge_offsets) - 1)
    for node in range(len(largest)):
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            size = sizes[edge]
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                size += largest[tails[place]]
            largest[node] = max(largest[node], size)
    return largest


@njit(nogil=True, cache=True)
def derivations(edges):
    """How many derivations each node has: float64[V], exact up to 2^53. edges: Edges"""
    edge_offsets, tail_offsets, tails = edges
    number = np.zeros(len(edge_offsets) - 1)
    for node in range(len(number)):
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            combined = 1.0
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                combined *= number[tails[place]]
            number[node] += combined
    return number


@njit(nogil=True, cache=True)
def inside(edges, scores, temperature):
    """What all derivations of each node are worth, and those through each edge into it.

    edges: Edges; scores: float64[E]; temperature: 0 for the best alone
    Returns float64[V] and float64[E].
    """
    edge_offsets, tail_offsets, tails = edges
    of_node, of_edge = np.empty(len(edge_offsets) - 1), scores.copy()
    for node in range(len(of_node)):
        best = -np.inf
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                of_edge[edge] += of_node[tails[place]]
            best = max(best, of_edge[edge])
        of_node[node] = best
        if temperature > 0.0 and edge_offsets[node + 1] - edge_offsets[node] > 1:
            total = 0.0
            for edge in range(edge_offsets[node], edge_offsets[node + 1]):
                total += np.exp((of_edge[edge] - best) / temperature)
            of_node[node] += temperature * np.log(total)
    return of_node, of_edge


@njit(nogil=True, cache=True)
def best_edges(edges, of_edge):
    """The best edge into each node, the first of equal ones: int64[V].

    edges: Edges; of_edge: float64[E], from `inside` without temperature
    """
    edge_offsets = edges.edge_offsets
    best = np.empty(len(edge_offsets) - 1, np.int64)
    for node in range(len(best)):
        best[node] = edge_offsets[node]
        for edge in range(edge_offsets[node] + 1, edge_offsets[node + 1]):
            if of_edge[edge] > of_edge[best[node]]:
                best[node] = edge
    return best


@njit(nogil=True, cache=True)
def probabilities(edges, of_node, of_edge, temperature):
    """The probability of each edge in a derivation of the goal, P(d) ~ exp(w h(d) / T).

    edges: Edges; of_node: float64[V] and of_edge: float64[E], from `inside`; temperature: above 0
    Returns float64[V], how often a derivation uses each node, and float64[E], each edge.
    """
    edge_offsets, tail_offsets, tails = edges
    nodes, used = np.zeros(len(of_node)), np.zeros(len(of_edge))
    nodes[len(nodes) - 1] = 1.0
    for node in range(len(nodes) - 1, -1, -1):
        if nodes[node] > 0.0:
            for edge in range(edge_offsets[node], edge_offsets[node + 1]):
                share = np.exp((of_edge[edge] - of_node[node]) / temperature)
                used[edge] = nodes[node] * share
                for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                    nodes[tails[place]] += used[edge]
    return nodes, used


@njit(nogil=True, cache=True)
def outside_best(edges, of_node, of_edge):
    """The score of the best derivation through each edge: float64[E], -inf where there is none.

    edges: Edges; of_node: float64[V] and of_edge: float64[E], from `inside` without temperature
    """
    edge_offsets, tail_offsets, tails = edges
    outside, through = np.full(len(of_node), -np.inf), np.full(len(of_edge), -np.inf)
    outside[len(outside) - 1] = 0.0
    for node in range(len(outside) - 1, -1, -1):
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            through[edge] = outside[node] + of_edge[edge]
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                tail = tails[place]
                outside[tail] = max(outside[tail], through[edge] - of_node[tail])
    return through


@njit(nogil=True, cache=True)
def gradient(edges, scores, values, temperature):
    """The expectation of a sum over edges, and its derivative by each edge's score.

    Expectations are made as in Chiang (2012), eqs. 23 and 24: renormalized at each node. The
    derivative, (E[B through the edge] - E[B]) P(edge) / T, is found by one pass back in place of
    sums of feature vectors at nodes (A.4): E[B h] - E[B] E[h] is T times the derivatives, each
    times its edge's features (Li & Eisner 2009, section 4.3).

    edges: Edges; scores: float64[E]; values: float64[E], B of each edge; temperature: above 0
    Returns the expectation, float64[E] of probabilities, and float64[E] of derivatives.
    """
    edge_offsets, tail_offsets, tails = edges
    of_node, of_edge = inside(edges, scores, temperature)
    expected, of_edges = np.zeros(len(of_node)), values.copy()
    for node in range(len(of_node)):
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                of_edges[edge] += expected[tails[place]]
            share = np.exp((of_edge[edge] - of_node[node]) / temperature)
            expected[node] += share * of_edges[edge]
    nodes, used = probabilities(edges, of_node, of_edge, temperature)
    of_inside, derivative = np.zeros(len(of_node)), np.zeros(len(of_edge))
    for node in range(len(of_node) - 1, -1, -1):
        if nodes[node] > 0.0:
            for edge in range(edge_offsets[node], edge_offsets[node + 1]):
                share = np.exp((of_edge[edge] - of_node[node]) / temperature)
                surplus = (of_edges[edge] - expected[node]) / temperature
                derivative[edge] = used[edge] * surplus + of_inside[node] * share
                for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                    of_inside[tails[place]] += derivative[edge]
    return expected[len(expected) - 1], used, derivative
