"""Decoder: a phrase table, a language model and weights turn sentences into n-best lists."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError, check_types
from align.ragged import row_numbers, select_rows
from align.sparse_rows import Ragged
from features.space import FeatureSpace
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrase_texts

from ..weights.weights import Weights
from .kernels.options import best_rules, derivation_features, estimate_phrases
from .language_model import Ngrams, NgramTable
from .reordering import Orientations, ReorderingTable
from .search import KBest, SearchSettings, TranslationOptions, kbest, search

__all__ = [
    "DEFAULT_WEIGHTS",
    "FIXED_FEATURES",
    "Decoder",
    "DecoderSettings",
    "Derivations",
    "PhraseUse",
]

LANGUAGE_MODEL, DISTORTION = "LM0", "Distortion0"
WORD_PENALTY, PHRASE_PENALTY = "WordPenalty0", "PhrasePenalty0"
UNKNOWN_WORD_PENALTY = "UnknownWordPenalty0"
# the features that every system has, in the order the kernels know them by
CONTEXT_FEATURES = (
    LANGUAGE_MODEL, DISTORTION, WORD_PENALTY, PHRASE_PENALTY, UNKNOWN_WORD_PENALTY
)  # fmt: skip
# an unknown word costs the same in every translation of a sentence: nothing to learn
FIXED_FEATURES = (UNKNOWN_WORD_PENALTY,)
UNKNOWN_WORD = -100.0  # as in Moses
ORIENTATION_WEIGHT = 0.3  # of each feature of a reordering model, Moses' starting point
LOWEST_LOG = -100.0  # the logarithm of a probability of 0, as in Moses
# Moses' starting point
DEFAULT_WEIGHTS = Weights.from_dict(
    {
        LANGUAGE_MODEL: 0.5,
        DISTORTION: 0.3,
        WORD_PENALTY: -1.0,
        PHRASE_PENALTY: 0.2,
        UNKNOWN_WORD_PENALTY: 1.0,
        "p(f|e)": 0.2,
        "lex(f|e)": 0.2,
        "p(e|f)": 0.2,
        "lex(e|f)": 0.2,
    }
)


@dataclass(frozen=True)
class DecoderSettings(SearchSettings):
    """Limits of the search, those of :class:`tune.decoder.search.SearchSettings` among them.

    table_limit: rules per source phrase that enter the search, the best ones by model score
    """

    table_limit: int = 20

    def __post_init__(self) -> None:
        check_types(self)
        if self.table_limit < 1:
            raise UsageError(f"table limit {self.table_limit}; expected at least 1")
        super().__post_init__()


class PhraseUse(NamedTuple):
    """A phrase of a translation.

    source_begin, source_end: its source words, [begin, end); target_begin, target_end: its target
    words, which may be none; rule: its number in the phrase table, -1 for a copied word
    """

    source_begin: int
    source_end: int
    target_begin: int
    target_end: int
    rule: int


@dataclass(frozen=True)
class Derivations:
    """The n-best translations of one sentence, best first.

    words: int32[total], surface ids (see ``Decoder.text``); offsets: int64[n + 1]
    rows: feature vectors over the decoder's space
    score: float64[n], model scores
    unknown: surface of the ids from the size of the target vocabulary on
    uses: int64[num_phrases, 5], phrases in the order of the target, a row as :class:`PhraseUse`;
        target words are counted through all translations
    use_offsets: int64[n + 1]
    """

    words: NDArray[np.int32]
    offsets: NDArray[np.int64]
    rows: Ragged
    score: NDArray[np.float64]
    unknown: tuple[str, ...]
    uses: NDArray[np.int64]
    use_offsets: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.score)

    def phrases(self, number: int) -> list[PhraseUse]:
        """The phrases of one of the translations, in the order of the target."""
        begin, end = self.use_offsets[number : number + 2].tolist()
        first = np.array([0, 0, 1, 1, 0]) * self.offsets[number]
        return [PhraseUse(*row) for row in (self.uses[begin:end] - first).tolist()]


@dataclass(frozen=True)
class _SentenceOptions:
    """Options of a sentence, with the rule (-1 = copied word) and target length of each."""

    options: TranslationOptions
    rules: NDArray[np.int64]
    lengths: NDArray[np.int64]
    unknown: tuple[str, ...]


class Decoder:
    """Phrase-based decoder over named features; a source word without a rule is copied.

    Weights may be those of any feature space: they are carried over by name. Without weights it
    translates with :data:`DEFAULT_WEIGHTS`, Moses' starting ones.

    language_model: an n-gram model, such as align.estimate_language_model returns
    settings: limits of the search
    reordering: lexicalised reordering models, with rows for the table's rules
    space: its features: the context features first, then the table's scores (as natural logs),
        those of the reordering models, then the table's sparse features
    """

    def __init__(
        self,
        table: PhraseTable,
        language_model: NgramTable | Ngrams,
        settings: DecoderSettings | None = None,
        reordering: Sequence[ReorderingTable] = (),
    ) -> None:
        if not isinstance(language_model, NgramTable):
            language_model = NgramTable.from_model(language_model)
        self.table, self.language_model = table, language_model
        self.settings = settings or DecoderSettings()
        self._orientations = Orientations(reordering, len(table))
        dense = (*CONTEXT_FEATURES, *table.score_names, *self._orientations.names)
        self.space = FeatureSpace((*dense, *table.sparse_names))
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
            table.sparse.ids + np.int32(len(dense)),
            table.sparse.values,
            table.sparse.offsets,
            first,
        )

    def __repr__(self) -> str:
        return (
            f"Decoder({len(self.table.scores):,} rules, {self.language_model.order}-gram language "
            f"model of {len(self.language_model.index):,} words, {len(self.space):,} features, "
            f"{self.settings})"
        )

    def weights(self, given: Weights | None = None) -> Weights:
        """Weights over the decoder's features; default: Moses' starting weights."""
        if given is None:
            orientations = dict.fromkeys(self._orientations.names, ORIENTATION_WEIGHT)
            given = Weights.from_dict(DEFAULT_WEIGHTS.as_dict(keep_zeros=True) | orientations)
        return given.over(self.space)

    def translate(self, sentence: Sequence[str], weights: Weights | None = None) -> str:
        """The best translation as text. sentence: its words"""
        return self.text(self.nbest(sentence, weights), 0)

    def text(self, derivations: Derivations, number: int) -> str:
        """One of the translations as text."""
        words = self.table.target.vocabulary.words
        begin, end = derivations.offsets[number : number + 2].tolist()
        return " ".join(
            words[k] if k < len(words) else derivations.unknown[k - len(words)]
            for k in derivations.words[begin:end].tolist()
        )

    def links(self, derivations: Derivations, number: int) -> list[tuple[int, int]]:
        """Links of one of the translations to its sentence, positions in source and target from 0.

        They are those of the rules; a copied word is linked to itself.
        """
        links = []
        for use in derivations.phrases(number):
            if use.rule < 0:
                links.append((use.source_begin, use.target_begin))
                continue
            inside = self.table.links.part(use.rule, use.rule + 1).ids.tolist()
            links += [
                (use.source_begin + (link >> 8), use.target_begin + (link & 255)) for link in inside
            ]
        return sorted(links)

    def nbest(
        self,
        sentence: Sequence[str],
        weights: Weights | None = None,
        size: int = 1,
        *,
        distinct: bool = True,
    ) -> Derivations:
        """The ``size`` best distinct translations.

        sentence: its words
        weights: by name; default: Moses' starting weights
        distinct: each text once; without it, once for each way to derive it

        Weights over another space than the decoder's are carried over anew for each sentence;
        :meth:`weights` does so once for many.
        """
        weights = self.weights(weights)
        sentence_options = self._options(sentence, weights)
        options = sentence_options.options
        graph = search(
            options,
            self.language_model,
            weights[LANGUAGE_MODEL],
            weights[DISTORTION],
            self.settings,
            self._orientations.scores(sentence_options.rules, self._orientation_weights(weights)),
        )
        return self._derivations(sentence_options, kbest(graph, options, size, distinct))

    def _orientation_weights(self, weights: Weights) -> NDArray[np.float64]:
        begin = len(CONTEXT_FEATURES) + len(self.table.score_names)
        return weights.values[begin : begin + len(self._orientations.names)]

    def _options(self, sentence: Sequence[str], weights: Weights) -> _SentenceOptions:
        """The translation options of a sentence, by span; a word without a rule is copied."""
        begin, end, phrases = self._spans(sentence)
        rules, score, bounds = best_rules(
            phrases,
            self._rule_offsets,
            self._rules,
            self._estimates,
            weights.values,
            self.settings.table_limit,
        )
        copied = np.setdiff1d(np.arange(len(sentence)), begin[end == begin + 1])
        unknown = tuple(sentence[k] for k in copied.tolist())
        copy_score = (
            weights[PHRASE_PENALTY]
            - weights[WORD_PENALTY]
            + UNKNOWN_WORD * weights[UNKNOWN_WORD_PENALTY]
        )
        span = row_numbers(bounds)
        begin = np.concatenate([begin[span], copied])
        end = np.concatenate([end[span], copied + 1])
        score = np.concatenate([score, np.full(len(copied), copy_score)])
        surface, words, offsets = self._target_side(rules, unknown)
        order = np.lexsort((end, begin))
        where, word_offsets = select_rows(offsets, order)
        options = TranslationOptions(
            len(sentence),
            begin[order].astype(np.int32),
            end[order].astype(np.int32),
            score[order],
            words[where],
            word_offsets,
            surface[where],
        )
        rules = np.concatenate([rules, np.full(len(copied), -1, np.int64)])[order]
        return _SentenceOptions(options, rules, np.diff(word_offsets), unknown)

    def _spans(
        self, sentence: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Begin, end and source phrase of each span that the table has."""
        spans = []
        for begin in range(len(sentence)):
            text = ""
            for end in range(begin + 1, min(begin + self._longest, len(sentence)) + 1):
                text = f"{text} {sentence[end - 1]}" if text else sentence[end - 1]
                phrase = self._sources.get(text, -1)
                if phrase >= 0 and self._rule_offsets[phrase] < self._rule_offsets[phrase + 1]:
                    spans.append((begin, end, phrase))
        columns = np.array(spans, np.int64).reshape(-1, 3)
        return columns[:, 0], columns[:, 1], columns[:, 2].copy()

    def _target_side(
        self, rules: NDArray[np.int64], copied: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
        """Surface and language-model ids of the options' words, and offsets; copied words last."""
        target, model = self.table.target, self.language_model
        where, offsets = select_rows(target.offsets, self.table.rule_target[rules])
        copies = len(target.vocabulary) + np.arange(len(copied), dtype=np.int32)
        surface = np.concatenate([target.tokens[where], copies], dtype=np.int32)
        words = np.concatenate([self._target_words[where], model.encode(copied)], dtype=np.int32)
        copy_ends = offsets[-1] + 1 + np.arange(len(copied))
        return surface, words, np.concatenate([offsets, copy_ends])

    def _derivations(self, sentence: _SentenceOptions, best: KBest) -> Derivations:
        options = sentence.options
        ids, values, bounds = derivation_features(
            best.option,
            best.offsets,
            np.stack([best.language_model, best.distortion]),
            self._orientations.features(
                best.option, best.offsets, (options.begin, options.end), sentence.rules
            ),
            sentence.rules,
            sentence.lengths,
            self._rules,
        )
        where, ends = select_rows(options.word_offsets, best.option)
        return Derivations(
            options.surface[where],
            ends[best.offsets],
            Ragged(ids, values, bounds),
            best.score,
            sentence.unknown,
            np.stack(
                [
                    options.begin[best.option],
                    options.end[best.option],
                    ends[:-1],
                    ends[1:],
                    sentence.rules[best.option],
                ],
                axis=1,
                dtype=np.int64,
            ),
            best.offsets,
        )
