"""Linked occurrences of words and short phrases, counted by domain in bounded memory."""

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers, run_lengths
from isogloss.align.links.links import Links

from ..extraction.counts import PreparedBitext, extract_range, shard_bounds
from ..extraction.phrases import Phrases, Side
from .spans import all_of, least_of
from .words import TokenKinds

__all__ = ["LinkedText", "Occurrences", "PairCounts", "count_pairs"]


@dataclass(frozen=True)
class Occurrences:
    """Linked occurrences of phrase pairs.

    source, target: their places; pairs: int32[n], sentence pairs
    certainty: float32[n], the least probability of their links
    """

    source: Phrases
    target: Phrases
    pairs: NDArray[np.int32]
    certainty: NDArray[np.float32]

    def select(self, rows: NDArray[np.int64]) -> "Occurrences":
        """The occurrences ``rows`` (int64[k]), in that order."""
        return Occurrences(
            self.source.select(rows), self.target.select(rows), self.pairs[rows],
            self.certainty[rows],
        )  # fmt: skip


@dataclass(frozen=True)
class LinkedText:
    """A linked bitext whose phrase pairs may become entries of a dictionary.

    An entry is a phrase pair consistent with the links (Koehn, Och & Marcu 2003) whose first and
    last words are linked, and are words on both sides; between them may be hyphens and apostrophes.

    text: the bitext, prepared for extraction
    certainty: float32[num_source_tokens], the least probability of the links of each word, 1 where
        it has none: as all links of a source word of a phrase pair are inside, those of its
        words are those of the pair
    edges: bool[num_tokens] of each side, words that an entry may begin and end with
    inner: bool[num_tokens] of each side, tokens that may stand in one
    lettered: bool[num_tokens] of each side; with numbers all words
    """

    text: PreparedBitext
    certainty: NDArray[np.float32]
    edges: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    inner: tuple[NDArray[np.bool_], NDArray[np.bool_]]
    lettered: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    @classmethod
    def of(
        cls,
        text: PreparedBitext,
        links: Links,
        *,
        numbers: bool = False,
        stopwords: frozenset[str] = frozenset(),
    ) -> "LinkedText":
        """Look at the words and the links of a bitext.

        numbers: entries of numbers alone, too; stopwords: in lower case, at no edge of an entry
        """
        sides = text.source, text.target
        pair = row_numbers(links.offsets)
        linked = []
        for side, position in zip(sides, (links.source, links.target), strict=True):
            flags = np.zeros(len(side.words), np.bool_)
            flags[side.corpus.offsets[pair] + position] = True
            linked.append(flags)
        certainty = np.ones(len(text.source.words), np.float32)
        if links.probability is not None:
            at = text.source.corpus.offsets[pair] + links.source
            np.minimum.at(certainty, at, links.probability)
        kinds = [TokenKinds.of(side.corpus.vocabulary, stopwords) for side in sides]
        tokens = [side.corpus.tokens for side in sides]
        lettered = [(kind.words if numbers else kind.lettered) for kind in kinds]
        return cls(
            text,
            certainty,
            (kinds[0].edges[tokens[0]] & linked[0], kinds[1].edges[tokens[1]] & linked[1]),
            (kinds[0].inner[tokens[0]], kinds[1].inner[tokens[1]]),
            (lettered[0][tokens[0]], lettered[1][tokens[1]]),
        )

    def bounds(self, max_memory: int) -> list[tuple[int, int, int]]:
        """Ranges of first source words whose occurrences fit, see ``shard_bounds``.

        An occurrence takes a quarter of what a phrase pair takes as a rule of a phrase table.
        """
        return shard_bounds(self.text, 4 * max_memory)

    @property
    def sides(self) -> tuple[Side, Side]:
        """Source and target."""
        return self.text.source, self.text.target

    def occurrences(self, low: int, high: int, size: int) -> Occurrences:
        """Those whose first source word is in [low, high). size: of all phrase pairs there"""
        found, _ = extract_range(self.text, low, high, size)
        good = np.ones(size, np.bool_)
        lettered = np.zeros(size, np.bool_)
        for side in (0, 1):
            phrases = Phrases(found.positions[:, side], found.lengths[:, side])
            last = phrases.positions + phrases.lengths - 1
            good &= self.edges[side][phrases.positions] & self.edges[side][last]
            good &= all_of(self.inner[side], phrases)
            lettered |= least_of((~self.lettered[side]).astype(np.float32), phrases) == 0.0
        rows = np.flatnonzero(good & lettered)
        source, target = (
            Phrases(
                np.ascontiguousarray(found.positions[rows, side]),
                np.ascontiguousarray(found.lengths[rows, side]),
            )
            for side in (0, 1)
        )
        return Occurrences(source, target, found.pairs[rows], least_of(self.certainty, source))


@dataclass(frozen=True)
class PairCounts:
    """Phrase pairs of a text by key, see ``Side.keys``, and how often they are linked.

    source_keys, target_keys: int64[n], rising, by source key first
    source_positions, target_positions: int32[n], where they are linked first
    counts: float64[n, K], sums of the weights of their linked occurrences
    certainty: float64[n], mean of the least probability of the links of an occurrence
    """

    source_keys: NDArray[np.int64]
    target_keys: NDArray[np.int64]
    source_positions: NDArray[np.int32]
    target_positions: NDArray[np.int32]
    counts: NDArray[np.float64]
    certainty: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.source_keys)

    @property
    def source(self) -> Phrases:
        """The source phrases, where they are linked first."""
        return Phrases(self.source_positions, _lengths(self.source_keys))

    @property
    def target(self) -> Phrases:
        """The target phrases."""
        return Phrases(self.target_positions, _lengths(self.target_keys))

    def select(self, rows: NDArray[np.int64]) -> "PairCounts":
        """The pairs ``rows`` (int64[k]), in that order."""
        return PairCounts(*(getattr(self, field.name)[rows] for field in fields(self)))

    @classmethod
    def joined(cls, parts: list["PairCounts"]) -> "PairCounts":
        """All pairs of several parts, by key."""
        columns = (np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(cls))
        whole = cls(*columns)
        return whole.select(np.lexsort((whole.target_keys, whole.source_keys)))


def _lengths(keys: NDArray[np.int64]) -> NDArray[np.int8]:
    return ((keys & 7) + 1).astype(np.int8)


def count_pairs(
    linked: LinkedText,
    min_count: int,
    max_memory: int,
    advance: Callable[[int], None] = lambda count: None,
) -> PairCounts:
    """Phrase pairs that are linked ``min_count`` times or more, with the text's weights.

    max_memory: bytes that phrase pairs may take; more are counted in parts
    advance: called with the number of phrase pairs that were looked at, part after part
    """
    parts = []
    for low, high, size in linked.bounds(max_memory):
        parts.append(_count(linked, linked.occurrences(low, high, size), min_count))
        advance(size)
    return PairCounts.joined(parts)


def _count(linked: LinkedText, found: Occurrences, min_count: int) -> PairCounts:
    source, target = linked.sides
    keys = source.keys(found.source), target.keys(found.target)
    order = np.lexsort((keys[1], keys[0]))  # equal ones stay in the order of the text
    differ = np.flatnonzero(np.diff(keys[0][order]) | np.diff(keys[1][order])) + 1
    starts = np.concatenate([np.zeros(min(len(order), 1), np.int64), differ])
    lengths = run_lengths(starts, len(order))
    order = order[np.repeat(lengths >= min_count, lengths)]
    lengths = lengths[lengths >= min_count]
    starts = np.cumsum(lengths) - lengths
    first, weights = order[starts], linked.text.weights
    counts = np.empty((len(starts), weights.shape[1]))
    pairs, certainty = found.pairs[order], found.certainty[order].astype(np.float64)
    if len(starts):
        for column in range(weights.shape[1]):
            counts[:, column] = np.add.reduceat(weights[pairs, column], starts)
        certainty = np.add.reduceat(certainty, starts) / lengths
    return PairCounts(
        keys[0][first], keys[1][first], found.source.positions[first],
        found.target.positions[first], counts, certainty,
    )  # fmt: skip
