"""Domains of sentence pairs as a type of their own."""

import pickle

import numpy as np
import pytest

from isogloss.align import DomainPosteriors

TABLE = DomainPosteriors(("law", "news"), np.array([[0.25, 0.75], [0.0, 1.0]]))


def test_printed_by_their_mean() -> None:
    assert repr(TABLE) == "DomainPosteriors(2 sentence pairs; mean: news 0.88, law 0.12)"
    many = DomainPosteriors(tuple(f"d{k}" for k in range(90)), np.full((0, 90), 1 / 90))
    assert len(repr(many)) < 200


def test_equal_by_content() -> None:
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE
    assert DomainPosteriors(("law", "news"), 1 - TABLE.posterior) != TABLE


def test_a_column_per_domain() -> None:
    with pytest.raises(ValueError, match="posteriors must have one column per domain"):
        DomainPosteriors(("law",), TABLE.posterior)
