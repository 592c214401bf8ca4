"""Gold links that don't fit the links, or the text, that they are held against."""

import numpy as np
import pytest

from isogloss.align.links.gold_links import GoldLinks, gold_hint, outside_of_text, parse_gold
from isogloss.align.links.links import Links

PAIRS = 40


def some_links(seed: int, share: float = 1.0, first: int = 0) -> list[list[tuple[int, int]]]:
    """Links near the diagonal of sentences of 10 to 20 words, a share of them."""
    rng = np.random.default_rng(seed)
    pairs = []
    for _ in range(PAIRS):
        length = int(rng.integers(10, 21))
        rows = [(k, int(np.clip(k + rng.integers(-3, 4), 0, length - 1))) for k in range(length)]
        kept = rng.random(length) < share
        pairs.append([row for row, is_cached in zip(rows, kept, strict=True) if is_cached])
    return pairs


def gold_of(pairs: list[list[tuple[int, int]]]) -> GoldLinks:
    links = Links.from_pairs(pairs)
    return GoldLinks(links, links)


LINKS = Links.from_pairs(some_links(1, 0.7))
TRUTH = some_links(1)


def moved(source: int, target: int, exchanged: bool = False) -> GoldLinks:
    return gold_of(
        [
            [(t + target, s + source) if exchanged else (s + source, t + target) for s, t in row]
            for row in TRUTH
        ]
    )


def test_gold_links_of_the_text() -> None:
    assert gold_hint(LINKS, gold_of(TRUTH)) == ""
    sparse = Links.from_pairs([row[:1] for row in TRUTH])  # few are found, but the right ones
    assert gold_hint(sparse, gold_of(TRUTH)) == ""
    assert gold_hint(Links.from_pairs([[]] * PAIRS), gold_of(TRUTH)) == ""
    few = Links.from_pairs([[(t, s) for s, t in row] for row in TRUTH[:3]])
    assert gold_hint(few, gold_of(TRUTH[:3])) == ""


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (moved(0, 0, exchanged=True), "with source and target swapped"),
        (moved(1, 1), "if their positions are decreased by 1; they look 1-based"),
        (
            moved(1, 1, exchanged=True),
            "with source and target swapped and positions decreased by 1",
        ),
        (
            gold_of(TRUTH[3:] + TRUTH[:3]),
            "if they are moved 3 lines later; a line is probably missing or extra",
        ),
        (
            gold_of(TRUTH[-1:] + TRUTH[:-1]),
            "if they are moved 1 line earlier; a line is probably missing or extra",
        ),
    ],
)
def test_another_reading_fits(gold: GoldLinks, said: str) -> None:
    hint = gold_hint(LINKS, gold)
    assert f"% match {said}. Correct one of the files" in hint
    found = np.isin(gold.sure.keys(), LINKS.keys()).mean()
    assert hint.startswith(f"{100 * found:.0f}% of the sure gold links are among the links, but ")


def test_links_may_be_the_1_based_ones() -> None:
    links = Links.from_pairs([[(s + 1, t + 1) for s, t in row] for row in TRUTH])
    assert (
        "100% match if their positions are increased by 1; the other links look 1-based"
        in gold_hint(links, gold_of(TRUTH))
    )


def test_gold_links_of_another_text() -> None:
    hint = gold_hint(LINKS, gold_of(some_links(2)))
    assert "8% of the sure gold links are among the links, and 10% are expected by" in hint


def test_gold_links_outside_of_their_pairs() -> None:
    gold = parse_gold(["0-0 3p1", "1-1", "2-5 0-4 1-1", ""])
    source, target = np.array([3, 0, 3, 2]), np.array([2, 0, 5, 2])
    assert outside_of_text(gold, source, target).tolist() == [0, 2]
    assert outside_of_text(gold, source + 1, target + 1).tolist() == [1]
