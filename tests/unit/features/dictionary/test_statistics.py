"""Specificity, confidence and cohesion: known values, twins, bounds."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.features.dictionary.confidence import COUNTED, SCORED, lower_bound, mutual_strength
from isogloss.features.dictionary.specificity import log_likelihood_ratio, specificity
from tests.naive import dictionary as naive

COUNT = st.one_of(st.integers(0, 50).map(float), st.floats(0.0, 1e6))
SIZE = st.floats(1e6, 1e9)


def one(value: float) -> np.ndarray:
    return np.array([value])


@given(COUNT, COUNT, SIZE, SIZE)
def test_log_likelihood_ratio(a: float, b: float, size_a: float, size_b: float) -> None:
    found = log_likelihood_ratio(one(a), one(b), size_a, size_b)[0]
    if a + b > 1e-9:
        expected = naive.log_likelihood_ratio(a, b, size_a, size_b)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-6 * (1.0 + a + b))
    assert np.isfinite(found)


def test_values_by_hand() -> None:
    # 20 in 1,000 words against 10 in 4,000: E = 6 and 24
    expected = 2 * (20 * math.log(20 / 6) + 10 * math.log(10 / 24))
    assert log_likelihood_ratio(one(20), one(10), 1000, 4000)[0] == pytest.approx(expected)
    assert log_likelihood_ratio(one(10), one(20), 4000, 1000)[0] == pytest.approx(-expected)
    # odds 20.5 / 980.5 and 10.5 / 3990.5
    odds = math.log(20.5 / 980.5) - math.log(10.5 / 3990.5)
    error = math.sqrt(1 / 20.5 + 1 / 980.5 + 1 / 10.5 + 1 / 3990.5)
    expected = (odds - 1.96 * error) / math.log(2)
    assert specificity(one(20), one(10), 1000, 4000)[0] == pytest.approx(expected)


def test_nothing_is_special_without_a_rest() -> None:
    for function in (specificity, log_likelihood_ratio):
        assert function(np.array([3.0, 0.0]), np.zeros(2), 100.0, 0.0).tolist() == [0.0, 0.0]


def test_more_evidence_is_more_special() -> None:
    values = specificity(np.array([3.0, 30.0, 300.0]), np.zeros(3), 1e5, 1e5)
    assert (np.diff(values) > 2.0).all()
    frequent = specificity(one(24_000), one(12_000), 1e6, 1e6)[0]
    assert 0.9 < frequent < 1.0  # twice as often, and surely so
    assert specificity(one(300), one(3), 1e6, 1e6)[0] > frequent


def test_lower_bounds() -> None:
    found = lower_bound(np.array([1.0, 95.0, 0.0, 0.0]), np.array([1.0, 100.0, 5.0, 0.0]))
    assert found == pytest.approx([0.2065, 0.8882, 0.0, 0.0], abs=1e-4)
    assert mutual_strength(one(1), one(1), one(1))[0] == pytest.approx(0.2065, abs=1e-4)


@given(st.floats(0.0, 1.0), st.integers(1, 1000), st.integers(0, 1000), st.integers(0, 1000))
def test_confidences_are_probabilities(sure: float, count: int, more: int, others: int) -> None:
    columns = one(count), one(count + more), one(count + others)
    for calibration in (SCORED, COUNTED):
        assert 0.0 < calibration.confidence(one(sure), *columns)[0] < 1.0
        certain = calibration.confidence(np.array([0.2, 0.9]), *(np.repeat(c, 2) for c in columns))
        assert certain[1] >= certain[0]


def test_one_of_one_is_not_as_sure_as_many() -> None:
    counts, sides = np.array([1.0, 95.0]), np.array([1.0, 100.0])
    found = SCORED.confidence(np.array([0.99, 0.95]), counts, sides, sides)
    assert found[0] < 0.85 < 0.95 < found[1]
    found = COUNTED.confidence(np.ones(2), counts, sides, sides)
    assert found[0] < found[1]
