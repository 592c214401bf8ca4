"""Corpus and Bitext: tokens as columns plus offsets, with optional domain labels."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from ..errors import check_listed, check_word, check_words
from ..files.records import is_name
from ..links.links import check_num_pairs
from ..ragged import joined_offsets, select_rows
from .vocabulary import Vocabulary

__all__ = ["PART", "UNLABELLED", "Bitext", "Corpus", "CorpusBuilder", "SentencePair"]

UNLABELLED = -1  # label of a pair whose domain is not known
PART = 1 << 15  # pairs of a large text that are aligned at a time
_SHOWN = 60  # characters of a sentence that a representation shows


@dataclass(frozen=True)
class Corpus:
    """Sentences of one language.

    tokens: int32[num_tokens], ids in ``vocabulary``, sentence after sentence (-1 = not held).
    offsets: int64[num_sentences + 1], sentence k is ``tokens[offsets[k]:offsets[k + 1]]``.
    vocabulary: word types; id 0 (NULL) never occurs in ``tokens``.
    """

    tokens: NDArray[np.int32]
    offsets: NDArray[np.int64]
    vocabulary: Vocabulary

    def __post_init__(self) -> None:
        if self.offsets.ndim != 1 or len(self.offsets) == 0 or self.offsets[0] != 0:
            raise ValueError("corpus offsets start with 0")
        if self.offsets[-1] != len(self.tokens) or (np.diff(self.offsets) < 0).any():
            raise ValueError("corpus offsets never fall and end with the number of tokens")
        if len(self.tokens) and (
            self.tokens.max() >= len(self.vocabulary) or (self.tokens == 0).any()
        ):
            raise ValueError("corpus tokens are ids of its vocabulary, without NULL")
        self.tokens.flags.writeable = False
        self.offsets.flags.writeable = False

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        first = f"; first: {_shown(self.words(0))}" if len(self) else ""
        return (
            f"Corpus({len(self):,} sentences, {len(self.tokens):,} tokens, "
            f"{len(self.vocabulary) - 1:,} word types{first})"
        )

    @property
    def lengths(self) -> NDArray[np.int64]:
        """int64[num_sentences], tokens per sentence."""
        return np.diff(self.offsets)

    def sentence(self, number: int) -> NDArray[np.int32]:
        """Token ids of one sentence, int32[n], a view."""
        return self.tokens[self.offsets[number] : self.offsets[number + 1]]

    def words(self, number: int) -> list[str]:
        """Words of one sentence."""
        return [self.vocabulary[token] for token in self.sentence(number).tolist()]

    def select(self, rows: NDArray[np.int64]) -> "Corpus":
        """The sentences ``rows`` (int64[k]) in that order, over the same vocabulary."""
        places, offsets = select_rows(self.offsets, rows)
        return Corpus(self.tokens[places], offsets, self.vocabulary)

    def over(self, vocabulary: Vocabulary, *, lowercase: bool = False) -> "Corpus":
        """The same sentences over another vocabulary; words that it lacks become -1.

        lowercase: put the words in lower case before
        """
        words = self.vocabulary.words
        ids = vocabulary.encode([word.lower() for word in words] if lowercase else words)
        return Corpus(ids[self.tokens], self.offsets, vocabulary)

    @classmethod
    def from_sentences(
        cls, sentences: Iterable[Sequence[str]], vocabulary: Vocabulary | None = None
    ) -> "Corpus":
        """Build from token lists; a given ``vocabulary`` is kept and unknown words become -1.

        Raises TextError for a text in place of sentences, or of the words of one.
        """
        check_listed(sentences, "sentences", "a list of them, each a list of its words")
        builder = CorpusBuilder(vocabulary)
        for sentence in sentences:
            builder.add(sentence)
        return builder.build()

    @classmethod
    def joined(cls, corpora: Sequence["Corpus"]) -> "Corpus":
        """The sentences of several corpora, one after the other, under one vocabulary.

        The words keep the ids of the first corpus; unknown tokens (-1) stay unknown.
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


def _shown(words: Sequence[str]) -> str:
    """The first words of a sentence in quotes."""
    return repr(shorten(" ".join(words[:_SHOWN]), _SHOWN, placeholder=" ..."))


class _GrowingIds(dict[str, int]):
    """Ids of words from 1 on, in order of first appearance."""

    def __missing__(self, word: str) -> int:
        check_word(word)
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

    def add(self, tokens: Iterable[str]) -> None:
        """Append a sentence. Raises TextError for a text in place of its words.

        Raises WrongTypeError for what is no list, and for a new word that is no text.
        """
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


class SentencePair(NamedTuple):
    """A sentence pair of a bitext.

    source, target: words of each side; label: name of its domain, None where it is not known.
    """

    source: list[str]
    target: list[str]
    label: str | None


@dataclass(frozen=True)
class Bitext:
    """Sentence pairs, with a domain label where one is known.

    source, target: corpora of equal length; the pair k is sentence k of both.
    labels: int16[num_pairs], index into ``domains``, -1 = unknown.
    domains: names of the labelled domains.

    ``bitext[k]`` is the pair k as a :class:`SentencePair`, ``bitext[i:j]`` a bitext of some pairs.

    Raises DataError for more pairs than links can be numbered for.
    """

    source: Corpus
    target: Corpus
    labels: NDArray[np.int16]
    domains: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise ValueError("both sides of a bitext have the same number of sentences")
        check_num_pairs(len(self))
        if len(self.labels) != len(self.source):
            raise ValueError("a bitext has one label per pair")
        if len(self.labels) and not -1 <= self.labels.min() <= self.labels.max() < len(
            self.domains
        ):
            raise ValueError("labels are -1 or an index into the domain names")
        if len(set(self.domains)) != len(self.domains):
            raise ValueError("domain names are unique")
        if not all(map(is_name, self.domains)):
            raise ValueError("domain names can be printed, and hold no blanks")

    def __len__(self) -> int:
        return len(self.source)

    @overload
    def __getitem__(self, number: int) -> SentencePair: ...
    @overload
    def __getitem__(self, number: slice) -> "Bitext": ...
    def __getitem__(self, number: int | slice) -> "SentencePair | Bitext":
        if isinstance(number, slice):
            return self.select(np.arange(*number.indices(len(self))))
        if not -len(self) <= number < len(self):
            raise IndexError(f"sentence pair {number} of {len(self)}")
        number %= len(self)
        label = int(self.labels[number])
        return SentencePair(
            self.source.words(number),
            self.target.words(number),
            None if label == UNLABELLED else self.domains[label],
        )

    def __iter__(self) -> Iterator[SentencePair]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        labelled = np.bincount(self.labels[self.labels >= 0], minlength=len(self.domains)).tolist()
        counts = [f"{name} {count:,}" for name, count in zip(self.domains, labelled, strict=True)]
        labels = f"labels: {', '.join(counts)}" if counts else "no labels"
        first = ""
        if len(self):
            first = f"; first: {_shown(self.source.words(0))} | {_shown(self.target.words(0))}"
        return (
            f"Bitext({len(self):,} sentence pairs, {len(self.source.tokens):,} source and "
            f"{len(self.target.tokens):,} target tokens; {labels}{first})"
        )

    @classmethod
    def unlabelled(cls, source: Corpus, target: Corpus) -> "Bitext":
        """A bitext whose domains are not known."""
        return cls(source, target, np.full(len(source), UNLABELLED, np.int16))

    @property
    def usable(self) -> NDArray[np.bool_]:
        """bool[num_pairs]: pairs with at least one word on each side."""
        return (self.source.lengths > 0) & (self.target.lengths > 0)

    def reversed(self) -> "Bitext":
        """The same pairs with the sides exchanged; no array is copied."""
        return Bitext(self.target, self.source, self.labels, self.domains)

    def with_labels(self, labels: NDArray[np.int16], domains: tuple[str, ...]) -> "Bitext":
        """The same pairs under other labels: int16[num_pairs] ``labels``."""
        return Bitext(self.source, self.target, labels, domains)

    def select(self, rows: NDArray[np.int64]) -> "Bitext":
        """The pairs ``rows`` (int64[k]) in that order."""
        return Bitext(
            self.source.select(rows), self.target.select(rows), self.labels[rows], self.domains
        )

    def parts(self) -> Iterator[tuple[int, "Bitext"]]:
        """The number of the first pair and the text of one part after the other.

        A part has PART pairs, the last one may have fewer. There is always one, an empty one of a
        text without pairs, and a text that is no longer than a part is that part itself.
        """
        for begin in range(0, max(len(self), 1), PART):
            yield begin, self if len(self) <= PART else self[begin : begin + PART]
