"""Combinations of points, one per list, that a linear model can choose: what searches share."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .linear_programs import LinearOptimizer, PointLists

__all__ = ["Found", "Incumbent"]


@dataclass(frozen=True)
class Found:
    """Weights of the points, and the sum of losses that they reach.

    weights: float64[D]
    """

    weights: NDArray[np.float64]
    loss: float


@dataclass
class Incumbent:
    """The best weights seen so far; only what improves on them by more than rounding is taken."""

    optimizer: LinearOptimizer
    best: Found
    least_gain: float = field(init=False)

    def __post_init__(self) -> None:
        self.least_gain = 1e-12 * len(self.points)

    @property
    def points(self) -> PointLists:
        """Lists that are searched."""
        return self.optimizer.points

    @property
    def limit(self) -> float:
        """A loss below this is an improvement."""
        return self.best.loss - self.least_gain

    def consider(self, weights: NDArray[np.float64]) -> NDArray[np.int64] | None:
        """Take the weights if what they choose loses less; what that is: int64[S].

        None where they choose a point by no more than the tolerance. weights: float64[D]
        """
        chosen = self.optimizer.choices(weights)
        if chosen is not None:
            loss = float(self.points.losses[chosen].sum())
            if loss < self.limit:
                self.best = Found(weights.copy(), loss)
        return chosen
