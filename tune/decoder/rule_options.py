"""The rules of a phrase table as translation options of a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.ragged import row_numbers, select_rows
from features.table.phrase_table import PhraseTable

from .kernels.options import best_rules, estimate_phrases
from .language_model import LanguageModels
from .search import TranslationOptions
from .source_phrases import SourcePhrases

__all__ = ["LOWEST_LOG", "RuleOptions", "SentenceOptions"]

LOWEST_LOG = -100.0  # the logarithm of a probability of 0, as in Moses


@dataclass(frozen=True)
class SentenceOptions:
    """Options of a sentence.

    rules: int64[num_options], rule of each, -1 = a copied word; lengths: int64[num_options], its
        target words
    unknown: the copied words that no rule has, each once
    """

    options: TranslationOptions
    rules: NDArray[np.int64]
    lengths: NDArray[np.int64]
    unknown: tuple[str, ...]


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
        copy_score: float,
        table_limit: int,
    ) -> SentenceOptions:
        """The translation options of a sentence, by span; a word without a rule is copied.

        sentence: its words; weights: float64[num_features]; copy_score: of a word that is copied
        table_limit: rules per source phrase, the best ones by model score
        """
        begin, end, phrases = self._spans(sentence)
        rules, score, bounds = best_rules(
            phrases,
            self._rule_offsets,
            self.columns,
            self._estimates,
            weights,
            table_limit,
        )
        copied = np.setdiff1d(np.arange(len(sentence)), begin[end == begin + 1])
        copies = [sentence[k] for k in copied.tolist()]
        known = self._table.target.vocabulary
        unknown = tuple(dict.fromkeys(word for word in copies if word not in known))
        span = row_numbers(bounds)
        begin = np.concatenate([begin[span], copied])
        end = np.concatenate([end[span], copied + 1])
        score = np.concatenate([score, np.full(len(copied), copy_score)])
        surface, words, offsets = self._target_side(rules, copies, unknown)
        order = np.lexsort((end, begin))
        where, word_offsets = select_rows(offsets, order)
        options = TranslationOptions(
            len(sentence),
            begin[order].astype(np.int32),
            end[order].astype(np.int32),
            score[order],
            words[:, where],
            word_offsets,
            surface[where],
        )
        rules = np.concatenate([rules, np.full(len(copied), -1, np.int64)])[order]
        return SentenceOptions(options, rules, np.diff(word_offsets), unknown)

    def _spans(
        self, sentence: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Begin, end and source phrase of each span that the table has."""
        begin, end, phrases = self._sources.find(self._table.source.vocabulary.encode(sentence))
        filled = self._rule_offsets[phrases] < self._rule_offsets[phrases + 1]
        return begin[filled], end[filled], phrases[filled]

    def _target_side(
        self, rules: NDArray[np.int64], copied: Sequence[str], unknown: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Surface and language-model ids of the options' words, and offsets; copied words last.

        A word has the same surface id wherever it comes from: texts are told apart by these.
        """
        target, models = self._table.target, self._language_models
        where, offsets = select_rows(target.offsets, self._table.rule_target[rules])
        ids = {word: len(target.vocabulary) + k for k, word in enumerate(unknown)}
        copies = [ids.get(word, target.vocabulary.get(word)) for word in copied]
        surface = np.concatenate([target.tokens[where], np.array(copies, np.int32)])
        words = np.concatenate(
            [self._target_words[:, where], models.encode(copied)], axis=1, dtype=np.int32
        )
        copy_ends = offsets[-1] + 1 + np.arange(len(copied))
        return surface, words, np.concatenate([offsets, copy_ends])
