"""What a hypergraph may hold."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.forest.hypergraph import Edge, Hypergraph
from isogloss.tune.forest.inference import (
    best_scores_through,
    count_derivations,
    edge_probabilities,
    envelope,
    expectation,
    k_best,
    log_sum,
    viterbi,
)
from isogloss.tune.forest.pruning import pruned
from tests.naive.forest import build

EDGES = [([], [0], [(0, 1.0)]), ([], [1, 2], [(2, 2.0)]), ([0, 1], [-2, 0, -1], [(1, -1.0)])]


def changed(name: str, value: Any) -> Hypergraph:
    return build([0, 1, 2, 3], EDGES, lambda columns: columns.update({name: value}))


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def test_columns_say_what_they_hold() -> None:
    graph = build([0, 1, 2, 3], EDGES)
    assert (graph.num_nodes, graph.num_edges) == (3, 3)
    assert graph.heads.tolist() == [0, 1, 2]
    assert graph.scores(np.array([1.0, 10.0, 100.0, 1000.0])).tolist() == [1.0, 200.0, -10.0]
    assert repr(graph) == "Hypergraph(3 nodes, 3 edges, 4 features)"


def test_features_behind_the_space_keep_their_weights() -> None:
    graph = build([0, 1, 2, 3], EDGES)
    part = replace(graph, space=FeatureSpace(graph.space.names[:2]), kept=np.array([100.0, 5.0]))
    assert part.scores(np.array([1.0, 10.0])).tolist() == [1.0, 200.0, -10.0]
    with pytest.raises(UsageError, match="the hypergraph has a feature that its"):
        replace(part, kept=np.zeros(0))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("covered", ints(1, 1), "the edge columns of the hypergraph must have the same length"),
        ("edge_offsets", np.array([0, 2, 1, 3]), "the offsets of the hypergraph do not match"),
        ("tail_offsets", np.array([0, 0, 0, 3]), "the offsets of the hypergraph do not match"),
        ("edge_offsets", np.array([0, 0, 2, 3]), "node 0 has no edge; every node needs at least"),
        ("tails", ints(0, 2), "tail node 2; tails must come before the head"),
        ("tails", ints(-1, 1), "tail node -1; tails must come before the head"),
        ("covered", ints(1, -3, 0), "edge 1 .* cannot cover -3 source words"),
        ("items", ints(0, 1, 3, -2, 0, -1), "has a word that is not among the words"),
        ("items", ints(0, 1, 2, -2, 0, -2), "text of edge 2 .*must have each"),
        ("items", ints(0, 1, 2, -2, 0, 0), "text of edge 2 .*must have each"),
        ("items", ints(0, -1, 2, -2, 0, -1), "text of edge 1 .*must have each"),
        ("items", ints(0, 1, 2, -2, 0, -9), "text of edge 2 .*must have each"),
        ("rows", Ragged.from_rows([[(4, 1.0)], [], []]), "the hypergraph has a feature that its"),
        (
            "rows",
            Ragged.from_rows([[], [(0, np.nan)], []]),
            r"the feature values of edge 1 \(into node 1\) must be",
        ),
    ],
)
def test_what_does_not_fit_is_told(name: str, value: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        changed(name, value)


def test_a_goal_is_needed() -> None:
    with pytest.raises(UsageError, match="a hypergraph needs at least one node, the goal"):
        build([0], [])


def test_derivations_that_double_are_told() -> None:
    edges = [([], [0], [])] + [([node, node], [-1, -2], []) for node in range(60)]
    message = "node 18 has a derivation of more than 1,000,000 edges and words; use the"
    with pytest.raises(UsageError, match=message):
        build(range(62), edges)


@pytest.mark.parametrize("number", [-1, 1])
def test_features_without_a_name_are_told(number: int) -> None:
    edge = Edge((), (0,), ((number, 1.0),), 1)
    with pytest.raises(UsageError, match=f"feature must be at least 0 and below 1, got {number}"):
        Hypergraph.from_edges([[edge]], ["a"], ["LM0"])


def test_scores_beyond_all_numbers_name_their_edge() -> None:
    graph = build([0, 1, 2, 3], EDGES)
    message = "is inf; scale the weights or features down"
    with pytest.raises(UsageError, match=message):
        graph.scores(np.array([0.0, 0.0, 1e308, 0.0]))
    message = f"a vector of {len(graph.space)} values, one per feature, or Weights, got 2 values"
    with pytest.raises(UsageError, match=message):
        graph.scores(np.zeros(2))
    for shape in ((1, len(graph.space)), (len(graph.space), 1), ()):
        message = f"one per feature, or Weights, got an array of shape {shape}"
        with pytest.raises(UsageError, match=re.escape(message)):
            graph.scores(np.zeros(shape))
    for function in (viterbi, log_sum, edge_probabilities, best_scores_through):
        for value, seen in ((-1e301, "-1e"), (np.nan, "nan"), (-np.inf, "-inf")):
            message = f"is {seen}.*; scale the weights or"
            with pytest.raises(UsageError, match=message):
                function(graph, np.array([0.0, 1.0, value]))
    with pytest.raises(UsageError, match="scores must have 3 values, one per edge, got 2"):
        expectation(graph, np.zeros(3), np.zeros(2))
    with pytest.raises(UsageError, match=r"the score of edge 0 \(into node 0\) is inf"):
        envelope(graph, np.zeros(3), np.array([np.inf, 0.0, 0.0]))
    with pytest.raises(UsageError, match=r"the score of edge 0 \(into node 0\) is inf"):
        k_best(graph, np.array([np.inf, 0.0, 0.0]), 2)


def test_what_the_goal_does_not_use_counts_for_nothing() -> None:
    """A node that is in no derivation, and a forest of one derivation."""
    apart = build([0, 1, 3, 4], [EDGES[0], EDGES[1], EDGES[1], ([0], [-1, 1], [(0, 2.0)])])
    scores = apart.scores(np.array([1.0, 10.0, 100.0, 1000.0]))
    assert edge_probabilities(apart, scores).tolist() == [1.0, 0.0, 0.0, 1.0]
    assert best_scores_through(apart, scores).tolist() == [3.0, -np.inf, -np.inf, 3.0]
    assert (count_derivations(apart), log_sum(apart, scores)) == (1.0, 3.0)
    best = k_best(apart, scores, 5)
    assert (len(best), best.text(apart, 0), best.scores.tolist()) == (1, ["a", "b"], [3.0])
    expected, slopes = expectation(apart, scores, np.array([1.0, 5.0, 7.0, 2.0]))
    assert (expected, slopes.tolist()) == (3.0, [0.0] * 4)
    assert pruned(apart, scores, 100.0).num_nodes == 2
    derivations, steep, turns = envelope(apart, scores, np.ones(4))
    assert (len(derivations), steep.tolist(), turns.tolist()) == (1, [2.0], [])
