"""Pairs of hypotheses to rank, sampled as Hopkins & May (2011) do."""

import numpy as np
from numpy.typing import NDArray

from ..kernels.pairs import draw_pairs

__all__ = ["sample_pairs"]


def sample_pairs(
    gains: NDArray[np.float64],
    offsets: NDArray[np.int64],
    sentences: NDArray[np.int64],
    key: int,
    *,
    gamma: int = 5000,
    kept: int = 50,
    threshold: float = 0.05,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Better and worse hypothesis of the kept pairs of some sentences: int64[k, 2].

    Gamma pairs are drawn with replacement; of those that differ by the threshold or more, and at
    all, the ``kept`` (Xi) most different ones are returned, most different first, earlier draws
    first among equal ones. Each sentence has random numbers of its own, which ``key`` (0 to
    2^64 - 1) and its number decide: neither order nor grouping of the sentences changes its pairs.

    gains: float64[num_hypotheses], sentence metric, higher is better
    offsets: int64[num_sentences + 1], hypotheses of each sentence; sentences: int64[s]
    The second value, int64[s + 1], tells where the pairs of each sentence begin.
    """
    pairs, bounds = draw_pairs(gains, offsets, sentences, np.uint64(key), gamma, kept, threshold)
    return pairs, bounds
