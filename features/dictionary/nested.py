"""Pairs that are hardly ever seen but as a part of one longer pair."""

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.links.links import Links

from ..extraction.phrases import Phrases
from .pair_counts import LinkedText, PairCounts
from .spans import least_of

__all__ = ["nested_shares"]

_NOWHERE = 1 << 40  # above any position


def nested_shares(linked: LinkedText, pairs: PairCounts) -> NDArray[np.float64]:
    """The share of each pair's occurrences that the most frequent longer pair around it has.

    float64[n], 0 for a pair that is part of none. Nearly all occurrences of a term's parts are
    inside the term (the nested terms of Frantzi & Ananiadou 2000, "Automatic recognition of
    multi-word terms"), and the links between them are often wrong there: *member* and *estados* of
    "member states", "estados miembros". What a longer pair contains is looked up where it is linked
    first.
    """
    bounds = _Bounds(linked)
    shares = np.zeros(len(pairs))
    source, target = linked.sides
    codes = _codes(pairs.source_keys, pairs.target_keys, pairs)
    whole = pairs.source, pairs.target
    for begin in range(int(whole[0].lengths.max(initial=0))):
        for length in range(1, int(whole[0].lengths.max(initial=0)) - begin + 1):
            rows = np.flatnonzero(whole[0].lengths >= begin + length)
            own, inner = bounds.inside(whole[0].select(rows), whole[1].select(rows), begin, length)
            rows = rows[own]
            keys = source.keys(inner[0]), target.keys(inner[1])
            found = _codes(*keys, pairs)
            place = np.minimum(np.searchsorted(codes, found), len(codes) - 1)
            is_pair = (found >= 0) & (codes[place] == found) & (place != rows)
            place, rows = place[is_pair], rows[is_pair]
            share = pairs.counts[rows, 0] / pairs.counts[place, 0]
            np.maximum.at(shares, place, np.minimum(share, 1.0))
    return shares


def _codes(
    source_keys: NDArray[np.int64], target_keys: NDArray[np.int64], pairs: PairCounts
) -> NDArray[np.int64]:
    """A number of each pair of keys, rising as ``pairs`` do: int64[m], -1 where one is unknown."""
    result = np.zeros(len(source_keys), np.int64)
    known = np.ones(len(source_keys), np.bool_)
    for keys, own in ((source_keys, pairs.source_keys), (target_keys, pairs.target_keys)):
        distinct = np.unique(own)
        place = np.minimum(np.searchsorted(distinct, keys), len(distinct) - 1)
        known &= distinct[place] == keys
        result = result << 32 | place
    return np.where(known, result, -1)


class _Bounds:
    """The first and the last word that each word of a text is linked to, by corpus position."""

    def __init__(self, linked: LinkedText) -> None:
        links: Links = linked.text.links
        pair = row_numbers(links.offsets)
        source, target = linked.sides
        ends = (
            source.corpus.offsets[pair] + links.source,
            target.corpus.offsets[pair] + links.target,
        )
        self._low = [np.full(len(side.words), _NOWHERE) for side in linked.sides]
        self._high = [np.full(len(side.words), -1) for side in linked.sides]
        for side, other in ((0, 1), (1, 0)):
            np.minimum.at(self._low[side], ends[side], ends[other])
            np.maximum.at(self._high[side], ends[side], ends[other])

    def _span(self, side: int, phrases: Phrases) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First and last position on the other side that each phrase is linked to."""
        return least_of(self._low[side], phrases), -least_of(-self._high[side], phrases)

    def inside(
        self, source: Phrases, target: Phrases, begin: int, length: int
    ) -> tuple[NDArray[np.int64], tuple[Phrases, Phrases]]:
        """The pair that ``length`` words from ``begin`` on of each source phrase make, if any.

        Returns the rows that have one, int64[m], and both sides of it.
        """
        part = Phrases(source.positions + np.int32(begin), np.full(len(source), length, np.int8))
        low, high = self._span(0, part)
        last = part.positions + length - 1
        good = (self._high[0][part.positions] >= 0) & (self._high[0][last] >= 0)
        good &= (low >= target.positions) & (high < target.positions + target.lengths)
        rows = np.flatnonzero(good)
        part = part.select(rows)
        other = Phrases(low[rows].astype(np.int32), (high - low + 1)[rows].astype(np.int8))
        back = self._span(1, other)
        good = (back[0] >= part.positions) & (back[1] < part.positions + length)
        kept = np.flatnonzero(good)
        return rows[kept], (part.select(kept), other.select(kept))
