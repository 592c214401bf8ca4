"""Minimum risk and expected BLEU against slow twins, finite differences and limits."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.metrics.error_rates import Wer
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.optimizers.minimum_risk import (
    MinimumRiskOptions,
    _Expectation,
    tune_minimum_risk,
)
from isogloss.tune.results import TuningResult
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import not_finite
from tests.naive.risk import expectations

Floats = NDArray[np.float64]
NAMES = FeatureSpace(["a", "b", "c", "never", "s_1", "s_2"])
OPTIONS = MinimumRiskOptions()


def random_examples(
    seed: int, sentences: int = 20, metric: Metric | None = None, *, dense: bool = True
) -> Examples:
    """BLEU or WER statistics; the better a hypothesis, the more of a and the less of b."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, size=sentences)
    rows, statistics = [], []
    for _ in range(sizes.sum()):
        length, quality = int(rng.integers(5, 12)), float(rng.uniform(0.2, 1))
        values = [(0, quality + 0.1 * rng.normal()), (1, -2 * quality), (2, 50 * rng.normal())]
        rows.append((values if dense else []) + [(4 + int(rng.integers(2)), 1.0)])
        if isinstance(metric, Wer):
            statistics.append([round((1 - quality) * length), length])
        else:
            counts = [(round(quality**n * (length + 1 - n)), length + 1 - n) for n in (1, 2, 3, 4)]
            statistics.append([x for pair in counts for x in pair] + [9])
    return Examples(
        np.arange(sentences),
        np.append(0, np.cumsum(sizes)),
        Ragged.from_rows(rows),
        NAMES,
        np.array(statistics, float),
        Bleu() if metric is None else metric,
    )


def run(
    examples: Examples, options: MinimumRiskOptions = OPTIONS, start: Floats | None = None,
    held_out: Examples | None = None, threads: int = 1,
) -> TuningResult:  # fmt: skip
    start = np.zeros(len(examples.space)) if start is None else start
    rng = np.random.default_rng(1)
    return tune_minimum_risk(
        examples, Weights(examples.space, start), options, rng, held_out=held_out, threads=threads
    )


def twin(examples: Examples, weights: Floats, objective: str, entropy_worth: float) -> float:
    """The loss, by way of the twin's expectations."""
    lists = []
    for sentence in range(len(examples)):
        own = []
        for row in examples.hypotheses(sentence):
            part = examples.rows.part(row, row + 1)
            features = dict(zip(part.ids.tolist(), part.values.tolist(), strict=True))
            own.append((features, examples.statistics[row].tolist()))
        lists.append(own)
    oracle = [
        own.start + int(np.argmax(examples.gains[own.start : own.stop]))
        for own in map(examples.hypotheses, range(len(examples)))
    ]
    if objective == "sentence":
        gains = examples.gains
        lists = [
            [(features, [gains[row]]) for row, (features, _) in zip(
                examples.hypotheses(k), own, strict=True)]
            for k, own in enumerate(lists)
        ]  # fmt: skip

    def score(sums: list[float]) -> float:
        if objective == "sentence":
            return sums[0] / len(examples)
        return examples.metric.sign * float(examples.metric.score(np.array(sums)))

    best = gains[oracle, None] if objective == "sentence" else examples.statistics[oracle]
    floor = score(expectations(lists, [0.0] * 6)[0])
    width = abs(score(best.sum(0).tolist()) - floor)
    sums, entropy = expectations(lists, weights.tolist())
    return -(score(sums) - floor) / width - entropy_worth * entropy


def loss_of(
    expectation: _Expectation, weights: Floats, entropy_worth: float = 0.0, threads: int = 1
) -> tuple[float, Floats]:
    loss, slopes = expectation.loss(weights[expectation.rows.ids], entropy_worth, threads)
    gradient = np.zeros(len(weights))
    gradient[expectation.rows.ids] = slopes
    return loss, gradient


@settings(max_examples=25)
@given(
    st.integers(0, 99),
    st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    st.sampled_from(["corpus", "sentence"]),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([Bleu(), Wer()]),
    st.booleans(),
)
def test_loss_and_gradient_equal_the_twin(
    seed: int, point: list[float], objective: str, entropy: float, metric: Metric, dense: bool
) -> None:
    examples = random_examples(seed, 6, metric)
    weights = np.array(point) * [1, 1, 0.02, 1, 1, 1]  # c is large
    expectation = _Expectation.of(examples, objective)
    if not dense:
        expectation = replace(expectation, rows=replace(expectation.rows, matrix=None))
    loss, gradient = loss_of(expectation, weights, entropy)
    assert twin(examples, weights, objective, entropy) == pytest.approx(loss, rel=1e-5, abs=1e-6)
    moves = 1e-5 * np.eye(6)
    slopes = [
        (loss_of(expectation, weights + m, entropy)[0]
         - loss_of(expectation, weights - m, entropy)[0]) / 2e-5
        for m in moves
    ]  # fmt: skip
    if isinstance(metric, Wer) or objective == "sentence" or no_kink(expectation, weights):
        np.testing.assert_allclose(slopes, gradient, rtol=1e-4, atol=1e-5)


def no_kink(expectation: _Expectation, weights: Floats) -> bool:
    """Whether hypotheses are not about as long as references: there BLEU has no derivative."""
    scores = np.empty(len(expectation.rows))
    expectation.rows.scores(weights[expectation.rows.ids], 0, len(scores), scores)
    shares = np.exp(scores - scores.max())
    shares /= np.repeat(
        np.add.reduceat(shares, expectation.offsets[:-1]), np.diff(expectation.offsets)
    )
    sums = shares @ expectation.statistics
    return abs(float(sums[1] - sums[8])) > 0.02


@pytest.mark.parametrize("metric", [Bleu(), Wer()], ids=["bleu", "wer"])
def test_without_temperature_it_is_the_metric_of_the_best(metric: Metric) -> None:
    examples = random_examples(1, metric=metric)
    expectation = _Expectation.of(examples, "corpus")
    weights = np.array([1.0, 0.5, 0.01, 0.0, 0.1, 0.2])
    loss, gradient = loss_of(expectation, 1e7 * weights)
    reached = metric.sign * examples.best_score(weights)
    assert (reached - expectation.floor) / expectation.width == pytest.approx(-loss, rel=1e-9)
    np.testing.assert_allclose(gradient, 0.0, atol=1e-12)


def test_at_weights_of_nothing_all_are_as_likely() -> None:
    examples = random_examples(1)
    loss, _ = loss_of(_Expectation.of(examples, "corpus"), np.zeros(6))
    assert loss == pytest.approx(0.0, abs=1e-12)
    entropy = np.log(np.diff(examples.sentence_offsets)).mean()
    loss, _ = loss_of(_Expectation.of(examples, "corpus"), np.zeros(6), 2.0)
    assert loss == pytest.approx(-2.0 * entropy)


@pytest.mark.parametrize("objective", ["corpus", "sentence"])
@pytest.mark.parametrize("metric", [Bleu(), Wer()], ids=["bleu", "wer"])
def test_what_tells_good_from_bad_is_learned(objective: str, metric: Metric) -> None:
    examples = random_examples(1, 60, metric)
    start = np.array([-1.0, 0.0, 0.0, 5.0, 0.0, 0.0])
    result = run(examples, replace(OPTIONS, objective=objective), start)
    assert result.weights.values[1] < 0
    assert abs(result.weights.values[2]) < 0.02 * abs(result.weights.values[1])
    assert result.weights.values[3] == 5.0
    gains = [metric.sign * epoch.score for epoch in result.epochs]
    assert gains[result.best_epoch] == max(gains) > gains[0] + 10
    assert len(result.epochs) == 5
    assert result.epochs[-1].loss < -0.8  # of what there is to gain


def test_the_start_is_returned_where_nothing_is_better() -> None:
    examples = random_examples(1, 60)
    best = run(examples)
    again = run(
        examples, start=best.weights.values, options=replace(OPTIONS, temperatures=1, l2=1e6)
    )
    assert again.best_epoch == 0
    assert again.weights.values.tolist() == best.weights.values.tolist()


def test_same_bytes_for_any_number_of_threads() -> None:
    examples, start = random_examples(1, 60), np.ones(6)
    result, other = run(examples, start=start), run(examples, start=start, threads=3)
    assert result.weights.values.tobytes() == other.weights.values.tobytes()
    assert result.epochs == other.epochs
    assert start.tolist() == [1.0] * 6


def test_only_the_direction_of_the_start_matters() -> None:
    examples, start = random_examples(1, 60), np.array([1.0, 0.5, 0.125, 0.0, 1.0, 2.0])
    options = replace(OPTIONS, temperatures=2)
    epochs = run(examples, options, start=start).epochs[1:]
    assert run(examples, options, start=4 * start).epochs[1:] == epochs


def test_held_out_sentences_choose() -> None:
    result = run(random_examples(1, 10), held_out=random_examples(2, 30))
    held_out = [epoch.held_out for epoch in result.epochs]
    assert None not in held_out
    assert result.best_epoch == int(np.argmax(np.array(held_out, float)))


def test_l1_deletes_and_entropy_spreads() -> None:
    examples = random_examples(1, 60)
    once = replace(OPTIONS, temperatures=1)
    result = run(examples, replace(once, l1=0.05, l2=0.0))
    assert result.epochs[1].active < run(examples, once).epochs[1].active
    assert result.weights.values[1] < 0
    sharp, even = (
        np.linalg.norm(run(examples, replace(once, entropy=worth)).weights.values)
        for worth in (0.0, 0.5)
    )
    assert even < 0.5 * sharp


def equal_statistics(examples: Examples) -> Examples:
    return replace(examples, statistics=np.repeat(examples.statistics[:1], len(examples.rows), 0))


def test_nothing_to_gain() -> None:
    start = np.arange(6.0)
    for examples in (equal_statistics(random_examples(1)), one_hypothesis_each()):
        result = run(examples, start=start)
        assert result.weights.values.tolist() == start.tolist()
        assert [epoch.number for epoch in result.epochs] == [0]


def one_hypothesis_each() -> Examples:
    examples = random_examples(1)
    firsts = examples.sentence_offsets[:-1]
    return replace(
        examples,
        sentence_offsets=np.arange(len(examples) + 1),
        rows=examples.rows.select(firsts),
        statistics=examples.statistics[firsts],
    )


def test_sparse_features_alone() -> None:
    result = run(random_examples(1, 60, dense=False))
    assert np.isfinite(result.weights.values).all()
    assert result.weights.values[:4].tolist() == [0.0] * 4


def test_bleu_without_a_match_anywhere() -> None:
    examples, start = random_examples(1), np.arange(6.0)
    statistics = examples.statistics.copy()
    statistics[:, 0:8:2] = 0.0
    for objective in ("corpus", "sentence"):
        result = run(
            replace(examples, statistics=statistics), replace(OPTIONS, objective=objective), start
        )
        assert result.weights.values.tolist() == start.tolist()


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("temperatures", 0, "between 1 and"),
        ("inverse_temperature", 0.0, "above 0"),
        ("growth", 0.5, "between 1 and 1e6"),
        ("objective", "document", "corpus or sentence"),
        ("entropy", -1.0, "between 0 and 1e30"),
        ("l2", float("nan"), "a finite number"),
        ("l1", -1.0, "between 0 and 1e30"),
        ("iterations", 0, "between 1 and"),
        ("tolerance", float("inf"), "a finite number"),
    ],
)
def test_options_out_of_range(name: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"{name} must be {expected}"):
        replace(OPTIONS, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["features", "statistics of bleu"])
def test_numbers_that_are_not_finite(where: str) -> None:
    with pytest.raises(DataError, match=f"{where} are not finite"):
        run(not_finite(random_examples(1), where))
