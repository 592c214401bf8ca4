"""The learner of bins and crosses that trees are compared with."""

import importlib
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

FOLDER = Path(__file__).parents[3] / "benchmarks"


@pytest.fixture
def learner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("binned_links")


def test_a_planted_rule_of_two_features_needs_crosses(learner: ModuleType) -> None:
    features = np.random.default_rng(1).random((1500, 37)).astype(np.float32)
    is_link = (features[:, 2] > 0.5) ^ (features[:, 8] > 0.5)
    shares = {}
    for crosses in ("none", "posteriors"):
        links = learner.binned_learner(crosses)(features, is_link)
        shares[crosses] = float(((links.odds(features) > 0.0) == is_link).mean())
        mapped = links.mapped(2.0, 1.0).mapped(0.5, -1.0)
        assert mapped.odds(features) == pytest.approx(links.odds(features) - 0.5)
        assert links.chances(features).max() <= 1.0
        links.check(37)
        with pytest.raises(ValueError, match="the bins are of other features"):
            links.check(54)
    assert shares["none"] < 0.75
    assert shares["posteriors"] > 0.95
