"""Logistic loss of ranked pairs."""

import numpy as np

from isogloss.align.kernels.lazy import njit


@njit(nogil=True, cache=True)
def logistic_losses(margins, importance, slopes):
    """Sum of importance times log(1 + exp(-margin)), and what it changes with each margin.

    margins: float64[n], score of the better minus that of the worse; importance: float64[n]
    slopes: float64[n], written: derivatives by the margins, from -importance to 0
    """
    loss = 0.0
    for pair in range(len(margins)):
        decay = np.exp(-abs(margins[pair]))
        wrong = decay / (1.0 + decay) if margins[pair] > 0.0 else 1.0 / (1.0 + decay)
        loss += importance[pair] * (np.log1p(decay) + max(-margins[pair], 0.0))
        slopes[pair] = -importance[pair] * wrong
    return loss
