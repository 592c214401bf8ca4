"""The fields of rules as text: as they stood in the lines they were read from, where unchanged.

A line's text is used wherever the value that was read from it is still the table's: column by
column and, of scores and counts, rule by rule. So whatever a feature does to a table, what it
leaves alone keeps its digits, and what it changes is shown anew.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError

from .columns import entry_texts, format_numbers
from .formats import MOSES, RuleTexts, TableFormat
from .phrases import phrase_texts
from .rules import Rules, select_rules

__all__ = ["check_scores", "format_rules", "rule_texts"]

_RULES = 1 << 16  # rules put together at a time; bounds memory

_Show = Callable[[NDArray[np.float64]], list[str]]


def rule_texts(
    table: Rules, format: TableFormat, source: list[str], target: list[str]
) -> RuleTexts:
    """Fields of rules, as they stood in the lines they were read from where nothing has changed."""
    origin = table.origin if table.origin is not None and table.origin.format == format else None
    before = kept = None
    if origin is not None and len(origin.lines) == len(table):
        before = origin.rules
        kept = format.original(origin.lines.tolist(), before.score_names)
    scores: list[Sequence[str]] = []
    for column, name in enumerate(table.score_names):
        values = table.scores[:, column]
        show = _shown_scores(format, name)
        if before is None or kept is None or name not in before.score_names:
            scores.append(show(values))
        else:
            old_column = before.score_names.index(name)
            scores.append(
                _kept_or(
                    kept.scores[old_column], values == before.scores[:, old_column], values, show
                )
            )
    return RuleTexts(
        [source[number] for number in table.rule_source.tolist()],
        [target[number] for number in table.rule_target.tolist()],
        table.score_names,
        scores,
        _link_texts(table, before, kept),
        _count_texts(table, before, kept),
        _sparse_texts(table, format, before, kept),
        [""] * len(table) if table.properties is None else table.properties.tolist(),
    )


def _shown_scores(format: TableFormat, name: str) -> _Show:
    return lambda values: format.score_texts(name, values)


def _kept_or(
    kept: Sequence[str], same: NDArray[np.bool_], values: NDArray[np.float64], show: _Show
) -> Sequence[str]:
    """The old text where the values are the same, new text elsewhere."""
    if same.all():
        return kept
    texts = list(kept)
    changed = np.flatnonzero(~same)
    for row, text in zip(changed.tolist(), show(values[changed]), strict=True):
        texts[row] = text
    return texts


def _link_texts(table: Rules, before: Rules | None, kept: RuleTexts | None) -> Sequence[str]:
    if before is not None and kept is not None and table.links == before.links:
        return kept.links
    return entry_texts(table.links, lambda link, _: f"{link >> 8}-{link & 255}")


def _count_texts(table: Rules, before: Rules | None, kept: RuleTexts | None) -> Sequence[str]:
    def show(counts: NDArray[np.float64]) -> list[str]:
        columns = [format_numbers(column) for column in counts.T]
        texts = map(" ".join, zip(*columns, strict=True))
        given: list[bool] = (counts != 0.0).any(axis=1).tolist()
        return [text if known else "" for text, known in zip(texts, given, strict=True)]

    if before is None or kept is None:
        return show(table.counts)
    same = (table.counts == before.counts).all(axis=1)
    return _kept_or(kept.counts, same, table.counts, show)


def _sparse_texts(
    table: Rules, format: TableFormat, before: Rules | None, kept: RuleTexts | None
) -> Sequence[str]:
    names = table.sparse_names

    def show(number: int, value: float) -> str:
        return format.sparse_entry(names[number], value)

    if before is None or kept is None or names[: len(before.sparse_names)] != before.sparse_names:
        return entry_texts(table.sparse, show)
    if table.sparse is before.sparse:
        return kept.sparse
    added = table.sparse.without_prefix(before.sparse)
    if added is None:
        return entry_texts(table.sparse, show)
    texts = entry_texts(added, show)
    return [
        f"{first} {more}" if first and more else first or more
        for first, more in zip(kept.sparse, texts, strict=True)
    ]


def format_rules(table: Rules, format: TableFormat = MOSES) -> Iterator[str]:
    """The lines of a table in a format.

    What was read from a file of the same format and has not changed since has the file's digits,
    and an unchanged rule its line. A score of 0 is written as e^-100, which is what decoders take
    its logarithm for.

    Raises DataError for a score below 0, or where there is none.
    """
    origin = table.origin
    if origin is not None and origin.format == format and origin.still_holds(table):
        yield from origin.lines
        return
    check_scores(table)
    source, target = phrase_texts(table.source), phrase_texts(table.target)
    for begin in range(0, len(table), _RULES):
        rows = np.arange(begin, min(begin + _RULES, len(table)))
        block = table if len(rows) == len(table) else select_rules(table, rows)
        yield from format.join(rule_texts(block, format, source, target))


def check_scores(table: Rules) -> None:
    """Raise DataError for a table without scores, or with one below 0."""
    if not table.score_names:
        raise DataError("no score remains", "at least one score per rule")
    if (table.scores < 0.0).any():
        rule, column = np.argwhere(table.scores < 0.0)[0].tolist()
        raise DataError(
            f"the score {table.score_names[column]} of rule {rule + 1} is "
            f"{table.scores[rule, column]:g}",
            "scores above 0, because decoders use their logarithm",
        )
