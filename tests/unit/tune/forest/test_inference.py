"""Inference in hypergraphs against the list of all derivations."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.tune.forest.hypergraph import Hypergraph
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
from tests.naive import forest as naive

Case = tuple[Hypergraph, np.ndarray, list[naive.Listed]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    nodes = draw(st.integers(1, 6))
    graph = naive.random_graph(rng, nodes=nodes, chain=draw(st.booleans()))
    scores = graph.scores(rng.normal(size=4))
    if draw(st.booleans()):  # many equal ones
        scores = np.round(scores)
    assume(naive.count(graph) < 2000)
    return graph, scores, [*naive.derivations(graph)]


@settings(max_examples=60)
@given(cases())
def test_viterbi_and_sums_are_those_of_all_derivations(case: Case) -> None:
    graph, scores, listed = case
    totals = np.array([one.total(scores) for one in listed])
    best = viterbi(graph, scores)
    assert best.scores[0] == pytest.approx(totals.max(), abs=1e-12)
    assert tuple(best.edges) in {one.edges for one in listed}
    assert tuple(best.text(graph, 0)) == next(
        one.text for one in listed if one.edges == tuple(best.edges)
    )
    for t in (0.5, 1.0, 3.0):
        expected = t * np.log(np.exp((totals - totals.max()) / t).sum()) + totals.max()
        assert log_sum(graph, scores, t) == pytest.approx(expected, abs=1e-9)
    assert log_sum(graph, scores, 0.0) == pytest.approx(totals.max(), abs=1e-12)
    assert count_derivations(graph) == len(listed)


@settings(max_examples=60)
@given(cases(), st.sampled_from([0.3, 1.0, 4.0]))
def test_probabilities_and_best_scores_of_edges(case: Case, temperature: float) -> None:
    graph, scores, listed = case
    expected, through = np.zeros(graph.num_edges), np.full(graph.num_edges, -np.inf)
    for one, share in zip(listed, naive.probabilities(listed, scores, temperature), strict=True):
        np.add.at(expected, list(one.edges), share)
        through[list(one.edges)] = np.maximum(through[list(one.edges)], one.total(scores))
    np.testing.assert_allclose(edge_probabilities(graph, scores, temperature), expected, atol=1e-10)
    np.testing.assert_allclose(best_scores_through(graph, scores), through, atol=1e-10)


@settings(max_examples=60)
@given(cases(), st.sampled_from([1, 2, 7, 1000]), st.booleans())
def test_k_best_are_those_of_the_whole_list(case: Case, most: int, distinct: bool) -> None:
    graph, scores, listed = case
    found = k_best(graph, scores, most, distinct=distinct)
    trees = [
        tuple(found.edges[begin:end].tolist())
        for begin, end in zip(found.offsets[:-1], found.offsets[1:], strict=True)
    ]
    by_edges = {one.edges: one for one in listed}
    assert len(set(trees)) == len(trees) and all(tree in by_edges for tree in trees)
    totals = [by_edges[tree].total(scores) for tree in trees]
    np.testing.assert_allclose(found.scores, totals, atol=1e-10)
    assert (np.diff(found.scores) <= 0).all()
    expected = sorted((one.total(scores), one.text) for one in listed)[::-1]
    if distinct:
        best = {text: value for value, text in reversed(expected)}
        values = sorted(best.values(), reverse=True)
        assert len({by_edges[tree].text for tree in trees}) == len(trees)
    else:
        values = [value for value, _ in expected]
    assert len(trees) == min(most, len(values))
    np.testing.assert_allclose(found.scores, values[:most], atol=1e-9)
    for number, tree in enumerate(trees):
        assert tuple(found.text(graph, number)) == by_edges[tree].text
    rows = found.features(graph)
    weights = np.array([1.0, -2.0, 0.5, 3.0])
    sums = [by_edges[tree].total(graph.rows.scores(weights)) for tree in trees]
    np.testing.assert_allclose(rows.scores(weights), sums, atol=1e-9)


@settings(max_examples=60)
@given(cases(), st.integers(0, 10**6))
def test_expectations_are_those_of_all_derivations_and_of_the_semiring(
    case: Case, seed: int
) -> None:
    graph, scores, listed = case
    values = np.random.default_rng(seed).normal(size=graph.num_edges)
    shares = naive.probabilities(listed, scores, 1.0)
    sums = np.array([one.total(values) for one in listed])
    expected, derivative = expectation(graph, scores, values)
    assert expected == pytest.approx(shares @ sums, abs=1e-9)
    by_edge = np.zeros(graph.num_edges)
    for one, share, total in zip(listed, shares, sums, strict=True):
        np.add.at(by_edge, list(one.edges), share * (total - expected))
    np.testing.assert_allclose(derivative, by_edge, atol=1e-9)
    of_b, of_h, of_bh = naive.second_order(graph, scores, values, 4)
    gradient = np.zeros(4)
    for edge in range(graph.num_edges):
        row = graph.rows.part(edge, edge + 1)
        np.add.at(gradient, row.ids, derivative[edge] * row.values)
    assert of_b == pytest.approx(expected, abs=1e-9)
    np.testing.assert_allclose(gradient, of_bh - of_b * of_h, atol=1e-8)


def test_derivatives_are_those_of_finite_differences() -> None:
    graph = naive.random_graph(np.random.default_rng(5), nodes=9)
    rng = np.random.default_rng(6)
    scores, values = rng.normal(size=graph.num_edges), rng.normal(size=graph.num_edges)
    for temperature in (0.5, 1.0, 2.0):
        derivative = expectation(graph, scores, values, temperature)[1]
        for edge in range(graph.num_edges):
            step = np.zeros(graph.num_edges)
            step[edge] = 1e-5
            slope = (
                expectation(graph, scores + step, values, temperature)[0]
                - expectation(graph, scores - step, values, temperature)[0]
            ) / 2e-5
            assert derivative[edge] == pytest.approx(slope, abs=1e-7)


@settings(max_examples=60)
@given(cases(), st.integers(0, 10**6))
def test_envelopes_are_those_of_all_derivations(case: Case, seed: int) -> None:
    graph, scores, listed = case
    rng = np.random.default_rng(seed)
    slopes = np.round(rng.normal(size=graph.num_edges), int(rng.integers(0, 3)))
    found, steep, bounds = envelope(graph, scores, slopes)
    by_edges = {one.edges: one for one in listed}
    trees = [
        by_edges[tuple(found.edges[begin:end].tolist())]
        for begin, end in zip(found.offsets[:-1], found.offsets[1:], strict=True)
    ]
    assert len(trees) == len(steep) == len(bounds) + 1
    np.testing.assert_allclose([one.total(scores) for one in trees], found.scores, atol=1e-9)
    np.testing.assert_allclose([one.total(slopes) for one in trees], steep, atol=1e-9)
    assert (np.diff(steep) > 0).all() and (np.diff(bounds) >= 0).all()
    values = np.array([one.total(scores) for one in listed])
    rises = np.array([one.total(slopes) for one in listed])
    for x in (-1e3, -1.0, -0.1, 0.0, 0.3, 2.0, 1e3, *bounds):
        at = int(np.searchsorted(bounds, x))
        best = (values + x * rises).max()
        assert found.scores[at] + x * steep[at] == pytest.approx(best, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("slope", [1e-320, -1e-320])
def test_lines_that_cross_at_infinity_are_parallel(slope: float) -> None:
    graph = naive.build([0, 2], [([], [0], []), ([], [1], [])])
    found, steep, bounds = envelope(graph, np.array([0.0, 1.0]), np.array([slope, 0.0]))
    assert (found.edges.tolist(), found.scores.tolist()) == ([1], [1.0])
    assert (found.offsets.tolist(), steep.tolist(), bounds.tolist()) == ([0, 1], [0.0], [])


def test_a_long_chain_and_a_forest_of_one_derivation() -> None:
    length = 3000
    edges = [([node - 1] if node else [], ([-1] if node else []) + [node % 3], []) for node in
             range(length)]  # fmt: skip
    graph = naive.build(range(length + 1), edges)
    scores = np.full(length, 2.0)
    found = k_best(graph, scores, 5)
    assert len(found) == 1
    assert found.scores[0] == viterbi(graph, scores).scores[0] == 2.0 * length
    assert found.text(graph, 0) == ["a", "b", "c"] * (length // 3)
    assert count_derivations(graph) == 1.0
    np.testing.assert_array_equal(edge_probabilities(graph, scores), np.ones(length))


def test_more_derivations_than_any_number_has() -> None:
    """Each of 600 nodes in one of four ways."""
    edges = [([node - 1] if node else [], ([-1] if node else []) + [k % 3], []) for node in
             range(600) for k in range(4)]  # fmt: skip
    graph = naive.build(range(0, 2401, 4), edges)
    scores = np.zeros(graph.num_edges)
    assert log_sum(graph, scores) == pytest.approx(600 * np.log(4.0))
    assert count_derivations(graph) == np.inf
    assert len(k_best(graph, scores, 3)) == 3


def test_what_is_out_of_range_is_told() -> None:
    graph = naive.random_graph(np.random.default_rng(1), nodes=2)
    scores = np.zeros(graph.num_edges)
    with pytest.raises(
        UsageError, match="the number of derivations must be between 1 and 100000, got 0"
    ):
        k_best(graph, scores, 0)
    for temperature in (-1.0, np.inf, np.nan):
        with pytest.raises(UsageError, match=r"temperature must be finite and above 0"):
            log_sum(graph, scores, temperature)
    with pytest.raises(UsageError, match=r"temperature must be finite and above 0, got 0.0"):
        edge_probabilities(graph, scores, 0.0)


def test_equal_scores_stand_in_one_order() -> None:
    graph = naive.random_graph(np.random.default_rng(8), nodes=5)
    found = [k_best(graph, np.zeros(graph.num_edges), 50, distinct=False) for _ in range(2)]
    np.testing.assert_array_equal(found[0].edges, found[1].edges)
