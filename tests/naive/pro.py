"""Loss of ranked pairs, pair by pair (Hopkins & May 2011; Green et al. 2013, eq. 12)."""

from collections.abc import Mapping, Sequence
from math import exp, log


def ranking_loss(
    hypotheses: Sequence[Mapping[int, float]],
    pairs: Sequence[tuple[int, int]],
    importance: Sequence[float],
    weights: Sequence[float],
) -> tuple[float, list[float]]:
    """Value and gradient. hypotheses: features; pairs: better and worse."""
    loss, gradient = 0.0, [0.0] * len(weights)
    for (better, worse), worth in zip(pairs, importance, strict=True):
        difference = dict(hypotheses[better])
        for feature, value in hypotheses[worse].items():
            difference[feature] = difference.get(feature, 0.0) - value
        margin = sum(weights[feature] * value for feature, value in difference.items())
        loss += worth * log(1 + exp(-margin))
        for feature, value in difference.items():
            gradient[feature] -= worth * value / (1 + exp(margin))
    return loss, gradient
