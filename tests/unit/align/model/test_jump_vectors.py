"""Vector intrinsics of jumps against NumPy; what lies beside a row stays as it is."""

from collections.abc import Iterator

import numpy as np
import pytest
from numba import njit

from isogloss.align.model.kernels import jump_vectors
from isogloss.align.model.kernels.jump_vectors import GROUP
from isogloss.align.model.kernels.transitions import margin
from tests.unit.align.kernels.test_simd import OFFSETS, SHIFTS, WIDTHS, check_rows, random_rows

WINDOWS = [1, 2, 5, 14, 15, 16, 17, 31, 40]
COUNTS = [0, 1, 2, 13]


@njit
def jump_sums(*arguments):
    jump_vectors.jump_sums(*arguments)


@njit
def jump_maxima(*arguments):
    jump_vectors.jump_maxima(*arguments)


@njit
def jump_sums_back(*arguments):
    jump_vectors.jump_sums_back(*arguments)


@njit
def band_products(*arguments):
    jump_vectors.band_products(*arguments)


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
        chances = np.select([distance > window, distance < -window], [right, left], near)
        return np.where(far | (abs(distance) <= window), chances, 0.0)

    def arguments(self, far: bool, *, back: bool = False) -> tuple:
        distance_0 = self.rows + self.window * self.width
        tails = self.tails[::-1] if back else self.tails
        return (
            (self.work, self.out[0]), (self.array, self.at), (self.band, distance_0, *tails),
            (self.window, far),
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
        jump_sums(*step.arguments(far), width)
        step.check(step.row @ step.chances(True, far))


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_jump_maxima(width: int, window: int) -> None:
    for step, far in steps(width, window):
        jump_maxima(*step.arguments(far), width)
        step.check((step.row[:, None] * step.chances(True, far)).max(0))
        step.array *= -1.0
        jump_maxima(*step.arguments(far), width)
        step.check(np.zeros(width))  # nothing is below 0


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("width", WIDTHS)
def test_jump_sums_back(width: int, window: int) -> None:
    """The sums of what lies beyond the window are kept if there are tails to be counted."""
    for step, far in steps(width, window):
        kept = (step.work, *step.out[1:])
        jump_sums_back(*step.arguments(far, back=True), kept, width)
        origin, position = np.indices((width, width))
        sums = (position < origin - window) @ step.row, (position > origin + window) @ step.row
        step.check(step.chances(False, far) @ step.row, *(sums if far else ()))


@pytest.mark.parametrize("groups", [1, 2, 5])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("count", COUNTS)
def test_band_products(count: int, width: int, groups: int) -> None:
    """Rows of the second factor begin at any place.

    13 products or fewer, some as large as 10, are added in float32: 13 x 10 x 6e-8 in all.
    """
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
            product = left[left_at + j * left_step :][:width].astype(float)
            product *= right[right_at + j * right_step + d :][:width]
            expected[d] += factor[factor_at + j] * product
        band_products(
            (out, out_at), (factor, factor_at), (left, left_at, left_step),
            (right, right_at, right_step), (count, groups, width),
        )  # fmt: skip
        written = slice(out_at, out_at + rows * width)
        np.testing.assert_allclose(out[written], expected.ravel(), rtol=1e-5, atol=3e-5)
        np.testing.assert_array_equal(np.delete(out, written), np.delete(before, written))
