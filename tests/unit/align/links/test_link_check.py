"""Links against the lengths of their sentence pairs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.links.files.link_check import LinkProblem, check_links

SOURCE = np.array([3, 2, 0, 4])
TARGET = np.array([2, 2, 5, 3])


def test_a_clean_file() -> None:
    found = check_links(["0-0 2-1", "1-0:0.5", "", "0-0:-1.5e-3:2 3-2"], SOURCE, TARGET)
    assert (found.lines, found.pairs, found.links) == (4, 4, 5)
    assert (found.source_words, found.target_words) == (9, 12)
    assert (found.linked_source, found.linked_target) == (5, 5)
    assert (found.num_problems, found.problems, found.hint) == (0, (), "")
    assert found.without_links == 0


def test_every_problem_is_counted_and_the_first_described() -> None:
    lines = ["0-0 0-0 3-0 x", "0-0 0-2 1:1 0-0", "0-0", ""]
    found = check_links(lines, SOURCE, TARGET)
    pair = "the pair has 3 source words and 2 target words"
    assert found.problems == (
        LinkProblem(1, "malformed", "x", "expected links such as 0-0, 3-4:0.87 or 5p6"),
        LinkProblem(1, "out of range", "3-0", pair),
        LinkProblem(1, "repeated", "0-0", pair),
        LinkProblem(2, "malformed", "1:1", "expected links such as 0-0, 3-4:0.87 or 5p6"),
        LinkProblem(2, "out of range", "0-2", "the pair has 2 source words and 2 target words"),
        LinkProblem(2, "repeated", "0-0", "the pair has 2 source words and 2 target words"),
        LinkProblem(3, "out of range", "0-0", "the pair has 0 source words and 5 target words"),
    )
    assert (found.malformed, found.out_of_range, found.repeated) == (2, 3, 2)
    assert (found.num_problems, found.without_links, found.first_without_links) == (7, 1, (4,))
    assert str(found.problems[1]) == f"line 1: '3-0' is out of range; {pair}"
    assert check_links(lines, SOURCE, TARGET, limit=2).problems == found.problems[:2]
    assert check_links(lines, SOURCE, TARGET, limit=2).num_problems == 7


@pytest.mark.parametrize(
    "link",
    [
        "1",
        "1-",
        "-1",
        "1--1",
        "a-b",
        "1-1:",
        "1-1:x",
        "1q1",
        "1p",
        "12345678-0",
        "65536-0",
        "0-0-0",
    ],
)
def test_malformed_links(link: str) -> None:
    found = check_links([f"0-0 {link} 1-1"], np.array([9]), np.array([9]))
    assert (found.malformed, found.links) == (1, 2)
    assert found.problems[0].link == link


def test_other_numbers_of_lines() -> None:
    more = check_links(["0-0", "0-0", "", "", "9-9 x"], SOURCE, TARGET)
    assert (more.lines, more.pairs, more.num_problems, more.links) == (5, 4, 1, 2)
    fewer = check_links(["0-0"], SOURCE, TARGET)
    assert (fewer.lines, fewer.num_problems, fewer.without_links) == (1, 1, 0)
    nothing = check_links([], np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert (nothing.num_problems, nothing.links) == (0, 0)


LINES = ["0-0 1-1 2-3", "0-1 3-0 4-2", "1-0 1-4"]  # fits 3-5, 5-3 and 2-5
LENGTHS = np.array([3, 5, 2]), np.array([4, 3, 5])


def shift(lines: list[str], swap: bool, base: int) -> list[str]:
    links = [[link.split("-") for link in line.split()] for line in lines]
    return [
        " ".join(f"{int(b if swap else a) + base}-{int(a if swap else b) + base}" for a, b in line)
        for line in links
    ]


@pytest.mark.parametrize(
    ("swap", "base", "hint"),
    [
        (False, 0, ""),
        (False, 1, "the positions look 1-based: subtract 1 from each"),
        (True, 0, "the sides look swapped: pass the text files in reverse order"),
        (True, 1, "the sides look swapped and the positions look 1-based"),
    ],
)
def test_why_links_are_out_of_range(swap: bool, base: int, hint: str) -> None:
    assert check_links(shift(LINES, swap, base), *LENGTHS).hint == hint


def test_no_reason_where_none_explains_the_errors() -> None:
    assert check_links(["0-0 7-7"], np.array([3]), np.array([4])).hint == ""


def test_possible_links_are_links() -> None:
    found = check_links(["0-0 1p1 2?1 1-1", "0p0 0p7"], np.array([3, 1]), np.array([2, 1]))
    assert (found.links, found.possible) == (6, 4)
    assert (found.malformed, found.out_of_range, found.repeated) == (0, 1, 1)


link = st.tuples(st.integers(0, 5), st.integers(0, 5))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.lists(link, max_size=6))))
def test_counts_are_those_of_the_sets(pairs: list[tuple[int, int, list[tuple[int, int]]]]) -> None:
    lines = [" ".join(f"{s}-{t}" for s, t in links) for _, _, links in pairs]
    source, target = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    found = check_links(lines, source, target, limit=1000)
    inside = [[(s, t) for s, t in links if s < a and t < b] for a, b, links in pairs]
    outside = sum(len(links) for *_, links in pairs) - sum(map(len, inside))
    assert found.out_of_range == outside
    assert found.repeated == sum(len(links) - len(set(links)) for links in inside)
    assert found.linked_source == sum(len({s for s, _ in links if s < a}) for a, _, links in pairs)
    assert found.linked_target == sum(len({t for _, t in links if t < b}) for _, b, links in pairs)
    assert found.without_links == sum(bool(a and b and not links) for a, b, links in pairs)
    assert len(found.problems) == found.num_problems


def test_a_check_prints_its_numbers() -> None:
    found = check_links(["0-0 0-0 3-0 x", "", "", ""], SOURCE, TARGET)
    assert repr(found) == (
        "LinkCheck(3 links, 3 problems; first: line 1: 'x' is malformed; expected links such as "
        "0-0, 3-4:0.87 or 5p6)"
    )
    assert repr(check_links([""] * 4, SOURCE, TARGET)) == "LinkCheck(0 links, 0 problems)"
