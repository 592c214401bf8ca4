"""Vector intrinsics of the HMM's steps against NumPy; what lies beside a row stays as it is."""

import numpy as np
import pytest
from numba import njit

from isogloss.align.model.kernels import step_vectors
from tests.unit.align.kernels.test_simd import (
    FACTORS,
    OFFSETS,
    PLACES,
    WIDTHS,
    Rows,
    check_rows,
    random_rows,
)


@njit
def forward_step(*arguments):
    return step_vectors.forward_step(*arguments)


@njit
def best_step(*arguments):
    return step_vectors.best_step(*arguments)


@njit
def backward_step(*arguments):
    return step_vectors.backward_step(*arguments)


@njit
def turn_step(*arguments):
    step_vectors.turn_step(*arguments)


@njit
def band_row(*arguments):
    step_vectors.band_row(*arguments)


@njit
def class_row(*arguments):
    step_vectors.class_row(*arguments)


@njit
def explained(*arguments):
    return step_vectors.explained(*arguments)


@pytest.fixture(params=PLACES, ids=str)
def place(request: pytest.FixtureRequest) -> tuple[int, int]:
    """Offset in the array, and entries off a cache line."""
    return request.param


@pytest.mark.parametrize("width", WIDTHS)
def test_forward_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 5, width, *place)
    reached, emission, before = rows.before[:3]
    word = 0.75 * reached * emission
    mass = word + 0.125 * before
    total = forward_step(*rows.arguments(), FACTORS, width)
    rows.check({3: word, 4: mass})
    assert total == pytest.approx(mass.sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_best_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 5, width, *place)
    reached, emission, before = rows.before[:3]
    word = 0.75 * reached * emission
    mass = np.maximum(word, 0.125 * before)
    total = best_step(*rows.arguments(), FACTORS, width)
    rows.check({3: word, 4: mass})
    assert total == pytest.approx(mass.sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_backward_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 6, width, *place)
    future, word, mass, emission = rows.before[:4]
    total = backward_step(*rows.arguments(), FACTORS, width)
    rows.check({4: 0.75 * word * future, 5: 0.125 * emission * future})
    assert total == pytest.approx(((mass - word) * future).sum(), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("width", WIDTHS)
def test_turn_step(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1, 1, 1, 2, 2], width, *place)
    jumped, future, mass, behind, before, rightwards, leftwards = rows.before
    turn_step(*rows.arguments(), FACTORS, width)
    rows.check({
        1: jumped + 0.75 * future,
        5: rightwards + 0.125 * mass * behind,
        6: leftwards + 0.125 * mass * before,
    })  # fmt: skip


@pytest.mark.parametrize("width", WIDTHS)
def test_band_row(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 4, width, *place)
    _, share, uniform, exists = rows.before
    band_row(*rows.arguments(), FACTORS[0], width)
    rows.check({0: (0.75 * share + uniform) * exists})


@pytest.mark.parametrize("width", WIDTHS)
def test_class_row(width: int, place: tuple[int, int]) -> None:
    rows, rng = Rows([1] * 2, width, *place), np.random.default_rng(width)
    table, classes = rng.normal(size=(7, 13)), rng.integers(0, 7, width + 3).astype(np.int32)
    out, factor = rows.arguments()
    for column in (0, 5, 12):
        class_row(out, (table, column), (classes, 3), factor, width)
        rows.check({0: table[classes[3:], column] * rows.before[1]})


@pytest.mark.parametrize("width", WIDTHS)
def test_explained(width: int, place: tuple[int, int]) -> None:
    rows = Rows([1] * 3, width, *place)
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
        (array, offset), (array, word), (array, offset), (array, word), (array, later), FACTORS,
        width,
    )  # fmt: skip
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
    band_row(*((array, at) for at in places), FACTORS[0], width)
    check_rows(array, before, {offset: (0.75 * share + uniform) * exists})
