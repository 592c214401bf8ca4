"""Sentence pairs that are best linked next, against a naive version."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import isogloss as ig
from isogloss.align import suggest_pairs
from isogloss.align.errors import DataError, OptionError

lengths = st.integers(0, 5)
pair = st.tuples(lengths, lengths).flatmap(
    lambda sizes: st.tuples(
        st.just(sizes),
        st.dictionaries(
            st.tuples(st.integers(0, max(sizes[0] - 1, 0)), st.integers(0, max(sizes[1] - 1, 0))),
            st.sampled_from([0.25, 0.5, 0.75, 1.0]),
            max_size=4 if min(sizes) else 0,
        ),
    )
)


def naive(sizes: tuple[int, int], links: dict[tuple[int, int], float]) -> tuple[float, float]:
    """Score, and share of unlinked words, of a pair."""
    words = sum(sizes)
    unlinked = words - len({i for i, _ in links}) - len({j for _, j in links})
    doubt = sum(p * (1 - p) for p in links.values()) + 0.1 * unlinked
    return doubt / words**0.5, unlinked / words


@given(st.lists(pair, min_size=1, max_size=8), st.integers(1, 8))
def test_the_pairs_are_those_of_the_naive_version(
    pairs: list[tuple[tuple[int, int], dict[tuple[int, int], float]]], number: int
) -> None:
    bitext = ig.Bitext.from_sentences(
        [["a"] * height for (height, _), _ in pairs], [["b"] * width for (_, width), _ in pairs]
    )
    keys = ig.Links.from_pairs([sorted(links) for _, links in pairs]).keys()
    chances = np.array([p for _, links in pairs for _, p in sorted(links.items())], np.float32)
    links = ig.Links.from_scored_keys(keys, chances, len(pairs))
    full = {row: naive(*pairs[row]) for row in range(len(pairs)) if min(pairs[row][0])}
    if not full:
        assert suggest_pairs(bitext, links, number).tolist() == []
        return
    limit = np.quantile([share for _, share in full.values()], 0.75)
    usual = [row for row, (_, share) in full.items() if share <= limit]
    chosen = suggest_pairs(bitext, links, number).tolist()
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set(usual)
    assert len(chosen) == min(number, len(usual))
    least = min(full[row][0] for row in chosen)
    assert all(full[row][0] <= least + 1e-9 for row in set(usual) - set(chosen))


def test_links_without_probabilities_tell_unlinked_words() -> None:
    bitext = ig.Bitext.from_pairs([("a b c", "d e f")] * 4 + [("a", "d")])
    full = [(0, 0), (1, 1), (2, 2)]
    links = ig.Links.from_pairs([full, full[:2], full, [], [(0, 0)]])
    assert suggest_pairs(bitext, links, 1).tolist() == [1]  # nothing of the fourth is linked


def test_a_pair_like_one_that_is_chosen_comes_last() -> None:
    """It shares at least half of its words with the other, on both sides together."""
    texts = [
        ("a b c d", "k l m n"), ("a b c e", "k l m o"), ("p q r s", "t u v w"), ("a p", "k t"),
    ]  # fmt: skip
    bitext = ig.Bitext.from_pairs(texts)
    full = [(0, 0), (1, 1), (2, 2), (3, 3)]
    keys = ig.Links.from_pairs([full, full, full, full[:2]]).keys()
    chances = np.array([0.5] * 4 + [0.6] * 4 + [0.8] * 4 + [0.9] * 2, np.float32)
    links = ig.Links.from_scored_keys(keys, chances, 4)
    assert suggest_pairs(bitext, links, 1).tolist() == [0]
    assert suggest_pairs(bitext, links, 2).tolist() == [0, 2]
    assert suggest_pairs(bitext, links, 3).tolist() == [0, 2, 3]
    assert suggest_pairs(bitext, links, 4).tolist() == [0, 1, 2, 3]


def test_what_does_not_fit() -> None:
    bitext = ig.Bitext.from_pairs([("a", "b")])
    with pytest.raises(OptionError, match="number must be a whole number of at least 1, got 0"):
        suggest_pairs(bitext, ig.Links.from_pairs([[]]), 0)
    with pytest.raises(DataError, match="out of range"):
        suggest_pairs(bitext, ig.Links.from_pairs([[(1, 0)]]), 1)
