"""Alignment scores worked by hand (Och & Ney 2003)."""

import pytest

from isogloss.align.errors import DataError
from isogloss.align.links.evaluate import evaluate
from isogloss.align.links.links import parse_gold, parse_links


def test_by_hand() -> None:
    """|A| = 4, |S| = 3, |A and S| = 2, |A and P| = 3."""
    score = evaluate(
        parse_links(["0-0 1-1 2-1", "0-2"]), parse_gold(["0-0 1-1 2p1 2p2", "1-0 0?1"])
    )
    assert (
        score.num_links,
        score.num_sure,
        score.num_sure_hit,
        score.num_possible_hit,
    ) == (4, 3, 2, 3)
    assert score.precision == pytest.approx(3 / 4, rel=1e-12)
    assert score.recall == pytest.approx(2 / 3, rel=1e-12)
    assert score.f1 == pytest.approx(2 * 3 / 4 * 2 / 3 / (3 / 4 + 2 / 3), rel=1e-12)
    assert score.aer == pytest.approx(1 - (2 + 3) / (4 + 3), rel=1e-12)


def test_all_sure_and_some_possible_links_have_no_error() -> None:
    """Och & Ney: AER = 0 while S is within A and A within P."""
    score = evaluate(parse_links(["0-0 1-1"]), parse_gold(["0-0 1p1 2p2"]))
    assert (score.precision, score.recall, score.f1, score.aer) == (1.0, 1.0, 1.0, 0.0)


def test_the_same_link_in_another_pair_is_no_hit() -> None:
    score = evaluate(parse_links(["0-0", ""]), parse_gold(["", "0-0"]))
    assert (score.precision, score.recall, score.f1, score.aer) == (0.0, 0.0, 0.0, 1.0)


def test_no_links_at_all() -> None:
    score = evaluate(parse_links([""]), parse_gold([""]))
    assert (score.precision, score.recall, score.f1, score.aer) == (0.0, 0.0, 0.0, 0.0)


def test_long_sentences_do_not_mix() -> None:
    score = evaluate(parse_links(["2999-0", "0-2999"]), parse_gold(["2999-0", "0-2999"]))
    assert score.num_sure_hit == 2


def test_different_numbers_of_lines() -> None:
    with pytest.raises(
        DataError, match=r"2 lines of links; expected 1, as in the gold links\. Skip"
    ):
        evaluate(parse_links(["0-0", "0-0"]), parse_gold(["0-0"]))
