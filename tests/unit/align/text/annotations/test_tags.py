"""Tags to spans and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align import DataError, DataWarning, Span
from isogloss.align.text.annotations.tags import SCHEMES, TagReader, encode_tags


def spans(tags, scheme=None):
    names = tags.split()
    found = TagReader(scheme, "x").spans(names, range(1, len(names) + 1))
    return [(span.start, span.end, span.label) for span in found]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("O B-A I-A O B-A B-A", [(1, 3, "A"), (4, 5, "A"), (5, 6, "A")]),
        ("I-A I-A B-A I-B O I-A", [(0, 2, "A"), (2, 3, "A"), (3, 4, "B"), (5, 6, "A")]),  # IOB1
        ("S-A B-A I-A E-A B-B E-B", [(0, 1, "A"), (1, 4, "A"), (4, 6, "B")]),
        ("U-A B-A L-A I-A", [(0, 1, "A"), (1, 3, "A"), (3, 4, "A")]),  # BILOU
        ("B-A M-A E-A E-A", [(0, 3, "A"), (3, 4, "A")]),  # BMES
        ("B I O B-geo-loc", [(0, 2, ""), (3, 4, "geo-loc")]),
        ("O", []),
        ("", []),
    ],
)
def test_what_has_one_meaning_is_read_without_a_scheme(tags, expected):
    assert spans(tags) == expected


@pytest.mark.parametrize(
    ("scheme", "tags", "message"),
    [
        ("bio", "O I-A", "x, line 2: the tag 'I-A' continues no span; expected B- before it."),
        ("bio", "B-B I-A", "line 2: the tag 'I-A' continues no span; expected B- before it"),
        ("bio", "S-A", "line 1: the tag 'S-A' is not allowed; expected B-, I- or O"),
        ("iob1", "I-A E-A", "line 2: the tag 'E-A' is not allowed; expected I-, B- or O"),
        ("bioes", "O E-A", "line 2: the tag 'E-A' continues no span; expected B- before it"),
        ("bioes", "B-A O", "line 2: the tag 'O' is within an open span 'A'; expected I- or E- of"),
        ("bioes", "B-A I-A", "line 2: the span 'A' has no end; expected E- or S-."),
        (None, "O PER", "line 2: 'PER' is not a valid tag; expected a tag such as B-PER, I-PER"),
        (None, "o", "line 1: 'o' is not a valid tag; expected a tag such as B-PER, I-PER or O"),
    ],
)
def test_tags_that_are_not_of_the_scheme(scheme, tags, message):
    with pytest.raises(DataError, match=message):
        spans(tags, scheme)


def test_spans_without_a_begin_are_told_unless_they_are_iob1():
    reader = TagReader(None, "x")
    reader.spans(["O", "I-A", "B-A", "I-B"], [1, 2, 3, 4])
    with pytest.warns(DataWarning, match=r"2 spans do not begin with B- \(first: I-A on line 2\);"):
        reader.warn()
    assert spans("I-A I-A", "iob1") == [(0, 2, "A")]


ROWS = st.lists(st.tuples(st.sampled_from(["", "A", "B-C"]), st.integers(1, 3), st.integers(0, 2)))


@given(ROWS, st.sampled_from(SCHEMES), st.booleans())
def test_round_trip(rows, scheme, told):
    at, found = 0, []
    for label, size, hole in rows:
        found.append(Span(((at, at + size),), label))
        at += size + hole
    tags = encode_tags(reversed(found), at, scheme)
    reader = TagReader(scheme if told or scheme == "iob1" else None)
    assert reader.spans(tags, range(at)) == found


def test_what_tags_do_not_hold():
    assert encode_tags([Span(((0, 1), (2, 3)), "A")], 3, "bioes") == ["S-A", "O", "S-A"]
    with pytest.raises(ValueError, match="overlapping spans cannot be written as tags"):
        encode_tags([Span(((0, 2),), "A"), Span(((1, 3),), "B")], 3)
