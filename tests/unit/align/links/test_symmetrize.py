"""Symmetrization against sets."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.align.errors import DataError, UsageError
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links
from isogloss.align.links.symmetrize import HEURISTICS, look_exchanged, symmetrize
from tests.naive import symmetrization as naive
from tests.tiers import examples

link_sets = st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=12)
texts = st.lists(st.tuples(link_sets, link_sets), max_size=4)


@examples(150)
@given(texts, st.sampled_from(HEURISTICS[:3] + HEURISTICS[3:6]))
def test_heuristics_are_those_of_the_sets(texts: list, heuristic: str) -> None:
    forward = Links.from_pairs(pair[0] for pair in texts)
    reverse = Links.from_pairs(pair[1] for pair in texts)
    expected = [sorted(naive.symmetrize(*pair, heuristic)) for pair in texts]
    actual = symmetrize(forward, reverse, heuristic)
    assert expected == [actual[number] for number in range(len(texts))]


@pytest.mark.parametrize("heuristic", HEURISTICS[:6])
def test_each_heuristic_is_that_of_the_sets(heuristic: str) -> None:
    """On 60 pairs of a fixed seed, enough for each step to matter."""
    rng = np.random.default_rng(3)
    pairs = [
        tuple({*zip(*rng.integers(0, 6, (2, 9)).tolist(), strict=True)} for _ in "fr")
        for _ in range(60)
    ]
    expected = [sorted(naive.symmetrize(forward, reverse, heuristic)) for forward, reverse in pairs]
    forward, reverse = (Links.from_pairs(pair[side] for pair in pairs) for side in (0, 1))
    actual = symmetrize(forward, reverse, heuristic)
    assert expected == [actual[number] for number in range(len(pairs))]


ONE = Links.from_pairs([[(0, 0), (1, 1)], []])
OTHER = Links.from_pairs([[(0, 0), (2, 1)], [(0, 1)]])


@pytest.mark.parametrize(
    ("heuristic", "expected"),
    [
        ("intersection", [(0, 0)]),
        ("union", [(0, 0), (1, 1), (2, 1)]),
        ("source-to-target", [(0, 0), (1, 1)]),
        ("target-to-source", [(0, 0), (2, 1)]),
        ("grow", [(0, 0)]),
        ("grow-diag", [(0, 0), (1, 1), (2, 1)]),
    ],
)
def test_by_hand(heuristic: str, expected: list) -> None:
    assert expected == symmetrize(ONE, OTHER, heuristic)[0]


@pytest.mark.parametrize(
    ("heuristic", "count"),
    [("intersection", 1), ("grow", 2), ("grow-diag", 3), ("grow-diag-final-and", 4),
     ("grow-diag-final", 5), ("union", 6)],
)  # fmt: skip
def test_each_heuristic_takes_a_link_more(heuristic: str, count: int) -> None:
    """In common, beside it, at its corner, between free words, with one free word, with none."""
    links = [(0, 0), (0, 1), (1, 2), (5, 5), (5, 7), (5, 0)]
    forward, reverse = [links[k] for k in (0, 1, 3)], [links[k] for k in (0, 2, 4, 5)]
    assert symmetrize([forward], [reverse], heuristic)[0] == sorted(links[:count])


def test_final_takes_a_link_with_one_free_word_and_final_and_does_not() -> None:
    forward = Links.from_pairs([[(0, 0), (3, 0)]])
    reverse = Links.from_pairs([[(0, 0), (3, 3)]])
    assert symmetrize(forward, reverse, "grow-diag-final")[0] == [(0, 0), (3, 0), (3, 3)]
    assert symmetrize(forward, reverse, "grow-diag-final-and")[0] == [(0, 0), (3, 3)]


def test_unknown_heuristic() -> None:
    with pytest.raises(UsageError, match=r"heuristic must be one of intersection, .*, got 'gdfa'"):
        symmetrize(ONE, OTHER, "gdfa")


def test_different_numbers_of_pairs() -> None:
    with pytest.raises(
        DataError,
        match=r"^the t2s links have 2 lines, but the s2t links have 1; expected one line per",
    ):
        symmetrize(ONE, Links.from_pairs([[]]))


def test_lists_of_pairs_are_links() -> None:
    assert symmetrize([[(0, 0)]], iter([[(0, 0), (1, 1)]]), "union")[0] == [(0, 0), (1, 1)]


@pytest.mark.parametrize(
    ("forward", "reverse", "heuristic", "message"),
    [
        (ONE, "union", "union", "reverse links|not 'union'; use Links.load"),
        (ONE, None, "union", "for each sentence pair, not None"),
        (ONE, OTHER, None, "heuristic must be one of intersection, .*, got None"),
        (ONE, OTHER, ONE, "heuristic must be one of intersection, .*, got Links"),
        (
            GoldLinks(ONE, ONE),
            OTHER,
            "union",
            "t2s links must be Links, not GoldLinks",
        ),
        (
            ONE,
            GoldLinks(ONE, ONE),
            "union",
            "s2t links must be Links, not GoldLinks",
        ),
    ],
)
def test_what_is_not_links_and_a_heuristic(
    forward: Any, reverse: Any, heuristic: Any, message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        symmetrize(forward, reverse, heuristic)


@pytest.mark.parametrize(
    ("forward", "reverse", "exchanged"),
    [
        ([[(0, 0), (0, 1)]], [[(0, 0)]], True),
        ([[(0, 0), (1, 0)]], [[(0, 0)]], False),
        ([[(1, 0)], [(0, 1)]], [[(0, 0)], [(1, 1)]], False),  # one word of each pair
        ([[], [(1, 0), (1, 1)]], [[], [(0, 1), (1, 1)]], True),
        ([[(0, 0), (1, 1)]], [[(0, 0), (1, 1)]], False),
        ([[]], [[]], False),
    ],
)
def test_links_that_look_exchanged(
    forward: list[list[tuple[int, int]]], reverse: list[list[tuple[int, int]]], exchanged: bool
) -> None:
    given = Links.from_pairs(forward), Links.from_pairs(reverse)
    assert look_exchanged(*given) is exchanged
