"""Summaries of weights: counts and mass by template, the largest ones, those that never fire."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace, is_sparse

from .weights import Weights

__all__ = [
    "DENSE",
    "TemplateSummary",
    "WeightedFeature",
    "choose_templates",
    "count_occurrences",
    "extremes",
    "never_fired",
    "summarize_templates",
    "template_of",
    "without_weight",
]

DENSE = "(dense)"


def template_of(name: str) -> str:
    """The part of a sparse name before its first underscore: ``PT``, ``PT@law``, ``WT``.

    For bins that is the name of their score. Dense features are ``(dense)``.
    """
    return name.partition("_")[0] if is_sparse(name) else DENSE


def choose_templates(names: Iterable[str], wanted: Sequence[str]) -> dict[str, set[str]]:
    """For each template that is asked for, the templates among the names that it stands for.

    Case doesn't matter. ``pt`` stands for PT and its versions by domain, such as PT@law, ``dense``
    for the dense features.

    Raises UsageError for a template that no name has.
    """
    known = {template_of(name) for name in names}
    chosen = {}
    for template in wanted:
        key = template.lower()
        matching = {
            t for t in known if key in (t.lower(), t.partition("@")[0].lower(), t.strip("()"))
        }
        if not matching:
            raise UsageError(
                f"there is no feature of the template {template!r}; templates are "
                f"{_some(sorted(known))}"
            )
        chosen[template] = matching
    return chosen


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") if names else "none"


@dataclass(frozen=True)
class WeightedFeature:
    """A feature with its weight, if it has one.

    occurrences: number of hypotheses in which it fires; None where no list was looked at
    """

    name: str
    weight: float | None
    occurrences: int | None = None


@dataclass(frozen=True)
class TemplateSummary:
    """Weights of one template.

    weights: their number; positive, negative: how many are so; mass: sum of absolute values
    largest, smallest: the extreme weights
    never_fired: weights other than 0 of features that never occur; lacking: features that occur
    and have no weight; both None where no list was looked at
    """

    template: str
    weights: int
    positive: int
    negative: int
    mass: float
    largest: float
    smallest: float
    never_fired: int | None = None
    lacking: int | None = None

    @property
    def active(self) -> int:
        """Number of weights other than 0."""
        return self.positive + self.negative


def summarize_templates(
    weights: Weights, occurrences: Mapping[str, int] | None = None
) -> list[TemplateSummary]:
    """One summary per template, dense features first, then by falling mass."""
    values: dict[str, list[float]] = {}
    for name, value in weights.items():
        values.setdefault(template_of(name), []).append(value)
    unused: Counter[str] = Counter()
    lacking: Counter[str] = Counter()
    if occurrences is not None:
        unused.update(template_of(feature.name) for feature in never_fired(weights, occurrences))
        lacking.update(
            template_of(feature.name) for feature in without_weight(weights, occurrences)
        )
    result = []
    for template in [*values, *(name for name in lacking if name not in values)]:
        of_template = np.array(values.get(template, []))
        looked = occurrences is not None
        result.append(
            TemplateSummary(
                template,
                len(of_template),
                int((of_template > 0.0).sum()),
                int((of_template < 0.0).sum()),
                float(np.abs(of_template).sum()),
                float(of_template.max()) if len(of_template) else 0.0,
                float(of_template.min()) if len(of_template) else 0.0,
                unused[template] if looked else None,
                lacking[template] if looked else None,
            )
        )
    return sorted(result, key=lambda each: (each.template != DENSE, -each.mass, each.template))


def extremes(
    weights: Weights, size: int, occurrences: Mapping[str, int] | None = None
) -> tuple[list[WeightedFeature], list[WeightedFeature]]:
    """The largest positive and the smallest negative weights, most extreme first; 0 = all."""
    order = sorted(weights.items(), key=lambda item: (-abs(item[1]), item[0]))
    sides: tuple[list[WeightedFeature], list[WeightedFeature]] = [], []
    for name, value in order:
        side = sides[value < 0.0]
        if value != 0.0 and (not size or len(side) < size):
            side.append(_weighted(name, value, occurrences))
    return sides


def _weighted(
    name: str, value: float | None, occurrences: Mapping[str, int] | None
) -> WeightedFeature:
    return WeightedFeature(name, value, None if occurrences is None else occurrences.get(name, 0))


def never_fired(weights: Weights, occurrences: Mapping[str, int]) -> list[WeightedFeature]:
    """Features with a weight other than 0 that never occur, the largest absolute value first."""
    positive, negative = extremes(weights, 0, occurrences)
    unused = [feature for feature in (*positive, *negative) if not feature.occurrences]
    return sorted(unused, key=lambda feature: (-abs(feature.weight or 0.0), feature.name))


def without_weight(weights: Weights, occurrences: Mapping[str, int]) -> list[WeightedFeature]:
    """Features that occur and have no weight, the most frequent first."""
    lacking = [
        (name, count) for name, count in occurrences.items() if count and name not in weights
    ]
    return [
        WeightedFeature(n, None, k)
        for n, k in sorted(lacking, key=lambda pair: (-pair[1], pair[0]))
    ]


def count_occurrences(rows: Ragged, space: FeatureSpace) -> dict[str, int]:
    """Number of rows in which each feature of a space is other than 0, where there are any."""
    fired = rows.values != 0.0
    row = row_numbers(rows.offsets)[fired]
    keys = np.unique(row * len(space) + rows.ids[fired])
    counts = np.bincount(keys % max(len(space), 1), minlength=len(space)).tolist()
    return {name: count for name, count in zip(space, counts, strict=True) if count}
