"""The derivation that model and metric like best, or the model and not the metric (Chiang 2012)."""

import numpy as np

from align.kernels.lazy import borrowing, njit

__all__ = ["rerank"]


@borrowing
def _bleu(sums, background):
    """BLEU, 0 to 1, of two documents' statistics together: match and total by turns, length."""
    order, log = len(sums) // 2, 0.0
    for n in range(order):
        matches, total = sums[2 * n] + background[2 * n], sums[2 * n + 1] + background[2 * n + 1]
        if matches <= 0.0 or total <= 0.0:
            return 0.0
        log += np.log(matches / total) / order
    length, reference = sums[1] + background[1], sums[2 * order] + background[2 * order]
    return np.exp(log + min(0.0, 1.0 - reference / length))


@njit(nogil=True, cache=True)
def rerank(edges, scores, statistics, background, factor):
    """The best edge into each node, where each keeps its best derivation alone (section 5.2).

    What is the most: w h(d) + factor * B(d), B = n (BLEU(b + b(d)) - BLEU(b)) (eq. 3), of the
    derivations that the tails have kept.

    edges: Edges; scores: float64[E]; statistics: float64[E, 9], match and total of each order by
    turns, and the share of the reference length; background: float64[9], the oracle document b
    Returns int64[V].
    """
    edge_offsets, tail_offsets, tails = edges
    num = len(edge_offsets) - 1
    best, value = np.empty(num, np.int64), np.empty(num)
    sums, candidate = np.empty((num, statistics.shape[1])), np.empty(statistics.shape[1])
    nothing = np.zeros(statistics.shape[1])
    weight, before = factor * background[1], _bleu(nothing, background)
    for node in range(num):
        most = -np.inf
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            score = scores[edge]
            candidate[:] = statistics[edge]
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                score += value[tails[place]]
                for column in range(len(candidate)):
                    candidate[column] += sums[tails[place], column]
            worth = score + weight * (_bleu(candidate, background) - before)
            if worth > most or edge == edge_offsets[node]:
                most, best[node], value[node] = worth, edge, score
                sums[node] = candidate
    return best
