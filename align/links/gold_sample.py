"""Gold links of some sentence pairs of a text."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, pluralize
from .formats.gold_formats import IdFiles, recognized
from .formats.tables import lines_of_links
from .gold_links import GoldLinks, parse_gold

__all__ = ["read_gold_sample"]

_NONE = "-"  # in place of the links of a pair that nobody has linked


def read_gold_sample(
    path: str | Path, num_pairs: int, ids: IdFiles | None = None
) -> tuple[NDArray[np.int64], GoldLinks]:
    """Read gold links by line of a text, ``-`` for a pair without; later pairs may lack lines.

    In the NAACL format, pairs without links are without gold links.

    num_pairs: of the text; ids: files of token ids, for Scripture Burrito alignments

    Returns the numbers of the pairs that have gold links, int64[n], and their links. Raises
    DataError for malformed lines, and for more of them than there are pairs.
    """
    lines = [*lines_of_links(path)]
    unlinked = {number for number, line in enumerate(lines) if line.strip() == _NONE}
    text: Iterable[str] = ["" if number in unlinked else line for number, line in enumerate(lines)]
    format, text = recognized(text, path)
    gold = parse_gold(text, path, format, ids=ids)
    if len(gold) > num_pairs:
        raise DataError(
            f"the gold links are of {pluralize(len(gold), 'sentence pair')}, but the text has "
            f"{num_pairs}",
            "gold links of the text, line by line",
            file=path,
            remedy=f"Use {_NONE} for a pair without gold links",
        )
    if format == "naacl":  # a line for each link, and none for a pair without
        rows = np.flatnonzero(np.diff(gold.possible.offsets))
    else:
        rows = np.setdiff1d(np.arange(len(gold)), np.array(sorted(unlinked), np.int64))
    return rows, gold[rows]
