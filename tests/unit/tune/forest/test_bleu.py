"""BLEU's statistics in forests, and hope and fear, against the list of all derivations."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.tune.forest import bleu as module
from isogloss.tune.forest.bleu import BleuForest, linear_gains
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.inference import viterbi
from isogloss.tune.metrics.bleu import Bleu
from tests.naive import forest as naive

REFERENCES = [
    [["a", "b", "a", "c", "b"]],
    [["a", "a", "b"], ["b", "b", "b", "a"]],
    [["never"]],
    [[], ["a"]],
]
BACKGROUND = np.array([20.0, 30, 12, 28, 7, 26, 4, 24, 31])
CHIANG = Bleu(document="chiang")


@st.composite
def forests(draw: st.DrawFn) -> tuple[Hypergraph, list[list[str]], np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    graph = naive.random_graph(
        rng, nodes=draw(st.integers(1, 6)), chain=draw(st.booleans()), longest=4
    )
    assume(naive.count(graph) < 500)
    return graph, draw(st.sampled_from(REFERENCES)), graph.scores(rng.normal(size=4))


@settings(max_examples=80)
@given(forests())
def test_statistics_of_edges_add_up_to_those_of_texts(
    case: tuple[Hypergraph, list[list[str]], np.ndarray],
) -> None:
    graph, references, scores = case
    forest = BleuForest.of(graph, references)
    assert set(forest.edge_of) <= set(range(graph.num_edges))
    total = 0
    for listed in naive.derivations(graph):
        sums = naive.statistics_of(forest, listed.edges)
        assert sums[:-1].tolist() == naive.unclipped(listed.text, references)
        total += 1
    split = naive.listed_edges(forest.edges)
    assert total == len(split)
    best = max(scores[forest.edge_of[list(edges)]].sum() for edges in split)
    assert best == pytest.approx(viterbi(graph, scores).scores[0], abs=1e-9)


@settings(max_examples=60)
@given(forests(), st.sampled_from([-0.3, -1.0, -5.0]))
def test_linear_gains_find_the_very_best(
    case: tuple[Hypergraph, list[list[str]], np.ndarray], mu: float
) -> None:
    graph, references, scores = case
    forest = BleuForest.of(graph, references)
    gains = linear_gains(forest, BACKGROUND)
    for factor in (-mu, mu):
        found = forest.best_with(scores, factor * gains)
        split = naive.listed_edges(forest.edges)
        values = [
            scores[forest.edge_of[list(edges)]].sum() + factor * gains[list(edges)].sum()
            for edges in split
        ]
        sums = naive.statistics_of(forest, found.edges.tolist())
        slope = linear_of(sums)
        assert found.scores[0] + factor * slope == pytest.approx(max(values), abs=1e-5)


def linear_of(sums: np.ndarray) -> float:
    """A.3 of a whole sentence by finite differences of BLEU, without the reference's length."""
    changed = sums.copy()
    changed[-1] = 0.0
    ends = CHIANG.gains_in(BACKGROUND, np.array([[1e-4], [-1e-4]]) * changed)
    return float((ends[0] - ends[1]) / 2e-4)


@settings(max_examples=80)
@given(forests(), st.sampled_from([-0.3, -1.0, -5.0]))
def test_hope_and_fear_are_what_each_node_keeps(
    case: tuple[Hypergraph, list[list[str]], np.ndarray], mu: float
) -> None:
    graph, references, scores = case
    forest = BleuForest.of(graph, references)
    for found, factor in (
        (forest.hope(scores, BACKGROUND, mu), -mu),
        (forest.fear(scores, BACKGROUND), -1.0),
    ):
        expected = naive.reranked(
            forest.edges, scores[forest.edge_of], forest.statistics,
            lambda sums, factor=factor: factor * CHIANG.gains_in(BACKGROUND, sums[None])[0],
        )  # fmt: skip
        np.testing.assert_array_equal(found.edges, forest.edge_of[expected])
        assert found.scores[0] == pytest.approx(scores[found.edges].sum())


def test_hope_is_the_very_best_where_tails_are_independent() -> None:
    edges = [([], [word], [(0, score)]) for word, score in ((0, 0.5), (1, 0.0), (2, 2.0))]
    graph = naive.build([0, 3], edges)
    forest = BleuForest.of(graph, [["b"]])
    scores = graph.scores(np.ones(4))
    names = {
        kind: found.text(graph, 0)
        for kind, found in (
            ("hope", forest.hope(scores, BACKGROUND, -50.0)),
            ("fear", forest.fear(scores, BACKGROUND)),
            ("start", forest.hope(scores, np.zeros(9))),
        )
    }
    assert names == {"hope": ["b"], "fear": ["c"], "start": ["c"]}


def test_reference_lengths_are_shared_by_the_source_words_that_edges_cover() -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4, chain=True)
    graph.covered[:] = 0
    graph.covered[graph.edge_offsets[-2] :] = 5
    forest = BleuForest.of(graph, [["a"] * 4, ["b"] * 7])
    for listed in naive.derivations(graph):
        assert naive.statistics_of(forest, listed.edges)[-1] == pytest.approx(5.5)


def test_references_without_words() -> None:
    """No match and no length: without an oracle document, the model alone decides."""
    graph = naive.random_graph(np.random.default_rng(3), nodes=4, longest=4)
    forest = BleuForest.of(graph, [[], []])
    assert not forest.statistics[:, -1].any()
    assert not forest.statistics[:, :8:2].any()
    scores = graph.scores(np.array([1.0, -1.0, 0.5, 2.0]))
    for document in (np.zeros(9), BACKGROUND):
        for found in (forest.hope(scores, document), forest.fear(scores, document)):
            assert np.isfinite(found.scores).all()
            if not document.any():
                assert found.scores[0] == viterbi(graph, scores).scores[0]
        assert np.isfinite(linear_gains(forest, document)).all()
    for search in (forest.hope, forest.fear, forest.best_with):
        with pytest.raises(UsageError, match=r"the score of edge 1 \(into node .*\) is nan; scale"):
            search(np.where(np.arange(len(scores)) == 1, np.nan, scores), np.zeros(9))


def test_what_is_no_oracle_document_is_told() -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4)
    forest, scores = BleuForest.of(graph, [["a"]]), np.zeros(graph.num_edges)
    message = "the oracle document must have the 9 statistics of BLEU .*, got 1"
    for ask in (forest.hope, forest.fear):
        with pytest.raises(UsageError, match=message):
            ask(scores, np.ones(1))
    with pytest.raises(UsageError, match=message):
        linear_gains(forest, np.ones(1))


def test_an_oracle_document_without_matches_says_nothing() -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4)
    forest = BleuForest.of(graph, [["a"]])
    assert not linear_gains(forest, np.zeros(9)).any()


def test_what_is_out_of_range_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4)
    with pytest.raises(UsageError, match="every sentence needs at least one reference"):
        BleuForest.of(graph, [])
    monkeypatch.setattr(module, "MAX_EDGES", 3)
    with pytest.raises(UsageError, match="the forest has more than 3 edges after its nodes are"):
        BleuForest.of(graph, [["a"]])
