"""Projection of spans against a twin with sets, and what must hold of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align import (
    DataError,
    Links,
    Projection,
    ProjectionOptions,
    Spans,
    UsageError,
    project,
)
from isogloss.align.links.projection import GAPS, ProjectionCounts
from isogloss.align.links.projection_gaps import bridge_unlinked
from isogloss.align.links.spans import Span, joined_parts
from tests.naive.projection import bridged, project_sentence

# quarters and halves add up exactly in any order
SURE = st.sampled_from([0.25, 0.5, 0.75, 1.0])


@st.composite
def sentences(draw):
    """Lengths, links with probabilities, spans of a sentence."""
    num_source, num_target = draw(st.integers(1, 9)), draw(st.integers(1, 9))
    positions = st.tuples(st.integers(0, num_source - 1), st.integers(0, num_target - 1))
    links = draw(st.dictionaries(positions, SURE, max_size=12))
    stretch = st.tuples(st.integers(0, num_source - 1), st.integers(1, 4)).map(
        lambda pair: (pair[0], min(sum(pair), num_source))
    )
    parts = st.lists(stretch, min_size=1, max_size=2).map(joined_parts)
    return num_source, num_target, links, draw(st.lists(parts, max_size=4))


def columns(texts):
    """Spans, links and lengths of both sides."""
    links = Links.from_pairs([links for *_, links, _ in texts])
    sure = [text[2][link] for text, row in zip(texts, links, strict=True) for link in row]
    lengths = np.array([text[:2] for text in texts], np.int64).reshape(-1, 2)
    scored = Links(links.source, links.target, links.offsets, np.array(sure, np.float32))
    rows = [[Span(parts, "AB"[k % 2]) for k, parts in enumerate(text[3])] for text in texts]
    return Spans.from_sentences(rows), scored, lengths[:, 0], lengths[:, 1]


@given(
    st.lists(sentences(), min_size=1, max_size=3), st.sampled_from(GAPS), st.integers(0, 3),
    st.sampled_from([0.0, 0.3]), st.booleans(), st.booleans(),
)  # fmt: skip
def test_as_the_twin_does(texts, gaps, max_gap, least, nested, extend):
    spans, links, *lengths = columns(texts)
    options = ProjectionOptions(gaps, max_gap, "extend" if extend else "drop", least, nested)
    found = project(spans, links, *lengths, options)
    assert found.counts.projected == len(found.origin) == len(found.spans.label)
    for k, (num_source, num_target, pairs, parts) in enumerate(texts):
        known = bridged(pairs, num_source, num_target) if extend else pairs
        expected = project_sentence(
            parts, known, gaps=gaps, max_gap=max_gap, min_confidence=least, nested=nested
        )
        rows = range(*found.spans.offsets[k : k + 2].tolist())
        first = int(spans.offsets[k])
        assert [int(found.origin[row]) - first for row in rows] == list(expected)
        for span, number in zip(found.spans[k], expected, strict=True):
            assert span.parts == expected[number][0]
            assert span.label == "AB"[number % 2]
            assert span.confidence == pytest.approx(expected[number][1], rel=1e-6)


@given(st.lists(sentences(), min_size=1, max_size=3))
def test_words_that_are_bridged(texts):
    _, links, *lengths = columns(texts)
    found = bridge_unlinked(links, *lengths)
    assert found.probability is not None
    rest = iter(found.probability.tolist())
    rows = [{link: next(rest) for link in row} for row in found]
    assert rows == [bridged(text[2], *text[:2]) for text in texts]


@given(sentences(), st.sampled_from(GAPS), st.permutations(range(9)))
def test_there_and_back_by_links_one_to_one(text, gaps, order):
    spans, _, lengths, _ = columns([text])
    size = int(lengths[0])
    order = [k for k in order if k < size]
    there = Links.from_pairs([list(enumerate(order))])
    options = ProjectionOptions("keep", 9)
    middle = project(spans, there, lengths, lengths, options)
    back = project(middle.spans, there.reversed(), lengths, lengths, options)
    assert list(back.origin) == list(range(len(spans.label)))
    assert [span._replace(confidence=None) for span in back.spans[0]] == spans[0]
    same = Links.from_pairs([[(k, k) for k in range(size)]])
    found = project(spans, same, lengths, lengths, ProjectionOptions(gaps))
    assert [span._replace(confidence=None) for span in found.spans[0]] == spans[0]
    assert set(found.spans.confidence.tolist()) <= {1.0}


def one(spans, links, size, **options):
    """Project spans of a sentence, (start, end, label), over Pharaoh links."""
    pairs = [tuple(map(int, link.split("-"))) for link in links.split()]
    lengths = np.array([size], np.int64)
    found = project(
        Spans.from_sentences([spans]), Links.from_pairs([pairs]), lengths, lengths,
        ProjectionOptions(**options),
    )  # fmt: skip
    assert isinstance(found, Projection)
    return [(span.parts, span.label) for span in found.spans[0]], found.counts


@pytest.mark.parametrize(
    ("options", "parts", "filled", "strays"),
    [
        ({}, ((0, 5),), 2, 1),
        ({"gaps": "keep"}, ((0, 1), (2, 3), (4, 5)), 0, 1),
        ({"gaps": "largest", "max_gap": 0}, ((0, 1),), 0, 3),
        ({"max_gap": 99}, ((0, 10),), 6, 0),
        ({"gaps": "keep", "max_gap": 99}, ((0, 1), (2, 3), (4, 5), (9, 10)), 0, 0),
    ],
)
def test_holes_and_strays(options, parts, filled, strays):
    found, counts = one([(0, 4, "A")], "0-0 1-2 2-4 3-9", 10, **options)
    assert found == [(parts, "A")]
    assert (counts.filled, counts.strays) == (filled, strays)


def test_a_claimed_word_goes_to_the_surer_span():
    # word 1 of B's image is A's: A is linked all over, B has a word without a link
    found, counts = one([(0, 2, "A"), (2, 5, "B"), (5, 6, "C")], "0-0 1-1 2-1 3-2 5-0", 6)
    assert found == [(((0, 2),), "A"), (((2, 3),), "B")]
    assert counts == ProjectionCounts(read=3, projected=2, claimed=1, cut=1)
    # within each other at the source: both keep their words, unless nothing may overlap
    nested = [(0, 3, "A"), (1, 2, "B")]
    assert one(nested, "0-0 1-1 2-2", 3)[0] == [(((0, 3),), "A"), (((1, 2),), "B")]
    assert one(nested, "0-0 1-1 2-2", 3, nested=False)[0] == [(((0, 3),), "A")]


def test_a_table_with_lost_spans():
    lengths = np.array([4], np.int64)
    source = Spans.from_sentences([[(0, 1, "A"), (1, 2, "B"), (2, 3, "A"), (3, 4, "B")]])
    links = Links.from_pairs([[(0, 1), (1, 1), (3, 2)]])
    scored = Links(links.source, links.target, links.offsets, np.array([1, 0.5, 0.25], np.float32))
    found = project(source, scored, lengths, lengths, unlinked="drop", min_confidence=0.5)
    assert found.source is source
    columns = found.table_columns()
    named = {key: columns.pop(key) for key in ("label", "status")}
    assert [named["status"].names[k] for k in named["status"].numbers] == [
        "projected", "overlap", "no link", "low confidence",
    ]  # fmt: skip
    assert [named["label"].names[k] for k in named["label"].numbers] == ["A", "B", "A", "B"]
    assert {key: values.tolist() for key, values in columns.items()} == {
        "sentence": [0, 0, 0, 0], "start": [0, 1, 2, 3], "end": [1, 2, 3, 4],
        "target_start": [1, -1, -1, -1], "target_end": [2, -1, -1, -1],
        "confidence": [1.0, 0.0, 0.0, 0.25],
    }  # fmt: skip
    whole = project(Spans.from_sentences([[Span(((0, 1), (3, 4)), "A")]]), scored, lengths, lengths,
                    gaps="keep").table_columns()  # fmt: skip
    assert [whole[key].tolist() for key in ("start", "end", "target_start", "target_end")] == [
        [0], [4], [1], [3],
    ]  # fmt: skip


def test_words_without_links():
    dropped = one([(1, 3, "A")], "0-0 3-3", 4, unlinked="drop")
    assert dropped == ([], ProjectionCounts(read=1, unlinked=1))
    assert one([(1, 3, "A")], "0-0 3-3", 4, unlinked="extend")[0] == [(((1, 3),), "A")]
    found, counts = one([(1, 3, "A")], "0-0 3-3", 4, unlinked="extend", min_confidence=0.1)
    assert (found, counts.unsure) == ([], 1)


def test_what_does_not_fit_the_text():
    lengths = np.array([2], np.int64)
    links = Links.from_pairs([[(0, 0)]])
    spans = Spans.from_sentences([[(0, 3, "A")]])
    with pytest.raises(DataError, match="line 1: a span covers the words 0 to 3, but the"):
        spans.check_range(lengths, "x")
    with pytest.raises(DataError, match="a span covers the words 0 to 3, but the sentence has 2"):
        project(spans, links, lengths, lengths)
    with pytest.raises(DataError, match=r"the annotations have 1 sentence; expected 2"):
        project(spans, links, np.array([3, 3]), np.array([3, 3]))
    with pytest.raises(
        DataError,
        match=r"link 0-0 is out of range: the sentence pair has 3 source words and 0 target words",
    ):
        project(spans, links, np.array([3]), np.array([0]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"gaps": "x"}, "gaps must be one of fill, keep, largest, got 'x'"),
        ({"max_gap": -1}, "max_gap must be at least 0, got -1"),
        ({"unlinked": "x"}, "unlinked must be one of drop, extend, got 'x'"),
        ({"min_confidence": 2.0}, "min_confidence must be between 0 and 1, got 2.0"),
    ],
)
def test_options_out_of_range(options, message):
    with pytest.raises(UsageError, match=message):
        ProjectionOptions(**options)
