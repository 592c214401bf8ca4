"""Word classes learned from the text of one language, and the files of mkcls that hold them.

The model is the class bigram, P(w | v) = P(c(w) | c(v)) P(w | c(w)); the exchange algorithm moves
one word at a time to the class that makes the text likeliest (Kneser & Ney 1993; Och 1999). See
docs/explanation/features.md.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from ..arrays.id_counts import id_counts
from ..errors import MAX_ROUNDS, DataError, OptionError, UsageError, pluralize, warn
from ..execution.calls import ExplainedClass, public
from ..files.numerals import is_whole
from ..files.outputs import check_unused
from ..files.text_io import iter_lines, split_tokens
from ..files.writers import write_lines
from ..kernels.word_classes import ClassCounts, Neighbors, count_successors, exchange
from ..text.corpus import Corpus
from ..text.vocabulary import Vocabulary

__all__ = [
    "ITERATIONS",
    "Sweep",
    "WordClasses",
    "class_log_likelihood",
    "learn_word_classes",
]

ITERATIONS = 30  # sweeps at most
FIRST_NUMBER = 2  # of a class in a file: mkcls keeps 0 for the sentence boundary and 1 for itself
_DEALT_OUT = 10  # words per class that the start deals out, the most frequent ones
_MARGIN = 1e-12  # nats per running word that a class must be better by: above what rounding does
_TABLE = 1 << 16  # counts whose n log n is looked up
_SHOWN = 6  # words that a representation shows
_LARGEST = 1 << 31  # class numbers of files are below


@public
@dataclass(frozen=True, eq=False, repr=False)
class WordClasses(metaclass=ExplainedClass):
    """A class for each word type, learned as by mkcls [1]_ [2]_.

    Two are equal if they put the same words into the same classes, in the same order of classes.

    Parameters
    ----------
    vocabulary : Vocabulary
        Word types.
    classes : ndarray of int32, shape (n_types,)
        Class by id, 0 to ``num_classes - 1``. The empty word (id 0) and words that didn't occur
        in the training text have no class, which is ``num_classes``.

    Raises
    ------
    ValueError
        If the arrays don't fit together.

    References
    ----------
    .. [1] Kneser and Ney (1993), "Improved clustering techniques for class-based statistical
       language modelling", Eurospeech.
    .. [2] Och (1999), "An efficient method for determining bilingual word classes", EACL.

    Examples
    --------
    >>> import numpy as np
    >>> from isogloss.align import Vocabulary, WordClasses
    >>> classes = np.array([2, 0, 1], np.int32)
    >>> word_classes = WordClasses(Vocabulary(["the", "house"]), classes)
    >>> word_classes.num_classes, word_classes.of(np.array([2, -1]))
    (2, array([1, 2], dtype=int32))
    """

    vocabulary: Vocabulary
    classes: NDArray[np.int32]

    def __post_init__(self) -> None:
        if self.classes.dtype != np.int32 or self.classes.shape != (len(self.vocabulary),):
            raise ValueError("word classes must be int32, one per type of the vocabulary")
        if self.classes.min() < 0 or self.classes.max() > self.num_classes:
            raise ValueError("word classes must be between 0 and num_classes, the class of NULL")
        self.classes.flags.writeable = False

    def __repr__(self) -> str:
        inside = np.flatnonzero(self.classes < self.num_classes)
        first = ""
        if len(inside):
            words = [f"{self.vocabulary[k]} {self.classes[k]}" for k in inside[:_SHOWN].tolist()]
            first = f": {shorten(', '.join(words), 10 * _SHOWN, placeholder=' ...')}"
        return f"WordClasses({len(inside):,} words in {self.num_classes:,} classes{first})"

    @property
    def num_classes(self) -> int:
        """Number of classes; also the number of words without a class."""
        return int(self.classes[0])

    def of(self, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the classes of words.

        Parameters
        ----------
        ids : ndarray of int32, shape (...)
            Word ids; -1 for an unknown word, which has no class.

        Returns
        -------
        ndarray of int32, shape (...)
            The shape of ``ids``; ``num_classes`` for a word without a class.
        """
        return np.concatenate([self.classes, self.classes[:1]])[ids]

    def to_vocabulary(self, vocabulary: Vocabulary) -> "WordClasses":
        """Return the classes of the words of another vocabulary.

        Parameters
        ----------
        vocabulary : Vocabulary
            Words that are unknown here have no class.

        Returns
        -------
        WordClasses
        """
        ids = self.vocabulary.encode(vocabulary.words[1:])
        return WordClasses(vocabulary, np.concatenate([self.classes[:1], self.of(ids)]))

    @classmethod
    def load(cls, path: str | Path) -> "WordClasses":
        """Read lines ``word<TAB>class``, as mkcls and :meth:`save` write them.

        The vocabulary has the words of the file, in its order. Classes are numbered from 0 in the
        order of their numbers in the file.

        Parameters
        ----------
        path : str or Path
            Plain or compressed text; ``-`` is standard input.

        Returns
        -------
        WordClasses

        Raises
        ------
        DataError
            If a line is malformed, a word comes twice, or the file holds no word.
        """
        numbers: dict[str, int] = {}
        for line_number, line in enumerate(iter_lines(path), start=1):
            word, number = _entry(line, path, line_number)
            if word in numbers:
                raise DataError(
                    f"the word {word!r} is repeated (first: line {list(numbers).index(word) + 1})",
                    file=path, line=line_number, remedy="Remove the duplicate lines",
                )  # fmt: skip
            numbers[word] = number
        if not numbers:
            raise DataError("the file is empty", "one line word<TAB>class per word", file=path)
        known, classes = np.unique(np.fromiter(numbers.values(), np.int64), return_inverse=True)
        return cls(Vocabulary(numbers), np.array([len(known), *classes], np.int32))

    def save(self, path: str | Path | None, *, overwrite: bool | None = None) -> None:
        """Write lines ``word<TAB>class``, sorted by word, as mkcls does.

        Classes are numbered from 2. Words without a class are left out.

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
            If a word holds whitespace.
        OutputError
            If the file can't be written.
        """
        check_unused(path, overwrite)
        numbers = {word: number + FIRST_NUMBER for word, number in self._by_word().items()}
        for word in numbers:
            if not _is_token(word):
                raise DataError(
                    f"the word {word!r} is invalid", "a nonempty word without whitespace",
                    remedy="Split the text at whitespace",
                )  # fmt: skip
        write_lines((f"{word}\t{numbers[word]}" for word in sorted(numbers)), path)

    def _by_word(self) -> dict[str, int]:
        """The class of each word that has one."""
        rows = zip(self.vocabulary.words, self.classes.tolist(), strict=True)
        return {word: number for word, number in rows if number < self.num_classes}

    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordClasses):
            return NotImplemented
        mine, others = self._by_word(), other._by_word()
        return mine.keys() == others.keys() and np.array_equal(
            _ranks(list(mine.values())), _ranks([others[word] for word in mine])
        )


def _ranks(numbers: list[int]) -> NDArray[np.int64]:
    """The rank of each number among those that occur: int64[n]."""
    return np.unique(np.array(numbers, np.int64), return_inverse=True)[1]


@dataclass(frozen=True)
class Sweep:
    """What one iteration of the exchange algorithm reports.

    number: from 1; moved: words that changed their class, or entered their first
    log_likelihood: of the text under the class bigrams, in nats
    perplexity: the same per word and sentence end.
    """

    number: int
    moved: int
    log_likelihood: float
    perplexity: float

    @classmethod
    def of(
        cls, number: int, moved: int, pairs: NDArray[np.int64], running: NDArray[np.int64]
    ) -> "Sweep":
        """What a sweep has reached.

        pairs: int64[num_classes + 1, num_classes + 1], bigrams of classes, see :func:`_count_pairs`
        running: int64[num_types], frequencies of words
        """
        value, count = _log_likelihood(pairs, running)
        return cls(number, moved, value, math.exp(-value / count))


def learn_word_classes(
    corpus: Corpus,
    num_classes: int = 50,
    iterations: int = ITERATIONS,
    seed: int = 1,
    report: Callable[[Sweep], None] = lambda sweep: None,
) -> WordClasses:
    """Learn classes of the words of a text by the exchange algorithm on class bigrams.

    Words go in the order of their frequency, those equally frequent in an order drawn with
    ``seed``. The first of them, ten per class, start in the classes 0, 1, 2 ... in turn. Then
    every word in its turn moves to the class that makes the text likeliest, the rarer ones from
    none, until no word moves or ``iterations`` sweeps are done. Sentence boundaries are neighbors
    in a class of their own that no word enters, and so are unknown words (-1) and those in no class
    yet. ``report`` is called after each sweep.

    Raises UsageError for a number out of range, DataError for a text without words. Where there are
    fewer words than classes, each word is a class (DataWarning).
    """
    if num_classes < 1:
        raise OptionError("num_classes", "at least 1", num_classes)
    if not 1 <= iterations <= MAX_ROUNDS:
        raise OptionError("iterations", f"between 1 and {MAX_ROUNDS}", iterations)
    stream = _marked(corpus)
    running = id_counts(stream, len(corpus.vocabulary))
    running[0] = 0
    order = _by_frequency(running, seed)
    num_classes = _at_most(num_classes, len(order))
    classes = np.full(len(running), num_classes, np.int32)
    start = np.arange(min(_DEALT_OUT * num_classes, len(order)))
    classes[order[start]] = start % num_classes
    pairs = _count_pairs(stream, classes)
    counts = ClassCounts(classes, pairs, pairs.sum(1))
    neighbors = _neighbors(stream, len(running)), _neighbors(stream[::-1].copy(), len(running))
    small = np.arange(min(_TABLE, len(stream) + 1))
    table, least = _times_own_log(small), _MARGIN * len(stream)
    for number in range(1, iterations + 1):
        moved = exchange(order, running, *neighbors, counts, table, least)
        report(Sweep.of(number, moved, pairs, running))
        if not moved:
            break
    return WordClasses(corpus.vocabulary, classes)


def _marked(corpus: Corpus) -> NDArray[np.int32]:
    """The text with a boundary (0) around each sentence and for each unknown word: int32[n]."""
    return np.insert(np.maximum(corpus.tokens, 0), corpus.offsets, 0)


def _by_frequency(running: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """Words that occur, the most frequent first: int64[n]."""
    words = np.flatnonzero(running)
    draw = np.random.default_rng(seed).permutation(len(words))
    return words[np.lexsort((draw, -running[words]))]


def _neighbors(stream: NDArray[np.int32], num_types: int) -> Neighbors:
    return Neighbors(*count_successors(stream, num_types))


def _at_most(num_classes: int, num_words: int) -> int:
    if not num_words:
        raise DataError("the text is empty; word classes need at least one word")
    if num_words < num_classes:
        warn(
            f"{pluralize(num_words, 'distinct word', 'is')} too few for {num_classes} classes; "
            "each word is a class"
        )
    return min(num_classes, num_words)


def _count_pairs(stream: NDArray[np.int32], classes: NDArray[np.int32]) -> NDArray[np.int64]:
    """How often each class follows each other: int64[K + 1, K + 1], K is what is in no class."""
    size, numbers = int(classes[0]) + 1, classes[stream].astype(np.int64)
    pairs = np.bincount(numbers[:-1] * size + numbers[1:], minlength=size * size)
    return pairs.reshape(size, size)


def _times_own_log(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """n log n of each count n, 0 where it is 0: float64[...], of the same shape."""
    # counts: int64[...]
    return np.asarray(counts * np.log(np.maximum(counts, 1)))


def _log_likelihood(pairs: NDArray[np.int64], running: NDArray[np.int64]) -> tuple[float, int]:
    """Log-likelihood in nats and number of bigrams, without those of two words in no class."""
    # pairs: see :func:`_count_pairs`; running: int64[num_types], how often each word occurs, 0 for
    # those in no class, which together with the boundary count as one word.
    pairs = pairs.copy()
    pairs[-1, -1] = 0
    sides = np.concatenate([pairs.sum(1), pairs.sum(0)[:-1]])
    value = _times_own_log(pairs).sum() - _times_own_log(sides).sum()
    value += _times_own_log(running).sum()
    return float(value), int(pairs.sum())


def class_log_likelihood(corpus: Corpus, word_classes: WordClasses) -> float:
    """Log-likelihood of a text under the class bigrams counted on itself, in nats.

    sum_cc' n(c, c') log n(c, c') - sum_c n(c) log n(c) - sum_c' n(c') log n(c') + sum_w n(w) log
    n(w), where n(c) counts pairs that begin with c and n(c') those that end with c' (Kneser & Ney
    1993). Words in no class count as the sentence boundary does; pairs of two such are passed over.

    Raises UsageError for a corpus over another vocabulary.
    """
    if corpus.vocabulary != word_classes.vocabulary:
        raise UsageError(
            "the corpus and the word classes have different vocabularies; use WordClasses.over"
        )
    stream, classes = _marked(corpus), word_classes.classes
    running = id_counts(stream, len(classes))
    running[classes == word_classes.num_classes] = 0
    return _log_likelihood(_count_pairs(stream, classes), running)[0]


def _is_token(word: str) -> bool:
    return split_tokens(word) == [word] and "\n" not in word


def _entry(line: str, path: str | Path, line_number: int) -> tuple[str, int]:
    """The word and the class of a line."""
    word, tab, number = line.partition("\t")
    if not tab:
        raise DataError(
            f"the line {line!r} contains no tab", "word<TAB>class", file=path, line=line_number,
            remedy="Separate word and class by one tab",
        )  # fmt: skip
    if not _is_token(word):
        raise DataError(
            f"the word {word!r} is invalid",
            "one word without whitespace",
            file=path,
            line=line_number,
            remedy="Remove the line, or use the tokenization of the classes",
        )
    if not is_whole(number, _LARGEST):
        raise DataError(
            f"the class is {number!r}",
            "an integer of at least 0",
            file=path,
            line=line_number,
            remedy="Number the classes as mkcls does",
        )
    return word, int(number)
