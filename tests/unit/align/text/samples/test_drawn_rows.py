"""Rows drawn from a text of unknown length."""

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.text.samples.drawn_rows import draw_rows

Flags = list[tuple[bool, bool]]  # of each row: whether it is required, whether it may be drawn


def blocks(flags: Flags, size: int) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
    for begin in range(0, len(flags), size):
        columns = np.array(flags[begin : begin + size], np.bool_)
        yield columns[:, 0], columns[:, 1]


def naive(flags: Flags, size: int, seed: int) -> list[int]:
    """All rows are sorted by their random numbers."""
    keys = np.random.default_rng(seed).random(len(flags)).tolist()
    required = [row for row, (is_required, _) in enumerate(flags) if is_required]
    others = [row for row, (needed, allowed) in enumerate(flags) if allowed and not needed]
    others.sort(key=keys.__getitem__)
    return sorted(required + others[: max(size - len(required), 0)])


@given(
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=60),
    st.integers(1, 30),
    st.integers(0, 5),
    st.integers(1, 70),
)
def test_as_the_naive_version_whatever_the_blocks(
    flags: Flags, size: int, seed: int, block: int
) -> None:
    rows, count = draw_rows(blocks(flags, block), size, seed)
    assert count == len(flags)
    assert rows.tolist() == naive(flags, size, seed)


def test_each_row_has_the_same_chance() -> None:
    """Of 40 rows 10 are drawn, 2,000 times: each some 500 times, by 5 standard deviations."""
    drawn = np.zeros(40)
    for seed in range(2000):
        drawn[draw_rows(blocks([(False, True)] * 40, 7), 10, seed)[0]] += 1
    deviation = np.sqrt(2000 * 0.25 * 0.75)
    assert (np.abs(drawn - 500) < 5 * deviation).all()


@pytest.mark.parametrize("size", [1, 3])
def test_all_that_is_required_is_drawn(size: int) -> None:
    flags = [(True, False), (False, True), (True, True), (True, False)]
    assert draw_rows(blocks(flags, 2), size, 1)[0].tolist() == [0, 2, 3]
