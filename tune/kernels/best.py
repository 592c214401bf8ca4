"""The best hypothesis of each sentence."""

import numpy as np

from isogloss.align.kernels.lazy import njit


@njit(nogil=True, cache=True)
def first_best(scores, offsets):
    """Number of the highest score of each sentence, the first of equal ones, -1 where none is.

    scores: float64[num_hypotheses]; offsets: int64[num_sentences + 1]. Returns int64.
    """
    result = np.full(len(offsets) - 1, -1, np.int64)
    for sentence in range(len(result)):
        best = -np.inf
        for row in range(offsets[sentence], offsets[sentence + 1]):
            if scores[row] > best or result[sentence] < 0:
                best = scores[row]
                result[sentence] = row
    return result
