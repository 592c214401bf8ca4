"""Stacks of a search: one is filled from its moves, best bound first, and cut to its best nodes."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.hash_tables import row_key
from isogloss.align.kernels.lazy import borrowing, inlined, njit
from isogloss.align.kernels.sorting import nth_smallest, rising_order

from .blocks import stack_with
from .coverage import cover
from .expansion import BASE, BOUND, FROM, NEXT, REST, SPAN, drop_first, move_heap, sink_first
from .future_cost import Sentence
from .lattice import (
    BEGIN,
    END,
    FIRST,
    FUTURE,
    GROUP,
    KEY,
    MATCHED,
    NODE,
    OPTION,
    PREVIOUS,
    SCORE,
    STACK,
    WINDOW,
    place_of,
    reorder_arcs,
    reorder_nodes,
)
from .ngram import END as SENTENCE_END
from .ngram import PAD, NgramArrays, copy_state, empty_states, score_word
from .recombination import hash_table, node_key, node_slot
from .reordering import columns_of_move, kept_begin

__all__ = ["Constraint", "Parameters", "Search", "Stack", "close_stack", "fill_stack"]


class Parameters(NamedTuple):
    """Weights and limits of a search.

    language_models: float64[num_models], weights of the language models.
    distortion_weight: weight of the distortion.
    distortion_limit: 0 to WINDOW source words.
    stack_size: nodes kept per stack.
    beam: lowest log ratio to the best node of a stack, -inf = off.
    pop_limit: options placed per stack, best bound first; 0 = all that may lead to a node that
        stays.
    most_bytes: memory that one stack's new nodes and arcs may take.
    """

    language_models: NDArray[np.float64]
    distortion_weight: float
    distortion_limit: int
    stack_size: int
    beam: float
    pop_limit: int
    most_bytes: int


class Constraint(NamedTuple):
    """What translations begin with, or are.

    surface: int32[num_words], as in `Options`, -1 for a word that no option has
    whole: whether nothing may follow; without it, and without words, there is no constraint
    """

    surface: NDArray[np.int32]
    whole: bool


class Search(NamedTuple):
    """What stays the same in all of a search: the sentence, language models, the settings."""

    sentence: Sentence
    table: NgramArrays
    parameters: Parameters
    constraint: Constraint


class Stack(NamedTuple):
    """A stack while it is filled.

    start: its first node; num_nodes, num_arcs: of all stacks so far.
    threshold: value (score + future) below which no node of it can stay.
    renewal: at so many nodes the threshold is computed anew.
    complete: whether hypotheses are complete here, so that </s> makes them one node.
    """

    start: int
    num_nodes: int
    num_arcs: int
    threshold: float
    renewal: int
    complete: bool


@inlined
def _score_option(search, option, least, states, complete, scores):
    """Score an option's words in a context by each language model."""
    # search: Search; states: States of two rows, the context in row 0; scratch.
    # least: give up once the option's weighted words cannot reach this; complete: add </s>?
    # scores: float64[num_models], natural log; written
    # Returns what they are worth, weighted, and the row of the state after the last word, -1 = gave
    # up.
    options, estimates = search.sentence.options, search.sentence.estimates
    weights, table = search.parameters.language_models, search.table
    start = options.word_offsets[option]
    num_words, width = options.word_offsets[option + 1] - start, table.width
    row, worth = 0, 0.0
    for model in range(len(weights)):
        scores[model] = 0.0
    for k in range(min(num_words, width)):
        worth = 0.0
        for model in range(len(weights)):
            word = options.words[model, start + k]
            scores[model] += score_word(table, model, states, row, word, states, 1 - row)
            worth += weights[model] * scores[model]
        row = 1 - row
        if worth + estimates.ahead[option, k + 1] < least:
            return worth, -1
    if num_words > width:
        copy_state(estimates.states, option, states, row)
    worth = 0.0
    for model in range(len(weights)):
        scores[model] += estimates.tail[option, model]
        if complete:
            end = np.int32(table.models[model, SENTENCE_END])
            scores[model] += score_word(table, model, states, row, end, states, 1 - row)
        worth += weights[model] * scores[model]
    if complete:
        for k in range(states.contexts.shape[1]):
            states.contexts[row, k] = PAD
    return worth, row


@borrowing
def _matched(search, option, matched, complete):
    """How many words of the constraint there are with an option, -1 where it doesn't fit."""
    # matched: the words before; complete: whether nothing follows
    options, constraint = search.sentence.options, search.constraint
    required, most = constraint.surface, len(constraint.surface)
    for k in range(options.word_offsets[option], options.word_offsets[option + 1]):
        if matched < most:
            if options.surface[k] != required[matched]:
                return -1
            matched += 1
        elif constraint.whole:
            return -1
    return -1 if complete and matched < most else matched


@borrowing
def _place_candidate(search, nodes, previous, candidate, span, complete):
    """Write where a node stands behind another: its place, but for what depends on the option."""
    # search: Search; nodes: Nodes; previous, candidate: nodes; span: source words that it covers
    # Returns the key of the place: int64.
    begin, end = span
    reordering, place = search.sentence.reordering, nodes.place
    window = np.uint64(place[previous, WINDOW])
    first, window = cover(place[previous, FIRST], window, begin, end)
    place[candidate, WINDOW], place[candidate, FIRST] = np.int64(window), first
    place[candidate, END] = first if complete else end
    place[candidate, BEGIN] = place[candidate, STACK] = 0
    place[candidate, GROUP] = place[candidate, KEY] = place[candidate, MATCHED] = 0
    if not complete:
        place[candidate, BEGIN] = kept_begin(reordering, first, window, begin)
        if reordering.blocks:
            stack = stack_with(nodes.blocks, place[previous, STACK], begin, end)
            place[candidate, STACK] = stack
    return np.int64(row_key(place, candidate))


@borrowing
def _expand(search, nodes, arcs, stack, moves, move, slots, scratch):
    """Make the nodes and arcs of one move."""
    # Its span's options, best bound first, those not placed yet; with a limit only one of them.
    # A candidate for a new node is written behind the last one and stays where there is none like
    # it.
    # search: Search; nodes: Nodes; arcs: Arcs, with room; stack: Stack; moves: Moves
    # slots: hash table of the stack's nodes, with room; scratch: States of two rows
    # Returns the Stack afterwards.
    options, spans, parameters = search.sentence.options, search.sentence.spans, search.parameters
    start, num, num_arcs, threshold, renewal, complete = stack
    base, rest = moves.values[move, BASE], moves.values[move, REST]
    previous, span = moves.ids[move, FROM], moves.ids[move, SPAN]
    options_begin, options_end = moves.ids[move, NEXT], spans.offsets[span + 1]
    stop = options_begin + 1 if parameters.pop_limit > 0 else options_end
    first_option = spans.option[0, options_begin]
    begin, end = options.begin[first_option], options.end[first_option]
    reordering, last = search.sentence.reordering, nodes.place[previous, END]
    place = place_of(nodes, previous, reordering, len(search.sentence.future.rest) - 1)
    kind, after = columns_of_move(reordering, place, begin, end)
    context = reordering.next[nodes.place[previous, GROUP], after]
    context -= parameters.distortion_weight * abs(last - begin)
    placed, place_key = np.int64(-1), np.int64(0)  # the first candidate
    for number in range(options_begin, stop):
        if base + rest + spans.bound[kind, number] < threshold:
            break
        option = spans.option[kind, number]
        matched = _matched(search, option, nodes.place[previous, MATCHED], complete)
        if matched < 0:
            continue
        copy_state(nodes.states, previous, scratch, 0)
        alone = options.score[option] + reordering.previous[option, kind]
        least = threshold - rest - base - alone
        scores = arcs.values[num_arcs, 1:]
        worth, row = _score_option(search, option, least, scratch, complete, scores)
        if row < 0:
            continue
        gain = alone + worth + context
        score = nodes.values[previous, SCORE] + gain
        if score + rest < threshold:
            continue
        if placed < 0:
            place_key = _place_candidate(search, nodes, previous, num, (begin, end), complete)
            placed = num
        for column in range(nodes.place.shape[1]):
            nodes.place[num, column] = nodes.place[placed, column]
        group = 0 if complete else reordering.group[option]
        nodes.place[num, GROUP], nodes.place[num, MATCHED] = group, matched
        nodes.place[num, KEY] = node_key(place_key, group, matched, scratch, row)
        slot = node_slot(slots, nodes, num, scratch, row)
        node = slots[slot]
        if node < 0:
            node = slots[slot] = num
            nodes.values[node, SCORE], nodes.values[node, FUTURE] = score, rest
            copy_state(scratch, row, nodes.states, node)
            num += 1
        nodes.values[node, SCORE] = max(nodes.values[node, SCORE], score)
        arcs.values[num_arcs, 0] = gain
        arcs.ids[num_arcs, PREVIOUS], arcs.ids[num_arcs, OPTION] = previous, option
        arcs.ids[num_arcs, NODE] = node
        num_arcs += 1
        if num >= renewal:
            renewal = num + max(1, parameters.stack_size // 8)
            threshold = _threshold(nodes, start, num, parameters)
    moves.ids[move, NEXT] = stop
    if stop < options_end:
        moves.values[move, BOUND] = base + rest + spans.bound[kind, stop]
    return Stack(start, num, num_arcs, threshold, renewal, complete)


@njit(nogil=True, cache=True, _nrt=True)  # else it is as in its caller, which allocates nothing
def _threshold(nodes, start, num, parameters):
    """Value (score + future) below which no node of the stack [start, num) can stay."""
    stack_size, beam = parameters.stack_size, parameters.beam
    values = nodes.values[start:num, SCORE] + nodes.values[start:num, FUTURE]
    threshold = -np.inf
    if beam > -np.inf:
        for value in values:
            threshold = max(threshold, value + beam)
    if len(values) > stack_size:
        threshold = max(threshold, nth_smallest(values, len(values) - stack_size))
    return threshold


@njit(nogil=True, cache=True)
def fill_stack(search, nodes, arcs, counts, moves, num_moves, complete):
    """Make the nodes and arcs of one stack from its moves, best bound first.

    With a limit of pops, the best option of all moves is placed, then the next best, as in cube
    pruning (Huang & Chiang 2007), but in the order of bounds in place of scores next to one placed.

    search: Search; nodes: Nodes and arcs: Arcs of the stacks before, with room for those that
    ``num_moves`` moves can make; counts: how many nodes and arcs there are; moves: Moves
    complete: whether this is the stack of complete hypotheses
    Returns the numbers of nodes and arcs.
    """
    spans, parameters = search.sentence.spans, search.parameters
    scratch = empty_states(search.table, 2)
    start, num_arcs = counts
    renewal = start + max(1, parameters.stack_size // 8)
    stack = Stack(start, start, num_arcs, -np.inf, renewal, complete)
    slots, heap = hash_table(1, nodes, start, start), move_heap(moves, num_moves)
    pops, limit = 0, parameters.pop_limit
    while num_moves > 0 and (limit == 0 or pops < limit):
        move = heap[0]
        if moves.values[move, BOUND] < stack.threshold:
            break
        span = moves.ids[move, SPAN]
        most = stack.num_nodes - start + spans.offsets[span + 1] - spans.offsets[span]
        if 2 * most > len(slots):
            slots = hash_table(most, nodes, start, stack.num_nodes)
        stack = _expand(search, nodes, arcs, stack, moves, move, slots, scratch)
        pops += 1
        if moves.ids[move, NEXT] < spans.offsets[span + 1]:
            sink_first(heap, num_moves, moves)
        else:
            drop_first(heap, num_moves, moves)
            num_moves -= 1
    return stack.num_nodes, stack.num_arcs


@njit(nogil=True, cache=True)
def close_stack(nodes, start, num, arcs, arc_start, num_arcs, parameters):
    """Keep the best nodes of the stack [start, num), best first, and their arcs by node.

    Returns the numbers of nodes and arcs.
    """
    values = nodes.values[start:num, SCORE] + nodes.values[start:num, FUTURE]
    threshold = _threshold(nodes, start, num, parameters)
    kept = np.flatnonzero(values >= threshold)
    kept = kept[rising_order(-values[kept])][: parameters.stack_size]
    rank = np.full(len(values), -1, np.int64)
    for k in range(len(kept)):
        rank[kept[k]] = k
    counts = np.zeros(len(kept) + 1, np.int64)
    for arc in range(arc_start, num_arcs):
        k = rank[arcs.ids[arc, NODE] - start]
        arcs.ids[arc, NODE] = k
        if k >= 0:
            counts[k + 1] += 1
    for k in range(len(kept)):
        counts[k + 1] += counts[k]
    order, after = np.empty(counts[len(kept)], np.int64), counts
    for arc in range(arc_start, num_arcs):
        k = arcs.ids[arc, NODE]
        if k >= 0:
            arcs.ids[arc, NODE] = start + k
            order[after[k]] = arc
            after[k] += 1
    reorder_nodes(nodes, start, start + kept)
    reorder_arcs(arcs, arc_start, order)
    return start + len(kept), arc_start + len(order)
