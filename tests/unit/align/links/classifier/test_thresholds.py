"""Chances that are probabilities, and the threshold for an aim, against enumeration."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, OptionError
from isogloss.align.links.classifier.thresholds import (
    Aim,
    JudgedCells,
    logistic_map,
    reliability,
)


def planted(seed: int, size: int = 20_000) -> JudgedCells:
    """Cells that are right with the probability that a slope of 2 and an offset of -1 tell."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0.0, 2.0, size)
    right = rng.random(size) < 1.0 / (1.0 + np.exp(1.0 - 2.0 * odds))
    sure = right & (rng.random(size) < 0.8)
    kind = np.where(sure, 1, 2 * right).astype(np.int8)
    return JudgedCells(odds, kind, int(sure.sum() * 1.25))


def scores(cells: JudgedCells, threshold: float) -> dict[str, float]:
    kind = cells.kind[cells.odds >= threshold]
    precision = (kind > 0).mean()
    recall = (kind == 1).sum() / cells.num_sure
    aer = 1.0 - ((kind == 1).sum() + (kind > 0).sum()) / (len(kind) + cells.num_sure)
    return {"aer": aer, "f1": 2 * precision * recall / (precision + recall), "precision": precision}


def test_the_logistic_map_that_was_planted() -> None:
    cells = planted(1)
    assert logistic_map(cells.odds, cells.kind > 0) == pytest.approx((2.0, -1.0), abs=0.1)


def test_a_map_of_cells_that_are_nearly_told_apart() -> None:
    odds = np.random.default_rng(7).normal(0.0, 12.0, 5000)
    holds = odds > 0.0
    holds[:3] = ~holds[:3]
    slope, offset = logistic_map(odds, holds)
    chances = 1.0 / (1.0 + np.exp(-np.clip(slope * odds + offset, -500, 500)))
    assert chances.sum() == pytest.approx(holds.sum(), abs=0.01)
    assert (chances * odds).sum() == pytest.approx((holds * odds).sum(), abs=0.02)


def test_a_map_of_cells_that_are_all_right_is_finite() -> None:
    slope, offset = logistic_map(np.array([3.0, 2.0, 1.0]), np.ones(3, bool))
    assert np.isfinite(slope)
    assert np.isfinite(offset)


@pytest.mark.parametrize("name", ["aer", "f1"])
@given(seed=st.integers(0, 50))
def test_the_best_threshold_is_that_of_enumeration(name: str, seed: int) -> None:
    cells = planted(seed)
    found = scores(cells, cells.threshold(Aim.parse(name)))[name]
    cuts = np.quantile(cells.odds, np.linspace(0.02, 0.98, 97))
    best = (min if name == "aer" else max)(scores(cells, cut)[name] for cut in cuts)
    assert found == pytest.approx(best, abs=0.004)


@pytest.mark.parametrize("precision", [0.6, 0.8, 0.95])
def test_as_many_links_as_have_a_precision(precision: float) -> None:
    cells = planted(2)
    threshold = cells.threshold(Aim.parse(f"precision={precision}"))
    assert scores(cells, threshold)["precision"] == pytest.approx(precision, abs=0.01)
    assert scores(cells, threshold - 0.3)["precision"] < precision


def test_a_precision_that_no_links_have() -> None:
    cells = planted(4)
    rng = np.random.default_rng(5)
    noise = cells._replace(kind=rng.permutation(cells.kind))
    with pytest.raises(
        DataError, match=r"have a precision of 0\.\d+; expected 0\.9, the aim\. Choose a lower"
    ):
        noise.threshold(Aim.parse("precision=0.9"))


@pytest.mark.parametrize("text", ["", "AER", "f1=1", "precision", "precision=1", "precision=x"])
def test_unknown_aims(text: str) -> None:
    with pytest.raises(OptionError, match=r"aim.*aer, f1 or precision=P with P between 0 and 1"):
        Aim.parse(text)


def test_reliability_of_chances() -> None:
    rng = np.random.default_rng(6)
    chances = rng.random(50_000)
    right = rng.random(50_000) < chances
    told = reliability(chances, right)
    assert told.brier == pytest.approx(1.0 / 6.0, abs=0.01)
    assert [number for _, _, number in told.rows] == [5000] * 10
    for chance, share, _ in told.rows:
        assert share == pytest.approx(chance, abs=0.03)
    assert reliability(np.array([0.25, 1.0]), np.array([False, True])) == (
        0.03125,
        ((0.25, 0.0, 1), (1.0, 1.0, 1)),
    )
