"""What batch optimizers have in common: weights to start from, and the choice of the best step."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError
from isogloss.features.space import FeatureSpace

from ..examples import Examples
from ..metrics.protocol import Metric
from ..results import Epoch, Report, TuningResult, ignore
from ..weights.weights import Weights

__all__ = ["LARGEST", "Judge", "Progress", "blocks", "start_values"]

LARGEST = 1e30  # of numbers that features and weights are multiplied with
_PART = 1 << 20  # numbers, or rows of them, that are looked at at a time
_BLOCKS = 8  # parts of sums; always as many, so that threads change no result


def blocks(bounds: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Up to eight ranges of consecutive groups with about as many rows each.

    bounds: int64[g + 1], where each group begins; a group is never divided. The ranges count
    groups.
    """
    edges = np.searchsorted(bounds, np.linspace(0, bounds[-1], _BLOCKS + 1)).tolist()
    return [(low, high) for low, high in pairwise(edges) if low < high]


def start_values(examples: Examples, start: Weights) -> NDArray[np.float64]:
    """Weights to start from, over the examples' features: float64[num_features].

    Raises DataError for features or statistics that aren't finite, UsageError for examples that
    keep weights.
    """
    examples.check_learnable()
    for values, name in (
        (examples.rows.values, "features"),
        (examples.statistics, f"statistics of {examples.metric.name}"),
    ):
        parts = (values[begin : begin + _PART] for begin in range(0, len(values), _PART))
        if not all(np.isfinite(part).all() for part in parts):
            raise DataError(f"{name} are not finite")
    return start.to_space(examples.space).values


class Judge(Protocol):
    """What weights are judged by: examples, or forests."""

    @property
    def space(self) -> FeatureSpace:
        """The features that have weights."""
        ...

    @property
    def metric(self) -> Metric:
        """What is reported."""
        ...

    def best_score(self, weights: NDArray[np.float64], scale: float = 1.0) -> float:
        """Metric of the best translations under some weights.

        weights: float64[num_features]; scale: a factor of weights that are kept beside these
        """
        ...


@dataclass
class Progress:
    """Judges weights step by step and keeps the best, as :meth:`Epoch.rank` orders them."""

    examples: Judge
    held_out: Judge | None = None
    report: Report = ignore
    epochs: list[Epoch] = field(default_factory=list)
    _best: tuple[tuple[float, float], int, NDArray[np.float64], float] | None = None

    def add(self, weights: NDArray[np.float64], loss: float, scale: float = 1.0) -> None:
        """Judge the next step; the first is the start.

        weights: float64[num_features]
        scale: see :class:`isogloss.tune.results.TuningResult`; weights that the held-out examples
            keep are multiplied by it
        """
        score = self.examples.best_score(weights)
        other = None if self.held_out is None else self.held_out.best_score(weights, scale)
        number = len(self.epochs)
        self.epochs.append(Epoch(number, loss, score, int(np.count_nonzero(weights)), other))
        self.report(self.epochs[-1])
        reached = self.epochs[-1].rank(self.examples.metric.sign)
        if self._best is None or reached > self._best[0]:
            self._best = (reached, number, weights.copy(), scale)

    def result(self) -> TuningResult:
        """Weights of the best step; of equal ones the first."""
        assert self._best is not None
        _, number, weights, scale = self._best
        learned = Weights(self.examples.space, weights)
        return TuningResult(learned, number, tuple(self.epochs), scale=scale)
