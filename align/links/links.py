"""Links: word links of many sentence pairs as ragged columns; Pharaoh text in and out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.equality import ComparedByContent
from ..arrays.ragged import offsets_of, row_numbers, rows_rise, run_starts, select_rows, slice_rows
from ..arrays.row_choice import Rows, row_number, rows_chosen
from ..errors import DataError, check_argument, pluralize
from ..execution.calls import ExplainedClass, public
from ..files.outputs import check_unused
from ..files.tables.columns import Column
from ..files.tables.html import html_table
from ..files.tables.tabular import Tabular
from ..files.writers import write_lines
from .formats.gold_formats import IdFiles, read_gold_keys, recognized
from .formats.kernels.pharaoh import LONGEST, MAX_PAIRS, PAIR_SHIFT, SOURCE_SHIFT
from .formats.pharaoh import (
    DECIMALS,
    check_num_pairs,
    first_shown,
    key_blocks,
    listed_links,
    outside_pair,
    pharaoh_lines,
)
from .formats.tables import lines_of_links

_MAKE = "Links.from_pairs(lists)"
_ROWS = 10  # of a table in a notebook

__all__ = [
    "LONGEST",
    "MAX_PAIRS",
    "Links",
    "format_links",
    "parse_links",
]


@public
@dataclass(frozen=True, eq=False, repr=False)
class Links(ComparedByContent, Tabular, metaclass=ExplainedClass):
    """Word links: for each sentence pair a list of (source, target) positions.

    ``links[3]`` is the list of a pair; ``links[10:20]``, ``links[mask]`` and ``links[[4, 2]]`` are
    links of some pairs. Two of them are equal if their links and probabilities are. The links of a
    pair are unique, and sorted by (source, target).

    Parameters
    ----------
    source, target : ndarray of int32, shape (n_links,)
        Word positions, counted from 0.
    offsets : ndarray of int64, shape (n_pairs + 1,)
        Pair k has the links ``offsets[k]:offsets[k + 1]``.
    probability : ndarray of float32, shape (n_links,), default None
        Probability of each link; None if it is unknown.

    Raises
    ------
    DataError
        If a position is LONGEST or above, or there are more than MAX_PAIRS pairs.

    Examples
    --------
    >>> import isogloss as ig
    >>> links = ig.Links.from_pairs([[(0, 0), (1, 2)], [], [(0, 1)]])
    >>> links[0]
    [(0, 0), (1, 2)]
    >>> links[[True, False, True]] == links[[0, 2]]
    True
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    offsets: NDArray[np.int64]
    probability: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        for name in ("source", "target", "offsets"):
            check_argument(getattr(self, name), np.ndarray, name, "an array", _MAKE)
        if self.probability is not None and len(self.probability) != len(self.source):
            raise ValueError("either all links have a probability or none has")
        if len(self.source) != len(self.target) or self.offsets[-1] != len(self.source):
            raise ValueError("link columns must have equal lengths and end at the last offset")
        check_num_pairs(len(self))
        last = max(self.source.max(initial=0), self.target.max(initial=0))
        if last >= LONGEST:
            raise DataError(
                f"a link has the position {last}", f"positions below {LONGEST}",
                remedy="Split the sentence pair",
            )  # fmt: skip
        if not rows_rise(self.source, self.target, self.offsets):
            raise ValueError("the links of a pair must be sorted and unique")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> list[tuple[int, int]]: ...
    @overload
    def __getitem__(self, number: Rows) -> "Links": ...
    def __getitem__(self, number: int | Rows) -> "list[tuple[int, int]] | Links":
        if not isinstance(number, int | np.integer):
            return self.select(number)
        number = row_number(number, len(self), "sentence pair")
        rows = slice(self.offsets[number], self.offsets[number + 1])
        return list(zip(self.source[rows].tolist(), self.target[rows].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        return (self[number] for number in range(len(self)))

    def _repr_html_(self) -> str:
        rows = [(number, pharaoh) for number, pharaoh in enumerate(format_links(self[:_ROWS]))]
        title = repr(self).partition("; first")[0].removeprefix("Links(").rstrip(")")
        return html_table(f"Links: {title}", ("pair", "links"), rows, len(self) - len(rows))

    def __repr__(self) -> str:
        scored = "" if self.probability is None else " with probabilities"
        first = f"; first: {first_shown(self[0])}" if len(self) else ""
        return f"Links({len(self):,} sentence pairs, {len(self.source):,} links{scored}{first})"

    @classmethod
    def load(
        cls, path: str | Path, *, scored: bool | None = None, ids: IdFiles | None = None
    ) -> "Links":
        """Read links from a file.

        Parameters
        ----------
        path : str or Path
            Plain or compressed text such as ``0-0 1-2:0.87``, a line per pair; ``-`` is standard
            input. The formats of :meth:`GoldLinks.load` are recognized.
        scored : bool, default None
            True keeps the probabilities, with 1 for a link that has none. False drops them, and
            scores that are not probabilities. None keeps them if all links have one.
        ids : (str or Path, str or Path), optional
            Files of token ids, for Scripture Burrito alignments; see :meth:`GoldLinks.load`.

        Returns
        -------
        Links

        Raises
        ------
        DataError
            If the file can't be read, a token isn't a link, or a score isn't a probability.

        Examples
        --------
        >>> import isogloss as ig
        >>> links = ig.Links.from_pairs([[(0, 0), (1, 2)], [(0, 1)]])
        >>> links.save("links.gz")
        >>> ig.Links.load("links.gz") == links
        True
        """
        format, lines = recognized(lines_of_links(path), path)
        if format != "pharaoh":
            _, keys, count = read_gold_keys(lines, path, format, None, ids)
            return cls.from_keys(np.array(keys, np.int64), count)
        links = parse_links(lines, path, scored=scored)
        return links.unscored() if scored is None and not len(links.source) else links

    def save(
        self, path: str | Path | None, *, overwrite: bool | None = None, decimals: int | None = None
    ) -> None:
        """Write the links as Pharaoh text, one line per sentence pair.

        Parameters
        ----------
        path : str, Path or None
            Compressed if it ends in .gz, .bz2, .xz or .zst; ``-`` and None are standard output.
        overwrite : bool, optional
            Whether an existing file or folder is replaced, or else an error. Default: a file is
            replaced, a folder is an error.
        decimals : int, optional
            Decimals of the probabilities; commands write 4. Default: as many as :meth:`load` needs
            to read equal links.

        Raises
        ------
        ModelError
            If the path exists and may not be replaced.
        OutputError
            If the file can't be written.

        Examples
        --------
        >>> import isogloss as ig
        >>> ig.Links.from_pairs([[(0, 0), (1, 2)], [(0, 1)]]).save("-")
        0-0 1-2
        0-1
        """
        check_unused(path, overwrite)
        write_lines(format_links(self, decimals), path)

    def table_columns(self) -> dict[str, Column]:
        """Return columns of one row per link: pair, source, target, perhaps probability."""
        columns: dict[str, Column] = {
            "pair": row_numbers(self.offsets),
            "source": self.source,
            "target": self.target,
        }
        if self.probability is not None:
            columns["probability"] = self.probability
        return columns

    def keys(self) -> NDArray[np.int64]:
        """Pack pair, source and target of each link into a number: int64[num_links]."""
        keys = row_numbers(self.offsets)
        keys <<= PAIR_SHIFT
        keys |= self.source.astype(np.int64) << SOURCE_SHIFT
        keys |= self.target
        return keys

    @classmethod
    def from_keys(cls, keys: NDArray[np.int64], num_pairs: int) -> "Links":
        """Make links of what :meth:`keys` returns.

        Parameters
        ----------
        keys : ndarray of int64, shape (n,)
            In any order, repeats allowed.
        num_pairs : int

        Returns
        -------
        Links
        """
        if not (keys[1:] > keys[:-1]).all():
            keys = np.sort(keys)
            keys = keys[run_starts(keys)]
        offsets = np.searchsorted(keys, np.arange(num_pairs + 1) << PAIR_SHIFT)
        source, target = keys >> SOURCE_SHIFT & (LONGEST - 1), keys & (LONGEST - 1)
        return cls(source.astype(np.int32), target.astype(np.int32), offsets.astype(np.int64))

    @classmethod
    def from_scored_keys(
        cls, keys: NDArray[np.int64], probability: NDArray[np.float32], num_pairs: int
    ) -> "Links":
        """Make links of keys and probabilities; duplicates keep their highest one.

        Parameters
        ----------
        keys : ndarray of int64, shape (n,)
            See :meth:`from_keys`.
        probability : ndarray of float32, shape (n,)
        num_pairs : int

        Returns
        -------
        Links
        """
        if not (keys[1:] > keys[:-1]).all():
            order = np.argsort(keys, kind="stable")  # linear for a few rising runs
            keys, probability = keys[order], probability[order]
            first = run_starts(keys)
            if len(first) < len(keys):
                probability = np.maximum.reduceat(probability, first)
            keys = keys[first]
        links = cls.from_keys(keys, num_pairs)
        return cls(links.source, links.target, links.offsets, probability)

    def reversed(self) -> "Links":
        """Swap source and target."""
        pair = row_numbers(self.offsets)
        order = np.argsort(
            pair << PAIR_SHIFT | self.target.astype(np.int64) << SOURCE_SHIFT | self.source
        )
        sure = None if self.probability is None else self.probability[order]
        return Links(self.target[order], self.source[order], self.offsets, sure)

    def unscored(self) -> "Links":
        """Drop the probabilities."""
        return Links(self.source, self.target, self.offsets)

    def select(self, rows: Rows) -> "Links":
        """Return the links of some sentence pairs, in the order given.

        Parameters
        ----------
        rows : slice, list of int, or ndarray of int64 or bool
            Indices of pairs, or a boolean mask.

        Returns
        -------
        Links

        Raises
        ------
        IndexError
            If a number is out of range, or a mask has another length.
        """
        places, offsets = select_rows(self.offsets, rows_chosen(rows, len(self), "sentence pairs"))
        sure = None if self.probability is None else self.probability[places]
        return Links(self.source[places], self.target[places], offsets, sure)

    def part(self, first: int, count: int | None = None) -> "Links":
        """Return the links of consecutive sentence pairs.

        Parameters
        ----------
        first : int
            Number of the first pair, counted from 0.
        count : int, optional
            Number of pairs; default: all that follow.

        Returns
        -------
        Links
        """
        end = None if count is None else first + count
        rows, offsets = slice_rows(self.offsets, first, end)
        sure = None if self.probability is None else self.probability[rows]
        return Links(self.source[rows], self.target[rows], offsets, sure)

    @classmethod
    def joined(cls, parts: Sequence["Links"]) -> "Links":
        """Concatenate the links of consecutive parts of a bitext.

        Parameters
        ----------
        parts : sequence of Links
            Probabilities are kept if all parts have them.

        Returns
        -------
        Links
        """
        scores = [part.probability for part in parts if part.probability is not None]
        return cls(
            np.concatenate([np.zeros(0, np.int32), *(part.source for part in parts)]),
            np.concatenate([np.zeros(0, np.int32), *(part.target for part in parts)]),
            offsets_of(
                np.concatenate([np.zeros(0, np.int64), *(np.diff(part.offsets) for part in parts)])
            ),
            np.concatenate(scores) if parts and len(scores) == len(parts) else None,
        )

    @classmethod
    def from_pairs(cls, pairs: Iterable[Iterable[Sequence[int]]]) -> "Links":
        """Build links from lists of (source, target), one list per sentence pair.

        Parameters
        ----------
        pairs : iterable of iterables of (int, int)
            Positions counted from 0, in any order.

        Returns
        -------
        Links
            Without probabilities.

        Raises
        ------
        WrongTypeError
            If it holds something else, such as the text of links.
        DataError
            If a position is negative.
        """
        rows = list(listed_links(pairs))
        offsets = offsets_of([len(row) for row in rows])
        flat = np.array([link for row in rows for link in row], np.int64).reshape(-1, 2)
        if flat.min(initial=0) < 0:
            raise DataError(f"a link has the position {flat.min()}", "positions of at least 0")
        narrow = np.minimum(flat, np.iinfo(np.int32).max).astype(np.int32)  # too large is told
        return cls(narrow[:, 0].copy(), narrow[:, 1].copy(), offsets)

    def check_range(
        self,
        source_lengths: NDArray[np.int64],
        target_lengths: NDArray[np.int64],
        file: str | Path | None = None,
    ) -> None:
        """Check that each link is inside its sentence pair.

        Parameters
        ----------
        source_lengths, target_lengths : ndarray of int64, shape (n_pairs,)
            Words of each sentence.
        file : str or Path, optional

        Raises
        ------
        DataError
            If a link is outside, or there are more or fewer pairs.
        """
        if len(self) != len(source_lengths):
            raise DataError(
                f"the links have {pluralize(len(self))}",
                f"{len(source_lengths)}, one per sentence pair",
                file=file,
                remedy="Pass the links of this text",
            )
        pair = row_numbers(self.offsets)
        bad = (self.source >= source_lengths[pair]) | (self.target >= target_lengths[pair])
        bad |= (self.source < 0) | (self.target < 0)
        if bad.any():
            row = int(np.argmax(bad))
            line = int(pair[row])
            link = int(self.source[row]), int(self.target[row])
            lengths = int(source_lengths[line]), int(target_lengths[line])
            raise outside_pair(link, lengths, file, line + 1)


def parse_links(
    lines: Iterable[str], file: str | Path | None = None, *, scored: bool | None = False
) -> Links:
    """Read Pharaoh text, one line per pair. scored: see :meth:`Links.load`

    Raises DataError for a token that isn't a link, and for a score that isn't a probability.
    """
    keys, values, number = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)], 0
    for block, scores, count in key_blocks(lines, file, scored):
        keys.append(block)
        if scores is None:
            scored = False
        else:
            values.append(scores)
        number += count
        check_num_pairs(number, file)
    if scored is False:
        return Links.from_keys(np.concatenate(keys), number)
    return Links.from_scored_keys(np.concatenate(keys), np.concatenate(values), number)


def format_links(links: Links, decimals: int | None = DECIMALS) -> Iterator[str]:
    """Pharaoh text, one line per pair, without line ends; ``0-0:0.9731`` where links are scored.

    decimals: of the scores; None = those that give the same float32
    """
    return pharaoh_lines(links.source, links.target, links.offsets, links.probability, decimals)
