"""N-gram language model in the form that the decoder's kernels look up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError, WrongTypeError, check_argument
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.language_model.words import MARKERS
from isogloss.align.text.sentences import sentence_words
from isogloss.features.table.phrase_table import PhraseTable

from .kernels.ngram import (
    FIRST_SLOT,
    FIRST_WORD,
    NO_EXTENSION,
    NgramArrays,
    insert_ngrams,
    mark_extensions,
    ngram_keys,
    raise_bounds,
    score_sentence,
)

__all__ = [
    "CROWDED_TOGETHER",
    "LARGEST_LOG",
    "LanguageModels",
    "NgramTable",
    "Ngrams",
    "bytes_of_table",
    "empty_table",
    "given_tables",
    "model_columns",
    "natural_logs",
    "rise_of_backoffs",
]

CROWDED_TOGETHER = "the hashes of the n-grams are too close together to come from text"
_ABSENT = -100.0  # log10 probability of <unk> where a model has none

LARGEST_LOG = 1e6  # of a probability or a backoff, whatever its sign


class Ngrams(Protocol):
    """What is read of a back-off model (see `isogloss.align.language_model.ngrams.NgramModel`)."""

    @property
    def order(self) -> int:
        """Words of the longest n-gram."""

    @property
    def words(self) -> Sequence[str]:
        """Word types; 0 = <unk>, 1 = <s>, 2 = </s>."""

    @property
    def ngrams(self) -> Sequence[NDArray[np.int32]]:
        """int32[n_k, k] for each order k, oldest word first."""

    @property
    def log_probability(self) -> Sequence[NDArray[np.float32]]:
        """float32[n_k] for each order k, log10."""

    @property
    def log_backoff(self) -> Sequence[NDArray[np.float32]]:
        """float32[n_k] for each order k, log10."""


@dataclass(frozen=True)
class _Level:
    """N-grams of one order: words, hashes (`ngram_keys`), natural-log probability and backoff."""

    ngrams: NDArray[np.int32]
    keys: NDArray[np.uint64]
    values: NDArray[np.float32]


@public
@dataclass(frozen=True, repr=False)
class NgramTable(metaclass=ExplainedClass):
    """Back-off language model as a hash table [1]_, for the decoder.

    Attributes
    ----------
    order : int
        Words of the longest n-gram.
    index : dict of int
        Id of each word type, in their order; 0 = ``<unk>``.
    arrays : NgramArrays
        Natural-log probabilities and backoffs for the decoder.

    References
    ----------
    .. [1] Heafield (2011), "KenLM: faster and smaller language model queries", WMT.

    Examples
    --------
    >>> import numpy as np
    >>> from isogloss.align.language_model.ngrams import NgramModel
    >>> ids, zeros = np.arange(5, dtype=np.int32)[:, None], np.zeros(5, np.float32)
    >>> words = ("<unk>", "<s>", "</s>", "the", "house")
    >>> (table := NgramTable.from_model(NgramModel(1, words, (ids,), (zeros - 1,), (zeros,))))
    NgramTable(order 1; 5 words)
    >>> table.score("the house").round(2).tolist()  # the last one is of the end
    [-2.3, -2.3, -2.3]
    """

    order: int
    index: dict[str, int]
    arrays: NgramArrays

    @classmethod
    def from_model(cls, model: Ngrams) -> "NgramTable":
        """Table of a back-off model.

        Where a pruned model holds an n-gram but not its newest or oldest n - 1 words, these are
        added with the probability that backing off gives them. Where it lacks <unk>, as SRILM's
        do, words that it doesn't know have a log10 probability of -100, as KenLM has it.
        Raises DataError for an n-gram that occurs twice.
        """
        unigrams = np.empty((len(model.words), 2), np.float32)
        ids = model.ngrams[0][:, 0]
        unigrams[:, 0], unigrams[:, 1] = np.log(10.0) * _ABSENT, 0.0
        unigrams[ids, 0] = natural_logs(model.log_probability[0])
        if model.order > 1:
            unigrams[ids, 1] = natural_logs(model.log_backoff[0])
        levels = _close(_levels(model), unigrams)
        rise = rise_of_backoffs([unigrams[:, 1]] + [level.values[:, 1] for level in levels])
        num = sum(len(level.keys) for level in levels)
        table = empty_table(model.order, model.words, unigrams, num, rise)
        arrays = table.arrays
        _mark_zero(unigrams[:, 1])
        for level in levels:
            _mark_zero(level.values[:, 1])
            bounds = level.values[:, 0].copy()
            repeated = insert_ngrams(arrays, level.keys[:, 0].copy(), level.values, bounds)
            if repeated > 0:
                raise DataError(
                    f"a {level.ngrams.shape[1]}-gram occurs twice in the language model",
                    "each n-gram once",
                )
            if repeated < 0:
                raise DataError(CROWDED_TOGETHER, "n-grams of a text")
        for level in levels:
            mark_extensions(arrays, level.ngrams, level.keys[:, 2].copy())
            raise_bounds(arrays, level.ngrams, level.values[:, 0].copy())
        return table

    def __repr__(self) -> str:
        return f"NgramTable(order {self.order}; {len(self.index):,} words)"

    def encode(self, words: Sequence[str]) -> NDArray[np.int32]:
        """Return the ids of words.

        Parameters
        ----------
        words : sequence of str

        Returns
        -------
        ndarray of int32, shape (n_words,)
            0 for unknown words.
        """
        return np.array([self.index.get(word, 0) for word in words], np.int32)

    def score(self, sentence: str | Sequence[str] | NDArray[np.int32]) -> NDArray[np.float64]:
        """Return the natural-log probability of each word of a sentence and of its end.

        Parameters
        ----------
        sentence : str, sequence of str or ndarray of int32, shape (n_words,)
            Text that is split at whitespace, words, or ids of :meth:`encode`.

        Returns
        -------
        ndarray of float64, shape (n_words + 1,)

        Raises
        ------
        WrongTypeError
            If the sentence is something else.
        """
        if not (isinstance(sentence, np.ndarray) and sentence.dtype.kind in "iu"):
            sentence = self.encode(sentence_words(sentence))
        scores: NDArray[np.float64] = score_sentence(self.arrays, sentence)
        return scores


@dataclass(frozen=True)
class LanguageModels:
    """The language models of a decoder.

    tables: the models, at least one.
    arrays: what the kernels take, of all of them.
    """

    tables: tuple[NgramTable, ...]
    arrays: NgramArrays

    @classmethod
    def join(cls, tables: Sequence[NgramTable]) -> "LanguageModels":
        """Put tables one behind the other; the arrays of a single one are not copied.

        Raises UsageError for no table.
        """
        if not tables:
            raise UsageError("a decoder needs at least one language model, got none")
        if len(tables) == 1:
            return cls(tuple(tables), tables[0].arrays)
        unigrams, keys, values, unigram_bound, bound, models, rise, widths = zip(
            *(table.arrays for table in tables), strict=True
        )
        arrays = NgramArrays(
            np.concatenate(unigrams),
            np.concatenate(keys),
            np.concatenate(values),
            np.concatenate(unigram_bound),
            np.concatenate(bound),
            np.concatenate(models),
            np.concatenate(rise),
            max(widths),
        )
        sizes = [(len(table.arrays.unigrams), len(table.arrays.keys)) for table in tables[:-1]]
        arrays.models[1:, [FIRST_WORD, FIRST_SLOT]] += np.cumsum(sizes, axis=0)
        return cls(tuple(tables), arrays)

    def encode(self, words: Sequence[str]) -> NDArray[np.int32]:
        """int32[num_models, len(words)], word ids in each model, 0 for unknown words."""
        return np.stack([table.encode(words) for table in self.tables])


def empty_table(
    order: int, words: Sequence[str], unigrams: NDArray[np.float32], num: int, rise: float
) -> NgramTable:
    """A table of the unigrams alone, with room for ``num`` longer n-grams.

    words: word types; the first is <unk>, and <s> and </s> are among them.
    unigrams: float32[len(words), 2], natural-log probability and backoff; kept, not copied.
    rise: natural log of what backoffs above 1 can add.
    """
    capacity = _capacity(num)
    index = {word: number for number, word in enumerate(words)}
    arrays = NgramArrays(
        unigrams,
        np.zeros(capacity, np.uint64),
        np.zeros((capacity, 2), np.float32),
        unigrams[:, 0].copy(),
        np.full(capacity, -np.inf, np.float32),
        model_columns(index, capacity),
        np.array([rise]),
        order - 1,
    )
    return NgramTable(order, index, arrays)


def bytes_of_table(num: int) -> int:
    """Bytes of the arrays of a table with room for ``num`` n-grams longer than a word."""
    return 20 * _capacity(num)


def model_columns(index: Mapping[str, int], capacity: int) -> NDArray[np.int64]:
    """`NgramArrays.models` of a single model: int64[1, 5].

    index: id of each word; capacity: number of slots.
    """
    _, begin, end = MARKERS
    return np.array([[0, 0, capacity - 1, index[begin], index[end]]])


def natural_logs(log10: NDArray[np.float32]) -> NDArray[np.float32]:
    """Natural logs of base-10 logs, log10: float32[n]; returns float32[n]."""
    natural: NDArray[np.float32] = (log10.astype(np.float64) * np.log(10.0)).astype(np.float32)
    return natural


def _mark_zero(log_backoff: NDArray[np.float32]) -> None:
    """Suppose, until `mark_extensions` finds one, that nothing extends an n-gram of backoff 0."""
    log_backoff[log_backoff == 0.0] = NO_EXTENSION


def _capacity(num: int) -> int:
    """Slots for ``num`` entries: a power of two, at most half full."""
    return 1 << max(1, (2 * num - 1).bit_length())


def _levels(model: Ngrams) -> list[_Level]:
    """The n-grams of order 2 and more; the longest have no backoff."""
    levels = []
    for order in range(2, model.order + 1):
        ngrams = np.ascontiguousarray(model.ngrams[order - 1], np.int32)
        values = np.zeros((len(ngrams), 2), np.float32)
        values[:, 0] = natural_logs(model.log_probability[order - 1])
        if order < model.order:
            values[:, 1] = natural_logs(model.log_backoff[order - 1])
        levels.append(_Level(ngrams, ngram_keys(ngrams), values))
    return levels


def _close(levels: list[_Level], unigrams: NDArray[np.float32]) -> list[_Level]:
    """Add the suffixes and contexts that pruning took away, by backing off."""
    rows = [level.ngrams[:0] for level in levels]
    for number in range(len(levels) - 2, -1, -1):
        longer = np.concatenate([levels[number + 1].ngrams, rows[number + 1]])
        parts = np.concatenate([longer[:, 1:], longer[:, :-1]])
        keys = ngram_keys(np.ascontiguousarray(parts))[:, 0]
        new = np.unique(keys, return_index=True)[1]
        rows[number] = parts[new[~np.isin(keys[new], levels[number].keys[:, 0])]]
    closed: list[_Level] = []
    for level, added in zip(levels, rows, strict=True):
        closed.append(_with_added(level, added, closed, unigrams))
    return closed


def _with_added(
    level: _Level,
    added: NDArray[np.int32],
    shorter: list[_Level],
    unigrams: NDArray[np.float32],
) -> _Level:
    """One order with the n-grams ``added``: p(word | shorter context) times the backoff."""
    if len(added) == 0:
        return level
    added = np.ascontiguousarray(added)
    keys = ngram_keys(added)
    values = np.zeros((len(added), 2), np.float32)
    if not shorter:
        values[:, 0] = unigrams[added[:, 1], 0] + unigrams[added[:, 0], 1]
    else:
        known = shorter[-1].keys[:, 0]
        order = np.argsort(known)
        suffix = order[np.searchsorted(known[order], keys[:, 1])]
        context = order[np.searchsorted(known[order], keys[:, 2])]
        values[:, 0] = shorter[-1].values[suffix, 0] + shorter[-1].values[context, 1]
    return _Level(
        np.concatenate([level.ngrams, added]),
        np.concatenate([level.keys, keys]),
        np.concatenate([level.values, values]),
    )


def rise_of_backoffs(backoffs: list[NDArray[np.float32]]) -> float:
    """Most that backoffs can add to a log probability; 0 as a rule.

    backoffs: float32[n] of each order, natural log.
    """
    return sum(max(0.0, float(values.max(initial=0.0))) for values in backoffs)


def given_tables(
    language_model: NgramTable | Ngrams | Sequence[NgramTable | Ngrams],
) -> list[NgramTable]:
    """The tables of one n-gram model, or of several.

    Raises WrongTypeError for what is no model, such as its path.
    """
    _check_model(language_model)
    given = language_model if isinstance(language_model, Sequence) else [language_model]
    return [
        model if isinstance(model, NgramTable) else NgramTable.from_model(model) for model in given
    ]


def refuse_swapped(table: object, language_model: object) -> None:
    """Raise WrongTypeError for arguments of a decoder in the other order."""
    if isinstance(language_model, PhraseTable):
        raise WrongTypeError(
            "table and language_model are swapped; use Decoder(table, language_model)"
        )
    check_argument(table, PhraseTable, "table", "a PhraseTable", "PhraseTable.load(path)")


def _check_model(model: object) -> None:
    if isinstance(model, list | tuple):
        for one in model:
            _check_model(one)
    elif not hasattr(model, "ngrams") and not isinstance(model, NgramTable):
        what = "an n-gram model, or a list of them"
        check_argument(model, (), "language_model", what, "read_language_model(path)")
