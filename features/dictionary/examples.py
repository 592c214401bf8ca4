"""Sentence pairs that show entries of a dictionary."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.text.bitext import Bitext

from .pair_counts import LinkedText, Occurrences

__all__ = ["Example", "Origin", "find_examples"]

READABLE = 12  # source words that an example should have
_SURE = 0.5  # P(link) and P(domain) from which on an occurrence is an example
_SPARE = 4  # times as many are kept, as the same sentence may come again


class Example(NamedTuple):
    """A sentence pair: its number in the bitext from 1 on, and both sides as text."""

    line: int
    source: str
    target: str


@dataclass(frozen=True)
class Origin:
    """What a dictionary was counted on.

    linked: the text as it was counted; bitext: as it stands
    source_keys, target_keys: int64[n], of the pairs of the dictionary, see ``Side.keys``
    max_memory: bytes that phrase pairs may take
    """

    linked: LinkedText
    bitext: Bitext
    source_keys: NDArray[np.int64]
    target_keys: NDArray[np.int64]
    max_memory: int


def find_examples(
    origin: Origin, lists: Sequence[tuple[NDArray[np.int64], int]], number: int
) -> list[list[list[Example]]]:
    """Up to ``number`` sentence pairs for each pair of some lists, in one pass over the text.

    Those whose links are probably right and which are probably of the domain come first, among
    them those of about twelve source words, then those that come first in the text.

    lists: rows of the dictionary, int64[k], and the number of a domain, -1 for none
    """
    lists = [(rows, domain) for rows, domain in lists]
    results: list[list[list[Example]]] = [[[] for _ in rows] for rows, _ in lists]
    if not number or not any(len(rows) for rows, _ in lists):
        return results
    wanted = np.unique(np.concatenate([rows for rows, _ in lists]))
    wanted = wanted[np.lexsort((origin.target_keys[wanted], origin.source_keys[wanted]))]
    keys = origin.source_keys[wanted], origin.target_keys[wanted]
    for low, high, size in origin.linked.bounds(origin.max_memory):
        found = origin.linked.occurrences(low, high, size)
        place = _places(origin.linked, found, keys)
        hits = np.flatnonzero(place >= 0)
        found, row = found.select(hits), wanted[place[hits]]
        for (rows, domain), result in zip(lists, results, strict=True):
            entry_of = np.full(int(max(wanted.max(), rows.max(initial=0))) + 1, -1)
            entry_of[rows] = np.arange(len(rows))
            own = np.flatnonzero(entry_of[row] >= 0)
            entry = entry_of[row[own]]
            chosen = _shortest(origin, found.select(own), entry, domain, _SPARE * number)
            _fill(result, origin.bitext, chosen, number)
    return results


def _fill(
    result: list[list[Example]],
    bitext: Bitext,
    chosen: tuple[NDArray[np.int64], NDArray[np.int64]],
    number: int,
) -> None:
    """Add sentence pairs to the entries that they show, none of them twice the same text."""
    for entry, pair in zip(*(column.tolist() for column in chosen), strict=True):
        example = _example(bitext, pair)
        if len(result[entry]) < number and all(example[1:] != e[1:] for e in result[entry]):
            result[entry].append(example)


def _places(
    linked: LinkedText, found: Occurrences, keys: tuple[NDArray[np.int64], NDArray[np.int64]]
) -> NDArray[np.int64]:
    """The place in ``keys``, sorted by both, of each occurrence: int64[n], -1 = none."""
    source, target = linked.sides
    distinct = np.unique(keys[0])
    own = source.keys(found.source)
    place = np.minimum(np.searchsorted(distinct, own), len(distinct) - 1)
    result = np.full(len(own), -1)
    rows = np.flatnonzero(distinct[place] == own)
    # numbers of source phrases in the high bits, of distinct target phrases in the low ones
    targets = np.unique(keys[1])
    target_keys = target.keys(found.target.select(rows))
    low = np.minimum(np.searchsorted(targets, target_keys), len(targets) - 1)
    known = targets[low] == target_keys
    rows, low = rows[known], low[known]
    joint = np.searchsorted(distinct, keys[0]) << 32 | np.searchsorted(targets, keys[1])
    codes = place[rows] << 32 | low
    at = np.minimum(np.searchsorted(joint, codes), len(joint) - 1)
    good = joint[at] == codes
    result[rows[good]] = at[good]
    return result


def _shortest(
    origin: Origin, found: Occurrences, entry: NDArray[np.int64], domain: int, most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The best ``most`` occurrences of each entry: its place and the sentence pair."""
    sure = found.certainty.astype(np.float64)
    if domain >= 0:
        sure = np.minimum(sure, origin.linked.text.weights[found.pairs, 1 + domain])
    distance = np.abs(origin.bitext.source.lengths[found.pairs] - READABLE)
    order = np.lexsort((found.pairs, distance, sure < _SURE, entry))
    entry, pairs = entry[order], found.pairs[order].astype(np.int64)
    rank = np.arange(len(entry)) - np.searchsorted(entry, entry)
    return entry[rank < most], pairs[rank < most]


def _example(bitext: Bitext, pair: int) -> Example:
    sides = bitext.source.words(pair), bitext.target.words(pair)
    return Example(pair + 1, " ".join(sides[0]), " ".join(sides[1]))
