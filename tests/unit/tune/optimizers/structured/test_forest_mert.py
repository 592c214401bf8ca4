"""MERT on forests against lists of all their derivations."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.forest.union import union
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.optimizers.batch import Progress
from isogloss.tune.optimizers.line_search import Columns
from isogloss.tune.optimizers.mert import MertOptions, climb_landscape, tune_mert
from isogloss.tune.optimizers.structured.forest_mert import (
    ExampleLandscape,
    Sentences,
    tune_forest_mert,
)
from isogloss.tune.optimizers.structured.forests import ForestSource
from isogloss.tune.optimizers.structured.lists import ListSource
from isogloss.tune.references import References
from isogloss.tune.weights.weights import Weights
from tests.naive import forest as naive
from tests.naive.examples import random_examples

BLEU = Bleu()
FEW = MertOptions(random_restarts=2, random_walks=3, random_directions=3)
REFERENCES = References.from_texts(
    [["a b a c b"], ["a a b", "b b b a"], ["c b c a c"], ["b a"], ["a b c a b c"], ["c c a b b"]]
)


def random_graphs(seed: int) -> list[Hypergraph]:
    """One for each sentence; no two derivations of a sentence have equal features."""
    rng = np.random.default_rng(seed)
    graphs: list[Hypergraph] = []
    while len(graphs) < len(REFERENCES):
        graph = naive.random_graph(rng, nodes=5, chain=len(graphs) % 2 == 0, longest=4)
        if not 2 <= naive.count(graph) < 100:
            continue
        graph = replace(graph, space=graphs[0].space) if graphs else graph
        values = graph.rows.scores(np.array([1.0, 7.0, 31.0, 113.0]))
        totals = [round(one.total(values), 4) for one in naive.derivations(graph)]
        if len(set(totals)) == len(totals):
            graphs.append(graph)
    return graphs


def sources(seed: int) -> tuple[ForestSource, Examples]:
    graphs = random_graphs(seed)
    examples = naive.listed_examples(graphs, REFERENCES, BLEU)
    return ForestSource(graphs, REFERENCES, metric=BLEU), examples


@pytest.mark.parametrize("seed", range(8))
def test_the_surface_is_that_of_all_derivations(seed: int) -> None:
    source, examples = sources(seed)
    rng = np.random.default_rng(seed)
    for direction in (rng.normal(size=4), np.eye(4)[seed % 4]):
        weights = rng.normal(size=4)
        for asked in (source, ListSource(examples)):
            surface = Sentences.of(asked, weights).surface(weights, direction)
            assert (np.diff(surface.boundaries) > 0).all()
            steps = [*rng.normal(size=50), *rng.normal(scale=20.0, size=50), -1e4, 1e4]
            for step in [*steps, *(surface.boundaries[1:] + surface.boundaries[:-1]) / 2]:
                if np.abs(surface.boundaries - step).min(initial=1.0) > 1e-4:
                    anew = examples.best_score(weights + step * direction)
                    assert surface.at(step) == pytest.approx(anew, rel=1e-9), step


@pytest.mark.parametrize("smoothing", ["none", "average"])
@pytest.mark.parametrize("seed", range(4))
def test_the_result_is_that_of_mert_on_the_list_of_all_derivations(
    seed: int, smoothing: str
) -> None:
    source, examples = sources(seed)
    options = replace(FEW, surface_smoothing=smoothing, smoothing_window=1)
    start = np.array([0.3, -0.5, 0.2, 0.4])
    expected = tune_mert(
        examples, Weights(examples.space, start), options, np.random.default_rng(seed)
    )
    columns = Columns.of(examples, np.arange(4))
    for asked in (source, ListSource(examples)):
        sentences = Sentences.of(asked, start)
        landscape = ExampleLandscape.of(sentences, start, np.arange(4))
        assert landscape.features.tolist() == columns.features.tolist()
        same = replace(landscape, spreads=columns.spreads)
        result = climb_landscape(
            same, start, options, np.random.default_rng(seed), Progress(sentences)
        )
        assert [epoch.score for epoch in result.epochs] == pytest.approx(
            [epoch.score for epoch in expected.epochs], rel=1e-9
        )
        assert result.best_epoch == expected.best_epoch
        assert result.weights.values == pytest.approx(expected.weights.values, rel=1e-4)


def test_lists_and_forests_of_the_same_derivations_are_tuned_alike_and_better() -> None:
    source, examples = sources(3)
    start = Weights(source.space, np.array([0.3, -0.5, 0.2, 0.4]))
    held_out = ListSource(sources(4)[1].to_space(source.space))
    found = [
        tune_forest_mert(
            asked, start, FEW, np.random.default_rng(1), held_out=held_out, threads=threads
        )
        for asked, threads in ((source, 1), (source, 3), (ListSource(examples), 1))
    ]
    for one in found[1:]:
        assert one.weights.values == pytest.approx(found[0].weights.values, rel=1e-4)
    assert found[0].weights.values.tobytes() == found[1].weights.values.tobytes()
    assert found[0].epochs == found[1].epochs
    scores = [epoch.held_out for epoch in found[0].epochs]
    assert found[0].best_epoch == scores.index(max(scores, key=float))
    own = [epoch.score for epoch in found[0].epochs]
    assert max(own) > own[0] == pytest.approx(examples.best_score(start), rel=1e-12)


def test_a_union_is_as_its_forests_one_after_the_other() -> None:
    """Lists with the hypotheses of both."""
    graphs, more = random_graphs(1), random_graphs(2)
    more = [replace(graph, space=graphs[0].space) for graph in more]
    joined = [union(pair) for pair in zip(graphs, more, strict=True)]
    examples = naive.listed_examples(joined, REFERENCES, BLEU)
    source = ForestSource(joined, REFERENCES, metric=BLEU)
    rng = np.random.default_rng(1)
    for _ in range(5):
        weights, direction = rng.normal(size=(2, 4))
        found = Sentences.of(source, weights).surface(weights, direction)
        twin = Sentences.of(ListSource(examples), weights).surface(weights, direction)
        assert found.boundaries == pytest.approx(twin.boundaries, rel=1e-4)
        assert found.scores == pytest.approx(twin.scores, rel=1e-9)


def test_what_is_tuned() -> None:
    source, _ = sources(5)
    start = Weights(source.space, np.array([0.1, 0.2, 0.3, 0.4]))
    rng = np.random.default_rng(1)
    alone = replace(FEW, normalize=False)
    result = tune_forest_mert(source, start, alone, rng, untuned=["TM0", "PT_b"])
    assert result.weights.values[[1, 3]].tolist() == [0.2, 0.4]
    assert (result.weights.values[[0, 2]] != start.values[[0, 2]]).all()
    none = tune_forest_mert(source, start, FEW, rng, untuned=source.space.names)
    assert none.weights == start
    assert len(none.epochs) == 1
    with pytest.raises(UsageError, match=r"the initial weight of TM0 must be at least 0, .* got"):
        tune_forest_mert(
            source, Weights(source.space, -np.ones(4)), replace(FEW, positive=("TM0",)), rng
        )
    graph = source.graphs[0]
    other = replace(graph, space=FeatureSpace([*graph.space.names[:3], "PT_z"]))
    judge = ForestSource([other], source.references.select(np.array([0])))
    with pytest.raises(UsageError, match="the held-out examples must have the feature space"):
        tune_forest_mert(source, start, FEW, rng, held_out=judge)


def test_what_adds_up_to_the_same_in_another_order_does_not_differ() -> None:
    """0.1 + 1e9 + 0.3 and 0.3 + 1e9 + 0.1 are two floats."""
    graph = naive.build(
        [0, 1, 2, 3, 4, 6],
        [
            ([], [0], [(0, 0.1), (1, 1.0)]), ([0], [-1], [(0, 1e9)]),
            ([], [1], [(0, 0.3)]), ([2], [-1], [(0, 1e9)]),
            ([1], [-1], [(0, 0.3)]), ([3], [-1], [(0, 0.1)]),
        ],
    )  # fmt: skip
    sums = {one.total(graph.scores(np.eye(4)[0])) for one in naive.derivations(graph)}
    assert len(sums) == 2
    source = ForestSource([graph], References.from_texts([["a b"]]), metric=BLEU)
    sentences = Sentences.of(source, np.zeros(4))
    assert [sentences.spread(feature) for feature in range(4)] == [0.0, 0.5, 0.0, 0.0]


def test_spreads_are_half_ranges_on_lists_too() -> None:
    examples = random_examples(np.random.default_rng(2), 5, 6, 3)
    sentences = Sentences.of(ListSource(examples), np.zeros(3))
    values = examples.dense(np.arange(3))
    for feature in range(3):
        halves = [
            np.ptp(values[list(examples.hypotheses(s)), feature]) / 2 for s in range(len(examples))
        ]
        expected = np.sqrt(np.mean(np.square(halves)))
        assert sentences.spread(feature) == pytest.approx(expected, rel=1e-12)
