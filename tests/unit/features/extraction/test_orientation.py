"""Orientation kernel against the definitions."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from isogloss.align.links.links import Links
from isogloss.features.extraction.kernels.orientation import (
    ALL_KINDS,
    HIERARCHICAL,
    PHRASE,
    WORD,
    Definition,
    PhrasePairs,
    orientations,
)
from tests.naive import orientation as naive
from tests.naive.orientation import LEFT, MONOTONE, RIGHT, SWAP, Block, SentencePair
from tests.tiers import examples


def offsets(lengths: Sequence[int]) -> NDArray[np.int64]:
    return np.append(0, np.cumsum(np.array(lengths, np.int64)))


def classified(
    pairs: Sequence[SentencePair],
    phrases: Sequence[Sequence[Block]],
    max_length: int = 7,
    kinds: int = ALL_KINDS,
    moses: bool = False,
) -> list[list[list[tuple[int, int]]]]:
    """(previous, next) by kind of each phrase pair of each sentence pair."""
    links = Links.from_pairs(pair.links for pair in pairs)
    source = offsets([pair.num_source for pair in pairs])
    target = offsets([pair.num_target for pair in pairs])
    rows = [(k, block) for k, blocks in enumerate(phrases) for block in blocks]
    positions = [(source[k] + b.begin, target[k] + b.low) for k, b in rows]
    lengths = [(b.end - b.begin + 1, b.high - b.low + 1) for _, b in rows]
    result = np.full((len(rows), 3), 255, np.uint8)
    orientations(
        (links.source, links.target, links.offsets), source, target,
        PhrasePairs(
            np.array(positions, np.int64).reshape(-1, 2), np.array(lengths, np.int8).reshape(-1, 2)
        ),
        Definition(max_length, kinds, moses), result,
    )  # fmt: skip
    found: list[list[list[tuple[int, int]]]] = [[] for _ in pairs]
    for (k, _), row in zip(rows, result.tolist(), strict=True):
        found[k].append([(code & 15, code >> 4) for code in row])
    return found


@st.composite
def sentence_pairs(draw: st.DrawFn) -> SentencePair:
    """Mostly one link a word, so that there are many blocks; few words with none or several."""
    num_source, num_target = draw(st.integers(0, 7)), draw(st.integers(0, 7))
    cells = [(j, i) for j in range(num_source) for i in range(num_target)]
    order = draw(st.permutations(range(num_target)))
    unlinked = draw(st.sets(st.integers(0, 7), max_size=4))
    links = {(j, i) for j, i in enumerate(order[:num_source]) if j not in unlinked}
    links |= draw(st.sets(st.sampled_from(cells), max_size=2)) if cells else set()
    return SentencePair(num_source, num_target, sorted(links))


@examples(150)
@given(st.lists(sentence_pairs(), max_size=2), st.integers(1, 4), st.booleans(), st.integers(1, 3))
def test_all_kinds_follow_their_definitions(
    pairs: list[SentencePair], max_length: int, moses: bool, step: int
) -> None:
    """Whichever phrase pairs of the sentence pair are given."""
    expected = [
        dict(list(naive.orientations(pair, max_length, moses).items())[::step]) for pair in pairs
    ]
    found = classified(pairs, [list(own) for own in expected], max_length, moses=moses)
    assert [list(own.values()) for own in expected] == found


def permuted(*targets: int) -> SentencePair:
    """Source word j is linked to the j-th number; there is no other word."""
    return SentencePair(len(targets), len(targets), list(enumerate(targets)))


def of_word(pair: SentencePair, j: int, **keywords: bool) -> list[tuple[int, int]]:
    """Orientations of the phrase pair of one source word and its target word."""
    i = dict(pair.links)[j]
    return classified([pair], [[Block(j, j, i, i)]], 7, **keywords)[0][0]


def test_border_words_are_monotone_at_their_own_corner_only() -> None:
    pair = permuted(0, 1)
    assert of_word(pair, 0)[WORD] == of_word(pair, 1)[WORD] == (MONOTONE, MONOTONE)
    pair = permuted(1, 0)
    assert of_word(pair, 0)[WORD] == (SWAP, RIGHT)
    assert of_word(pair, 1)[WORD] == (RIGHT, SWAP)


def test_a_swap_of_blocks_is_seen_by_the_hierarchical_kind() -> None:
    """Figure 2 of Galley & Manning (2008): the neighbor is a block, not a word."""
    pair = permuted(2, 0, 1)
    assert of_word(pair, 0) == [(LEFT, RIGHT), (SWAP, RIGHT), (SWAP, RIGHT)]


def test_a_long_block_is_seen_by_the_hierarchical_kind_alone() -> None:
    pair = permuted(8, *range(8))
    assert of_word(pair, 0) == [(LEFT, RIGHT), (LEFT, RIGHT), (SWAP, RIGHT)]


def test_the_smallest_block_counts_for_the_length_limit() -> None:
    """Source word 2 with the unlinked word 1 is short enough; with words 3 and 4 it isn't."""
    pair = SentencePair(5, 3, [(0, 2), (2, 1), (4, 0)])
    assert classified([pair], [[Block(0, 0, 2, 2)]], 2)[0][0][PHRASE][0] == SWAP


def test_unlinked_words_may_join_a_block_up_to_the_limit() -> None:
    pair = SentencePair(4, 2, [(1, 0), (3, 1)])
    last = Block(3, 3, 1, 1)
    assert classified([pair], [[last]], 2)[0][0][PHRASE][0] == MONOTONE
    assert classified([pair], [[last]], 1)[0][0][PHRASE][0] == RIGHT
    assert classified([pair], [[last]], 1)[0][0][HIERARCHICAL][0] == MONOTONE


def test_an_unlinked_word_brings_a_block_into_the_sight_of_moses() -> None:
    pair = SentencePair(4, 2, [(0, 1), (3, 0)])
    first = Block(0, 0, 1, 1)
    assert classified([pair], [[first]], 2, moses=True)[0][0][PHRASE][0] == LEFT
    assert classified([pair], [[first]], 1, moses=True)[0][0][PHRASE][0] == RIGHT
    assert classified([pair], [[first]], 1)[0][0][PHRASE][0] == LEFT


def test_a_word_linked_to_both_sides_is_discontinuous_right() -> None:
    pair = SentencePair(4, 2, [(0, 0), (1, 1), (2, 0), (3, 0)])
    assert [kind[0] for kind in of_word(pair, 1)] == [RIGHT] * 3


def test_moses_sees_next_blocks_of_one_target_word_alone() -> None:
    pair = permuted(0, 2, 1)
    assert of_word(pair, 0)[HIERARCHICAL] == (MONOTONE, MONOTONE)
    assert of_word(pair, 0, moses=True)[HIERARCHICAL] == (MONOTONE, RIGHT)


def test_moses_does_not_see_the_last_source_word_to_the_right() -> None:
    pair = permuted(2, 0, 1, 3, 4)
    assert of_word(pair, 0, moses=True)[HIERARCHICAL][0] == SWAP
    pair = SentencePair(3, 2, [(0, 1), (1, 1), (2, 0)])
    first = Block(0, 0, 1, 1)  # no phrase pair: a place to ask about
    assert classified([pair], [[first]])[0][0][HIERARCHICAL][0] == LEFT
    assert classified([pair], [[first]], moses=True)[0][0][HIERARCHICAL][0] == RIGHT


@pytest.mark.parametrize("kind", [WORD, PHRASE, HIERARCHICAL])
def test_only_the_kinds_asked_for_are_written(kind: int) -> None:
    pair = permuted(2, 0, 1, 3)
    blocks = naive.consistent_blocks(pair)
    everything = classified([pair], [blocks])[0]
    for row, full in zip(classified([pair], [blocks], kinds=1 << kind)[0], everything, strict=True):
        assert row == [full[k] if k == kind else (15, 15) for k in range(3)]


def test_no_phrase_pairs() -> None:
    assert classified([], []) == []
    assert classified([permuted(0), SentencePair(0, 0, [])], [[], []]) == [[], []]


def test_a_sentence_of_a_thousand_words() -> None:
    """Each third word linked, so that blocks must be looked for before and behind each."""
    size = 1000
    pair = SentencePair(size, size, [(j, size - 3 - j) for j in range(1, size - 2, 3)])
    words = [Block(j, j, i, i) for j, i in pair.links]
    found = classified([pair], [words])[0]
    assert [row[HIERARCHICAL] for row in found[1:-1]] == [(SWAP, SWAP)] * (len(words) - 2)
    assert found[0][HIERARCHICAL] == (SWAP, RIGHT)
    assert found[-1][HIERARCHICAL] == (RIGHT, SWAP)
