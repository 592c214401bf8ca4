"""What is asked of a forest: its best derivations, sums over all of them, expectations.

All of it raises UsageError for scores that edges are given and that do not fit the hypergraph, see
:meth:`isogloss.tune.forest.hypergraph.Hypergraph.check_scores`.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import select_rows, slice_rows
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import MAX_HYPOTHESES, OptionError, UsageError

from .hypergraph import Hypergraph
from .kernels.envelope import upper_envelope
from .kernels.inside import (
    Edges,
    best_edges,
    derivations,
    gradient,
    inside,
    outside_best,
    probabilities,
)
from .kernels.kbest import best_derivations

__all__ = [
    "ForestDerivations",
    "best_scores_through",
    "best_tree",
    "count_derivations",
    "edge_probabilities",
    "envelope",
    "expectation",
    "k_best",
    "log_sum",
    "viterbi",
]

LARGEST_CROSSING = 1e300  # lines that cross beyond it are as good as parallel
LOOKED_AT_PER_DERIVATION = 50  # a search for k distinct texts gives up after so many k derivations


@dataclass(frozen=True, eq=False)
class ForestDerivations(ComparedByContent):
    """Derivations of a hypergraph, best first.

    edges: int64[total], the edges of each, one before those of its tails, tails in their order
    offsets: int64[n + 1], derivation k is ``edges[offsets[k]:offsets[k + 1]]``
    scores: float64[n]
    """

    edges: NDArray[np.int64]
    offsets: NDArray[np.int64]
    scores: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.scores)

    def text(self, graph: Hypergraph, number: int) -> list[str]:
        """The words of one of them."""
        edges, offsets = slice_rows(self.offsets, number, number + 1)
        one = ForestDerivations(self.edges[edges], offsets, self.scores[number : number + 1])
        return one.texts(graph)[0]

    def texts(self, graph: Hypergraph) -> list[list[str]]:
        """The words of each."""
        rows, offsets = select_rows(graph.item_offsets, self.edges)
        items, bounds = graph.items[rows].tolist(), offsets.tolist()
        arity = np.diff(graph.tail_offsets)[self.edges].tolist()
        result = []
        for begin, end in pairwise(self.offsets.tolist()):
            open_parts: list[list[str]] = []
            for place in reversed(range(begin, end)):
                parts = [open_parts.pop() for _ in range(arity[place])]
                words: list[str] = []
                for item in items[bounds[place] : bounds[place + 1]]:
                    words += parts[-1 - item] if item < 0 else [graph.words[item]]
                open_parts.append(words)
            result += open_parts
        return result

    def features(self, graph: Hypergraph) -> Ragged:
        """Feature vectors, one per derivation, entries of its edges one after the other."""
        rows = graph.rows.select(self.edges)
        return Ragged(rows.ids, rows.values, rows.offsets[self.offsets])


def viterbi(graph: Hypergraph, scores: NDArray[np.float64]) -> ForestDerivations:
    """The best derivation, of equal ones that of the first edges. scores: float64[E]"""
    of_edge = inside(_edges(graph, scores), scores, 0.0)[1]
    tree = best_tree(graph.edges, best_edges(graph.edges, of_edge))
    return ForestDerivations(tree, np.array([0, len(tree)]), of_edge[tree[:1]])


def best_tree(edges: Edges, best: NDArray[np.int64]) -> NDArray[np.int64]:
    """The edges of the goal's derivation by one edge of each node, one before those of its tails.

    best: int64[V]. Returns int64[n].
    """
    tree, open_nodes = [], [len(best) - 1]
    while open_nodes:
        edge = int(best[open_nodes.pop()])
        tree.append(edge)
        first, last = edges.tail_offsets[edge : edge + 2].tolist()
        open_nodes += reversed(edges.tails[first:last].tolist())
    return np.array(tree)


def k_best(
    graph: Hypergraph, scores: NDArray[np.float64], most: int, *, distinct: bool = True
) -> ForestDerivations:
    """The best derivations, best first; fewer where there are no more (Huang & Chiang 2005).

    scores: float64[E]; most: how many; distinct: each text once, which gives up after 50 times as
    many derivations
    Raises UsageError for a number below 1 or above MAX_HYPOTHESES.
    """
    if not 1 <= most <= MAX_HYPOTHESES:
        raise UsageError(
            f"the number of derivations must be between 1 and {MAX_HYPOTHESES}, got {most}"
        )
    of_node, of_edge = inside(_edges(graph, scores), scores, 0.0)
    texts = graph.items, graph.item_offsets
    looked_at = LOOKED_AT_PER_DERIVATION * most if distinct else most
    return ForestDerivations(
        *best_derivations(graph.edges, scores, of_node, of_edge, texts, most, distinct, looked_at)
    )


def log_sum(graph: Hypergraph, scores: NDArray[np.float64], temperature: float = 1.0) -> float:
    """T log of the sum of exp(score / T) over all derivations; the best score where T = 0.

    scores: float64[E]
    """
    temperature = _checked(temperature, least=0.0)
    return float(inside(_edges(graph, scores), scores, temperature)[0][-1])


def count_derivations(graph: Hypergraph) -> float:
    """How many derivations there are: exact up to 2^53, then as near as floats come, then inf."""
    return float(derivations(graph.edges)[-1])


def edge_probabilities(
    graph: Hypergraph, scores: NDArray[np.float64], temperature: float = 1.0
) -> NDArray[np.float64]:
    """How many times a derivation holds each edge, on average: float64[E].

    Derivations are as likely as exp(score / T). scores: float64[E]; temperature: above 0
    """
    of_node, of_edge = inside(_edges(graph, scores), scores, _checked(temperature))
    used: NDArray[np.float64] = probabilities(graph.edges, of_node, of_edge, temperature)[1]
    return used


def best_scores_through(graph: Hypergraph, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The score of the best derivation that holds each edge: float64[E], -inf where none does.

    scores: float64[E]
    """
    through: NDArray[np.float64] = outside_best(
        graph.edges, *inside(_edges(graph, scores), scores, 0.0)
    )
    return through


def expectation(
    graph: Hypergraph,
    scores: NDArray[np.float64],
    values: NDArray[np.float64],
    temperature: float = 1.0,
) -> tuple[float, NDArray[np.float64]]:
    """The expectation of what edges are worth in sum, and its derivative by each edge's score.

    scores, values: float64[E]; temperature: above 0
    Returns it and float64[E]. Times the features of the edges, the derivatives are the gradient by
    the weights (Chiang 2012, eq. 22).
    """
    edges = _edges(graph, scores, values)
    expected, _, derivative = gradient(edges, scores, values, _checked(temperature))
    return float(expected), derivative


def envelope(
    graph: Hypergraph, scores: NDArray[np.float64], slopes: NDArray[np.float64]
) -> tuple[ForestDerivations, NDArray[np.float64], NDArray[np.float64]]:
    """The derivations that are best for some x, of scores + x slopes (Macherey et al. 2008).

    scores, slopes: float64[E]
    Returns them by rising x, their scores those at x = 0; float64[n], the slope of each, rising;
    float64[n - 1], the x at which each gives way to the next, finite, none below the one before.
    """
    edges, offsets, lines = upper_envelope(_edges(graph, scores, slopes), scores, slopes)
    values, steep = lines.T
    with np.errstate(over="ignore"):
        crossings = np.maximum.accumulate(-np.diff(values) / np.diff(steep))
    first, last = np.searchsorted(crossings, [-LARGEST_CROSSING, LARGEST_CROSSING]).tolist()
    edges = edges[offsets[first] : offsets[last + 1]]
    offsets = offsets[first : last + 2] - offsets[first]
    found = ForestDerivations(edges, offsets, values[first : last + 1].copy())
    return found, steep[first : last + 1].copy(), crossings[first:last]


def _edges(graph: Hypergraph, *columns: NDArray[np.float64]) -> Edges:
    """The edges, once their scores are checked. columns: float64[E] each"""
    for column in columns:
        graph.check_scores(column)
    return graph.edges


def _checked(temperature: float, least: float | None = None) -> float:
    """A temperature. Raises UsageError for one that is not above 0, or at least ``least``."""
    good = temperature > 0.0 if least is None else temperature >= least
    if not good or not np.isfinite(temperature):
        raise OptionError("temperature", "finite and above 0", temperature)
    return float(temperature)
