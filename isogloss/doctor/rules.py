"""What a rule of the doctor says: a level, what was seen and what to do about it."""

from typing import NamedTuple

from .survey import Tally

__all__ = ["MANY", "SHOWN_LINES", "Rule", "rule"]

MANY = 0.05  # share of pairs from which on a note becomes a warning
SHOWN_LINES = 5


class Rule(NamedTuple):
    """One thing that looks wrong.

    name: short, the same in every text; level: "warning" or "note"
    text: what was seen; remedy: what to do
    places: how many have it, lines or links; lines: numbers of the lines, the first MOST_LINES
    """

    name: str
    level: str
    text: str
    remedy: str
    places: int = 0
    lines: tuple[int, ...] = ()


def rule(name: str, level: str, text: str, remedy: str, tally: Tally | None = None) -> Rule:
    """A rule with the lines of a tally."""
    seen = tally or Tally()
    return Rule(name, level, text, remedy, seen.lines, tuple(seen.first))
