"""Decoder: a phrase table, language models and weights turn sentences into n-best lists."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import select_rows
from isogloss.align.errors import OptionError, UsageError, check_listed
from isogloss.align.execution.calls import ExplainedClass, public
from isogloss.align.execution.keywords import chosen_options
from isogloss.features.space import FeatureSpace
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.templates.protocol import StateTemplate

from ..weights.given import GivenWeights, check_no_size, given_weights, words_beside
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
from .language_model import LanguageModels, Ngrams, NgramTable, given_tables, refuse_swapped
from .reordering import Orientations, ReorderingTable
from .rule_options import (
    MAX_RULES,
    DecoderSettings,
    FixedTranslation,
    Penalties,
    Required,
    RuleOptions,
    SentenceOptions,
    Translations,
)
from .search import KBest, kbest, search
from .state_features import PhraseFeatures, StateFeatures

__all__ = [
    "DEFAULT_WEIGHTS",
    "FIXED_FEATURES",
    "MAX_RULES",
    "Decoder",
    "DecoderSettings",
    "Required",
]


@public
class Decoder(metaclass=ExplainedClass):
    """Phrase-based decoder over named features.

    Source words without a rule are copied. Weights over any feature space are matched by name.

    Parameters
    ----------
    table : PhraseTable
    language_model : n-gram model or list of them
        As :func:`isogloss.align.estimate_language_model` and :func:`read_language_model` return
        them. Several models, such as one per domain, are features LM0, LM1 and so on.
    settings : DecoderSettings, optional
        Limits of the search; single ones are keywords as well, such as ``stack_size=50``.
    reordering : list of ReorderingTable, optional
        Lexicalized reordering models, with rows for the table's rules.
    templates : list of StateTemplate, optional
        State templates, such as LO, whose features depend on the orientation of phrases.

    Attributes
    ----------
    space : FeatureSpace
        Language models, distortion and penalties, then the table's scores (natural logs) and
        reordering models, then sparse features.

    Raises
    ------
    WrongTypeError
        If an argument is of another type, such as a path.
    UsageError
        If two features have the same name.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> from isogloss.tune import read_language_model
    >>> table, model = Path(mkdtemp()) / "table", Path(mkdtemp()) / "lm.arpa"
    >>> _ = table.write_text("the house ||| la casa ||| 0.5 0.25 1 0.25 ||| 0-0 1-1\\n")
    >>> grams = "\\\\1-grams:\\n-1 <unk>\\n-99 <s>\\n-0.5 </s>\\n-0.3 casa\\n".replace(" ", "\\t")
    >>> _ = model.write_text(f"\\\\data\\\\\\nngram 1=4\\n\\n{grams}\\n\\\\end\\\\\\n")
    >>> decoder = Decoder(PhraseTable.load(table), read_language_model(model))
    >>> decoder.translate("the house")
    'la casa'
    """

    def __init__(
        self,
        table: PhraseTable,
        language_model: NgramTable | Ngrams | Sequence[NgramTable | Ngrams],
        settings: DecoderSettings | None = None,
        reordering: Sequence[ReorderingTable] = (),
        templates: Sequence[StateTemplate] = (),
        **changes: Any,
    ) -> None:
        refuse_swapped(table, language_model)
        models = given_tables(language_model)
        self.table = table
        self.language_models = LanguageModels.join(models)
        example = "stack_size=50"
        self.settings = chosen_options(settings, DecoderSettings(), changes, example, "settings")
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
                f"the features of the decoder ({', '.join(dense)}) are invalid: {error}. Rename "
                "the scores of the phrase table or the features of the templates"
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
            By name; features without a weight get 0. Default: Moses' initial weights.

        Returns
        -------
        Weights

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
        """Return Moses' initial weights, also for usual scores that the table lacks.

        Returns
        -------
        Weights
        """
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
            By name; default: Moses' initial weights.

        Returns
        -------
        str

        Raises
        ------
        WrongTypeError
            If the sentence is neither a string nor words.
        UsageError
            If a dict names a feature that the decoder doesn't have.
        """
        return self.text(self.nbest(sentence, weights), 0)

    def text(self, derivations: Derivations, number: int) -> str:
        """Return a translation as text.

        Parameters
        ----------
        derivations : Derivations
        number : int
            Position in the list; 0 is the best.

        Returns
        -------
        str

        Raises
        ------
        UsageError
            If there is no translation of that number.
        """
        if not 0 <= number < len(derivations):
            limit = len(derivations)
            raise OptionError("number", f"at least 0 and below {limit}", number)
        return derivations.text(number)

    def option_text(self, options: SentenceOptions, number: int) -> str:
        """Return the target side of a translation option as text.

        Parameters
        ----------
        options : SentenceOptions
        number : int
            Position among the options.

        Returns
        -------
        str
        """
        columns = options.options
        begin, end = columns.word_offsets[number : number + 2].tolist()
        return self._text(columns.surface[begin:end], options.unknown)

    def words(self, surface: NDArray[np.int32], unknown: Sequence[str]) -> tuple[str, ...]:
        """Return the words of surface ids.

        Parameters
        ----------
        surface : ndarray of int32, shape (n_words,)
        unknown : sequence of str
            Words of the ids beyond the table's target vocabulary.

        Returns
        -------
        tuple of str
        """
        words = self.table.target.vocabulary.words
        return tuple(
            words[k] if k < len(words) else unknown[k - len(words)] for k in surface.tolist()
        )

    def _text(self, surface: NDArray[np.int32], unknown: Sequence[str]) -> str:
        return " ".join(self.words(surface, unknown))

    def links(self, derivations: Derivations, number: int) -> list[tuple[int, int]]:
        """Return the word alignment of a translation.

        Links are those of the rules. A copied word is linked to itself; fixed translations have no
        links.

        Parameters
        ----------
        derivations : Derivations
        number : int
            Position in the list; 0 is the best.

        Returns
        -------
        list of (int, int)
            Positions in source and target from 0, sorted.
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
        nbest_size: int = 1,
        *,
        distinct: bool = True,
        required: Required | None = None,
    ) -> Derivations:
        """Return the best translations of a sentence, best first.

        Weights over another space are converted for each sentence; use :meth:`weights` to convert
        them once.

        Parameters
        ----------
        sentence : str or list of str
            A string is split at whitespace.
        weights : Weights or dict of float, optional
            By name; default: Moses' initial weights.
        nbest_size : int, default 1
            Maximum number of translations.
        distinct : bool, default True
            List each text once; False: once per derivation.
        required : Required, optional
            Constraints on the translations.

        Returns
        -------
        Derivations
            A sequence of translations with text, score and features, empty if no translation meets
            the constraints.

        Raises
        ------
        WrongTypeError
            If the sentence is neither a string nor words.
        UsageError
            If a dict names a feature that the decoder doesn't have, or fixed translations overlap
            or lie outside the sentence.
        """
        check_no_size(weights, "nbest_size")
        found = self.search(sentence, weights, required)
        return self.derivations(found, nbest_size, distinct=distinct)

    def search(
        self,
        sentence: str | Sequence[str],
        weights: GivenWeights | None = None,
        required: Required | None = None,
    ) -> Translations:
        """Return the graph of all translations that the beam search finds.

        Parameters
        ----------
        sentence, weights, required
            As for :meth:`nbest`, which also lists the errors.

        Returns
        -------
        Translations
            Empty if no translation meets the constraints.
        """
        sentence = words_beside(sentence, "translate(sentence, weights)")
        required = required or Required()
        for words in (required.words, *(one.words for one in required.fixed_translations)):
            check_listed(words, "required words", "a list of words", "text.split()")
        weights = self.weights(weights)
        options = self._options(sentence, weights, required.fixed_translations)
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
        self, found: Translations, nbest_size: int = 1, *, distinct: bool = True
    ) -> Derivations:
        """Return the best of the translations that a search has found.

        Parameters
        ----------
        found : Translations
        nbest_size, distinct
            As for :meth:`nbest`.

        Returns
        -------
        Derivations
        """
        best = kbest(found.graph, found.options.options, nbest_size, distinct)
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
