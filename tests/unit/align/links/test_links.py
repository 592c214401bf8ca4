"""Links and gold links: text in and out, invariants, ranges."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError
from isogloss.align.links.formats.pharaoh import _parse_fast, _parse_rows, check_num_pairs
from isogloss.align.links.gold_links import parse_gold
from isogloss.align.links.links import (
    LONGEST,
    MAX_PAIRS,
    Links,
    format_links,
    parse_links,
)

rows = st.lists(
    st.sets(st.tuples(st.integers(0, 3000), st.integers(0, 3000)), max_size=6), max_size=5
)


def pairs(links: Links) -> list[list[tuple[int, int]]]:
    return [links[number] for number in range(len(links))]


@given(rows)
def test_text_round_trip(rows: list) -> None:
    links = Links.from_pairs(rows)
    assert [sorted(row) for row in rows] == pairs(links)
    lines = list(format_links(links))
    assert pairs(links) == pairs(parse_links(lines))
    assert lines == list(format_links(parse_links(lines)))


@given(rows)
def test_reversed_twice_is_the_same(rows: list) -> None:
    links = Links.from_pairs(rows)
    assert [sorted((i, j) for j, i in row) for row in rows] == pairs(links.reversed())
    assert pairs(links) == pairs(links.reversed().reversed())


@given(rows, st.data())
def test_gold_round_trip(rows: list, data: st.DataObject) -> None:
    lines, sure = [], []
    for row in rows:
        marks = [data.draw(st.sampled_from("-p?")) for _ in row]
        lines.append(" ".join(f"{j}{m}{i}" for (j, i), m in zip(row, marks, strict=True)))
        sure.append(sorted(link for link, m in zip(row, marks, strict=True) if m == "-"))
    gold = parse_gold(lines)
    assert sure == pairs(gold.sure)
    assert [sorted(row) for row in rows] == pairs(gold.possible)
    assert len(rows) == len(gold)


@st.composite
def scored_links(draw: st.DrawFn) -> Links:
    links = Links.from_pairs(draw(rows))
    sure = st.floats(0.0, 1.0, width=32)
    size = len(links.source)
    values = draw(st.lists(sure, min_size=size, max_size=size))
    return Links(links.source, links.target, links.offsets, np.array(values, np.float32))


def by_link(links: Links) -> list[dict[tuple[int, int], float]]:
    assert links.probability is not None
    parts = np.split(links.probability, links.offsets[1:-1])
    return [
        dict(zip(links[number], part.tolist(), strict=True))
        for number, part in enumerate(parts[: len(links)])
    ]


@given(scored_links())
def test_probabilities_go_with_their_links(links: Links) -> None:
    turned = links.reversed()
    expected = [{(i, j): p for (j, i), p in row.items()} for row in by_link(links)]
    assert expected == by_link(turned)
    assert turned.probability is not None
    assert np.float32 == turned.probability.dtype
    assert by_link(links) == by_link(turned.reversed())
    for first in range(len(links)):
        assert by_link(links)[first:] == by_link(links.part(first))
        assert by_link(links)[first : first + 2] == by_link(links.part(first, 2))
    bare = links.unscored()
    assert bare.probability is None
    assert pairs(bare) == pairs(links)
    assert bare.reversed().probability is None
    assert bare.part(0).probability is None


@given(scored_links())
def test_probabilities_are_written_with_four_decimals(links: Links) -> None:
    lines = list(format_links(links))
    expected = [
        " ".join(f"{j}-{i}:{p:.4f}" for (j, i), p in sorted(row.items())) for row in by_link(links)
    ]
    assert expected == lines
    again = parse_links(lines)
    assert pairs(links) == pairs(again)
    assert again.probability is None


@given(scored_links())
def test_probabilities_that_were_written_are_read_again(links: Links) -> None:
    again = parse_links(format_links(links), scored=True)
    assert pairs(links) == pairs(again)
    assert links.probability is not None and again.probability is not None
    np.testing.assert_allclose(again.probability, links.probability, atol=5.1e-5)
    assert list(format_links(links)) == list(format_links(again))


@pytest.mark.parametrize("short", [1 << 20, -1])
def test_probabilities_as_they_are_written(short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh._SHORT", short)
    lines = ["1-2:0.25 0-0 4-4:1e-3 1-0:0", "", "3-4:0.1234567 2-2:.5\t5-5:1.", "0-0:1.0"]
    assert by_link(parse_links(lines, scored=True)) == [
        {(1, 2): 0.25, (0, 0): 1.0, (4, 4): float(np.float32(1e-3)), (1, 0): 0.0}, {},
        {(3, 4): float(np.float32(0.1234567)), (2, 2): 0.5, (5, 5): 1.0}, {(0, 0): 1.0},
    ]  # fmt: skip


def test_a_link_given_twice_has_its_highest_probability() -> None:
    for line in ("1-1:0.25 0-0:0.5 1-1:0.75", "1-1:0.75 1-1:0.25 0-0:0.5"):
        assert by_link(parse_links([line], scored=True)) == [{(0, 0): 0.5, (1, 1): 0.75}]


@pytest.mark.parametrize("score", ["1.01", "-0.1", "nan", "inf", "", "0.5:0.2", "1_0", "x", "2e0"])
@pytest.mark.parametrize("short", [1 << 20, -1])
def test_no_probability(score: str, short: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh._SHORT", short)
    with pytest.raises(
        DataError,
        match=rf"x, line 2: the score of '1-1:{score}' is invalid; expected a probability between",
    ):
        parse_links(["0-0:0.5", f"0-0 1-1:{score}"], "x", scored=True)
    assert pairs(parse_links([f"1-1:{score}"])) == [[(1, 1)]]


def test_scored_links_as_text() -> None:
    links = Links(
        np.array([0, 3], np.int32), np.array([0, 4], np.int32), np.array([0, 0, 2]),
        np.array([1.0, 0.97314], np.float32),
    )  # fmt: skip
    assert list(format_links(links)) == ["", "0-0:1.0000 3-4:0.9731"]


@pytest.mark.parametrize("values", [[], [0.5], [0.5, 0.5, 0.5]])
def test_one_probability_per_link(values: list) -> None:
    links = parse_links(["0-0 1-1"])
    with pytest.raises(ValueError, match="either all links have a probability or none has"):
        Links(links.source, links.target, links.offsets, np.array(values, np.float32))


def test_scores_are_dropped_and_links_sorted_and_unique() -> None:
    assert pairs(parse_links(["2-3:0.25 2-0 0-1:1e-3 2-3"])) == [[(0, 1), (2, 0), (2, 3)]]


def test_an_empty_line_has_no_links() -> None:
    links = parse_links(["0-0", "", "1-1"])
    assert pairs(links) == [[(0, 0)], [], [(1, 1)]]
    assert list(format_links(links)) == ["0-0", "", "1-1"]


def test_columns() -> None:
    links = parse_links(["0-0 1-2", "3-4"])
    assert (np.int32, np.int32, np.int64) == (
        links.source.dtype,
        links.target.dtype,
        links.offsets.dtype,
    )
    assert (
        links.source.tolist(),
        links.target.tolist(),
        links.offsets.tolist(),
    ) == ([0, 1, 3], [0, 2, 4], [0, 2, 3])


@pytest.mark.parametrize("token", ["0", "0-", "-1", "0-x", "0--1", "1-2-3", "a-b", "0:1", "1p2"])
def test_no_link(token: str) -> None:
    with pytest.raises(DataError, match=r"x.a, line 2: '.*' is malformed; expected links such as"):
        parse_links(["0-0", f"0-0 {token}"], "x.a")


def test_a_possible_link_is_one_of_gold_alignments() -> None:
    with pytest.raises(DataError, match=r"1p2 is a possible link of gold .*read_gold.*last file"):
        parse_links(["0-0 1p2"], "x.a")
    with pytest.raises(DataError, match=r"'1-x' is malformed; .*Links are 0-based"):
        parse_links(["0-0 1-x"], "x.a")


@pytest.mark.parametrize("token", ["0", "0p", "p1", "0-x", "0!1", "1-2-3", "1pp2"])
def test_no_gold_link(token: str) -> None:
    with pytest.raises(DataError, match=r"x.gold, line 1: '.*' is malformed; expected gold links"):
        parse_gold([f"0-0 {token}"], "x.gold")


def test_a_link_outside_its_pair() -> None:
    links = parse_links(["0-0", "3-9"])
    lengths = np.array([1, 4]), np.array([1, 10])
    links.check_range(*lengths)
    with pytest.raises(
        DataError,
        match=r"x\.a, line 2: link 3-9 is out of range: the sentence pair has 10 source words and "
        r"4 target words\. .*sides are swapped or the positions are 1-based",
    ):
        links.check_range(lengths[1], lengths[0], "x.a")


def test_links_of_another_text() -> None:
    with pytest.raises(DataError, match=r"x.a: the links have 1 line; expected 2, one per"):
        parse_links(["0-0"]).check_range(np.array([1, 1]), np.array([1, 1]), "x.a")


@pytest.mark.parametrize(
    ("source", "target", "offsets", "message"),
    [
        ([0], [0, 1], [0, 1], "link columns must have equal lengths and end at the last offset"),
        ([0, 1], [0, 1], [0, 1], "link columns must have equal lengths and end at the last"),
        ([1, 0], [0, 0], [0, 2], "sorted and unique"),
        ([0, 0], [1, 0], [0, 2], "sorted and unique"),
        ([0, 0], [1, 1], [0, 2], "sorted and unique"),
    ],
)
def test_invariants(source: list, target: list, offsets: list, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Links(np.array(source, np.int32), np.array(target, np.int32), np.array(offsets))


def test_links_of_two_pairs_need_no_common_order() -> None:
    links = Links(np.array([5, 0], np.int32), np.array([5, 0], np.int32), np.array([0, 1, 2]))
    assert pairs(links) == [[(5, 5)], [(0, 0)]]


@pytest.mark.parametrize("parse", [parse_links, parse_gold])
def test_a_position_beyond_any_sentence(parse: Callable) -> None:
    with pytest.raises(DataError, match=r"x\.a, line 1: '99999999999-0'"):
        parse(["99999999999-0"], "x.a")


def test_part() -> None:
    links = Links.from_pairs([[(0, 0)], [], [(1, 0), (2, 1)], [(0, 3)]])
    assert [[], [(1, 0), (2, 1)]] == [links.part(1, 2)[k] for k in range(2)]
    assert [[(1, 0), (2, 1)], [(0, 3)]] == [links.part(2)[k] for k in range(2)]
    assert len(links.part(4)) == 0


def test_joined() -> None:
    links = Links.from_pairs([[(0, 0)], [], [(1, 0), (2, 1)], [(0, 3)]])
    scored = replace(links, probability=np.array([0.5, 0.25, 1.0, 0.0], np.float32))
    for whole in (links, scored):
        parts = [whole.part(0, 1), whole.part(1, 2), whole.part(3), whole.part(4)]
        again = Links.joined(parts)
        assert list(again) == list(whole)
        assert repr(again) == repr(whole)
        assert (again.probability is None) == (whole.probability is None)
        assert again.probability is None or np.array_equal(again.probability, whole.probability)
    assert Links.joined([scored, links]).probability is None
    assert len(Links.joined([])) == 0


@pytest.mark.parametrize(
    "lines",
    [
        ["0-0 1-2:0.5", "", "\t3-4  0-1 "],
        ["0-0\u00a01-2"],  # an odd blank
        ["65535-0 0-65535"],
        [],
        ["7-7"] * 20_000,  # several blocks
    ],
)
def test_short_and_long_texts_are_read_alike(
    lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    actual = parse_links(lines)
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh._SHORT", -1)
    expected = parse_links(lines)
    assert len(lines) == len(expected)
    assert expected.keys().tolist() == actual.keys().tolist()


@pytest.mark.parametrize("token", ["0-x", "0-65536", "0:1", "9999999-0", "٣-٤", "1_0-0"])
def test_errors_of_long_texts_are_those_of_short_ones(
    token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh._SHORT", -1)
    with pytest.raises(
        DataError, match=rf"x\.a, line 2: '{token}' is malformed; expected links such as"
    ):
        parse_links(["0-0", f"1-1 {token}"], "x.a")


def test_a_sentence_pair_is_a_list_of_links() -> None:
    links = parse_links(["0-0 1-2", "", "3-4"])
    assert links[0] == [(0, 0), (1, 2)]
    assert links[-1] == [(3, 4)]
    assert list(links) == [[(0, 0), (1, 2)], [], [(3, 4)]]
    assert list(links[1:]) == [[], [(3, 4)]]
    assert isinstance(links[:0], Links)
    assert list(links[:0]) == list(links[2:1]) == []
    with pytest.raises(IndexError, match="sentence pair 3 is out of range: there are 3"):
        links[3]


def test_links_print_what_they_hold() -> None:
    links = parse_links(["0-0 1-2", ""])
    assert "Links(2 sentence pairs, 2 links; first: 0-0 1-2)" == repr(links)
    scored = Links(links.source, links.target, links.offsets, np.array([1.0, 0.5], np.float32))
    assert "Links(2 sentence pairs, 2 links with probabilities; first: 0-0 1-2)" == repr(scored)
    assert "Links(1 sentence pairs, 0 links; first: none)" == repr(parse_links([""]))
    assert "Links(0 sentence pairs, 0 links)" == repr(parse_links([]))
    long = parse_links([" ".join(f"{k}-{k}" for k in range(2000))])
    assert (
        "Links(1 sentence pairs, 2,000 links; first: 0-0 1-1 2-2 3-3 4-4 5-5 6-6 7-7 8-8 9-9 "
        "10-10 11-11 ...)"
    ) == repr(long)


def test_gold_links_print_what_they_hold() -> None:
    assert (
        "GoldLinks(2 sentence pairs, 2 sure links and 1 possible-only; first: 0-0 1-1)"
    ) == repr(parse_gold(["0-0 1-1 1p2", ""]))
    assert "GoldLinks(0 sentence pairs, 0 sure links and 0 possible-only)" == repr(parse_gold([]))


def test_the_last_link_that_has_a_key() -> None:
    line = f"{LONGEST - 1}-{LONGEST - 1}"
    fast = _parse_fast(line.encode(), MAX_PAIRS - 1)
    assert fast is not None
    assert (
        [2**63 - 1]
        == fast[0].tolist()
        == [key for key, _ in _parse_rows([line], MAX_PAIRS - 1, None)]
    )


@pytest.mark.thorough
def test_many_sentence_pairs() -> None:
    """More than 2^23, from which on keys once were too large."""
    number = (1 << 23) + 2
    offsets = np.zeros(number + 1, np.int64)
    offsets[-2:] = 1, 2
    links = Links(np.array([3, 7], np.int32), np.array([5, 0], np.int32), offsets)
    again = Links.from_keys(links.keys(), number)
    assert [(3, 5)] == again[-2] == links.reversed().reversed()[-2]
    assert [(7, 0)] == again[-1]
    with pytest.raises(DataError, match="2,147,483,649 sentence pairs; expected at most"):
        check_num_pairs(MAX_PAIRS + 1)


def test_more_lines_than_sentence_pairs_can_be_numbered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("isogloss.align.links.formats.pharaoh.MAX_PAIRS", 2)
    assert 2 == len(parse_links(["0-0"] * 2))
    with pytest.raises(DataError, match="x: the text has 3 sentence pairs; expected at most 2"):
        parse_links(["0-0"] * 3, "x")


def test_positions_that_have_no_key() -> None:
    columns = np.array([0], np.int32), np.array([LONGEST], np.int32)
    for source, target in (columns, columns[::-1]):
        with pytest.raises(DataError, match="a link has the position 65536; expected positions"):
            Links(source, target, np.array([0, 1]))
