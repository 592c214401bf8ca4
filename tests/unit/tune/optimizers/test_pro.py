"""PRO against its slow twin, and what it does with regularizers and hard inputs."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune import OPTIMIZERS
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.column import Column
from isogloss.tune.optimizers import feature_differences as linear
from isogloss.tune.optimizers.feature_differences import FeatureDifferences
from isogloss.tune.optimizers.minimum_risk import tune_minimum_risk
from isogloss.tune.optimizers.pro import ProOptions, _Sample, tune_pro
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import not_finite
from tests.naive.pro import ranking_loss
from tests.tiers import examples

Floats = NDArray[np.float64]
Row = dict[int, float]
NAMES = FeatureSpace(["a", "b", "c", "never", "s_1", "s_2"])
OPTIONS = ProOptions(gamma=200, pairs=20, threshold=0.0)


def examples_of(
    sentences: list[list[tuple[Row, float]]],
    space: FeatureSpace = NAMES,
    *,
    lower_is_better: bool = False,
) -> Examples:
    """Hypotheses of features and a value, the mean of which is the metric."""
    flat = [hypothesis for sentence in sentences for hypothesis in sentence]
    return Examples(
        np.arange(len(sentences)),
        np.cumsum([0, *map(len, sentences)]),
        Ragged.from_rows(row.items() for row, _ in flat),
        space,
        np.array([[value, 1.0] for _, value in flat]),
        Column("value", higher=not lower_is_better),
    )


def random_examples(seed: int, sentences: int = 30, *, noise: float = 0.1) -> Examples:
    """The value is a - b + 0.5 s_1 and noise; c says nothing."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(sentences):
        hypotheses = []
        for _ in range(rng.integers(1, 12)):
            a, b, c, *s = rng.normal(size=3).round(3).tolist() + rng.integers(2, size=2).tolist()
            value = a - b + 0.5 * s[0] + noise * rng.normal()
            row = {0: a, 1: b, 2: 100 * c} | ({4: 1.0} if s[0] else {}) | ({5: 1.0} if s[1] else {})
            hypotheses.append((row, float(value)))
        made.append(hypotheses)
    return examples_of(made)


def run(
    examples: Examples, options: ProOptions = OPTIONS, seed: int = 1, start: Floats | None = None,
    held_out: Examples | None = None, threads: int = 1,
) -> TuningResult:  # fmt: skip
    start = np.zeros(len(examples.space)) if start is None else start
    rng = np.random.default_rng(seed)
    return tune_pro(
        examples, Weights(examples.space, start), options, rng, held_out=held_out, threads=threads
    )


rows = st.dictionaries(
    st.integers(0, 5), st.integers(-12, 12).map(lambda x: x / 4).filter(bool), max_size=4
)


@examples(100)
@given(
    st.lists(rows, min_size=2, max_size=6),
    st.data(),
    st.lists(st.floats(-2, 2), min_size=6, max_size=6),
    st.booleans(),
)
def test_loss_and_gradient_equal_the_twin(
    hypotheses: list[Row], data: st.DataObject, weights: list[float], dense: bool
) -> None:
    numbers = st.integers(0, len(hypotheses) - 1)
    pairs = data.draw(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=9))
    worth = np.linspace(0.5, 2.0, len(pairs))
    given_rows = Ragged.from_rows(row.items() for row in hypotheses)
    differences = FeatureDifferences.of_pairs(given_rows, np.array(pairs), 6)
    if not dense:
        differences = replace(differences, matrix=None)
    loss, slopes = _Sample(differences, worth).loss(np.array(weights)[differences.ids])
    gradient = np.zeros(6)
    gradient[differences.ids] = slopes
    expected, expected_gradient = ranking_loss(hypotheses, pairs, worth.tolist(), weights)
    assert expected == pytest.approx(loss, rel=1e-12)
    np.testing.assert_allclose(expected_gradient, gradient, rtol=1e-9, atol=1e-12)


def test_the_gradient_equals_finite_differences() -> None:
    sample = _Sample.draw(random_examples(3), OPTIONS, 5)
    weights = np.random.default_rng(1).normal(size=len(sample.rows.ids))
    _, gradient = sample.loss(weights)
    moves = 1e-5 * np.eye(len(weights))
    slopes = [(sample.loss(weights + m)[0] - sample.loss(weights - m)[0]) / 2e-5 for m in moves]
    np.testing.assert_allclose(slopes, gradient, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("tune", [tune_pro, tune_minimum_risk])
def test_a_name_does_not_make_a_feature_sparse(tune: Callable[..., TuningResult]) -> None:
    """The same lists under names with and without underscores give the same weights."""
    examples = random_examples(3)
    renamed = replace(examples, space=FeatureSpace(f"{k}_x" for k in range(len(examples.space))))
    options = OPTIMIZERS["pro" if tune is tune_pro else "minrisk"].defaults
    weights = [
        tune(lists, Weights.zeros(lists.space), options, np.random.default_rng(1)).weights.values
        for lists in (examples, renamed)
    ]
    assert weights[0].any()
    assert weights[0].tolist() == weights[1].tolist()


def test_many_columns_are_stored_as_sparse_rows() -> None:
    size = linear.DENSE_COLUMNS + 1
    hypotheses = Ragged.from_rows([[(j, 1.0) for j in range(size)], []])
    assert FeatureDifferences.of_pairs(hypotheses, np.array([[0, 1]]), size).matrix is None


def test_pairs_count_as_much_as_they_differ() -> None:
    given_examples = random_examples(1)
    sample = _Sample.draw(given_examples, OPTIONS, 7)
    assert sample.importance.mean() == pytest.approx(1.0)
    assert sample.importance.max() > 1.2 > 0.8 > sample.importance.min()
    equal = _Sample.draw(given_examples, replace(OPTIONS, importance="equal"), 7)
    assert set(equal.importance.tolist()) == {1.0}


@pytest.mark.parametrize("importance", ["gain", "equal"])
def test_what_tells_good_from_bad_is_learned(importance: str) -> None:
    result = run(random_examples(1), replace(OPTIONS, importance=importance, l2=0.1))
    weights = result.weights.values / result.weights.values[0]
    assert result.best_epoch == 1
    assert weights[1] == pytest.approx(-1.0, abs=0.15)
    assert 0.3 < weights[4] < 1.5
    assert abs(weights[2]) < 0.01
    assert weights[3] == 0.0
    assert random_examples(2).best_score(result.weights.values) > 0.9


def test_errors_are_lowered() -> None:
    sentences = [[({0: 1.0}, 3.0), ({0: 2.0, 4: 1.0}, 1.0)], [({0: -1.0}, 5.0), ({0: 0.0}, 4.0)]]
    result = run(examples_of(sentences, lower_is_better=True))
    assert [epoch.score for epoch in result.epochs] == [4.0, 2.5]
    assert result.weights.values[0] > 0


def test_the_start_is_returned_where_nothing_is_better() -> None:
    good = np.array([1.0, -1.0, 0.0, 7.0, 0.5, 0.0])
    exact = random_examples(4, noise=0.0)
    result = run(exact, start=good)
    assert (result.best_epoch, result.weights.values.tolist()) == (0, good.tolist())
    assert len(result.epochs) == 2


@pytest.mark.parametrize(
    "sentences",
    [
        [[({0: 1.0}, 0.5)], [({1: 2.0}, 0.1)]],
        [[({0: 1.0}, 0.5), ({0: 2.0}, 0.5)]],
    ],
    ids=["one hypothesis each", "all equally good"],
)
def test_nothing_to_rank(sentences: list[list[tuple[Row, float]]]) -> None:
    start = np.arange(6.0)
    result = run(examples_of(sentences), start=start)
    assert result.weights.values.tolist() == start.tolist()
    assert [epoch.number for epoch in result.epochs] == [0]


def test_pairs_without_a_difference_in_features() -> None:
    result = run(examples_of([[({0: 1.0}, 0.1), ({0: 1.0}, 0.9)]]), start=np.ones(6))
    assert result.weights.values.tolist() == [1.0] * 6


def test_features_that_never_differ_keep_their_weight() -> None:
    sentences = [[({0: 1.0, 2: 5.0}, 0.1), ({0: 2.0, 2: 5.0}, 0.9), ({0: 3.0, 2: 5.0}, 1.0)]] * 3
    start = np.array([-1.0, 0.0, 0.3, 4.0, 0.0, 0.0])
    result = run(examples_of(sentences), start=start)
    assert result.weights.values[0] > 0
    assert result.weights.values[1:].tolist() == start[1:].tolist()


def test_dense_features_have_no_unit() -> None:
    """The same list in centimetres and in kilometres."""
    examples, other = random_examples(1), random_examples(1)
    scales = np.array([100, 0.125, 1, 1, 1, 1], np.float32)
    scaled = replace(
        other,
        rows=Ragged(other.rows.ids, other.rows.values * scales[other.rows.ids], other.rows.offsets),
    )
    strict = replace(OPTIONS, tolerance=1e-12, iterations=500)
    expected = run(examples, strict).weights.values
    np.testing.assert_allclose(
        run(scaled, strict).weights.values * scales, expected, rtol=1e-3, atol=1e-5
    )


def test_more_samples_and_the_same_bytes_for_any_number_of_threads() -> None:
    given_examples, start = random_examples(1), np.ones(6)
    options = replace(OPTIONS, samples=3)
    seen: list[Epoch] = []
    result = tune_pro(
        given_examples,
        Weights(given_examples.space, start),
        options,
        np.random.default_rng(1),
        report=seen.append,
    )
    assert [epoch.number for epoch in seen] == [0, 1, 2, 3]
    assert tuple(seen) == result.epochs
    other = run(given_examples, options, start=start, threads=3)
    assert other.weights.values.tobytes() == result.weights.values.tobytes()
    assert other.epochs == result.epochs
    assert start.tolist() == [1.0] * 6
    assert run(given_examples, options, seed=2).epochs != result.epochs


def test_l2_shrinks_l1_deletes() -> None:
    given_examples = random_examples(1)
    free = run(given_examples, replace(OPTIONS, l2=0.01)).weights.values
    small = run(given_examples, replace(OPTIONS, l2=100.0)).weights.values
    assert 0 < np.abs(small[:2]).sum() < 0.5 * np.abs(free[:2]).sum()
    sparse = run(given_examples, replace(OPTIONS, l2=0.0, l1=20.0))
    assert sparse.weights.values[2] == sparse.weights.values[5] == 0.0 != sparse.weights.values[0]
    assert sparse.epochs[1].active < 5


def test_l2_towards_the_start() -> None:
    start = np.array([0.0, -0.3, 0.0, 0.0, 2.0, -2.0])
    result = run(random_examples(1), replace(OPTIONS, l2_to_init=1e7), start=start)
    np.testing.assert_allclose(result.weights.values, start, atol=1e-3)


def test_interpolation_with_the_start() -> None:
    given_examples, start = random_examples(1), np.array([0.0, -1.0, 0.0, 0.0, 0.0, 0.0])
    learned = run(given_examples, start=start).weights.values
    half = run(given_examples, replace(OPTIONS, interpolation=0.25), start=start).weights.values
    np.testing.assert_allclose(half, 0.25 * learned + 0.75 * np.abs(learned).sum() * start)


def test_a_sweep_goes_from_strong_to_weak_and_held_out_sentences_choose() -> None:
    options = replace(OPTIONS, l2=1e4, sweep=6)
    result = run(random_examples(1, noise=0.5), options, held_out=random_examples(2))
    assert len(result.epochs) == 7
    losses = [epoch.loss for epoch in result.epochs[1:]]
    assert losses == sorted(losses, reverse=True)
    held_out = [epoch.held_out for epoch in result.epochs]
    assert None not in held_out
    assert result.best_epoch == int(np.argmax(np.array(held_out, float)))
    with pytest.raises(UsageError, match="sweep must be 1 without held-out data, got 6"):
        run(random_examples(1), options)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("samples", 0, "between 1 and"),
        ("gamma", 0, "between 1 and"),
        ("pairs", 0, "between 1 and"),
        ("sweep", 0, "between 1 and"),
        ("iterations", 0, "between 1 and"),
        ("threshold", -0.1, "between 0 and 1e30"),
        ("l2", float("nan"), "a finite number"),
        ("l1", float("inf"), "a finite number"),
        ("l2_to_init", -1.0, "between 0 and 1e30"),
        ("bin_strength", -1.0, "between 0 and 1e30"),
        ("tolerance", -1.0, "between 0 and 1e30"),
        ("importance", "rank", "gain or equal"),
        ("bin_regularizer", "cubic", "none, linear or monotone"),
        ("bin_sharpness", 0.2, "between 0.5 and 1e30"),
        ("interpolation", 0.0, "above 0 and at most 1"),
    ],
)
def test_options_out_of_range(name: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"{name} must be {expected}"):
        replace(OPTIONS, **{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize("where", ["features", "statistics of column"])
def test_numbers_that_are_not_finite(where: str) -> None:
    with pytest.raises(DataError, match=f"{where}.* are not finite"):
        run(not_finite(random_examples(1), where))
