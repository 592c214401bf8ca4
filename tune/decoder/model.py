"""Decoder: a phrase table, language models and weights turn sentences into n-best lists."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import select_rows
from isogloss.align.errors import UsageError, check_listed
from isogloss.align.text.sentences import words_of_one
from isogloss.features.arguments import check_argument
from isogloss.features.space import FeatureSpace
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.protocol import StateTemplate

from ..weights.given import GivenWeights, given_weights
from ..weights.starting import (
    CONTEXT_FEATURES,
    DEFAULT_WEIGHTS,
    DISTORTION,
    FIXED_FEATURES,
    LANGUAGE_MODEL,
    LANGUAGE_MODEL_WEIGHT,
    ORIENTATION_WEIGHT,
    PHRASE_PENALTY,
    UNKNOWN_WORD,
    UNKNOWN_WORD_PENALTY,
    WORD_PENALTY,
)
from ..weights.weights import Weights
from .derivations import COPIED, Derivations
from .kernels.stacks import Constraint
from .language_model import LanguageModels, Ngrams, NgramTable, given_tables
from .reordering import Orientations, ReorderingTable
from .rule_options import (
    MAX_RULES,
    DecoderSettings,
    FixedTranslation,
    Penalties,
    Required,
    RuleOptions,
    SentenceOptions,
)
from .search import KBest, SearchGraph, kbest, search
from .state_features import PhraseFeatures, StateFeatures

__all__ = [
    "DEFAULT_WEIGHTS",
    "FIXED_FEATURES",
    "MAX_RULES",
    "Decoder",
    "DecoderSettings",
    "Required",
    "Translations",
]


@dataclass(frozen=True)
class Translations:
    """All translations of a sentence that a search has found: a graph, and what its arcs place."""

    options: SentenceOptions
    graph: SearchGraph


class Decoder:
    """Phrase-based decoder over named features; a source word without a rule is copied.

    Weights may be of any feature space: they are carried over by name. Without weights it
    translates with :data:`DEFAULT_WEIGHTS`, Moses' starting ones.

    Parameters
    ----------
    table : PhraseTable
    language_model : n-gram model or list of them
        As :func:`isogloss.align.estimate_language_model` and :func:`read_language_model` return
        them; several of them, such as of domains, are features LM0, LM1 and so on.
    settings : DecoderSettings, optional
        Limits of the search.
    reordering : list of ReorderingTable, optional
        Lexicalized reordering models, with rows for the table's rules.
    templates : list of StateTemplate, optional
        State templates, such as LO, whose features depend on the orientation of phrases.

    Attributes
    ----------
    space : FeatureSpace
        Its features: the language models first, distortion and penalties, then the table's scores
        (as natural logs), those of the reordering models, then sparse features.

    Raises
    ------
    WrongTypeError
        If an argument is of another type, such as a path.
    UsageError
        If two features have the same name.
    """

    def __init__(
        self,
        table: PhraseTable,
        language_model: NgramTable | Ngrams | Sequence[NgramTable | Ngrams],
        settings: DecoderSettings | None = None,
        reordering: Sequence[ReorderingTable] = (),
        templates: Sequence[StateTemplate] = (),
    ) -> None:
        check_argument(table, PhraseTable, "table", "a PhraseTable", "PhraseTable.load(path)")
        models = given_tables(language_model)
        self.table = table
        self.language_models = LanguageModels.join(models)
        self.settings = settings or DecoderSettings()
        orientations = Orientations(reordering, len(table))
        states = StateFeatures(table, templates)
        self._num_models = len(models)
        names = (f"{LANGUAGE_MODEL}{k}" for k in range(len(models)))
        context = (*names, *CONTEXT_FEATURES)
        dense = (*context, *table.score_names, *orientations.names)
        try:
            self.space = FeatureSpace((*dense, *table.sparse_names), states.names)
        except ValueError as error:
            raise UsageError(
                f"the decoder's features ({', '.join(dense)}): {error}; expected other names of "
                "the phrase table's scores, or of what templates name"
            ) from None
        self._rules = RuleOptions(table, self.language_models, len(context), len(dense))
        first = len(dense) - len(orientations.names), len(dense) + len(table.sparse_names)
        self.phrase_features = PhraseFeatures(orientations, states, self._rules.columns, *first)

    def __repr__(self) -> str:
        models = ", ".join(
            f"{table.order}-gram language model of {len(table.index):,} words"
            for table in self.language_models.tables
        )
        return (
            f"Decoder({len(self.table.scores):,} rules, {models}, {len(self.space):,} features, "
            f"{self.settings})"
        )

    def weights(self, given: GivenWeights | None = None) -> Weights:
        """Return weights over the decoder's features.

        Parameters
        ----------
        given : Weights or dict of float, optional
            By name; features without a weight count as 0. Default: Moses' starting weights.

        Raises
        ------
        UsageError
            If a dict names a feature that the decoder doesn't have.
        WrongTypeError
            If the weights are neither.
        """
        weights = self.starting_weights() if given is None else given_weights(given, self.space)
        return weights.to_space(self.space)

    def starting_weights(self) -> Weights:
        """Moses' starting weights, those of the usual scores that the table doesn't have, too."""
        models = dict.fromkeys(self.space.names[: self._num_models], LANGUAGE_MODEL_WEIGHT)
        orientations = dict.fromkeys(self.phrase_features.orientations.names, ORIENTATION_WEIGHT)
        known = DEFAULT_WEIGHTS.as_dict(keep_zeros=True)
        return Weights.from_dict(models | known | orientations)

    def translate(self, sentence: Sequence[str], weights: GivenWeights | None = None) -> str:
        """Return the best translation of a sentence as text.

        Parameters
        ----------
        sentence : str or list of str
            A string is split at whitespace.
        weights : Weights or dict of float, optional
            By name; default: Moses' starting weights.

        Raises
        ------
        WrongTypeError
            If the sentence is neither a string nor words.
        UsageError
            If a dict names a feature that the decoder doesn't have.
        """
        return self.text(self.nbest(sentence, weights), 0)

    def text(self, derivations: Derivations, number: int) -> str:
        """One of the translations as text. Raises UsageError where there are not so many."""
        if not 0 <= number < len(derivations):
            raise UsageError(f"translation {number} of {len(derivations)}; they count from 0")
        return derivations.text(number)

    def option_text(self, options: SentenceOptions, number: int) -> str:
        """The target side of one of the options as text."""
        columns = options.options
        begin, end = columns.word_offsets[number : number + 2].tolist()
        return self._text(columns.surface[begin:end], options.unknown)

    def words(self, surface: NDArray[np.int32], unknown: Sequence[str]) -> tuple[str, ...]:
        """The words of some surface ids.

        surface: int32[n]; unknown: words that the target side lacks
        """
        words = self.table.target.vocabulary.words
        return tuple(
            words[k] if k < len(words) else unknown[k - len(words)] for k in surface.tolist()
        )

    def _text(self, surface: NDArray[np.int32], unknown: Sequence[str]) -> str:
        return " ".join(self.words(surface, unknown))

    def links(self, derivations: Derivations, number: int) -> list[tuple[int, int]]:
        """Links of one of the translations to its sentence, positions in source and target from 0.

        They are those of the rules; a copied word is linked to itself, a fixed translation to
        nothing.
        """
        links = []
        for use in derivations.phrases(number):
            if use.rule < 0:
                if use.rule == COPIED:
                    links.append((use.source_begin, use.target_begin))
                continue
            inside = self.table.links.part(use.rule, use.rule + 1).ids.tolist()
            links += [
                (use.source_begin + (link >> 8), use.target_begin + (link & 255)) for link in inside
            ]
        return sorted(links)

    def nbest(
        self,
        sentence: str | Sequence[str],
        weights: GivenWeights | None = None,
        size: int = 1,
        *,
        distinct: bool = True,
        required: Required | None = None,
    ) -> Derivations:
        """Return the best translations of a sentence, best first.

        Weights over another space than the decoder's are carried over anew for each sentence;
        :meth:`weights` does so once for many.

        Parameters
        ----------
        sentence : str or list of str
            A string is split at whitespace.
        weights : Weights or dict of float, optional
            By name; default: Moses' starting weights.
        size : int, default 1
            How many translations at most.
        distinct : bool, default True
            Each text once; False: once for each way to derive it.
        required : Required, optional
            What translations must hold.

        Returns
        -------
        Derivations
            A sequence of translations with text, score and features, empty if no translation is
            as required.

        Raises
        ------
        WrongTypeError
            If the sentence is neither a string nor words.
        UsageError
            If a dict names a feature that the decoder doesn't have, or fixed translations overlap
            or lie outside the sentence.
        """
        found = self.search(sentence, weights, required)
        return self.derivations(found, size, distinct=distinct)

    def search(
        self,
        sentence: str | Sequence[str],
        weights: GivenWeights | None = None,
        required: Required | None = None,
    ) -> Translations:
        """All translations that the search finds; none where it finds none that is as required.

        The arguments are those of :meth:`nbest`. Raises errors as that does.
        """
        sentence = words_of_one(sentence)
        required = required or Required()
        for words in (required.words, *(one.words for one in required.fixed)):
            check_listed(words, "what a translation must hold", "its words: text.split()")
        weights = self.weights(weights)
        options = self._options(sentence, weights, required.fixed)
        surface = self._rules.surface(required.words, options.unknown)
        graph = search(
            options.options,
            self.language_models,
            (weights.values[: self._num_models].tolist(), weights[DISTORTION]),
            self.settings,
            self.phrase_features.reordering(options.rules, weights.values),
            Constraint(surface, required.whole),
        )
        return Translations(options, graph)

    def derivations(
        self, found: Translations, size: int = 1, *, distinct: bool = True
    ) -> Derivations:
        """The ``size`` best translations of those found; ``distinct`` as for :meth:`nbest`."""
        best = kbest(found.graph, found.options.options, size, distinct)
        return self._derivations(found.options, best)

    def _options(
        self, sentence: Sequence[str], weights: Weights, fixed: Sequence[FixedTranslation]
    ) -> SentenceOptions:
        penalties = Penalties(
            weights[PHRASE_PENALTY],
            -weights[WORD_PENALTY],
            UNKNOWN_WORD * weights[UNKNOWN_WORD_PENALTY],
        )
        limit = self.settings.table_limit
        return self._rules.options(sentence, weights.values, penalties, limit, fixed)

    def _derivations(self, sentence: SentenceOptions, best: KBest) -> Derivations:
        options = sentence.options
        where, ends = select_rows(options.word_offsets, best.option)
        return Derivations(
            options.surface[where],
            ends[best.offsets],
            self.phrase_features.rows(sentence, best),
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
            self.table.target.vocabulary.words,
            self.space,
        )
