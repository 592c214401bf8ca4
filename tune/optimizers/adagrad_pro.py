"""AdaGrad-PRO: online pairwise ranking with adaptive rates and L1 (Green et al. 2013)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError
from features.ragged import Ragged

from ..kernels.adagrad import adagrad_step, catch_up, pairwise_gradient

__all__ = ["AdaGradOptions", "AdaGradState", "pairwise_update", "sample_pairs"]


@dataclass(frozen=True)
class AdaGradOptions:
    """Settings; the defaults are the paper's, Gamma and the threshold those of its program.

    rate: eta; l1: lambda; batch_size: sentences per update.
    gamma: candidate pairs drawn per sentence; pairs: how many of them are kept (Xi).
    threshold: least difference in BLEU+1 (0 to 1) of a pair.
    loss: "logistic" or "hinge".
    """

    rate: float = 0.02
    l1: float = 0.1
    batch_size: int = 20
    gamma: int = 5000
    pairs: int = 15
    threshold: float = 0.05
    loss: str = "logistic"

    def __post_init__(self) -> None:
        checks = [
            (self.rate > 0, "rate", "above 0"),
            (self.l1 >= 0, "l1", "at least 0"),
            (self.batch_size >= 1, "batch_size", "at least 1"),
            (self.gamma >= 1, "gamma", "at least 1"),
            (self.pairs >= 1, "pairs", "at least 1"),
            (self.threshold >= 0, "threshold", "at least 0"),
            (self.loss in ("logistic", "hinge"), "loss", "logistic or hinge"),
        ]
        for good, name, expected in checks:
            if not good:
                raise UsageError(f"{name} = {getattr(self, name)!r}; expected {expected}")


@dataclass
class AdaGradState:
    """Weights and what AdaGrad and lazy shrinkage remember.

    weights, squares: float64[num_features], w and G
    last: int64[num_features], the step up to which L1 is paid
    step: number of steps made
    """

    weights: NDArray[np.float64]
    squares: NDArray[np.float64]
    last: NDArray[np.int64]
    step: int = 0

    @classmethod
    def start(cls, weights: NDArray[np.float64]) -> "AdaGradState":
        """Begin from the given weights, which are copied."""
        return cls(
            weights.copy(), np.zeros(len(weights)), np.zeros(len(weights), np.int64)
        )

    def read(
        self, options: AdaGradOptions, ids: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """The weights, with the shrinkage of ``ids`` (default: all) paid.

        At these ids they equal what eager L1 would hold. Not to be written to.
        """
        if ids is None:
            ids = np.arange(len(self.weights))
        catch_up(self.weights, self.squares, self.last, ids, self.step, options.rate, options.l1)
        return self.weights


def sample_pairs(
    gains: NDArray[np.float64], options: AdaGradOptions, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Better and worse hypothesis of the kept pairs: int32[k, 2] (Hopkins & May 2011).

    Gamma pairs are drawn with replacement; of those that differ by the threshold or more the
    ``pairs`` with the largest difference are kept, earlier draws first among equals.
    gains: float64[n], sentence metric, higher is better.
    """
    if len(gains) < 2:
        return np.zeros((0, 2), np.int32)
    drawn = rng.integers(len(gains), size=(options.gamma, 2), dtype=np.int32)
    difference = gains[drawn[:, 0]] - gains[drawn[:, 1]]
    swap = difference < 0
    drawn[swap] = drawn[swap][:, ::-1]
    difference = np.abs(difference)
    passed = np.flatnonzero((difference >= options.threshold) & (difference > 0))
    best = passed[np.argsort(-difference[passed], kind="stable")[: options.pairs]]
    return np.ascontiguousarray(drawn[best])


def pairwise_update(
    state: AdaGradState,
    batch: list[tuple[Ragged, NDArray[np.int32]]],
    options: AdaGradOptions,
    fixed: NDArray[np.int64],
) -> float:
    """One AdaGrad step on the summed loss of a mini-batch; returns the loss.

    batch: rows of each sentence with its pairs int32[k, 2]; fixed: ids that keep their weight.
    The gradient is taken at the weights of ``state``, shrinkage paid.
    """
    parts = [rows.ids for rows, _ in batch]
    seen = np.unique(np.concatenate(parts)).astype(np.int64) if parts else np.zeros(0, np.int64)
    weights = state.read(options, seen)
    gradient = np.zeros(len(weights))
    loss = 0.0
    for rows, pairs in batch:
        if len(pairs):
            loss += pairwise_gradient(
                rows.ids,
                rows.values,
                rows.offsets,
                rows.scores(weights),
                pairs,
                options.loss == "hinge",
                gradient,
            )
    gradient[fixed] = 0.0
    touched = seen[gradient[seen] != 0.0]
    state.step += 1
    adagrad_step(
        state.weights,
        state.squares,
        state.last,
        touched,
        gradient,
        state.step,
        options.rate,
        options.l1,
    )
    return loss
