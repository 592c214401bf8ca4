"""Boosted trees: LightGBM's own answers, and what is refused of stored ones."""

import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.align.links.classifier.trees import Trees, learn_trees

lightgbm = pytest.importorskip("lightgbm", reason="learning links needs LightGBM")


def learned(size: int = 400) -> tuple[Trees, np.ndarray, np.ndarray]:
    """Trees of a planted rule."""
    rng = np.random.default_rng(0)
    features = rng.random((size, 5)).astype(np.float32)
    is_link = (features[:, 1] > 0.5) ^ (features[:, 3] > 0.3)
    return learn_trees(features, is_link), features, is_link


@pytest.mark.parametrize(("size", "share"), [(400, 0.95), (6000, 0.98)])
def test_a_planted_rule_is_found(size: int, share: float) -> None:
    trees, features, is_link = learned(size)  # of few rows with thresholds at random
    others = np.random.default_rng(1).random((1000, 5)).astype(np.float32)
    expected = (others[:, 1] > 0.5) ^ (others[:, 3] > 0.3)
    assert ((trees.chances(features) > 0.5) == is_link).mean() > share
    assert ((trees.chances(others) > 0.5) == expected).mean() > 0.93
    trees.check(5)


def test_chances_are_those_of_lightgbm(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Any] = []
    train = lightgbm.train
    monkeypatch.setattr(lightgbm, "train", lambda *given: kept.append(train(*given)) or kept[0])
    trees, features, _ = learned()
    for rows in (features, features[:0], features[:1], features[:33]):
        expected = kept[0].predict(rows) if len(rows) else np.zeros(0)
        np.testing.assert_allclose(trees.chances(rows), expected, rtol=1e-6)


def test_a_constant_class() -> None:
    features = np.random.default_rng(0).random((50, 3)).astype(np.float32)
    trees = learn_trees(features, np.ones(50, bool))
    assert (trees.chances(features) > 0.9).all()


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("value", lambda array: array[:-1], "the columns of the trees must have the same length"),
        ("depths", lambda array: array[:-1], "the columns of the trees must have the same length"),
        ("depths", lambda array: array + 10**6, "a tree cannot be deeper than it has nodes"),
        ("child", lambda array: array + 1, "the trees name a node that isn't there"),
        ("roots", lambda array: array + 10**6, "the trees name a node that isn't there"),
        ("column", lambda array: array + 5, "a node asks for a feature that is not one of 5"),
        ("value", lambda array: array * np.nan, "thresholds and values of trees must be numbers"),
        ("threshold", lambda array: array * np.nan, "thresholds and values of trees must be numb"),
    ],
)
def test_trees_that_do_not_fit(name: str, change: Any, message: str) -> None:
    trees, _, _ = learned(100)
    with pytest.raises(ValueError, match=message):
        replace(trees, **{name: change(getattr(trees, name))}).check(5)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    message = r"learning links needs LightGBM; run pip install isogloss\[learn\]"
    with pytest.raises(UsageError, match=message):
        learn_trees(np.zeros((1, 1), np.float32), np.ones(1, bool))
