"""LP-MERT as printed: lazy enumeration, divide and conquer (Galley & Quirk 2011, Algorithm 2)."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from .linear_programs import LinearOptimizer

__all__ = ["Combination", "ExactProber", "Lazy", "Prober", "enumerate_range"]

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Combination:
    """Points of the lists of a range that weights choose together.

    points: one per list; loss: their sum; weights: float64[D], some that achieve them
    """

    points: tuple[int, ...]
    loss: float
    weights: Floats


class Prober(Protocol):
    """What the enumeration asks of a linear optimizer and of the lists."""

    def leaves(self, sentence: int) -> Iterator[tuple[int, float]]:
        """Points of a list with their losses, by loss."""
        ...

    def probe(self, begin: int, points: tuple[int, ...], near: Floats | None) -> Floats | None:
        """Weights, float64[D], that choose these points of the lists from ``begin`` on.

        None where the points are interior. near: float64[D], weights to stay near to
        """
        ...

    def last(self, begin: int, end: int) -> Combination | None:
        """The last combination of a range; None to go on until no combination is left."""
        ...

    def patient(self, misses: int) -> bool:
        """Whether to go on after so many interior combinations of a range."""
        ...


class Lazy:
    """A stream of combinations that remembers what it gave (table I of Algorithm 2)."""

    def __init__(self, stream: Iterator[Combination]) -> None:
        self.stream, self.given = stream, list[Combination]()

    def get(self, number: int) -> Combination | None:
        """The number-th best, from 0; None, a loss of plus infinity, behind the last one."""
        while len(self.given) <= number:
            following = next(self.stream, None)
            if following is None:
                return None
            self.given.append(following)
        return self.given[number]


def enumerate_range(prober: Prober, begin: int, end: int) -> Iterator[Combination]:
    """GETNEXTBEST: extreme combinations of the lists ``begin`` to ``end``, by increasing loss."""
    if end - begin == 1:
        return _enumerate_list(prober, begin)
    middle = (begin + end) // 2
    left = Lazy(enumerate_range(prober, begin, middle))
    right = Lazy(enumerate_range(prober, middle, end))
    return _enumerate_pairs(prober, begin, end, left, right)


def _enumerate_list(prober: Prober, sentence: int) -> Iterator[Combination]:
    """Lines 3 to 10, and Algorithm 1: extreme points of one list."""
    last = prober.last(sentence, sentence + 1)
    for point, loss in prober.leaves(sentence):
        if last is not None and loss >= last.loss:
            break
        weights = prober.probe(sentence, (point,), None)
        if weights is not None:
            yield Combination((point,), loss, weights)
    if last is not None:
        yield last


def _enumerate_pairs(
    prober: Prober, begin: int, end: int, left: Lazy, right: Lazy
) -> Iterator[Combination]:
    """Lines 12 to 29: cells of the matrix L by loss."""
    # The frontier is a heap (Huang & Chiang 2005).
    # A cell enters the frontier when the one before it leaves; the first of a row, when the first
    # of the row above does. A list that has come to its end is one with losses of plus infinity.
    frontier: list[tuple[float, int, int]] = []

    def enter(row: int, column: int) -> None:
        one, other = left.get(row), right.get(column)
        if one is not None and other is not None:
            heapq.heappush(frontier, (one.loss + other.loss, row, column))

    last, misses = prober.last(begin, end), 0
    enter(0, 0)
    while frontier and prober.patient(misses):
        loss, row, column = heapq.heappop(frontier)
        if last is not None and loss >= last.loss:
            break
        one, other = left.given[row], right.given[column]
        points = one.points + other.points
        weights = prober.probe(begin, points, one.weights)
        if weights is not None:
            yield Combination(points, loss, weights)
        misses += weights is None
        enter(row, column + 1)
        if column == 0:
            enter(row + 1, 0)
    if last is not None:
        yield last


class ExactProber:
    """Asks the linear optimizer about every combination, and keeps nothing else in mind.

    max_checks: 0, or combinations after which it is patient no more
    """

    def __init__(self, optimizer: LinearOptimizer, near: Floats, max_checks: int) -> None:
        self.optimizer, self.near, self.max_checks = optimizer, near, max_checks
        self.chosen = np.zeros(len(optimizer.points), np.int64)

    def leaves(self, sentence: int) -> Iterator[tuple[int, float]]:
        """Points of a list with their losses, by loss."""
        losses = self.optimizer.points.losses
        for point in self.optimizer.points.by_loss(sentence).tolist():
            yield point, float(losses[point])

    def probe(self, begin: int, points: tuple[int, ...], near: Floats | None) -> Floats | None:
        """COMBINE and LINOPTIMIZER: float64[D]. near: float64[D], weights to stay near to"""
        lists = np.arange(begin, begin + len(points))
        self.chosen[lists] = points
        return self.optimizer.find(lists, self.chosen, self.near if near is None else near)

    def last(self, begin: int, end: int) -> None:
        """A range ends with its last combination."""
        return

    def patient(self, misses: int) -> bool:
        """Until checks run out."""
        return not 0 < self.max_checks <= int(self.optimizer.checked.sum())
