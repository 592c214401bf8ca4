"""The metric along a line from all pairwise crossings, in fractions (Och 2003, section 5)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

Line = tuple[Fraction, Fraction]  # score at step 0, slope


def crossings(sentences: Sequence[Sequence[Line]]) -> list[Fraction]:
    """Steps at which any two hypotheses of a sentence are equal, increasing."""
    found = {
        (a - c) / (d - b)
        for lines in sentences
        for (a, b), (c, d) in combinations(lines, 2)
        if b != d
    }
    return sorted(found)


def chosen(lines: Sequence[Line], step: Fraction) -> int:
    """The best hypothesis at a step; of equal ones the first."""
    scores = [score + step * slope for score, slope in lines]
    return scores.index(max(scores))


def surface(
    sentences: Sequence[Sequence[Line]], statistics: Sequence[Sequence[Sequence[int]]]
) -> tuple[list[Fraction], list[list[int]]]:
    """Boundaries where summed statistics change, and the sums before, between and behind them.

    statistics[s][h]: of hypothesis h of sentence s.
    """
    steps = crossings(sentences)
    inner = [(low + high) / 2 for low, high in pairwise(steps)]
    points = [steps[0] - 1, *inner, steps[-1] + 1] if steps else [Fraction(0)]
    sums = []
    for point in points:
        own = [statistics[s][chosen(lines, point)] for s, lines in enumerate(sentences)]
        sums.append([sum(column) for column in zip(*own, strict=True)])
    boundaries, kept = [], sums[:1]
    for step, total in zip(steps, sums[1:], strict=True):
        if total != kept[-1]:
            boundaries.append(step)
            kept.append(total)
    return boundaries, kept
