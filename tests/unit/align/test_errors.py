"""Options out of their type, and the words and places of errors."""

import math
from dataclasses import dataclass, replace

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError, check_types
from isogloss.align.model.parameters import AlignerOptions
from isogloss.tune.decoder.model import DecoderSettings
from isogloss.tune.online.options import OnlineOptions
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions
from isogloss.tune.optimizers.mert import MertOptions
from isogloss.tune.optimizers.minimum_risk import MinimumRiskOptions
from isogloss.tune.optimizers.mira import MiraOptions
from isogloss.tune.optimizers.pro import ProOptions


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
        ("number", True, "number = True; expected a whole number, at most 2147483647"),
        ("number", 1.0, "number = 1.0; expected a whole number, at most 2147483647"),
        (
            "number",
            1 << 63,
            "number = 9223372036854775808; expected a whole number, at most 2147483647",
        ),
        ("value", math.inf, "value = inf; expected a finite number"),
        ("value", math.nan, "value = nan; expected a finite number"),
        ("value", "1", "value = '1'; expected a finite number"),
        ("value", None, "value = None; expected a finite number"),
        ("name", 1, "name = 1; expected text or nothing"),
        ("sure", 1, "sure = 1; expected true or false"),
        ("names", ("a", 1), r"names = \('a', 1\); expected a list, each text"),
        ("names", "ab", "names = 'ab'; expected a list, each text"),
    ],
)
def test_what_is_not(field: str, value: object, expected: str) -> None:
    with pytest.raises(UsageError, match=f"^{expected}$"):
        check_types(replace(Options(), **{field: value}))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kind", "field"),
    [
        (AlignerOptions, "sparse_prior"), (AlignerOptions, "window"),
        (DecoderSettings, "stack_size"), (DecoderSettings, "table_limit"),
        (OnlineOptions, "rate"), (LpMertOptions, "tolerance"),
        (MertOptions, "walk_size"), (MinimumRiskOptions, "scale"), (MiraOptions, "c"),
        (ProOptions, "l2"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("value", [math.inf, math.nan, "1", True])
def test_options_have_their_types(kind: type, field: str, value: object) -> None:
    with pytest.raises(UsageError, match=f"{field} = {value!r}; expected a (finite|whole) number"):
        kind(**{field: value})


def test_a_place_for_an_error() -> None:
    error = DataError("a", "b")
    assert "a; expected b" == str(error) == error.fault
    placed = error.placed("file", 7, "Mend it")
    assert "file, line 7: a; expected b. Mend it" == str(placed)
    assert "other, line 7: a; expected b. Mend it" == str(placed.placed("other", 8, "Not so"))
