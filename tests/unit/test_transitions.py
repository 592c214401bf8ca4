"""Transition matrices and jump counts against formulas per position."""

import numpy as np
import pytest

from align.kernels.simd import padded
from align.kernels.transitions import (
    LONGEST,
    JumpCounts,
    Jumps,
    Transitions,
    bucket_totals,
    count_jumps,
    fill_matrix,
    no_jumps,
    start_probabilities,
    transition_tables,
)
from tests.naive.alignment import START, add_jumps, jump_matrix, jump_row, jump_table, random_jumps

ROW = padded(LONGEST + 1)  # of the arrays of starts and ends
SIZES = [1, 2, 3, 6, 12, 15, 16, 17, 33, 63, 64]
LONGER = [65, 66, 70]


def made(seed: int, window: int, smoothing: float, final: bool, tables: int = 1) -> Jumps:
    rng = np.random.default_rng(seed)
    return random_jumps(rng, window, smoothing, tables=tables, final=final)


@pytest.fixture(params=[False, True], ids=["free end", "final jump"])
def final(request: pytest.FixtureRequest) -> bool:
    return request.param


class Matrices:
    """One direction, table and number of states, taken out of the flat arrays."""

    def __init__(self, matrix, transposed, starts, ends, size: int) -> None:
        width = padded(size)
        self.square, self.turned = (
            flat[: width * width].reshape(width, width) for flat in (matrix, transposed)
        )
        self.start, self.end = starts[: width + 1], ends[: width + 1]

    @classmethod
    def of(cls, made: Transitions, side: int, table: int, size: int) -> "Matrices":
        own, at, edge = (side, table), made.offsets[size], size * ROW
        return cls(
            made.matrix[own][at:], made.transposed[own][at:], made.start[own][edge:],
            made.end[own][edge:], size,
        )  # fmt: skip

    @classmethod
    def filled(cls, jumps: Jumps, side: int, table: int, size: int) -> "Matrices":
        """As for sentences longer than LONGEST."""
        flat = [np.zeros(padded(size) ** 2, np.float32) for _ in range(2)]
        edges = [np.zeros(padded(size + 1), np.float32) for _ in range(2)]
        fill_matrix(
            jumps.jump[side, table], jumps.start[side, table], jumps.smoothing, jumps.final, size,
            np.empty((4, size + 1)), (*flat, 0, *edges, 0),
        )  # fmt: skip
        return cls(*flat, *edges, size)

    def check(self, jumps: Jumps, side: int, table: int, size: int) -> None:
        expected, _ = jump_matrix(jump_table(jumps, side, table), size)
        inner = self.square[:size, :size]
        np.testing.assert_allclose(inner, expected[:size, :size], rtol=1e-5)
        np.testing.assert_array_equal(self.turned, self.square.T)
        np.testing.assert_allclose(self.start[:size], expected[START, :size], rtol=1e-5)
        np.testing.assert_allclose(self.end[: size + 1], expected[:, size], rtol=1e-5)
        # what stands behind the last word is never reached
        assert not self.square[size:].any()
        assert not self.square[:, size:].any()
        assert not self.start[size : padded(size)].any()
        last = self.end[:size] if jumps.final else 0.0
        np.testing.assert_allclose(inner.sum(1, dtype=float) + last, 1.0, rtol=1e-5)
        last = self.end[size] if jumps.final else 0.0
        assert self.start.sum(dtype=float) + last == pytest.approx(1.0, rel=1e-5)


@pytest.mark.parametrize(("window", "smoothing"), [(1, 0.0), (2, 0.3), (5, 0.1), (100, 0.2)])
@pytest.mark.parametrize("tables", [1, 2])
def test_matrices_are_the_formula(
    window: int, smoothing: float, final: bool, tables: int
) -> None:
    jumps = made(window, window, smoothing, final, tables)
    found = transition_tables(jumps)
    for side, table in np.ndindex(2, tables):
        for size in SIZES:
            Matrices.of(found, side, table, size).check(jumps, side, table, size)


@pytest.mark.parametrize("size", [*SIZES[:4], *LONGER])
@pytest.mark.parametrize("window", [1, 5, 100])
def test_a_matrix_of_any_size_is_the_formula(size: int, window: int, final: bool) -> None:
    jumps = made(size, window, 0.1, final)
    Matrices.filled(jumps, 1, 0, size).check(jumps, 1, 0, size)


def test_every_size_has_its_place(final: bool) -> None:
    """Rows of all sizes up to LONGEST are distributions: none has written over another."""
    jumps = made(0, 3, 0.1, final)
    found = transition_tables(jumps)
    for size in range(1, LONGEST + 1):
        own = Matrices.of(found, 0, 0, size)
        last = own.end[:size] if final else 0.0
        np.testing.assert_allclose(own.square[:size].sum(1) + last, 1.0, rtol=1e-5)
    assert found.offsets[LONGEST + 1] == found.matrix.shape[2]


@pytest.mark.parametrize("window", [1, 2])
@pytest.mark.parametrize("num_states", range(1, 7))
def test_jumps_and_starts_are_distributions(num_states: int, window: int, final: bool) -> None:
    jumps = made(num_states, window, 0.25, final)
    jump, start = jumps.jump[0, 0], jumps.start[0, 0]
    table, reach = jump_table(jumps, 0, 0), num_states + final
    inverse_total, right, left = np.empty((3, num_states))
    bucket_totals(jump, window, num_states, reach, inverse_total, right, left)
    first = np.empty(reach)
    start_probabilities(start, window, reach, 0.25, first)
    explained, uniform = jump_row(table, START, num_states)
    np.testing.assert_allclose(first, np.array(explained) + uniform, rtol=1e-12)
    assert first.sum() == pytest.approx(1.0, rel=1e-12)
    for origin in range(num_states):
        explained, _ = jump_row(table._replace(smoothing=0.0), origin, num_states)
        for position in range(reach):
            distance = position - origin
            part = (
                right[origin]
                if distance > window
                else left[origin]
                if distance < -window
                else jump[distance + window + 1]
            )
            assert explained[position] == pytest.approx(part * inverse_total[origin], rel=1e-12)


@pytest.mark.parametrize("size", [*SIZES, *LONGER])
@pytest.mark.parametrize(("window", "smoothing"), [(1, 0.0), (2, 0.3), (5, 0.1)])
def test_jumps_are_counted_by_bucket(
    size: int, window: int, smoothing: float, final: bool
) -> None:
    """The sums are expected jumps over their probability; the second time they are all 0."""
    rng = np.random.default_rng(size)
    jumps = made(size, window, smoothing, final)
    table = jump_table(jumps, 0, 0)
    expected, _ = jump_matrix(table, size)
    moves = rng.random((size + 1, size + 1))
    if not final:
        moves[:, size] = 0.0
    own = Matrices.filled(jumps, 0, 0, size)
    outer = np.zeros(own.square.shape, np.float32)
    outer[:size, :size] = (moves / expected)[:size, :size]
    starts, ends = np.zeros((2, padded(size + 1)), np.float32)
    starts[:size] = (moves / expected)[START, :size]
    # without final jumps the kernel's sums of ends hold something, too
    ends[: size + 1] = (moves / expected)[:, size] if final else 1.0
    outer = outer.ravel()
    found, wanted = no_jumps(jumps), no_jumps(jumps)
    add_jumps(JumpCounts(*wanted), (0, 0), table, moves)
    for _ in range(2):
        count_jumps(
            (own.square.ravel(), 0, own.start, own.end, 0), (outer, starts, ends),
            (smoothing, final), size,
            (found.jump[0, 0], found.start[0, 0], found.occupancy[0, 0],
             found.start_occupancy[0, 0]),
        )  # fmt: skip
        for one, other in zip(found, wanted, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
        assert not outer.any()
        assert not starts.any()
        assert not ends.any()


@pytest.mark.parametrize("tables", [1, 3])
def test_no_jumps_is_room_for_the_counts(tables: int) -> None:
    jumps = made(0, 4, 0.1, False, tables)
    shapes = [(2, tables, 11), (2, tables, 11), (2, tables, 6, 6), (2, tables, 6)]
    found = no_jumps(jumps)
    assert shapes == [array.shape for array in found]
    assert not any(array.any() for array in found)
