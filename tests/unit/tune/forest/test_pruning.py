"""Pruned forests."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from isogloss.align.errors import UsageError
from isogloss.tune.forest.inference import best_scores_through, viterbi
from isogloss.tune.forest.pruning import pruned
from tests.naive import forest as naive


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([1.0, 1.5, 3.0, 1e308]), st.booleans())
def test_what_stays_are_the_edges_of_the_best_derivations(
    seed: int, density: float, equal: bool
) -> None:
    rng = np.random.default_rng(seed)
    graph = naive.random_graph(rng, nodes=5)
    assume(naive.count(graph) < 2000)
    weights = rng.integers(-1, 2, size=4).astype(float) if equal else rng.normal(size=4)
    scores = graph.scores(weights)
    small = pruned(graph, scores, density)
    best = viterbi(graph, scores)
    assert viterbi(small, small.scores(weights)).scores[0] == best.scores[0]
    through = np.sort(best_scores_through(graph, scores))[::-1]
    most = int(min(density * len(best.edges), graph.num_edges))
    kept = np.sort(best_scores_through(small, small.scores(weights)))[::-1]
    used = np.isfinite(through)
    expected = through[used & (through >= through[most - 1] - 1e-9)]
    np.testing.assert_allclose(kept, expected, atol=1e-8)
    texts = {(one.text, round(one.total(scores), 6)) for one in naive.derivations(graph)}
    of_small = small.scores(weights)
    assert texts >= {(one.text, round(one.total(of_small), 6)) for one in naive.derivations(small)}


def test_a_density_below_one_is_told() -> None:
    graph = naive.random_graph(np.random.default_rng(1), nodes=3)
    with pytest.raises(
        UsageError, match=r"density must be at least 1 \(edges per edge of .*\), got 0.5"
    ):
        pruned(graph, np.zeros(graph.num_edges), 0.5)
