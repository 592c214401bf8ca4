"""Alignment scores worked by hand (Och & Ney 2003)."""

from typing import Any

import pytest

from isogloss.align.errors import DataError, WrongTypeError
from isogloss.align.links.evaluate import AlignmentScore, evaluate, link_counts
from isogloss.align.links.gold_links import GoldLinks, parse_gold
from isogloss.align.links.links import parse_links


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


def test_counts_of_pairs_add_up() -> None:
    links = parse_links(["0-0 1-1 2-1", "", "0-2"])
    gold = parse_gold(["0-0 1-1 2p1 2p2", "0-0", "1-0 0?2"])
    counts = link_counts(links, gold)
    assert counts.tolist() == [[3, 2, 2, 3], [0, 1, 0, 0], [1, 1, 0, 1]]
    score = evaluate(links, gold)
    assert counts.sum(0).tolist() == [
        score.num_links, score.num_sure, score.num_sure_hit, score.num_possible_hit
    ]  # fmt: skip


def test_scores_as_a_table() -> None:
    pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    table = evaluate(parse_links(["0-0 1-1"]), parse_gold(["0-0"])).to_pandas()
    assert table.to_dict("records") == [
        {"aer": pytest.approx(1 / 3), "precision": 0.5, "recall": 1.0, "f1": pytest.approx(2 / 3),
         "num_links": 2, "num_sure": 1, "num_sure_hit": 1, "num_possible_hit": 1}
    ]  # fmt: skip


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
        DataError,
        match="the links are for 2 sentence pairs, but the gold alignments are for 1",
    ):
        evaluate(parse_links(["0-0", "0-0"]), parse_gold(["0-0"]))


def test_lists_of_pairs_are_links() -> None:
    gold = GoldLinks.from_pairs([[(0, 0)], [(1, 1)]])
    score = evaluate([[(0, 0), (1, 2)], []], gold)
    assert score == evaluate(parse_links(["0-0 1-2", ""]), gold)
    assert score == AlignmentScore(num_links=2, num_sure=2, num_sure_hit=1, num_possible_hit=1)


LINKS, GOLD = parse_links(["0-0"]), parse_gold(["0-0"])


@pytest.mark.parametrize(
    ("links", "gold", "message"),
    [
        (
            GOLD,
            LINKS,
            r"links must be Links, not GoldLinks; pass the links first: evaluate\(links,",
        ),
        (GOLD, GOLD, r"links must be Links, not GoldLinks; pass the links first: evaluate\(links,"),
        (LINKS, LINKS, r"gold must be GoldLinks, not Links; use GoldLinks\(gold, gold\)"),
        (
            LINKS,
            [[(0, 0)]],
            r"gold must be GoldLinks, not \[\[\(0, 0\)\]\]; .*from_pairs",
        ),
        (
            LINKS,
            "x.gold",
            r"gold must be GoldLinks, not 'x.gold'; use read_gold\(path\)",
        ),
        (LINKS, None, "gold must be GoldLinks, not None"),
        ("x.links", GOLD, r"not 'x.links'; use Links.load\(path\) for a file"),
        (3, GOLD, r"links must be a list of \(source, target\) for each sentence pair, not 3"),
        ([(0, 0)], GOLD, r"links of pair 0 must be a list of \(source, target\), not \(0, 0\)"),
    ],
)
def test_what_is_not_links_and_gold_links(links: Any, gold: Any, message: str) -> None:
    with pytest.raises(WrongTypeError, match=message):
        evaluate(links, gold)


def test_a_score_prints_its_error_rate_first() -> None:
    score = AlignmentScore(num_links=4000, num_sure=3, num_sure_hit=2, num_possible_hit=3)
    lines = repr(score).splitlines()
    assert lines[0].startswith("AlignmentScore(AER 99.88%, precision 0.07%, recall 66.67%, F1")
    assert lines[1] == "  4,000 links, 3 of them possible; 3 sure gold links, 2 of them found)"
    assert max(map(len, lines)) <= 100
