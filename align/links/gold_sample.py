"""Gold links of some sentence pairs of a text."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of
from ..errors import DataError, pluralize
from .formats.gold_formats import IdFiles, recognized
from .formats.tables import lines_of_links
from .gold_links import GoldLinks, parse_gold
from .links import Links

__all__ = ["placed", "read_gold_sample"]

_NONE = "-"  # in place of the links of a pair that nobody has linked


def read_gold_sample(
    path: str | Path,
    lengths: tuple[NDArray[np.int64], NDArray[np.int64]],
    ids: IdFiles | None = None,
) -> tuple[NDArray[np.int64], GoldLinks]:
    """Read gold links by line of a text, ``-`` for a pair without; later pairs may lack lines.

    In the NAACL format, pairs without links are without gold links.

    lengths: int64[num_pairs] for each side, words of each sentence
    ids: files of token ids, for Scripture Burrito alignments

    Returns the numbers of the pairs that have gold links, int64[n], and their links. Raises
    DataError for malformed lines, for more of them than there are pairs, and for links outside of
    their pair. Pairs without words, such as those that were too long, have no gold links.
    """
    lines = [*lines_of_links(path)]
    unlinked = {number for number, line in enumerate(lines) if line.strip() == _NONE}
    text: Iterable[str] = ["" if number in unlinked else line for number, line in enumerate(lines)]
    format, text = recognized(text, path)
    num_pairs = len(lengths[0])
    gold = parse_gold(text, path, format, num_pairs if format == "naacl" else None, ids)
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
    has_words = (lengths[0] > 0) & (lengths[1] > 0)
    rows = rows[has_words[rows]]
    known = gold[rows]
    placed(known.possible, rows, num_pairs).check_range(*lengths, path)
    return rows, known


def placed(links: Links, rows: NDArray[np.int64], num_pairs: int) -> Links:
    """The links of some pairs as links of their text, whose other pairs have none.

    links: of these pairs; rows: int64[n], their numbers, rising; num_pairs: of the text
    """
    counts = np.zeros(num_pairs, np.int64)
    counts[rows] = np.diff(links.offsets)
    return replace(links, offsets=offsets_of(counts))
