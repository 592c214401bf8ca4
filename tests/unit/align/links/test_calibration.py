"""Confidences of links from posteriors."""

import math

import numpy as np
import pytest

from isogloss.align import AlignerOptions, UsageError, train
from isogloss.align.links.calibration import AGREED, APART, LinkCalibration, log_odds
from tests.naive.alignment import random_bitext

GRID = np.array([1e-30, 1e-7, 1e-6, 1e-3, 0.1, 0.5, 0.9, 0.999, 1.0 - 1e-6, 1.0])


def test_confidence_by_hand():
    """sqrt(0.9 * 0.4) = 0.6, odds of 1.5; squared, and times three."""
    found = LinkCalibration(slope=2.0, offset=math.log(3.0)).confidence(
        np.array([0.9, 0.4, 0.5]), np.array([0.4, 0.9, 0.5])
    )
    np.testing.assert_allclose(found, [6.75 / 7.75, 6.75 / 7.75, 0.75], rtol=1e-6)
    assert found.dtype == np.float32


def test_nothing_is_changed_by_a_slope_of_1():
    both = np.linspace(0.01, 0.99, 99, dtype=np.float32)
    np.testing.assert_allclose(LinkCalibration(1.0, 0.0).confidence(both, both), both, rtol=1e-6)


@pytest.mark.parametrize("calibration", [AGREED, APART, LinkCalibration(1.0, -3.0)])
@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_confidence_rises_with_either_posterior(calibration, kind):
    forward, reverse = np.meshgrid(GRID.astype(kind), GRID.astype(kind), indexing="ij")
    found = calibration.confidence(forward, reverse)
    np.testing.assert_array_equal(found, found.T)
    assert (np.diff(found, axis=0) >= 0.0).all()
    assert (np.diff(found[3:8, 3:8], axis=0) > 0.0).all()


@pytest.mark.parametrize("slope", [1e-3, 0.5, 1.0, 30.0])
@pytest.mark.parametrize("offset", [-50.0, 0.0, 50.0])
def test_nothing_is_certain(slope, offset):
    posterior = np.array([0.0, *GRID, 1.0 + 1e-7])  # sums in float32 can exceed 1
    found = LinkCalibration(slope, offset).confidence(posterior, posterior)
    assert (found > 0.0).all()
    assert (found < 1.0).all()


def test_log_odds_of_certainty_are_finite():
    found = log_odds(np.array([0.0, 0.25, 0.5, 1.0], np.float32))
    limit = math.log(1e6 - 1)
    np.testing.assert_allclose(found, [-limit, -math.log(3.0), 0.0, limit], rtol=1e-9)
    assert found.dtype == np.float64


def test_no_links():
    none = np.zeros(0, np.float32)
    assert AGREED.confidence(none, none).shape == (0,)


def test_posteriors_of_a_model_are_taken_as_they_come():
    bitext = random_bitext(np.random.default_rng(2), [(3, 4), (2, 0), (4, 3)] * 4)
    model = train(bitext, options=AlignerOptions(hmm_iterations=2))
    cells, values = model.link_posteriors(bitext)
    found = AGREED.confidence(*values)
    assert found.shape == cells.pair_ids.shape
    wanted = [
        1 / (1 + math.exp(-AGREED.offset) * (1 / math.sqrt(p * q) - 1) ** AGREED.slope)
        for p, q in values.T.astype(float).clip(1e-4, 1 - 1e-4)
    ]
    inner = (values > 1e-4).all(0) & (values < 1 - 1e-4).all(0)
    assert inner.sum() > 20
    np.testing.assert_allclose(found[inner], np.array(wanted)[inner], rtol=1e-4)


@pytest.mark.parametrize("slope", [0.0, -1.0, math.inf, math.nan])
def test_a_slope_that_does_not_rise(slope):
    with pytest.raises(UsageError, match=r"slope must be above 0, got .*"):
        LinkCalibration(slope, 0.0)


@pytest.mark.parametrize("offset", [math.inf, -math.inf, math.nan])
def test_an_offset_that_is_no_number(offset):
    with pytest.raises(UsageError, match=r"offset must be a finite number, got .*(inf|nan)"):
        LinkCalibration(1.0, offset)
