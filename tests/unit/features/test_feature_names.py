"""Features told by how their names begin."""

import numpy as np
import pytest

from isogloss.align.errors import UsageError
from isogloss.features.feature_names import whole_name, with_prefix
from isogloss.features.space import FeatureSpace
from isogloss.tune.online.options import OnlineOptions
from isogloss.tune.optimizers.mert import MertOptions, tune_mert
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import random_examples

NAMES = ("LM0", "LM1", "TM0", "PT_a~b")


def test_features_with_one_of_several_prefixes() -> None:
    assert [True, True, False, True] == with_prefix(NAMES, ["LM", "PT_"], "fixed").tolist()
    assert [False] * 4 == with_prefix(NAMES, [], "fixed").tolist()


def test_a_whole_name_is_no_prefix() -> None:
    names = ["p(f|e)", "p(f|e).law", "PT_a"]
    assert [True, False, False] == with_prefix(names, [whole_name("p(f|e)")], "fixed").tolist()
    assert [True, True, False] == with_prefix(names, ["p(f|e)"], "fixed").tolist()
    with pytest.raises(UsageError, match="`fixed=PT` matches no feature; the features are"):
        with_prefix(names, [whole_name("PT")], "fixed")


def test_a_prefix_that_fits_nothing() -> None:
    with pytest.raises(UsageError, match="`fixed=lm` matches no feature; the features are LM0,"):
        with_prefix(NAMES, ["LM", "lm"], "fixed")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fixed": ("x",)}, "`fixed=x` matches no feature; the features are LM0, LM1, TM0,"),
        ({"group_rate": ("LM=1", "x=1")}, "`group_rate=x` matches no feature; the features are"),
        ({"group_l1": ("x=1",)}, "`group_l1=x` matches no feature; the features are LM0, LM1,"),
    ],
)
def test_of_online_options(options: dict[str, tuple[str, ...]], message: str) -> None:
    own = OnlineOptions(**options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=message):
        (own.rates(FeatureSpace(NAMES)), own.lambdas(FeatureSpace(NAMES)))


@pytest.mark.parametrize("name", ["fixed", "positive", "ranges"])
def test_of_mert(name: str) -> None:
    options = MertOptions(**{name: ("x=0..1" if name == "ranges" else "x",)})  # type: ignore[arg-type]
    rng = np.random.default_rng(1)
    examples = random_examples(rng, 3, 3, 2)
    with pytest.raises(UsageError, match=f"`{name}=x` matches no feature; the features are F0, F1"):
        tune_mert(examples, Weights.zeros(examples.space), options, rng)
