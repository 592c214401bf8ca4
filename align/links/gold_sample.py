"""Gold links of some sentence pairs of a text."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, row_numbers
from ..errors import DataError, pluralize
from .classifier.learning import check_enough
from .formats.gold_formats import IdFiles, recognized
from .formats.tables import lines_of_links
from .gold_links import GoldLinks, parse_gold
from .links import Links

__all__ = ["GoldSample", "placed", "read_gold_sample"]

_NONE = "-"  # in place of the links of a pair that nobody has linked


class GoldSample(NamedTuple):
    """Gold links of some pairs of a text.

    rows: int64[n], numbers of the pairs; links: of these pairs
    aim: that links are best for
    """

    rows: NDArray[np.int64]
    links: GoldLinks
    aim: str

    @classmethod
    def read(
        cls,
        path: str | Path,
        lengths: tuple[NDArray[np.int64], NDArray[np.int64]],
        aim: str,
        ids: IdFiles | None = None,
    ) -> Self:
        """Read gold links that something can be learned from.

        lengths: int64[num_pairs] for each side, words of each sentence

        Raises DataError as :func:`read_gold_sample` and :func:`check_enough`.
        """
        rows, links = read_gold_sample(path, lengths, ids)
        check_enough(np.diff(links.sure.offsets), path)
        return cls(rows, links, aim)

    def kept_in(self, links: Links) -> Links:
        """The gold links of these pairs, possible ones too, and those of ``links`` of the others.

        Where links have probabilities, gold links get 1.
        """
        gold = placed(self.links.possible, self.rows, len(links))
        others = ~np.isin(row_numbers(links.offsets), self.rows)
        keys = np.concatenate([gold.keys(), links.keys()[others]])
        if links.probability is None:
            return Links.from_keys(keys, len(links))
        sure = np.ones(len(gold.source), np.float32)
        chances = np.concatenate([sure, links.probability[others]])
        return Links.from_scored_keys(keys, chances, len(links))

    def fingerprint(self, training: str) -> str:
        """That of a training which these links teach afterwards. training: its own"""
        digest = hashlib.sha256(training.encode())
        for array in (self.rows, self.links.sure.keys(), self.links.possible.keys()):
            digest.update(array.tobytes())
        digest.update(self.aim.encode())
        return digest.hexdigest()


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
