"""Expectations under a softmax over each sentence's hypotheses, and their derivatives."""

import numpy as np

from isogloss.align.kernels.lazy import njit

NEGLIGIBLE = -40.0  # log of a share of the best one's probability that no sum in float64 shows


@njit(nogil=True, cache=True)
def softmax_expectations(scores, offsets, statistics, probabilities, sums):
    """Add expected statistics of all sentences to ``sums``; returns the sum of the entropies.

    scores: float64[n], exponents; offsets: int64[s + 1], rows of each sentence, one or more
    statistics: float64[n, k]; probabilities: float64[n], written; sums: float64[k]; nats
    """
    entropy = 0.0
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        highest = scores[begin]
        for row in range(begin + 1, end):
            highest = max(highest, scores[row])
        total, exponents = 0.0, 0.0
        for row in range(begin, end):
            exponent = scores[row] - highest
            if exponent < NEGLIGIBLE:
                probabilities[row] = 0.0
            else:
                share = np.exp(exponent)
                probabilities[row] = share
                total += share
                exponents += share * exponent
        entropy += np.log(total) - exponents / total
        for row in range(begin, end):
            if probabilities[row] > 0.0:
                probabilities[row] /= total
                for column in range(len(sums)):
                    sums[column] += probabilities[row] * statistics[row, column]
    return entropy


@njit(nogil=True, cache=True)
def expectation_slopes(probabilities, offsets, statistics, worth, entropy_worth, slopes):
    """What a sum of expectations changes with each score: p_h (u_h - sum_j p_j u_j).

    u_h = worth . statistics_h - entropy_worth log p_h

    probabilities: float64[n]; offsets: int64[s + 1]; statistics: float64[n, k]; worth: float64[k];
    slopes: float64[n], written
    """
    for sentence in range(len(offsets) - 1):
        begin, end = offsets[sentence], offsets[sentence + 1]
        mean = 0.0
        for row in range(begin, end):
            slopes[row] = 0.0
            if probabilities[row] > 0.0:
                gain = 0.0
                for column in range(len(worth)):
                    gain += worth[column] * statistics[row, column]
                if entropy_worth != 0.0:
                    gain -= entropy_worth * np.log(probabilities[row])
                slopes[row] = gain
                mean += probabilities[row] * gain
        for row in range(begin, end):
            slopes[row] = probabilities[row] * (slopes[row] - mean)
