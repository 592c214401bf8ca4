"""Significance tests at their edges: few trials, rounding, defaults, ends of intervals."""

import numpy as np
import pytest

from isogloss.tune import paired_bootstrap, significance
from isogloss.tune.significance import approximate_randomization, score_system
from tests.unit.tune.test_significance import RATIO, WORSE


def test_small_differences_win() -> None:
    assert paired_bootstrap(WORSE, WORSE + np.array([1e-3, 0.0]), RATIO).wins == 1.0


def test_few_trials() -> None:
    assert score_system(WORSE, RATIO, trials=1).sampling_deviation == 0.0
    assert score_system(WORSE, RATIO, trials=2).sampling_deviation > 0.0


def test_the_interval_leaves_out_a_fortieth_on_each_side() -> None:
    assert significance._interval(np.arange(80.0)[::-1]) == (2.0, 77.0)
    assert significance._interval(np.arange(39.0)) == (0.0, 38.0)


def test_numbers_of_trials_by_default() -> None:
    assert score_system(WORSE, RATIO) == score_system(WORSE, RATIO, trials=1000)
    assert score_system(WORSE, RATIO) != score_system(WORSE, RATIO, trials=999)
    better = WORSE + np.array([400.0, 0.0])
    assert paired_bootstrap(WORSE, better, RATIO) == paired_bootstrap(
        WORSE, better, RATIO, trials=1000
    )
    assert approximate_randomization(WORSE, better, RATIO) == approximate_randomization(
        WORSE, better, RATIO, trials=10_000
    )


@pytest.mark.parametrize(("observed", "least"), [(0.5, 1e-9), (1.0, 1e-9), (40.0, 40e-9)])
def test_what_counts_as_rounding(observed: float, least: float) -> None:
    """1e-9, of larger differences relative to them."""
    differences = observed - least * np.array([0.9, 1.1])
    assert significance._p_value(differences, observed) == 2 / 3
