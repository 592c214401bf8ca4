"""Losses of a mini-batch of difference vectors, with their gradients.

Everywhere: rows are Rows of float64 values, whose ids are columns; weights float64[c] are those of
the columns; the gradient is added to slopes float64[c] and the loss returned.
"""

import numpy as np

from isogloss.align.kernels.lazy import njit

LOGISTIC, HINGE, PERCEPTRON = 0, 1, 2
ORACLE, RAMP = 0, 1


@njit(nogil=True, cache=True)
def dot(columns, values, begin, end, weights):
    """Sum of weight times value of the entries ``begin`` to ``end``."""
    total = 0.0
    for entry in range(begin, end):
        total += weights[columns[entry]] * values[entry]
    return total


@njit(nogil=True, cache=True)
def margin_loss(kind, margin):
    """Loss of the margin w.x of a pair, and minus its slope.

    LOGISTIC: log(1 + exp(-m)) (Green et al. 2013, eq. 12); HINGE: max(0, 1 - m);
    PERCEPTRON: max(0, -m), with a slope of -1 at 0.
    """
    if kind == HINGE:
        return max(0.0, 1.0 - margin), 1.0 if margin < 1.0 else 0.0
    if kind == PERCEPTRON:
        return max(0.0, -margin), 1.0 if margin <= 0.0 else 0.0
    if margin > 0.0:
        decay = np.exp(-margin)
        return np.log1p(decay), decay / (1.0 + decay)
    return np.log1p(np.exp(margin)) - margin, 1.0 / (1.0 + np.exp(margin))


@njit(nogil=True, cache=True)
def pairwise_loss(rows, weights, kind, slopes):
    """Sum of :func:`margin_loss` of all rows, each better minus worse hypothesis of a pair."""
    columns, values, offsets = rows
    total = 0.0
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        loss, pull = margin_loss(kind, dot(columns, values, begin, end, weights))
        total += loss
        if pull > 0.0:
            for entry in range(begin, end):
                slopes[columns[entry]] -= pull * values[entry]
    return total


@njit(nogil=True, cache=True)
def hope_and_fear(scores, gains, begin, end, kind, scale):
    """The hypotheses to move to and away from, the first of equally good ones.

    ORACLE: the highest gain (of equal ones the highest score), and the highest score
    RAMP: the highest score + gain, and the highest score - gain
    """
    hope = fear = begin
    for row in range(begin + 1, end):
        if kind == ORACLE:
            better = gains[row] > gains[hope] or (
                gains[row] == gains[hope] and scores[row] > scores[hope]
            )
            worse = scores[row] > scores[fear]
        else:
            gain = scale * gains[row]
            better = scores[row] + gain > scores[hope] + scale * gains[hope]
            worse = scores[row] - gain > scores[fear] - scale * gains[fear]
        if better:
            hope = row
        if worse:
            fear = row
    return hope, fear


@njit(nogil=True, cache=True)
def hope_fear_loss(rows, bounds, gains, weights, kind, scale, slopes):
    """Sum over the sentences of a loss of two hypotheses, see :func:`hope_and_fear`.

    rows: hypotheses less the first one of their sentence; bounds: int64[num_sentences + 1], rows
    of each; gains: float64[n]; scale: what a gain of 1 is worth in model score.
    With scores s and scaled gains g of hope h and fear f:
    ORACLE: s(f) - s(h), the structured perceptron's;
    RAMP: max(s - g) - max(s + g) + 2 max(g), at least 0 (Gimpel & Smith 2012, loss 3). MIRA's hinge
    g(h) - g(f) - s(h) + s(f) of the same h and f is never below 0, so that it has this gradient.
    """
    columns, values, offsets = rows
    scores = np.empty(len(gains))
    for row in range(len(gains)):
        scores[row] = dot(columns, values, offsets[row], offsets[row + 1], weights)
    difference = np.zeros(len(weights))
    loss = 0.0
    for sentence in range(len(bounds) - 1):
        begin, end = bounds[sentence], bounds[sentence + 1]
        hope, fear = hope_and_fear(scores, gains, begin, end, kind, scale)
        margin = scores[hope] - scores[fear]
        cost = scale * (gains[hope] - gains[fear])
        if kind == RAMP:
            loss += 2.0 * scale * (gains[begin:end].max() - gains[fear]) - margin - cost
        else:
            loss -= margin
        if not cost > 0.0:
            continue
        # one vector first: what is equal in both cancels exactly
        for entry in range(offsets[hope], offsets[hope + 1]):
            difference[columns[entry]] += values[entry]
        for entry in range(offsets[fear], offsets[fear + 1]):
            difference[columns[entry]] -= values[entry]
        for row in (hope, fear):
            for entry in range(offsets[row], offsets[row + 1]):
                column = columns[entry]
                slopes[column] -= difference[column]
                difference[column] = 0.0
    return loss


@njit(nogil=True, cache=True)
def expected_loss(rows, bounds, gains, weights, scale, slopes):
    """Minus the expected gain of each sentence under softmax(scale * score).

    Rows, bounds and gains as in :func:`hope_fear_loss`. Gradient: -scale (E[g f] - E[g] E[f]).
    Gains count from the first hypothesis: where all are equal there is no gradient at all.
    """
    columns, values, offsets = rows
    loss = 0.0
    for sentence in range(len(bounds) - 1):
        begin, end = bounds[sentence], bounds[sentence + 1]
        chance = np.empty(end - begin)
        for row in range(begin, end):
            score = dot(columns, values, offsets[row], offsets[row + 1], weights)
            chance[row - begin] = scale * score
        chance = np.exp(chance - chance.max())
        chance /= chance.sum()
        expected = 0.0
        for row in range(begin, end):
            expected += chance[row - begin] * (gains[row] - gains[begin])
        loss -= expected + gains[begin]
        for row in range(begin, end):
            push = scale * chance[row - begin] * (gains[row] - gains[begin] - expected)
            if push != 0.0:
                for entry in range(offsets[row], offsets[row + 1]):
                    slopes[columns[entry]] -= push * values[entry]
    return loss
