"""The oracle document: translations of the sentences before, the older the less (Chiang 2012)."""

import numpy as np
from numpy.typing import NDArray

from ...metrics.bleu import DOCUMENT_DECAYS
from ...metrics.protocol import Metric

__all__ = ["DECAY", "extended", "first_document"]

DECAY = DOCUMENT_DECAYS["chiang"]


def first_document(metric: Metric) -> NDArray[np.float64]:
    """The document before the first sentence: 1 of each statistic, float64[K].

    The paper does not say what it begins with; 1 gives BLEU a slope by every count, and soon fades.
    """
    return np.ones(metric.num_statistics)


def extended(
    document: NDArray[np.float64], best: NDArray[np.float64], decay: float = DECAY
) -> NDArray[np.float64]:
    """The document with one more translation: b <- 0.9 (b + b(e^)), float64[K] (section 2.4).

    document: float64[K]; best: float64[K], statistics of the translation that scores best
    """
    return decay * (document + best)
