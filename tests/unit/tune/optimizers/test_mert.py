"""MERT: no coordinate can be bettered, options, and lists with nothing to tune."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune import TuningResult
from isogloss.tune.examples import Examples
from isogloss.tune.optimizers.mert import MertOptions, tune_mert
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import Mean, mean_examples, random_examples
from tests.naive.mert import Climber, surface
from tests.tiers import sampled

Floats = NDArray[np.float64]
CLIMB = MertOptions(random_restarts=0, random_walks=0)
FEW = MertOptions(random_restarts=2, random_walks=5)
EXAMPLES = random_examples(np.random.default_rng(5), 40, 15, 4)
START = np.array([-1.0, 1.0, 1.0, -1.0])


def tuned(
    examples: Examples = EXAMPLES, start: Floats = START, options: MertOptions = FEW, seed: int = 1
) -> TuningResult:
    return tune_mert(examples, Weights(examples.space, start), options, np.random.default_rng(seed))


def best_of_line(examples: Examples, weights: Floats, feature: int, sign: int) -> float:
    """Best score when one weight changes, from all pairwise crossings."""
    rows = examples.dense(np.arange(len(weights)))
    lines: list[list[tuple[Fraction, Fraction]]] = []
    statistics: list[list[list[int]]] = []
    for s in range(len(examples)):
        hypotheses = examples.hypotheses(s)
        scores = [sum(Fraction(w) * Fraction(x) for w, x in zip(weights, rows[h], strict=True))
                  for h in hypotheses]  # fmt: skip
        lines.append(
            [
                (Fraction(a), Fraction(rows[h, feature]))
                for a, h in zip(scores, hypotheses, strict=True)
            ]
        )
        statistics.append([[int(examples.statistics[h, 0]), 1] for h in hypotheses])
    _, sums = surface(lines, statistics)
    return max((100.0 * a / b for a, b in sums), key=lambda reached: sign * reached)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("seed", range(3))
def test_no_single_weight_can_be_changed_to_the_better(seed: int, sign: int) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(8, 6, 3)).round(2).tolist()
    numbers = rng.integers(0, 9, size=(8, 6)).astype(float).tolist()
    examples = mean_examples(numbers, features, sign=sign)
    result = tuned(examples, np.array([0.5, -1.0, 0.2]), CLIMB, seed)
    reached = examples.best_score(result.weights.values)
    for feature in range(3):
        assert best_of_line(examples, result.weights.values, feature, sign) == pytest.approx(
            reached
        )


def test_score_is_that_of_the_weights_scored_anew() -> None:
    result = tuned()
    epoch = result.epochs[result.best_epoch]
    assert epoch.score == EXAMPLES.best_score(result.weights.values)
    assert epoch.score == max(step.score for step in result.epochs)
    assert np.abs(result.weights.values).sum() == pytest.approx(1.0, rel=1e-12)
    assert [step.number for step in result.epochs] == list(range(1 + 1 + 2 + 5))
    for step in result.epochs:  # the climb's own sums are those of scoring anew
        assert -step.loss == pytest.approx(step.score, rel=1e-12)


def test_threads_change_nothing_and_the_start_is_kept() -> None:
    start = START.copy()
    reports: list[list[Epoch]] = [[], []]
    results = [
        tune_mert(
            EXAMPLES,
            Weights(EXAMPLES.space, start),
            FEW,
            np.random.default_rng(3),
            threads=threads,
            report=told.append,
        )
        for threads, told in zip((1, 3), reports, strict=True)
    ]
    assert results[0].weights.values.tobytes() == results[1].weights.values.tobytes()
    assert results[0].epochs == results[1].epochs == tuple(reports[0]) == tuple(reports[1])
    assert start.tolist() == START.tolist()


def test_held_out_score_decides() -> None:
    held_out = random_examples(np.random.default_rng(6), 40, 15, 4)
    result = tune_mert(
        EXAMPLES, Weights(EXAMPLES.space, START), FEW, np.random.default_rng(1), held_out=held_out
    )
    scores = [step.held_out for step in result.epochs]
    assert result.best_epoch == scores.index(max(scores))
    assert held_out.best_score(result.weights.values) == max(scores)


VARIANTS = {
    "one climb": CLIMB,
    "restarts and walks": FEW,
    "random directions": replace(CLIMB, random_directions=4),
    "average": replace(FEW, surface_smoothing="average", smoothing_window=2),
    "minimum": replace(FEW, surface_smoothing="minimum", smoothing_window=1),
}


@pytest.mark.parametrize("sign", sampled([1, -1], 2))
@pytest.mark.parametrize("start", [[0.5, -1.0, 0.2], [0.0, 0.0, 0.0]], ids=["start", "zeros"])
@pytest.mark.parametrize("options", VARIANTS.values(), ids=VARIANTS)
def test_equals_the_slow_twin(options: MertOptions, start: list[float], sign: int) -> None:
    """Weights after each climb, and which of them are the best."""
    data = np.random.default_rng(4)
    features = data.normal(size=(7, 5, 3)).round(2)
    numbers = (3 * features[:, :, 0]).round().astype(int) + data.integers(0, 3, (7, 5))
    stored = features.astype(np.float32).astype(float).tolist()
    twin = Climber(
        stored, numbers.tolist(), sign, options.random_restarts, options.random_walks,
        options.walk_size, options.random_directions, options.surface_smoothing,
        options.smoothing_window,
    )  # fmt: skip
    expected = twin.epochs(start, np.random.default_rng(1))
    gains = [twin.gain(weights) for weights in expected]
    examples = mean_examples(numbers.tolist(), features.tolist(), sign=sign)
    result = tuned(examples, np.array(start), options)
    assert [sign * epoch.score for epoch in result.epochs] == pytest.approx(gains, rel=1e-12)
    best = gains.index(max(gains))
    assert (result.best_epoch, result.weights.values.tolist()) == (
        best,
        pytest.approx(expected[best]),
    )
    assert best > 0


def test_random_directions_go_on_where_single_features_end() -> None:
    single = [tuned(options=CLIMB, seed=k).epochs[-1].score for k in range(5)]
    more = replace(CLIMB, random_directions=20)
    several = [tuned(options=more, seed=k).epochs[-1].score for k in range(5)]
    assert all(after >= before for before, after in zip(single, several, strict=True))
    assert several != single


def test_fixed_features_keep_their_weight() -> None:
    result = tuned(options=replace(FEW, fixed=("F1", "F3")))
    assert result.weights.values[[1, 3]].tolist() == [1.0, -1.0]
    assert result.best_epoch > 0
    same = tuned(options=replace(FEW, fixed=("F",)))
    assert same.weights.values.tolist() == START.tolist()
    assert len(same.epochs) == 1


def test_positive_weights_stay_positive() -> None:
    start = np.array([1.0, 1.0, 1.0, -1.0])
    options = replace(FEW, positive=("F1", "F2"), ranges=("F=-1..1",), random_directions=3)
    examples = random_examples(np.random.default_rng(2), 20, 10, 4)
    examples = replace(examples, rows=replace(examples.rows, values=-examples.rows.values))
    reports = [tuned(examples, start, options, seed).weights.values for seed in range(5)]
    assert (np.array(reports)[:, [1, 2]] >= 0).all()
    assert all(weights[0] < 0 for weights in reports)
    with pytest.raises(UsageError, match=r"the initial weight of F3 must be at least 0, .* got -1"):
        tuned(options=replace(FEW, positive=("F3",)))


def test_prefixes_may_name_features_that_are_not_tuned() -> None:
    """Fixed ones, and those that are the same for all hypotheses of each sentence."""
    options = replace(FEW, fixed=("F1",), positive=("F1", "F2"), ranges=("F1=0..1",))
    assert tuned(options=options).weights["F2"] >= 0
    with pytest.raises(UsageError, match="`positive=G` matches no feature; the features are F0,"):
        tuned(options=replace(FEW, positive=("G",)))


def test_ranges_by_the_longest_prefix() -> None:
    options = MertOptions(ranges=("TranslationModel0.1=3..4", "T=-2..-1", "LM=0.5..0.5"))
    low, high = options.limits(["TranslationModel0.1", "TranslationModel0.2", "LM0", "Other"])
    assert (low.tolist(), high.tolist()) == ([3.0, -2.0, 0.5, 0.0], [4.0, -1.0, 0.5, 1.0])


@pytest.mark.parametrize(
    "given", ["LM", "LM=1", "LM=2..1", "=0..1", "LM=a..b", "LM=0..inf", "a=1..2..3"]
)
def test_ranges_that_are_none(given: str) -> None:
    with pytest.raises(UsageError, match=r"ranges must be PREFIX=MIN\.\.MAX"):
        MertOptions(ranges=(given,))


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("random_restarts", -1, "between 0 and"),
        ("random_walks", -1, "between 0 and"),
        ("walk_size", 0.0, "above 0"),
        ("walk_size", np.inf, "a finite number"),
        ("random_directions", -1, "between 0 and"),
        ("surface_smoothing", "median", "one of none, average, minimum"),
        ("smoothing_window", 0, "between 1 and"),
        ("positive", ("",), "prefixes of feature names"),
        ("fixed", ("",), "prefixes of feature names"),
    ],
)
def test_options_out_of_range(name: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"^{name} must be {expected}"):
        replace(MertOptions(), **{name: value})  # type: ignore[arg-type]


def sparse_examples(num_dense: int, num_sparse: int) -> Examples:
    """Three hypotheses of one sentence; the last sparse feature fires in the best one."""
    names = [f"D{k}" for k in range(num_dense)] + [f"s_{k}" for k in range(num_sparse)]
    last = len(names) - 1
    ids = [0, last, 0, last, 0]
    values = np.array([1.0, 0.5, 2.0, 1.0, 3.0], np.float32)
    return Examples(
        np.array([0]),
        np.array([0, 3]),
        Ragged(np.array(ids, np.int32), values, np.array([0, 2, 4, 5])),
        FeatureSpace(names),
        np.array([[1.0, 1.0], [2.0, 1.0], [0.0, 1.0]]),
        Mean(),
    )


def test_sparse_features_of_a_large_space_keep_their_weight_up_to_the_common_factor() -> None:
    examples = sparse_examples(1, 300)
    start = np.zeros(301)
    start[[0, 300]] = [2.0, 0.5]
    result = tuned(examples, start, CLIMB)
    # from weights d, s: d + s / 2, 2 d + s and 3 d; the second is best for 0 < d < s or so
    assert result.epochs[result.best_epoch].score == 200.0
    assert np.abs(result.weights.values[0]) == pytest.approx(1.0)
    assert 0 < result.weights.values[0] < result.weights.values[300]
    kept = tuned(examples, start, replace(CLIMB, normalize=False))
    assert kept.weights.values[300] == 0.5
    assert 0 < kept.weights.values[0] < 0.5


def test_sparse_features_of_a_small_space_are_tuned() -> None:
    examples = sparse_examples(1, 100)
    start = np.zeros(101)
    start[0] = 1.0
    result = tuned(examples, start, CLIMB)
    assert result.epochs[result.best_epoch].score == 200.0
    assert np.flatnonzero(result.weights.values).tolist() == [0, 100]


def test_sparse_features_that_are_left_out() -> None:
    """They have no weight to begin with, and get none."""
    start = np.zeros(301)
    start[0] = 1.0
    with pytest.warns(
        DataWarning,
        match=r"mert tunes only the 1 dense of 301 features, as they are more than 200; the sparse "
        r"ones, whose names have an underscore \(such as \w+\), keep the weight 0\. Use pro or",
    ):
        result = tuned(sparse_examples(1, 300), start, CLIMB)
    assert not result.weights.values[1:].any()


def test_too_many_sparse_features_and_no_dense_one() -> None:
    examples = sparse_examples(0, 300)
    with pytest.raises(
        UsageError, match=r"mert cannot tune 300 sparse features .* pro or adagrad-"
    ):
        tuned(examples, np.zeros(300))


@pytest.mark.parametrize(
    "features",
    [
        [[[1.0, 2.0]], [[3.0, 4.0]]],  # one hypothesis each
        [[[1.0, 2.0]] * 3, [[0.0, 1.0]] * 3],  # all are equal
    ],
)
def test_nothing_to_tune_gives_the_start(features: list[list[list[float]]]) -> None:
    numbers = [list(range(len(hypotheses))) for hypotheses in features]
    result = tuned(mean_examples(numbers, features), np.array([0.5, 3.0]))
    assert result.weights.values.tolist() == [0.5, 3.0]
    assert (result.best_epoch, len(result.epochs)) == (0, 1)


def test_all_scores_equal_gives_the_start() -> None:
    features = np.random.default_rng(0).normal(size=(3, 4, 2)).tolist()
    result = tuned(mean_examples([[1.0] * 4] * 3, features), np.zeros(2))
    assert (result.weights.values.tolist(), result.best_epoch) == ([0.0, 0.0], 0)
    assert all(np.isfinite(step.score) for step in result.epochs)


def test_feature_that_never_occurs_and_one_that_is_constant() -> None:
    features = np.random.default_rng(0).normal(size=(9, 6, 4))
    features[:, :, 1], features[:, :, 2] = 0.0, 7.0
    numbers = features[:, :, 0].round(2)
    start = np.array([-1.0, 0.25, 2.0, 1.0])
    result = tuned(
        mean_examples(numbers.tolist(), features.tolist()), start, replace(FEW, normalize=False)
    )
    assert result.weights.values[[1, 2]].tolist() == [0.25, 2.0]
    assert result.best_epoch > 0


def test_numbers_that_are_not_finite() -> None:
    huge = mean_examples([[0.0, 1.0]], [[[3e38, 3e38], [-3e38, 1.0]]])
    with pytest.raises(DataError, match=r"model scores are not finite\. Scale the weights or"):
        tuned(huge, np.array([1e300, 1e300]))


def test_of_equal_held_out_scores_training_decides() -> None:
    same = replace(EXAMPLES, statistics=np.ones_like(EXAMPLES.statistics))  # whatever is chosen
    result = tune_mert(
        EXAMPLES, Weights(EXAMPLES.space, START), FEW, np.random.default_rng(1), held_out=same
    )
    ranks = [step.rank(EXAMPLES.metric.sign) for step in result.epochs]
    assert len({step.held_out for step in result.epochs}) == 1
    assert result.best_epoch == ranks.index(max(ranks)) > 0
