"""Dense and sparse scores that count: how often a rule was seen, unlinked words, the rule itself.

Decoders take the logarithm of a table's scores, so that the column of a feature with value x holds
e^x, as Moses' phrase penalty 2.718 stands for one rule. Everything works on a block of a table.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.align.files.numerals import parse_whole
from isogloss.align.text.corpus import Corpus

from ..table.phrase_table import PhraseTable

__all__ = [
    "COUNT_FEATURES",
    "CountBins",
    "add_count_features",
    "low_count",
    "phrase_penalty",
    "rule_count",
    "source_count",
    "source_deletions",
    "target_count",
    "target_insertions",
    "target_words",
    "unique_rule",
]

_ROUNDING = 1e-5  # a sum of weights so little above an integer is that integer


def _rule_counts(table: PhraseTable) -> NDArray[np.float64]:
    return table.rule_counts("Extract the table again, or omit the scores that need counts")


def rule_count(table: PhraseTable) -> NDArray[np.float64]:
    """Log rule count (Green et al. 2013): value log c(f, e), column c(f, e), float64[num_rules].

    Raises DataError for rules without counts, as do the other functions of counts.
    """
    return _rule_counts(table).copy()


def source_count(table: PhraseTable) -> NDArray[np.float64]:
    """c(s) of Clark et al. (2014), Table 3: value log c(f), column c(f), float64[num_rules]."""
    _rule_counts(table)
    return table.counts[:, 1].copy()


def target_count(table: PhraseTable) -> NDArray[np.float64]:
    """The same of the target phrase: value log c(e), column c(e), float64[num_rules]."""
    _rule_counts(table)
    return table.counts[:, 0].copy()


def target_words(table: PhraseTable) -> NDArray[np.float64]:
    """Target words of the rule, whose sum is a decoder's word penalty: value their number.

    For bins beside that penalty (Clark et al. 2014). Returns e^value: float64[num_rules].
    """
    return np.exp(table.target.lengths[table.rule_target].astype(np.float64))


def unique_rule(table: PhraseTable) -> NDArray[np.float64]:
    """Unique-rule indicator (Green et al. 2013): value -1 where c(f, e) <= 1, else 0.

    Returns e^value: float64[num_rules].
    """
    return np.where(_rule_counts(table) <= 1 + _ROUNDING, math.exp(-1.0), 1.0)


def low_count(table: PhraseTable) -> NDArray[np.float64]:
    """Penalty of rare rules, Moses' ``--LowCountFeature``: value -1 / c(f, e).

    Returns e^value: float64[num_rules].
    """
    floor = np.finfo(np.float64).tiny  # a count near 0 would underflow
    return np.maximum(np.exp(-1.0 / np.maximum(_rule_counts(table), 1e-3)), floor)


def phrase_penalty(table: PhraseTable) -> NDArray[np.float64]:
    """Number of rules: value 1 each. Returns e: float64[num_rules]."""
    return np.full(len(table), math.e)


def _unlinked(
    phrases: Corpus, rules: NDArray[np.int32], positions: NDArray[np.int32], links: Ragged
) -> NDArray[np.float64]:
    """e^(words without link) of each rule; a rule that states no link counts none."""
    rule = row_numbers(links.offsets)
    linked = np.unique(rule * 256 + positions) // 256
    missing = phrases.lengths[rules] - np.bincount(linked, minlength=len(links))
    return np.exp(np.where(np.diff(links.offsets) > 0, missing, 0).astype(np.float64))


def source_deletions(table: PhraseTable) -> NDArray[np.float64]:
    """Source words without a link inside the rule: value their number.

    A rule that states no link at all says nothing about its words: value 0. Returns
    e^value: float64[num_rules].
    """
    return _unlinked(table.source, table.rule_source, table.links.ids >> 8, table.links)


def target_insertions(table: PhraseTable) -> NDArray[np.float64]:
    """Target words without a link inside the rule, as in :func:`source_deletions`.

    Returns e^value: float64[num_rules].
    """
    return _unlinked(table.target, table.rule_target, table.links.ids & 255, table.links)


COUNT_FEATURES: Mapping[str, Callable[[PhraseTable], NDArray[np.float64]]] = {
    "RuleCount": rule_count,
    "SourceCount": source_count,
    "TargetCount": target_count,
    "TargetWords": target_words,
    "UniqueRule": unique_rule,
    "LowCount": low_count,
    "SourceDeletion": source_deletions,
    "TargetInsertion": target_insertions,
    "PhrasePenalty": phrase_penalty,
}


def add_count_features(table: PhraseTable, names: Sequence[str]) -> PhraseTable:
    """The block with one more score per name of COUNT_FEATURES.

    Raises UsageError for an unknown name or one that the table has, DataError for rules without
    the counts that a score needs.
    """
    for name in names:
        if name not in COUNT_FEATURES:
            known = ", ".join(COUNT_FEATURES)
            raise UsageError(f"unknown count feature {name!r}; expected one of {known}")
    _check_new(names, table)
    if not names:
        return table
    return table.with_scores(names, np.stack([COUNT_FEATURES[name](table) for name in names], 1))


def _check_new(names: Sequence[str], table: PhraseTable) -> None:
    """Raise UsageError for a name that comes twice, or that the table has a score of."""
    for number, name in enumerate(names):
        if name in table.score_names or name in names[:number]:
            raise UsageError(f"the score {name!r} is repeated; pass each score once")


@dataclass(frozen=True)
class CountBins:
    """Indicators of low counts: one bin up to each limit, and one for the counts above.

    A count c(f, e) lies in the first bin with c <= limit, so fractions go up.

    limits: rising, 1 at least
    """

    limits: tuple[int, ...]

    def __post_init__(self) -> None:
        limits = self.limits
        rising = all(a < b for a, b in pairwise(limits))
        if not limits or limits[0] < 1 or not rising:
            raise UsageError(
                "limits of count bins must be increasing integers from 1, such as 1,2,3,5,10; got "
                f"{', '.join(map(str, limits)) or '(none)'}"
            )

    @classmethod
    def parse(cls, text: str) -> "CountBins":
        """Limits with commas or blanks between: ``1,2,3,5,10``. Raises UsageError."""
        try:
            return cls(tuple(parse_whole(limit) for limit in text.replace(",", " ").split()))
        except ValueError:
            raise UsageError(
                "limits of count bins must be increasing integers, such as 1,2,3,5,10; got "
                f"{text!r}"
            ) from None

    def _ranges(self, between: str) -> list[str]:
        """Counts of each bin: ``1``, ``4-5``, ``max``."""
        names, first = [], 1
        for limit in self.limits:
            names.append(str(limit) if limit == first else f"{first}{between}{limit}")
            first = limit + 1
        return [*names, "max"]

    @property
    def dense_names(self) -> tuple[str, ...]:
        """Names of the scores: ``CountBin.1``, ``CountBin.4-5``, ``CountBin.max``."""
        return tuple(f"CountBin.{counts}" for counts in self._ranges("-"))

    @property
    def sparse_names(self) -> tuple[str, ...]:
        """Names of the sparse features, as in Moses: ``cb_1``, ``cb_4_5``, ``cb_max``."""
        return tuple(f"cb_{counts}" for counts in self._ranges("_"))

    def assign(self, table: PhraseTable) -> NDArray[np.int64]:
        """Bin of each rule: int64[num_rules]. Raises DataError for rules without counts."""
        return np.searchsorted(self.limits, _rule_counts(table) - _ROUNDING, side="left")

    def dense(self, table: PhraseTable) -> PhraseTable:
        """The block with one score per bin, value 1 in the rule's bin and else 0.

        Moses' ``--CountBinFeature``. Raises UsageError for a table that has these scores.
        """
        _check_new(self.dense_names, table)
        in_bin = self.assign(table)[:, None] == np.arange(len(self.limits) + 1)
        return table.with_scores(self.dense_names, np.where(in_bin, math.e, 1.0))

    def sparse(self, table: PhraseTable) -> PhraseTable:
        """The block with the sparse indicator of each rule's bin: ``--SparseCountBinFeature``."""
        ids = self.assign(table).astype(np.int32)
        rows = Ragged(ids, np.ones(len(ids), np.float32), np.arange(len(ids) + 1))
        return table.with_sparse(self.sparse_names, rows)
