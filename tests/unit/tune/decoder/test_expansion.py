"""Heaps of moves against sorted lists."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.tune.decoder.kernels.expansion import (
    BOUND,
    Moves,
    drop_first,
    move_heap,
    sink_first,
)

pytestmark = pytest.mark.thorough  # kernels that are compiled for Python alone

BOUNDS = st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]), max_size=20)  # many are equal


def moves_of(bounds: list[float]) -> Moves:
    values = np.full((len(bounds) + 1, 3), 9.0)  # with room for one more
    values[:-1, BOUND] = bounds
    return Moves(values, np.zeros((len(bounds) + 1, 3), np.int32))


def popped(heap: NDArray[np.int64], moves: Moves) -> list[int]:
    """The first move of the heap, then the first of those left, and so on."""
    found = []
    for size in range(len(heap), 0, -1):
        found.append(int(heap[0]))
        drop_first(heap, size, moves)
    return found


def in_order(bounds: list[float]) -> list[int]:
    """The highest bound first, of equal ones the oldest."""
    return sorted(range(len(bounds)), key=lambda move: (-bounds[move], move))


@given(BOUNDS)
def test_moves_leave_the_heap_best_bound_first(bounds: list[float]) -> None:
    moves = moves_of(bounds)
    assert in_order(bounds) == popped(move_heap(moves, len(bounds)), moves)


@given(BOUNDS, st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0]), min_size=1, max_size=20))
def test_moves_whose_bound_has_become_less_sink(bounds: list[float], steps: list[float]) -> None:
    moves = moves_of(bounds)
    heap = move_heap(moves, len(bounds))
    for step in steps[: len(bounds)]:
        first = in_order(bounds)[0]
        assert first == heap[0]
        bounds[first] -= step
        moves.values[first, BOUND] = bounds[first]
        sink_first(heap, len(bounds), moves)
    assert in_order(bounds) == popped(heap, moves)


@pytest.mark.parametrize(
    ("bounds", "order"),
    [
        ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], [6, 5, 4, 3, 2, 1, 0]),
        ([1.0, 1.0, 1.0, 1.0], [0, 1, 2, 3]),
        ([0.0, 5.0, -np.inf, 5.0, 0.0], [1, 3, 0, 4, 2]),
    ],
)
def test_orders_by_hand(bounds: list[float], order: list[int]) -> None:
    moves = moves_of(bounds)
    heap = move_heap(moves, len(bounds))
    assert sorted(heap.tolist()) == list(range(len(bounds)))
    assert order == popped(heap, moves)
