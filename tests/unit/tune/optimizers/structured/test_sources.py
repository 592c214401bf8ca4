"""Lists and forests answer alike: a list of all derivations of a forest is the slow twin."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.tune.examples import Examples
from isogloss.tune.forest.bleu import linear_gains
from isogloss.tune.forest.hypergraph import Edge, Hypergraph
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.optimizers.structured.forests import ForestExample, ForestSource
from isogloss.tune.optimizers.structured.lists import ListSource
from isogloss.tune.optimizers.structured.protocol import Hypotheses
from isogloss.tune.references import References
from tests.naive import forest as naive

REFERENCES = [["a b a c b"], ["a a b", "b b b a"], ["never"]]
DOCUMENT = np.array([20.0, 30, 12, 28, 7, 26, 4, 24, 31])
CHIANG = Bleu(document="chiang")


def listed(graph: Hypergraph, references: References) -> Examples:
    """All derivations as a list."""
    return naive.listed_examples([graph], references, CHIANG)


@st.composite
def cases(draw: st.DrawFn) -> tuple[ForestExample, Examples, np.ndarray]:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    graph = naive.random_graph(
        rng, nodes=draw(st.integers(1, 5)), chain=draw(st.booleans()), longest=4
    )
    assume(naive.count(graph) < 200)
    references = References.from_texts([draw(st.sampled_from(REFERENCES))])
    example = ForestExample(graph, references, CHIANG, draw(st.sampled_from(["rerank", "linear"])))
    return example, listed(graph, references), rng.normal(size=4)


def value(found: Hypotheses, weights: np.ndarray, factor: float) -> float:
    gain = CHIANG.gains_in(DOCUMENT, found.statistics)[0]
    return float(found.scores(weights)[0] + factor * gain)


@settings(max_examples=60)
@given(cases())
def test_the_best_are_those_of_the_list(case: tuple[ForestExample, Examples, np.ndarray]) -> None:
    forest, examples, weights = case
    of_list = ListSource(examples).example(0, weights)
    scores = of_list.n_best(weights, 1000).scores(weights)
    best = forest.best(weights)
    assert best.scores(weights) == pytest.approx(scores[:1], abs=1e-5)
    same = np.abs(examples.rows.scores(weights) - best.scores(weights)[0]) < 1e-5
    assert best.statistics[0].tolist() in examples.statistics[same].tolist()
    texts = forest.n_best(weights, 1000)
    assert set(map(tuple, texts.statistics)) == set(map(tuple, examples.statistics))
    assert (np.diff(texts.scores(weights)) <= 1e-5).all()


@settings(max_examples=60)
@given(cases(), st.sampled_from([-0.3, -1.0, -5.0]))
def test_hope_and_fear_are_among_all_and_at_most_the_best(
    case: tuple[ForestExample, Examples, np.ndarray], mu: float
) -> None:
    forest, examples, weights = case
    of_list = ListSource(examples).example(0, weights)
    gains = CHIANG.gains_in(DOCUMENT, examples.statistics)
    scores = examples.rows.scores(weights)
    for found, twin, factor in (
        (forest.hope(weights, DOCUMENT, mu), of_list.hope(weights, DOCUMENT, mu), -mu),
        (forest.fear(weights, DOCUMENT), of_list.fear(weights, DOCUMENT), -1.0),
    ):
        most = (scores + factor * gains).max()
        assert value(twin, weights, factor) == pytest.approx(most, abs=1e-5)
        assert value(found, weights, factor) <= most + 1e-5
        same = np.abs(scores - found.scores(weights)[0]) < 1e-5
        assert found.statistics[0].tolist() in examples.statistics[same].tolist()


@settings(max_examples=40)
@given(cases(), st.sampled_from([0.5, 1.0, 3.0]))
def test_expectations_of_both(
    case: tuple[ForestExample, Examples, np.ndarray], temperature: float
) -> None:
    forest, examples, weights = case
    split = [*naive.listed_edges(forest.forest.edges)]
    linear = linear_gains(forest.forest, DOCUMENT)
    scores = forest.graph.scores(weights)
    totals = np.array([scores[forest.forest.edge_of[list(edges)]].sum() for edges in split])
    odds = np.exp((totals - totals.max()) / temperature)
    mean = (odds * [linear[list(edges)].sum() for edges in split]).sum() / odds.sum()
    found = forest.expectation(weights, DOCUMENT, temperature)
    assert found.gain == pytest.approx(mean, abs=1e-6)
    exact = CHIANG.gains_in(DOCUMENT, examples.statistics)
    odds = np.exp((examples.rows.scores(weights) - totals.max()) / temperature)
    of_list = ListSource(examples).example(0, weights).expectation(weights, DOCUMENT, temperature)
    assert of_list.gain == pytest.approx((odds * exact).sum() / odds.sum(), abs=1e-6)
    for source, expected in (
        (forest, found), (ListSource(examples).example(0, weights), of_list)
    ):  # fmt: skip
        assert (np.diff(expected.ids) > 0).all()
        for feature in range(4):
            step = np.zeros(4)
            step[feature] = 1e-4
            ends = [
                source.expectation(weights + sign * step, DOCUMENT, temperature).gain
                for sign in (1.0, -1.0)
            ]
            slope = dict(zip(expected.ids.tolist(), expected.slopes.tolist(), strict=True))
            assert slope.get(feature, 0.0) == pytest.approx((ends[0] - ends[1]) / 2e-4, abs=1e-4)


@settings(max_examples=60)
@given(cases(), st.integers(0, 10**6))
def test_envelopes_of_both(case: tuple[ForestExample, Examples, np.ndarray], seed: int) -> None:
    forest, examples, weights = case
    rng = np.random.default_rng(seed)
    direction = np.round(rng.normal(size=4), int(rng.integers(0, 3)))
    scores, slopes = examples.rows.scores(weights), examples.rows.scores(direction)
    for example in (forest, ListSource(examples).example(0, weights)):
        found, crossings = example.envelope(weights, direction)
        assert len(found) == len(crossings) + 1
        assert (np.diff(crossings) >= 0).all()
        own, steep = found.scores(weights), found.scores(direction)
        for x in (-1e3, -1.0, 0.0, 0.3, 1e3, *crossings):
            at = int(np.searchsorted(crossings, x))
            best = (scores + x * slopes).max()
            assert own[at] + x * steep[at] == pytest.approx(best, rel=1e-5, abs=1e-4)
        for row, statistics in enumerate(found.statistics.tolist()):
            same = np.abs(scores - own[row]) + np.abs(slopes - steep[row]) < 1e-5
            assert statistics in examples.statistics[same].tolist()


def test_envelopes_of_scores_that_are_not_finite() -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4)
    references = References.from_texts([["a b c"]])
    infinite = np.full(4, np.inf)
    forest = ForestSource([graph], references).example(0, infinite)
    with pytest.raises(
        UsageError, match=r"the score of edge .*; scale the weights or features down"
    ):
        forest.envelope(np.zeros(4), infinite)
    of_list = ListSource(listed(graph, references)).example(0, infinite)
    with pytest.raises(DataError, match=r"model scores are not finite\. Scale the weights or"):
        of_list.envelope(infinite, np.zeros(4))


def test_features_add_up_and_hypotheses_are_joined() -> None:
    rows = Ragged.from_rows([[(2, 1.0), (0, 0.5), (2, 1.5)], [], [(1, 4.0)]])
    found = Hypotheses.of(rows, np.eye(3))
    assert found.rows.ids.tolist() == [0, 2, 1]
    assert found.rows.values.tolist() == [0.5, 2.5, 4.0]
    assert found.rows.offsets.tolist() == [0, 2, 2, 3]
    both = found.and_then(found)
    assert both.scores(np.array([2.0, 10.0, 1.0])).tolist() == [3.5, 0.0, 40.0] * 2
    assert both.statistics.tolist() == np.vstack([np.eye(3)] * 2).tolist()


def test_sources_measure_all_sentences() -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4)
    references = References.from_texts([["a b c"], ["b"]])
    weights = np.random.default_rng(4).normal(size=4)
    source = ForestSource([graph, graph], references)
    assert (len(source), source.space) == (2, graph.space)
    sums = sum(source.example(k, weights).best(weights).statistics[0] for k in range(2))
    assert source.score(weights) == pytest.approx(float(CHIANG.score(sums)), abs=1e-12)
    lists = ListSource(listed(graph, references.select(np.array([0]))))
    assert lists.score(weights) == lists.examples.best_score(weights)
    assert (len(lists), lists.metric) == (1, CHIANG)


def test_sources_that_do_not_fit() -> None:
    graph = naive.random_graph(np.random.default_rng(3), nodes=4)
    other = naive.random_graph(np.random.default_rng(3), nodes=4)
    one, two = References.from_texts([["a"]]), References.from_texts([["a"], ["b"]])
    with pytest.raises(UsageError, match="there is no forest; pass one for each sentence"):
        ForestSource([], one)
    with pytest.raises(DataError, match=r"references for 2 sentences.*1, one per forest"):
        ForestSource([graph], two)
    with pytest.raises(UsageError, match="all forests must have the same feature space"):
        ForestSource([graph, other], two)


def test_words_with_no_break_spaces() -> None:
    """Such a space is a part of its word in a forest, so that it must be in references."""
    number = "10\u00a0000"
    edges = [Edge([], [0, 1], [(0, 1.0)], 1), Edge([], [2, 1], [], 1)]
    graph = Hypergraph.from_edges([edges], [number, "m", "10"], ["a"])
    references = References.from_texts([[f"{number} m"]])
    assert references.words_of(0) == [[number, "m"]]
    hope = ForestExample(graph, references, CHIANG).forest.hope(np.zeros(2), DOCUMENT, -1.0)
    assert hope.text(graph, 0) == [number, "m"]
