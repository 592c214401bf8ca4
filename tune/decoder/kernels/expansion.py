"""Ways to expand hypotheses: a source span placed behind a node is a move, best bound first."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.kernels.lazy import borrowing, njit

from .coverage import gap_end, is_covered
from .future_cost import future_cost
from .lattice import grown, place_of
from .reordering import columns_of_move

__all__ = [
    "Moves",
    "add_moves",
    "move_heap",
    "no_moves",
    "num_expansions",
    "pop_move",
    "with_room_for_moves",
]


class Moves(NamedTuple):
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


@njit(nogil=True, cache=True)
def no_moves():
    """Room for a move."""
    ids = np.empty(1, np.int32)
    return Moves(np.empty(1), np.empty(1), np.empty(1), ids, ids.copy())


@njit(nogil=True, cache=True)
def with_room_for_moves(moves, used, num):
    """The first ``used`` moves with room for ``num``."""
    return Moves(
        grown(moves.bound, used, num),
        grown(moves.base, used, num),
        grown(moves.rest, used, num),
        grown(moves.node, used, num),
        grown(moves.span, used, num),
    )


@borrowing
def add_moves(moves, num, nodes, begin_node, end_node, sentence, column, parameters):
    """Append every way to place a span of one length behind the nodes [begin_node, end_node).

    A phrase may jump at most the distortion limit; one that leaves the first uncovered word
    behind must also end within the limit of it. So it is always possible to come back: what is
    covered behind the first uncovered word lies within the limit of it, the last phrase too, and
    that word has an option of length 1. No node is a dead end.

    moves: Moves, ``num`` of them, with room for limit + 1 more of each node; nodes: Nodes
    sentence: Sentence; column: of the length in its spans; parameters: Parameters
    Returns the number of moves.
    """
    limit, spans, future = parameters.distortion_limit, sentence.spans, sentence.future
    reordering = sentence.reordering
    length, num_source_words = spans.lengths[column], len(future.rest) - 1
    for node in range(begin_node, end_node):
        first, window, last = nodes.first[node], nodes.window[node], nodes.end[node]
        left, place = first, place_of(nodes, node, reordering, num_source_words)
        while left < num_source_words and (left == first or left + length <= first + limit):
            right = gap_end(window, first, left, num_source_words)
            closed = nodes.future[node] - future_cost(future, left, right)
            for begin in range(left, right - length + 1):
                if begin > first and begin + length > first + limit:
                    break
                jump, span = abs(last - begin), spans.number[begin, column]
                if span < 0 or jump > limit:
                    continue
                before, after = columns_of_move(reordering, place, begin, begin + length)
                moves.base[num] = nodes.score[node] - parameters.distortion_weight * jump
                moves.base[num] += reordering.next[nodes.group[node], after]
                moves.rest[num] = closed + future_cost(future, left, begin)
                moves.rest[num] += future_cost(future, begin + length, right)
                moves.bound[num] = moves.base[num] + moves.rest[num] + spans.best[before, span]
                moves.node[num], moves.span[num] = node, span
                num += 1
            left = right
            while is_covered(window, left - first):
                left += 1
    return num


@borrowing
def _sift(heap, size, position, bound):
    """Let a move sink as far as it must in the heap, int64[>= size]: best bound first, then oldest.

    bound: float64, of each move
    """
    move = heap[position]
    top = bound[move]
    child = 2 * position + 1
    while child < size:
        left, right = heap[child], heap[min(child + 1, size - 1)]
        if _before(bound[right], right, bound[left], left):
            left = right
            child += 1
        if _before(bound[left], left, top, move):
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
def move_heap(bound, num):
    """int64[num], heap of the moves 0 to num - 1."""
    heap = np.arange(num)
    for position in range(num // 2 - 1, -1, -1):
        _sift(heap, num, position, bound)
    return heap


@borrowing
def pop_move(heap, size, bound):
    """Take the best of ``size`` moves out of the heap, and return it."""
    move = heap[0]
    heap[0] = heap[size - 1]
    _sift(heap, size - 1, 0, bound)
    return move


@borrowing
def num_expansions(moves, num, spans):
    """Number of options that ``num`` moves place, and so the most arcs that they make."""
    total = 0
    for move in range(num):
        total += spans.offsets[moves.span[move] + 1] - spans.offsets[moves.span[move]]
    return total
