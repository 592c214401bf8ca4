"""State templates during the search: features of a rule by the orientation of its neighbours."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError
from align.ragged import offsets_of
from align.sparse_rows import Ragged
from features.space import is_sparse
from features.table.phrase_table import PhraseTable
from features.templates.likeliest_domain import DOMAIN_SCORES
from features.templates.protocol import Application, Rule, StateTemplate, table_rules
from features.templates.variants import StateVariant

from .kernels.reordering import NUM_CLASSES
from .reordering import step_classes

__all__ = ["StateFeatures"]

# A neighbour that no template counts, and where it stands for each orientation: monotone, swap,
# discontinuous. The other phrase begins at 0.
_NEIGHBOUR = Rule(("neighbour",), ("neighbour",), count=-1.0)
_KINDS = np.array([0, 1, 2, 2])  # of each class of the search
_NUM_KINDS = 3
_FAR = 2  # words between phrases that are discontinuous


class StateFeatures:
    """Features of state templates for the rules of a phrase table.

    A template that depends on the neighbour's orientation alone says so by ``of_orientation``, as
    LO does (Green et al. 2013, section 4.1). At the beginning of a sentence there is an empty
    neighbour that ends at 0; copied words have no features.

    names: of the features, in the order of the rules that have them first
    """

    def __init__(self, table: PhraseTable, templates: Sequence[StateTemplate]) -> None:
        for template in templates:
            inner = template.template if isinstance(template, StateVariant) else template
            if not getattr(inner, "of_orientation", False):
                raise UsageError(
                    f"state template {type(inner).__name__} in a search; expected one with "
                    "of_orientation = True, whose features depend on the orientation of the "
                    "neighbour alone"
                )
        crossed = any(getattr(template, "crossed", False) for template in templates)
        numbers: dict[str, int] = {}
        ids: list[int] = []
        lengths: list[int] = []
        for rule in table_rules(table, DOMAIN_SCORES if crossed else "") if templates else ():
            for names in _features_of(rule, templates):
                ids += [numbers.setdefault(name, len(numbers)) for name in names]
                lengths.append(len(names))
        if dense := next((name for name in numbers if not is_sparse(name)), ""):
            raise UsageError(f"a state template names a feature {dense!r}; expected TEMPLATE_PART")
        self.names = tuple(numbers)
        # a row for each rule, side (0 = what is before, 1 = what comes next), and kind
        self._rows = Ragged(
            np.array(ids, np.int32), np.ones(len(ids), np.float32), offsets_of(lengths)
        )

    def scores(self, rules: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted scores of options by side and class: float64[2, num_options, 4].

        No option has a row where there is no template. rules: int64[num_options], -1 = a copied
        word; weights: float64[len(names)]
        """
        if not len(self._rows):
            return np.zeros((2, 0, NUM_CLASSES))
        per_rule = 2 * _NUM_KINDS
        known = np.flatnonzero(rules >= 0)
        rows = rules[known, None] * per_rule + np.arange(per_rule)
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
        rows[:, 0] = np.where(used >= 0, used * 2 * _NUM_KINDS + kinds, -1)
        before = used[:-1]
        rows[1:, 1] = np.where(before >= 0, (before * 2 + 1) * _NUM_KINDS + kinds[1:], -1)
        rows[offsets[:-1][np.diff(offsets) > 0], 1] = -1  # nothing is before the first one
        chosen = rows.reshape(-1)
        known = chosen >= 0
        of_steps = self._rows.select(chosen[known])
        steps = np.concatenate([[0], np.cumsum(known)])[2 * offsets]
        return Ragged(of_steps.ids, of_steps.values, of_steps.offsets[steps])


def _features_of(rule: Rule, templates: Sequence[StateTemplate]) -> Iterator[list[str]]:
    """Names that a rule has by side and kind: with a neighbour before it, then behind it."""
    length = len(rule.source)
    begins = (1, 0, 1 + _FAR)  # of the rule, behind a neighbour at 0 or, for a swap, before one
    for begin, at in zip(begins, (0, length, 0), strict=True):
        yield _names(templates, Application(rule, begin), Application(_NEIGHBOUR, at))
    for begin, at in ((length, 0), (0, 1), (length + _FAR, 0)):
        yield _names(templates, Application(_NEIGHBOUR, begin), Application(rule, at))


def _names(
    templates: Sequence[StateTemplate], application: Application, previous: Application
) -> list[str]:
    return [
        name
        for template in templates
        for described, name in template.state_features(application, previous)
        if described.count >= 0.0
    ]
