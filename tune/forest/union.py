"""Several forests of one sentence as one."""

from collections.abc import Sequence

import numpy as np

from isogloss.align.arrays.ragged import joined_offsets, offsets_of, select_rows
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError

from .hypergraph import Hypergraph

__all__ = ["union"]


def union(graphs: Sequence[Hypergraph]) -> Hypergraph:
    """A forest whose derivations are those of all given ones, such as several weights' searches.

    Nodes stand beside each other, but for one goal with the edges into all goals; a derivation
    that several forests have is there once for each.

    Raises UsageError for no forest, and for forests over different feature spaces.
    """
    if not graphs:
        raise UsageError("a union needs at least one forest, got none")
    if any(graph.space is not graphs[0].space for graph in graphs):
        raise UsageError("all forests must have the same feature space")
    if len(graphs) == 1:
        return graphs[0]
    number = {word: k for k, word in enumerate(dict.fromkeys(w for g in graphs for w in g.words))}
    before = offsets_of([graph.num_nodes - 1 for graph in graphs]).tolist()
    goal = before[-1]
    heads, tails, items = [], [], []
    for graph, first in zip(graphs, before, strict=False):
        of_graph = graph.heads
        heads.append(np.where(of_graph < graph.num_nodes - 1, of_graph + first, goal))
        tails.append(graph.tails + np.int32(first))
        of_word = np.array([number[word] for word in graph.words] or [0], np.int32)
        items.append(np.where(graph.items >= 0, of_word[np.maximum(graph.items, 0)], graph.items))
    head = np.concatenate(heads)
    order = np.argsort(head, kind="stable")
    tail_rows, tail_offsets = select_rows(joined_offsets([g.tail_offsets for g in graphs]), order)
    item_rows, item_offsets = select_rows(joined_offsets([g.item_offsets for g in graphs]), order)
    return Hypergraph(
        offsets_of(np.bincount(head)),
        tail_offsets,
        np.concatenate(tails)[tail_rows],
        item_offsets,
        np.concatenate(items)[item_rows],
        tuple(number),
        Ragged.joined([graph.rows for graph in graphs]).select(order),
        graphs[0].space,
        np.concatenate([graph.covered for graph in graphs])[order],
    )
