"""Weights as programs give them: Weights, dicts, arrays."""

import pickle
import re
from copy import copy, deepcopy

import numpy as np
import pytest

from isogloss.align.errors import UsageError, WrongTypeError
from isogloss.features.space import FeatureSpace
from isogloss.tune.results import Epoch, TuningResult
from isogloss.tune.weights.given import given_weights, values_over
from isogloss.tune.weights.near_names import near_names
from isogloss.tune.weights.weights import Weights

SPACE = FeatureSpace(["LM0", "WordPenalty0", "PT_a_b", "PT_a_c"])
WEIGHTS = Weights(SPACE, np.array([0.5, -1.0, 0.0, 2.0]))
RESULT = TuningResult(WEIGHTS, 0, (Epoch(0, 0.0, 18.3, 1),))


def test_weights_are_a_mapping() -> None:
    assert dict(WEIGHTS) == {"LM0": 0.5, "WordPenalty0": -1.0, "PT_a_b": 0.0, "PT_a_c": 2.0}
    assert list(WEIGHTS.keys()) == list(WEIGHTS) == list(SPACE)
    assert Weights.from_dict(dict(WEIGHTS)) == WEIGHTS
    assert dict(LM1=1.0, **WEIGHTS)["WordPenalty0"] == -1.0


def test_weights_that_there_are_not() -> None:
    assert WEIGHTS["PT_x_y"] == 0.0  # sparse
    assert (WEIGHTS.get("LMO"), WEIGHTS.get("LMO", 3.0), WEIGHTS.get("LM0", 3.0)) == (0, 3, 0.5)
    for kind in (KeyError, UsageError):
        with pytest.raises(kind, match=r"^there is no weight 'LMO'; did you mean LM0\?$"):
            WEIGHTS["LMO"]
    with pytest.raises(WrongTypeError, match="the name of a feature must be a string, not 0"):
        WEIGHTS[0]  # type: ignore[index]


@pytest.mark.parametrize("again", [copy, deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_copies_are_equal(again) -> None:
    assert again(WEIGHTS) == WEIGHTS
    assert again(WEIGHTS) != Weights(SPACE, np.array([0.5, -1.0, 0.0, 3.0]))


@pytest.mark.parametrize(
    ("count", "sparse", "expected"),
    [
        (20, None, {"PT_a_c": 2.0, "WordPenalty0": -1.0, "LM0": 0.5}),
        (2, None, {"PT_a_c": 2.0, "WordPenalty0": -1.0}),
        (20, True, {"PT_a_c": 2.0}),
        (1, False, {"WordPenalty0": -1.0}),
    ],
)
def test_largest_weights(count: int, sparse: bool | None, expected: dict[str, float]) -> None:
    assert list(WEIGHTS.top(count, sparse=sparse).items()) == list(expected.items())


@pytest.mark.parametrize("count", [0, -1, 1.5, "3"])
def test_numbers_of_weights_that_are_none(count: object) -> None:
    with pytest.raises(UsageError, match=f"count must be a positive integer, got {count!r}"):
        WEIGHTS.top(count)  # type: ignore[arg-type]


def test_equal_magnitudes_come_in_the_order_of_the_space() -> None:
    weights = Weights.from_dict({"b": -1.0, "a": 1.0, "c": 1.0})
    assert list(weights.top(2)) == ["b", "a"]


def test_given_weights() -> None:
    assert given_weights(WEIGHTS, FeatureSpace(["x"]), FeatureSpace(["LM0"])) is WEIGHTS
    nothing = Weights.from_dict({})
    assert given_weights(nothing, SPACE) is nothing
    assert given_weights({"PT_a_b": 1, "LM0": np.float64(2)}, FeatureSpace(["x"]), SPACE) == (
        Weights.from_dict({"LM0": 2.0, "PT_a_b": 1.0})
    )
    assert values_over({"WordPenalty0": 3}, SPACE).tolist() == [0.0, 3.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("w.json", "not 'w.json'; use Weights.load('w.json')"),
        ([("LM0", 1.0)], "weights must be Weights or a dict of numbers by name, such as "),
        (0.5, "not 0.5"),
        (RESULT, "use its weights: result.weights"),
        ({"LM0": "1"}, "got {'LM0': '1'}"),
        ({"LM0": True}, "got {'LM0': True}"),
        ({0: 1.0}, "got {0: 1.0}"),
    ],
)
def test_what_are_no_weights(given: object, message: str) -> None:
    with pytest.raises(WrongTypeError, match=re.escape(message)):
        given_weights(given, SPACE)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"LM0": np.nan}, "weights must be finite, got {'LM0': nan}"),
        ({"LM": 1.0}, "there is no feature 'LM'; did you mean LM0?"),
        ({"lm0": 1.0}, "there is no feature 'lm0'; did you mean LM0?"),
        ({"PT_a_d": 1.0}, "there is no feature 'PT_a_d'; did you mean PT_a_c or PT_a_b?"),
        ({"zzz": 1.0}, "there is no feature 'zzz'; the features are LM0, WordPenalty0, ..."),
        (Weights.from_dict({"LMO": 1.0}), "there is no feature 'LMO'; did you mean LM0?"),
    ],
)
def test_dicts_that_do_not_fit(given: object, message: str) -> None:
    with pytest.raises(UsageError, match=re.escape(message)):
        given_weights(given, SPACE)


def test_near_names() -> None:
    space = FeatureSpace(["am", "lm"])
    assert near_names("zzz", [space, space]) == "the features are am, lm"
    assert near_names("zzz", [FeatureSpace(["am", "lm", "s_x"])]) == "the features are am, lm, ..."
    assert near_names("prm", [FeatureSpace(["scores.prm"])]) == "did you mean scores.prm?"


def test_near_names_of_no_feature() -> None:
    assert near_names("LM0", [FeatureSpace([])]) == "there are no features"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Weights.from_dict([1.0]), "weights must be a dict of numbers by name"),
        (lambda: Weights.from_dict({1: 1.0}), "the name of a weight must be a string, not 1"),
        (
            lambda: Weights({"LM0": 1.0}, np.ones(1)),
            "space must be a FeatureSpace, not .*from_dict",
        ),
    ],
)
def test_constructors_tell_other_types(call, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        call()


def test_a_repr_is_short() -> None:
    shown = repr(Weights.from_dict({f"PT_{'a' * 200}_{k}": 1.0 + k for k in range(30)}))
    assert len(shown) < 500
    assert "a..." in shown


def test_spaces_are_equal_by_their_names() -> None:
    assert FeatureSpace(list(SPACE)) == SPACE
    assert FeatureSpace(["LM0"]) != SPACE
    assert SPACE != list(SPACE)
    assert hash(FeatureSpace(list(SPACE))) == hash(SPACE)
