"""Features that keep their initial weights."""

import pytest

from isogloss.align.errors import UsageError
from isogloss.tune.online.options import OnlineOptions
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions
from isogloss.tune.optimizers.mert import MertOptions
from isogloss.tune.weights.fixed import fixed_features


def test_prefixes() -> None:
    assert fixed_features(["am", "lm", "a=1"], ["a"]).tolist() == [True, False, True]
    assert fixed_features(["am", "a=1"], ["a=1"]).tolist() == [False, True]


def test_what_is_no_prefix() -> None:
    with pytest.raises(
        UsageError,
        match=r"fixed must be prefixes of feature names without values, which are set by "
        r"`initial_weights=\.\.\.`, got 'am=1'",
    ):
        fixed_features(["am", "lm"], ["am=1"])
    with pytest.raises(UsageError, match="`fixed=x` matches no feature; the features are am, lm"):
        fixed_features(["am", "lm"], ["x"])


def test_one_name_is_one_prefix() -> None:
    assert MertOptions(fixed="am").fixed == ("am",)  # type: ignore[arg-type]
    assert OnlineOptions(fixed="am").fixed == ("am",)  # type: ignore[arg-type]
    exact = LpMertOptions(tied="am", search="exact")  # type: ignore[arg-type]
    assert exact.tied == ("am",)
