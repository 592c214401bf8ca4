"""Rows of entries: joined, compared, taken apart."""

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged

ROWS = [[(0, 1.0), (2, 0.5)], [], [(1, 3.0)]]


def test_joined() -> None:
    first, second = Ragged.from_rows(ROWS), Ragged.from_rows([[(5, 1.0)], []])
    whole = Ragged.joined([first, second])
    assert whole == Ragged.from_rows([*ROWS, [(5, 1.0)], []])
    assert Ragged.joined([first]) is first


@pytest.mark.parametrize(
    "rows",
    [
        [[(0, 1.0), (2, 0.5)], [(1, 3.0)], []],
        [[(0, 1.0), (2, 0.25)], [], [(1, 3.0)]],
        [[(0, 1.0), (3, 0.5)], [], [(1, 3.0)]],
        ROWS[:2],
    ],
)
def test_other_rows_are_not_equal(rows: list[list[tuple[int, float]]]) -> None:
    assert Ragged.from_rows(ROWS) == Ragged.from_rows(ROWS)
    assert Ragged.from_rows(ROWS) != Ragged.from_rows(rows)


def test_behind() -> None:
    first = Ragged.from_rows(ROWS)
    added = Ragged.from_rows([[(0, 7.0)], [(1, 8.0), (0, 9.0)], []])
    rest = first.hstack(added, 10).without_prefix(first)
    expected = [[(10, 7.0)], [(11, 8.0), (10, 9.0)], []]
    assert rest is not None
    assert rest == Ragged.from_rows(expected)
    nothing = first.without_prefix(first)
    assert nothing is not None
    assert nothing == Ragged.empty(3)


@pytest.mark.parametrize(
    "rows",
    [
        [[(0, 1.0)], [], [(1, 3.0)]],  # an entry less
        [[(2, 0.5), (0, 1.0)], [], [(1, 3.0)]],  # in another order
        [[(0, 2.0), (2, 0.5)], [], [(1, 3.0)]],  # another value
        [[(0, 1.0), (2, 0.5)], []],  # a row less
    ],
)
def test_rows_that_begin_otherwise(rows: list[list[tuple[int, float]]]) -> None:
    assert Ragged.from_rows(rows).without_prefix(Ragged.from_rows(ROWS)) is None


def test_groups_of_rows() -> None:
    rows = Ragged.from_rows([*ROWS, [(4, 2.0)], [(5, 1.0), (5, 2.0)]])
    groups = rows.select_groups(np.array([0, 2, 2, 5]), np.array([2, 1, 0]))
    assert groups == rows.select(np.array([2, 3, 4, 0, 1]))


def test_renumbered() -> None:
    rows = Ragged.from_rows(ROWS).renumbered(np.array([3, -1, 0], np.int32))
    assert rows == Ragged.from_rows([[(3, 1.0), (0, 0.5)], [], []])
    assert Ragged.empty(2).renumbered(np.zeros(0, np.int32)) == Ragged.empty(2)


def test_scores_of_some_rows() -> None:
    rows, weights = Ragged.from_rows(ROWS), np.array([1.0, 2.0, 4.0])
    assert [3.0, 0.0, 6.0] == rows.scores(weights).tolist()
    assert [0.0, 6.0] == rows.scores(weights, 1).tolist()
    assert [0.0] == rows.scores(weights, 1, 2).tolist()
