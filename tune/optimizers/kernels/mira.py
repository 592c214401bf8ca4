"""Steps of k-best MIRA (Cherry & Foster 2012), one sentence at a time."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing, njit

from ...kernels.bleu import COLUMNS, ORDER

_BLEU_RATIO = 5.0  # safe hope: how far the model may outweigh the gain, as in Moses' kbmira


class MiraState(NamedTuple):
    """What goes from sentence to sentence.

    weights, drift: float64[num_features]; the average of the weights after each of the steps so
    far is weights - drift / steps
    background: float64[K], statistics of the oracle document
    difference: float64[num_features], zeros between two steps
    """

    weights: NDArray[np.float64]
    drift: NDArray[np.float64]
    background: NDArray[np.float64]
    difference: NDArray[np.float64]


class MiraSettings(NamedTuple):
    """C and the decay of the oracle document; safe hope or not; whether the oracle is the 1-best.

    chiang: every sentence enters the document, and fades with it: b <- decay (b + h)
    See isogloss.tune.optimizers.mira.MiraOptions.
    """

    c: float
    decay: float
    safe: bool
    model_background: bool
    chiang: bool


@njit(nogil=True, cache=True)
def bleu_gains_in(background, statistics, gains):
    """Write BLEU of background + hypothesis times its reference length, as Bleu.gains_in does.

    background: float64[9]; statistics: float64[n, 9]; gains: float64[n]. Roots in place of
    logarithms: a third of the time.
    """
    for row in range(len(gains)):
        matches, totals = 1.0, 1.0
        for order in range(ORDER):
            matches *= background[2 * order] + statistics[row, 2 * order]
            totals *= background[2 * order + 1] + statistics[row, 2 * order + 1]
        score = 0.0
        length = background[1] + statistics[row, 1]
        reference = background[COLUMNS - 1] + statistics[row, COLUMNS - 1]
        if matches > 0.0:
            score = np.sqrt(np.sqrt(matches / totals))
            if reference > length:
                score *= np.exp(1.0 - reference / length)
        gains[row] = score * reference


@njit(nogil=True, cache=True)
def _highest(scores, scale, gains, sign):
    """Row of the highest ``scale * score + sign * gain``, the first of equal ones."""
    best = 0
    for row in range(1, len(scores)):
        if scale * scores[row] + sign * gains[row] > scale * scores[best] + sign * gains[best]:
            best = row
    return best


@njit(nogil=True, cache=True)
def _hope(scores, gains, safe):
    hope = _highest(scores, 1.0, gains, 1.0)
    if safe and abs(scores[hope]) > 1e-8:
        scale = abs(_BLEU_RATIO * gains[hope] / scores[hope])
        if scale < 1.0:
            hope = _highest(scores, scale, gains, 1.0)
    return hope


@njit(nogil=True, cache=True)
def mira_step(begin, gains, statistics, rows, state, settings, updates):
    """Hope and fear of one sentence and the step between them; returns the loss, 0 for no step.

    begin: number of the sentence's first hypothesis; gains: float64[n], those of its hypotheses
    statistics: float64[H, K]; rows: Rows, float32, the features of all H hypotheses
    state: MiraState, changed; settings: MiraSettings; updates: number of steps so far
    """
    ids, values, offsets = rows
    weights, background = state.weights, state.background
    scores = np.empty(len(gains))
    for row in range(len(gains)):
        total = 0.0
        for entry in range(offsets[begin + row], offsets[begin + row + 1]):
            total += weights[ids[entry]] * np.float64(values[entry])
        scores[row] = total
    hope, fear = _hope(scores, gains, settings.safe), _highest(scores, 1.0, gains, -1.0)
    loss = 0.0
    if hope != fear and gains[hope] > gains[fear]:
        loss = max(gains[hope] - gains[fear] - (scores[hope] - scores[fear]), 0.0)
        if loss > 0.0:
            _move(begin + hope, begin + fear, loss, rows, state, settings.c, updates)
    elif not settings.chiang:
        return 0.0
    model_best = _highest(scores, 1.0, gains, 0.0) if settings.model_background else hope
    oracle = begin + model_best
    for column in range(len(background)):
        if settings.chiang:
            background[column] = settings.decay * (background[column] + statistics[oracle, column])
        else:
            background[column] = settings.decay * background[column] + statistics[oracle, column]
    return loss


@borrowing
def _move(hope, fear, loss, rows, state, c, updates):
    """w += min(C, loss / ||d||^2) d, where d are the features of hope minus those of fear."""
    ids, values, offsets = rows
    difference = state.difference
    for entry in range(offsets[hope], offsets[hope + 1]):
        difference[ids[entry]] += values[entry]
    for entry in range(offsets[fear], offsets[fear + 1]):
        difference[ids[entry]] -= values[entry]
    square = 0.0  # a feature that stands twice in a row adds up, so d is summed by its entries
    for entry in range(offsets[hope], offsets[hope + 1]):
        square += difference[ids[entry]] * values[entry]
    for entry in range(offsets[fear], offsets[fear + 1]):
        square -= difference[ids[entry]] * values[entry]
    rate = c if c * square <= loss else loss / square
    for row in (hope, fear):
        for entry in range(offsets[row], offsets[row + 1]):
            feature = ids[entry]
            change = rate * difference[feature]
            state.weights[feature] += change
            state.drift[feature] += updates * change
            difference[feature] = 0.0


@njit(nogil=True, cache=True)
def bleu_epoch(order, sentence_offsets, statistics, rows, state, settings, updates):
    """:func:`mira_step` on each sentence of ``order`` with gains of BLEU; returns loss and steps.

    order: int64, numbers of sentences; sentence_offsets: int64[S + 1]; others as there
    """
    total = 0.0
    for sentence in order:
        begin, end = sentence_offsets[sentence], sentence_offsets[sentence + 1]
        gains = np.empty(end - begin)
        bleu_gains_in(state.background, statistics[begin:end], gains)
        loss = mira_step(begin, gains, statistics, rows, state, settings, updates)
        if loss > 0.0:
            updates += 1
            total += loss
    return total, updates
