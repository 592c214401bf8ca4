"""Columns of spans."""

import pickle

import numpy as np
import pytest

from isogloss.align import Span, Spans
from isogloss.align.errors import WrongTypeError

ROWS = [
    [Span(((0, 2),), "PER", 0.5), Span(((1, 2), (4, 6)), "LOC", 1.0)],
    [],
    [Span(((3, 4),), "PER", 0.25)],
]


def test_columns_and_back():
    spans = Spans.from_sentences(ROWS)
    assert list(spans) == ROWS
    assert (spans.start.tolist(), spans.end.tolist()) == ([0, 1, 4, 3], [2, 2, 6, 4])
    assert (spans.labels, spans.label.tolist()) == (("PER", "LOC"), [0, 1, 0])
    assert spans.part_offsets.tolist() == [0, 1, 3, 4]
    assert list(spans[1:]) == ROWS[1:]
    assert spans[-1] == ROWS[2]
    assert (ROWS[0][1].start, ROWS[0][1].end) == (1, 6)
    assert repr(spans) == "Spans(3 sentences, 3 spans with confidence; labels: PER, LOC)"
    assert repr(Spans.from_sentences([])) == "Spans(0 sentences, 0 spans)"
    with pytest.raises(IndexError, match="sentence 3 is out of range: there are 3"):
        spans[3]
    assert list(spans[::-2]) == [ROWS[2], ROWS[0]]
    assert list(spans[[1, 0]]) == list(spans[[True, True, False]])[::-1]
    assert spans[[0, 1, 2]] == spans == pickle.loads(pickle.dumps(spans))
    assert spans != spans[1:]


def test_parts_that_touch_are_one_and_confidence_is_of_all_or_none():
    spans = Spans.from_sentences([[Span(((2, 3), (0, 2)), "A", 0.5), (4, 5, "B")]])
    assert list(spans[0]) == [Span(((0, 3),), "A"), Span(((4, 5),), "B")]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"label": [0, 0]}, "spans must have one label each and end at the last offset"),
        ({"confidence": [1.0, 1.0]}, "either all spans have a confidence or none has"),
        ({"start": [0]}, "parts of spans must end at the last offset"),
        ({"part_offsets": [0, 0], "start": [], "end": []}, "a span must have at least one part"),
        ({"end": [0, 6]}, "a part of a span must have at least one word"),
        ({"start": [0, 2]}, "the parts of a span must be increasing and separate"),
        ({"labels": ("A", "A")}, "labels of spans must be unique"),
        ({"label": [1]}, "the label of a span must be an index into the labels"),
    ],
)
def test_invariants(changes, message):
    values = {
        "start": [0, 4], "end": [2, 6], "part_offsets": [0, 2], "label": [0], "offsets": [0, 1],
        "labels": ("A",), "confidence": None,
    } | changes  # fmt: skip
    arrays = {
        name: np.array(value, np.int64) if isinstance(value, list) else value
        for name, value in values.items()
    }
    with pytest.raises(ValueError, match=message):
        Spans(**arrays)


def test_a_label_that_is_no_text():
    with pytest.raises(WrongTypeError, match="the label of a span must be a string, not 5"):
        Spans.from_sentences([[(0, 1, 5)]])
