"""Scores that count as they are: P, where decoders take log P (Clark et al. 2014, Table 3)."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from isogloss.align.errors import DataError, UsageError

from ..table.phrase_table import PhraseTable

__all__ = ["raw_score_name", "with_raw_values"]

_LARGEST = 700.0  # e^710 is infinite


def raw_score_name(name: str) -> str:
    """Name of a score's raw values."""
    return f"Raw.{name}"


def with_raw_values(table: PhraseTable, names: Sequence[str]) -> PhraseTable:
    """The table, or a block of one, with raw values in place of some of its scores.

    Decoders take the logarithm of a table's scores, so that the column ``Raw.NAME`` holds e^x for a
    score of x.

    Raises UsageError for a score that the table lacks, or that is named twice, DataError for a
    value above 700, whose exponential no decoder could read.
    """
    columns = list(table.score_names)
    for number, name in enumerate(names):
        if name not in columns or name in names[:number]:
            raise UsageError(
                f"raw scores must be distinct names of {', '.join(columns)}; got {name!r}"
            )
    chosen = [columns.index(name) for name in names]
    values = table.scores[:, chosen]
    if (values > _LARGEST).any():
        row, column = np.argwhere(values > _LARGEST)[0].tolist()
        raise DataError(
            f"the score {names[column]} of a rule is {values[row, column]:g}",
            f"at most {_LARGEST:g}, because decoders read e^x",
            remedy="Discretize the score; its bins do not depend on the scale",
        )
    scores = table.scores.copy()
    scores[:, chosen] = np.exp(values)
    renamed = tuple(raw_score_name(name) if name in names else name for name in columns)
    return replace(table, scores=scores, score_names=renamed)
