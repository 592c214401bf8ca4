"""Paired tests with every resample and every exchange there is, instead of random ones."""

from collections.abc import Callable, Sequence
from itertools import product

Row = Sequence[float]
Score = Callable[[Row], float]


def total(rows: Sequence[Row]) -> list[float]:
    return [sum(column) for column in zip(*rows, strict=True)]


def difference(first: Sequence[Row], second: Sequence[Row], score: Score) -> float:
    return score(total(second)) - score(total(first))


def randomization(first: Sequence[Row], second: Sequence[Row], score: Score) -> float:
    """Share of all exchanges that differ by at least as much as the systems do."""
    observed = abs(difference(first, second, score))
    differences = []
    for coins in product((False, True), repeat=len(first)):
        left = [b if coin else a for a, b, coin in zip(first, second, coins, strict=True)]
        right = [a if coin else b for a, b, coin in zip(first, second, coins, strict=True)]
        differences.append(abs(difference(left, right, score)) >= observed - 1e-9)
    return sum(differences) / len(differences)


def bootstrap(first: Sequence[Row], second: Sequence[Row], score: Score) -> list[float]:
    """Differences of all resamples."""
    places = range(len(first))
    return [
        difference([first[k] for k in drawn], [second[k] for k in drawn], score)
        for drawn in product(places, repeat=len(first))
    ]


def bootstrap_p(differences: Sequence[float], observed: float) -> float:
    """Share of the resamples that are as far from their mean as the observed one is from 0."""
    mean = sum(differences) / len(differences)
    far = [abs(difference - mean) >= abs(observed) - 1e-9 for difference in differences]
    return sum(far) / len(far)


def sacrebleu_p(differences: Sequence[float], observed: float) -> float:
    mean = sum(map(abs, differences)) / len(differences)
    return sum(abs(difference) - mean >= abs(observed) - 1e-9 for difference in differences) / len(
        differences
    )
