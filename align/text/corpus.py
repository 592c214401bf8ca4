"""Corpus: sentences of one language, tokens as columns plus offsets."""

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import joined_offsets, select_rows
from ..arrays.row_choice import Rows, row_number, rows_chosen
from ..errors import DataError, UsageError, check_word, check_words
from ..execution.calls import ExplainedClass, public
from ..files.outputs import check_unused
from ..files.text_io import FIELD_SEPARATOR, iter_lines, split_tokens
from ..files.writers import write_lines
from .sentences import Sentences, sentence_words, words_of_sentences
from .vocabulary import Vocabulary

__all__ = ["Corpus", "CorpusBuilder", "shortened"]

_WORD = re.compile(r"[^ \t\r\n]+")
_SHOWN = 60  # characters of a sentence that a representation shows


@public
@dataclass(frozen=True, eq=False)
class Corpus(metaclass=ExplainedClass):
    """Sentences of one language: a sequence of lists of words.

    ``corpus[3]`` is the list of words of a sentence; ``corpus[10:20]``, ``corpus[mask]`` and
    ``corpus[[4, 2]]`` are corpora. Two corpora are equal if their sentences are.

    Parameters
    ----------
    tokens : ndarray of int32, shape (n_tokens,)
        Ids in ``vocabulary``, sentence after sentence; -1 for a word that it doesn't hold.
    offsets : ndarray of int64, shape (n_sentences + 1,)
        Sentence k is ``tokens[offsets[k]:offsets[k + 1]]``.
    vocabulary : Vocabulary
        Word types; id 0 (NULL) never occurs in ``tokens``.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.Bitext.from_sentences(["the house", "a book"], ["la casa", "un libro"])
    >>> bitext.source[1]
    ['a', 'book']
    >>> ["the", "house"] in bitext.source
    True
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        if self.offsets.ndim != 1 or len(self.offsets) == 0 or self.offsets[0] != 0:
            raise ValueError("corpus offsets must start with 0")
        if self.offsets[-1] != len(self.tokens) or (self.lengths < 0).any():
            raise ValueError(
                "corpus offsets must not decrease and must end with the number of tokens"
            )
        if len(self.tokens) and (
            self.tokens.max() >= len(self.vocabulary) or (self.tokens == 0).any()
        ):
            raise ValueError("corpus tokens must be ids of its vocabulary, without NULL")
        self.tokens.flags.writeable = False
        self.offsets.flags.writeable = False

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> list[str]: ...
    @overload
    def __getitem__(self, number: Rows) -> "Corpus": ...
    def __getitem__(self, number: int | Rows) -> "list[str] | Corpus":
        if isinstance(number, int | np.integer):
            return self.words(row_number(number, len(self), "sentence"))
        return self.select(rows_chosen(number, len(self), "sentences"))

    def __iter__(self) -> Iterator[list[str]]:
        return (self.words(number) for number in range(len(self)))

    def __contains__(self, sentence: object) -> bool:
        """Whether a sentence, a string or a list of words, is one of these."""
        return len(self.find(sentence)) > 0  # type: ignore[arg-type]  # it says what is wrong

    def find(self, sentence: str | Iterable[str]) -> NDArray[np.int64]:
        """Return the numbers of all sentences equal to one.

        Parameters
        ----------
        sentence : str or list of str
            A string is split at whitespace.

        Returns
        -------
        ndarray of int64, shape (n,)
            Increasing; empty if the sentence isn't among them.

        Examples
        --------
        >>> corpus = Corpus.from_sentences(["yes", "the house", "yes"])
        >>> corpus.find("yes").tolist()
        [0, 2]
        """
        ids = self.vocabulary.encode(sentence_words(sentence))
        if (ids < 0).any():
            return np.zeros(0, np.int64)
        rows = np.flatnonzero(self.lengths == len(ids))
        is_equal: NDArray[np.bool_] = (
            self.tokens[self.offsets[rows][:, None] + np.arange(len(ids))] == ids
        ).all(1)
        found: NDArray[np.int64] = rows[is_equal]
        return found

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Corpus):
            return NotImplemented
        if self is other:
            return True
        if not np.array_equal(self.offsets, other.offsets):
            return False
        if not np.array_equal(self.tokens < 0, other.tokens < 0):
            return False
        return np.array_equal(self.tokens, other.to_vocabulary(self.vocabulary).tokens)

    def __repr__(self) -> str:
        first = f"; first: {shortened(self.words(0))}" if len(self) else ""
        return (
            f"Corpus({len(self):,} sentences, {len(self.tokens):,} tokens, "
            f"{len(self.vocabulary) - 1:,} word types{first})"
        )

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Tokens of each sentence: int64[num_sentences]."""
        return self.offsets[1:] - self.offsets[:-1]

    def sentence(self, number: int) -> NDArray[np.int32]:
        """Return the token ids of one sentence.

        Parameters
        ----------
        number : int
            Number of the sentence, counted from 0.

        Returns
        -------
        ndarray of int32, shape (n_words,)
            A view of ``tokens``.
        """
        return self.tokens[self.offsets[number] : self.offsets[number + 1]]

    def words(self, number: int) -> list[str]:
        """Return the words of one sentence.

        Parameters
        ----------
        number : int
            Number of the sentence, counted from 0.

        Returns
        -------
        list of str
            ``<unk>`` for each unknown word.
        """
        return [self.vocabulary[token] for token in self.sentence(number).tolist()]

    def select(self, rows: NDArray[np.int64]) -> "Corpus":
        """Return some sentences, in the order given, over the same vocabulary.

        Parameters
        ----------
        rows : ndarray of int64, shape (n_rows,)
            Numbers of sentences.

        Returns
        -------
        Corpus
        """
        places, offsets = select_rows(self.offsets, rows)
        return Corpus(self.tokens[places], offsets, self.vocabulary)

    def texts(self) -> Iterator[str]:
        """Iterate over the sentences as strings, words separated by spaces.

        Yields
        ------
        str

        Raises
        ------
        DataError
            If words are unknown to the vocabulary, so that there is no text.
        """
        if self.tokens.min(initial=0) < 0:
            raise DataError(
                "the text contains unknown words (-1)", "a corpus with its own vocabulary"
            )
        return map(" ".join, self)

    @classmethod
    def load(cls, path: str | Path) -> "Corpus":
        """Read tokenized sentences from a file, one per line.

        Parameters
        ----------
        path : str or Path
            Plain or compressed text; ``-`` is standard input.

        Returns
        -------
        Corpus

        Raises
        ------
        DataError
            If the file can't be read, or isn't UTF-8.
        UsageError
            If a token is ``|||``.

        Examples
        --------
        >>> import isogloss as ig
        >>> corpus = ig.Corpus.from_sentences(["the house", "a book"])
        >>> corpus.save("text.en")
        >>> ig.Corpus.load("text.en") == corpus
        True
        """
        return CorpusBuilder.filled(map(split_tokens, iter_lines(path)))

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write the sentences as text, one per line.

        Parameters
        ----------
        path : str, Path or None
            Compressed if it ends in .gz, .bz2, .xz or .zst; ``-`` and None are standard output.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        DataError
            If words are unknown to the vocabulary, so that there is no text.
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        write_lines(self.texts(), path)

    def to_vocabulary(self, vocabulary: Vocabulary, *, lowercase: bool = False) -> "Corpus":
        """Return the same sentences over another vocabulary.

        Parameters
        ----------
        vocabulary : Vocabulary
            Words that it lacks become -1.
        lowercase : bool, default False
            Lowercase the words before they are looked up.

        Returns
        -------
        Corpus
        """
        words = self.vocabulary.words
        ids = vocabulary.encode([word.lower() for word in words] if lowercase else words)
        ids = np.append(ids, np.int32(-1))  # the last one is that of -1
        return Corpus(ids[self.tokens], self.offsets, vocabulary)

    @classmethod
    def from_sentences(cls, sentences: Sentences, vocabulary: Vocabulary | None = None) -> "Corpus":
        """Number the words of sentences.

        Parameters
        ----------
        sentences : iterable of str or of iterables of str
            Strings are split at whitespace.
        vocabulary : Vocabulary, optional
            Existing vocabulary, not extended; unknown words become -1. Default: a new vocabulary.

        Returns
        -------
        Corpus

        Raises
        ------
        WrongTypeError
            If it is one string, or holds something other than sentences.
        UsageError
            If a word is empty or holds whitespace.
        """
        return CorpusBuilder.filled(words_of_sentences(sentences), vocabulary)

    @classmethod
    def joined(cls, corpora: Sequence["Corpus"]) -> "Corpus":
        """Concatenate corpora under one vocabulary.

        Parameters
        ----------
        corpora : sequence of Corpus
            At least one. Words keep the ids of the first corpus; unknown tokens (-1) stay unknown.

        Returns
        -------
        Corpus
        """
        if len(corpora) == 1:
            return corpora[0]
        vocabulary = Vocabulary(
            dict.fromkeys(word for corpus in corpora for word in corpus.vocabulary.words[1:])
        )
        tokens = []
        for corpus in corpora:
            ids = np.full(len(corpus.vocabulary) + 1, -1, np.int32)  # the last one is that of -1
            ids[1:-1] = vocabulary.encode(corpus.vocabulary.words[1:])
            tokens.append(ids[corpus.tokens])
        offsets = joined_offsets([corpus.offsets for corpus in corpora])
        return cls(np.concatenate(tokens), offsets, vocabulary)


def shortened(words: Sequence[str]) -> str:
    """The first words of a sentence in quotes."""
    return repr(shorten(" ".join(words[:_SHOWN]), _SHOWN, placeholder=" ..."))


class _GrowingIds(dict[str, int]):
    """Ids of words from 1 on, in order of first appearance."""

    def __missing__(self, word: str) -> int:
        check_word(word)
        if not _WORD.fullmatch(word) or word == FIELD_SEPARATOR:
            raise UsageError(
                f"{word!r} is not a valid word: words must not be empty, contain whitespace or be "
                f"{FIELD_SEPARATOR}; split the sentence into words"
            )
        self[word] = number = len(self) + 1
        return number


class CorpusBuilder:
    """Gathers a corpus sentence by sentence, in little more memory than its arrays take.

    A given ``vocabulary`` is kept and unknown words become -1.
    """

    def __init__(self, vocabulary: Vocabulary | None = None) -> None:
        self._vocabulary = vocabulary
        self._new = _GrowingIds()
        self._id = self._new.__getitem__ if vocabulary is None else vocabulary.get
        self._tokens, self._offsets = array("i"), array("q", [0])

    @classmethod
    def filled(cls, sentences: Iterable[list[str]], vocabulary: Vocabulary | None = None) -> Corpus:
        """The corpus of sentences that are lists of words."""
        builder = cls(vocabulary)
        for words in sentences:
            builder.add(words)
        return builder.build()

    def add(self, tokens: Iterable[str]) -> None:
        """Append a sentence. Raises WrongTypeError for a text in place of its words.

        Raises WrongTypeError for what is no list, and for a new word that is no text.
        """
        if type(tokens) is not list:
            check_words(tokens)
        self._tokens.fromlist(list(map(self._id, tokens)))  # faster than extend
        self._offsets.append(len(self._tokens))

    def build(self) -> Corpus:
        """The corpus; it shares the builder's memory, so that nothing can be added from here on."""
        vocabulary = Vocabulary(self._new) if self._vocabulary is None else self._vocabulary
        self._new = _GrowingIds()
        return Corpus(
            np.frombuffer(self._tokens, np.int32),
            np.frombuffer(self._offsets, np.int64),
            vocabulary,
        )
