"""Ragged arithmetic against lists of lists, runs against itertools.groupby."""

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.arrays.ragged import (
    distinct_sums,
    joined_offsets,
    number_distinct,
    offsets_of,
    per_entry,
    positions_within,
    row_means,
    row_numbers,
    rows_rise,
    run_lengths,
    run_starts,
    select_rows,
    selected_offsets,
    slice_rows,
    span_entries,
)

VALUES = st.lists(st.integers(-3, 3))
ROWS = st.lists(VALUES, max_size=8)


def flat(rows: list[list[int]]) -> list[int]:
    return [entry for row in rows for entry in row]


def bounds(rows: list[list[int]]) -> list[int]:
    return [len(flat(rows[:k])) for k in range(len(rows) + 1)]


@given(ROWS)
def test_offsets_are_sums_of_lengths(rows: list[list[int]]) -> None:
    offsets = offsets_of([len(row) for row in rows])
    assert offsets.tolist() == bounds(rows)
    assert offsets.dtype == np.int64
    assert np.array_equal(offsets, offsets_of(np.array([len(row) for row in rows], np.int8)))


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_offsets_of_arrays_one_after_the_other(parts: list[list[list[int]]]) -> None:
    offsets = joined_offsets([np.array(bounds(rows)) for rows in parts])
    assert offsets.tolist() == bounds([row for rows in parts for row in rows])


@given(ROWS)
def test_rows_and_positions_of_entries(rows: list[list[int]]) -> None:
    offsets = np.array(bounds(rows))
    assert row_numbers(offsets).tolist() == [k for k, row in enumerate(rows) for _ in row]
    assert positions_within(offsets).tolist() == [k for row in rows for k in range(len(row))]
    values = np.arange(2 * len(rows), dtype=np.int32).reshape(-1, 2)
    repeated = per_entry(values, offsets)
    assert repeated.tolist() == [values[k].tolist() for k, row in enumerate(rows) for _ in row]
    assert repeated.dtype == np.int32


@given(st.lists(st.lists(st.integers(-3, 3), min_size=1), min_size=1, max_size=8))
def test_means_of_rows(rows: list[list[int]]) -> None:
    offsets, values = np.array(bounds(rows)), np.array(flat(rows), np.float64)
    expected = np.array([sum(row) / len(row) for row in rows])
    assert np.array_equal(row_means(values, offsets), expected)
    columns = row_means(np.stack([values, -values], 1), offsets)
    assert np.array_equal(columns, np.stack([expected, -expected], 1))


@given(ROWS, st.data())
def test_consecutive_rows(rows: list[list[int]], data: st.DataObject) -> None:
    first = data.draw(st.integers(0, len(rows)))
    end = data.draw(st.none() | st.integers(first, len(rows)))
    entries, offsets = slice_rows(np.array(bounds(rows)), first, end)
    assert flat(rows)[entries] == flat(rows[first:end])
    assert offsets.tolist() == bounds(rows[first:end])


@given(ROWS, st.data())
def test_chosen_rows(rows: list[list[int]], data: st.DataObject) -> None:
    numbers = st.lists(st.integers(0, len(rows) - 1)) if rows else st.just([])
    chosen = data.draw(numbers)
    before, selected = np.array(bounds(rows)), np.array(chosen, np.int64)
    entries, offsets = select_rows(before, selected)
    expected = [rows[k] for k in chosen]
    assert [flat(rows)[k] for k in entries.tolist()] == flat(expected)
    assert offsets.tolist() == bounds(expected)
    assert selected_offsets(before, selected).tolist() == bounds(expected)


@pytest.mark.parametrize("dtype", [np.int8, np.int32, np.int64])
@given(spans=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 8)), max_size=8))
def test_entries_of_spans(dtype: type[np.integer], spans: list[tuple[int, int]]) -> None:
    begins, lengths = np.array(spans, dtype).reshape(-1, 2).T
    entries, offsets = span_entries(begins, lengths)
    expected = [list(range(begin, begin + length)) for begin, length in spans]
    assert entries.tolist() == flat(expected)
    assert offsets.tolist() == bounds(expected)


@given(
    st.lists(st.lists(st.tuples(st.integers(-1, 2), st.integers(-1, 2)), max_size=4), max_size=6)
)
def test_rows_of_pairs_that_rise(rows: list[list[tuple[int, int]]]) -> None:
    for made in (rows, [sorted(set(row)) for row in rows]):
        first, second = np.array([*flat(made), (0, 0)], np.int32)[:-1].T
        rising = all(row == sorted(set(row)) for row in made)
        assert rows_rise(first, second, offsets_of([len(row) for row in made])) == rising


@given(VALUES)
def test_runs_are_those_of_groupby(values: list[int]) -> None:
    runs = [len(list(run)) for _, run in groupby(values)]
    starts = run_starts(np.array(values, np.int64))
    assert starts.tolist() == [sum(runs[:k]) for k in range(len(runs))]
    assert run_lengths(starts, len(values)).tolist() == runs


@given(VALUES)
def test_numbers_rise_with_the_values(values: list[int]) -> None:
    places, numbers, counts = number_distinct(np.array(values, np.int64))
    distinct = sorted(set(values))
    assert [values[place] for place in places.tolist()] == distinct
    assert numbers.tolist() == [distinct.index(value) for value in values]
    assert counts.tolist() == [values.count(value) for value in distinct]


@given(VALUES)
def test_sums_are_those_of_a_dictionary(values: list[int]) -> None:
    weights = np.arange(1.0, len(values) + 1)
    expected: dict[int, float] = {}
    for value, weight in zip(values, weights.tolist(), strict=True):
        expected[value] = expected.get(value, 0.0) + weight
    distinct, sums = distinct_sums(np.array(values, np.int64), weights)
    assert dict(zip(distinct.tolist(), sums.tolist(), strict=True)) == expected
    assert distinct.tolist() == sorted(expected)
