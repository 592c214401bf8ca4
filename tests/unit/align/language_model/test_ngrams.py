"""N-gram models check their columns."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from isogloss.align.language_model.ngrams import NgramModel
from tests.unit.align.language_model.test_estimation import quiet_estimate


def test_model_arrays_are_read_only() -> None:
    model = quiet_estimate([["a"]], 2)
    with pytest.raises(ValueError, match="read-only"):
        model.log_probability[0][0] = 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"order": 3}, "one entry per order"),
        ({"words": ("<s>", "<unk>", "</s>", "a")}, "start with <unk>"),
        ({"words": ("<unk>", "<s>", "</s>", "</s>")}, "unique"),
        ({"words": ("<unk>", "<s>", "</s>", "a b")}, "words must contain no whitespace or NUL"),
        ({"words": ("<unk>", "<s>", "</s>")}, "among the 1-grams is out of range"),
        ({"ngrams": (np.zeros((4, 1), np.int32), np.zeros((2, 3), np.int32))}, "the 2-grams diff"),
        ({"log_probability": (np.zeros(3, np.float32),) * 2}, "columns of the 1-grams differ"),
        ({"log_backoff": (np.zeros(4, np.float32), np.ones(2, np.float32))}, "have no backoff"),
    ],
)
def test_model_checks_its_columns(change: dict[str, Any], message: str) -> None:
    model = quiet_estimate([["a"]], 2)
    with pytest.raises(ValueError, match=message):
        replace(model, **change)


def test_equal_by_content_and_printed() -> None:
    rows = (np.arange(4, dtype=np.int32)[:, None], np.array([[1, 3]], np.int32))
    values = (np.zeros(4, np.float32), np.zeros(1, np.float32))
    words = ("<unk>", "<s>", "</s>", "a")
    one, other = (NgramModel(2, words, rows, values, values) for _ in range(2))
    assert one == other
    assert one != replace(one, words=(*words[:3], "b"))
    assert one != replace(one, log_probability=(values[0] - 1, values[1]))
    assert one != "model"
    assert repr(one) == "NgramModel(order 2; 4 words; n-grams: 4, 1)"


def test_a_collection_of_ngrams() -> None:
    model = quiet_estimate([["a", "b"]], 2)
    assert "a b" in model
    assert ("a", "b") in model
    assert [one in model for one in ("b a", "a b a", "c", "", 3)] == [False] * 5
    ngrams = list(model)
    assert len(ngrams) == len(model) == sum(map(len, model.ngrams))
    assert all(ngram in model for ngram in ngrams)
