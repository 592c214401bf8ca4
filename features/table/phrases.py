"""Phrases as text and as corpora, and by number in order of first appearance."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.errors import check_listed, check_words
from isogloss.align.text.corpus import Corpus
from isogloss.align.text.vocabulary import Vocabulary

from .kernels.numbering import PhraseRoom, fill_slots, number_phrases

__all__ = ["FEW", "PhraseNumbers", "phrase_texts", "phrases_of"]

FEW = 1000  # so many are numbered without a kernel, for which Numba would have to be loaded
_PHRASES, _WORDS, _BYTES, _TOKENS = range(4)  # what PhraseRoom.used counts


def phrase_texts(phrases: Corpus) -> list[str]:
    """Each phrase as text."""
    words = phrases.vocabulary.words
    tokens, bounds = phrases.tokens.tolist(), phrases.offsets.tolist()
    text = [words[token] for token in tokens]
    return [" ".join(text[a:b]) for a, b in pairwise(bounds)]


def phrases_of(sentences: Iterable[Sequence[str]], max_length: int = 7) -> frozenset[str]:
    """All phrases up to a length that occur in the sentences: the rules an input can use.

    Raises WrongTypeError for a text in place of sentences, or of the words of one.
    """
    check_listed(sentences, "sentences", "a list of lists of words")
    phrases: set[str] = set()
    for words in sentences:
        check_words(words)
        for begin in range(len(words)):
            for end in range(begin + 1, min(begin + max_length, len(words)) + 1):
                phrases.add(" ".join(words[begin:end]))
    return frozenset(phrases)


class PhraseNumbers:
    """Numbers phrases, a blank between words, and their words; also names, which are one word."""

    def __init__(self) -> None:
        self._few: dict[str, int] | None = {}  # until there are more
        self._room = PhraseRoom(
            *_no_texts(), *_no_texts(), np.empty(0, np.uint8), np.empty(0, np.int32),
            np.empty(0, np.int64), np.zeros(4, np.int64),
        )  # fmt: skip

    def __len__(self) -> int:
        return int(self._room.used[_PHRASES]) if self._few is None else len(self._few)

    def has_room(self, more: int) -> bool:
        """Whether they stay few with so many more."""
        return self._few is not None and len(self._few) + more <= FEW

    def number(
        self, text: NDArray[np.uint8], begins: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The number of each phrase: int64[n].

        text: uint8[bytes], UTF-8; begins, ends: int64[n], where each phrase stands in it
        """
        numbers = np.empty(len(begins), np.int64)
        if self._few is not None:
            few, self._few = list(self._few), None
            self.number_texts(few)
        if len(begins):
            self._make_room(len(begins), int((ends - begins).sum()))
            number_phrases(text, begins, ends, self._room, numbers)
        return numbers

    def number_texts(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """The number of each phrase: int64[n]."""
        if self._few is not None and self.has_room(len(texts)):
            few = self._few
            return np.array([few.setdefault(text, len(few)) for text in texts], np.int64)
        encoded = [text.encode() for text in texts]
        offsets = offsets_of([len(text) for text in encoded])
        return self.number(np.frombuffer(b"".join(encoded), np.uint8), offsets[:-1], offsets[1:])

    def texts(self) -> list[str]:
        """The phrases by number."""
        if self._few is not None:
            return list(self._few)
        content = self._room.content[: self._room.used[_BYTES]]
        return content.tobytes().decode().split("\n")[:-1]

    def corpus(self) -> Corpus:
        """The phrases as a corpus; its words are those of the phrases, in order of appearance."""
        if self._few is not None:
            return _corpus_of(self._few)
        room = self._room
        num_phrases, num_words, size, num_tokens = room.used.tolist()
        content = room.content[:size].tobytes()
        spans = zip(
            room.word_begins[:num_words].tolist(), room.word_ends[:num_words].tolist(), strict=True
        )
        return Corpus(
            room.tokens[:num_tokens].copy(),
            np.append(0, room.token_ends[:num_phrases]),
            Vocabulary([content[begin:end].decode() for begin, end in spans]),
        )

    def _make_room(self, phrases: int, size: int) -> None:
        """Make room for so many more phrases of so many bytes, all of them new."""
        room = self._room
        num_phrases, num_words, num_bytes, num_tokens = room.used.tolist()
        words = (size + phrases) // 2 + 1
        self._room = PhraseRoom(
            *_more_texts(room.slots, (room.hashes, room.begins, room.ends), num_phrases, phrases),
            *_more_texts(
                room.word_slots, (room.word_hashes, room.word_begins, room.word_ends),
                num_words, words,
            ),
            _more(room.content, num_bytes, size + phrases),
            _more(room.tokens, num_tokens, words),
            _more(room.token_ends, num_phrases, phrases),
            room.used,
        )  # fmt: skip


def _corpus_of(phrases: Iterable[str]) -> Corpus:
    numbers: dict[str, int] = {}
    rows = [
        [numbers.setdefault(word, len(numbers) + 1) for word in text.split(" ")] for text in phrases
    ]  # the number 0 is that of the empty word
    tokens = np.array([token for row in rows for token in row], np.int32)
    return Corpus(tokens, offsets_of([len(row) for row in rows]), Vocabulary(list(numbers)))


_Texts = tuple[NDArray[np.int32], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]


def _no_texts() -> _Texts:
    """A hash table without room."""
    return (
        np.zeros(1, np.int32), np.empty(0, np.uint64), np.empty(0, np.int64),
        np.empty(0, np.int64),
    )  # fmt: skip


def _more(array: NDArray[Any], used: int, more: int) -> NDArray[Any]:
    """The array, or a larger one with its first ``used`` values, that has room for ``more``."""
    # array: of any type[room]
    if used + more <= len(array):
        return array
    larger = np.empty(max(used + more, 2 * len(array)), array.dtype)
    larger[:used] = array[:used]
    return larger


def _more_texts(
    slots: NDArray[np.int32],
    columns: tuple[NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]],
    used: int,
    more: int,
) -> _Texts:
    """A hash table of ``used`` texts that has room for ``more``."""
    # slots: int32[2^k]; columns: uint64[room], int64[room] and int64[room], hashes of the texts and
    #     where they begin and end; see PhraseRoom
    hashes, begins, ends = (_more(column, used, more) for column in columns)
    if 2 * (used + more) > len(slots):
        slots = np.zeros(1 << (2 * (used + more)).bit_length(), np.int32)
        fill_slots(slots, hashes, used)
    return slots, hashes, begins, ends
