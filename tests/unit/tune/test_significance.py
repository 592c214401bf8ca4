"""Paired tests of systems: against all exchanges and resamples, against sacrebleu."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.significance import PairedTest

from isogloss.align.errors import DataError, UsageError
from isogloss.tune import paired_bootstrap, significance
from isogloss.tune.kernels.resampling import exchanged_sums, resampled_sums
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.references import References
from isogloss.tune.significance import (
    LEVEL,
    RandomizationTest,
    approximate_randomization,
    score_system,
    verdict,
)
from tests.naive import paired_tests as naive
from tests.naive.lists import lists_of

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Ratio:
    """First column over second, in per cent."""

    sign: int = 1
    name: str = "ratio"
    num_statistics: int = 2

    def score(self, sums: Floats) -> Floats:
        return np.asarray(100.0 * sums[..., 0] / sums[..., 1])


RATIO = Ratio()
ERRORS = Ratio(sign=-1)
WORSE = np.array([[1, 4], [2, 5], [0, 3], [3, 6], [1, 5], [2, 2]], float)
BETTER = np.array([[2, 4], [4, 5], [1, 3], [2, 6], [2, 5], [2, 2]], float)


def ratio(row: naive.Row) -> float:
    return 100.0 * row[0] / row[1]


def error_of(p: float, trials: int) -> float:
    """Four standard errors of a share, and the one that is added."""
    return 4 * (p * (1 - p) / trials) ** 0.5 + 1 / trials


def assert_is_interval(interval: tuple[float, float], every: list[float]) -> None:
    """Its ends are where 2.5 % and 97.5 % of all resamples are reached."""
    for end, share in zip(interval, (0.025, 0.975), strict=True):
        error = error_of(share, 20000)
        assert np.mean([score < end - 1e-9 for score in every]) <= share + error
        assert np.mean([score <= end + 1e-9 for score in every]) >= share - error


small = arrays(np.float64, st.tuples(st.integers(1, 12), st.just(3)), elements=st.integers(-9, 9))


@settings(max_examples=50)
@given(small, st.integers(0, 99))
def test_sums_of_drawn_rows(statistics: Floats, seed: int) -> None:
    rng = np.random.default_rng(seed)
    drawn = rng.integers(len(statistics), size=(4, len(statistics)), dtype=np.int32)
    coins = rng.integers(256, size=(4, (len(statistics) + 7) // 8), dtype=np.uint8)
    sums = np.full((2, 4, 3), np.nan)
    resampled_sums(statistics, drawn, sums[0])
    exchanged_sums(statistics, coins, sums[1])
    shown = np.unpackbits(coins, axis=1, count=len(statistics), bitorder="little")
    np.testing.assert_array_equal([statistics[rows].sum(0) for rows in drawn], sums[0])
    np.testing.assert_array_equal(shown @ statistics, sums[1])


def test_the_usual_trials_and_seed() -> None:
    for test, trials in ((paired_bootstrap, 1000), (approximate_randomization, 10000)):
        assert test(WORSE, BETTER, RATIO) == test(WORSE, BETTER, RATIO, trials=trials, seed=1)
    assert score_system(WORSE, RATIO) == score_system(WORSE, RATIO, trials=1000, seed=1)


def test_randomization_nears_all_exchanges() -> None:
    expected = naive.randomization(WORSE.tolist(), BETTER.tolist(), ratio)
    test = approximate_randomization(WORSE, BETTER, RATIO, trials=20000)
    assert 0.05 < expected < 0.95
    assert test.difference == pytest.approx(100 * (13 - 9) / 25)
    assert test.p_value == pytest.approx(expected, abs=error_of(expected, 20000))


def test_bootstrap_nears_all_resamples() -> None:
    every = naive.bootstrap(WORSE.tolist(), BETTER.tolist(), ratio)
    test = paired_bootstrap(WORSE, BETTER, RATIO, trials=20000)
    assert test.difference == pytest.approx(16.0)
    expected = naive.bootstrap_p(every, 16.0)
    assert test.p_value == pytest.approx(expected, abs=error_of(expected, 20000))
    wins = float(np.mean(np.sign(every)) + 1) / 2
    assert test.wins == pytest.approx(wins, abs=error_of(wins, 20000))
    deviations = np.abs(np.array(every) - np.mean(every))
    low, high = test.interval
    assert (low + high) / 2 == pytest.approx(16.0)
    assert np.mean(deviations >= high - 16.1) >= 0.05 - error_of(0.05, 20000)
    assert np.mean(deviations > high - 15.9) <= 0.05 + error_of(0.05, 20000)


def test_bootstrap_by_the_formula_of_sacrebleu_nears_all_resamples() -> None:
    every = naive.bootstrap(WORSE.tolist(), BETTER.tolist(), ratio)
    test = paired_bootstrap(WORSE, BETTER, RATIO, kind="sacrebleu", trials=20000)
    expected = naive.sacrebleu_p(every, 16.0)
    assert test.p_value == pytest.approx(expected, abs=error_of(expected, 20000))
    assert_is_interval(test.interval, every)
    assert test.kind == "sacrebleu"


def test_scores_of_one_run() -> None:
    every = naive.bootstrap(np.zeros_like(WORSE).tolist(), WORSE.tolist(), lambda row: (
        ratio(row) if row[1] else 0.0
    ))  # fmt: skip
    scores = score_system(WORSE, RATIO, trials=20000)
    assert scores.runs.tolist() == [36.0]
    assert (scores.mean, scores.optimizer_deviation) == (36.0, None)
    assert scores.sampling_deviation == pytest.approx(np.std(every), rel=0.02)
    assert_is_interval(scores.interval, every)


def test_scores_of_several_runs() -> None:
    scores = score_system(np.stack([WORSE, BETTER, BETTER]), RATIO, trials=20000)
    assert scores.runs.tolist() == [36.0, 52.0, 52.0]
    assert scores.mean == pytest.approx(140 / 3)
    assert scores.optimizer_deviation == pytest.approx(np.std([36, 52, 52], ddof=1))
    two = score_system(np.stack([WORSE, BETTER]), RATIO, trials=1).optimizer_deviation
    assert two == pytest.approx(8 * 2**0.5)
    alone = [score_system(run, RATIO, trials=20000).sampling_deviation for run in (WORSE, BETTER)]
    assert scores.sampling_deviation == pytest.approx((alone[0] + 2 * alone[1]) / 3, rel=1e-9)
    assert score_system(WORSE, RATIO, trials=1).sampling_deviation == 0.0


def test_runs_are_pairs_of_their_own_for_randomization() -> None:
    """Clark et al. 2011: the same as one run over all their sentences."""
    runs = np.stack([WORSE, BETTER[::-1]]), np.stack([BETTER, WORSE])
    expected = approximate_randomization(
        *(np.concatenate(system_runs) for system_runs in runs), RATIO
    )
    assert expected == approximate_randomization(*runs, RATIO)
    repeated = approximate_randomization(np.stack([WORSE] * 2), runs[1], RATIO)
    assert repeated == approximate_randomization(WORSE, runs[1], RATIO)


def test_one_run_is_paired_with_each_of_several() -> None:
    """None of the others is dropped: the same as over all their sentences, by all exchanges."""
    alone, several = np.concatenate([WORSE] * 2), np.concatenate([BETTER, WORSE[::-1]])
    runs = np.stack([BETTER, WORSE[::-1]])
    expected = naive.randomization(alone.tolist(), several.tolist(), ratio)
    test = approximate_randomization(WORSE, runs, RATIO)
    assert test == approximate_randomization(alone, several, RATIO)
    assert test.difference == pytest.approx(100 * (13 + 9) / 50 - 36)
    assert test.p_value == pytest.approx(expected, abs=error_of(expected, 10000))
    turned = approximate_randomization(runs, WORSE, RATIO)
    assert (turned.difference, turned.p_value) == (-test.difference, test.p_value)


def test_runs_that_are_all_the_same_count_once() -> None:
    """Those of an optimizer that draws no random numbers tell no more than one of them."""
    once = approximate_randomization(WORSE, BETTER, RATIO)
    assert once == approximate_randomization(WORSE, np.stack([BETTER] * 5), RATIO)
    assert once == approximate_randomization(np.stack([WORSE] * 5), np.stack([BETTER] * 5), RATIO)


def test_runs_are_drawn_together_by_bootstrap() -> None:
    """Repeating a run changes nothing: it is no further evidence."""
    expected = paired_bootstrap(WORSE, BETTER, RATIO)
    assert expected == paired_bootstrap(np.stack([WORSE] * 3), np.stack([BETTER] * 2), RATIO)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])
def test_equal_systems(test: Callable[..., naive.Score]) -> None:
    outcome = test(WORSE, WORSE, RATIO, trials=99)
    assert (outcome.difference, outcome.p_value) == (0.0, 1.0)


def test_equal_systems_win_half() -> None:
    assert paired_bootstrap(WORSE, WORSE, RATIO).wins == 0.5


def test_lower_error_rates_win() -> None:
    higher = paired_bootstrap(WORSE, BETTER, RATIO)
    lower = paired_bootstrap(WORSE, BETTER, ERRORS)
    assert higher.wins > 0.9
    assert lower.wins == pytest.approx(1 - higher.wins)
    assert (higher.difference, higher.p_value) == (lower.difference, lower.p_value)


def test_clear_differences_have_the_smallest_p() -> None:
    rng = np.random.default_rng(3)
    worse = np.stack([rng.integers(0, 4, 60), np.full(60, 9)], 1).astype(float)
    better = worse + np.array([4, 0])
    for test in (paired_bootstrap, approximate_randomization):
        assert test(worse, better, RATIO, trials=199).p_value == 1 / 200


def equal_systems(rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Two systems that are equally good, by 80 sentences."""
    first, second = np.stack([rng.uniform(size=(2, 80)), np.ones((2, 80))], 2)
    return first, second


@pytest.mark.parametrize(
    ("test", "lowest", "highest"),
    [
        (approximate_randomization, 0.035, 0.065),
        (paired_bootstrap, 0.035, 0.065),
        (partial(paired_bootstrap, kind="sacrebleu"), 0.09, 0.14),
    ],
)
def test_how_often_equal_systems_are_told_apart(
    test: Callable[..., naive.Score], lowest: float, highest: float
) -> None:
    """At 0.05 one comparison in twenty, as it should be; by sacrebleu's formula two."""
    rng = np.random.default_rng(5)
    rejected = [
        test(*equal_systems(rng), RATIO, trials=199, seed=seed).p_value <= 0.05
        for seed in range(1500)
    ]
    assert lowest < np.mean(rejected) < highest


@given(
    arrays(np.float64, (2, 7), elements=st.integers(0, 9)),
    st.integers(0, 99),
    st.sampled_from([1, 7, 18, 19, 39, 200]),
)
@settings(max_examples=60)
def test_interval_and_p_value_say_the_same(scores: Floats, seed: int, trials: int) -> None:
    first, second = np.stack([scores, np.full_like(scores, 10)], 2)
    found = paired_bootstrap(first, second, RATIO, trials=trials, seed=seed)
    low, high = found.interval
    assert low <= found.difference <= high
    if found.p_value <= LEVEL:
        assert low > 0 or high < 0
    else:  # as always with fewer than 19 trials
        assert low <= 1e-6
        assert high >= -1e-6


@pytest.mark.parametrize(
    ("p_values", "expected"),
    [
        ((0.05, 0.01), ("better", "worse")),
        ((0.06, 0.01), ("unclear", "unclear")),
        ((0.06, 0.9), ("not significant", "not significant")),
        ((0.01,), ("better", "worse")),
    ],
)
def test_what_tests_say_together(p_values: tuple[float, ...], expected: tuple[str, str]) -> None:
    tests = [RandomizationTest(0.4, p_value) for p_value in p_values]
    assert (verdict(tests, RATIO), verdict(tests, ERRORS)) == expected


def test_threads_and_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.tune.metrics.resampling._BLOCK", 60)  # 10 trials at a time
    scores = score_system(WORSE, RATIO, trials=95)
    assert scores == score_system(WORSE, RATIO, trials=95, threads=3)
    for test in (paired_bootstrap, approximate_randomization):
        alone = test(WORSE, BETTER, RATIO, trials=95)
        assert alone == test(WORSE, BETTER, RATIO, trials=95, threads=3)
        assert alone == test(WORSE, BETTER, RATIO, trials=95)
        many = {test(WORSE, BETTER, RATIO, trials=95, seed=seed).p_value for seed in range(5)}
        assert len(many) > 1


@pytest.mark.parametrize(
    ("draws", "blocks"),
    [
        (60, [10] * 9 + [5]), (65, [10] * 9 + [5]), (570, [95]), (569, [94, 1]), (6, [1] * 95),
        (5, [1] * 95), (1 << 20, [95]),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    ("test", "kernel"),
    [(paired_bootstrap, resampled_sums), (approximate_randomization, exchanged_sums)],
)
def test_so_many_random_numbers_at_a_time(
    draws: int, blocks: list[int], test: Callable[..., object], kernel: Callable[..., None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """A trial draws one for each of the six sentences."""
    found = []

    def noted(statistics: Floats, drawn: NDArray[np.integer], sums: Floats) -> None:
        assert len(drawn) == len(sums)
        found.append(len(sums))
        kernel(statistics, drawn, sums)

    monkeypatch.setattr("isogloss.tune.metrics.resampling._BLOCK", draws)
    monkeypatch.setattr(f"isogloss.tune.metrics.resampling.{kernel.__name__}", noted)
    test(WORSE, BETTER, RATIO, trials=95)
    assert blocks == found


def outputs(seed: int, change: float) -> list[str]:
    """A text of 120 sentences with some words changed."""
    rng = np.random.default_rng(7)
    noise = np.random.default_rng(seed)
    lines = []
    for _ in range(120):
        words = rng.integers(30, size=rng.integers(6, 20))
        changed = np.where(noise.random(len(words)) < change, 99, words)
        lines.append(" ".join(map(str, changed.tolist())))
    return lines


@pytest.mark.parametrize("change", [0.2, 0.215])
def test_agrees_with_sacrebleu(change: float, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = {"baseline": outputs(1, 0.2), "system": outputs(2, change)}
    references = outputs(0, 0.0)
    own = References.from_texts([[line] for line in references])
    statistics = [
        Bleu().statistics(lists_of([[line] for line in lines]), own) for lines in texts.values()
    ]
    found = {
        "bs": paired_bootstrap(*statistics, Bleu(), kind="sacrebleu", trials=1000),
        "ar": approximate_randomization(*statistics, Bleu(), trials=1000),
    }
    scores = [score_system(one, Bleu(), trials=1000) for one in statistics]
    for kind, own_test in found.items():
        metrics = {"BLEU": BLEU(tokenize="none", force=True)}
        test = PairedTest(
            list(texts.items()), metrics, [references], test_type=kind, n_samples=1000
        )
        first, second = test()[1]["BLEU"]
        assert own_test.difference == pytest.approx(second.score - first.score, abs=1e-9)
        error = 2**0.5 * error_of(second.p_value, 1000)
        assert own_test.p_value == pytest.approx(second.p_value, abs=error)
        if kind == "bs":
            for one, score in zip((first, second), scores, strict=True):
                assert score.mean == pytest.approx(one.score, abs=1e-9)
                half = (score.interval[1] - score.interval[0]) / 2
                assert half == pytest.approx(one.ci, rel=0.15)
                assert sum(score.interval) / 2 == pytest.approx(one.mean, abs=one.ci / 3)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (
            WORSE,
            BETTER[:5],
            "a system has 2 statistics for each of 5 sentences; expected 2 for each of 6",
        ),
        (WORSE, np.zeros((6, 3)), "a system has 3 statistics for each of 6 sentences; expected 2"),
        (WORSE[:0], BETTER[:0], "a system has no sentences; expected at least one sentence"),
        (WORSE, np.where(BETTER == 4, np.nan, BETTER), "the statistics are not finite"),
        (WORSE, BETTER * np.nan, "the statistics are not finite; expected finite numbers"),
    ],
)
@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])
def test_bad_statistics(test: Callable[..., object], first: Floats, second: Floats,
                        message: str) -> None:  # fmt: skip
    with pytest.raises(DataError, match=message):
        test(first, second, RATIO)


def test_other_numbers_of_runs() -> None:
    with pytest.raises(
        DataError, match="a system has 3 runs; expected 1 or 2, as many as the baseline"
    ):
        approximate_randomization(np.stack([WORSE] * 2), np.stack([BETTER] * 3), RATIO)


@pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])
def test_no_trial(test: Callable[..., object]) -> None:
    with pytest.raises(UsageError, match="trials must be between 1 and 10000000, got 0"):
        test(WORSE, BETTER, RATIO, trials=0)


@pytest.mark.parametrize(
    ("trials", "half"),
    [(1, 9.0), (18, 18.0), (19, 19.0), (38, 38.0), (39, 38.0), (58, 57.0), (59, 57.0), (99, 95.0)],
)
def test_the_interval_ends_at_the_largest_deviation_that_is_rejected(
    trials: int, half: float
) -> None:
    """A twentieth of all resamples and the one observed; none of fewer than 19."""
    deviations = np.random.default_rng(trials).permutation(np.arange(1.0, trials + 1))
    observed = 9.0 if trials == 1 else 0.5
    found = significance._interval_around(observed, deviations)
    assert found == (observed - half, observed + half)
