"""Domains of sentence pairs as a type of their own."""

import pickle

import numpy as np
import pytest

from isogloss.align import DomainPosteriors
from isogloss.align.errors import WrongTypeError

TABLE = DomainPosteriors(("law", "news"), np.array([[0.25, 0.75], [0.0, 1.0]]))


def test_printed_by_their_mean() -> None:
    assert repr(TABLE) == "DomainPosteriors(2 sentence pairs; mean: news 0.88, law 0.12)"
    many = DomainPosteriors(tuple(f"d{k}" for k in range(90)), np.full((0, 90), 1 / 90))
    assert len(repr(many)) < 200


def test_pairs_are_chosen() -> None:
    assert TABLE[0] == {"law": 0.25, "news": 0.75}
    assert list(TABLE) == [TABLE[0], {"law": 0.0, "news": 1.0}]
    assert TABLE[-1:] == TABLE[[1]] == TABLE[np.array([False, True])]
    assert list(TABLE[[1, 0]]) == [TABLE[1], TABLE[0]]
    with pytest.raises(IndexError, match="sentence pair 2 is out of range: there are 2"):
        TABLE[2]
    with pytest.raises(WrongTypeError, match="sentence pairs must be selected by a number"):
        TABLE["law"]  # type: ignore[call-overload]


def test_equal_by_content() -> None:
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE
    assert DomainPosteriors(("law", "news"), 1 - TABLE.posterior) != TABLE


def test_a_column_per_domain() -> None:
    with pytest.raises(ValueError, match="posteriors must have one column per domain"):
        DomainPosteriors(("law",), TABLE.posterior)
