"""Significance of phrase pairs: string search for sentences, exact fractions for the tail."""

import math
from collections.abc import Sequence
from fractions import Fraction

Words = Sequence[str]


def sentences_with(phrase: Words, text: Sequence[Words]) -> set[int]:
    """Numbers of the sentences that hold the phrase; words hold no blank."""
    sought = f" {' '.join(phrase)} "
    return {number for number, words in enumerate(text) if sought in f" {' '.join(words)} "}


def counts(f: Words, e: Words, source: Sequence[Words], target: Sequence[Words]) -> list[int]:
    """C(f), C(e), C(f, e)."""
    left, right = sentences_with(f, source), sentences_with(e, target)
    return [len(left), len(right), len(left & right)]


def tail(both: int, f: int, e: int, pairs: int) -> Fraction:
    """P(X >= both): of all ways to choose e pairs, those with so many of the f."""
    ways = sum(
        math.comb(f, k) * math.comb(pairs - f, e - k)
        for k in range(both, min(f, e) + 1)
        if e - k <= pairs - f
    )
    return Fraction(ways, math.comb(pairs, e))


def negative_log(p: Fraction) -> float:
    """-log p; the logarithm of a whole number of any size is exact to the last digits."""
    if p > Fraction(1, 2):
        return -math.log1p(-float(1 - p))
    return math.log(p.denominator) - math.log(p.numerator)
