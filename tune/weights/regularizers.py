"""Regularizers: weights that are small, near others, or in line with those of neighboring bins."""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import OptionError
from isogloss.align.execution import dot
from isogloss.features.space import FeatureSpace, bin_feature_name

from ..kernels.regularization import (
    linear_neighbor_factors,
    linear_neighbors,
    loose_neighbors,
    monotone_factors,
    monotone_neighbors,
    neighbor_chains,
    solve_factors,
)

__all__ = [
    "BIN_REGULARIZERS",
    "LinearNeighbors",
    "MonotoneNeighbors",
    "NeighborCurvature",
    "NeighborPenalty",
    "Penalty",
    "SquaredDistance",
    "at_rest",
    "has_neighbors",
    "neighbor_penalty",
    "neighbors_among",
    "space_with_bins",
]

BIN_REGULARIZERS = ("none", "linear", "monotone")
"""Names of the regularizers of neighboring bins."""

_ROUNDS = 20  # of least squares that stand for MNR
_HALVINGS = 10  # of a step of these
_HOLD = 1e-5  # of changes beside deviations, where their factors may be next to 0
_NEAREST = 1e-8  # likewise, where it only chooses among places that are as good
_LEAST_CURVATURE, _LEAST_SHARE = 1.0, 1e-10  # of a weight by itself; of the strength of its ties


class Penalty(Protocol):
    """A smooth term of an objective."""

    def __call__(self, weights: NDArray[np.float64], gradient: NDArray[np.float64]) -> float:
        """Value at the weights float64[n]; adds its gradient to ``gradient`` float64[n]."""
        ...


@dataclass(frozen=True)
class SquaredDistance:
    """L2: strength times ||w - center||^2, over the first of the weights.

    center: float64[m], zeros for plain L2; the weights behind the first m are left alone
    """

    strength: float
    center: NDArray[np.float64]

    def __call__(self, weights: NDArray[np.float64], gradient: NDArray[np.float64]) -> float:
        """Value at the weights float64[n]; the gradient is added to ``gradient`` float64[n]."""
        away = weights[: len(self.center)] - self.center
        gradient[: len(away)] += 2.0 * self.strength * away
        return self.strength * dot(away, away)


@dataclass(frozen=True)
class LinearNeighbors:
    """LNR: strength (beta) times the squared distances of weights from the mean of both neighbors.

    Clark, Dyer & Lavie (2014), equations 9 and 10. neighbors: int64[n, 2], -1 = none
    """

    strength: float
    neighbors: NDArray[np.int64]

    def __call__(self, weights: NDArray[np.float64], gradient: NDArray[np.float64]) -> float:
        """Value at the weights float64[n]; the gradient is added to ``gradient`` float64[n]."""
        return float(linear_neighbors(weights, self.neighbors, self.strength, gradient))


@dataclass(frozen=True)
class MonotoneNeighbors:
    """MNR: LNR that costs next to nothing while a weight lies between its neighbors.

    Clark, Dyer & Lavie (2014), equations 12 and 13: each term times tanh^(2 sharpness) of the
    deviation over half the span of the neighbors. neighbors: int64[n, 2], -1 = none
    """

    strength: float
    sharpness: float
    neighbors: NDArray[np.int64]

    def __call__(self, weights: NDArray[np.float64], gradient: NDArray[np.float64]) -> float:
        """Value at the weights float64[n]; the gradient is added to ``gradient`` float64[n]."""
        strength, sharpness = self.strength, self.sharpness
        return float(monotone_neighbors(weights, self.neighbors, strength, sharpness, gradient))

    def factors(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each weight's squared deviation counts, in units of beta: D of (12). float64[n]

        weights: float64[n]
        """
        found: NDArray[np.float64] = monotone_factors(weights, self.neighbors, self.sharpness)
        return found


NeighborPenalty = LinearNeighbors | MonotoneNeighbors
"""A regularizer of neighboring bins."""


@dataclass(frozen=True)
class NeighborCurvature:
    """Second derivatives of LNR (Clark, Dyer & Lavie 2014, eq. 9) plus a diagonal, to divide by.

    They tie each bin to the next so that a change passes through a chain of bins at once. They
    stand for those of MNR (12), too, which may be larger or below 0: its terms are never larger.

    order: int64[n], of features; factors: float64[n, 3], of a triangle
    """

    order: NDArray[np.int64]
    factors: NDArray[np.float64]

    @classmethod
    def of(cls, penalty: NeighborPenalty, diagonal: NDArray[np.float64]) -> "NeighborCurvature":
        """Of a regularizer beside all else.

        diagonal: float64[n], second derivatives of all else, from 0
        """
        order, strength = neighbor_chains(penalty.neighbors), penalty.strength
        tied = (penalty.neighbors >= 0).any(axis=1)
        least = np.maximum(_LEAST_CURVATURE, np.where(tied, _LEAST_SHARE * strength, 0.0))
        alone = np.maximum(diagonal, least)
        return cls(order, linear_neighbor_factors(order, penalty.neighbors, strength, alone))

    def __call__(self, slope: NDArray[np.float64]) -> NDArray[np.float64]:
        """A slope divided by them: float64[n]. slope: float64[n]"""
        found: NDArray[np.float64] = solve_factors(self.order, self.factors, slope)
        return found


def neighbor_penalty(
    kind: str, strength: float, sharpness: float, neighbors: NDArray[np.int64]
) -> NeighborPenalty | None:
    """The regularizer of neighboring bins that has a name, None for "none".

    kind: of BIN_REGULARIZERS; neighbors: int64[n, 2], previous and next, -1 = none
    """
    if kind == "linear":
        return LinearNeighbors(strength, neighbors)
    if kind == "monotone":
        return MonotoneNeighbors(strength, sharpness, neighbors)
    return None


def at_rest(
    penalty: NeighborPenalty, weights: NDArray[np.float64], loose: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The weights, with the loose ones moved to where a regularizer is least: float64[n].

    The others stay where they are, and so does a chain whose bins are all loose. Where LNR (9) is
    least is found at once; of several such places it is the one nearest to the weights. MNR (12)
    isn't convex: it is lowered from where LNR is least, and from the weights as they are if that
    gives no less; so it is never higher than before, and no higher than on the way that LNR takes.

    weights: float64[n]; loose: bool[n]
    """
    ones = np.ones(len(weights))
    changes = loose_neighbors(weights, penalty.neighbors, loose, ones, _NEAREST)
    line: NDArray[np.float64] = weights + changes
    if isinstance(penalty, LinearNeighbors):
        return line
    moved, value = _lowered(penalty, line, loose)
    return moved if value < _value(penalty, weights) else _lowered(penalty, weights, loose)[0]


def _lowered(
    penalty: MonotoneNeighbors, weights: NDArray[np.float64], loose: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], float]:
    """Weights of a lower MNR, and its value."""
    # By rounds of least squares, each with the factors D of the round before; a step that lowers
    # nothing is halved, and the last round is one of which no part does.
    least = _value(penalty, weights)
    for _ in range(_ROUNDS):
        factors = penalty.factors(weights)
        step = loose_neighbors(weights, penalty.neighbors, loose, factors, _HOLD)
        for halvings in range(_HALVINGS):
            moved = weights + step * 0.5**halvings
            value = _value(penalty, moved)
            if value < least:
                break
        else:
            break
        weights, least = moved, value
    return weights, least


def _value(penalty: NeighborPenalty, weights: NDArray[np.float64]) -> float:
    return penalty(weights, np.zeros(len(weights)))


def space_with_bins(space: FeatureSpace, kind: str) -> FeatureSpace:
    """The features that have weights under a regularizer of neighboring bins: all bins, too.

    They have the ids that they have in ``space``; kind: of BIN_REGULARIZERS

    Raises UsageError where no bin has one on either side.
    """
    if kind == "none":
        return space
    space = space.with_all_bins()
    if not has_neighbors(space):
        example = bin_feature_name("p", 1, 3)
        expected = f"none without bins between two other bins, such as {example}"
        raise OptionError("bin_regularizer", f"{expected} (`features --discretize`)", kind)
    return space


def has_neighbors(space: FeatureSpace) -> bool:
    """Whether a bin has both neighbors: without one the regularizers of neighbors are 0."""
    return bool((space.neighbors >= 0).all(axis=1).any())


def neighbors_among(space: FeatureSpace, ids: NDArray[np.int32]) -> NDArray[np.int64]:
    """Previous and next bin of some features, by their index among these: int64[n, 2], -1 = none.

    ids: int32[n], each feature once; a bin whose neighbor is not among them has none
    """
    index_of = np.full(len(space) + 1, -1, np.int64)  # the last entry is where -1 points to
    index_of[ids] = np.arange(len(ids))
    return np.asarray(index_of[space.neighbors[ids]])
