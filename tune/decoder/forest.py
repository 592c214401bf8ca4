"""The search graph of a sentence as a hypergraph; edges have the features of their phrases."""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, select_rows, span_entries
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace, is_sparse

from ..forest.hypergraph import Hypergraph, tail_item
from ..forest.pruning import pruned
from ..weights.weights import Weights
from .kernels.paths import paths_of_edges
from .model import Decoder
from .named_weights import MosesGroups, renamed
from .rule_options import SentenceOptions, Translations
from .search import SearchGraph

__all__ = ["ForestMaker", "search_forest"]


class _Steps(NamedTuple):
    """Phrases behind nodes; the start, node 0, has none that leads to it."""

    # offsets: int64[V + 1], phrases that lead to each node
    # tail: int64[n], the node before each; arc: int64[n], the arc of the search graph that it is

    offsets: NDArray[np.int64]
    tail: NDArray[np.int64]
    arc: NDArray[np.int64]


def search_forest(decoder: Decoder, found: Translations) -> Hypergraph:
    """All derivations that a search has found, over the decoder's features.

    A node of the search graph stands here once for each phrase that leads to it, where features
    of what follows depend on that phrase; so the sum over the edges of a derivation is what
    :meth:`Decoder.derivations` gives. The first edge makes the empty hypothesis of nothing.
    Raises UsageError where the search has found no translation.
    """
    graph, sentence = found.graph, found.options
    if graph.goal < 0:
        raise UsageError("the search has found no translation, so it has no forest")
    steps = _steps(graph, decoder.phrase_features.looks_back)
    options = graph.option[steps.arc]
    first = steps.offsets[1:-1]  # of the phrases that lead to each node
    paths = paths_of_edges(
        np.append(0, steps.tail[first]), np.append(0, options[first]).astype(np.int32),
        steps.tail, options,
    )  # fmt: skip
    context = np.vstack([graph.language_model[steps.arc].T, graph.distortion[steps.arc]])
    rows = decoder.phrase_features.added(sentence, paths, np.ascontiguousarray(context))
    item_offsets, items, surface = _texts(sentence, options)
    spans = sentence.options.end[options] - sentence.options.begin[options]
    return Hypergraph(
        np.append(0, steps.offsets[1:] + 1),
        np.append(0, np.arange(len(options) + 1)),
        steps.tail.astype(np.int32),
        np.append(0, item_offsets),
        items,
        decoder.words(surface, sentence.unknown),
        Ragged.joined([Ragged.empty(1), rows]),
        decoder.space,
        np.append(0, spans).astype(np.int32),
    )


@dataclass(frozen=True)
class ForestMaker:
    """Makes the forests of searches with one decoder.

    weights: over the decoder's features, for pruning
    space: the features of the forests
    numbers: int32[n], those of the decoder's features in it; None = it is the decoder's space
    density: edges that are kept for each of the best derivation's; None = all
    """

    decoder: Decoder
    weights: Weights
    space: FeatureSpace
    numbers: NDArray[np.int32] | None
    density: float | None = None

    @classmethod
    def of(
        cls,
        decoder: Decoder,
        weights: Weights,
        groups: MosesGroups | None = None,
        density: float | None = None,
    ) -> "ForestMaker":
        """A maker of forests, see the class.

        groups: names of features as Moses has them; default: those of the decoder
        """
        if groups is None:
            return cls(decoder, weights, decoder.space, None, density)
        names = renamed(decoder.space, groups)
        space = FeatureSpace(sorted(names, key=is_sparse))
        return cls(decoder, weights, space, space.ids(names), density)

    def forest(self, found: Translations) -> Hypergraph:
        """The forest of a search. Raises UsageError as :func:`search_forest` and pruning do."""
        graph = search_forest(self.decoder, found)
        if self.density is not None:
            graph = pruned(graph, graph.scores(self.weights.values), self.density)
        if self.numbers is None:
            return graph
        rows = graph.rows
        rows = Ragged(self.numbers[rows.ids], rows.values, rows.offsets)
        return replace(graph, rows=rows, space=self.space)


def _steps(graph: SearchGraph, apart: bool) -> _Steps:
    """The phrases between nodes. apart: whether nodes are told apart by the phrase before them"""
    num_options = int(graph.option.max(initial=0)) + 1
    node = graph.node.astype(np.int64)
    phrase = np.where(apart & (node < graph.goal), graph.option, 0)
    keys, head = np.unique(node * num_options + phrase, return_inverse=True)
    of_node = np.searchsorted(keys // num_options, np.arange(graph.goal + 2)) + 1
    of_node[0] = 0
    begins = of_node[graph.previous_node]
    tail, offsets = span_entries(begins, of_node[graph.previous_node + 1] - begins)
    arc = np.repeat(np.arange(len(node)), np.diff(offsets))
    order = np.argsort(head[arc], kind="stable")
    counts = np.bincount(head[arc] + 1, minlength=len(keys) + 1)
    return _Steps(offsets_of(counts), tail[order], arc[order])


def _texts(
    sentence: SentenceOptions, options: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]:
    """The text of what is before each phrase, then its own."""
    # Int64[n + 1], int32[I] numbers of words, and int32[w], the surface ids of these.
    # options: int32[n]
    columns = sentence.options
    where, ends = select_rows(columns.word_offsets, options)
    surface, numbers = np.unique(columns.surface[where], return_inverse=True)
    offsets = ends + np.arange(len(ends))
    items = np.insert(numbers.astype(np.int32), ends[:-1], tail_item(0))
    return offsets, items, surface
