"""Learning curves of planted error rates: figures, intervals, and what is said of them."""

import numpy as np
import pytest

from isogloss.align.links.classifier.learning_curve import (
    CurvePoint,
    JudgedSentences,
    LearningCurve,
    learning_curve,
)

SIZES = (20, 50, 100, 200)
SENTENCES, LINKS = 400, 25  # links of each sentence


def planted(floor: float, rise: float, seed: int = 1) -> list[JudgedSentences]:
    """Sentences with an AER of floor + rise n^-1/2: as many links as gold ones, so many wrong.

    A sentence that is hard for one classifier is hard for all.
    """
    rng = np.random.default_rng(seed)
    hard = np.sort(rng.random((SENTENCES, LINKS)), axis=1)
    judged = []
    for size in SIZES:
        right = (hard > floor + rise * size**-0.5).sum(axis=1)
        all_links = np.full(SENTENCES, LINKS)
        judged.append(JudgedSentences(size, np.stack([all_links, 2 * right, all_links], axis=1)))
    return judged


def test_points_are_those_of_enumeration() -> None:
    judged = planted(0.1, 0.3)
    curve = learning_curve(judged, 250)
    assert [point.sentences for point in curve.points] == [20, 50, 100, 250]
    for each, point in zip(judged, curve.points, strict=True):
        chosen, right, sure = each.counts.sum(axis=0)
        assert point.aer == pytest.approx(1 - right / (chosen + sure))
        one = 1 - each.counts[:, 1] / (2 * LINKS)  # all sentences have as many links
        spread = one.std() / SENTENCES**0.5
        expected = point.aer - 1.96 * spread, point.aer + 1.96 * spread
        assert (point.low, point.high) == pytest.approx(expected, abs=0.2 * spread)


@pytest.mark.parametrize("seed", range(5))
def test_the_gain_that_was_planted(seed: int) -> None:
    rise = 0.6
    curve = learning_curve(planted(0.1, rise, seed), 250)
    assert curve.gain is not None
    gain, low, high = curve.gain
    expected = rise * (200**-0.5 - 400**-0.5)
    assert gain == pytest.approx(expected, abs=0.002)
    assert low < expected < high
    before, after = curve.points[-1].aer, curve.points[-1].aer - gain
    assert curve.outlook() == (
        f"more gold sentences would still help: AER {before:.2%} -> about {after:.1%} with twice "
        "as many"
    )


def test_nothing_to_gain() -> None:
    curve = learning_curve(planted(0.1, 0.0), 250)
    assert curve.gain == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    assert "would hardly help: AER 1" in curve.outlook()


def test_the_same_for_the_same_sentences() -> None:
    assert learning_curve(planted(0.1, 0.4), 250) == learning_curve(planted(0.1, 0.4), 250)


@pytest.mark.parametrize(
    ("gain", "outlook"),
    [
        ((0.01, 0.004, 0.016), "would still help: AER 20.00% -> about 19.0% with twice as many"),
        ((0.01, -0.004, 0.02), "may help: AER 20.00% -> about 19.0% with twice as many"),
        ((0.003, 0.001, 0.0035), "would hardly help: AER 20.00% -> about 19.7% with twice as many"),
        ((-0.01, -0.02, 0.004), "would hardly help: AER 20.00% -> about 20.0% with twice as many"),
        ((-0.01, -0.02, 0.01), "may help: AER 20.00% -> about 20.0% with twice as many"),
    ],
)
def test_what_is_said_of_a_gain(gain: tuple[float, float, float], outlook: str) -> None:
    curve = LearningCurve((CurvePoint(50, 0.2, 0.18, 0.22),), gain)
    assert curve.outlook() == f"more gold sentences {outlook}"


def test_too_few_sentences_to_tell() -> None:
    (last,) = planted(0.1, 0.3)[-1:]
    curve = learning_curve([last], 10)
    assert curve.gain is None
    assert curve.outlook() == "10 gold sentences don't tell how much more of them would help"
