"""Features of phrases in a derivation, and of state templates by the orientation of neighbors."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.align.text.string_array import Texts
from isogloss.align.text.text_index import TextIndex
from isogloss.features.space import is_sparse
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.rules import rule_range
from isogloss.features.templates.blocks import OrientationTemplate
from isogloss.features.templates.likeliest_domain import DOMAIN_SCORES
from isogloss.features.templates.protocol import Application, Rule, StateTemplate, table_rules
from isogloss.features.templates.variants import StateVariant

from .kernels.options import derivation_features
from .kernels.reordering import NUM_CLASSES, Reordering
from .reordering import Orientations, step_classes
from .rule_options import SentenceOptions
from .search import KBest

__all__ = ["PhraseFeatures", "StateFeatures"]

# A neighbor that no template counts, and where it stands for each orientation: monotone, swap,
# discontinuous. The other phrase begins at 0.
_NEIGHBOR = Rule(("neighbor",), ("neighbor",), count=-1.0)
_KINDS = np.array([0, 1, 2, 2])  # of each class of the search
_NUM_KINDS = 3
_ROWS = 2 * _NUM_KINDS  # of a rule: by side (0 = what is before, 1 = what comes next), and kind
_BLOCK = 1 << 15  # rules whose features are made at a time
_FAR = 2  # words between phrases that are discontinuous


class StateFeatures:
    """Features of state templates for the rules of a phrase table.

    A template that depends on the neighbor's orientation alone says so by ``of_orientation``, as
    LO does (Green et al. 2013, section 4.1). At the beginning of a sentence there is an empty
    neighbor that ends at 0; copied words have no features.

    names: of the features, in the order of the rules that have them first; None where there are no
        templates
    """

    def __init__(self, table: PhraseTable, templates: Sequence[StateTemplate]) -> None:
        for template in templates:
            inner = template.template if isinstance(template, StateVariant) else template
            if not getattr(inner, "of_orientation", False):
                raise UsageError(
                    f"the state template {type(inner).__name__} cannot be used in a search; its "
                    "features "
                    "must depend only on the orientation of the neighbor (of_orientation = True)"
                )
        self.names: TextIndex | None = None
        self._rows = Ragged.empty(0)
        if templates:
            self.names, self._rows = _numbered(table, templates)

    def scores(self, rules: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted scores of options by side and class: float64[2, num_options, 4].

        No option has a row where there is no template. rules: int64[num_options], -1 = a copied
        word; weights: float64[len(names)]
        """
        if not len(self._rows):
            return np.zeros((2, 0, NUM_CLASSES))
        known = np.flatnonzero(rules >= 0)
        rows = rules[known, None] * _ROWS + np.arange(_ROWS)
        scores = np.zeros((len(rules), 2, _NUM_KINDS))
        found = self._rows.select(rows.reshape(-1)).scores(weights)
        scores[known] = found.reshape(-1, 2, _NUM_KINDS)
        return np.ascontiguousarray(scores[:, :, _KINDS].transpose(1, 0, 2))

    def features(
        self,
        options: NDArray[np.int32],
        offsets: NDArray[np.int64],
        spans: tuple[NDArray[np.int32], NDArray[np.int32]],
        rules: NDArray[np.int64],
    ) -> Ragged:
        """Features of derivations.

        options: int32[total], options of each; offsets: int64[n + 1]; spans: int32[num_options]
        twice, begin and end of each option; rules: int64[num_options], -1 = a copied word
        """
        if not len(self._rows):
            return Ragged.empty(len(offsets) - 1)
        kinds = _KINDS[step_classes(options, offsets, spans)]
        used = rules[options]
        rows = np.full((len(options), 2), -1)
        rows[:, 0] = np.where(used >= 0, used * _ROWS + kinds, -1)
        before = used[:-1]
        rows[1:, 1] = np.where(before >= 0, before * _ROWS + _NUM_KINDS + kinds[1:], -1)
        rows[offsets[:-1][np.diff(offsets) > 0], 1] = -1  # nothing is before the first one
        chosen = rows.reshape(-1)
        known = chosen >= 0
        of_steps = self._rows.select(chosen[known])
        steps = np.concatenate([[0], np.cumsum(known)])[2 * offsets]
        return Ragged(of_steps.ids, of_steps.values, of_steps.offsets[steps])


@dataclass(frozen=True)
class PhraseFeatures:
    """Feature vectors of derivations over the space of a decoder.

    Attributes
    ----------
    orientations : Orientations
    states : StateFeatures
    columns : tuple
        Rules as kernels take them, see :class:`.rule_options.RuleOptions`.
    first_orientation, first_state : int
        Ids of their first features.
    """

    orientations: Orientations
    states: StateFeatures
    columns: tuple[Any, ...]
    first_orientation: int
    first_state: int

    @property
    def looks_back(self) -> bool:
        """Whether features of a phrase depend on the previous phrase."""
        return bool(self.orientations.names) or self.states.names is not None

    def reordering(
        self, rules: NDArray[np.int64], weights: NDArray[np.float64]
    ) -> Reordering | None:
        """Return weighted scores of the orientations of options.

        Parameters
        ----------
        rules : ndarray of int64, shape (n_options,)
        weights : ndarray of float64, shape (n_features,)
        """
        begin = self.first_orientation
        of_models = weights[begin : begin + len(self.orientations.names)]
        of_states = self.states.scores(rules, weights[self.first_state :])
        return self.orientations.scores(rules, of_models, of_states)

    def rows(self, sentence: SentenceOptions, best: KBest) -> Ragged:
        """Return the feature vectors of a sentence's derivations."""
        options = sentence.options
        steps = best.option, best.offsets, (options.begin, options.end), sentence.rules
        ids, values, bounds = derivation_features(
            best.option,
            best.offsets,
            np.ascontiguousarray(np.vstack([best.language_model.T, best.distortion])),
            self.orientations.features(*steps),
            sentence.rules,
            sentence.lengths,
            self.columns,
        )
        rows = Ragged(ids, values, bounds)
        if self.states.names is not None:
            rows = rows.hstack(self.states.features(*steps), self.first_state)
        return rows

    def added(
        self,
        sentence: SentenceOptions,
        paths: tuple[NDArray[np.int32], NDArray[np.int64]],
        context: NDArray[np.float64],
    ) -> Ragged:
        """Return what the last phrase of each path adds to the features of the path.

        Parameters
        ----------
        sentence : SentenceOptions
        paths : tuple of ndarray of int32, shape (n_used,), and ndarray of int64, shape (n + 1,)
            Options of each path from the beginning of the sentence, at least one, and offsets.
        context : ndarray of float64, shape (n_models + 1, n)
            Language models and distortion of the last phrases.
        """
        options, offsets = paths
        last = options[offsets[1:] - 1]
        spans, rules = (sentence.options.begin, sentence.options.end), sentence.rules
        before = np.delete(options, offsets[1:] - 1), offsets - np.arange(len(offsets))
        orientations = self.orientations.features(*paths, spans, rules)
        orientations -= self.orientations.features(*before, spans, rules)
        ends = np.arange(len(last) + 1)
        rows = Ragged(
            *derivation_features(
                last, ends, context, orientations, rules, sentence.lengths, self.columns
            )
        )
        if self.states.names is None:
            return rows
        added = self.states.features(*paths, spans, rules).without_prefix(
            self.states.features(*before, spans, rules)
        )
        assert added is not None  # entries stand in the order of the phrases
        return rows.hstack(added, self.first_state)


class _Hits(NamedTuple):
    """Features of rules and when they fire."""

    # names: of features, some perhaps twice
    # feature: int64[n], the name of each time that one fires; row: int64[n], where: the rule, its
    #   side and kind, as one number

    names: Texts
    feature: NDArray[np.int64]
    row: NDArray[np.int64]


def _hits(template: StateTemplate, table: PhraseTable) -> Iterator[_Hits]:
    """The features of a template, in the order of firing within each row."""
    if isinstance(template, StateVariant) and isinstance(template.template, OrientationTemplate):
        for hits, heads, fires in template.orientation_features(table):
            feature, kind = np.nonzero(fires.reshape(-1, _ROWS))
            yield _Hits(hits.names(heads), feature, hits.rule[feature] * _ROWS + kind)
        return
    names: list[str] = []
    lengths: list[int] = []
    crossed = getattr(template, "crossed", False)
    for rule in table_rules(table, DOMAIN_SCORES if crossed else ""):
        for named in _features_of(rule, template):
            names += named
            lengths.append(len(named))
    if dense := next((name for name in names if not is_sparse(name)), ""):
        raise UsageError(
            f"the features of state templates must be named TEMPLATE_PART, got {dense!r}"
        )
    rows = np.repeat(np.arange(len(lengths)), lengths)
    yield _Hits(Texts.from_strings(names), np.arange(len(names)), rows)


def _in_order(hits: Sequence[_Hits], num_rows: int) -> tuple[Texts, Ragged]:
    """Names in the order in which the rows have them, and the numbers of each row's."""
    names = Texts.joined([part.names for part in hits])
    shifts = np.cumsum([0, *(len(part.names) for part in hits)])
    feature = np.concatenate([part.feature + k for part, k in zip(hits, shifts, strict=False)])
    row = np.concatenate([part.row for part in hits])
    feature = feature[np.argsort(row, kind="stable")]
    first = np.empty(len(names), np.int64)
    first[feature[::-1]] = np.arange(len(feature))[::-1]  # the first time comes last, and stays
    order = np.argsort(first)
    numbers = np.empty(len(names), np.int32)
    numbers[order] = np.arange(len(names))
    ones, offsets = np.ones(len(feature), np.float32), offsets_of(np.bincount(row, None, num_rows))
    return names.select(order), Ragged(numbers[feature], ones, offsets)


def _numbered(table: PhraseTable, templates: Sequence[StateTemplate]) -> tuple[TextIndex, Ragged]:
    """The different features, in the order in which the rows have them first, and each row's."""
    names, rows = [], []
    for begin in range(0, max(len(table), 1), _BLOCK):
        part = rule_range(table, begin, begin + _BLOCK)
        hits = [hits for template in templates for hits in _hits(template, part)]
        part_names, part_rows = _in_order(hits, len(part) * _ROWS)
        names.append(part_names)
        rows.append(part_rows)
    shifts = np.cumsum([0, *map(len, names)])
    joined = Texts.joined(names)
    names.clear()
    index, numbers = TextIndex.numbered(joined)
    numbers = numbers.astype(np.int32)
    return index, Ragged.joined(
        [
            replace(part, ids=numbers[part.ids + shift])
            for part, shift in zip(rows, shifts, strict=False)
        ]
    )


def _features_of(rule: Rule, template: StateTemplate) -> Iterator[list[str]]:
    """Names that a rule has by side and kind: with a neighbor before it, then behind it."""
    length = len(rule.source)
    begins = (1, 0, 1 + _FAR)  # of the rule, behind a neighbor at 0 or, for a swap, before one
    for begin, at in zip(begins, (0, length, 0), strict=True):
        yield _names(template, Application(rule, begin), Application(_NEIGHBOR, at))
    for begin, at in ((length, 0), (0, 1), (length + _FAR, 0)):
        yield _names(template, Application(_NEIGHBOR, begin), Application(rule, at))


def _names(template: StateTemplate, application: Application, previous: Application) -> list[str]:
    named = template.state_features(application, previous)
    return [name for described, name in named if described.count >= 0.0]
