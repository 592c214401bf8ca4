"""Regularizers of neighboring bins, term by term (Clark, Dyer & Lavie 2014, eqs. 9 to 13)."""

from collections.abc import Sequence
from math import tanh

import numpy as np
from numpy.typing import NDArray


def linear_penalty(chain: Sequence[float], beta: float) -> float:
    """Equations 9, 10 for the bins of one feature in their order."""
    total = 0.0
    for j in range(1, len(chain) - 1):
        total += ((chain[j - 1] + chain[j + 1]) / 2 - chain[j]) ** 2
    return beta * total


def monotone_penalty(chain: Sequence[float], beta: float, gamma: float) -> float:
    """Equations 12, 13; where both neighbors are equal the damping factor is at its limit, 1."""
    total = 0.0
    for j in range(1, len(chain) - 1):
        deviation = (chain[j - 1] + chain[j + 1]) / 2 - chain[j]
        span = (chain[j - 1] - chain[j + 1]) / 2
        damping = 1.0 if span == 0 else (tanh(deviation / span) ** 2) ** gamma
        total += damping * deviation**2
    return beta * total


def linear_curvature(num_bins: int, beta: float) -> NDArray[np.float64]:
    """Second derivatives of equation 9 by the bins of one feature: float64[num_bins, num_bins]."""
    total = np.zeros((num_bins, num_bins))
    for j in range(1, num_bins - 1):
        deviation = np.zeros(num_bins)
        deviation[[j - 1, j, j + 1]] = 0.5, -1.0, 0.5
        total += 2.0 * beta * np.outer(deviation, deviation)
    return total


def least_linear(chain: Sequence[float], loose: Sequence[bool]) -> list[float]:
    """Loose bins where equation 9 is least: the nearest of such places, by singular values."""
    rows = np.zeros((max(len(chain) - 2, 0), len(chain)))
    for j in range(len(rows)):
        rows[j, j : j + 3] = 0.5, -1.0, 0.5
    moved, values = np.flatnonzero(loose), np.array(chain)
    if all(loose):
        return list(chain)
    values[moved] += np.linalg.lstsq(rows[:, moved], -rows @ values, rcond=1e-12)[0]
    return [float(x) for x in values]
