"""Estimation of n-gram models: interpolated modified Kneser-Ney smoothing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
from numpy.typing import NDArray

from ..arrays.id_counts import id_counts
from ..arrays.ragged import number_distinct, offsets_of, positions_within
from ..errors import DataError, OptionError, pluralize, warn
from ..execution.calls import public
from ..text.corpus import Corpus
from ..text.sentences import Sentences
from .ngrams import NgramModel
from .words import BEGIN, END, MARKERS, UNKNOWN, all_plain, is_plain

__all__ = ["estimate_language_model"]

MAXIMUM_ORDER = 6  # the highest that KenLM is built for
FALLBACK_DISCOUNTS = (0.0, 0.5, 1.0, 1.5)  # for adjusted counts 0, 1, 2, 3 and more


@public
def estimate_language_model(
    corpus: Corpus | Sentences, order: int = 3, *, vocabulary_size: int | None = None
) -> NgramModel:
    """Estimate an n-gram model with interpolated modified Kneser-Ney smoothing.

    The estimator follows [1]_, in the details of KenLM without pruning [2]_. Orders below the
    highest use continuation counts, except for n-grams that begin with ``<s>``. Unigrams are
    interpolated with the uniform distribution over all types except ``<s>``. Each order has
    discounts D1, D2 and D3+ from its counts of counts. If these are undefined or not positive, as
    in small text, 0.5, 1 and 1.5 are used, with a DataWarning.

    Sentences without tokens are skipped. Unknown tokens (-1) count as ``<unk>``. Tokens that an
    ARPA file can't hold count as ``<unk>`` as well, with a DataWarning: ``<s>`` and other markers,
    and words that contain ASCII whitespace or NUL.

    Parameters
    ----------
    corpus : Corpus or iterable of sentences
        A corpus such as ``bitext.target``, or strings or lists of words.
    order : int, default 3
        Length of the longest n-grams, 1 to 6.
    vocabulary_size : int, optional
        Number of types of the uniform distribution, including ``<unk>`` and ``</s>`` but not
        ``<s>``; default: the types of the corpus. Models over parts of a common vocabulary are
        comparable if all get its size.

    Returns
    -------
    NgramModel

    Raises
    ------
    UsageError
        If the order or the vocabulary size is out of range.
    DataError
        If the corpus has no tokens.
    WrongTypeError
        If ``corpus`` is neither a corpus nor sentences.

    References
    ----------
    .. [1] Chen and Goodman (1999), "An empirical study of smoothing techniques for language
       modeling", Computer Speech & Language 13(4).
    .. [2] Heafield, Pouzyrevsky, Clark and Koehn (2013), "Scalable modified Kneser-Ney language
       model estimation", ACL.

    Examples
    --------
    >>> import isogloss as ig
    >>> bitext = ig.read_bitext("data/train.en.gz", "data/train.es.gz")
    >>> ig.estimate_language_model(bitext.target, order=2).order
    2
    """
    if not isinstance(corpus, Corpus):
        corpus = Corpus.from_sentences(corpus)
    if not 1 <= order <= MAXIMUM_ORDER:
        raise OptionError("order", f"between 1 and {MAXIMUM_ORDER}", order)
    words, ids = _model_words(corpus)
    num_types = len(words) - 1  # <s> is never predicted
    if vocabulary_size is not None and vocabulary_size < num_types:
        expected = f"at least {num_types}, the number of word types with <unk> and </s>"
        raise OptionError("vocabulary_size", expected, vocabulary_size)
    levels = _count_ngrams(*_stream(corpus, ids), len(words), order)
    uniform = 1.0 / (vocabulary_size or num_types)
    probabilities, backoffs = _interpolate(levels, uniform)
    ngrams = tuple(level.ngrams for level in levels)
    return NgramModel(order, words, ngrams, tuple(probabilities), tuple(backoffs))


@dataclass(frozen=True)
class _Level:
    """The n-grams of one order k, sorted by their word ids."""

    # ngrams: int32[n_k, k].
    # prefix, suffix: int32[n_k], rows of order k - 1: the n-gram without its last or first word.
    # counts: int32[n_k], raw counts.

    ngrams: NDArray[np.int32]
    prefix: NDArray[np.int32]
    suffix: NDArray[np.int32]
    counts: NDArray[np.int32]


def _log10(values: NDArray[np.float64]) -> NDArray[np.float32]:
    """float32 log10, where rounding leads neither above 0 nor to a negative zero."""
    return np.minimum(np.log10(values), 0.0).astype(np.float32) + np.float32(0.0)


def _model_words(corpus: Corpus) -> tuple[tuple[str, ...], NDArray[np.int32]]:
    """Types of the model in order of first appearance, and its id for each corpus id."""
    # The ids are int32[len(vocabulary) + 1]: the last entry serves tokens -1.
    tokens, num_tokens = corpus.tokens, len(corpus.tokens)
    if num_tokens == 0:
        raise DataError("the text is empty; a language model needs at least one token")
    first = np.full(len(corpus.vocabulary) + 1, num_tokens)
    first[tokens[::-1]] = np.arange(num_tokens)[::-1]  # of equal indices, the last one stays
    first[-1] = num_tokens
    types = np.argsort(first, kind="stable")[: np.count_nonzero(first < num_tokens)]
    words = corpus.vocabulary.words
    spelled = [words[number] for number in types.tolist()]
    plain = np.ones(len(spelled), np.bool_)
    if not all_plain(spelled):
        plain = np.fromiter(map(is_plain, spelled), np.bool_, len(spelled))
        odd = [word for word, good in zip(spelled, plain.tolist(), strict=True) if not good]
        warn(
            f"{pluralize(len(odd), 'word type', 'is')} not allowed in a language model; such types "
            f"count as <unk>: {', '.join(map(repr, odd[:5]))}"
        )
    ids = np.full(len(first), UNKNOWN, np.int32)
    ids[types[plain]] = np.arange(3, 3 + np.count_nonzero(plain))
    return (*MARKERS, *(words[number] for number in types[plain].tolist())), ids


def _stream(corpus: Corpus, ids: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """All sentences as ``<s> w1 .. wn </s>``, and the distance of each place from its ``<s>``."""
    # Two arrays int32[num_tokens + 2 * num_sentences].
    lengths = corpus.lengths[corpus.lengths > 0] + 2
    offsets = offsets_of(lengths)
    stream = np.full(offsets[-1], -1, np.int32)
    stream[offsets[:-1]] = BEGIN
    stream[offsets[1:] - 1] = END
    stream[stream < 0] = ids[corpus.tokens]
    return stream, positions_within(offsets).astype(np.int32)


def _count_ngrams(
    stream: NDArray[np.int32], position: NDArray[np.int32], num_words: int, order: int
) -> list[_Level]:
    """Count the n-grams of orders 1 to ``order``."""
    # An n-gram is identified by the number of its prefix among the (k-1)-grams and its last word,
    # so one sort of packed pairs per order is enough, whatever the order.
    nothing = np.zeros(num_words, np.int32)  # the one history of length 0
    occurrences = id_counts(stream, num_words).astype(np.int32)
    unigrams = np.arange(num_words, dtype=np.int32)[:, np.newaxis]
    levels = [_Level(unigrams, nothing, nothing, occurrences)]
    ids = stream.copy()  # number of the k-gram that ends at each position
    for k in range(2, order + 1):
        ends = np.flatnonzero(position >= k - 1)
        keys = ids[ends - 1].astype(np.int64) * num_words + stream[ends]
        where, numbers, counts = number_distinct(keys)
        positions = ends[where]
        prefix, suffix = ids[positions - 1], ids[positions]
        ngrams = np.column_stack([levels[-1].ngrams[prefix], stream[positions]])
        levels.append(_Level(ngrams, prefix, suffix, counts.astype(np.int32)))
        ids[ends] = numbers
    return levels


def _adjusted_counts(levels: Sequence[_Level]) -> Iterator[NDArray[np.int64]]:
    """Per order int64[n_k]."""
    # Raw counts in the highest order and for n-grams that begin with ``<s>``, else the number of
    # distinct words seen before the n-gram; 0 for ``<s>`` itself.
    for level, longer in zip_longest(levels, levels[1:]):
        counts = level.counts.astype(np.int64)
        if longer is not None:
            continuations = np.bincount(longer.suffix, minlength=len(counts))
            counts = np.where(level.ngrams[:, 0] == BEGIN, counts, continuations)
        if level is levels[0]:
            counts[BEGIN] = 0
        yield counts


def _discounts(counts: NDArray[np.int64], order: int) -> NDArray[np.float64]:
    """Discounts of adjusted counts 0, 1, 2, 3+: float64[4] (Chen & Goodman 1998, eq. 26)."""
    n1, n2, n3, n4 = np.bincount(np.minimum(counts, 5), minlength=6)[1:5].tolist()
    if n1 and n2 and n3:
        y = n1 + 2 * n2  # Y = n1 / y; one division of integers keeps the sign exact
        discounts = [
            (j * n * y - (j + 1) * n1 * more) / (n * y)
            for j, n, more in ((1, n1, n2), (2, n2, n3), (3, n3, n4))
        ]
        # A discount of 0 could leave a history no mass for unseen words, so it counts as failed.
        if min(discounts) > 0:
            return np.array([0.0, *discounts])
    if len(counts):
        warn(
            f"Kneser-Ney discounts for {order}-grams cannot be estimated from {n1}, {n2}, {n3}, "
            f"{n4} n-grams with adjusted counts 1, 2, 3, 4; the discounts 0.5, 1, 1.5 are used. "
            "The text may be too small"
        )
    return np.array(FALLBACK_DISCOUNTS)


def _interpolate(
    levels: Sequence[_Level], uniform: float
) -> tuple[list[NDArray[np.float32]], list[NDArray[np.float32]]]:
    """Probabilities and backoff weights, per order float32[n_k], log10."""
    # p(w | h) = (c(h w) - D(c(h w))) / c(h) + b(h) p(w | shorter h), where c are adjusted counts
    # and b(h) is the mass that the discounts take from h: a distribution over all words for each h.
    probabilities: list[NDArray[np.float32]] = []
    backoffs: list[NDArray[np.float32]] = []
    lower = np.array([uniform])
    for order, (level, counts) in enumerate(zip(levels, _adjusted_counts(levels), strict=True), 1):
        taken = _discounts(counts, order)[np.minimum(counts, 3)]
        total = np.bincount(level.prefix, counts, len(lower))
        mass = np.bincount(level.prefix, taken, len(lower))
        backoff = np.divide(mass, total, out=np.ones(len(lower)), where=total > 0)
        kept = (counts - taken) / total[level.prefix]
        lower = kept + backoff[level.prefix] * lower[level.suffix]
        probabilities.append(_log10(lower))
        backoffs.append(_log10(backoff))
    probabilities[0][BEGIN] = 0.0  # by convention: <s> is given, never predicted
    # What a history passes on was found with the n-grams one longer; the longest pass on nothing.
    return probabilities, [*backoffs[1:], np.zeros(len(lower), np.float32)]
