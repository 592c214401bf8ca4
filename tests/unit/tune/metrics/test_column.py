"""Columns of lists, and features, as metrics."""

from dataclasses import replace

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import DataError, UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.metrics.column import Column
from isogloss.tune.nbest.types import NBest
from tests.naive.lists import lists_of

SPACE = FeatureSpace(["lm", "x_y"])
ROWS = Ragged.from_rows([[(0, 1.5)], [(0, 2.0), (1, 1.0)], [(1, 4.0), (1, 1.0)]])


def lists(*values: float, names: tuple[str, ...] | None = None) -> NBest:
    bare = lists_of([["a", "b"], ["c"]])
    columns = {"comet": np.array(values)} if values else {}
    return replace(bare, columns=columns, space=SPACE, rows=ROWS, names=names)


def test_a_column() -> None:
    metric = Column("comet")
    found = metric.statistics(lists(0.5, 0.25, 1.0))
    assert [[0.5, 1], [0.25, 1], [1.0, 1]] == found.tolist()
    assert 0.75 == metric.score(found[[0, 2]].sum(0))
    assert [0.0, 0.25] == metric.score(np.array([[0.0, 0.0], [0.5, 2.0]])).tolist()
    assert [0.5, 0.25, 1.0] == metric.gains(found).tolist()
    assert [0.5] == metric.gains_in(np.ones(2), found[:1]).tolist()


def test_a_column_that_is_better_when_lower() -> None:
    metric = Column.parse("comet:lower")
    assert (-1, "column:comet:lower", 2) == (metric.sign, metric.name, metric.num_statistics)
    found = metric.statistics(lists(0.5, 0.25, 1.0))
    assert 0.5 == metric.score(found[0])
    assert [-0.5, -0.25, -1.0] == metric.gains(found).tolist()


@pytest.mark.parametrize(("name", "values"), [("lm", [1.5, 2.0, 0.0]), ("x_y", [0.0, 1.0, 5.0])])
def test_a_feature(name: str, values: list[float]) -> None:
    assert values == Column(name).statistics(lists())[:, 0].tolist()


def test_the_column_comes_before_the_feature() -> None:
    own = replace(lists(), columns={"lm": np.array([7.0, 8.0, 9.0])})
    assert [7.0, 8.0, 9.0] == Column("lm").statistics(own)[:, 0].tolist()


def test_names_with_a_colon() -> None:
    assert Column("a:b") == Column.parse("a:b") == Column.parse("a:b:higher")
    assert Column("a:b", higher=False) == Column.parse("a:b:lower")


@pytest.mark.parametrize("text", ["", ":lower"])
def test_no_name(text: str) -> None:
    with pytest.raises(
        UsageError, match=f"metric must be column:NAME or column:NAME:lower, got 'column:{text}'"
    ):
        Column.parse(text)


def test_an_unknown_column() -> None:
    with pytest.raises(
        DataError, match=r"the list has no column or feature 'bleurt'; expected one of comet"
    ):
        Column("bleurt").statistics(lists(1.0, 2.0, 3.0))
    with pytest.raises(DataError, match=r"no column or feature 'bleurt'; expected one of lm$"):
        Column("bleurt").statistics(lists())
    with pytest.raises(DataError, match="no column or feature 'x'; expected a list with columns"):
        Column("x").statistics(lists_of([["a"]]))


def test_a_value_that_is_missing() -> None:
    own = lists(1.0, np.nan, np.inf, names=("first", "second"))
    with pytest.raises(
        DataError, match=r"is nan for 2 of 3 hypotheses \(first: hypothesis 2 of sentence first\);"
    ):
        Column("comet").statistics(own)
    with pytest.raises(
        DataError, match=r"is inf for .* \(first: hypothesis 1 of sentence 1\); exp"
    ):
        Column("comet").statistics(lists(1.0, 1.0, np.inf))
