"""Discounted phrase probabilities: Good-Turing and Kneser-Ney (Foster, Kuhn & Johnson 2006).

The rules are those of Moses; docs/explanation/features.md says where they depart from the
paper. Everything here works on the rules of a block: what must be known of the whole table is in
CountsOfCounts, and in the totals and numbers of distinct rules that each rule's phrases have.

An estimator gives p(generated phrase | given phrase): for p(f|e) the target phrase e is the given
one, for p(e|f) the source phrase f. Its ``probability`` takes, of each rule,

    count: float[n], c(f, e)
    total: float[n], c(given phrase)
    types_given: float[n], number of rules that the given phrase is in
    types_generated: float[n], number of rules that the generated phrase is in

gives float[n], above 0 and at most 1, in the precision of these arrays, and raises DataError for a
count that is not above 0 or exceeds its total.
"""

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, OptionError, pluralize, warn

__all__ = [
    "CountsOfCounts",
    "GoodTuring",
    "KneserNey",
    "RelativeFrequency",
    "Smoothing",
    "parse_smoothing",
]

COUNTED = 10  # rules with a count up to here are counted
DISCOUNTED = 8  # Good-Turing leaves greater counts alone
_FLOOR = 0.01  # the least that Good-Turing leaves of a count
_CAP = 0.1  # the least that Kneser-Ney leaves of counts 1, 2 and 3
FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # where counts of counts give none
_ROUNDING = 1e-5  # a sum of weights so little above an integer is that integer

Real = TypeVar("Real", np.float32, np.float64)


def _classes(counts: NDArray[Real]) -> NDArray[np.int64]:
    """The whole count that each count is treated as: rounded up, at least 1."""
    classes: NDArray[np.int64] = np.maximum(np.ceil(counts - _ROUNDING).astype(np.int64), 1)
    return classes


@dataclass(frozen=True)
class CountsOfCounts:
    """How many rules have each count; ``+`` joins those of blocks of different rules.

    Counts are fractions where sentences carry weights; those are rounded up, so that all rules
    seen less than once pass for rules seen once.

    rules_with: numbers of rules with count 1, 2, ..., 10
    num_rules: number of all rules
    """

    rules_with: tuple[int, ...] = (0,) * COUNTED
    num_rules: int = 0

    def __post_init__(self) -> None:
        if len(self.rules_with) != COUNTED:
            raise ValueError(f"there must be one number for each count from 1 to {COUNTED}")
        if not 0 <= sum(self.rules_with) <= self.num_rules:
            raise ValueError("the number of counted rules must not exceed the number of rules")

    def __add__(self, other: "CountsOfCounts") -> "CountsOfCounts":
        pairs = zip(self.rules_with, other.rules_with, strict=True)
        return CountsOfCounts(tuple(a + b for a, b in pairs), self.num_rules + other.num_rules)

    @classmethod
    def from_counts(cls, counts: NDArray[Real]) -> "CountsOfCounts":
        """Count rules by c(f, e).

        counts: float64[num_rules], or float32[num_rules]

        Raises DataError for a count not above 0.
        """
        _check_counts(counts, counts)
        classes = np.minimum(_classes(counts), COUNTED + 1)
        numbers = np.bincount(classes, minlength=COUNTED + 2)[1:-1]
        return cls(tuple(numbers.tolist()), len(counts))


def _check_counts(counts: NDArray[Real], totals: NDArray[Real]) -> None:
    """Raise DataError for a count that is not above 0 or exceeds its total."""
    # totals may be sums of fractions, added in another order
    good = (counts > 0) & np.isfinite(totals) & (counts <= totals * (1 + 1e-4))
    if not good.all():
        bad = int(np.argmin(good))
        raise DataError(
            f"the count of rule {bad} is {counts[bad]:g} of a total of {totals[bad]:g}",
            "counts above 0 and at most the total",
            remedy="Extract the table again: discounting needs the counts of extraction",
        )


def _check_rules(counts: CountsOfCounts) -> None:
    if counts.num_rules == 0:
        raise DataError("the phrase table is empty", "at least one rule to estimate discounts")


def _proper(values: NDArray[Real]) -> NDArray[Real]:
    """Probabilities above 0 and at most 1, whatever the rounding."""
    clipped: NDArray[Real] = np.clip(values, np.finfo(values.dtype).tiny, 1.0)
    return clipped


@dataclass(frozen=True)
class RelativeFrequency:
    """No discount: p = c(f, e) / c(given phrase)."""

    def probability(
        self,
        count: NDArray[Real],
        total: NDArray[Real],
        types_given: NDArray[Real] | None = None,
        types_generated: NDArray[Real] | None = None,
    ) -> NDArray[Real]:
        """Probability of each rule, float64[n] as the counts are; numbers of rules are not used.

        count, total, types_given, types_generated: float64[n] each, or float32[n]; see the module
        """
        _check_counts(count, total)
        return _proper(count / total)


@dataclass(frozen=True)
class GoodTuring:
    """p = c(f, e) g(c(f, e)) / c(given phrase) (Foster et al. 2006, section 3.1, as Moses has it).

    What is taken away goes to no rule: the probabilities of a phrase sum to less than 1.

    factors: g of the counts 1, 2, ..., 8, at most 1 and never falling; greater counts have 1
    """

    factors: tuple[float, ...]

    def __post_init__(self) -> None:
        if len(self.factors) != DISCOUNTED:
            raise ValueError(f"there must be one factor for each count from 1 to {DISCOUNTED}")
        if not all(0.0 < factor <= 1.0 for factor in self.factors):
            raise ValueError("factors must be above 0 and at most 1")

    @classmethod
    def estimate(cls, counts: CountsOfCounts) -> "GoodTuring":
        """g(c) = (c + 1) / c * (n_{c+1} + 0.1) / (n_c + 0.1), at most 1, at least g(c - 1) or 0.01.

        n_c is the number of rules with count c. Without rules of count 1 nothing is discounted,
        and without rules of count 2 those of count 1 lose nearly all; DataWarning says so.

        Raises DataError where there is no rule.
        """
        _check_rules(counts)
        factors, floor = [], _FLOOR
        for count, (here, above) in enumerate(pairwise(counts.rules_with[: DISCOUNTED + 1]), 1):
            ratio = (count + 1) / count * ((above + 0.1) / (here + 0.1))
            floor = max(min(ratio, 1.0), floor)
            factors.append(floor)
        n1, n2 = counts.rules_with[:2]
        if not (n1 and n2):
            warn(
                f"Good-Turing discounts cannot be estimated from {n1} and {n2} rules with counts 1 "
                f"and 2; a rule with count 1 keeps {factors[0]:.3g} of its probability. The text "
                "may be too small"
            )
        return cls(tuple(factors))

    def probability(
        self,
        count: NDArray[Real],
        total: NDArray[Real],
        types_given: NDArray[Real] | None = None,
        types_generated: NDArray[Real] | None = None,
    ) -> NDArray[Real]:
        """Probability of each rule, float64[n] as the counts are; numbers of rules are not used.

        count, total, types_given, types_generated: float64[n] each, or float32[n]; see the module
        A fraction has the factor of the next whole count.
        """
        _check_counts(count, total)
        factors = np.array([*self.factors, 1.0], count.dtype)
        return _proper(count * factors[np.minimum(_classes(count), DISCOUNTED + 1) - 1] / total)


@dataclass(frozen=True)
class KneserNey:
    """p = (c(f, e) - D(c) + M N(generated) / N) / c(given phrase) (Foster et al. 2006, sec. 3.2).

    N(phrase) is the number of rules that a phrase is in, N that of all rules: a phrase that goes
    with many others gets more of the mass M that the discounts take from the given phrase.

    discounts: D of counts below 2, below 3, and of greater ones
    num_rules: N
    """

    discounts: tuple[float, float, float]
    num_rules: int

    def __post_init__(self) -> None:
        if not all(0.0 < d < k for k, d in enumerate(self.discounts, 1)) or self.num_rules < 1:
            raise ValueError("discounts must be above 0 and below the counts 1, 2 and 3")

    @classmethod
    def estimate(cls, counts: CountsOfCounts, modified: bool = True) -> "KneserNey":
        """D(c) = c - (c + 1) Y n_{c+1} / n_c with Y = n_1 / (n_1 + 2 n_2), at most c - 0.1.

        That is Chen & Goodman 1998, eq. 26, and what Moses calls Kneser-Ney; not ``modified``:
        the one discount D = Y for all counts. Where the counts of counts give no discount above 0
        (small or closed text, a pruned table), 0.5, 1, 1.5 stand in and DataWarning says so.

        Raises DataError where there is no rule.
        """
        _check_rules(counts)
        n1, n2 = counts.rules_with[:2]
        ratio = n1 / (n1 + 2 * n2) if n1 else 0.0
        estimated = []
        for count, (here, above) in enumerate(pairwise(counts.rules_with[:4]), 1):
            discount = count - (count + 1) * ratio * above / here if n1 and here else 0.0
            estimated.append(min(discount, count - _CAP))
        wanted = estimated if modified else estimated[:1]
        if min(wanted) <= 0:
            wanted = [d if d > 0 else FALLBACK_DISCOUNTS[k] for k, d in enumerate(wanted)]
            seen = ", ".join(map(str, counts.rules_with[:4]))
            used = ", ".join(f"{discount:.3g}" for discount in wanted)
            used = f"the discounts {used} are" if modified else f"the discount {used} is"
            warn(
                f"Kneser-Ney discounts cannot be estimated from {seen} rules with counts 1, 2, 3, "
                f"4; {used} used. The text may be too small"
            )
        first, second, third = wanted if modified else wanted * 3
        return cls((first, second, third), counts.num_rules)

    def discount(self, count: NDArray[Real]) -> NDArray[Real]:
        """What is taken from each count, never more than there is: float64[n] as the counts are.

        count: float64[n], or float32[n]
        """
        discounts = np.array(self.discounts, count.dtype)
        near = count + _ROUNDING
        taken = discounts[(near >= 2).astype(np.int64) + (near >= 3)]
        little = np.maximum(count - 0.01, 0.0)  # of a fraction 0.01 is left, as in Moses
        return np.where(taken > count, little, taken).astype(count.dtype, copy=False)

    def probability(
        self,
        count: NDArray[Real],
        total: NDArray[Real],
        types_given: NDArray[Real],
        types_generated: NDArray[Real],
        mass: NDArray[Real] | None = None,
    ) -> NDArray[Real]:
        """Probability of each rule, float64[n] as the counts are.

        count, total, types_given, types_generated: float64[n] each, or float32[n]; see the module
        mass: float64[n] or float32[n], M: the sum of ``discount(count)`` over all rules of the
            given phrase, which makes its probabilities, with those of the phrases it never goes
            with, sum to 1. By default D(c) types_given, as in Moses: the same where all discounts
            are the same.

        Raises DataError also for numbers of rules below 1 or above that of all rules.
        """
        _check_counts(count, total)
        for types in (types_given, types_generated):
            if not (types >= 1).all():
                raise DataError(f"a phrase occurs in {types.min():g} rules", "at least 1")
            if not (types <= self.num_rules).all():
                raise DataError(
                    f"a phrase occurs in {types.max():g} rules, but the discounts were estimated "
                    f"on {pluralize(self.num_rules, 'rule')}",
                    remedy="Estimate the discounts on this table",
                )
        taken = self.discount(count)
        share = (taken * types_given if mass is None else mass) / total
        lower = types_generated / self.num_rules
        # in this order float32 gives Moses' digits
        probability = (count - taken + total * share * lower) / total
        return _proper(probability.astype(count.dtype, copy=False))


class Smoothing(StrEnum):
    """How phrase probabilities are estimated, by the name of the option.

    Moses' ``--GoodTuring`` is GOOD_TURING, its ``--KneserNey`` is MODIFIED_KNESER_NEY.
    """

    NONE = "none"
    GOOD_TURING = "good-turing"
    KNESER_NEY = "kneser-ney"
    MODIFIED_KNESER_NEY = "modified-kneser-ney"

    def estimate(self, counts: CountsOfCounts) -> RelativeFrequency | GoodTuring | KneserNey:
        """The estimator for a table with these counts of counts.

        Raises DataError where there is no rule; DataWarning where discounts were made up.
        """
        if self is Smoothing.NONE:
            return RelativeFrequency()
        if self is Smoothing.GOOD_TURING:
            return GoodTuring.estimate(counts)
        return KneserNey.estimate(counts, modified=self is Smoothing.MODIFIED_KNESER_NEY)


def parse_smoothing(name: str) -> Smoothing:
    """The kind of smoothing with that name. Raises UsageError for any other name."""
    try:
        return Smoothing(name)
    except ValueError:
        known = ", ".join(Smoothing)
        moses = "--GoodTuring is good-turing and --KneserNey is modified-kneser-ney"
        remedy = f"; in Moses, {moses}"
        raise OptionError("smoothing", f"one of {known}", name, remedy) from None
