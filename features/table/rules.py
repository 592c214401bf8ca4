"""Rules: the columns of a phrase table, and the lines that they were read from."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent, same_content
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.corpus import Corpus

from .formats import TableFormat

__all__ = ["Origin", "Rules", "Table", "select_rules"]


@dataclass(frozen=True, eq=False)
class Rules(ComparedByContent):
    """Translation rules, sorted by source phrase; :class:`PhraseTable` adds files and text to them.

    source, target: the distinct phrases of each side, as corpora
    rule_source, rule_target: int32[num_rules], phrase numbers; equal sources are neighbors. Files
        have rules in the byte order of ``source ||| target |||`` (the C locale's)
    scores: float64[num_rules, num_scores], probabilities, or other numbers whose logarithms
        decoders take
    score_names: their names, without underscores
    links: phrase-internal links; id = source position * 256 + target position
    counts: float64[num_rules, 3], c(e), c(f), c(f, e); 0 where the file has none
    sparse: sparse features, ids into sparse_names
    sparse_names: their names, with underscores
    properties: str[num_rules], what follows the sparse features in the file; None
        = nothing does
    origin: the text the rules were read from; None = they weren't, or it isn't kept
    """

    source: Corpus
    target: Corpus
    rule_source: NDArray[np.int32]
    rule_target: NDArray[np.int32]
    scores: NDArray[np.float64]
    score_names: tuple[str, ...]
    links: Ragged
    counts: NDArray[np.float64]
    sparse: Ragged
    sparse_names: tuple[str, ...]
    properties: NDArray[np.object_] | None = None
    origin: "Origin | None" = field(default=None, compare=False)

    def __post_init__(self) -> None:
        num_rules = len(self.rule_source)
        if self.scores.shape != (num_rules, len(self.score_names)):
            raise ValueError("scores must have one column per name")
        if not np.isfinite(self.scores).all():
            raise ValueError("scores must be finite")
        if len(self.links.offsets) != num_rules + 1 or len(self.sparse.offsets) != num_rules + 1:
            raise ValueError("links and sparse features must have one row per rule")
        if self.properties is not None and len(self.properties) != num_rules:
            raise ValueError("properties must have one string per rule")
        if (np.diff(self.rule_source) < 0).any():
            raise ValueError("rules must be sorted by source phrase")

    def __len__(self) -> int:
        return len(self.rule_source)

    def with_scores(self, names: Sequence[str], columns: NDArray[np.float64]) -> Self:
        """Return the table with additional scores.

        Parameters
        ----------
        names : sequence of str
        columns : ndarray of float64, shape (n_rules, n_names)
            Values of each score.

        Returns
        -------
        PhraseTable
        """
        return replace(
            self,
            scores=np.hstack([self.scores, columns]),
            score_names=(*self.score_names, *names),
        )

    def with_sparse(self, names: Sequence[str], rows: Ragged) -> Self:
        """Return the table with additional sparse features.

        Parameters
        ----------
        names : sequence of str
        rows : Ragged
            Features of each rule; ids index ``names``.

        Returns
        -------
        PhraseTable
        """
        return replace(
            self,
            sparse=self.sparse.hstack(rows, len(self.sparse_names)),
            sparse_names=(*self.sparse_names, *names),
        )


_PER_RULE = (
    "rule_source", "rule_target", "scores", "links", "counts", "sparse", "properties",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Origin:
    """The lines that rules were read from; a value that has not changed is written with its digits.

    format: of the lines
    lines: str[num_rules]
    rules: what was read from them; a value of the table that still equals it has its text
    """

    format: TableFormat
    lines: NDArray[np.object_]
    rules: Rules

    def select(self, table: Rules, chosen: Rules, keep: NDArray[np.int64]) -> "Origin":
        """Some of the lines; ``chosen`` are those rules of ``table``, whose columns are shared.

        keep: int64[n], rising numbers of rules
        """
        columns = {
            name: getattr(chosen, name)
            if getattr(self.rules, name) is getattr(table, name)
            else _rows_of(getattr(self.rules, name), keep)
            for name in _PER_RULE
        }
        return Origin(self.format, self.lines[keep], replace(self.rules, **columns))

    def still_holds(self, table: Rules) -> bool:
        """Whether the lines are still the table's: nothing was changed, added or left out."""
        return (
            table.source is self.rules.source
            and table.target is self.rules.target
            and table.score_names == self.rules.score_names
            and table.sparse_names == self.rules.sparse_names
            and all(
                same_content(getattr(table, name), getattr(self.rules, name)) for name in _PER_RULE
            )
        )


def _rows_of(column: Any, keep: NDArray[np.int64]) -> Any:
    if column is None:
        return None
    return column.select(keep) if isinstance(column, Ragged) else column[keep]


def _range_of(column: Any, begin: int, end: int) -> Any:
    if column is None:
        return None
    return column.part(begin, end) if isinstance(column, Ragged) else column[begin:end]


Table = TypeVar("Table", bound=Rules)


def select_rules(table: Table, keep: NDArray[np.int64]) -> Table:
    """Some of the rules, over the same phrases.

    keep: int64[n], rising numbers of rules
    """
    columns = {name: _rows_of(getattr(table, name), keep) for name in _PER_RULE}
    chosen = replace(table, **columns, origin=None)
    if table.origin is None:
        return chosen
    return replace(chosen, origin=table.origin.select(table, chosen, keep))


def rule_range(table: Table, begin: int, end: int) -> Table:
    """The rules ``begin`` to ``end`` (not included), as views over the same phrases."""
    columns = {name: _range_of(getattr(table, name), begin, end) for name in _PER_RULE}
    return replace(table, **columns, origin=None)
