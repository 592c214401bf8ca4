"""Discounting straight from the formulas, rule by rule, with dictionaries and loops."""

from collections import Counter
from collections.abc import Mapping

Rule = tuple[str, str]  # source phrase, target phrase
Counts = Mapping[Rule, float]
Probabilities = dict[Rule, float]


def rounded_up(count: float) -> int:
    """The least integer from 1 on that the count does not exceed."""
    number = 1
    while number < count - 1e-5:
        number += 1
    return number


def counts_of_counts(counts: Counts) -> Counter[int]:
    return Counter(rounded_up(count) for count in counts.values())


def totals(counts: Counts, side: int) -> dict[str, float]:
    """c(phrase) of the phrases of a side: 0 = source, 1 = target."""
    sums: dict[str, float] = {}
    for rule, count in counts.items():
        sums[rule[side]] = sums.get(rule[side], 0.0) + count
    return sums


def relative_frequency(counts: Counts, given: int) -> Probabilities:
    total = totals(counts, given)
    return {rule: count / total[rule[given]] for rule, count in counts.items()}


def good_turing_factor(n: Counter[int], count: int) -> float:
    """What is left of a count."""
    if count > 8:
        return 1.0
    below = 0.01 if count == 1 else good_turing_factor(n, count - 1)
    return max(below, min(1.0, (count + 1) / count * (n[count + 1] + 0.1) / (n[count] + 0.1)))


def good_turing(counts: Counts, given: int) -> Probabilities:
    n, total = counts_of_counts(counts), totals(counts, given)
    return {
        rule: count * good_turing_factor(n, rounded_up(count)) / total[rule[given]]
        for rule, count in counts.items()
    }


def kneser_ney_discounts(n: Counter[int], modified: bool) -> list[float]:
    """D1, D2, D3: those of Chen & Goodman (1998), or the first alone."""
    result = []
    for count, fallback in ((1, 0.5), (2, 1.0), (3, 1.5)):
        value = fallback
        if n[1] and n[count]:
            discount_of_count = (
                count - (count + 1) * n[1] / (n[1] + 2 * n[2]) * n[count + 1] / n[count]
            )
            value = min(discount_of_count, count - 0.1) if discount_of_count > 0 else fallback
        result.append(value)
    return result if modified else result[:1] * 3


def discount(discounts: list[float], count: float) -> float:
    near = count + 1e-5
    taken = discounts[0] if near < 2 else discounts[1] if near < 3 else discounts[2]
    return taken if taken <= count else max(count - 0.01, 0.0)


def kneser_ney(
    counts: Counts, given: int, *, modified: bool, proper: bool = False
) -> Probabilities:
    """Also for pairs of phrases that are no rule: together those of a given phrase sum to 1.

    ``proper``: the mass of a given phrase is the sum of what its rules lose; Moses takes what the
    rule itself loses, times their number.
    """
    discounts = kneser_ney_discounts(counts_of_counts(counts), modified)
    total = totals(counts, given)
    partners = Counter(rule[0] for rule in counts), Counter(rule[1] for rule in counts)
    lost: dict[str, float] = {}
    for rule, count in counts.items():
        lost[rule[given]] = lost.get(rule[given], 0.0) + discount(discounts, count)
    result = {}
    for phrase in partners[given]:
        for other, number in partners[1 - given].items():
            rule = (phrase, other) if given == 0 else (other, phrase)
            count = counts.get(rule, 0.0)
            taken = discount(discounts, count) if count else 0.0
            mass = lost[phrase] if proper or not count else taken * partners[given][phrase]
            result[rule] = (count - taken + mass * number / len(counts)) / total[phrase]
    return result
