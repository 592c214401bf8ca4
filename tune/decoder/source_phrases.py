"""Which spans of a sentence are source phrases of a table."""

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import select_rows, span_entries
from isogloss.align.text.corpus import Corpus

__all__ = ["LONGEST_PHRASE", "SourcePhrases"]

SEEDS = 4  # different phrases that have one hash under each of so many don't occur
LONGEST_PHRASE = 20  # words; longer phrases aren't looked for, as in Moses

_FIRST, _SECOND = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(32)

_Keys = NDArray[np.uint64]


class SourcePhrases:
    """Finds phrases by hashes of their words, one after the other, so that a longer span needs one
    step more; what is found is compared word by word.

    phrases: distinct; of equal ones some are found
    are_distinct: whether they are; of phrases that are too long to be looked for it isn't asked
    """

    def __init__(self, phrases: Corpus) -> None:
        self._phrases = phrases
        self._longest = min(int(phrases.lengths.max(initial=1)), LONGEST_PHRASE)
        self._seed = np.uint64(0)
        self.are_distinct = False
        while not self.are_distinct and self._seed < SEEDS:
            self._seed += np.uint64(1)
            keys = self._keys()
            self._order = np.argsort(keys, kind="stable")
            self._sorted = keys[self._order]
            self.are_distinct = bool((self._sorted[1:] != self._sorted[:-1]).all())

    def _keys(self) -> _Keys:
        """A hash of each phrase; of one that is too long, of itself and its number."""
        lengths, tokens = self._phrases.lengths, self._phrases.tokens
        keys = np.full(len(lengths), self._seed)
        for k in range(self._longest):
            rows = np.flatnonzero(lengths > k)
            keys[rows] = _longer(keys[rows], tokens[self._phrases.offsets[rows] + k])
        others = np.flatnonzero(lengths > self._longest)
        keys[others] = _longer(keys[others], others)
        return keys

    def find(
        self, words: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Begin, end and number of each phrase in a sentence, in the order of begin and end.

        words: int32[n], ids in the phrases' vocabulary, -1 for others. Returns int64[num] thrice.
        """
        spans, keys = [], np.full(len(words), self._seed)
        parts = []
        for length in range(1, min(self._longest, len(words)) + 1):
            keys = _longer(keys[: len(words) - length + 1], words[length - 1 :])
            spans.append(np.full(len(keys), length))
            parts.append(keys)
        if not parts or not len(self._sorted):
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, nothing
        wanted, lengths = np.concatenate(parts), np.concatenate(spans)
        begin = np.concatenate([np.arange(len(part)) for part in parts])
        place = np.minimum(np.searchsorted(self._sorted, wanted), len(self._sorted) - 1)
        found = np.flatnonzero(self._sorted[place] == wanted)
        begin, lengths, phrase = begin[found], lengths[found], self._order[place[found]]
        same = self._same(words, begin, lengths, phrase)
        begin, end, phrase = begin[same], (begin + lengths)[same], phrase[same]
        order = np.lexsort((end, begin))
        return begin[order], end[order], phrase[order]

    def _same(
        self,
        words: NDArray[np.int32],
        begin: NDArray[np.int64],
        lengths: NDArray[np.int64],
        phrase: NDArray[np.int64],
    ) -> NDArray[np.bool_]:
        """Whether spans have the words of phrases: bool[num]."""
        # words: int32[n]; begin, lengths, phrase: int64[num]
        same: NDArray[np.bool_] = self._phrases.lengths[phrase] == lengths
        where, _ = select_rows(self._phrases.offsets, phrase[same])
        spans, ends = span_entries(begin[same], lengths[same])
        differ = np.append(0, np.cumsum(self._phrases.tokens[where] != words[spans]))
        same[same] = differ[ends[1:]] == differ[ends[:-1]]
        return same


def _longer(keys: _Keys, words: NDArray[np.integer]) -> _Keys:
    """Hashes of phrases with one word more."""
    keys = (keys ^ (words.astype(np.uint64) + np.uint64(2))) * _FIRST
    keys = (keys ^ (keys >> _SHIFT)) * _SECOND
    return keys ^ (keys >> _SHIFT)
