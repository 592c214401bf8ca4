"""Runs of equal values against itertools.groupby."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from align.ragged import distinct_sums, run_lengths, run_starts

VALUES = st.lists(st.integers(-3, 3))


@given(VALUES)
def test_runs_are_those_of_groupby(values: list[int]) -> None:
    runs = [len(list(run)) for _, run in groupby(values)]
    starts = run_starts(np.array(values, np.int64))
    assert starts.tolist() == [sum(runs[:k]) for k in range(len(runs))]
    assert run_lengths(starts, len(values)).tolist() == runs


@given(VALUES)
def test_sums_are_those_of_a_dictionary(values: list[int]) -> None:
    weights = np.arange(1.0, len(values) + 1)
    expected: dict[int, float] = {}
    for value, weight in zip(values, weights.tolist(), strict=True):
        expected[value] = expected.get(value, 0.0) + weight
    found, sums = distinct_sums(np.array(values, np.int64), weights)
    assert dict(zip(found.tolist(), sums.tolist(), strict=True)) == expected
    assert found.tolist() == sorted(expected)
