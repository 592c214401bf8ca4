"""The commonest spelling of phrases that were counted in lower case."""

import numpy as np
from numpy.typing import NDArray

from ..extraction.phrases import Side
from .spans import places

__all__ = ["commonest_spellings"]

Columns = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


def commonest_spellings(folded: Side, written: Side, keys: NDArray[np.int64]) -> NDArray[np.int32]:
    """Where each phrase stands first in the spelling that it has most often: int32[m].

    Of equally frequent spellings the one that comes first in the text is taken.

    folded, written: the same text, in lower case and as it stands
    keys: int64[m], of phrases of ``folded`` that occur in it, different and rising
    """
    parts = []
    for rows, phrases in places(folded, keys):
        spelling, positions = written.keys(phrases), phrases.positions.astype(np.int64)
        parts.append(_summed((rows, spelling, positions, np.ones(len(rows), np.int64))))
    none = np.zeros(0, np.int64)
    columns = zip(*parts, (none, none, none, none), strict=True)
    rows, _, positions, counts = _summed(_four(tuple(map(np.concatenate, columns))))
    order = np.lexsort((positions, -counts, rows))
    first = order[np.searchsorted(rows[order], np.arange(len(keys)))]
    return positions[first].astype(np.int32)


def _summed(columns: Columns) -> Columns:
    """Rows of a table by phrase and spelling: least position and summed counts of each."""
    rows, spelling, positions, counts = columns
    order = np.lexsort((positions, spelling, rows))
    rows, spelling, positions, counts = _four(tuple(column[order] for column in columns))
    new = np.ones(len(rows), np.bool_)
    new[1:] = (np.diff(rows) | np.diff(spelling)) != 0
    starts = np.flatnonzero(new)
    sums = np.add.reduceat(counts, starts) if len(starts) else counts
    return rows[starts], spelling[starts], positions[starts], sums


def _four(columns: tuple[NDArray[np.int64], ...]) -> Columns:
    one, two, three, four = columns
    return one, two, three, four
