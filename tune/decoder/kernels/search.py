"""Beam search of a phrase-based decoder with recombination (Koehn et al. 2003, Koehn 2004).

One stack per number of covered source words. A stack is filled from the stacks before it: every
way to place a source span after an earlier node is a *move*; moves are taken best bound first, so
the stack soon holds good nodes and the rest is cut off before the language model is asked.

Coverage is the first uncovered position and a 64-bit window of what is covered from there on.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import njit

from .ngram import END, PAD, bound_word, score_word, start_context

__all__ = [
    "WINDOW",
    "Options",
    "Parameters",
    "future_costs",
    "search_lattice",
]

WINDOW = 64  # bits of the coverage window, and so the largest distortion limit

_ONE = np.uint64(1)
_SHIFT = np.uint64(32)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


class Options(NamedTuple):
    """Translation options of a sentence, sorted by (begin, end).

    begin, end: int32[num], source span [begin, end).
    score: float64[num], weighted sum of the features that need no context.
    words: int32[num_words], language-model ids of the target words.
    word_offsets: int64[num + 1], option k is ``words[word_offsets[k]:word_offsets[k + 1]]``.
    """

    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    score: NDArray[np.float64]
    words: NDArray[np.int32]
    word_offsets: NDArray[np.int64]


class Parameters(NamedTuple):
    """Weights and limits of a search.

    language_model_weight, distortion_weight: weights of the two features scored here.
    distortion_limit: 0 to WINDOW source words.
    stack_size: nodes kept per stack.
    beam: lowest log ratio to the best node of a stack, -inf = off.
    """

    language_model_weight: float
    distortion_weight: float
    distortion_limit: int
    stack_size: int
    beam: float


class _Estimates(NamedTuple):
    """What the language model says about each option alone.

    value: float64[num], option score with its words scored from an empty context.
    ahead: float64[num, order], [k, i] is the most (natural log) that the words of option k from i
        on can get in any context; -inf throughout where a negative weight makes a loss a gain.
    tail: float64[num], natural log of the words that no earlier context reaches.
    contexts, backoffs: int32 and float32[num, order - 1], state after the last word.
    """

    value: NDArray[np.float64]
    ahead: NDArray[np.float64]
    tail: NDArray[np.float64]
    contexts: NDArray[np.int32]
    backoffs: NDArray[np.float32]


class _Spans(NamedTuple):
    """Source spans that have options.

    lengths: int64[num_lengths], the lengths that occur, ascending.
    number: int32[num_source_words, num_lengths], span at a position and length, -1 = none.
    offsets: int64[num_spans + 1], the options of span s are ``option[offsets[s]:offsets[s + 1]]``.
    option: int32[num], options by span, highest bound first.
    bound: float64[num], bounds in that order; best: float64[num_spans], the first of each span.
    """

    lengths: NDArray[np.int64]
    number: NDArray[np.int32]
    offsets: NDArray[np.int64]
    option: NDArray[np.int32]
    bound: NDArray[np.float64]
    best: NDArray[np.float64]


class _Future(NamedTuple):
    """Future-cost table.

    inner: float64[num + 1, WINDOW + 1], best estimate of the source span [i, i + width).
    rest: float64[num + 1], best estimate of everything from i on.
    """

    inner: NDArray[np.float64]
    rest: NDArray[np.float64]


class _Nodes(NamedTuple):
    """Recombined hypotheses, with room to grow.

    score: float64[room], best so far; future: float64[room], estimate of the rest.
    key: uint64[room], hash of all that follows here.
    window: uint64[room]; first: int32[room], coverage; end: int32[room], of the last phrase.
    contexts, backoffs: int32 and float32[room, order - 1], language-model state.
    """

    score: NDArray[np.float64]
    future: NDArray[np.float64]
    key: NDArray[np.uint64]
    window: NDArray[np.uint64]
    first: NDArray[np.int32]
    end: NDArray[np.int32]
    contexts: NDArray[np.int32]
    backoffs: NDArray[np.float32]


class _Arcs(NamedTuple):
    """Phrases between nodes, with room to grow.

    score: float64[room], weighted; language_model: float64[room], natural log.
    previous, option, node: int32[room].
    """

    score: NDArray[np.float64]
    language_model: NDArray[np.float64]
    previous: NDArray[np.int32]
    option: NDArray[np.int32]
    node: NDArray[np.int32]


class _Moves(NamedTuple):
    """Ways to place a span behind a node, with room to grow.

    bound: float64[room], most that score + future can become.
    base: float64[room], score before the option; rest: float64[room], future after it.
    node, span: int32[room].
    """

    bound: NDArray[np.float64]
    base: NDArray[np.float64]
    rest: NDArray[np.float64]
    node: NDArray[np.int32]
    span: NDArray[np.int32]


# --- what can be known before the search ---------------------------------------------------------


@njit(nogil=True, cache=True)
def _estimate_options(options, table, width, weight):
    """Score each option's words from an empty context; see `_Estimates`."""
    num = len(options.score)
    value, ahead = options.score.copy(), np.zeros((num, width + 1))
    contexts, backoffs = np.full((num, width), PAD, np.int32), np.zeros((num, width), np.float32)
    old_context, old_backoff = np.empty((1, width), np.int32), np.empty((1, width), np.float32)
    tail = np.zeros(num)
    unigrams, keys, values = table.unigrams, table.keys, table.values
    for option in range(num):
        start = options.word_offsets[option]
        for place in range(options.word_offsets[option + 1] - start):
            word = options.words[start + place]
            _copy_state(contexts, backoffs, option, old_context, old_backoff, 0)
            score = score_word(
                unigrams,
                keys,
                values,
                old_context,
                old_backoff,
                0,
                word,
                contexts,
                backoffs,
                option,
            )
            value[option] += weight * score
            if place < width:
                ahead[option, place] = bound_word(table, old_context, old_backoff, 0, word)
            else:
                tail[option] += score
        ahead[option, width] = tail[option]
        for place in range(width - 1, -1, -1):
            ahead[option, place] += ahead[option, place + 1]
    if weight < 0.0:
        ahead[:] = -np.inf
    return _Estimates(value, ahead, tail, contexts, backoffs)


@njit(nogil=True, cache=True)
def _copy_state(contexts, backoffs, row, to_contexts, to_backoffs, to_row):
    """Copy one language-model state (by elements: slices of this size cost Numba more)."""
    for place in range(contexts.shape[1]):
        to_contexts[to_row, place] = contexts[row, place]
        to_backoffs[to_row, place] = backoffs[row, place]


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


@njit(nogil=True, cache=True)
def _future(inner, rest, begin, end):
    """Estimate of the open span [begin, end)."""
    within, beyond = inner[begin, min(end - begin, WINDOW)], rest[begin]
    return beyond if end == len(rest) - 1 else within


@njit(nogil=True, cache=True)
def _gather_spans(begin, end, bound, num_source_words):
    """Group options by span, highest bound first; see `_Spans`."""
    num = len(begin)
    lengths = np.unique((end - begin).astype(np.int64))
    number = np.full((num_source_words, len(lengths)), -1, np.int32)
    offsets = np.zeros(num + 1, np.int64)
    option, sorted_bound = np.empty(num, np.int32), np.empty(num)
    num_spans = stop = 0
    while stop < num:
        start = stop
        while stop < num and begin[stop] == begin[start] and end[stop] == end[start]:
            stop += 1
        order = np.argsort(-bound[start:stop], kind="mergesort")
        option[start:stop] = start + order
        sorted_bound[start:stop] = bound[start:stop][order]
        number[begin[start], np.searchsorted(lengths, end[start] - begin[start])] = num_spans
        num_spans += 1
        offsets[num_spans] = stop
    best = sorted_bound[offsets[:num_spans]]
    return _Spans(lengths, number, offsets[: num_spans + 1], option, sorted_bound, best)


# --- coverage ------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _is_covered(window, distance):
    """Is the position ``distance`` behind the first uncovered one covered?"""
    return distance < WINDOW and (window >> np.uint64(distance)) & _ONE != 0


@njit(nogil=True, cache=True)
def _gap_end(window, first, position, num_source_words):
    """End of the gap that the uncovered ``position`` lies in."""
    while position < num_source_words and not _is_covered(window, position - first):
        if position - first >= WINDOW:
            return num_source_words
        position += 1
    return position


@njit(nogil=True, cache=True)
def _cover(first, window, begin, end):
    """First uncovered position and window after [begin, end) has been covered."""
    if begin > first:  # the distortion limit keeps end - first <= WINDOW
        for position in range(begin - first, end - first):
            window |= _ONE << np.uint64(position)
        return first, window
    shift = end - first
    window = window >> np.uint64(shift) if shift < WINDOW else np.uint64(0)
    while window & _ONE:
        window >>= _ONE
        end += 1
    return end, window


@njit(nogil=True, cache=True)
def _grown(array, used, num):
    """The array itself if it has ``num`` rows, else a larger one with the ``used`` first rows."""
    if num <= len(array):
        return array
    larger = np.empty((2 * num, *array.shape[1:]), array.dtype)
    larger[:used] = array[:used]
    return larger


@njit(nogil=True, cache=True)
def _with_room_for_moves(moves, used, num):
    """The ``used`` moves with room for ``num``."""
    return _Moves(
        _grown(moves.bound, used, num),
        _grown(moves.base, used, num),
        _grown(moves.rest, used, num),
        _grown(moves.node, used, num),
        _grown(moves.span, used, num),
    )


@njit(nogil=True, cache=True)
def _add_moves(moves, num, nodes, begin_node, end_node, spans, column, future, parameters):
    """Append every way to place a span of one length behind the nodes [begin_node, end_node).

    A phrase may jump at most the distortion limit; one that leaves the first uncovered word
    behind must also end within the limit of it. So it is always possible to come back: what is
    covered behind the first uncovered word lies within the limit of it, the last phrase too, and
    that word has an option of length 1. No node is a dead end.
    Returns the moves and their number.
    """
    limit, weight = parameters.distortion_limit, parameters.distortion_weight
    moves = _with_room_for_moves(moves, num, num + (end_node - begin_node) * (limit + 1))
    bound, base, rest, move_node, move_span = moves
    inner, whole = future
    length, number, best = spans.lengths[column], spans.number, spans.best
    score, node_future, firsts = nodes.score, nodes.future, nodes.first
    windows, ends = nodes.window, nodes.end
    num_source_words = len(whole) - 1
    for node in range(begin_node, end_node):
        first, window, last = firsts[node], windows[node], ends[node]
        left = first
        while left < num_source_words and (left == first or left + length <= first + limit):
            right = _gap_end(window, first, left, num_source_words)
            closed = node_future[node] - _future(inner, whole, left, right)
            for begin in range(left, right - length + 1):
                if begin > first and begin + length > first + limit:
                    break
                jump, span = abs(last - begin), number[begin, column]
                if span < 0 or jump > limit:
                    continue
                before = _future(inner, whole, left, begin)
                after = _future(inner, whole, begin + length, right)
                base[num] = score[node] - weight * jump
                rest[num] = closed + before + after
                bound[num] = base[num] + rest[num] + best[span]
                move_node[num], move_span[num] = node, span
                num += 1
            left = right
            while _is_covered(window, left - first):
                left += 1
    return moves, num


@njit(nogil=True, cache=True)
def _sift(heap, size, place, bound):
    """Let a move sink in the heap (int64[>= size]) to its place: best bound first, then oldest."""
    move = heap[place]
    top = bound[move]
    child = 2 * place + 1
    while child < size:
        left, right = heap[child], heap[min(child + 1, size - 1)]
        if _before(bound[right], right, bound[left], left):
            left = right
            child += 1
        if _before(bound[left], left, top, move):
            heap[place] = left
            place = child
        else:
            size = 0
        child = 2 * place + 1
    heap[place] = move


@njit(nogil=True, cache=True)
def _before(bound, move, other_bound, other):
    """Does a move come before another?"""
    return bound > other_bound or (bound == other_bound and move < other)


@njit(nogil=True, cache=True)
def _heap(bound, num):
    """int64[num], heap of the moves 0 to num - 1."""
    heap = np.arange(num)
    for place in range(num // 2 - 1, -1, -1):
        _sift(heap, num, place, bound)
    return heap


@njit(nogil=True, cache=True)
def _most_arcs(moves, num, spans):
    """How many arcs so many moves can make."""
    span, offsets = moves.span, spans.offsets
    total = 0
    for move in range(num):
        total += offsets[span[move] + 1] - offsets[span[move]]
    return total


# --- one stack -----------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _with_room_for_nodes(nodes, used, num):
    """The ``used`` nodes with room for ``num``."""
    return _Nodes(
        _grown(nodes.score, used, num),
        _grown(nodes.future, used, num),
        _grown(nodes.key, used, num),
        _grown(nodes.window, used, num),
        _grown(nodes.first, used, num),
        _grown(nodes.end, used, num),
        _grown(nodes.contexts, used, num),
        _grown(nodes.backoffs, used, num),
    )


@njit(nogil=True, cache=True)
def _with_room_for_arcs(arcs, used, num):
    """The ``used`` arcs with room for ``num``."""
    return _Arcs(
        _grown(arcs.score, used, num),
        _grown(arcs.language_model, used, num),
        _grown(arcs.previous, used, num),
        _grown(arcs.option, used, num),
        _grown(arcs.node, used, num),
    )


@njit(nogil=True, cache=True)
def _score_phrase(
    unigrams, keys, values, words, start, num, ahead, option, weight, least, contexts, backoffs
):
    """Natural-log probability of an option's first words, those that the context reaches.

    unigrams, keys, values: see `score_word`. words: int32; the phrase starts at ``start``.
    num: how many words to score, at most order - 1; ahead: see `_Estimates`.
    least: give up once the weighted probability of the phrase cannot reach this.
    contexts, backoffs: int32 and float32[2, order - 1], the context in row 0; scratch.
    Returns it and the row of the state after the last word, -1 = gave up.
    """
    row, total = 0, 0.0
    place = 0
    while place < num:
        word, new_row = words[start + place], 1 - row
        total += score_word(
            unigrams, keys, values, contexts, backoffs, row, word, contexts, backoffs, new_row
        )
        row = new_row
        place += 1
        if weight * (total + ahead[option, place]) < least:
            row, place = -1, num
    return total, row


@njit(nogil=True, cache=True)
def _node_key(first, window, end, contexts, row):
    """Hash of what must be equal for two hypotheses to be recombined."""
    key = window * _FACTOR + np.uint64(first)
    key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(end)
    for place in range(contexts.shape[1]):
        key = (key ^ (key >> _SHIFT)) * _FACTOR + np.uint64(contexts[row, place] + 1)
    key = (key ^ (key >> _SHIFT)) * _FACTOR
    return key ^ (key >> _SHIFT)


@njit(nogil=True, cache=True)
def _slot(slots, keys, windows, firsts, ends, node_contexts, state, contexts, row):
    """Slot of the node of this coverage, last end and context, or the empty one for it.

    state: key, window, first and end that are looked for; the context is row ``row``.
    """
    key, window, first, end = state
    mask = np.uint64(len(slots) - 1)
    slot = key & mask
    going = True
    while going:
        node = max(slots[slot], 0)
        other = (keys[node] != key) | (windows[node] != window)
        other |= (firsts[node] != first) | (ends[node] != end)
        going = slots[slot] >= 0 and (other or not _same_words(node_contexts, node, contexts, row))
        if going:
            slot = (slot + _ONE) & mask
    return slot


@njit(nogil=True, cache=True)
def _same_words(contexts, row, other_contexts, other_row):
    """Are two rows equal?"""
    same = True
    for place in range(contexts.shape[1]):
        same &= contexts[row, place] == other_contexts[other_row, place]
    return same


@njit(nogil=True, cache=True)
def _slots_for(size, keys, begin, end):
    """A hash map for ``size`` nodes and more, with the nodes [begin, end) in it."""
    capacity = 1024
    while capacity < 4 * size:
        capacity *= 2
    slots = np.full(capacity, -1, np.int32)
    mask = np.uint64(capacity - 1)
    for node in range(begin, end):
        slot = keys[node] & mask
        while slots[slot] >= 0:
            slot = (slot + _ONE) & mask
        slots[slot] = node
    return slots


@njit(nogil=True, cache=True)
def _threshold(score, future, start, num, stack_size, beam):
    """Value (score + future) below which no node of the stack [start, num) can stay."""
    values = score[start:num] + future[start:num]
    threshold = -np.inf
    if len(values) > stack_size:
        threshold = np.partition(values, len(values) - stack_size)[len(values) - stack_size]
    if beam > -np.inf and len(values) > 0:
        threshold = max(threshold, values.max() + beam)
    return threshold


@njit(nogil=True, cache=True)
def _fill_stack(
    nodes,
    start,
    arcs,
    num_arcs,
    moves,
    num_moves,
    options,
    table,
    estimates,
    spans,
    parameters,
    complete,
):
    """Make the nodes and arcs of one stack from its moves, best bound first.

    Nodes start at ``start``, arcs at ``num_arcs``; there is room for `_most_arcs` of both.
    complete: is this the stack of complete hypotheses, which </s> makes one node?
    Returns the numbers of nodes and arcs.
    """
    # Arrays are taken out of their tuples once: in the loop each would cost two atomic counts.
    unigrams, keys, values = table.unigrams, table.keys, table.values
    begins, ends, option_score, words, word_offsets = options
    _, ahead, tail, last_contexts, last_backoffs = estimates
    span_offsets, span_option, span_bound = spans.offsets, spans.option, spans.bound
    move_bound, move_base, move_rest, move_node, move_span = moves
    (
        node_score,
        node_future,
        node_key,
        node_window,
        node_first,
        node_end,
        node_contexts,
        node_backoffs,
    ) = nodes
    arc_score, arc_language_model, arc_previous, arc_option, arc_node = arcs
    weight = parameters.language_model_weight
    width = node_contexts.shape[1]
    contexts, backoffs = np.empty((2, width), np.int32), np.empty((2, width), np.float32)
    slots = np.full(1024, -1, np.int32)
    step = max(1, parameters.stack_size // 8)
    num, renewal, threshold = start, start + step, -np.inf
    heap = _heap(move_bound, num_moves)
    while num_moves > 0:
        move = heap[0]
        num_moves -= 1
        heap[0] = heap[num_moves]
        _sift(heap, num_moves, 0, move_bound)
        if move_bound[move] < threshold:
            break
        base, rest = move_base[move], move_rest[move]
        previous, span = move_node[move], move_span[move]
        first_place, last_place = span_offsets[span], span_offsets[span + 1]
        begin, end = begins[span_option[first_place]], ends[span_option[first_place]]
        distortion = -parameters.distortion_weight * abs(node_end[previous] - begin)
        first, window = _cover(node_first[previous], node_window[previous], begin, end)
        if complete:
            end = first
        most = num - start + last_place - first_place
        if 2 * most > len(slots):
            slots = _slots_for(most, node_key, start, num)
        for place in range(first_place, last_place):
            if base + rest + span_bound[place] < threshold:
                break
            option = span_option[place]
            num_words = word_offsets[option + 1] - word_offsets[option]
            _copy_state(node_contexts, node_backoffs, previous, contexts, backoffs, 0)
            language_model, row = _score_phrase(
                unigrams,
                keys,
                values,
                words,
                word_offsets[option],
                min(num_words, width),
                ahead,
                option,
                weight,
                threshold - rest - base - option_score[option],
                contexts,
                backoffs,
            )
            if row < 0:
                continue
            language_model += tail[option]
            if num_words > width:
                _copy_state(last_contexts, last_backoffs, option, contexts, backoffs, row)
            if complete:
                language_model += score_word(
                    unigrams,
                    keys,
                    values,
                    contexts,
                    backoffs,
                    row,
                    END,
                    contexts,
                    backoffs,
                    1 - row,
                )
                contexts[row] = PAD
            gain = option_score[option] + weight * language_model + distortion
            score = node_score[previous] + gain
            if score + rest < threshold:
                continue
            key = _node_key(first, window, end, contexts, row)
            slot = _slot(
                slots,
                node_key,
                node_window,
                node_first,
                node_end,
                node_contexts,
                (key, window, first, end),
                contexts,
                row,
            )
            node = slots[slot]
            if node < 0:
                node = num
                num += 1
                slots[slot] = node
                node_score[node], node_future[node], node_key[node] = score, rest, key
                node_first[node], node_window[node], node_end[node] = first, window, end
                _copy_state(contexts, backoffs, row, node_contexts, node_backoffs, node)
            node_score[node] = max(node_score[node], score)
            arc_score[num_arcs], arc_language_model[num_arcs] = gain, language_model
            arc_previous[num_arcs], arc_option[num_arcs] = previous, option
            arc_node[num_arcs] = node
            num_arcs += 1
            if num >= renewal:
                renewal = num + step
                threshold = _threshold(
                    node_score, node_future, start, num, parameters.stack_size, parameters.beam
                )
    return num, num_arcs


@njit(nogil=True, cache=True)
def _close_stack(nodes, start, num, arcs, arc_start, num_arcs, parameters):
    """Keep the best nodes of the stack [start, num), best first, and their arcs by node.

    Returns the numbers of nodes and arcs.
    """
    values = nodes.score[start:num] + nodes.future[start:num]
    threshold = _threshold(
        nodes.score, nodes.future, start, num, parameters.stack_size, parameters.beam
    )
    kept = np.flatnonzero(values >= threshold)
    kept = kept[np.argsort(-values[kept], kind="mergesort")][: parameters.stack_size]
    rank = np.full(len(values), -1, np.int64)
    for place in range(len(kept)):
        rank[kept[place]] = place
    counts = np.zeros(len(kept) + 1, np.int64)
    for arc in range(arc_start, num_arcs):
        arcs.node[arc] = rank[arcs.node[arc] - start]
        if arcs.node[arc] >= 0:
            counts[arcs.node[arc] + 1] += 1
    after = np.cumsum(counts)
    order = np.empty(after[len(kept)], np.int64)
    for arc in range(arc_start, num_arcs):
        place = arcs.node[arc]
        if place >= 0:
            arcs.node[arc] = start + place
            order[after[place]] = arc
            after[place] += 1
    _reorder_nodes(nodes, start, start + kept)
    _reorder_arcs(arcs, arc_start, order)
    return start + len(kept), arc_start + len(order)


@njit(nogil=True, cache=True)
def _reorder(column, start, order):
    """Put the rows ``order`` (int64[num]) at ``start``, in place."""
    column[start : start + len(order)] = column[order]


@njit(nogil=True, cache=True)
def _reorder_nodes(nodes, start, order):
    """Put the nodes ``order`` at ``start``; their keys are not needed any more."""
    _reorder(nodes.score, start, order)
    _reorder(nodes.future, start, order)
    _reorder(nodes.window, start, order)
    _reorder(nodes.first, start, order)
    _reorder(nodes.end, start, order)
    _reorder(nodes.contexts, start, order)
    _reorder(nodes.backoffs, start, order)


@njit(nogil=True, cache=True)
def _reorder_arcs(arcs, start, order):
    """Put the arcs ``order`` at ``start``."""
    _reorder(arcs.score, start, order)
    _reorder(arcs.language_model, start, order)
    _reorder(arcs.previous, start, order)
    _reorder(arcs.option, start, order)
    _reorder(arcs.node, start, order)


# --- the whole search ----------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def _trimmed(nodes, num_nodes, arcs, num_arcs, begin):
    """Drop the nodes from which the goal (the last node) is out of reach, and their arcs.

    Arcs run forwards and are sorted by node, so one pass back finds what is needed.
    begin: int32[num_options]. Returns what `search_lattice` returns.
    """
    needed = np.zeros(num_nodes, np.bool_)
    needed[num_nodes - 1] = True
    for arc in range(num_arcs - 1, -1, -1):
        if needed[arcs.node[arc]]:
            needed[arcs.previous[arc]] = True
    number = (np.cumsum(needed) - 1).astype(np.int32)
    kept = np.flatnonzero(needed[arcs.node[:num_arcs]])
    previous, option, node = arcs.previous[kept], arcs.option[kept], arcs.node[kept]
    distortion = -np.abs(nodes.end[previous] - begin[option]).astype(np.float64)
    node = number[node]
    offsets = np.searchsorted(node, np.arange(number[num_nodes - 1] + 2))
    return (
        nodes.score[:num_nodes][needed],
        offsets,
        number[previous],
        option,
        node,
        arcs.score[kept],
        arcs.language_model[kept],
        distortion,
    )


@njit(nogil=True, cache=True)
def _start_nodes(table, width, rest, num_source_words):
    """Room for nodes, with the start node in it."""
    room = 256 * num_source_words
    nodes = _Nodes(
        np.empty(room),
        np.empty(room),
        np.empty(room, np.uint64),
        np.empty(room, np.uint64),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty((room, width), np.int32),
        np.empty((room, width), np.float32),
    )
    nodes.score[0], nodes.future[0] = 0.0, rest
    nodes.window[0], nodes.first[0], nodes.end[0] = 0, 0, 0
    start_context(table, nodes.contexts, nodes.backoffs, 0)
    return nodes


@njit(nogil=True, cache=True)
def _start_arcs(num_source_words):
    """Room for arcs."""
    room = 1024 * num_source_words
    return _Arcs(
        np.empty(room),
        np.empty(room),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
    )


@njit(nogil=True, cache=True)
def search_lattice(options, num_source_words, table, width, parameters):
    """Lattice of the hypotheses that survive the beam, recombined, cut to what reaches the goal.

    options: Options; every source word has an option of length 1.
    num_source_words: at least 1.
    table: NgramArrays of the language model.
    width: order of the language model - 1.
    parameters: Parameters.
    Returns node scores float64[num_nodes] (best of each; node 0 is the start, the last one the
    goal), arc offsets int64[num_nodes + 1] (arcs into each node), and by arc, sorted by node:
    previous node, option and node int32, score (weighted), language model (natural log) and
    distortion (source words, <= 0) float64[num_arcs].
    """
    estimates = _estimate_options(options, table, width, parameters.language_model_weight)
    inner, rest = future_costs(options.begin, options.end, estimates.value, num_source_words)
    future = _Future(inner, rest)
    bound = options.score + parameters.language_model_weight * estimates.ahead[:, 0]
    spans = _gather_spans(options.begin, options.end, bound, num_source_words)
    nodes = _start_nodes(table, width, rest[0], num_source_words)
    arcs = _start_arcs(num_source_words)
    moves = _Moves(
        np.empty(1), np.empty(1), np.empty(1), np.empty(1, np.int32), np.empty(1, np.int32)
    )
    starts = np.zeros(num_source_words + 2, np.int64)  # first node of each stack
    starts[1] = 1
    arc_start = np.int64(0)  # Numba would compile the callees once more for a literal 0
    for covered in range(1, num_source_words + 1):
        num_moves = np.int64(0)
        for column in range(len(spans.lengths)):
            source = covered - spans.lengths[column]
            if source >= 0:
                moves, num_moves = _add_moves(
                    moves,
                    num_moves,
                    nodes,
                    starts[source],
                    starts[source + 1],
                    spans,
                    column,
                    future,
                    parameters,
                )
        start = starts[covered]
        most = _most_arcs(moves, num_moves, spans)
        nodes = _with_room_for_nodes(nodes, start, start + most)
        arcs = _with_room_for_arcs(arcs, arc_start, arc_start + most)
        num, num_arcs = _fill_stack(
            nodes,
            start,
            arcs,
            arc_start,
            moves,
            num_moves,
            options,
            table,
            estimates,
            spans,
            parameters,
            covered == num_source_words,
        )
        starts[covered + 1], arc_start = _close_stack(
            nodes, start, num, arcs, arc_start, num_arcs, parameters
        )
    return _trimmed(nodes, starts[num_source_words + 1], arcs, arc_start, options.begin)
