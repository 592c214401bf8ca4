"""The derivation that model and metric like best, or the model and not the metric (Chiang 2012)."""

import numpy as np

from isogloss.align.kernels.lazy import borrowing, njit

from ...kernels.bleu import COLUMNS, ORDER

__all__ = ["rerank"]


@borrowing
def _bleu(sums, background):
    """BLEU, 0 to 1, of two documents' statistics together: match and total by turns, length."""
    matches, totals = 1.0, 1.0
    for n in range(ORDER):
        matches *= sums[2 * n] + background[2 * n]
        totals *= sums[2 * n + 1] + background[2 * n + 1]
    if matches <= 0.0 or totals <= 0.0:  # none is below 0
        return 0.0
    result = np.sqrt(np.sqrt(matches / totals))
    length, reference = sums[1] + background[1], sums[2 * ORDER] + background[2 * ORDER]
    return result * np.exp(1.0 - reference / length) if reference > length else result


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
    sums, candidate, nothing = np.empty((num, COLUMNS)), np.empty(COLUMNS), np.zeros(COLUMNS)
    weight, before = factor * background[1], _bleu(nothing, background)
    for node in range(num):
        most = -np.inf
        for edge in range(edge_offsets[node], edge_offsets[node + 1]):
            score = scores[edge]
            for column in range(COLUMNS):
                candidate[column] = statistics[edge, column]
            for place in range(tail_offsets[edge], tail_offsets[edge + 1]):
                score += value[tails[place]]
                for column in range(COLUMNS):
                    candidate[column] += sums[tails[place], column]
            worth = score + weight * (_bleu(candidate, background) - before)
            if worth > most or edge == edge_offsets[node]:
                most, best[node], value[node] = worth, edge, score
                sums[node] = candidate
    return best
