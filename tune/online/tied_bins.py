"""Neighboring bins in online learning: a regularizer of theirs in each step's gradient."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.features.space import FeatureSpace

from ..weights.regularizers import (
    NeighborPenalty,
    at_rest,
    neighbor_penalty,
    neighbors_among,
)
from .options import OnlineOptions

__all__ = ["TiedBins", "added"]

_ROUNDING = 1e-12  # of a gradient, in units of the largest weight


@dataclass(frozen=True)
class TiedBins:
    """Bins that have a neighbor, whose regularizer is a part of each step's gradient.

    ids: int32[n]
    """

    ids: NDArray[np.int32]
    penalty: NeighborPenalty

    @classmethod
    def of(cls, space: FeatureSpace, options: OnlineOptions) -> "TiedBins | None":
        """Those of a space, None where they aren't to be tied."""
        if options.bin_regularizer == "none":
            return None
        ids = np.flatnonzero((space.neighbors >= 0).any(1)).astype(np.int32)
        penalty = neighbor_penalty(
            options.bin_regularizer,
            options.bin_strength,
            options.bin_sharpness,
            neighbors_among(space, ids),
        )
        return None if penalty is None else cls(ids, penalty)

    def gradient(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """That of the regularizer, float64[n]. weights: float64[n], of the bins

        What is no more than rounding is 0: AdaGrad's first step has the same size whatever its
        gradient, so that bins would leave the place where the regularizer is least.
        """
        result = np.zeros(len(weights))
        self.penalty(weights, result)
        least = _ROUNDING * self.penalty.strength * np.abs(weights).max(initial=0.0)
        result[np.abs(result) <= least] = 0.0
        return result

    def rest(self, weights: NDArray[np.float64], loose: NDArray[np.bool_]) -> None:
        """Move loose bins to where the regularizer is least beside the weights of the others.

        weights: float64[num_features], changed; loose: bool[num_features]
        """
        weights[self.ids] = at_rest(self.penalty, weights[self.ids], loose[self.ids])


def added(
    *gradients: tuple[NDArray[np.int32], NDArray[np.float64]],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The sum of gradients, each as ids int32[n] without repeats and slopes float64[n]."""
    every = np.unique(np.concatenate([ids for ids, _ in gradients]))
    total = np.zeros(len(every))
    for ids, slopes in gradients:
        total[np.searchsorted(every, ids)] += slopes
    return every, total
