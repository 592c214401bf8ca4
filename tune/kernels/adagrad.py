"""AdaGrad steps with lazy L1 shrinkage, and gradients of pairwise ranking losses."""

import numpy as np
from numba import njit


@njit(nogil=True, cache=True)
def pairwise_gradient(ids, values, offsets, scores, pairs, hinge, gradient):
    """Add the gradient of the pairwise loss to ``gradient``; returns the loss.

    ids: int32, values: float32, offsets: int64[n + 1]: feature rows of the hypotheses
    scores: float64[n], model scores; pairs: int32[p, 2], better and worse hypothesis
    hinge: False for log(1 + exp(-w.x)) (Green et al. 2013, eq. 12), True for max(0, 1 - w.x)
    gradient: float64[num_features]
    """
    loss = 0.0
    for k in range(len(pairs)):
        better, worse = pairs[k, 0], pairs[k, 1]
        margin = scores[better] - scores[worse]
        if hinge:
            loss += max(0.0, 1.0 - margin)
            pull = 1.0 if margin < 1.0 else 0.0
        elif margin > 0.0:
            decay = np.exp(-margin)
            loss += np.log1p(decay)
            pull = decay / (1.0 + decay)
        else:
            loss += np.log1p(np.exp(margin)) - margin
            pull = 1.0 / (1.0 + np.exp(margin))
        if pull > 0.0:
            for place in range(offsets[better], offsets[better + 1]):
                gradient[ids[place]] -= pull * values[place]
            for place in range(offsets[worse], offsets[worse + 1]):
                gradient[ids[place]] += pull * values[place]
    return loss


@njit(nogil=True, cache=True)
def shrink(weight, amount):
    """sign(w) * max(0, |w| - amount): the FOBOS step of L1 (Green et al. 2013, eq. 15)."""
    if weight > amount:
        return weight - amount
    if weight < -amount:
        return weight + amount
    return 0.0


@njit(nogil=True, cache=True)
def catch_up(weights, squares, last, ids, step, rate, l1):
    """Pay the shrinkage that the features ``ids`` owe for the steps since they were last touched.

    A feature without gradient keeps its G, so k skipped steps owe k equal shares.
    weights, squares (G): float64[num_features]; last: int64[num_features], step last paid.
    """
    for feature in ids:
        owed = step - last[feature]
        last[feature] = step
        if owed > 0 and squares[feature] > 0.0 and weights[feature] != 0.0:
            share = rate / np.sqrt(squares[feature]) * l1
            weights[feature] = shrink(weights[feature], owed * share)


@njit(nogil=True, cache=True)
def adagrad_step(weights, squares, last, ids, gradient, step, rate, l1):
    """Step number ``step`` (from 1) on the features ``ids``: eqs. 4, 5, 14, 15.

    gradient: float64[num_features], read at ``ids``.
    """
    catch_up(weights, squares, last, ids, step - 1, rate, l1)
    for feature in ids:
        slope = gradient[feature]
        squares[feature] += slope * slope
        if squares[feature] > 0.0:
            speed = rate / np.sqrt(squares[feature])
            weights[feature] = shrink(weights[feature] - speed * slope, speed * l1)
        last[feature] = step
