"""Decoder: a phrase table, a language model and weights turn sentences into n-best lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError
from align.ragged import offsets_of, row_numbers, select_rows
from align.sparse_rows import Ragged
from features.space import FeatureSpace
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrase_texts

from .kernels.options import best_rules, derivation_features, estimate_phrases
from .language_model import NgramTable
from .search import KBest, SearchSettings, TranslationOptions, kbest, search

__all__ = ["DEFAULT_WEIGHTS", "FIXED_FEATURES", "Decoder", "DecoderSettings", "Derivations"]

# the features that every system has, in the order the kernels know them by
CONTEXT_FEATURES = ("LM0", "Distortion0", "WordPenalty0", "PhrasePenalty0", "UnknownWordPenalty0")
# an unknown word costs the same in every translation of a sentence: nothing to learn
FIXED_FEATURES = ("UnknownWordPenalty0",)
UNKNOWN_WORD = -100.0  # as in Moses
LOWEST_LOG = -100.0  # the logarithm of a probability of 0, as in Moses
# Moses' starting point
DEFAULT_WEIGHTS = {
    "LM0": 0.5,
    "Distortion0": 0.3,
    "WordPenalty0": -1.0,
    "PhrasePenalty0": 0.2,
    "UnknownWordPenalty0": 1.0,
    "p(f|e)": 0.2,
    "lex(f|e)": 0.2,
    "p(e|f)": 0.2,
    "lex(e|f)": 0.2,
}


@dataclass(frozen=True)
class DecoderSettings:
    """Search limits; ``table_limit`` rules per source phrase enter the search."""

    stack_size: int = 100
    distortion_limit: int = 6
    table_limit: int = 20
    beam_threshold: float = 0.0

    def __post_init__(self) -> None:
        if self.table_limit < 1:
            raise UsageError(f"table limit {self.table_limit}; expected at least 1")
        self.search_settings()

    def search_settings(self) -> SearchSettings:
        """The part that the search itself takes."""
        return SearchSettings(self.stack_size, self.distortion_limit, self.beam_threshold)


@dataclass(frozen=True)
class Derivations:
    """The n-best translations of one sentence, best first.

    words: int32[total], surface ids (see ``Decoder.text``); offsets: int64[n + 1]
    rows: feature vectors over the decoder's space
    score: float64[n], model scores
    unknown: surface of the ids from the size of the target vocabulary on
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    rows: Ragged
    score: NDArray[np.float64]
    unknown: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.score)


@dataclass(frozen=True)
class _SentenceOptions:
    """Options of a sentence, with the rule (-1 = copied word) and target length of each."""

    options: TranslationOptions
    rules: NDArray[np.int64]
    lengths: NDArray[np.int64]
    unknown: tuple[str, ...]


class Decoder:
    """Phrase-based decoder over named features; a source word without a rule is copied.

    space: its features; the context features come first, then the table's scores (as natural
        logs), then its sparse features.
    """

    def __init__(
        self,
        table: PhraseTable,
        language_model: NgramTable,
        settings: DecoderSettings | None = None,
    ) -> None:
        self.table, self.language_model = table, language_model
        self.settings = settings or DecoderSettings()
        self.space = FeatureSpace((*CONTEXT_FEATURES, *table.score_names, *table.sparse_names))
        self._sources = {text: k for k, text in enumerate(phrase_texts(table.source))}
        self._longest = int(table.source.lengths.max(initial=1))
        bounds = np.searchsorted(table.rule_source, np.arange(len(table.source) + 1))
        self._rule_offsets = bounds.astype(np.int64)
        words = language_model.encode(table.target.vocabulary.words)
        self._target_words = words[table.target.tokens]
        self._estimates = np.empty(len(table.target), np.float32)
        estimate_phrases(
            language_model.arrays,
            language_model.order - 1,
            self._target_words,
            table.target.offsets,
            self._estimates,
        )
        with np.errstate(divide="ignore"):
            logs = np.maximum(np.log(table.scores), LOWEST_LOG).astype(np.float32)
        first = len(CONTEXT_FEATURES)
        self._rules = (
            table.rule_target,
            table.target.offsets,
            logs,
            table.sparse.ids + np.int32(first + len(table.score_names)),
            table.sparse.values,
            table.sparse.offsets,
            first,
        )

    def weights(self, values: Mapping[str, float] | None = None) -> NDArray[np.float64]:
        """Weight vector over the space; without values Moses' starting weights."""
        return self.space.vector(DEFAULT_WEIGHTS if values is None else values)

    def text(self, derivations: Derivations, number: int) -> str:
        """The translation as text."""
        words = self.table.target.vocabulary.words
        own = derivations.words[derivations.offsets[number] : derivations.offsets[number + 1]]
        return " ".join(
            words[k] if k < len(words) else derivations.unknown[k - len(words)]
            for k in own.tolist()
        )

    def nbest(
        self, sentence: Sequence[str], weights: NDArray[np.float64], size: int = 1
    ) -> Derivations:
        """The ``size`` best distinct translations under ``weights`` float64[len(space)].

        Raises UsageError for weights of another space.
        """
        if weights.shape != (len(self.space),):
            raise UsageError(f"{len(weights)} weights; the decoder has {len(self.space)} features")
        own = self._options(sentence, weights)
        graph = search(
            own.options,
            self.language_model,
            float(weights[0]),
            float(weights[1]),
            self.settings.search_settings(),
        )
        return self._derivations(own, kbest(graph, own.options, size))

    def _options(self, sentence: Sequence[str], weights: NDArray[np.float64]) -> _SentenceOptions:
        begin, end, phrases = self._spans(sentence)
        rules, score, bounds = best_rules(
            phrases,
            self._rule_offsets,
            self._rules,
            self._estimates,
            weights,
            self.settings.table_limit,
        )
        span = row_numbers(bounds)
        known = {k for k, stop in zip(begin.tolist(), end.tolist(), strict=True) if stop == k + 1}
        missing = [k for k in range(len(sentence)) if k not in known]
        count = len(missing)
        rules = np.concatenate([rules, np.full(count, -1, np.int64)])
        copied = weights[3] - weights[2] + UNKNOWN_WORD * weights[4]
        score = np.concatenate([score, np.full(count, copied)])
        place = np.array(missing, np.int64)
        begin = np.concatenate([begin[span], place])
        end = np.concatenate([end[span], place + 1])
        order = np.lexsort((np.arange(len(begin)), end, begin))
        surface, words, lengths = self._target_side(
            rules[:-count] if count else rules, [sentence[k] for k in missing]
        )
        return self._sorted(
            len(sentence), (begin, end, score, rules), order, (surface, words, lengths),
            tuple(sentence[k] for k in missing),
        )  # fmt: skip

    def _spans(
        self, sentence: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Begin, end and source phrase of each span that the table has."""
        found = []
        for begin in range(len(sentence)):
            text = ""
            for end in range(begin + 1, min(begin + self._longest, len(sentence)) + 1):
                text = f"{text} {sentence[end - 1]}" if text else sentence[end - 1]
                phrase = self._sources.get(text, -1)
                if phrase >= 0 and self._rule_offsets[phrase] < self._rule_offsets[phrase + 1]:
                    found.append((begin, end, phrase))
        columns = np.array(found, np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1], columns[:, 2].copy()

    def _target_side(
        self, rules: NDArray[np.int64], copied: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Surface ids, language-model ids and length of each option; copied words come last."""
        phrases = self.table.rule_target[rules]
        where, offsets = select_rows(self.table.target.offsets, phrases)
        first = len(self.table.target.vocabulary)
        surface = np.append(self.table.target.tokens[where], first + np.arange(len(copied))).astype(
            np.int32
        )
        words = np.append(self._target_words[where], self.language_model.encode(copied))
        lengths = np.append(np.diff(offsets), np.ones(len(copied), np.int64))
        return surface, words.astype(np.int32), lengths

    def _sorted(
        self,
        num_words: int,
        columns: tuple[
            NDArray[np.int64], NDArray[np.int64], NDArray[np.float64], NDArray[np.int64]
        ],
        order: NDArray[np.int64],
        target: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]],
        unknown: tuple[str, ...],
    ) -> _SentenceOptions:
        begin, end, score, rules = columns[0], columns[1], columns[2][order], columns[3][order]
        surface, words, lengths = target
        where, offsets = select_rows(offsets_of(lengths), order)
        options = TranslationOptions(
            num_words,
            begin[order].astype(np.int32),
            end[order].astype(np.int32),
            score,
            words[where],
            offsets,
            surface[where],
        )
        return _SentenceOptions(options, rules, lengths[order], unknown)

    def _derivations(self, own: _SentenceOptions, best: KBest) -> Derivations:
        ids, values, bounds = derivation_features(
            best.option,
            best.offsets,
            np.stack([best.language_model, best.distortion]),
            own.rules,
            own.lengths,
            self._rules,
            len(CONTEXT_FEATURES),
        )
        where, ends = select_rows(own.options.word_offsets, best.option)
        return Derivations(
            own.options.surface[where],
            ends[best.offsets],
            Ragged(ids, values, bounds),
            best.score,
            own.unknown,
        )
