"""Learning with hope and fear against its slow twin, and its quadratic program against a solver."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.kernels.rows import Rows
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.online.epochs import stream_key
from isogloss.tune.optimizers.structured.forests import ForestSource
from isogloss.tune.optimizers.structured.hinge import tune_hinge
from isogloss.tune.optimizers.structured.lists import ListSource
from isogloss.tune.optimizers.structured.options import HingeOptions
from isogloss.tune.optimizers.structured.protocol import Hypotheses
from isogloss.tune.optimizers.structured.working_sets import Change, QuadraticProgram, WorkingSet
from isogloss.tune.references import References
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.weights import Weights
from tests.naive import forest as naive_forest
from tests.naive.examples import mean_examples, random_bleu_examples
from tests.naive.hope_fear import Twin, run, solve

SPACE = FeatureSpace(["a", "b", "c", "d", "never"])
START = np.array([0.5, -0.2, 0.0, 0.1, 0.7])
EXACT = 1e-9  # epsilon


def some_examples(seed: int, sentences: int = 12) -> Examples:
    return random_bleu_examples(seed, Bleu(document="chiang"), SPACE, sentences)


def tuned(examples: Examples, options: HingeOptions, **others: object) -> TuningResult:
    source, start = ListSource(examples), Weights(examples.space, START)
    rng = np.random.default_rng(3)
    return tune_hinge(source, start, options, rng, **others)  # type: ignore[arg-type]


def weights_by_epoch(
    examples: Examples, options: HingeOptions, threads: int = 1
) -> list[np.ndarray]:
    """The weights that are judged after each epoch, the start left out."""
    source = ListSource(examples)

    class Listening(ListSource):
        seen: list[np.ndarray] = []  # noqa: RUF012

        def score(self, weights: np.ndarray) -> float:
            self.seen.append(weights.copy())
            return source.score(weights)

    listening = Listening(examples)
    listening.seen.clear()
    rng = np.random.default_rng(3)
    tune_hinge(listening, Weights(examples.space, START), options, rng, threads=threads)
    return listening.seen[1:]


def orders(examples: Examples) -> Callable[[int], np.ndarray]:
    """The order of the sentences in an epoch, with the seed of the tests."""
    key = int(np.random.default_rng(3).integers(1 << 63))
    return lambda epoch: np.random.default_rng(stream_key(key, epoch)).permutation(len(examples))


# --- the quadratic program


def random_set(rng: np.random.Generator, size: int) -> WorkingSet:
    rows = [np.sort(rng.choice(5, rng.integers(0, 6), replace=False)) for _ in range(size)]
    offsets = np.append(0, np.cumsum([len(row) for row in rows]))
    ids = np.concatenate(rows).astype(np.int32)
    members = Hypotheses(Rows(ids, rng.normal(size=len(ids)), offsets), np.zeros((size, 9)))
    return WorkingSet(members, np.append(0.0, rng.normal(size=size - 1)))


def dense(members: WorkingSet) -> tuple[np.ndarray, np.ndarray]:
    ids, values, offsets = members.members.rows
    rows = np.zeros((len(members), 5))
    for row in range(len(members)):
        part = slice(offsets[row], offsets[row + 1])
        rows[row, ids[part]] = values[part]
    return rows[0] - rows, members.losses


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 6), min_size=1, max_size=3))
def test_the_program_is_solved(seed: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(seed)
    sets, rates = [random_set(rng, size) for size in sizes], rng.uniform(0.1, 2.0, 5)
    program, weights = QuadraticProgram(sets), START.copy()
    program.optimize(weights, rates, EXACT)
    shares = solve([dense(members) for members in sets], rates, START)
    moves = [part @ dense(members)[0] for part, members in zip(shares, sets, strict=True)]
    assert weights == pytest.approx(START + rates * np.sum(moves, axis=0), abs=1e-5)
    for change, members, part in zip(program.changes(), sets, program.shares, strict=True):
        assert (part >= 0.0).all()
        assert part.sum() == pytest.approx(1.0, abs=1e-12)
        step = np.zeros(5)
        step[change.ids] = change.values
        assert step == pytest.approx(part @ dense(members)[0], abs=1e-12)
    step = np.zeros(5)
    for change in program.changes():
        step[change.ids] += rates[change.ids] * change.values
    assert weights == pytest.approx(START + step, abs=1e-12)


def test_a_set_that_grows_goes_on_from_where_it_is() -> None:
    rng = np.random.default_rng(7)
    whole, rates = random_set(rng, 6), np.ones(5)
    begun = WorkingSet(whole.members.single(0), np.zeros(1))
    program, weights = QuadraticProgram([begun]), START.copy()
    for place in range(1, 6):
        wider = program.sets[0].and_also(whole.members.single(place), whole.losses[place])
        program.widen(0, wider)
        program.optimize(weights, rates, EXACT)
    at_once, other = QuadraticProgram([whole]), START.copy()
    at_once.optimize(other, rates, EXACT)
    assert weights == pytest.approx(other, abs=1e-6)


def test_features_that_keep_their_weights_do_not_move() -> None:
    rng = np.random.default_rng(8)
    program, weights = QuadraticProgram([random_set(rng, 6)]), START.copy()
    program.optimize(weights, np.array([0.0, 1.0, 0.0, 1.0, 1.0]), EXACT)
    assert weights[[0, 2]].tolist() == START[[0, 2]].tolist()
    program.optimize(weights, np.zeros(5), EXACT)
    assert program.shares[0].sum() == pytest.approx(1.0, abs=1e-12)


def test_a_change_is_between_the_first_and_the_others() -> None:
    members = Hypotheses(
        Rows(np.array([0, 2, 0], np.int32), np.array([1.0, 2.0, 4.0]), np.array([0, 2, 3])),
        np.zeros((2, 9)),
    )
    ids, values = Change.between(members, np.array([0.75, 0.25]))
    assert (ids.tolist(), values.tolist()) == ([0, 2], [-0.75, 0.5])


# --- learning


OPTIONS = [
    HingeOptions(update="sgd", rate=0.05),
    HingeOptions(update="sgd", rate=0.05, decay=0.1, hope_metric_weight=0.4, hope_decay=0.2),
    HingeOptions(update="perceptron", rate=0.01),
    HingeOptions(update="mira", rate=0.05, epsilon=EXACT),
    HingeOptions(update="mira", rate=0.2, decay=0.3, epsilon=EXACT, document_decay=0.5),
    HingeOptions(update="arow", rate=0.5, precision_step=2.0, epsilon=EXACT),
    HingeOptions(update="sgd", rate=0.05, oracle="local", local_size=3),
    HingeOptions(update="sgd", rate=0.05, oracle="max-bleu"),
]


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_learning_is_that_of_the_twin(seed: int, options: HingeOptions) -> None:
    examples, options = some_examples(seed), replace(options, epochs=2)
    twin = Twin(examples, options, START.copy(), np.full(5, options.rate))
    expected = run(twin, 2, orders(examples))
    for found, mean in zip(weights_by_epoch(examples, options), expected, strict=True):
        assert found == pytest.approx(mean, abs=1e-4)
    last = weights_by_epoch(examples, replace(options, average=False))[-1]
    assert last == pytest.approx(twin.weights, abs=1e-4)


@pytest.mark.parametrize("options", [OPTIONS[1], OPTIONS[4], OPTIONS[5]])
def test_iterative_mixing(options: HingeOptions) -> None:
    examples = some_examples(5)
    options = replace(options, epochs=2, workers=3, parallel="mixing", decay=0.0, hope_decay=0.0)
    twins = [Twin(examples, options, START.copy(), np.full(5, options.rate)) for _ in range(3)]
    expected = []
    for epoch in (1, 2):
        shares = np.array_split(orders(examples)(epoch), 3)
        for twin, share in zip(twins, shares, strict=True):
            for sentence in share.tolist():
                twin.step(sentence)
        mean = np.mean([twin.weights for twin in twins], axis=0)
        for twin in twins:
            twin.weights = mean
        expected.append(sum(twin.sum for twin in twins) / sum(twin.steps for twin in twins))
    for threads in (1, 3):
        found = weights_by_epoch(examples, options, threads)
        for weights, own in zip(found, expected, strict=True):
            assert weights == pytest.approx(own, abs=1e-4)


@pytest.mark.parametrize("options", [OPTIONS[0], OPTIONS[3], OPTIONS[5]])
def test_working_sets_are_shared(options: HingeOptions) -> None:
    examples = some_examples(6, sentences=8)
    options = replace(options, epochs=2, workers=3)
    rate = options.rate / 3 if options.update == "sgd" else options.rate
    twins = [Twin(examples, options, START.copy(), np.full(5, rate)) for _ in range(3)]
    for epoch in (1, 2):
        received: list[list] = [[], [], []]
        order = orders(examples)(epoch).tolist()
        for begin in range(0, 8, 3):
            now = order[begin : begin + 3]
            before = [twin.weights for twin in twins]
            sent = [
                twin.step(sentence, sets)
                for twin, sentence, sets in zip(twins, now, received, strict=False)
            ]
            kept = [useful(own, old, options) for own, old in zip(sent, before, strict=False)]
            for k in range(len(now), 3):
                receive(twins[k], received[k])
            received = [[own for j, own in enumerate(sent) if j != k and kept[j]] for k in range(3)]
        for twin, sets in zip(twins, received, strict=True):
            receive(twin, sets)
    found = [weights_by_epoch(examples, options, threads)[-1] for threads in (1, 3)]
    assert found[0].tobytes() == found[1].tobytes()
    total = sum(twin.sum for twin in twins)
    assert found[0] == pytest.approx(total / sum(twin.steps for twin in twins), abs=1e-4)


def useful(own: tuple[np.ndarray, np.ndarray], before: np.ndarray, options: HingeOptions) -> bool:
    """Whether a working set is sent: a margin is violated."""
    return bool((own[1] - own[0] @ before).max() > (0.0 if options.update == "sgd" else EXACT))


def receive(twin: Twin, sets: list) -> None:
    """Working sets without a sentence of one's own; no step of the mean."""
    if not sets:
        return
    if twin.options.update == "sgd":
        twin.weights = twin.weights + twin.rates * sum(rows[1] for rows, _ in sets)
        return
    shares = solve(sets, twin.rates, twin.weights)
    moves = [part @ rows for part, (rows, _) in zip(shares, sets, strict=True)]
    twin.weights = twin.weights + twin.rates * np.sum(moves, axis=0)
    if twin.options.update == "arow":
        for move in moves:
            twin.rates = 1 / (1 / twin.rates + twin.options.precision_step * move**2)


def test_one_worker_is_one_worker() -> None:
    examples = some_examples(9)
    options = HingeOptions(update="mira", rate=0.05, epochs=2)
    shared = weights_by_epoch(examples, options)
    mixed = weights_by_epoch(examples, replace(options, parallel="mixing"))
    assert shared[-1] == pytest.approx(mixed[-1], abs=1e-12)


def test_bold_updating_passes_over_what_is_no_reference() -> None:
    examples = some_examples(10)
    options = HingeOptions(update="sgd", rate=0.05, oracle="bold", epochs=1)
    assert weights_by_epoch(examples, options)[-1] == pytest.approx(START, abs=1e-12)
    statistics = examples.statistics.copy()
    firsts = examples.sentence_offsets[:-1]
    statistics[firsts, 0:8:2] = statistics[firsts, 1:8:2]
    statistics[firsts, 8] = statistics[firsts, 1]
    reachable = replace(examples, statistics=statistics)
    bold = weights_by_epoch(reachable, options)[-1]
    assert bold.tolist() != START.tolist()
    most = weights_by_epoch(reachable, replace(options, oracle="max-bleu"))[-1]
    assert bold == pytest.approx(most, abs=1e-12)


def test_weights_that_drown_the_gains_shrink_until_they_do_not() -> None:
    examples, large = some_examples(16), 1e6 * START
    options = HingeOptions(update="mira", rate=0.05, epochs=9, average=False)
    result = tune_hinge(ListSource(examples), Weights(SPACE, large), options)
    assert [epoch.loss for epoch in result.epochs[:3]] == [0.0, 0.0, 0.0]
    assert result.epochs[2].score == result.epochs[0].score
    assert result.score > result.epochs[0].score


def test_forests_are_learned_from() -> None:
    graph = naive_forest.random_graph(np.random.default_rng(3), nodes=5)
    references = References.from_texts([["a b c a"], ["b b"]])
    source = ForestSource([graph, graph], references)
    start = Weights(source.space, np.zeros(4))
    heard: list[Epoch] = []
    options = HingeOptions(update="mira", rate=0.1, epochs=3)
    result = tune_hinge(source, start, options, report=heard.append)
    assert [epoch.number for epoch in heard] == [0, 1, 2, 3]
    assert result.score >= heard[0].score
    again = tune_hinge(source, start, options)
    assert again.weights.values.tobytes() == result.weights.values.tobytes()


def test_held_out_examples_choose_the_epoch() -> None:
    examples, other = some_examples(11), some_examples(12)
    result = tuned(examples, HingeOptions(epochs=4, rate=0.1), held_out=ListSource(other))
    scores = [epoch.held_out for epoch in result.epochs]
    assert result.best_epoch == int(np.argmax(scores))
    assert scores[0] == pytest.approx(other.best_score(START), abs=1e-9)


def test_what_does_not_go_together() -> None:
    examples = some_examples(11)
    other = replace(examples, space=FeatureSpace(["a", "b", "c", "d", "e"]))
    with pytest.raises(UsageError, match="the held-out examples must have the feature space"):
        tuned(examples, HingeOptions(), held_out=ListSource(other))
    by_mean = mean_examples([[1.0, 0.0]], [[[1.0], [2.0]]])
    with pytest.raises(
        UsageError, match="oracle must be hope, max-bleu or local with the metric mean"
    ):
        tune_hinge(by_mean, Weights(by_mean.space, np.zeros(1)), HingeOptions(oracle="bold"))
    shortest = replace(examples, metric=Bleu(document="chiang", reference_length="shortest"))
    message = (
        'oracle must be hope, max-bleu or local with `reference_length="shortest"` .pass '
        "`reference_length=.closest.` if each sentence has one reference.*, got 'bold'"
    )
    with pytest.raises(UsageError, match=message):
        tuned(shortest, HingeOptions(oracle="bold"))


def test_learning_ends_where_nothing_gets_better() -> None:
    options = HingeOptions(update="sgd", rate=1e-9, epochs=9, patience=2)
    assert [epoch.number for epoch in tuned(some_examples(13), options).epochs] == [0, 1, 2]


# --- options


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"rate": 0.0}, "rate must be above 0"),
        ({"update": "adam"}, "update must be one of sgd, mira, arow, perceptron"),
        ({"oracle": "fear"}, "must be one of hope, max-bleu, local, bold"),
        ({"parallel": "all"}, "parallel must be one of mixing, asynchronous"),
        ({"document_decay": 1.0}, "document_decay must be at least 0 and below 1"),
        ({"hope_metric_weight": -1.0}, "hope_metric_weight must be above 0"),
        ({"precision_step": -0.1}, "precision_step must be between 0 and"),
        ({"workers": 0}, "workers must be between 1 and 1024"),
        ({"patience": -1}, "patience must be between 0 and"),
        ({"fixed": ("",)}, "fixed must be prefixes of feature names"),
        (
            {"group_rate": ("PT",)},
            "group_rate must be PREFIX=VALUE with a value of at least 0, got 'PT'",
        ),
    ],
)
def test_options_out_of_range(given: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        HingeOptions(**given)


def test_rates_by_prefix() -> None:
    options = HingeOptions(rate=0.5, group_rate=("a=2",), fixed=("b",))
    assert options.rates(SPACE).tolist() == [2.0, 0.0, 0.5, 0.5, 0.5]
    with pytest.raises(UsageError, match="`group_rate=x` matches no feature; the features are a,"):
        HingeOptions(group_rate=("x=1",)).rates(SPACE)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("parallel", ["mixing", "asynchronous"])
def test_fixed_features_keep_all_digits(parallel: Any, average: bool) -> None:
    """Also where weights are means of three learners: (0.7 + 0.7 + 0.7) / 3 isn't 0.7."""
    options = HingeOptions(
        epochs=2, rate=0.1, workers=3, parallel=parallel, average=average, fixed=("b", "never")
    )
    result = tuned(some_examples(15), options).weights
    assert (result["b"], result["never"]) == (-0.2, 0.7)
    assert not np.array_equal(result.values, START)


def test_weights_that_become_infinite() -> None:
    examples = some_examples(14)
    with (
        np.errstate(all="ignore"),
        pytest.raises(DataError, match=r"not finite in epoch 1.*Lower the rate"),
    ):
        tuned(examples, HingeOptions(update="sgd", rate=1e30, epochs=1, group_rate=("a=1e308",)))
