"""What can be known of a sentence before the search: estimates of options, and future costs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing, njit
from isogloss.align.kernels.sorting import rising_order

from .coverage import WINDOW
from .ngram import States, bound_word, copy_state, empty_states, score_word
from .reordering import Reordering

__all__ = [
    "Estimates",
    "FutureCosts",
    "Options",
    "Sentence",
    "Spans",
    "future_cost",
    "future_costs",
    "prepare_sentence",
]


class Options(NamedTuple):
    """Translation options of a sentence, sorted by (begin, end).

    begin, end: int32[num], source span [begin, end).
    score: float64[num], weighted sum of the features that need no context.
    words: int32[num_models, num_words], ids of the target words in each language model.
    word_offsets: int64[num + 1], option k is ``words[:, word_offsets[k]:word_offsets[k + 1]]``.
    surface: int32[num_words], ids that tell the target words apart.
    """

    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    score: NDArray[np.float64]
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]
    surface: NDArray[np.int32]


class Estimates(NamedTuple):
    """What the language models say about each option alone.

    value: float64[num], option score with its words scored from an empty context.
    ahead: float64[num, width + 1], [k, i] is the most that the words of option k from i on can be
        worth in any context; where a negative weight makes a loss a gain inf throughout, or what
        they are worth without context.
    tail: float64[num, num_models], natural log of the words that no earlier context reaches.
    states: States, [k] is the state after the last word of option k.
    """

    value: NDArray[np.float64]
    ahead: NDArray[np.float64]
    tail: NDArray[np.float64]
    states: States


class Spans(NamedTuple):
    """Source spans that have options.

    lengths: int64[num_lengths], the lengths that occur, ascending.
    number: int32[num_source_words, num_lengths], span at a position and length, -1 = none.
    offsets: int64[num_spans + 1], the options of span s are ``option[offsets[s]:offsets[s + 1]]``.
    option: int32[columns, num], options by span for each column of `Reordering`, highest
        bound first.
    bound: float64[columns, num], bounds in that order; best: float64[columns, num_spans], the first
        of each span.
    """

    lengths: NDArray[np.int64]
    number: NDArray[np.int32]
    offsets: NDArray[np.int64]
    option: NDArray[np.int32]
    bound: NDArray[np.float64]
    best: NDArray[np.float64]


class FutureCosts(NamedTuple):
    """Future-cost table (Koehn et al. 2003).

    inner: float64[num + 1, WINDOW + 1], best estimate of the source span [i, i + width).
    rest: float64[num + 1], best estimate of everything from i on.
    """

    inner: NDArray[np.float64]
    rest: NDArray[np.float64]


class Sentence(NamedTuple):
    """A sentence to search, and what is known of it before."""

    options: Options
    reordering: Reordering
    estimates: Estimates
    spans: Spans
    future: FutureCosts


@njit(nogil=True, cache=True)
def _estimate_options(options, table, weights, bounded):
    """Score the words of each option from an empty context; see `Estimates`."""
    num, num_models, width = len(options.score), len(weights), table.width
    value, ahead = options.score.copy(), np.zeros((num, width + 1))
    tail, states = np.zeros((num, num_models)), empty_states(table, num)
    before = empty_states(table, 1)
    for option in range(num):
        start = options.word_offsets[option]
        for k in range(options.word_offsets[option + 1] - start):
            copy_state(states, option, before, 0)
            for model in range(num_models):
                word = options.words[model, start + k]
                score = score_word(table, model, before, 0, word, states, option)
                value[option] += weights[model] * score
                if k < width and weights[model] >= 0.0:
                    most = bound_word(table, model, before, 0, word)
                    ahead[option, k] += weights[model] * most
                elif k < width:
                    ahead[option, k] += weights[model] * score
                else:
                    tail[option, model] += score
                    ahead[option, width] += weights[model] * score
        for k in range(width - 1, -1, -1):
            ahead[option, k] += ahead[option, k + 1]
    if bounded and weights.min() < 0.0:
        ahead[:] = np.inf
    return Estimates(value, ahead, tail, states)


@njit(nogil=True, cache=True)
def future_costs(begin, end, value, num_source_words):
    """Best estimates of source spans over all their divisions into options.

    Only two kinds of span are ever left open: gaps within the window and the whole rest of the
    sentence, so the table grows with the sentence and not with its square.

    begin, end: int32[num], source spans, sorted by begin.
    value: float64[num], estimate of each option.
    num_source_words: length of the sentence.
    Returns inner float64[num_source_words + 1, WINDOW + 1], span [i, i + width), -inf beyond the
    sentence, and rest float64[num_source_words + 1], span [i, num_source_words).
    """
    inner = np.full((num_source_words + 1, WINDOW + 1), -np.inf)
    rest = np.full(num_source_words + 1, -np.inf)
    inner[:, 0] = 0.0
    rest[num_source_words] = 0.0
    for option in range(len(begin) - 1, -1, -1):
        at, after = begin[option], end[option]
        length = after - at
        rest[at] = max(rest[at], value[option] + rest[after])
        for width in range(length, min(WINDOW, num_source_words - at) + 1):
            inner[at, width] = max(inner[at, width], value[option] + inner[after, width - length])
    return inner, rest


@borrowing
def future_cost(future, begin, end):
    """Estimate of the open span [begin, end). future: FutureCosts."""
    within, beyond = future.inner[begin, min(end - begin, WINDOW)], future.rest[begin]
    return beyond if end == len(future.rest) - 1 else within


@njit(nogil=True, cache=True)
def _gather_spans(begin, end, bound, num_source_words):
    """Group options by span, highest bound (float64[columns, num]) first; see `Spans`."""
    num_columns, num = bound.shape
    column = np.full(num_source_words + 1, -1, np.int64)  # of each length
    for option in range(num):
        column[end[option] - begin[option]] = 0
    lengths = np.flatnonzero(column == 0)
    for k in range(len(lengths)):
        column[lengths[k]] = k
    number = np.full((num_source_words, len(lengths)), -1, np.int32)
    offsets = np.zeros(num + 1, np.int64)
    options, sorted_bound = np.empty(bound.shape, np.int32), np.empty(bound.shape)
    best = np.empty(bound.shape)
    num_spans = stop = 0
    while stop < num:
        start = stop
        while stop < num and begin[stop] == begin[start] and end[stop] == end[start]:
            stop += 1
        for kind in range(num_columns):
            order = rising_order(-bound[kind, start:stop])
            for k in range(stop - start):
                options[kind, start + k] = start + order[k]
                sorted_bound[kind, start + k] = bound[kind, start + order[k]]
            best[kind, num_spans] = sorted_bound[kind, start]
        number[begin[start], column[end[start] - begin[start]]] = num_spans
        num_spans += 1
        offsets[num_spans] = stop
    return Spans(lengths, number, offsets[: num_spans + 1], options, sorted_bound, best)


@njit(nogil=True, cache=True)
def prepare_sentence(options, reordering, num_source_words, table, weights, bounded):
    """The Sentence of some options.

    options: Options, of ``num_source_words`` source words; reordering: Reordering of them.
    table: NgramArrays; weights: float64[num_models], of the language models.
    bounded: whether `Estimates.ahead` must be a bound, else it is only to rank options by
    """
    estimates = _estimate_options(options, table, weights, bounded)
    inner, rest = future_costs(options.begin, options.end, estimates.value, num_source_words)
    bound = options.score + estimates.ahead[:, 0] + reordering.previous.T
    spans = _gather_spans(options.begin, options.end, bound, num_source_words)
    return Sentence(options, reordering, estimates, spans, FutureCosts(inner, rest))
