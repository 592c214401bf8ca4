"""Ways to expand hypotheses: a source span placed behind a node is a move, best bound first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.kernels.lazy import borrowing, njit

from .coverage import gap_end, is_covered
from .future_cost import future_cost
from .lattice import END, FIRST, FUTURE, GROUP, SCORE, WINDOW, grown, place_of
from .reordering import columns_of_move

__all__ = [
    "BASE",
    "BOUND",
    "FROM",
    "NEXT",
    "REST",
    "SPAN",
    "Moves",
    "add_moves",
    "drop_first",
    "move_heap",
    "no_moves",
    "num_expansions",
    "sink_first",
    "with_room_for_moves",
]


# columns of a move's values, and of its ids
BOUND, BASE, REST = range(3)
FROM, SPAN, NEXT = range(3)


class Moves(NamedTuple):
    """Ways to place a span behind a node, with room to grow.

    values: float64[room, 3], by column: BOUND, the most that score + future can become by the
        options that it has not placed yet; BASE, the score before the option; REST, the future
        after it.
    ids: int32[room, 3], by column: FROM, the node; SPAN; NEXT, place of the best option that it
        has not placed yet, see `Spans`.
    """

    values: NDArray[np.float64]
    ids: NDArray[np.int32]


@njit(nogil=True, cache=True)
def no_moves():
    """Room for a move."""
    return Moves(np.empty((1, 3)), np.empty((1, 3), np.int32))


@njit(nogil=True, cache=True)
def with_room_for_moves(moves, used, num):
    """The first ``used`` moves with room for ``num``."""
    return Moves(grown(moves.values, used, num), grown(moves.ids, used, num))


@borrowing
def add_moves(moves, num, nodes, begin_node, end_node, sentence, column, parameters):
    """Append every way to place a span of one length behind the nodes [begin_node, end_node).

    A phrase may jump at most the distortion limit; one that leaves the first uncovered word
    behind must also end within the limit of it. So it is always possible to come back: what is
    covered behind the first uncovered word lies within the limit of it, the last phrase too, and
    that word has an option of length 1, or, where a translation is fixed, begins the span of it,
    which no other option enters and which may be of any length there. No node is a dead end.

    moves: Moves, ``num`` of them, with room for limit + 1 more of each node; nodes: Nodes
    sentence: Sentence; column: of the length in its spans; parameters: Parameters
    Returns the number of moves.
    """
    limit, spans, future = parameters.distortion_limit, sentence.spans, sentence.future
    reordering = sentence.reordering
    length, num_source_words = spans.lengths[column], len(future.rest) - 1
    for node in range(begin_node, end_node):
        first, last = nodes.place[node, FIRST], nodes.place[node, END]
        window = np.uint64(nodes.place[node, WINDOW])
        left, place = first, place_of(nodes, node, reordering, num_source_words)
        while left < num_source_words and (left == first or left + length <= first + limit):
            right = gap_end(window, first, left, num_source_words)
            closed = nodes.values[node, FUTURE] - future_cost(future, left, right)
            for begin in range(left, right - length + 1):
                if begin > first and begin + length > first + limit:
                    break
                jump, span = abs(last - begin), spans.number[begin, column]
                if span < 0 or jump > limit:
                    continue
                before, after = columns_of_move(reordering, place, begin, begin + length)
                base = nodes.values[node, SCORE] - parameters.distortion_weight * jump
                base += reordering.next[nodes.place[node, GROUP], after]
                rest = closed + future_cost(future, left, begin)
                rest += future_cost(future, begin + length, right)
                moves.values[num, BOUND] = base + rest + spans.best[before, span]
                moves.values[num, BASE], moves.values[num, REST] = base, rest
                moves.ids[num, FROM], moves.ids[num, SPAN] = node, span
                moves.ids[num, NEXT] = spans.offsets[span]
                num += 1
            left = right
            while is_covered(window, left - first):
                left += 1
    return num


@borrowing
def _sift(heap, size, position, moves):
    """Let a move sink as far as it must in the heap, int64[>= size]."""
    # Best bound first, then oldest.
    # moves: Moves
    move, bound = heap[position], moves.values
    top = bound[move, BOUND]
    child = 2 * position + 1
    while child < size:
        left, right = heap[child], heap[min(child + 1, size - 1)]
        if _before(bound[right, BOUND], right, bound[left, BOUND], left):
            left = right
            child += 1
        if _before(bound[left, BOUND], left, top, move):
            heap[position] = left
            position = child
        else:
            size = 0
        child = 2 * position + 1
    heap[position] = move


@borrowing
def _before(bound, move, other_bound, other):
    """Does a move come before another?"""
    return bound > other_bound or (bound == other_bound and move < other)


@njit(nogil=True, cache=True)
def move_heap(moves, num):
    """int64[num], heap of the moves 0 to num - 1."""
    heap = np.arange(num)
    for position in range(num // 2 - 1, -1, -1):
        _sift(heap, num, position, moves)
    return heap


@borrowing
def sink_first(heap, size, moves):
    """Let the first of ``size`` moves sink, whose bound has become less."""
    _sift(heap, size, 0, moves)


@borrowing
def drop_first(heap, size, moves):
    """Take the first of ``size`` moves out of the heap."""
    heap[0] = heap[size - 1]
    _sift(heap, size - 1, 0, moves)


@borrowing
def num_expansions(moves, num, spans):
    """Number of options that ``num`` moves place, and so the most arcs that they make."""
    total = 0
    for move in range(num):
        span = moves.ids[move, SPAN]
        total += spans.offsets[span + 1] - spans.offsets[span]
    return total
