"""Stacks of a search: one is filled from its moves, best bound first, and cut to its best nodes."""

from typing import NamedTuple

import numpy as np

from align.kernels.lazy import borrowing, inlined, njit
from align.kernels.sorting import nth_smallest, rising_order

from .blocks import stack_with
from .coverage import cover
from .expansion import move_heap, pop_move
from .future_cost import Sentence
from .lattice import place_of, reorder_arcs, reorder_nodes
from .ngram import END, PAD, NgramArrays, States, copy_state, score_word
from .recombination import Coverage, hash_table, node_key, node_slot
from .reordering import columns_of_move, kept_begin

__all__ = ["Parameters", "Search", "Stack", "close_stack", "fill_stack"]


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


class Search(NamedTuple):
    """What stays the same in all of a search: the sentence, the language model, the settings."""

    sentence: Sentence
    table: NgramArrays
    parameters: Parameters


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
def _score_option(search, option, least, states, complete):
    """Natural-log probability of an option's words in a context.

    search: Search; states: States of two rows, the context in row 0; scratch.
    least: give up once the option's weighted words cannot reach this; complete: add </s>?
    Returns it and the row of the state after the last word, -1 = gave up.
    """
    options, estimates = search.sentence.options, search.sentence.estimates
    weight, table = search.parameters.language_model_weight, search.table
    start = options.word_offsets[option]
    num_words, width = options.word_offsets[option + 1] - start, states.contexts.shape[1]
    row, total = 0, 0.0
    for k in range(min(num_words, width)):
        total += score_word(table, states, row, options.words[start + k], states, 1 - row)
        row = 1 - row
        if weight * (total + estimates.ahead[option, k + 1]) < least:
            return total, -1
    total += estimates.tail[option]
    if num_words > width:
        copy_state(estimates.states, option, states, row)
    if complete:
        total += score_word(table, states, row, END, states, 1 - row)
        for k in range(width):
            states.contexts[row, k] = PAD
    return total, row


@borrowing
def _expand(search, nodes, arcs, stack, moves, move, slots, states):
    """Make the nodes and arcs of one move: its span's options, best bound first.

    search: Search; nodes: Nodes; arcs: Arcs, with room; stack: Stack; moves: Moves
    slots: hash table of the stack's nodes, with room; states: States of two rows, scratch
    Returns the Stack afterwards.
    """
    options, spans, parameters = search.sentence.options, search.sentence.spans, search.parameters
    start, num, num_arcs, threshold, renewal, complete = stack
    base, rest = moves.base[move], moves.rest[move]
    previous, span = moves.node[move], moves.span[move]
    options_begin, options_end = spans.offsets[span], spans.offsets[span + 1]
    first_option = spans.option[0, options_begin]
    begin, end = options.begin[first_option], options.end[first_option]
    reordering, last = search.sentence.reordering, nodes.end[previous]
    place = place_of(nodes, previous, reordering, len(search.sentence.future.rest) - 1)
    kind, after = columns_of_move(reordering, place, begin, end)
    context = reordering.next[nodes.group[previous], after]
    context -= parameters.distortion_weight * abs(last - begin)
    first, window = cover(nodes.first[previous], nodes.window[previous], begin, end)
    kept = stack_number = 0
    if not complete:
        kept = kept_begin(reordering, first, window, begin)
        if reordering.blocks:
            stack_number = stack_with(nodes.blocks, nodes.stack[previous], begin, end)
    last = first if complete else end
    for number in range(options_begin, options_end):
        if base + rest + spans.bound[kind, number] < threshold:
            break
        option = spans.option[kind, number]
        copy_state(nodes.states, previous, states, 0)
        alone = options.score[option] + reordering.previous[option, kind]
        least = threshold - rest - base - alone
        language_model, row = _score_option(search, option, least, states, complete)
        if row < 0:
            continue
        gain = alone + parameters.language_model_weight * language_model + context
        score = nodes.score[previous] + gain
        if score + rest < threshold:
            continue
        group = 0 if complete else reordering.group[option]
        coverage = Coverage(
            window,
            np.int64(first),
            np.int64(last),
            np.int64(kept),
            np.int64(group),
            np.int64(stack_number),
        )
        key = node_key(coverage, states, row)
        slot = node_slot(slots, nodes, key, coverage, states, row)
        node = slots[slot]
        if node < 0:
            node = num
            num += 1
            slots[slot] = node
            nodes.score[node], nodes.future[node], nodes.key[node] = score, rest, key
            nodes.window[node], nodes.first[node], nodes.end[node] = window, first, last
            nodes.begin[node], nodes.group[node], nodes.stack[node] = kept, group, stack_number
            copy_state(states, row, nodes.states, node)
        nodes.score[node] = max(nodes.score[node], score)
        arcs.score[num_arcs], arcs.language_model[num_arcs] = gain, language_model
        arcs.previous[num_arcs], arcs.option[num_arcs] = previous, option
        arcs.node[num_arcs] = node
        num_arcs += 1
        if num >= renewal:
            renewal = num + max(1, parameters.stack_size // 8)
            threshold = _threshold(nodes, start, num, parameters)
    return Stack(start, num, num_arcs, threshold, renewal, complete)


@njit(nogil=True, cache=True, _nrt=True)  # else it is as in its caller, which allocates nothing
def _threshold(nodes, start, num, parameters):
    """Value (score + future) below which no node of the stack [start, num) can stay."""
    stack_size, beam = parameters.stack_size, parameters.beam
    values = nodes.score[start:num] + nodes.future[start:num]
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

    search: Search; nodes: Nodes and arcs: Arcs of the stacks before, with room for those that
    ``num_moves`` moves can make; counts: how many nodes and arcs there are; moves: Moves
    complete: whether this is the stack of complete hypotheses
    Returns the numbers of nodes and arcs.
    """
    spans, parameters = search.sentence.spans, search.parameters
    width = nodes.states.contexts.shape[1]
    states = States(np.empty((2, width), np.int32), np.empty((2, width), np.float32))
    start, num_arcs = counts
    renewal = start + max(1, parameters.stack_size // 8)
    stack = Stack(start, start, num_arcs, -np.inf, renewal, complete)
    slots, heap = hash_table(1, nodes.key, start, start), move_heap(moves.bound, num_moves)
    while num_moves > 0:
        move = pop_move(heap, num_moves, moves.bound)
        num_moves -= 1
        if moves.bound[move] < stack.threshold:
            break
        span = moves.span[move]
        most = stack.num_nodes - start + spans.offsets[span + 1] - spans.offsets[span]
        if 2 * most > len(slots):
            slots = hash_table(most, nodes.key, start, stack.num_nodes)
        stack = _expand(search, nodes, arcs, stack, moves, move, slots, states)
    return stack.num_nodes, stack.num_arcs


@njit(nogil=True, cache=True)
def close_stack(nodes, start, num, arcs, arc_start, num_arcs, parameters):
    """Keep the best nodes of the stack [start, num), best first, and their arcs by node.

    Returns the numbers of nodes and arcs.
    """
    values = nodes.score[start:num] + nodes.future[start:num]
    threshold = _threshold(nodes, start, num, parameters)
    kept = np.flatnonzero(values >= threshold)
    kept = kept[rising_order(-values[kept])][: parameters.stack_size]
    rank = np.full(len(values), -1, np.int64)
    for k in range(len(kept)):
        rank[kept[k]] = k
    counts = np.zeros(len(kept) + 1, np.int64)
    for arc in range(arc_start, num_arcs):
        arcs.node[arc] = rank[arcs.node[arc] - start]
        if arcs.node[arc] >= 0:
            counts[arcs.node[arc] + 1] += 1
    for k in range(len(kept)):
        counts[k + 1] += counts[k]
    order, after = np.empty(counts[len(kept)], np.int64), counts
    for arc in range(arc_start, num_arcs):
        k = arcs.node[arc]
        if k >= 0:
            arcs.node[arc] = start + k
            order[after[k]] = arc
            after[k] += 1
    reorder_nodes(nodes, start, start + kept)
    reorder_arcs(arcs, arc_start, order)
    return start + len(kept), arc_start + len(order)
