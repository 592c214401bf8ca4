"""How much a test tries: a sample by default, everything in the thorough tier.

python -m pytest -m thorough
"""

from collections.abc import Iterable
from typing import TypeVar

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

__all__ = ["examples", "sampled", "tiers"]

_Amount = TypeVar("_Amount")


def tiers(sample: _Amount, everything: _Amount) -> list[ParameterSet]:
    """Values of a parameter of a test: the one of every run, and that of the thorough tier."""
    return [
        pytest.param(sample, id="sample"),
        pytest.param(everything, id="everything", marks=pytest.mark.thorough),
    ]


def sampled(values: Iterable[_Amount], step: int) -> list[ParameterSet]:
    """Values of a parameter of a test: each ``step``-th one of every run, the others thorough."""
    return [
        pytest.param(value, marks=pytest.mark.thorough if number % step else ())
        for number, value in enumerate(values)
    ]


def examples(number: int) -> settings:
    """Settings of a random test that needs many examples; a tenth of them by default."""
    is_thorough = settings.get_current_profile_name() in ("thorough", "fresh", "shrink")
    return settings(max_examples=number if is_thorough else number // 10)
