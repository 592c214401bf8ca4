"""Order and selection, compared with NumPy's."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.kernels.sorting import RUN, nth_smallest, rising_order, sort_values

FEW = st.lists(st.integers(-3, 3), max_size=3 * RUN)
NUMBERS = st.lists(st.floats(allow_nan=False), max_size=8 * RUN)


@given(FEW)
def test_equal_values_keep_their_places(numbers):
    values = np.array(numbers, np.int64)
    np.testing.assert_array_equal(rising_order(values), np.argsort(values, kind="stable"))


@given(NUMBERS)
def test_order_is_that_of_numpy(numbers):
    values = np.array(numbers, np.float64)
    np.testing.assert_array_equal(rising_order(values), np.argsort(values, kind="stable"))


@given(st.lists(st.integers(0, 2**64 - 1), max_size=3 * RUN))
def test_values_are_sorted_in_place(numbers):
    values = np.array([0, *numbers, 0], np.uint64)
    sort_values(values[1:-1])  # what stands beside them stays
    np.testing.assert_array_equal(values, [0, *sorted(numbers), 0])


def test_long_arrays_are_merged():
    values = np.random.default_rng(1).integers(0, 500, 10_000).astype(np.float64)
    np.testing.assert_array_equal(rising_order(values), np.argsort(values, kind="stable"))
    rising = np.arange(1000.0)
    np.testing.assert_array_equal(rising_order(rising), np.arange(1000))
    np.testing.assert_array_equal(rising_order(rising[::-1].copy()), np.arange(1000)[::-1])


@given(NUMBERS.filter(bool), st.randoms(use_true_random=False))
def test_a_place_is_that_of_the_sorted_values(numbers, random):
    place = random.randrange(len(numbers))
    values = np.array(numbers, np.float64)
    assert nth_smallest(values.copy(), place) == np.sort(values)[place]


def test_selection_among_many_alike():
    values = np.random.default_rng(2).integers(0, 4, 2000).astype(np.float64)
    ordered = np.sort(values)
    for place in (0, 1, 499, 1000, 1998, 1999):
        assert nth_smallest(values.copy(), place) == ordered[place]
