"""Smaller forests: the edges of the best derivations only."""

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, select_rows
from isogloss.align.errors import OptionError

from .hypergraph import Hypergraph
from .inference import best_scores_through, viterbi

__all__ = ["pruned"]


def pruned(graph: Hypergraph, scores: NDArray[np.float64], density: float) -> Hypergraph:
    """The edges with the best derivations through them: ``density`` for each of the best one's.

    An edge is worth what the best derivation that holds it is (its max-marginal), so that an edge
    is never kept without a derivation of the goal. What is worth as much as the last one stays.
    scores: float64[E]; density: at least 1
    Raises UsageError for a smaller density.
    """
    if not density >= 1.0:
        expected = "at least 1 (edges per edge of the best derivation)"
        raise OptionError("density", expected, density)
    best = viterbi(graph, scores).edges
    through = best_scores_through(graph, scores)
    most = int(min(density * len(best), graph.num_edges))
    least = np.partition(through, graph.num_edges - most)[graph.num_edges - most]
    slack = 1e-9 * max(1.0, abs(float(least)))  # rounding must not part a derivation
    kept = (through >= least - slack) & np.isfinite(through)
    kept[best] = True
    return _with_edges(graph, kept)


def _with_edges(graph: Hypergraph, kept: NDArray[np.bool_]) -> Hypergraph:
    """The hypergraph with some of its edges, and the nodes that they make. kept: bool[E]"""
    heads = graph.heads
    nodes = np.zeros(graph.num_nodes, np.bool_)
    nodes[heads[kept]] = True
    number = np.cumsum(nodes) - 1
    edges = np.flatnonzero(kept)
    tail_rows, tail_offsets = select_rows(graph.tail_offsets, edges)
    item_rows, item_offsets = select_rows(graph.item_offsets, edges)
    return Hypergraph(
        offsets_of(np.bincount(number[heads[edges]], minlength=int(nodes.sum()))),
        tail_offsets,
        number[graph.tails[tail_rows]].astype(np.int32),
        item_offsets,
        graph.items[item_rows],
        graph.words,
        graph.rows.select(edges),
        graph.space,
        graph.covered[edges],
    )
