"""Counts of domain labels, whatever is wrong with them; ``read_labels`` is strict."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from .survey import Tally

__all__ = ["LabelCounts", "count_labels"]


@dataclass(frozen=True)
class LabelCounts:
    """domains: pairs by name, in alphabetical order; unlabeled: pairs with ``-``; lines: all;
    bad: lines that are no single name.
    """

    domains: dict[str, int]
    unlabeled: int
    lines: int
    bad: Tally


def count_labels(lines: Iterable[str]) -> LabelCounts:
    """Count labels, one domain name or ``-`` per line."""
    counts: Counter[str] = Counter()
    bad = Tally()
    number = 0
    for number, line in enumerate(lines, start=1):
        name = line.strip()
        if len(name.split()) == 1:
            counts[name] += 1
        else:
            bad.add([number])
    unlabeled = counts.pop("-", 0)
    return LabelCounts(dict(sorted(counts.items())), unlabeled, number, bad)
