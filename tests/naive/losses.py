"""Losses of online optimizers, by their definitions, over dense matrices."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


def pairwise(kind: str, differences: Matrix, weights: Matrix) -> float:
    margins = differences @ weights
    losses = {
        "logistic": np.logaddexp(0.0, -margins),
        "hinge": np.maximum(0.0, 1.0 - margins),
        "pairwise-perceptron": np.maximum(0.0, -margins),
    }
    return float(losses[kind].sum())


def lists(
    kind: str,
    sentences: Sequence[tuple[Matrix, Matrix]],
    weights: Matrix,
    gain_scale: float = 1.0,
    score_scale: float = 1.0,
) -> float:
    """Sum over (features, gains) of the sentences."""
    total = 0.0
    for features, gains in sentences:
        scores, costs = features @ weights, gain_scale * (gains.max() - gains)
        if kind == "perceptron":
            oracle = max(range(len(gains)), key=lambda k: (gains[k], scores[k]))
            total += scores.max() - scores[oracle]
        elif kind == "ramp":
            total += (scores + costs).max() - (scores - costs).max()
        else:
            chance = np.exp(score_scale * scores - np.logaddexp.reduce(score_scale * scores))
            total -= float(chance @ gains)
    return float(total)
