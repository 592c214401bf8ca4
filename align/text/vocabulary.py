"""Vocabulary: a frozen list of word types; id 0 is NULL, the empty word."""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of
from ..errors import check_argument, check_listed, check_word, check_words, shown

__all__ = ["NULL", "Vocabulary"]

NULL = 0  # id of the empty word; the string "NULL" in a text gets an id of its own
UNKNOWN = "<unk>"  # how a word that is not held, id -1, is shown
_SHOWN = 60  # characters of words that a representation shows


class Vocabulary:
    """Map word types to ids and back.

    Ids start at 1, in the order of the words. Id 0 is the empty word, which is shown as ``NULL``
    and differs from a token spelled that way. ``vocabulary[3]`` is a word, ``"house" in
    vocabulary`` says if a word has an id, and ``len(vocabulary)`` counts the empty word, too.

    Parameters
    ----------
    words : iterable of str
        Word types, each once, without the empty word.

    Raises
    ------
    WrongTypeError
        If it is one string.
    ValueError
        If a word comes twice.

    Examples
    --------
    >>> from isogloss.align import Vocabulary
    >>> vocabulary = Vocabulary(["the", "house"])
    >>> vocabulary.get("house"), vocabulary[1], len(vocabulary)
    (2, 'the', 3)
    >>> vocabulary.encode(["the", "garden"])
    array([ 1, -1], dtype=int32)
    """

    __slots__ = ("_made", "_words")

    def __init__(self, words: Iterable[str]) -> None:
        check_listed(words, "the words of a vocabulary")
        self._words: tuple[str, ...] = ("NULL", *words)
        self._made: dict[str, int] | None = None
        if len(set(self._words[1:])) != len(self._words) - 1:
            raise ValueError("the words of a vocabulary must be unique")

    @property
    def _ids(self) -> dict[str, int]:
        """Made when words are first looked up: training knows their ids alone."""
        if self._made is None:
            self._made = dict(zip(self._words[1:], range(1, len(self._words)), strict=True))
        return self._made

    def __len__(self) -> int:
        return len(self._words)

    def __getitem__(self, number: int) -> str:
        try:
            return self._words[number] if number >= 0 else UNKNOWN
        except TypeError:
            remedy = f"vocabulary.get({shown(number)}) for the id of a word"
            check_argument(number, (), "the index of a vocabulary", "an id, an integer", remedy)
            raise
        except IndexError:
            raise IndexError(f"id {number} is out of range: there are {len(self)}") from None

    def __contains__(self, word: str) -> bool:
        check_word(word)
        return word in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self._words == other._words

    def __hash__(self) -> int:
        return hash(self._words)

    def __repr__(self) -> str:
        sample = shorten(" ".join(self._words[1:_SHOWN]), _SHOWN, placeholder=" ...")
        return f"Vocabulary({len(self) - 1:,} word types{': ' if sample else ''}{sample})"

    @property
    def words(self) -> tuple[str, ...]:
        """All word types by id; the first is ``NULL``."""
        return self._words

    def get(self, word: str, default: int = -1) -> int:
        """Return the id of a word.

        Parameters
        ----------
        word : str
        default : int, default -1
            Returned for a word without id.

        Returns
        -------
        int
        """
        number = self._ids.get(word) if isinstance(word, str) else None
        if number is None:
            check_word(word)
            return default
        return number

    def encode(self, tokens: Sequence[str], unknown: int = -1) -> NDArray[np.int32]:
        """Return the ids of the words of a sentence.

        Parameters
        ----------
        tokens : sequence of str
        unknown : int, default -1
            Stands for words without id.

        Returns
        -------
        ndarray of int32, shape (n_tokens,)

        Raises
        ------
        WrongTypeError
            If ``tokens`` is one string.
        """
        check_words(tokens)
        get = self._ids.get
        return np.fromiter((get(token, unknown) for token in tokens), np.int32, len(tokens))

    def to_bytes(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Store all word types except NULL as lines of UTF-8.

        Returns
        -------
        text : ndarray of uint8, shape (n_bytes,)
        offsets : ndarray of int64, shape (n_types + 1,)
            Where each line begins.
        """
        encoded = [word.encode() + b"\n" for word in self._words[1:]]
        offsets = offsets_of([len(word) for word in encoded])
        return np.frombuffer(b"".join(encoded), np.uint8), offsets

    @classmethod
    def from_bytes(cls, text: NDArray[np.uint8], offsets: NDArray[np.int64]) -> "Vocabulary":
        """Make a vocabulary of what :meth:`to_bytes` returns.

        Parameters
        ----------
        text : ndarray of uint8, shape (n_bytes,)
        offsets : ndarray of int64, shape (n_types + 1,)

        Returns
        -------
        Vocabulary
        """
        data = text.tobytes()
        words = data.decode().split("\n")[:-1]
        if len(words) != len(offsets) - 1:  # some word holds a line feed
            words = [data[begin : end - 1].decode() for begin, end in pairwise(offsets.tolist())]
        return cls(words)
