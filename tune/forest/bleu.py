"""BLEU in a forest: what each edge adds to its statistics, and the search for hope and fear."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.errors import UsageError, check_listed

from ..kernels.bleu import COLUMNS, ORDER
from ..kernels.reference_ngrams import count_ngrams
from ..metrics.bleu import bleu
from .hypergraph import Hypergraph
from .inference import ForestDerivations, best_tree
from .kernels.contexts import split_by_contexts
from .kernels.hope_fear import rerank
from .kernels.inside import Edges, best_edges, inside

__all__ = ["BleuForest", "linear_gains"]

MAX_EDGES = 50_000_000  # of a forest whose nodes know the words at their ends


@dataclass(frozen=True)
class BleuForest:
    """A forest whose edges know the n-grams that they introduce (Chiang 2012, section 5.1).

    A reference without words has no n-gram and a length of 0, as in BLEU itself: where all are so,
    no derivation has a match, and none is too short.

    Nodes of the hypergraph are split by the words at both ends of their texts, as far as n-grams of
    the references can hold them: V' nodes, E' edges, the last node the goal.

    graph: the hypergraph; edges: those of the split one
    edge_of: int64[E'], the edge of ``graph`` that each is
    statistics: float64[E', 9], what each adds: unclipped matches (eq. 18) and totals of orders 1 to
        4 by turns, and its share of the mean reference length (eq. 19)
    """

    graph: Hypergraph
    edges: Edges
    edge_of: NDArray[np.int64]
    statistics: NDArray[np.float64]

    @classmethod
    def of(cls, graph: Hypergraph, references: Sequence[Sequence[str]]) -> "BleuForest":
        """Of a forest and the references of its sentence, each as words.

        Raises UsageError for no reference, and for a forest of more than 50,000,000 edges;
        WrongTypeError for a text in place of the words of a reference.
        """
        check_listed(references, "references", "a list of lists of words")
        for words in references:
            check_listed(words, "a reference", "a list of words", "text.split()")
        if not references:
            raise UsageError("every sentence needs at least one reference")
        symbols = {
            word: number
            for number, word in enumerate(dict.fromkeys(w for ref in references for w in ref), 1)
        }
        known = np.array([symbols[word] for ref in references for word in ref], np.int32)
        bounds = offsets_of([len(reference) for reference in references])
        ngrams = count_ngrams(known, bounds, 0, len(references), ORDER)
        of_word = np.array([symbols.get(word, 0) for word in graph.words] or [0], np.int32)
        items = np.where(graph.items >= 0, of_word[np.maximum(graph.items, 0)], graph.items)
        edge_offsets, tails, edge_of, counts = split_by_contexts(
            graph.edges, (items.astype(np.int32), graph.item_offsets), ngrams, ORDER, MAX_EDGES
        )
        if not len(edge_of):
            raise UsageError(
                f"the forest has more than {MAX_EDGES:,} edges after its nodes are split by "
                "their boundary words; prune it first"
            )
        arity = np.diff(graph.tail_offsets)
        statistics = np.empty((len(edge_of), COLUMNS))
        statistics[:, :-1] = counts
        covered = graph.covered[edge_of]
        length = sum(len(reference) for reference in references) / len(references)
        statistics[:, -1] = length * covered / max(_source_words(graph), 1)
        return cls(
            graph, Edges(edge_offsets, offsets_of(arity[edge_of]), tails), edge_of, statistics
        )

    def hope(
        self, scores: NDArray[np.float64], background: NDArray[np.float64], mu: float = -1.0
    ) -> ForestDerivations:
        """The derivation that model and metric like: the most of w h(d) - mu B (eq. 12).

        By forest reranking (section 5.2), which may miss the very best one.
        scores: float64[E], of the hypergraph's edges
        background: float64[9], the oracle document
        mu: below 0

        Raises UsageError as Hypergraph.check_scores does, and for another document.
        """
        return self._reranked(scores, background, -mu)

    def fear(
        self, scores: NDArray[np.float64], background: NDArray[np.float64]
    ) -> ForestDerivations:
        """The derivation that the model likes and the metric does not: the most of w h(d) - B.

        By forest reranking.
        scores: float64[E], of the hypergraph's edges
        background: float64[9], the oracle document

        Raises UsageError as :meth:`hope` does.
        """
        return self._reranked(scores, background, -1.0)

    def best_with(
        self, scores: NDArray[np.float64], gains: NDArray[np.float64]
    ) -> ForestDerivations:
        """The derivation with the most of w h(d) and the sum of its edges' gains; exact.

        scores: float64[E], of the hypergraph's edges; gains: float64[E'], see :func:`linear_gains`
        """
        self.graph.check_scores(scores)
        of_edge = inside(self.edges, scores[self.edge_of] + gains, 0.0)[1]
        return self._derivation(scores, best_edges(self.edges, of_edge))

    def _reranked(
        self, scores: NDArray[np.float64], background: NDArray[np.float64], factor: float
    ) -> ForestDerivations:
        self.graph.check_scores(scores)
        _check_background(background)
        own = scores[self.edge_of]
        best = rerank(self.edges, own, self.statistics, background, factor)
        return self._derivation(scores, best)

    def _derivation(
        self, scores: NDArray[np.float64], best: NDArray[np.int64]
    ) -> ForestDerivations:
        """That of the best edges of the split nodes, by edges of the hypergraph."""
        tree = self.edge_of[best_tree(self.edges, best)]
        return ForestDerivations(tree, np.array([0, len(tree)]), scores[tree].sum(keepdims=True))


def _check_background(background: NDArray[np.float64]) -> None:
    """Raise UsageError for what is no oracle document of BLEU."""
    if np.shape(background) != (COLUMNS,):
        raise UsageError(
            f"the oracle document must have the {COLUMNS} statistics of BLEU (matches and lengths "
            f"of four orders, and the length of the reference), got {np.size(background)}"
        )


def _source_words(graph: Hypergraph) -> int:
    """Words of the source sentence: what a derivation covers."""
    first = best_tree(graph.edges, graph.edge_offsets[:-1])
    return int(graph.covered[first].sum())


def linear_gains(forest: BleuForest, background: NDArray[np.float64]) -> NDArray[np.float64]:
    """B to first order, by edge: what is added to the BLEU of an oracle document, times its length.

    Chiang (2012), appendix A.3, after Tromble et al. (2008), with the brevity penalty; the term of
    the reference length is the same for all derivations and left out.
    background: float64[9], the oracle document. Returns float64[E'], 0 where an order of the
    document has no match.

    Raises UsageError for another document.
    """
    _check_background(background)
    matches, totals = background[: 2 * ORDER : 2], background[1 : 2 * ORDER : 2]
    if (matches <= 0.0).any():
        return np.zeros(len(forest.edge_of))
    length, reference = totals[0], background[-1]
    counts = forest.statistics
    change = (counts[:, : 2 * ORDER : 2] / matches - counts[:, 1 : 2 * ORDER : 2] / totals).sum(1)
    change /= ORDER
    if reference >= length:
        change += reference * counts[:, 1] / length**2
    return np.asarray(length * bleu(background) / 100.0 * change)
