"""AdaGrad with L1, every feature shrunk at every step (Green et al. 2013, eqs. 4, 5, 15)."""

from collections.abc import Mapping
from math import copysign, sqrt


class EagerAdaGrad:
    def __init__(self, weights: list[float], rate: float, l1: float) -> None:
        self.weights = list(weights)
        self.squares = [0.0] * len(weights)
        self.rate, self.l1 = rate, l1

    def step(self, gradient: Mapping[int, float]) -> None:
        for j in range(len(self.weights)):
            slope = gradient.get(j, 0.0)
            self.squares[j] += slope * slope
            if self.squares[j] > 0.0:  # before its first gradient a feature has no rate
                speed = self.rate / sqrt(self.squares[j])
                half = self.weights[j] - speed * slope
                self.weights[j] = copysign(max(0.0, abs(half) - speed * self.l1), half)
