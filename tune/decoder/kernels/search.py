"""Beam search of a phrase-based decoder with recombination (Koehn et al. 2003, Koehn 2004).

One stack per number of covered source words. A stack is filled from the stacks before it: every
way to place a source span after an earlier node is a move; moves are taken best bound first, so
the stack soon holds good nodes and the rest is cut off before the language model is asked.
"""

import numpy as np

from isogloss.align.kernels.lazy import njit

from .expansion import add_moves, no_moves, num_expansions, with_room_for_moves
from .lattice import (
    room_for_rows,
    start_arcs,
    start_nodes,
    with_room_for_arcs,
    with_room_for_nodes,
    with_room_for_stacks,
)
from .stacks import Search, close_stack, fill_stack

__all__ = ["search_lattice"]


@njit(nogil=True, cache=True)
def _moves_of_stack(moves, nodes, starts, covered, sentence, parameters):
    """All moves into the stack of ``covered`` source words, and their number."""
    # moves: Moves to write over; nodes: Nodes; starts: int64, first node of each stack.
    lengths, num = sentence.spans.lengths, np.int64(0)
    for column in range(len(lengths)):
        source = covered - lengths[column]
        if source >= 0:
            begin, end = starts[source], starts[source + 1]
            most = num + (end - begin) * (parameters.distortion_limit + 1)
            moves = with_room_for_moves(moves, num, most)
            num = add_moves(moves, num, nodes, begin, end, sentence, column, parameters)
    return moves, num


@njit(nogil=True, cache=True)
def search_lattice(sentence, table, parameters, constraint):
    """Hypotheses that survive the beam, recombined, the goal last, and the arcs between them.

    sentence: Sentence, of at least one source word; table: NgramArrays; parameters: Parameters
    constraint: Constraint, where none may reach the goal
    Returns Nodes and their number, Arcs and their number, and 0; or, where the next stack would
    need more memory than ``parameters`` allow, what there was before it, and how many bytes.
    """
    num_source_words = len(sentence.future.rest) - 1
    search = Search(sentence, table, parameters, constraint)
    nodes = start_nodes(table, sentence.future.rest[0], num_source_words)
    arcs, moves = start_arcs(num_source_words, len(table.models)), no_moves()
    starts = np.zeros(num_source_words + 2, np.int64)  # first node of each stack
    starts[1] = 1
    arc_start = np.int64(0)  # Numba would compile the callees once more for a literal 0
    for covered in range(1, num_source_words + 1):
        moves, num_moves = _moves_of_stack(moves, nodes, starts, covered, sentence, parameters)
        start = starts[covered]
        most = num_expansions(moves, num_moves, sentence.spans)
        if parameters.pop_limit > 0:
            most = min(most, parameters.pop_limit)
        room = room_for_rows(nodes, start + most, arcs, arc_start + most)
        if room > parameters.most_bytes:
            return nodes, start, arcs, arc_start, room
        nodes = with_room_for_nodes(nodes, start, start + most)
        if sentence.reordering.blocks:
            nodes = with_room_for_stacks(nodes, num_moves)
        arcs = with_room_for_arcs(arcs, arc_start, arc_start + most)
        complete = covered == num_source_words
        num, num_arcs = fill_stack(
            search, nodes, arcs, (start, arc_start), moves, num_moves, complete
        )
        starts[covered + 1], arc_start = close_stack(
            nodes, start, num, arcs, arc_start, num_arcs, parameters
        )
    return nodes, starts[num_source_words + 1], arcs, arc_start, np.int64(0)
