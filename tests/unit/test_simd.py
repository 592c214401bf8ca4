"""Vector intrinsics against NumPy in double precision; what lies beside a row stays as it is."""

import numpy as np
import pytest
from numba import njit

from align.kernels import simd
from align.kernels.simd import LANES, padded, zeros

WIDTHS = [16, 32, 48, 64, 80]
COUNTS = [0, 1, 2, 3, 4, 5, 7, 8, 13]
OFFSETS = [0, 16, 48]


@njit
def weighted_rows(*arguments):
    simd.weighted_rows(*arguments)


@njit
def add_outer(*arguments):
    simd.add_outer(*arguments)


@njit
def forward_step(*arguments):
    return simd.forward_step(*arguments)


@njit
def backward_step(*arguments):
    return simd.backward_step(*arguments)


@njit
def turn_step(*arguments):
    simd.turn_step(*arguments)


@njit
def prefetch(*arguments):
    simd.prefetch(*arguments)


def random_rows(rng: np.random.Generator, size: int, shift: int) -> np.ndarray:
    """float32[size + 32] of both signs, ``shift`` entries behind a cache line."""
    array = zeros(size + 32 + LANES)[shift : shift + size + 32]
    array[:] = rng.normal(size=len(array))
    return array


@pytest.fixture(params=[0, 1, 5], ids="{} entries off a cache line".format)
def shift(request: pytest.FixtureRequest) -> int:
    return request.param


@pytest.mark.parametrize(("length", "expected"), [(0, 0), (1, 16), (16, 16), (17, 32), (80, 80)])
def test_padded_is_the_next_multiple_of_the_lanes(length: int, expected: int) -> None:
    assert expected == padded(length)


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1000])
def test_zeros_begin_at_a_cache_line(size: int) -> None:
    for array in [zeros(size) for _ in range(5)]:
        assert (np.float32, (size,)) == (array.dtype, array.shape)
        assert array.ctypes.data % 64 == 0
        assert array.flags.c_contiguous
        assert not array.any()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", COUNTS)
def test_weighted_rows(count: int, width: int, shift: int) -> None:
    rng = np.random.default_rng(width + count)
    room = (count + 3) // 4 * 4
    for out_at, weight_at, rows_at in [(0, 0, 0), (16, 48, 32), (48, 16, 16)]:
        out = random_rows(rng, out_at + width, shift)
        weight = random_rows(rng, weight_at + room, shift)
        weight[weight_at + count : weight_at + room] = 0.0  # as the kernel asks
        rows = random_rows(rng, rows_at + room * width, shift)
        before, own = out.copy(), slice(out_at, out_at + width)
        table = rows[rows_at : rows_at + count * width].reshape(count, width).astype(float)
        before[own] = weight[weight_at : weight_at + count].astype(float) @ table
        weighted_rows(out, out_at, weight, weight_at, rows, rows_at, count, width)
        np.testing.assert_allclose(out[own], before[own], rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(np.delete(out, own), np.delete(before, own))


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", COUNTS)
def test_add_outer(count: int, width: int, shift: int) -> None:
    rng = np.random.default_rng(width + count)
    for out_at, left_at, right_at in [(0, 0, 0), (16, 48, 32), (48, 16, 16)]:
        out = random_rows(rng, out_at + count * width, shift)
        left = random_rows(rng, left_at + count, shift)
        right = random_rows(rng, right_at + width, shift)
        expected, own = out.astype(float), slice(out_at, out_at + count * width)
        parts = left[left_at : left_at + count], right[right_at : right_at + width]
        expected[own] += np.outer(*(part.astype(float) for part in parts)).ravel()
        untouched = np.delete(out, own)
        add_outer(out, out_at, left, left_at, right, right_at, count, width)
        np.testing.assert_allclose(out[own], expected[own], rtol=1e-5, atol=1e-6)
        np.testing.assert_array_equal(np.delete(out, own), untouched)


class Rows:
    """Arrays of random numbers, a row of each, and what the arrays hold beside the row."""

    def __init__(self, number: int, width: int, offset: int, shift: int) -> None:
        rng = np.random.default_rng(width + offset)
        self.starts = [offset + LANES * (k % 3) for k in range(number)]
        self.arrays = [random_rows(rng, at + width, shift) for at in self.starts]
        self.width = width
        self.before = [self.row(k).astype(float) for k in range(number)]
        self.beside = [self.rest(k) for k in range(number)]

    def own(self, number: int) -> slice:
        return slice(self.starts[number], self.starts[number] + self.width)

    def row(self, number: int) -> np.ndarray:
        return self.arrays[number][self.own(number)]

    def rest(self, number: int) -> np.ndarray:
        return np.delete(self.arrays[number], self.own(number))

    def arguments(self) -> list:
        return [part for pair in zip(self.arrays, self.starts, strict=True) for part in pair]

    def check(self, expected: dict[int, np.ndarray]) -> None:
        """Compare the rows written; nothing else has changed."""
        for number, beside in enumerate(self.beside):
            wanted = expected.get(number, self.before[number])
            np.testing.assert_allclose(self.row(number), wanted, rtol=1e-5, atol=1e-6)
            np.testing.assert_array_equal(self.rest(number), beside)


FACTORS = np.float32(0.75), np.float32(0.125)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("width", WIDTHS)
def test_forward_step(width: int, offset: int, shift: int) -> None:
    rows = Rows(5, width, offset, shift)
    reached, emission, before = rows.before[:3]
    word = 0.75 * reached * emission
    mass = word + 0.125 * before
    total = forward_step(*rows.arguments(), *FACTORS, width)
    rows.check({3: word, 4: mass})
    assert total == pytest.approx(mass.sum(), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("width", WIDTHS)
def test_backward_step(width: int, offset: int, shift: int) -> None:
    rows = Rows(6, width, offset, shift)
    future, word, mass, emission = rows.before[:4]
    total = backward_step(*rows.arguments(), *FACTORS, width)
    rows.check({4: 0.75 * word * future, 5: 0.125 * emission * future})
    assert total == pytest.approx(((mass - word) * future).sum(), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("offset", OFFSETS)
@pytest.mark.parametrize("width", WIDTHS)
def test_turn_step(width: int, offset: int, shift: int) -> None:
    rows = Rows(3, width, offset, shift)
    jumped, future, mass = rows.before
    turn_step(*rows.arguments(), *FACTORS, width)
    rows.check({0: 0.125 * mass, 1: jumped + 0.75 * future})


@pytest.mark.parametrize("offset", OFFSETS)
def test_rows_may_stand_in_one_array(offset: int) -> None:
    """As in the kernel, where a row is written behind the one that is read."""
    width, rng = 32, np.random.default_rng(offset)
    array = random_rows(rng, offset + 3 * width, 0)
    first, second, third = array[offset : offset + 3 * width].astype(float).reshape(3, width)
    word, later = offset + width, offset + 2 * width
    forward_step(
        array, offset, array, word, array, offset, array, word, array, later, *FACTORS, width
    )
    expected = 0.75 * first * second
    np.testing.assert_allclose(array[word:later], expected, rtol=1e-5, atol=1e-6)
    expected += 0.125 * first
    np.testing.assert_allclose(array[later : later + width], expected, rtol=1e-5, atol=1e-6)
    assert not np.allclose(third, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_prefetch_changes_nothing(kind: type) -> None:
    array = np.arange(40, dtype=kind)
    for index in (0, 17, 39):
        prefetch(array, index)
    np.testing.assert_array_equal(array, np.arange(40))
