"""Gold links of some sentence pairs of a text."""

import hashlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of, row_numbers
from ..errors import DataError, pluralize, shown_file, warn
from .classifier.learning import check_enough
from .formats.gold_formats import IdFiles, read_gold_keys, recognized
from .formats.kernels.pharaoh import MAX_PAIRS, PAIR_SHIFT
from .formats.tables import lines_of_links
from .gold_links import GoldLinks, parse_gold
from .links import Links

__all__ = ["GoldLines", "GoldSample", "placed", "read_gold_sample"]

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

        Raises DataError as :meth:`GoldLines.read` and :meth:`of`.
        """
        return cls.of(GoldLines.read(path, ids, len(lengths[0])), lengths, aim)

    @classmethod
    def of(
        cls,
        lines: "GoldLines",
        lengths: tuple[NDArray[np.int64], NDArray[np.int64]],
        aim: str,
        drawn: tuple[NDArray[np.int64], int] | None = None,
    ) -> Self:
        """Gold links that something can be learned from.

        lengths: int64[num_pairs] for each side; drawn: int64[num_pairs] and the number of all
            pairs; see :meth:`GoldLines.of`

        Raises DataError as :meth:`GoldLines.of` and :func:`check_enough`.
        """
        rows, links = lines.of(lengths, drawn)
        check_enough(np.diff(links.sure.offsets), lines.file)
        empty = int(np.count_nonzero(np.diff(links.possible.offsets) == 0))
        if empty > len(rows) / 2:
            warn(
                f"{shown_file(lines.file)}: {empty} of {len(rows)} pairs have no gold links. Use "
                f"{_NONE} for a pair without gold alignments"
            )
        return cls(rows, links, aim)

    def within(self, drawn: NDArray[np.int64]) -> Self:
        """The same links, of a text of some pairs. drawn: int64[n], rising, with all of ``rows``"""
        return self._replace(rows=np.searchsorted(drawn, self.rows))

    def part(self, begin: int, end: int) -> Self:
        """The links of the pairs from ``begin`` to before ``end``, as a text of their own."""
        first, last = np.searchsorted(self.rows, [begin, end])
        chosen = np.arange(first, last)
        return self._replace(rows=self.rows[first:last] - begin, links=self.links[chosen])

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


class GoldLines(NamedTuple):
    """Gold links of some lines of a text that may not be read yet.

    rows: int64[n], numbers of these lines, from 0; links: of these lines
    num_lines: that the gold links cover
    """

    rows: NDArray[np.int64]
    links: GoldLinks
    num_lines: int
    file: str | Path

    @classmethod
    def read(cls, path: str | Path, ids: IdFiles | None = None, num_pairs: int = MAX_PAIRS) -> Self:
        """Read gold links by line of a text, ``-`` for a pair without; later pairs may lack lines.

        In the NAACL format, pairs without links are without gold links.

        ids: files of token ids, for Scripture Burrito alignments
        num_pairs: sentence pairs of the text, where they are known

        Raises DataError for malformed lines.
        """
        lines = [*lines_of_links(path)]
        unlinked = {
            number for number, line in enumerate(lines) if line.rpartition("\t")[2].strip() == _NONE
        }  # the last column of XL-WA
        text: Iterable[str] = ["" if row in unlinked else line for row, line in enumerate(lines)]
        format, text = recognized(text, path)
        if format == "naacl":  # a line for each link, and none for a pair without
            numbers, gold = _numbered_gold(text, num_pairs, path)
            return cls(numbers, gold, int(numbers.max(initial=-1)) + 1, path)
        gold = parse_gold(text, path, format, ids=ids)
        rows = np.setdiff1d(np.arange(len(gold)), np.array(sorted(unlinked), np.int64))
        return cls(rows, gold[rows], len(gold), path)

    def of(
        self,
        lengths: tuple[NDArray[np.int64], NDArray[np.int64]],
        drawn: tuple[NDArray[np.int64], int] | None = None,
    ) -> tuple[NDArray[np.int64], GoldLinks]:
        """The numbers of the pairs of a text that have gold links, int64[n], and their links.

        lengths: int64[num_pairs] for each side, words of each sentence
        drawn: int64[num_pairs], increasing, and the number of all pairs: where lengths are those of
            some pairs, which all of these lines are among, the numbers of these

        Raises DataError for more lines than there are pairs, and for links outside of their pair.
        Pairs without words, such as those that were too long, have no gold links.
        """
        num_pairs = len(lengths[0]) if drawn is None else drawn[1]
        if self.num_lines > num_pairs:
            raise DataError(
                f"the gold links are of {pluralize(self.num_lines, 'sentence pair')}, but the text "
                f"has {num_pairs}",
                "gold links of the text, line by line",
                file=self.file,
                remedy=f"Use {_NONE} for a pair without gold links",
            )
        places = self.rows if drawn is None else np.searchsorted(drawn[0], self.rows)
        source, target = (side[places] for side in lengths)
        has_words = (source > 0) & (target > 0)
        rows, links = self.rows[has_words], self.links[np.flatnonzero(has_words)]
        known = np.zeros((2, self.num_lines), np.int64)
        known[:, rows] = source[has_words], target[has_words]
        placed(links.possible, rows, self.num_lines).check_range(known[0], known[1], self.file)
        return rows, links


def _numbered_gold(
    lines: Iterable[str], num_pairs: int, file: str | Path
) -> tuple[NDArray[np.int64], GoldLinks]:
    """Gold links in the NAACL format, and the numbers of the pairs that have some: int64[n]"""
    found = read_gold_keys(lines, file, "naacl", num_pairs)
    sure, possible = (np.array(keys, np.int64) for keys in found[:2])
    rows = np.unique(possible >> PAIR_SHIFT)

    def among_these(keys: NDArray[np.int64]) -> Links:
        inside = keys & ((1 << PAIR_SHIFT) - 1)
        row = np.searchsorted(rows, keys >> PAIR_SHIFT)
        return Links.from_keys(row << PAIR_SHIFT | inside, len(rows))

    return rows, GoldLinks(among_these(sure), among_these(possible))


def read_gold_sample(
    path: str | Path,
    lengths: tuple[NDArray[np.int64], NDArray[np.int64]],
    ids: IdFiles | None = None,
) -> tuple[NDArray[np.int64], GoldLinks]:
    """Read gold links by line of a text. See :meth:`GoldLines.read` and :meth:`GoldLines.of`.

    lengths: int64[num_pairs] for each side

    Returns numbers of pairs, int64[n], and their links.
    """
    return GoldLines.read(path, ids, len(lengths[0])).of(lengths)


def placed(links: Links, rows: NDArray[np.int64], num_pairs: int) -> Links:
    """The links of some pairs as links of their text, whose other pairs have none.

    links: of these pairs; rows: int64[n], their numbers, rising; num_pairs: of the text
    """
    counts = np.zeros(num_pairs, np.int64)
    counts[rows] = np.diff(links.offsets)
    return replace(links, offsets=offsets_of(counts))
