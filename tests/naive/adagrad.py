"""Online updates, every feature shrunk at every step (Green et al. 2013, eqs. 1 to 5, 11, 15)."""

from collections.abc import Mapping, Sequence
from math import copysign, exp, sqrt


class EagerUpdates:
    """The weights after each step, and their mean over time."""

    def __init__(
        self,
        weights: Sequence[float],
        rate: float,
        l1: Sequence[float],
        *,
        rule: str = "adagrad",
        decay: float = 0.0,
        precision: float = 0.0,
        l2: float = 0.0,
        factors: Sequence[float] | None = None,
    ) -> None:
        self.weights = list(weights)
        self.squares = [0.0] * len(weights)
        self.areas = [0.0] * len(weights)
        self.rate, self.l1, self.l2, self.rule = rate, l1, l2, rule
        self.decay, self.precision = decay, precision
        self.factors = factors or [1.0] * len(weights)
        self.steps, self.time = 0, 0.0

    def step(self, gradient: Mapping[int, float]) -> None:
        rate = self.rate / (1 + self.decay * self.steps)
        for j in range(len(self.weights)):
            slope = gradient.get(j, 0.0)
            self.squares[j] += slope * slope
            speed = 0.0  # before its first gradient a feature has no rate
            if self.squares[j] > 0.0:
                total = self.precision + self.squares[j]
                rates = {"adagrad": 1 / sqrt(total), "arow": 1 / total, "sgd": 1.0}[self.rule]
                speed = rate * self.factors[j] * rates
            half = self.weights[j] - speed * slope
            self.areas[j] += rate * mean_while_shrinking(half, speed, self.l1[j], self.l2)
            self.weights[j] = shrunk(half, speed, self.l1[j], self.l2)
        self.steps += 1
        self.time += rate

    def averages(self) -> list[float]:
        return [area / self.time for area in self.areas]


def shrunk(weight: float, speed: float, l1: float, l2: float) -> float:
    """What is left of a weight: eq. 15 for l1 alone, decay for l2 alone, or both at once."""
    size = abs(weight)
    if l2 == 0.0:
        return copysign(max(0.0, size - speed * l1), weight)
    return copysign(max(0.0, (size + l1 / l2) * exp(-l2 * speed) - l1 / l2), weight)


def mean_while_shrinking(weight: float, speed: float, l1: float, l2: float) -> float:
    """Simpson's rule over the part of the time in which the weight is not 0."""
    if speed == 0.0:
        return weight
    low, high = 0.0, speed  # when it reaches 0, by bisection
    if shrunk(weight, speed, l1, l2) == 0.0:
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if shrunk(weight, middle, l1, l2) == 0.0 else (middle, high)
    parts = 200
    points = [shrunk(weight, high * k / parts, l1, l2) for k in range(parts + 1)]
    total = points[0] + points[-1] + 4 * sum(points[1::2]) + 2 * sum(points[2:-1:2])
    return total * high / parts / 3 / speed
