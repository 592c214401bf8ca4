"""Hypotheses and references that differ in casing throughout."""

from collections.abc import Iterable, Sequence
from itertools import islice

from isogloss.align.errors import warn

from .column import Column
from .error_rates import Ter
from .protocol import Metric

__all__ = ["capital_share", "sees_case", "warn_of_casing"]

_LEAST = 0.025  # share of words with a capital, as in text of any language that has them
_SHOWN = 10_000  # texts that are looked at


def sees_case(metric: Metric) -> bool:
    """Whether a metric compares texts, and counts words in another casing as wrong."""
    if isinstance(metric, Ter):
        return metric.case_sensitive
    return not isinstance(metric, Column)


def capital_share(texts: Iterable[str]) -> float:
    """Share of the words of texts that have a capital letter, of the first texts of very many."""
    words = [word for text in islice(texts, _SHOWN) for word in text.split()]
    return sum(word != word.lower() for word in words) / max(len(words), 1)


def warn_of_casing(
    hypotheses: Sequence[str], references: Sequence[str], names: tuple[str, str]
) -> None:
    """Warn (DataWarning) if only one of the sides has capital letters.

    names: what hypotheses and references are called
    """
    shares = capital_share(hypotheses), capital_share(references)
    if min(shares) > 0.0 or max(shares) < _LEAST:
        return
    lower, cased = names if shares[0] == 0.0 else names[::-1]
    warn(
        f"{lower} has no capital letters, but {100 * max(shares):.0f}% of the words in {cased} "
        "contain some. Words that differ in casing count as errors; pass `lowercase=True` to "
        "ignore case"
    )
