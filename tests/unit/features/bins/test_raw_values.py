"""Scores by value in place of their logarithm."""

import math

import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.features.bins.raw_values import with_raw_values
from tests.naive import templates as naive


def test_what_a_decoder_makes_of_them_is_the_value() -> None:
    rules = [naive.Rule((word,), ("x",), (), 1.0, {"a": value, "b": 0.5})
             for word, value in (("k", 0.0), ("l", 0.25), ("m", 1.0))]  # fmt: skip
    table = naive.table_of(rules)
    before = table.scores.copy()
    raw = with_raw_values(table, ["DomainLex.a"])
    assert raw.score_names == ("Raw.DomainLex.a", "DomainLex.b")
    assert [math.log(value) for value in raw.scores[:, 0]] == pytest.approx([0.0, 0.25, 1.0])
    assert raw.scores[:, 1].tolist() == [0.5] * 3
    assert (table.scores == before).all()
    assert with_raw_values(table, []).score_names == table.score_names


def test_values_that_can_not_be_raw() -> None:
    table = naive.table_of([naive.Rule(("k",), ("x",), (), 1.0, {"a": 701.0})])
    for names in (["b"], ["DomainLex.a"] * 2):
        with pytest.raises(UsageError, match=r"raw scores must be distinct names of DomainLex.a;"):
            with_raw_values(table, names)
    with pytest.raises(DataError, match=r"the score DomainLex.a of a rule is 701; expected at"):
        with_raw_values(table, ["DomainLex.a"])
