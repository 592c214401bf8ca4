"""Vector intrinsics against NumPy in double precision; what lies beside a row stays as it is."""

from collections.abc import Iterator

import numpy as np
import pytest
from numba import njit

from align.kernels import simd
from align.kernels.simd import GROUP, LANES, padded, zeros
from align.model.kernels.transitions import margin

WIDTHS = [16, 32, 48, 64, 80, 256]
COUNTS = [0, 1, 2, 13]
OFFSETS = [0, 16, 48]
SHIFTS = [0, 1, 5]  # entries off a cache line
WINDOWS = [1, 2, 5, 14, 15, 16, 17, 31, 40]


@njit
def jump_sums(*arguments):
    simd.jump_sums(*arguments)


@njit
def jump_maxima(*arguments):
    simd.jump_maxima(*arguments)


@njit
def jump_sums_back(*arguments):
    simd.jump_sums_back(*arguments)


@njit
def band_products(*arguments):
    simd.band_products(*arguments)


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
def add_scaled(*arguments):
    simd.add_scaled(*arguments)


@njit
def keep_larger(*arguments):
    simd.keep_larger(*arguments)


@njit
def clear(*arguments):
    simd.clear(*arguments)


@njit
def band_row(*arguments):
    simd.band_row(*arguments)


@njit
def class_row(*arguments):
    simd.class_row(*arguments)


@njit
def product_sum(*arguments):
    return simd.product_sum(*arguments)


@njit
def explained(*arguments):
    return simd.explained(*arguments)


@njit
def best_step(*arguments):
    return simd.best_step(*arguments)


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
        own = slice(at, at + len(row))
        np.testing.assert_allclose(array[own], row, rtol=1e-5, atol=1e-6)
        unchanged[own] = array[own]
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


class Step:
    """A row between zeros in an array of such rows, and a band of chances; none is below 0.

    Chances have no zeros where a jump would lead out of the row: those beside the row do for them.
    """

    def __init__(self, width: int, window: int, offset: int, shift: int) -> None:
        rng = np.random.default_rng(width + window + offset)
        self.width, self.window = width, window
        beside = margin(window)
        self.at = offset + width + beside
        self.array = np.abs(random_rows(rng, self.at + 2 * (width + beside), shift))
        for zero in (self.at - beside, self.at + width):
            self.array[zero : zero + beside] = 0.0
        self.row = self.array[self.at : self.at + width].astype(float)
        self.rows = offset + width
        self.tails = self.rows + (2 * window + 2) * width, offset  # to the right, to the left
        self.band = np.abs(random_rows(rng, self.tails[0] + width, shift))
        self.work = random_rows(rng, offset + 3 * width, shift)
        self.out = offset + width, offset + 2 * width, offset  # and of the sums on either side
        self.before = self.work.copy()

    def chances(self, by_position: bool, far: bool) -> np.ndarray:
        """P(position | origin), taken out of a band that goes by position or by origin."""
        width, window, origin, position = self.width, self.window, *np.indices((self.width,) * 2)
        distance, at = position - origin, position if by_position else origin
        rows = self.band[self.rows :][: (2 * window + 1) * width].reshape(-1, width)
        near = rows[np.clip(distance, -window, window) + window, at]
        right, left = (self.band[tail : tail + width] for tail in self.tails)
        reached = (window + 1) * by_position
        right = right[np.minimum(origin + reached, width - 1)]
        left = left[np.maximum(origin - reached, 0)]
        found = np.select([distance > window, distance < -window], [right, left], near)
        return np.where(far | (abs(distance) <= window), found, 0.0)

    def arguments(self, far: bool, *, back: bool = False) -> tuple:
        distance_0 = self.rows + self.window * self.width
        tails = self.tails[::-1] if back else self.tails
        return (
            self.work, self.out[0], self.array, self.at, self.band, distance_0, *tails,
            self.window, far, self.width,
        )  # fmt: skip

    def check(self, expected: np.ndarray, *sums: np.ndarray) -> None:
        pairs = zip(self.out, (expected, *sums), strict=False)
        check_rows(self.work, self.before, dict(pairs))


def steps(width: int, window: int) -> Iterator[tuple[Step, bool]]:
    """At several places; without tails and with them."""
    for offset, shift in zip(OFFSETS, SHIFTS, strict=True):
        for far in (False, True):
            yield Step(width, window, offset, shift), far


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_jump_sums(width: int, window: int) -> None:
    for step, far in steps(width, window):
        jump_sums(*step.arguments(far))
        step.check(step.row @ step.chances(True, far))


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_jump_maxima(width: int, window: int) -> None:
    for step, far in steps(width, window):
        jump_maxima(*step.arguments(far))
        step.check((step.row[:, None] * step.chances(True, far)).max(0))
        step.array *= -1.0
        jump_maxima(*step.arguments(far))
        step.check(np.zeros(width))  # nothing is below 0


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_jump_sums_back(width: int, window: int) -> None:
    """The sums of what lies beyond the window are kept if there are tails to be counted."""
    for step, far in steps(width, window):
        jump_sums_back(*step.arguments(far, back=True), step.work, *step.out[1:])
        origin, position = np.indices((width, width))
        sums = (position < origin - window) @ step.row, (position > origin + window) @ step.row
        step.check(step.chances(False, far) @ step.row, *(sums if far else ()))


@pytest.mark.parametrize("groups", [1, 2, 5])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", COUNTS)
def test_band_products(count: int, width: int, groups: int) -> None:
    """Rows of the second factor begin at any place."""
    rng = np.random.default_rng(width + count)
    rows, left_step, right_step = GROUP * groups, width + 16, width + 48
    places = [(0, 0, 0, 0), (16, 1, 48, 13), (48, 3, 16, 32)]
    for shift, (out_at, factor_at, left_at, right_at) in zip(SHIFTS, places, strict=True):
        out = random_rows(rng, out_at + rows * width, shift)
        factor = random_rows(rng, factor_at + count, shift)
        left = random_rows(rng, left_at + count * left_step, shift)
        right = random_rows(rng, right_at + count * right_step + rows, shift)
        before, expected = out.copy(), np.zeros((rows, width))
        for j, d in np.ndindex(count, rows):
            own = left[left_at + j * left_step :][:width].astype(float)
            own *= right[right_at + j * right_step + d :][:width]
            expected[d] += factor[factor_at + j] * own
        band_products(
            out, out_at, factor, factor_at, left, left_at, left_step, right, right_at, right_step,
            count, groups, width,
        )  # fmt: skip
        own = slice(out_at, out_at + rows * width)
        np.testing.assert_allclose(out[own], expected.ravel(), rtol=1e-5, atol=1e-5)
        np.testing.assert_array_equal(np.delete(out, own), np.delete(before, own))


class Rows:
    """Arrays of random numbers, a row of each, and what the arrays held before."""

    def __init__(self, number: int, width: int, offset: int, shift: int) -> None:
        rng = np.random.default_rng(width + offset)
        self.starts = [offset + LANES * (k % 3) for k in range(number)]
        self.arrays = [random_rows(rng, at + width, shift) for at in self.starts]
        self.copies = [array.copy() for array in self.arrays]
        pairs = zip(self.copies, self.starts, strict=True)
        self.before = [array[at : at + width].astype(float) for array, at in pairs]

    def arguments(self) -> list:
        return [part for pair in zip(self.arrays, self.starts, strict=True) for part in pair]

    def check(self, expected: dict[int, np.ndarray]) -> None:
        """Compare the rows written; nothing else has changed."""
        for number, (array, before) in enumerate(zip(self.arrays, self.copies, strict=True)):
            written = number in expected
            check_rows(array, before, {self.starts[number]: expected[number]} if written else {})


FACTORS = np.float32(0.75), np.float32(0.125)


@pytest.fixture(params=list(zip(OFFSETS, SHIFTS, strict=True)), ids=str)
def place(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Offset in the array, and entries off a cache line."""
    return request.param


@pytest.mark.parametrize("width", WIDTHS)
def test_forward_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows(5, width, *place)
    reached, emission, before = rows.before[:3]
    word = 0.75 * reached * emission
    mass = word + 0.125 * before
    total = forward_step(*rows.arguments(), *FACTORS, width)
    rows.check({3: word, 4: mass})
    assert total == pytest.approx(mass.sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_best_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows(5, width, *place)
    reached, emission, before = rows.before[:3]
    word = 0.75 * reached * emission
    mass = np.maximum(word, 0.125 * before)
    total = best_step(*rows.arguments(), *FACTORS, width)
    rows.check({3: word, 4: mass})
    assert total == pytest.approx(mass.sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_backward_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows(6, width, *place)
    future, word, mass, emission = rows.before[:4]
    total = backward_step(*rows.arguments(), *FACTORS, width)
    rows.check({4: 0.75 * word * future, 5: 0.125 * emission * future})
    assert total == pytest.approx(((mass - word) * future).sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_turn_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows(7, width, *place)
    jumped, future, mass, behind, before, rightwards, leftwards = rows.before
    turn_step(*rows.arguments(), *FACTORS, width)
    rows.check({
        1: jumped + 0.75 * future,
        5: rightwards + 0.125 * mass * behind,
        6: leftwards + 0.125 * mass * before,
    })  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
def test_add_scaled(width: int, place: tuple[int, int]) -> None:
    rows = Rows(2, width, *place)
    out, row = rows.before
    add_scaled(*rows.arguments(), FACTORS[0], width)
    rows.check({0: out + 0.75 * row})


@pytest.mark.parametrize("width", WIDTHS)
def test_keep_larger(width: int, place: tuple[int, int]) -> None:
    rows = Rows(2, width, *place)
    out, row = rows.before
    keep_larger(*rows.arguments(), FACTORS[0], width)
    rows.check({0: np.maximum(out, 0.75 * row)})


@pytest.mark.parametrize("width", WIDTHS)
def test_clear(width: int, place: tuple[int, int]) -> None:
    rows = Rows(1, width, *place)
    clear(*rows.arguments(), width)
    rows.check({0: np.zeros(width)})


@pytest.mark.parametrize("width", WIDTHS)
def test_band_row(width: int, place: tuple[int, int]) -> None:
    rows = Rows(4, width, *place)
    _, share, uniform, exists = rows.before
    band_row(*rows.arguments(), FACTORS[0], width)
    rows.check({0: (0.75 * share + uniform) * exists})


@pytest.mark.parametrize("width", WIDTHS)
def test_class_row(width: int, place: tuple[int, int]) -> None:
    rows, rng = Rows(2, width, *place), np.random.default_rng(width)
    table, classes = rng.normal(size=(7, 13)), rng.integers(0, 7, width + 3).astype(np.int32)
    out, factor = rows.arguments()[:2], rows.arguments()[2:]
    for column in (0, 5, 12):
        class_row(*out, table, column, classes, 3, *factor, width)
        rows.check({0: table[classes[3:], column] * rows.before[1]})


@pytest.mark.parametrize("width", WIDTHS)
def test_product_sum(width: int, place: tuple[int, int]) -> None:
    rows = Rows(2, width, *place)
    left, right = rows.before
    total = product_sum(*rows.arguments(), width)
    rows.check({})
    assert total == pytest.approx(left @ right, rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_explained(width: int, place: tuple[int, int]) -> None:
    rows = Rows(3, width, *place)
    ratio, chance, total = rows.before
    part = ratio * (chance - 0.125)
    found = explained(*rows.arguments(), FACTORS[1], width)
    rows.check({0: part, 2: total + part})
    assert found == pytest.approx(part.sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("offset", OFFSETS)
def test_rows_may_stand_in_one_array(offset: int) -> None:
    """As in the kernel, where a row is written behind the one that is read."""
    width, rng = 32, np.random.default_rng(offset)
    array = random_rows(rng, offset + 3 * width, 0)
    before = array.copy()
    first, second, third = array[offset : offset + 3 * width].astype(float).reshape(3, width)
    word, later = offset + width, offset + 2 * width
    forward_step(
        array, offset, array, word, array, offset, array, word, array, later, *FACTORS, width
    )
    expected = 0.75 * first * second
    check_rows(array, before, {word: expected, later: expected + 0.125 * first})
    assert not np.allclose(third, expected + 0.125 * first, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("offset", OFFSETS)
def test_a_row_of_a_band_may_stand_before_what_it_is_made_of(offset: int) -> None:
    """As in ``fill_band``; rows that are read may begin at any place."""
    width, rng = 48, np.random.default_rng(offset)
    array = random_rows(rng, offset + 4 * width + 32, 0)
    places = [offset, offset + width + 5, offset + 2 * width + 11, offset + 3 * width + 32]
    before = array.copy()
    _, share, uniform, exists = (before[at : at + width].astype(float) for at in places)
    band_row(*(part for at in places for part in (array, at)), FACTORS[0], width)
    check_rows(array, before, {offset: (0.75 * share + uniform) * exists})


@pytest.mark.parametrize("kind", [np.float32, np.float64])
def test_prefetch_changes_nothing(kind: type) -> None:
    array = np.arange(40, dtype=kind)
    for index in (0, 17, 39):
        prefetch(array, index)
    np.testing.assert_array_equal(array, np.arange(40))
