"""What a rule of the doctor says: a level, what was seen and what to do about it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .survey import Tally

__all__ = ["MANY", "SHOWN_LINES", "Rule", "line_numbers", "rule"]

MANY = 0.05  # share of pairs from which on a note becomes a warning
SHOWN_LINES = 5


class Rule(NamedTuple):
    """One thing that looks wrong.

    level: "warning" or "note"; text: what was seen; remedy: what to do
    lines: numbers of the first ones
    """

    level: str
    text: str
    remedy: str
    lines: tuple[int, ...] = ()


def rule(level: str, text: str, remedy: str, tally: Tally | None = None) -> Rule:
    """A rule with the first lines of a tally."""
    return Rule(level, text, remedy, tuple(tally.first) if tally else ())


def line_numbers(rows: NDArray[np.int64]) -> tuple[int, ...]:
    """Line numbers, from 1, of the first ones. rows: int64[n], from 0"""
    return tuple((rows[:SHOWN_LINES] + 1).tolist())
