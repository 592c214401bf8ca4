"""Online minimum risk on lists and forests: all derivations, listed, are the slow twin."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.ragged import select_rows
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace, bin_feature_name
from isogloss.tune.examples import Examples
from isogloss.tune.forest.bleu import linear_gains
from isogloss.tune.forest.hypergraph import Hypergraph
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import NBest
from isogloss.tune.online.state import OnlineState, read_online_state, write_online_state
from isogloss.tune.optimizers.structured.forests import ForestExample, ForestSource
from isogloss.tune.optimizers.structured.lists import ListSource
from isogloss.tune.optimizers.structured.protocol import Example, ExampleSource, Expected
from isogloss.tune.optimizers.structured.risk import RiskOptions, tune_risk
from isogloss.tune.references import References
from isogloss.tune.weights.weights import Weights
from tests.naive import forest as naive
from tests.naive import online_risk as slow
from tests.naive.examples import Mean
from tests.naive.mira import chiang_gain

CHIANG = Bleu(document="chiang")
DOCUMENT = np.array([20.0, 30, 12, 28, 7, 26, 4, 24, 31])
REFERENCES = [["a b a c b"], ["a a b", "b b b a"], ["a b c a", "c"], ["b c a b"], ["c c b a"]]
START = [0.5, -0.3, 0.2, 0.1]


def graphs(count: int = 5) -> list[Hypergraph]:
    """Small forests over one space, in which every derivation has other features."""
    found: list[Hypergraph] = []
    seed = 0
    while len(found) < count:
        seed += 1
        graph = naive.random_graph(np.random.default_rng(seed), nodes=4, longest=4)
        if 3 < naive.count(graph) < 60:
            found.append(replace(graph, space=found[0].space) if found else graph)
    return found


GRAPHS = graphs()


def measure(text: str, number: int) -> np.ndarray:
    lists = NBest(np.array([0, 1]), Texts.from_strings([text]), Ragged.empty(1), FeatureSpace([]))
    return CHIANG.statistics(lists, References.from_texts([REFERENCES[number]]))[0]


TRANSLATIONS = [
    slow.of_graph(graph, REFERENCES[number], lambda text, number=number: measure(text, number))
    for number, graph in enumerate(GRAPHS)
]
FORESTS = ForestSource(GRAPHS, References.from_texts(REFERENCES), "linear", CHIANG)
LISTS = ListSource(
    Examples(
        np.arange(5),
        np.cumsum([0, *map(len, TRANSLATIONS)]),
        Ragged.from_rows([[*enumerate(one.features)] for some in TRANSLATIONS for one in some]),
        GRAPHS[0].space,
        np.array([one.statistics for some in TRANSLATIONS for one in some]),
        CHIANG,
    )
)
ROUNDED = [
    [one._replace(features=one.features.astype(np.float32).astype(np.float64)) for one in some]
    for some in TRANSLATIONS
]
WEIGHTS = Weights(GRAPHS[0].space, np.array(START))
OPTIONS = RiskOptions(epochs=3, rate=0.1)
SOURCES = pytest.mark.parametrize("source", [LISTS, FORESTS], ids=["lists", "forests"])


def exact_gain(document: np.ndarray, translation: slow.Translation) -> float:
    return chiang_gain(document.tolist(), translation.statistics.tolist())


VARIANTS = {
    "SGD": OPTIONS,
    "AdaGrad in batches": replace(
        OPTIONS, update="adagrad", batch_size=2, l1=0.01, temperature=0.5
    ),
    "annealed": replace(OPTIONS, decay=0.1, l2=0.1, temperature=2.0, cooling=0.3, coldest=0.5),
    "bridge": replace(
        OPTIONS, mu=1.5, mu_decay=0.2, least_mu=0.2, batch_size=3, document_decay=0.5
    ),
    "hope and fear": replace(OPTIONS, temperature=0.0, mu=2.0, mu_decay=0.5),
    "hope and fear with AdaGrad": replace(OPTIONS, temperature=0.0, mu=1.0, update="adagrad"),
}


@SOURCES
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_every_step_is_that_of_the_slow_twin(source: ExampleSource, options: RiskOptions) -> None:
    states: list[OnlineState] = []
    result = tune_risk(source, WEIGHTS, options, np.random.default_rng(7), save=states.append)
    listed, gain = (ROUNDED, exact_gain) if source is LISTS else (TRANSLATIONS, slow.linear_gain)
    epochs = [*slow.epochs(listed, START, options, 7, gain)]
    assert len(states) == len(epochs) + 1
    for state, after in zip(states[1:], epochs, strict=True):
        np.testing.assert_allclose(state.weights, after.weights, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(state.document, after.document, rtol=1e-12)
    if source is LISTS or options.temperature > 0.0:  # hopes of forests are reported exactly
        losses = [epoch.loss for epoch in result.epochs[1:]]
        assert losses == pytest.approx([after.loss for after in epochs], rel=1e-7)
    scores = [epoch.score for epoch in result.epochs]
    assert scores == pytest.approx([source.score(state.weights) for state in states], rel=1e-12)
    assert result.best_epoch == scores.index(max(scores))


def over(source: ExampleSource, space: FeatureSpace) -> ExampleSource:
    """The same translations, their features called otherwise."""
    if isinstance(source, ForestSource):
        return replace(source, graphs=[replace(graph, space=space) for graph in source.graphs])
    assert isinstance(source, ListSource)
    return ListSource(replace(source.examples, space=space))


@SOURCES
def test_bins_that_no_translation_has_go_with_their_neighbors(source: ExampleSource) -> None:
    """Whether the examples name the bin or not."""
    names = [bin_feature_name("p", number, 5) for number in (0, 1, 3, 4, 2)]
    options = replace(OPTIONS, bin_regularizer="linear", bin_strength=1.0)
    learned = []
    for count in (4, 5):
        examples, states = over(source, FeatureSpace(names[:count])), list[OnlineState]()
        start, rng = Weights.from_dict({names[1]: 0.3, names[2]: 0.5}), np.random.default_rng(7)
        tune_risk(examples, start, options, rng, held_out=examples, save=states.append)
        learned.append(states[-1].weights)
    np.testing.assert_array_equal(learned[0], learned[1])
    assert learned[0][4] > 0.0


def split_graph(example: ForestExample) -> Hypergraph:
    """The forest whose nodes are split, as a hypergraph."""
    graph, forest = example.graph, example.forest
    items, item_offsets = select_rows(graph.item_offsets, forest.edge_of)
    edge_offsets, tail_offsets, tails = forest.edges
    return Hypergraph(
        edge_offsets, tail_offsets, tails, item_offsets, graph.items[items], graph.words,
        graph.rows.select(forest.edge_of), graph.space, graph.covered[forest.edge_of],
    )  # fmt: skip


def over_all(expected: Expected) -> np.ndarray:
    """Slopes of all features."""
    result = np.zeros(len(START))
    result[expected.ids] = expected.slopes
    return result


@pytest.mark.parametrize("temperature", [0.3, 1.0, 4.0])
def test_gradients_are_those_of_the_second_order_semiring(temperature: float) -> None:
    """As Chiang (2012), A.4, has it: vectors at every node."""
    for number in range(len(FORESTS)):
        example = FORESTS.example(number, WEIGHTS.values)
        graph = split_graph(example)
        scores = graph.scores(WEIGHTS.values) / temperature
        gains = linear_gains(example.forest, DOCUMENT)
        mean, h, bh = naive.second_order(graph, scores.tolist(), gains.tolist(), len(START))
        found = example.expectation(WEIGHTS.values, DOCUMENT, temperature)
        assert found.gain == pytest.approx(mean, abs=1e-9)
        expected = (bh - mean * h) / temperature
        np.testing.assert_allclose(over_all(found), expected, rtol=1e-9, atol=1e-9)


def by_differences(example: Example, temperature: float, mu: float) -> np.ndarray:
    """The gradient of a secant's gain."""
    ends = [
        [
            example.secant(WEIGHTS.values + sign * step, DOCUMENT, temperature, mu).gain
            for sign in (1.0, -1.0)
        ]
        for step in 1e-5 * np.eye(len(START))
    ]
    return np.array([(high - low) / 2e-5 for high, low in ends])


@SOURCES
@pytest.mark.parametrize(("temperature", "mu"), [(1.0, 0.3), (0.5, 2.0), (3.0, 1.0)])
def test_secants_are_gradients_of_what_they_state(
    source: ExampleSource, temperature: float, mu: float
) -> None:
    for number in range(len(source)):
        example = source.example(number, WEIGHTS.values)
        found = example.secant(WEIGHTS.values, DOCUMENT, temperature, mu)
        np.testing.assert_allclose(
            over_all(found), by_differences(example, temperature, mu), rtol=1e-6, atol=1e-6
        )


@SOURCES
def test_secants_approach_the_gradient(source: ExampleSource) -> None:
    """As mu -> 0, with an error in its square."""
    for number in range(len(source)):
        example = source.example(number, WEIGHTS.values)
        limit = example.expectation(WEIGHTS.values, DOCUMENT, 0.5)
        errors = []
        for mu in (0.1, 0.01):
            found = example.secant(WEIGHTS.values, DOCUMENT, 0.5, mu)
            gap = np.append(over_all(found) - over_all(limit), found.gain - limit.gain)
            errors.append(np.abs(gap).max())
        assert errors[1] < 1e-3
        assert errors[1] < errors[0] / 50


@SOURCES
def test_secants_approach_hope_and_fear(source: ExampleSource) -> None:
    """As T -> 0."""
    for number in range(len(source)):
        example = source.example(number, WEIGHTS.values)
        hope, fear = example.hope(WEIGHTS.values, DOCUMENT), example.fear(WEIGHTS.values, DOCUMENT)
        sides = Ragged(*hope.and_then(fear).rows)
        limit = Expected.of(0.0, sides, np.array([0.5, -0.5]), np.ones(2))
        found = example.secant(WEIGHTS.values, DOCUMENT, 1e-3, 1.0)
        np.testing.assert_allclose(over_all(found), over_all(limit), rtol=1e-6, atol=1e-6)


@SOURCES
def test_with_t_0_and_mu_1_a_step_goes_from_fear_to_hope(source: ExampleSource) -> None:
    """The update of SGD on the generalized hinge, eta being half of the rate (A.2)."""
    options = RiskOptions(epochs=1, batch_size=5, rate=0.2, temperature=0.0, mu=1.0)
    states: list[OnlineState] = []
    tune_risk(source, WEIGHTS, options, np.random.default_rng(1), save=states.append)
    weights, document = WEIGHTS.values.copy(), np.ones(9)
    for number in slow.order_of(5, int(np.random.default_rng(1).integers(1 << 63)), 1):
        example = source.example(number, WEIGHTS.values)
        hope, fear = (find(WEIGHTS.values, document).rows for find in (example.hope, example.fear))
        weights[hope.ids] += 0.1 * hope.values
        weights[fear.ids] -= 0.1 * fear.values
        document = 0.9 * (document + example.best(WEIGHTS.values).statistics[0])
    np.testing.assert_allclose(states[1].weights, weights, rtol=1e-12)


@SOURCES
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_what_all_derivations_share_keeps_its_weight(
    source: ExampleSource, options: RiskOptions
) -> None:
    """To the last bit, though its slopes are sums that hardly ever cancel out to it."""
    space = FeatureSpace([*GRAPHS[0].space.names, "same_x"])
    if source is LISTS:
        rows = with_entry(LISTS.examples.rows, np.ones(len(LISTS.examples.rows)))
        source = ListSource(replace(LISTS.examples, rows=rows, space=space))
    else:  # on every edge a share of what makes 0.1 in each derivation
        source = replace(FORESTS, graphs=[shared(graph, space) for graph in GRAPHS])
    weights = Weights(space, np.array([*START, 1 / 3]))
    states: list[OnlineState] = []
    tune_risk(source, weights, options, np.random.default_rng(1), save=states.append)
    assert [1 / 3] * 4 == [state.weights[4] for state in states]
    assert START != states[-1].weights[:4].tolist()


def with_entry(rows: Ragged, values: np.ndarray) -> Ragged:
    """Rows with an entry of a fifth feature."""
    return Ragged.from_rows(
        [
            *zip(
                rows.part(k, k + 1).ids.tolist(), rows.part(k, k + 1).values.tolist(), strict=True
            ),
            (4, value),
        ]
        for k, value in enumerate(values.tolist())
    )


def shared(graph: Hypergraph, space: FeatureSpace) -> Hypergraph:
    """With 0.1 on each edge of the goal, which each derivation has one of."""
    values = np.where(graph.heads == graph.num_nodes - 1, 0.1, 0.0)
    return replace(graph, rows=with_entry(graph.rows, values), space=space)


@SOURCES
@pytest.mark.parametrize("staleness", [0, 2])
def test_threads_change_nothing(source: ExampleSource, staleness: int) -> None:
    options = replace(OPTIONS, batch_size=2, staleness=staleness)
    runs: list[list[OnlineState]] = [[], [], []]
    for states, threads in zip(runs, (1, 2, 5), strict=True):
        rng = np.random.default_rng(5)
        tune_risk(source, WEIGHTS, options, rng, threads=threads, save=states.append)
    for states in runs[1:]:
        for one, other in zip(runs[0], states, strict=True):
            assert one.weights.tolist() == other.weights.tolist()
            assert (one.document, one.epochs) == (other.document, other.epochs)


def test_stale_gradients_are_those_of_earlier_weights() -> None:
    """With as much staleness as sentences, all gradients of an epoch are the start's."""
    whole, late = (
        tune_risk(LISTS, WEIGHTS, replace(OPTIONS, epochs=1, **changes), np.random.default_rng(1))
        for changes in ({"batch_size": 5}, {"staleness": 5})
    )
    assert whole.epochs[1].loss == pytest.approx(late.epochs[1].loss, rel=1e-12)
    np.testing.assert_allclose(whole.weights.values, late.weights.values, rtol=1e-12)


@SOURCES
def test_an_interrupted_run_goes_on_to_the_same_bytes(
    source: ExampleSource, tmp_path: Path
) -> None:
    """The document, the temperature and mu with it."""
    options = replace(VARIANTS["annealed"], mu=0.5, mu_decay=0.5, update="adagrad", average=True)
    paths: list[Path] = []

    def save(state: OnlineState) -> None:
        paths.append(tmp_path / f"{len(paths)}.npz")
        write_online_state(state, source.space, paths[-1])

    whole = tune_risk(source, WEIGHTS, options, np.random.default_rng(3), save=save)
    for path in paths[:4]:
        state = read_online_state(path, source.space)
        again = tune_risk(source, state, options, np.random.default_rng(9), save=save)
        assert (again.weights, again.epochs) == (whole.weights, whole.epochs)
        assert paths[-1].read_bytes() == paths[3].read_bytes()


@SOURCES
def test_features_of_few_sentences_are_not_learned(source: ExampleSource) -> None:
    """Features have slopes in all of five sentences."""
    for least, moves in ((5, True), (6, False)):
        options = replace(OPTIONS, epochs=1, batch_size=5, min_feature_count=least)
        states: list[OnlineState] = []
        tune_risk(source, WEIGHTS, options, np.random.default_rng(1), save=states.append)
        assert moves == (START != states[1].weights.tolist())


def test_held_out_examples_choose_the_epoch() -> None:
    """What lists of another order are scored by is what counts."""
    away = replace(LISTS.examples, statistics=LISTS.examples.statistics[::-1].copy())
    options = replace(OPTIONS, epochs=5)
    result = tune_risk(LISTS, WEIGHTS, options, np.random.default_rng(1), held_out=ListSource(away))
    alone = tune_risk(LISTS, WEIGHTS, options, np.random.default_rng(1))
    judged = [epoch.held_out or 0.0 for epoch in result.epochs]
    assert [epoch.score for epoch in alone.epochs] == [epoch.score for epoch in result.epochs]
    assert result.best_epoch == judged.index(max(judged))
    assert result.score == pytest.approx(away.best_score(result.weights), rel=1e-12)


def test_temperatures_and_mu_of_epochs() -> None:
    options = RiskOptions(temperature=4.0, cooling=0.5, coldest=0.6, mu=1.0, mu_decay=0.1)
    assert [options.temperature_in(epoch) for epoch in range(5)] == [4.0, 2.0, 1.0, 0.6, 0.6]
    expected = [1.0, 0.1, 0.01, 0.001, 0.001]
    assert [options.mu_in(epoch) for epoch in range(5)] == pytest.approx(expected, rel=1e-12)
    assert [OPTIONS.temperature_in(9), OPTIONS.mu_in(9)] == [1.0, 0.0]
    assert replace(options, temperature=0.0, coldest=0.001).temperature_in(3) == 0.0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"loss": "ramp"}, "loss must be risk"),
        (
            {"score_scale": 2.0},
            r"score_scale must be 1 \(set its inverse, `temperature=...`, instead\)",
        ),
        ({"temperature": 1e-4}, r"temperature must be between 0\.001 and 1e6, or 0 with"),
        ({"temperature": 0.0}, r"temperature must be between .*, or 0 with `mu=...` above 0"),
        ({"temperature": float("nan")}, "temperature must be "),
        ({"cooling": 0.0}, r"cooling must be above 0 and at most 1"),
        ({"mu_decay": 1.5}, r"mu_decay must be above 0 and at most 1"),
        ({"coldest": 2.0}, r"coldest must be between 0\.001 and `temperature=...`"),
        ({"mu": -1.0}, r"mu must be 0 or between 0\.001 and 1e6"),
        ({"mu": 1.0, "least_mu": 2.0}, r"least_mu must be between 0\.001 and `mu=...`"),
        ({"document_decay": 1.0}, r"document_decay must be at least 0 and below 1"),
        ({"epochs": 0}, "epochs must be between 1 and"),
    ],
)
def test_options_out_of_range(changes: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        RiskOptions(**changes)


@SOURCES
def test_weights_that_run_away(source: ExampleSource) -> None:
    for size, where in ((1, "mini-batch 2"), (5, "epoch 1")):
        options = replace(OPTIONS, rate=1e308, temperature=0.1, batch_size=size)
        with pytest.raises(DataError, match=rf"not finite in {where}\. Lower the rate"):
            tune_risk(source, WEIGHTS, options, np.random.default_rng(1))


def test_held_out_examples_over_other_features() -> None:
    other = ListSource(replace(LISTS.examples, space=FeatureSpace(["a", "b", "c", "d"])))
    with pytest.raises(UsageError, match="the held-out examples must have the feature space"):
        tune_risk(LISTS, WEIGHTS, OPTIONS, np.random.default_rng(1), held_out=other)


def test_a_state_of_another_metric() -> None:
    states: list[OnlineState] = []
    tune_risk(LISTS, WEIGHTS, OPTIONS, np.random.default_rng(1), save=states.append)
    examples = replace(LISTS.examples, statistics=np.ones((76, 2)), metric=Mean())
    message = "the state has 9 statistics, but mean has 2"
    with pytest.raises(UsageError, match=message):
        tune_risk(ListSource(examples), states[-1], OPTIONS, np.random.default_rng(1))
