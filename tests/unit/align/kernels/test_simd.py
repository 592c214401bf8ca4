"""Vector intrinsics against NumPy in double precision; what lies beside a row stays as it is."""

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from numba import njit

from isogloss.align.kernels import simd
from isogloss.align.kernels.simd import LANES, padded, zeros

WIDTHS = [16, 32, 48, 64, 80, 256]
OFFSETS = [0, 16, 48]
SHIFTS = [0, 1, 5]  # entries off a cache line
FACTORS = np.float32(0.75), np.float32(0.125)
PLACES = list(zip(OFFSETS, SHIFTS, strict=True))  # in the array; off a cache line


@njit
def add_scaled(*arguments):
    simd.add_scaled(*arguments)


@njit
def keep_larger(*arguments):
    simd.keep_larger(*arguments)


@njit
def clear(*arguments):
    simd.clear(*arguments)


@njit
def product_sum(*arguments):
    return simd.product_sum(*arguments)


@njit
def prefetch(*arguments):
    simd.prefetch(*arguments)


def random_rows(rng: np.random.Generator, size: int, shift: int) -> np.ndarray:
    """float32[size + 32] of both signs, ``shift`` entries behind a cache line."""
    array = zeros(size + 32 + LANES)[shift : shift + size + 32]
    array[:] = rng.normal(size=len(array))
    return array


def check_rows(array: np.ndarray, before: np.ndarray, expected: dict[int, np.ndarray]) -> None:
    """The rows that begin at the given places are as expected, and the rest is as before."""
    unchanged = before.copy()
    for at, row in expected.items():
        row_slice = slice(at, at + len(row))
        np.testing.assert_allclose(array[row_slice], row, rtol=1e-5, atol=1e-6)
        unchanged[row_slice] = array[row_slice]
    np.testing.assert_array_equal(array, unchanged)


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


class Rows:
    """Arrays of random numbers with rows in each, and what the arrays held before."""

    def __init__(self, rows_of: Sequence[int], width: int, offset: int, shift: int) -> None:
        rng = np.random.default_rng(width + offset)
        self.starts = [
            [offset + LANES * (k % 3) + number * (width + LANES) for number in range(count)]
            for k, count in enumerate(rows_of)
        ]
        self.arrays = [random_rows(rng, starts[-1] + width, shift) for starts in self.starts]
        self.copies = [array.copy() for array in self.arrays]
        self.before = [
            array[at : at + width].astype(float)
            for array, starts in zip(self.copies, self.starts, strict=True)
            for at in starts
        ]

    def arguments(self) -> list[tuple]:
        return [(array, *starts) for array, starts in zip(self.arrays, self.starts, strict=True)]

    def check(self, expected: dict[int, np.ndarray]) -> None:
        """Compare the rows written; nothing else has changed."""
        numbers = itertools.count()
        for array, before, starts in zip(self.arrays, self.copies, self.starts, strict=True):
            rows = {at: next(numbers) for at in starts}
            written = {at: expected[k] for at, k in rows.items() if k in expected}
            check_rows(array, before, written)


@pytest.fixture(params=PLACES, ids=str)
def place(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Offset in the array, and entries off a cache line."""
    return request.param


@pytest.mark.parametrize("width", WIDTHS)
def test_add_scaled(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 2, width, *place)
    out, row = rows.before
    add_scaled(*rows.arguments(), FACTORS[0], width)
    rows.check({0: out + 0.75 * row})


@pytest.mark.parametrize("width", WIDTHS)
def test_keep_larger(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 2, width, *place)
    out, row = rows.before
    keep_larger(*rows.arguments(), FACTORS[0], width)
    rows.check({0: np.maximum(out, 0.75 * row)})


@pytest.mark.parametrize("width", WIDTHS)
def test_clear(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 1, width, *place)
    clear(*rows.arguments(), width)
    rows.check({0: np.zeros(width)})


@pytest.mark.parametrize("width", WIDTHS)
def test_product_sum(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 2, width, *place)
    left, right = rows.before
    total = product_sum(*rows.arguments(), width)
    rows.check({})
    assert total == pytest.approx(left @ right, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_prefetch_changes_nothing(kind: type) -> None:
    array = np.arange(40, dtype=kind)
    for index in (0, 17, 39):
        prefetch(array, index)
    np.testing.assert_array_equal(array, np.arange(40))


def test_intrinsics_are_for_kernels_alone():
    with pytest.raises(
        NotImplementedError, match="clear is LLVM code and can only be called from kernels"
    ):
        simd.clear((np.zeros(16, np.float32), 0), 16)
