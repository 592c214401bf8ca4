"""Orientations straight from their definitions, by a search over all blocks of a sentence pair."""

from collections.abc import Collection, Sequence
from itertools import product
from typing import NamedTuple

Link = tuple[int, int]
MONOTONE, SWAP, LEFT, RIGHT = range(4)


class Block(NamedTuple):
    """First and last source word, first and last target word."""

    begin: int
    end: int
    low: int
    high: int

    @property
    def longer_side(self) -> int:
        return max(self.end - self.begin, self.high - self.low) + 1


class SentencePair(NamedTuple):
    num_source: int
    num_target: int
    links: Sequence[Link]


def spans(length: int) -> list[tuple[int, int]]:
    return [(begin, end) for begin in range(length) for end in range(begin, length)]


def consistent_blocks(pair: SentencePair) -> list[Block]:
    """All blocks with links inside and none from inside to outside, by source span."""
    blocks = []
    for (begin, end), (low, high) in product(spans(pair.num_source), spans(pair.num_target)):
        inside = [(begin <= j <= end, low <= i <= high) for j, i in pair.links]
        if (True, True) in inside and all(here == there for here, there in inside):
            blocks.append(Block(begin, end, low, high))
    return blocks


def linked_words(row: int, pair: SentencePair) -> set[int]:
    """Source words of a target word; the borders before and behind the words are linked, too."""
    border = [(-1, -1), (pair.num_source, pair.num_target)]
    return {j for j, i in [*pair.links, *border] if i == row}


def by_words(block: Block, pair: SentencePair, following: bool) -> int | None:
    """Monotone, swap, or not to be told from the words that touch at a corner."""
    words = linked_words(block.high + 1 if following else block.low - 1, pair)
    before, after = block.begin - 1 in words, block.end + 1 in words
    if before == after:
        return None
    return SWAP if before == following else MONOTONE


def word(block: Block, pair: SentencePair, following: bool) -> int:
    """Word-based (Koehn et al. 2005); all links of the word on the far side: discontinuous left."""
    near = by_words(block, pair, following)
    if near is not None:
        return near
    words = linked_words(block.high + 1 if following else block.low - 1, pair)
    if following:
        return LEFT if words and max(words) < block.begin - 1 else RIGHT
    return LEFT if words and min(words) > block.end + 1 else RIGHT


def by_blocks(
    block: Block,
    pair: SentencePair,
    following: bool,
    others: Collection[Block],
    moses: bool = False,
) -> int:
    """Phrase-based or hierarchical, by which the others are (Galley & Manning 2008).

    Moses looks for next blocks that end, not begin, with the next target word, and for previous
    ones further right that begin before the last source word.
    """
    near = by_words(block, pair, following)
    if near is not None:
        return near
    if following:
        beside = [b for b in others if (b.high if moses else b.low) == block.high + 1]
        if any(b.begin == block.end + 1 for b in beside):
            return MONOTONE
        if any(b.end == block.begin - 1 for b in beside):
            return SWAP
        return LEFT if any(b.end < block.begin - 1 for b in beside) else RIGHT
    beside = [b for b in others if b.high == block.low - 1]
    if any(b.end == block.begin - 1 for b in beside):
        return MONOTONE
    if any(b.begin == block.end + 1 for b in beside):
        return SWAP
    last = pair.num_source - 2 if moses else pair.num_source - 1
    return LEFT if any(block.end + 1 < b.begin <= last for b in beside) else RIGHT


def orientations(
    pair: SentencePair, max_length: int, moses: bool
) -> dict[Block, list[tuple[int, int]]]:
    """(with the previous phrase, with the next one) by kind, of each phrase pair."""
    blocks = consistent_blocks(pair)
    phrases = [block for block in blocks if block.longer_side <= max_length]
    both = (False, True)
    return {
        block: [
            (word(block, pair, False), word(block, pair, True)),
            *(
                tuple(by_blocks(block, pair, following, others, moses) for following in both)
                for others in (phrases, blocks)
            ),
        ]
        for block in phrases
    }
