"""Lexicalized reordering models of a decoder: tables whose rows are those of its rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import DataError, UsageError, pluralize, warn
from isogloss.features.extraction.reordering import CLASSES, ReorderingModel, read_reordering_table
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts

from .kernels.reordering import (
    NUM_CLASSES,
    Columns,
    Reordering,
    orientation_scores,
    reordering_features,
)

__all__ = ["Orientations", "ReorderingTable", "orientation_names", "step_classes"]

_PREFIX = "LexR"
_HIERARCHICAL = "hier"


@dataclass(frozen=True, eq=False)
class ReorderingTable(ComparedByContent):
    """A lexicalized reordering model, as far as the rules of a phrase table need it.

    Orientations during the search are those of phrases (Koehn et al. 2005), as in Moses, where
    those of the table were counted by word links (wbe) or phrases. In hierarchical models they
    are those of the block on top of a stack, and with regard to what comes next those of a block
    that can still take in all words between (Galley & Manning 2008). For these Moses asks only
    that the one word beside the last phrase is open.

    model: what its columns stand for
    logs: float32[num_rules, num_columns], natural logs of the probabilities; 0 throughout for a
        rule that the table lacks, which is what Moses does
    """

    model: ReorderingModel
    logs: NDArray[np.float32]

    @classmethod
    def read(
        cls, path: str | Path, model: ReorderingModel, table: PhraseTable
    ) -> "ReorderingTable":
        """Read the rows of a phrase table's rules from a Moses reordering table, plain or gz.

        Warns (DataWarning) where most rules have no row. Raises DataError where none has, and as
        :func:`isogloss.features.extraction.reordering.read_reordering_table` does.
        """
        rows = _RuleRows(table, model.condition)
        logs = np.zeros((len(table), len(model.columns)), np.float32)
        found = 0
        for block in read_reordering_table(path, model):
            rules, of_row = rows.find(block.source, block.target)
            logs[rules] = np.log(block.scores[of_row])
            found += len(rules)
        if found == 0 and len(table) > 0:
            raise DataError(
                "the table has no row for any rule of the phrase table",
                "a reordering table of the same system",
                file=path,
            )
        if 2 * found < len(table):
            warn(
                f"{path} has rows for only {found} of {pluralize(len(table), 'rule')} of the "
                "phrase table; the others score 0. Check that the table belongs to this system"
            )
        return cls(model, logs)


class _RuleRows:
    """Finds the rules that rows of a reordering table are for."""

    def __init__(self, table: PhraseTable, condition: str) -> None:
        self._sources = {text: k for k, text in enumerate(phrase_texts(table.source))}
        self._targets: dict[str, int] | None = None
        keys = table.rule_source.astype(np.int64)
        if condition == "fe":
            self._targets = {text: k for k, text in enumerate(phrase_texts(table.target))}
            keys = keys * len(self._targets) + table.rule_target
        self._rules = np.argsort(keys, kind="stable")
        self._keys = keys[self._rules]

    def find(
        self, sources: Sequence[str], targets: Sequence[str]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Rules of some rows, and the row of each: int64[num], int64[num]."""
        keys = _numbers(self._sources, sources)
        if self._targets is not None:
            others = _numbers(self._targets, targets)
            keys = np.where((keys >= 0) & (others >= 0), keys * len(self._targets) + others, -1)
        begin = np.searchsorted(self._keys, keys, "left")
        counts = np.searchsorted(self._keys, keys, "right") - begin
        rows = np.repeat(np.arange(len(keys)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        return self._rules[begin[rows] + within], rows


def _numbers(known: dict[str, int], texts: Iterable[str]) -> NDArray[np.int64]:
    return np.array([known.get(text, -1) for text in texts], np.int64)


def orientation_names(model: ReorderingModel, number: int) -> tuple[str, ...]:
    """The features of a decoder's reordering model; number: which of its models it is, from 0 on"""
    prefix = f"{_PREFIX}{number or ''}"
    return tuple(prefix + name.removeprefix(_PREFIX) for name in model.feature_names)


class Orientations:
    """The reordering models of a decoder as one table of columns.

    names: of the features; those of the first model as its own, as ``LexR.wbe.monotone.previous``,
        with ``LexR1`` and so on for the second and more
    """

    def __init__(self, tables: Sequence[ReorderingTable], num_rules: int) -> None:
        names: list[str] = []
        feature: list[int] = []
        for number, table in enumerate(tables):
            if len(table.logs) != num_rules:
                raise UsageError(
                    f"the reordering table has scores for {pluralize(len(table.logs), 'rule')}, "
                    f"but the phrase table has {num_rules}; read the reordering table for this "
                    "phrase table"
                )
            feature += [len(names) + k for k in _features_of(table.model)]
            names += orientation_names(table.model, number)
        self.names = tuple(names)
        self._feature = np.array(feature, np.int64)
        columns = [column for table in tables for column in _columns_of(table.model)]
        sides = np.array([side for side, _ in columns], np.int64)
        classes = np.zeros((len(columns), NUM_CLASSES), np.bool_)
        for column, (_, kinds) in enumerate(columns):
            classes[column, list(kinds)] = True
        of_blocks = [table.model.kind == _HIERARCHICAL for table in tables for _ in table.logs.T]
        logs = [np.zeros((num_rules, 0), np.float32), *(table.logs for table in tables)]
        self._columns = Columns(
            np.ascontiguousarray(np.concatenate(logs, axis=1)),
            sides,
            classes,
            np.array(of_blocks, np.bool_),
        )

    def scores(
        self,
        rules: NDArray[np.int64],
        weights: NDArray[np.float64],
        of_states: NDArray[np.float64],
    ) -> Reordering | None:
        """Weighted scores of options; None where there is nothing that has one.

        rules: int64[num_options], -1 = a copied word; weights: float64[len(names)]
        of_states: float64[2, num_options, 4], what state features add, see
            :meth:`isogloss.tune.decoder.state_features.StateFeatures.scores`
        """
        if not self.names and of_states.shape[1] == 0:
            return None
        own = weights[self._feature]
        return Reordering(*orientation_scores(rules, self._columns, own, of_states))

    def features(
        self,
        options: NDArray[np.int32],
        offsets: NDArray[np.int64],
        spans: tuple[NDArray[np.int32], NDArray[np.int32]],
        rules: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        """Values of the features in derivations: float64[n, len(names)].

        options: int32[total], options of each; offsets: int64[n + 1]; spans: int32[num_options]
        twice, begin and end of each option; rules: int64[num_options]
        """
        values = np.zeros((len(offsets) - 1, len(self.names)))
        if self.names:
            found = reordering_features(options, offsets, *spans, rules, self._columns)
            for column, feature in enumerate(self._feature.tolist()):
                values[:, feature] += found[:, column]
        return values


def step_classes(
    options: NDArray[np.int32],
    offsets: NDArray[np.int64],
    spans: tuple[NDArray[np.int32], NDArray[np.int32]],
) -> NDArray[np.int64]:
    """The orientation of each phrase of derivations to the one before it: int64[total].

    0 = monotone, 1 = swap, 2 = to the left, 3 = to the right; a derivation begins behind an empty
    phrase at 0. options: int32[total]; offsets: int64[n + 1]; spans: int32[num_options] twice,
    begin and end of each option
    """
    begin, end = spans[0][options].astype(np.int64), spans[1][options].astype(np.int64)
    before_begin, before_end = np.roll(begin, 1), np.roll(end, 1)
    first = offsets[:-1][np.diff(offsets) > 0]
    before_begin[first] = before_end[first] = 0
    return np.select(
        [begin == before_end, end == before_begin, begin < before_end], [0, 1, 2], default=3
    )


def _columns_of(model: ReorderingModel) -> list[tuple[int, tuple[int, ...]]]:
    """The neighbor and the orientations that each column of a model's table is for."""
    return [(side, kinds) for side in model.neighbors for kinds in CLASSES[model.classes].values()]


def _features_of(model: ReorderingModel) -> list[int]:
    """The feature that each column of a model's table adds to."""
    per_side = len(CLASSES[model.classes])
    columns = range(per_side * len(model.neighbors))
    return [column // per_side if model.collapsed else column for column in columns]
