"""Options out of their type, and the words and places of errors."""

import math
import pickle
from dataclasses import dataclass, replace

import numpy as np
import pytest

from isogloss.align.errors import (
    DataError,
    OptionError,
    UsageError,
    check_types,
    did_you_mean,
    pluralize,
)
from isogloss.align.model.parameters import AlignerOptions
from isogloss.tune.decoder.model import DecoderSettings
from isogloss.tune.online.options import OnlineOptions
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions
from isogloss.tune.optimizers.mert import MertOptions
from isogloss.tune.optimizers.minimum_risk import MinimumRiskOptions
from isogloss.tune.optimizers.mira import MiraOptions
from isogloss.tune.optimizers.pro import ProOptions


@pytest.mark.parametrize(
    ("name", "question"),
    [
        ("LMO", "did you mean LM0?"),
        ("wordpenalty", "did you mean WordPenalty0?"),
        ("lm0", "did you mean LM0?"),
        ("Distortion", ""),
    ],
)
def test_the_names_most_like_one(name: str, question: str) -> None:
    assert question == did_you_mean(name, ["LM0", "PhrasePenalty0", "WordPenalty0"])


@dataclass(frozen=True)
class Options:
    number: int = 1
    value: float = 0.5
    name: str | None = None
    sure: bool = False
    names: tuple[str, ...] = ()


def test_what_is_of_its_type() -> None:
    check_types(Options())
    check_types(Options(np.int64(3), 1, "a", True, ("b",)))  # type: ignore[arg-type]
    check_types(Options(value=np.float32(0.5)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("field", "value", "expected"),
    [
        ("number", True, "number must be an integer up to 2147483647, got True"),
        ("number", 1.0, "number must be an integer up to 2147483647, got 1.0"),
        (
            "number",
            1 << 63,
            "number must be an integer up to 2147483647, got 9223372036854775808",
        ),
        ("value", math.inf, "value must be a finite number, got inf"),
        ("value", math.nan, "value must be a finite number, got nan"),
        ("value", "1", "value must be a finite number, got '1'"),
        ("value", None, "value must be a finite number, got None"),
        ("name", 1, "name must be a string or None, got 1"),
        ("sure", 1, "sure must be true or false, got 1"),
        ("names", ("a", 1), r"names must be a list, each item a string, got \('a', 1\)"),
        ("names", "ab", "names must be a list, each item a string, got 'ab'"),
    ],
)
def test_what_is_not(field: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"^{expected}$"):
        check_types(replace(Options(), **{field: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (AlignerOptions, "sparse_prior"), (AlignerOptions, "jump_window"),
        (DecoderSettings, "stack_size"), (DecoderSettings, "table_limit"),
        (OnlineOptions, "rate"), (LpMertOptions, "margin"),
        (MertOptions, "walk_size"), (MinimumRiskOptions, "inverse_temperature"), (MiraOptions, "c"),
        (ProOptions, "l2"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [math.inf, math.nan, "1", True])
def test_options_have_their_types(kind: type, field: str, value: object) -> None:
    with pytest.raises(
        UsageError, match=f"{field} must be (a finite number|an integer up to .*), got {value!r}"
    ):
        kind(**{field: value})


def test_an_option_by_another_name() -> None:
    """A command names it as it was typed; a worker may send the error to another process."""
    error = pickle.loads(pickle.dumps(OptionError("max_gap", "at least 0", -1)))
    assert str(error) == "max_gap must be at least 0, got -1"
    assert error.told("--max-gap") == "--max-gap must be at least 0, got -1"


def test_a_place_for_an_error() -> None:
    error = DataError("a", "b")
    assert "a; expected b" == str(error) == error.fault
    placed = error.placed("file", 7, "Mend it")
    assert "file, line 7: a; expected b. Mend it" == str(placed)
    assert "other, line 7: a; expected b. Mend it" == str(placed.placed("other", 8, "Not so"))


@pytest.mark.parametrize(
    ("number", "noun", "verb", "text"),
    [
        (1, "line", "", "1 line"),
        (0, "line", "", "0 lines"),
        (2, "entry", "", "2 entries"),
        (2, "key", "", "2 keys"),
        (3, "hypothesis", "is", "3 hypotheses are"),
        (1, "hypothesis", "is", "1 hypothesis is"),
        (2, "epoch", "", "2 epochs"),
        (2, "class", "has", "2 classes have"),
        (1, "match", "contains", "1 match contains"),
        (2, "match", "contains", "2 matches contain"),
    ],
)
def test_pluralize(number: int, noun: str, verb: str, text: str) -> None:
    assert pluralize(number, noun, verb) == text
