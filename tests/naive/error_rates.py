"""Least error rate of linear models with two features, by looking at every order they can make."""

from collections.abc import Sequence
from itertools import combinations
from math import atan2, cos, pi, sin

Point = tuple[float, float]


def least_error_rate(
    features: Sequence[Sequence[Point]], edits: Sequence[Sequence[int]], words: Sequence[int]
) -> float:
    """Edits per 100 words of the corpus, with the best weights there are.

    The order of two hypotheses changes where the weights are at right angles to their difference;
    between two such angles no order changes, so one direction there stands for all.
    """
    turns = set()
    for points in features:
        for one, other in combinations(points, 2):
            if one != other:
                angle = atan2(other[1] - one[1], other[0] - one[0]) + pi / 2
                turns |= {angle % (2 * pi), (angle + pi) % (2 * pi)}
    rising = sorted(turns) or [0.0]
    least = sum(max(own) for own in edits)
    for turn, following in zip(rising, [*rising[1:], rising[0] + 2 * pi], strict=True):
        if following - turn > 1e-7:
            middle = (turn + following) / 2
            weights = cos(middle), sin(middle)
            least = min(least, _edits_chosen(features, edits, weights))
    return 100.0 * least / sum(words)


def _edits_chosen(
    features: Sequence[Sequence[Point]], edits: Sequence[Sequence[int]], weights: Point
) -> int:
    """Edits of what scores highest in each sentence, of equal ones the first."""
    total = 0
    for points, own in zip(features, edits, strict=True):
        scores = [x * weights[0] + y * weights[1] for x, y in points]
        total += own[scores.index(max(scores))]
    return total
