"""Counts of rules: phrase pairs of a bitext brought together, shard by shard, in bounded memory.

A shard holds all phrase pairs whose first source word lies in a range of the byte order, so shards
follow each other as the lines of a sorted table do. The text is gone through once per shard.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import run_starts
from isogloss.align.errors import OptionError
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext

from .kernels.counting import add_instances, choose_links
from .kernels.orientation import Definition, PhrasePairs, orientations
from .kernels.phrase_pairs import STRIDE, extract
from .phrases import Phrases, Side, first_places

__all__ = [
    "FoundPairs", "PreparedBitext", "RuleCounts", "count_range", "extract_range", "shard_bounds",
]  # fmt: skip

BYTES_PER_PHRASE_PAIR = 512  # what a shard takes at its largest, measured
# rank of each set of source words, given as bits, in the order of their rising lists
_SET_RANK = np.empty(256, np.uint8)
_SET_RANK[sorted(range(256), key=lambda bits: [j for j in range(STRIDE) if bits >> j & 1])] = (
    np.arange(256)
)


@dataclass(frozen=True)
class PreparedBitext:
    """A bitext to extract from.

    links: columns (source, target, offsets); max_length: words of a phrase, 8 at most
    weights: float64[num_pairs, K]; the first column is what an occurrence counts, the others are
        counted beside it
    kinds: which orientations are looked at, as bits 1 << kind
    moses: whether they are found as Moses finds them, or by definition
    """

    source: Side
    target: Side
    links: Links
    max_length: int
    weights: NDArray[np.float64]
    kinds: int
    moses: bool = True

    @classmethod
    def of(
        cls,
        bitext: Bitext,
        links: Links,
        max_length: int,
        weights: NDArray[np.float64] | None = None,
        kinds: int = 0,
        moses: bool = True,
    ) -> "PreparedBitext":
        """Number the words of a bitext, and check its links.

        weights: float64[num_pairs, K], above 0; default: one column of 1

        Raises DataError for links outside of their pair, UsageError for a length over 8.
        """
        if not 1 <= max_length <= STRIDE:
            raise OptionError("max_phrase_length", f"between 1 and {STRIDE}", max_length)
        links.check_range(bitext.source.lengths, bitext.target.lengths)
        if weights is None:
            weights = np.ones((len(bitext), 1))
        return cls(
            Side.of(bitext.source), Side.of(bitext.target), links, max_length, weights, kinds,
            moses,
        )  # fmt: skip

    @property
    def used_kinds(self) -> list[int]:
        """The kinds of orientations that are looked at."""
        return [kind for kind in range(3) if self.kinds >> kind & 1]


@dataclass(frozen=True)
class RuleCounts:
    """Rules of a shard in the byte order of their text, and how often they occur.

    source_positions, target_positions: int32[num_phrases] of each side, where each distinct phrase
        occurs, in byte order, see Phrases
    source_lengths, target_lengths: int8[num_phrases] of each side, its words
    target_keys: int64[num_target_phrases], the same in all shards
    rule_source, rule_target: int32[num_rules], phrase numbers
    counts: float64[num_rules, K], sums of the weights of the occurrences
    signatures: uint64[num_rules], the most frequent inner links, as bits
    orientations: float64[num_rules, kinds, 2, 4], occurrences by kind of model (those that were
        looked at), to the previous and the next phrase, and class
    """

    source_positions: NDArray[np.int32]
    source_lengths: NDArray[np.int8]
    target_positions: NDArray[np.int32]
    target_lengths: NDArray[np.int8]
    target_keys: NDArray[np.int64]
    rule_source: NDArray[np.int32]
    rule_target: NDArray[np.int32]
    counts: NDArray[np.float64]
    signatures: NDArray[np.uint64]
    orientations: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.rule_source)

    @property
    def source(self) -> Phrases:
        """The distinct source phrases."""
        return Phrases(self.source_positions, self.source_lengths)

    @property
    def target(self) -> Phrases:
        """The distinct target phrases."""
        return Phrases(self.target_positions, self.target_lengths)


class FoundPairs(NamedTuple):
    """Occurrences of phrase pairs in a bitext.

    positions: int32[n, 2], corpus positions of the first source and target word
    lengths: int8[n, 2], words of either side; pairs: int32[n], sentence pairs
    signatures: uint64[n], inner links as bits
    """

    positions: NDArray[np.int32]
    lengths: NDArray[np.int8]
    pairs: NDArray[np.int32]
    signatures: NDArray[np.uint64]

    @classmethod
    def room(cls, size: int) -> "FoundPairs":
        """Room for so many."""
        return cls(
            np.empty((size, 2), np.int32), np.empty((size, 2), np.int8),
            np.empty(size, np.int32), np.empty(size, np.uint64),
        )  # fmt: skip


def extract_range(
    text: PreparedBitext, low: int, high: int, size: int
) -> tuple[FoundPairs, NDArray[np.int64]]:
    """Phrase pairs whose first source word is in [low, high), as far as there is room.

    Also how many there are of each first source word, by its rank: int64[largest rank + 1].
    """
    phrase_pairs = FoundPairs.room(size)
    counts = np.zeros(int(text.source.words.max(initial=0)) + 1, np.int64)
    extract(
        (text.links.source, text.links.target, text.links.offsets),
        (text.source.words, text.source.corpus.offsets), text.target.corpus.offsets,
        text.max_length, low, high, tuple(phrase_pairs), counts,
    )  # fmt: skip
    return phrase_pairs, counts


def shard_bounds(
    text: PreparedBitext, max_memory: int, least: int = 1
) -> list[tuple[int, int, int]]:
    """Ranges of first source words whose phrase pairs fit in memory: (low, high, phrase pairs).

    A word with more phrase pairs than fit is a range of its own. least: about how many ranges there
        are at least
    """
    _, counts = extract_range(text, 0, 1 << 30, 0)
    most = max(min(max_memory // BYTES_PER_PHRASE_PAIR, -(-int(counts.sum()) // least)), 1)
    bounds, low, size = [], 0, 0
    for word, count in enumerate(counts.tolist()):
        if size and size + count > most:
            bounds.append((low, word, size))
            low, size = word, 0
        size += count
    return [*bounds, (low, len(counts), size)]


def _distinct(side: Side, phrases: Phrases) -> tuple[Phrases, NDArray[np.int64], NDArray[np.int64]]:
    """The distinct phrases in byte order, their keys, and the number of each phrase: int64[n]."""
    keys = side.keys(phrases)
    first, numbers = first_places(keys)
    by_text = side.byte_order(phrases.select(first))
    rank = np.empty(len(by_text), np.int64)
    rank[by_text] = np.arange(len(by_text))
    first = first[by_text]
    return phrases.select(first), keys[first], rank[numbers]


def count_range(text: PreparedBitext, low: int, high: int, size: int) -> RuleCounts:
    """The rules whose first source word is in [low, high). size: phrase pairs there"""
    phrase_pairs, _ = extract_range(text, low, high, size)
    positions, lengths = phrase_pairs.positions, phrase_pairs.lengths
    codes = np.zeros((size, 3 if text.kinds else 0), np.uint8)
    if text.kinds:
        orientations(
            (text.links.source, text.links.target, text.links.offsets),
            text.source.corpus.offsets, text.target.corpus.offsets,
            PhrasePairs(positions, lengths),
            Definition(text.max_length, text.kinds, text.moses), codes,
        )  # fmt: skip
        codes = np.ascontiguousarray(codes[:, text.used_kinds])
    source, _, rule_source = _distinct(text.source, Phrases(positions[:, 0], lengths[:, 0]))
    target, target_keys, rule_target = _distinct(
        text.target, Phrases(positions[:, 1], lengths[:, 1])
    )
    keys = rule_source << 32 | rule_target
    del rule_source, rule_target
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    starts = run_starts(keys)
    rule_keys, bounds = keys[starts], np.append(starts, size)
    del keys
    counts = np.zeros((len(starts), text.weights.shape[1]))
    classes = np.zeros((len(starts), codes.shape[1], 2, 4))
    add_instances(order, bounds, (phrase_pairs.pairs, codes), text.weights, (counts, classes))
    best = np.empty(len(starts), np.uint64)
    choose_links(phrase_pairs.signatures[order], bounds, _SET_RANK, best)
    return RuleCounts(
        source.positions, source.lengths, target.positions, target.lengths, target_keys,
        (rule_keys >> 32).astype(np.int32), (rule_keys & 0xFFFFFFFF).astype(np.int32), counts,
        best, classes,
    )  # fmt: skip
