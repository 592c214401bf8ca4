"""The rules of a phrase table as translation options of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers, select_rows
from isogloss.align.errors import OptionError, UsageError, check_types
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.features.table.phrase_table import LOWEST_LOG, PhraseTable

from .derivations import COPIED, FIXED
from .kernels.options import best_rules, estimate_phrases
from .language_model import LanguageModels
from .search import SearchGraph, SearchSettings, TranslationOptions
from .source_phrases import SourcePhrases

__all__ = [
    "MAX_RULES",
    "DecoderSettings",
    "FixedTranslation",
    "Penalties",
    "Required",
    "RuleOptions",
    "SentenceOptions",
    "Translations",
    "taken_words",
]


class Penalties(NamedTuple):
    """Weighted penalties: of a phrase, of each of its words, and of a word that is copied."""

    phrase: float
    word: float
    unknown_word: float

    def score(self, num_words: int) -> float:
        """What a phrase of so many words costs without a rule."""
        return self.phrase + num_words * self.word


class FixedTranslation(NamedTuple):
    """A translation of a source span that replaces all others (Moses' XML input).

    Attributes
    ----------
    begin, end : int
        Source words [begin, end).
    words : tuple of str
        Target words.
    """

    begin: int
    end: int
    words: tuple[str, ...]


MAX_RULES = 1 << 30  # of a source phrase: more than any table has


@public
@dataclass(frozen=True)
class DecoderSettings(SearchSettings, metaclass=ExplainedClass):
    """Limits of the decoder's beam search.

    Parameters
    ----------
    stack_size : int, default 100
        Hypotheses kept per number of covered source words.
    distortion_limit : int, default 6
        Longest reordering jump in source words, at most 64. 0 = monotone; -1 = no limit, for
        sentences of at most 64 words.
    beam_threshold : float, default 0.0
        Natural log of the lowest allowed ratio to the best hypothesis of a stack, such as
        ``log(1e-5)``; 0 = off.
    pop_limit : int, default 0
        Options expanded per number of covered source words, as in cube pruning (Huang and Chiang
        2007); 0 = no limit.
    table_limit : int, default 20
        Rules per source phrase, the best ones by model score.

    Raises
    ------
    UsageError
        If a value is of another type or out of range.

    Examples
    --------
    >>> settings = DecoderSettings(stack_size=50)
    >>> settings.stack_size, settings.table_limit
    (50, 20)
    """

    table_limit: int = 20

    def __post_init__(self) -> None:
        check_types(self)
        if not 1 <= self.table_limit <= MAX_RULES:
            raise OptionError("table_limit", f"between 1 and {MAX_RULES}", self.table_limit)
        super().__post_init__()


@dataclass(frozen=True)
class Required:
    """Constraints on the translations of a sentence.

    Parameters
    ----------
    words : tuple of str, default ()
        Prefix of every translation.
    whole : bool, default False
        Translations are exactly ``words`` (forced decoding).
    fixed_translations : tuple of FixedTranslation, default ()
        Translations of source spans that replace all others.
    """

    words: tuple[str, ...] = ()
    whole: bool = False
    fixed_translations: tuple[FixedTranslation, ...] = ()


@dataclass(frozen=True)
class SentenceOptions:
    """Translation options of a sentence.

    Attributes
    ----------
    options : TranslationOptions
    rules : ndarray of int64, shape (n_options,)
        Rule of each option, COPIED or FIXED.
    lengths : ndarray of int64, shape (n_options,)
        Number of target words of each option.
    unknown : tuple of str
        Words outside the vocabulary of the table's target side.
    """

    options: TranslationOptions
    rules: NDArray[np.int64]
    lengths: NDArray[np.int64]
    unknown: tuple[str, ...]


@dataclass(frozen=True)
class Translations:
    """All translations of a sentence that a search has found.

    Attributes
    ----------
    options : SentenceOptions
        Translation options of the sentence.
    graph : SearchGraph
        Recombined hypotheses, and the options that lead to them.
    """

    options: SentenceOptions
    graph: SearchGraph


class RuleOptions:
    """Finds the rules of a phrase table that a sentence can use.

    columns: what kernels take: target phrases of the rules, their offsets, natural logs of the
        scores, sparse features over the decoder's space, the number of the first score in it
    """

    def __init__(
        self,
        table: PhraseTable,
        language_models: LanguageModels,
        first_score: int,
        first_sparse: int,
    ) -> None:
        self._table, self._language_models = table, language_models
        self._sources = SourcePhrases(table.source)
        bounds = np.searchsorted(table.rule_source, np.arange(len(table.source) + 1))
        self._rule_offsets = bounds.astype(np.int64)
        words = language_models.encode(table.target.vocabulary.words)
        self._target_words = np.take(words, table.target.tokens, axis=1)
        self._estimates = np.empty((len(table.target), len(words)), np.float32)
        estimate_phrases(
            language_models.arrays, self._target_words, table.target.offsets, self._estimates
        )
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(table.scores), LOWEST_LOG).astype(np.float32)
        self.columns = (
            table.rule_target,
            table.target.offsets,
            logs,
            table.sparse.ids + np.int32(first_sparse),
            table.sparse.values,
            table.sparse.offsets,
            first_score,
        )

    def options(
        self,
        sentence: Sequence[str],
        weights: NDArray[np.float64],
        penalties: Penalties,
        table_limit: int,
        fixed: Sequence[FixedTranslation] = (),
    ) -> SentenceOptions:
        """The translation options of a sentence, by span; a word without a rule is copied.

        sentence: its words; weights: float64[num_features]
        table_limit: rules per source phrase, the best ones by model score
        fixed: translations instead of any option that touches their words

        Raises UsageError for fixed translations outside the sentence, or that overlap.
        """
        taken = taken_words(fixed, len(sentence))
        begin, end, phrases = self._spans(sentence, taken)
        rules, score, bounds = best_rules(
            phrases,
            self._rule_offsets,
            self.columns,
            self._estimates,
            weights,
            table_limit,
        )
        known = np.flatnonzero(taken)
        copied = np.setdiff1d(np.arange(len(sentence)), [*begin[end == begin + 1], *known])
        others = [FixedTranslation(k, k + 1, (sentence[k],)) for k in copied.tolist()]
        score = [score]
        score += [np.full(len(copied), penalties.score(1) + penalties.unknown_word)]
        score += [np.array([penalties.score(len(one.words)) for one in fixed])]
        others += fixed
        span = row_numbers(bounds)
        begin = np.concatenate([begin[span], [one.begin for one in others]]).astype(np.int64)
        end = np.concatenate([end[span], [one.end for one in others]]).astype(np.int64)
        own = np.repeat([COPIED, FIXED], [len(copied), len(fixed)])
        surface, words, offsets, unknown = self._target_side(rules, [one.words for one in others])
        order = np.lexsort((end, begin))
        where, word_offsets = select_rows(offsets, order)
        options = TranslationOptions(
            len(sentence),
            begin[order].astype(np.int32),
            end[order].astype(np.int32),
            np.concatenate(score)[order],
            words[:, where],
            word_offsets,
            surface[where],
        )
        rules = np.concatenate([rules, own])[order]
        return SentenceOptions(options, rules, np.diff(word_offsets), unknown)

    def surface(self, words: Sequence[str], unknown: Sequence[str]) -> NDArray[np.int32]:
        """Ids of target words in a sentence's options, -1 for words that none has: int32[num].

        unknown: those of the options that the table lacks
        """
        vocabulary = self._table.target.vocabulary
        extra = {word: len(vocabulary) + k for k, word in enumerate(unknown)}
        return np.array([vocabulary.get(word, extra.get(word, -1)) for word in words], np.int32)

    def _spans(
        self, sentence: Sequence[str], taken: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Begin, end and source phrase of each span of words not taken that the table has."""
        begin, end, phrases = self._sources.find(self._table.source.vocabulary.encode(sentence))
        before = np.concatenate([[0], np.cumsum(taken)])
        kept = self._rule_offsets[phrases] < self._rule_offsets[phrases + 1]
        kept &= before[begin] == before[end]
        return begin[kept], end[kept], phrases[kept]

    def _target_side(
        self, rules: NDArray[np.int64], others: Sequence[Sequence[str]]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64], tuple[str, ...]]:
        """Surface and language-model ids of the options' words, offsets, and unknown words."""
        # A word has the same surface id wherever it comes from: texts are told apart by these.
        # others: target sides of the options behind those of the rules
        target, models = self._table.target, self._language_models
        where, offsets = select_rows(target.offsets, self._table.rule_target[rules])
        added = [word for words in others for word in words]
        unknown = tuple(dict.fromkeys(word for word in added if word not in target.vocabulary))
        surface = np.concatenate([target.tokens[where], self.surface(added, unknown)])
        words = np.concatenate(
            [self._target_words[:, where], models.encode(added)], axis=1, dtype=np.int32
        )
        ends = offsets[-1] + np.cumsum([len(words) for words in others], dtype=np.int64)
        return surface, words, np.concatenate([offsets, ends]), unknown


def taken_words(fixed: Sequence[FixedTranslation], num_words: int) -> NDArray[np.bool_]:
    """The words that fixed translations take: bool[num_words].

    Raises UsageError where one lies outside of the sentence, or two share a word.
    """
    taken = np.zeros(num_words, np.bool_)
    for begin, end, _ in fixed:
        if not 0 <= begin < end <= num_words:
            raise UsageError(
                f"the fixed translation of words {begin}-{end - 1} lies outside the sentence, "
                f"which has words 0-{num_words - 1}"
            )
        if taken[begin:end].any():
            raise UsageError(
                f"the fixed translation of words {begin}-{end - 1} overlaps another one"
            )
        taken[begin:end] = True
    return taken
