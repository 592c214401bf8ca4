"""Parts of a table: some of its rules or features, and its rules in the order of their text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import run_starts
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError

from .columns import BAR
from .phrases import phrase_texts
from .rules import Rules, Table, select_rules

__all__ = [
    "SourceOrder",
    "limit_rules",
    "order_of",
    "restrict_features",
    "sort_rules",
    "source_order",
    "without_scores",
]


def restrict_features(table: Table, scores: Sequence[str]) -> Table:
    """The table with the named scores only, without sparse features."""
    columns = [table.score_names.index(name) for name in scores]
    return replace(
        table,
        scores=np.take(table.scores, columns, axis=1),
        score_names=tuple(scores),
        sparse=Ragged.empty(len(table)),
        sparse_names=(),
    )


def without_scores(table: Table, names: Sequence[str]) -> Table:
    """The table without some scores. Raises UsageError for a score that it lacks."""
    for name in names:
        if name not in table.score_names:
            raise UsageError(
                f"unknown score {name!r}; the table has {', '.join(table.score_names)}"
            )
    kept = [number for number, name in enumerate(table.score_names) if name not in names]
    return replace(
        table,
        scores=np.take(table.scores, kept, axis=1),
        score_names=tuple(table.score_names[number] for number in kept),
    )


def sort_rules(table: Table) -> Table:
    """The rules in the byte order of ``source ||| target |||``."""
    ranks = []
    for phrases in (table.source, table.target):
        texts = phrase_texts(phrases)
        rank = np.empty(len(texts), np.int64)
        rank[sorted(range(len(texts)), key=lambda k: texts[k] + BAR)] = np.arange(len(texts))
        ranks.append(rank)
    order = np.lexsort((ranks[1][table.rule_target], ranks[0][table.rule_source]))
    source = table.source.select(np.argsort(ranks[0]))
    # numbered anew, and in order whatever rows are taken
    numbered = replace(
        table, source=source, rule_source=np.zeros(len(table), np.int32), origin=None
    )
    rule_source = ranks[0][table.rule_source[order]].astype(np.int32)
    result = replace(select_rules(numbered, order), rule_source=rule_source)
    if table.origin is None or table.origin.rules.rule_source is not table.rule_source:
        return result
    origin = table.origin.select(table, result, order)
    if origin.rules.source is table.source:
        origin = replace(origin, rules=replace(origin.rules, source=source))
    return replace(result, origin=origin)


def limit_rules(table: Table, limit: int) -> Table:
    """At most ``limit`` rules of each source phrase: those with the highest third score, p(e|f)."""
    score = table.scores[:, min(2, table.scores.shape[1] - 1)]
    order = np.lexsort((table.rule_target, -score, table.rule_source))
    groups = table.rule_source[order]
    starts = np.searchsorted(groups, groups)
    keep = order[np.arange(len(order)) - starts < limit]
    return select_rules(table, np.sort(keep))


@dataclass(frozen=True)
class SourceOrder:
    """Whether source phrases rise; as Python and the C locale compare text, code by code.

    fall: the rule at which they don't, None = they do
    phrase, previous: the source phrase there and the one before it; else the last one and ""
    """

    fall: int | None
    phrase: str
    previous: str


def source_order(table: Rules, before: str = "") -> SourceOrder:
    """Check the order of a table's source phrases; the first must come after ``before``."""
    return order_of(phrase_texts(table.source), table.rule_source, before)


def order_of(sources: list[str], rules: NDArray[np.int32], before: str) -> SourceOrder:
    """Check the order of source phrases given as text.

    rules: int32[num_rules], the place of each rule's source phrase in ``sources``
    """
    for row in run_starts(rules).tolist():
        phrase = sources[rules[row]]
        if before and not before + BAR < phrase + BAR:
            return SourceOrder(row, phrase, before)
        before = phrase
    return SourceOrder(None, before, "")
