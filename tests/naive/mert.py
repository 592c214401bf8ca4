"""MERT (Och 2003, section 5): the metric along a line from all pairwise crossings, in fractions."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from math import inf

import numpy as np

Line = tuple[Fraction, Fraction]  # score at step 0, slope


def crossings(sentences: Sequence[Sequence[Line]]) -> list[Fraction]:
    """Steps at which any two hypotheses of a sentence are equal, increasing."""
    steps = {
        (a - c) / (d - b)
        for lines in sentences
        for (a, b), (c, d) in combinations(lines, 2)
        if b != d
    }
    return sorted(steps)


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
        rows = [statistics[s][chosen(lines, point)] for s, lines in enumerate(sentences)]
        sums.append([sum(column) for column in zip(*rows, strict=True)])
    boundaries, kept = [], sums[:1]
    for step, total in zip(steps, sums[1:], strict=True):
        if total != kept[-1]:
            boundaries.append(step)
            kept.append(total)
    return boundaries, kept


def middle(edges: Sequence[float], gains: Sequence[float], unit: float) -> float:
    """Step into the best interval: of equal ones the nearest to 0; one that holds 0 is no step.

    edges: of all intervals, one more than these. A wide interval counts up to three times as far as
    its near end, or two units; one narrower than a millionth of a unit is passed over.
    """
    wide = [k for k in range(len(gains)) if edges[k + 1] - edges[k] > 1e-6 * unit]
    if not wide:
        return 0.0
    top = max(gains[k] for k in wide)
    best = [k for k in wide if gains[k] == top]
    away = [max(edges[k], -edges[k + 1], 0.0) for k in best]
    near = min(away)
    low, high = (edges[best[away.index(near)] + end] for end in (0, 1))
    if low < 0.0 < high:
        return 0.0
    reach = 2.0 * max(near, unit)
    if low >= 0.0:
        return (low + min(high, low + reach)) / 2
    return (max(low, high - reach) + high) / 2


def smoothed(gains: Sequence[float], kind: str, window: int) -> list[float]:
    """Mean or minimum of each gain and its neighbors; beyond the ends stand the end's own."""
    if kind == "none":
        return list(gains)
    last = len(gains) - 1
    windows = [
        [gains[min(max(k + shift, 0), last)] for shift in range(-window, window + 1)]
        for k in range(len(gains))
    ]
    return [sum(near) / len(near) if kind == "average" else min(near) for near in windows]


@dataclass
class Climber:
    """MERT of a mean: climbs from the start, from random weights and from near the best ones.

    features: [s][h][k]; numbers: [s][h], what is averaged over the sentences, in per cent
    sign: 1, or -1 where less is better; rng: the one that the fast one is given
    """

    features: Sequence[Sequence[Sequence[float]]]
    numbers: Sequence[Sequence[int]]
    sign: int = 1
    restarts: int = 0
    walks: int = 0
    walk_size: float = 0.2
    random_directions: int = 0
    smoothing: str = "none"
    smoothing_window: int = 3

    def gain(self, weights: Sequence[float]) -> float:
        total = 0
        for rows, numbers in zip(self.features, self.numbers, strict=True):
            scores = [sum(w * x for w, x in zip(weights, row, strict=True)) for row in rows]
            total += numbers[scores.index(max(scores))]
        return self.sign * 100.0 * total / len(self.numbers)

    def spreads(self) -> list[float]:
        """Per feature the root mean square of the differences from each sentence's mean."""
        result = []
        for k in range(len(self.features[0][0])):
            squares = [
                (row[k] - sum(other[k] for other in rows) / len(rows)) ** 2
                for rows in self.features
                for row in rows
            ]
            result.append((sum(squares) / len(squares)) ** 0.5)
        return result

    def along(
        self, weights: Sequence[float], direction: Sequence[float]
    ) -> tuple[list[float], list[float]]:
        """Edges of the intervals of a line, the outer ones without end, and the gain in each."""
        lines = [
            [
                (
                    sum(Fraction(w) * Fraction(x) for w, x in zip(weights, row, strict=True)),
                    sum(Fraction(d) * Fraction(x) for d, x in zip(direction, row, strict=True)),
                )
                for row in rows
            ]
            for rows in self.features
        ]
        boundaries, sums = surface(lines, [[[n] for n in numbers] for numbers in self.numbers])
        gains = [self.sign * 100.0 * total / len(self.numbers) for (total,) in sums]
        return [-inf, *map(float, boundaries), inf], gains

    def climb(
        self, weights: Sequence[float], rng: np.random.Generator
    ) -> tuple[list[float], float]:
        """Features in random order, each gain taken at once, until none helps any more."""
        at, size, spreads = list(weights), len(weights), self.spreads()
        judged, idle = -inf, 0

        def move(direction: Sequence[float]) -> bool:
            nonlocal at, judged
            edges, gains = self.along(at, direction)
            values = smoothed(gains, self.smoothing, self.smoothing_window)
            length = sum(abs(w) * spread for w, spread in zip(at, spreads, strict=True)) or 1.0
            unit = length / sum(abs(d) * s for d, s in zip(direction, spreads, strict=True))
            step = middle(edges, values, unit)
            there = bisect_right(edges, step) - 1
            if step == 0.0 or values[there] <= judged + 1e-9 * max(1.0, abs(self.gain(at))):
                return False
            at = [w + step * d for w, d in zip(at, direction, strict=True)]
            judged = values[there]
            return True

        while True:
            judged = self.gain(at) if self.smoothing == "none" else judged
            for k in rng.permutation(size).tolist():
                idle = 0 if move([float(k == other) for other in range(size)]) else idle + 1
                if idle == size:
                    break
            if idle == size:
                tries = range(self.random_directions)
                if not any(move((rng.normal(size=size) / spreads).tolist()) for _ in tries):
                    return at, self.gain(at)
                idle = 0

    def epochs(self, start: Sequence[float], rng: np.random.Generator) -> list[list[float]]:
        """Weights before and after each climb, scaled so that their sizes sum to 1."""
        size, spreads = len(start), self.spreads()
        best, best_gain = list(start), self.gain(start)
        result = [list(start)]

        def climb_all(points: list[list[float]], rngs: list[np.random.Generator]) -> None:
            nonlocal best, best_gain
            for weights, gain in list(map(self.climb, points, rngs)):
                total = sum(map(abs, weights))
                result.append([w / total for w in weights] if total else weights)
                if gain > best_gain:
                    best, best_gain = weights, gain

        rngs = rng.spawn(1 + self.restarts)
        climb_all(
            [list(start), *(generator.uniform(0, 1, size).tolist() for generator in rngs[1:])], rngs
        )
        for done in range(0, self.walks, 4):
            rngs = rng.spawn(min(4, self.walks - done))
            noise = (
                self.walk_size
                * sum(abs(w) * spread for w, spread in zip(best, spreads, strict=True))
                / size
                or self.walk_size
            )
            near = [
                [w + noise / s * x for w, s, x in zip(best, spreads, generator.normal(size=size),
                                                      strict=True)]
                for generator in rngs
            ]  # fmt: skip
            climb_all(near, rngs)
        return result
