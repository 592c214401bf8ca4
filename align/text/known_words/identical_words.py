"""Links of words that are the same on both sides: names, numbers, years.

Nearly all words that stand once on each side of a sentence pair, and are the same there, are linked
in gold alignments. A model links those that it has often seen; new ones are left without a link.
"""

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...arrays.ragged import per_entry, select_rows
from ...links.formats.kernels.pharaoh import PAIR_SHIFT, SOURCE_SHIFT
from ...links.links import Links
from ..bitext import Bitext
from ..corpus import Corpus
from ..kernels.same_words import match_same_words

__all__ = ["identical_words", "with_identical_words"]

_DIGIT = re.compile(r"\d")
_LETTERS = 4  # of a word without digits
CONFIDENCE = 0.98  # of a link that is added; of 1,034 in eleven gold sets 1,020 were right


def with_identical_words(links: Links, bitext: Bitext) -> Links:
    """Add the links of :func:`identical_words` whose words are free on at least one side.

    Where links have probabilities, those that are added have CONFIDENCE.

    bitext: the text of the links, as it is written
    """
    added = _free_links(links, bitext)
    return _inserted(links, added) if len(added) else links


def _inserted(links: Links, added: NDArray[np.int64]) -> Links:
    """Links with others, without keys of them all. added: int64[n], keys, rising and new"""
    pair, position = added >> PAIR_SHIFT, added & ((1 << PAIR_SHIFT) - 1)
    entries, begins = select_rows(links.offsets, pair)
    held = links.source[entries].astype(np.int64) << SOURCE_SHIFT | links.target[entries]
    before = np.append(0, np.cumsum(held < per_entry(position, begins)))
    place = links.offsets[pair] + np.diff(before[begins])
    offsets = links.offsets + np.searchsorted(pair, np.arange(len(links) + 1))
    source, target = position >> SOURCE_SHIFT, position & ((1 << SOURCE_SHIFT) - 1)
    columns = (np.insert(links.source, place, source), np.insert(links.target, place, target))
    if links.probability is None:
        return Links(*columns, offsets)
    return Links(*columns, offsets, np.insert(links.probability, place, CONFIDENCE))


def identical_words(bitext: Bitext) -> Links:
    """Links of the words that stand once on both sides of a pair and are the same there.

    Only of words with a digit or at least four letters: shorter ones are often the same by chance.
    Words that are -1 are equal to none.
    """
    none = Links.from_keys(np.zeros(0, np.int64), len(bitext))
    return Links.from_keys(_free_links(none, bitext), len(bitext))


def _free_links(links: Links, bitext: Bitext) -> NDArray[np.int64]:
    """Keys of links of identical words, unless both words have a link: int64[n], increasing."""
    shared = _shared_words(bitext.source, bitext.target)
    if not shared:
        return np.zeros(0, np.int64)
    ids = zip(*shared, strict=True)
    source, target = (
        (side.tokens, side.offsets, _numbers(side, words))
        for side, words in zip((bitext.source, bitext.target), ids, strict=True)
    )
    state = np.full((len(shared), 3), -1, np.int64)
    state[:, 2] = 0
    keys = np.empty(np.count_nonzero(source[2][source[0]] >= 0), np.int64)
    held = (links.offsets, links.source, links.target)
    return keys[: match_same_words(source, target, held, state, keys)]


def _shared_words(source: Corpus, target: Corpus) -> list[tuple[int, int]]:
    """The words that both sides have and that may be linked, by their ids on each side."""
    words, others = source.vocabulary.words, target.vocabulary.words
    ids = {words[word]: word for word in _used(source)}
    shared = [(ids[others[word]], word) for word in _used(target) if others[word] in ids]
    return [pair for pair in shared if _may_be_linked(words[pair[0]])]


def _used(corpus: Corpus) -> list[int]:
    """The words of a corpus that stand in it, of a vocabulary that may be far larger."""
    if len(corpus.tokens) < len(corpus.vocabulary):
        return sorted({word for word in corpus.tokens.tolist() if word >= 0})
    stands = np.zeros(len(corpus.vocabulary) + 1, bool)
    stands[corpus.tokens] = True  # the last one is that of -1
    return np.flatnonzero(stands[:-1]).tolist()


def _may_be_linked(word: str) -> bool:
    return _DIGIT.search(word) is not None or sum(map(str.isalpha, word)) >= _LETTERS


def _numbers(corpus: Corpus, words: Sequence[int]) -> NDArray[np.int32]:
    """The number of each of some words, -1 for others: int32[num_types + 1]."""
    numbers = np.full(len(corpus.vocabulary) + 1, -1, np.int32)  # the last one is that of -1
    numbers[list(words)] = np.arange(len(words), dtype=np.int32)
    return numbers
