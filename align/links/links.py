"""Links: word links of many sentence pairs as ragged columns; Pharaoh text in and out."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from textwrap import shorten
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError
from ..files.numerals import is_decimal, is_whole
from ..files.tables.columns import Column
from ..files.tables.tabular import Tabular
from ..ragged import offsets_of, per_entry, row_numbers, rows_of, run_starts, slice_rows
from .kernels.links import LONGEST, MOST_PAIRS, PAIR_SHIFT, SOURCE_SHIFT, parse_pharaoh

_BLOCK = 1 << 13  # lines read at a time
# Bytes up to which a text is parsed in Python: 1 MB takes 0.2 s. A kernel takes 0.01 s, and before
# that 0.7 s to load Numba.
_SHORT = 1 << 20
_SHOWN = 60  # characters of links that a representation shows

__all__ = [
    "LONGEST",
    "MOST_PAIRS",
    "GoldLinks",
    "Links",
    "check_num_pairs",
    "format_links",
    "parse_gold",
    "parse_links",
]


def check_num_pairs(count: int, file: str | Path | None = None) -> None:
    """Raise DataError for more sentence pairs than links and word pairs can be numbered for."""
    if count > MOST_PAIRS:
        raise DataError(
            f"{count} sentence pairs", f"at most {MOST_PAIRS}", file=file,
            remedy="Take parts of the text",
        )  # fmt: skip


@dataclass(frozen=True)
class Links(Tabular):
    """Links of sentence pairs.

    source, target: int32[num_links], 0-based word positions.
    offsets: int64[num_pairs + 1], the links of pair k are rows offsets[k]:offsets[k + 1].
    probability: float32[num_links] in [0, 1], how sure each link is, or None where not known.
    Within a pair the links are sorted by (source, target) and unique.

    Raises DataError for a position of LONGEST or above, and for more than MOST_PAIRS pairs.

    ``links[k]`` are those of pair k as a list of (source, target), ``links[i:j]`` those of some
    pairs as Links.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    offsets: NDArray[np.int64]
    probability: NDArray[np.float32] | None = None

    def __post_init__(self) -> None:
        if self.probability is not None and len(self.probability) != len(self.source):
            raise ValueError("links have one probability each, or none at all")
        if len(self.source) != len(self.target) or self.offsets[-1] != len(self.source):
            raise ValueError("link columns are equally long and end where the offsets end")
        check_num_pairs(len(self))
        last = max(self.source.max(initial=0), self.target.max(initial=0))
        if last >= LONGEST:
            raise DataError(
                f"a link of the position {last}", f"positions below {LONGEST}",
                remedy="Split the sentence pair",
            )  # fmt: skip
        keys = self.keys()
        if (keys[1:] <= keys[:-1]).any():
            raise ValueError("the links of a pair are sorted and unique")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> list[tuple[int, int]]: ...
    @overload
    def __getitem__(self, number: slice) -> "Links": ...
    def __getitem__(self, number: int | slice) -> "list[tuple[int, int]] | Links":
        if isinstance(number, slice):
            pairs = rows_of(number, len(self), "links")
            return self.part(pairs.start, len(pairs))
        if not -len(self) <= number < len(self):
            raise IndexError(f"sentence pair {number} of {len(self)}")
        number %= len(self)
        rows = slice(self.offsets[number], self.offsets[number + 1])
        return list(zip(self.source[rows].tolist(), self.target[rows].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[tuple[int, int]]]:
        return (self[number] for number in range(len(self)))

    def __repr__(self) -> str:
        scored = "" if self.probability is None else " with probabilities"
        first = f"; first: {_shown(self)}" if len(self) else ""
        return f"Links({len(self):,} sentence pairs, {len(self.source):,} links{scored}{first})"

    def table_columns(self) -> dict[str, Column]:
        """Columns pair, source, target, and probability where it is known; a row per link."""
        columns: dict[str, Column] = {
            "pair": row_numbers(self.offsets),
            "source": self.source,
            "target": self.target,
        }
        if self.probability is not None:
            columns["probability"] = self.probability
        return columns

    def keys(self) -> NDArray[np.int64]:
        """Sentence pair, source and target in a number each, rising: int64[num_links]."""
        keys = per_entry(np.arange(len(self), dtype=np.int64) << PAIR_SHIFT, self.offsets)
        keys |= self.source.astype(np.int64) << SOURCE_SHIFT
        keys |= self.target
        return keys

    @classmethod
    def from_keys(cls, keys: NDArray[np.int64], num_pairs: int) -> "Links":
        """Inverse of :meth:`keys`. keys: int64[n]; they need not be sorted or unique"""
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
        """As :meth:`from_keys`, with a probability for each; of a link given twice the highest.

        keys: int64[n]; probability: float32[n]
        """
        if not (keys[1:] > keys[:-1]).all():
            order = np.lexsort((-probability, keys))
            keys, probability = keys[order], probability[order]
            first = run_starts(keys)
            keys, probability = keys[first], probability[first]
        links = cls.from_keys(keys, num_pairs)
        return cls(links.source, links.target, links.offsets, probability)

    def reversed(self) -> "Links":
        """The same links read from target to source."""
        pair = row_numbers(self.offsets)
        order = np.argsort(
            pair << PAIR_SHIFT | self.target.astype(np.int64) << SOURCE_SHIFT | self.source
        )
        sure = None if self.probability is None else self.probability[order]
        return Links(self.target[order], self.source[order], self.offsets, sure)

    def unscored(self) -> "Links":
        """The same links without their probabilities."""
        return Links(self.source, self.target, self.offsets)

    def part(self, first: int, count: int | None = None) -> "Links":
        """The links of ``count`` consecutive sentence pairs from ``first`` on (default: all)."""
        end = None if count is None else first + count
        rows, offsets = slice_rows(self.offsets, first, end)
        sure = None if self.probability is None else self.probability[rows]
        return Links(self.source[rows], self.target[rows], offsets, sure)

    @classmethod
    def joined(cls, parts: Sequence["Links"]) -> "Links":
        """The links of sentence pairs that follow each other; probabilities where all have some."""
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
    def from_pairs(cls, pairs: Iterable[Iterable[tuple[int, int]]]) -> "Links":
        """Build from one collection of (source, target) per sentence pair."""
        rows = [sorted(set(links)) for links in pairs]
        offsets = offsets_of([len(row) for row in rows])
        flat = np.array([link for row in rows for link in row], np.int32).reshape(-1, 2)
        return cls(flat[:, 0].copy(), flat[:, 1].copy(), offsets)

    def check_range(
        self,
        source_lengths: NDArray[np.int64],
        target_lengths: NDArray[np.int64],
        file: str | Path | None = None,
    ) -> None:
        """Raise DataError where a link points outside its sentence pair.

        source_lengths, target_lengths: int64[num_pairs], words of each sentence
        """
        if len(self) != len(source_lengths):
            raise DataError(
                f"{len(self)} lines of links",
                f"{len(source_lengths)}, one per sentence pair",
                file=file,
                remedy="Give the links that belong to this text",
            )
        pair = row_numbers(self.offsets)
        bad = (self.source >= source_lengths[pair]) | (self.target >= target_lengths[pair])
        bad |= (self.source < 0) | (self.target < 0)
        if bad.any():
            row = int(np.argmax(bad))
            line = int(pair[row])
            raise DataError(
                f"link {self.source[row]}-{self.target[row]}, but the pair has "
                f"{source_lengths[line]} source and {target_lengths[line]} target words",
                "positions inside the sentence pair",
                file=file,
                line=line + 1,
                remedy="Are the two sides swapped, or the positions 1-based?",
            )


def _shown(links: Links) -> str:
    """The links of the first sentence pair, or the first few of them."""
    words = [f"{source}-{target}" for source, target in links[0][:_SHOWN]]
    return shorten(" ".join(words), _SHOWN, placeholder=" ...") or "none"


@dataclass(frozen=True)
class GoldLinks:
    """Links that people made, to judge others by.

    sure: those that are beyond doubt; possible: these and others that count as no error.
    """

    sure: Links
    possible: Links

    def __len__(self) -> int:
        return len(self.sure)

    def __repr__(self) -> str:
        more = len(self.possible.source) - len(self.sure.source)
        first = f"; first: {_shown(self.sure)}" if len(self) else ""
        return (
            f"GoldLinks({len(self):,} sentence pairs, {len(self.sure.source):,} sure links and "
            f"{more:,} that are possible only{first})"
        )


def _is_position(text: str) -> bool:
    return len(text) < 8 and is_whole(text, LONGEST)


def _bad_link(token: str, file: str | Path | None, line: int, forms: str) -> DataError:
    return DataError(
        f"{token!r}", forms, file=file, line=line, remedy="Links are 0-based source-target pairs"
    )


def parse_links(
    lines: Iterable[str], file: str | Path | None = None, *, scored: bool = False
) -> Links:
    """Read Pharaoh text, one line per pair: ``0-0 1-2``; a score behind a colon is dropped.

    scored: scores are kept; they are probabilities, such as ``1-2:0.87``, as ``--scores`` writes
        them. A link without one has 1, one that is given twice its highest.

    Raises DataError for a token that is no link, and for a score that is no probability where they
    are kept.
    """
    keys, values, number = [np.zeros(0, np.int64)], [np.zeros(0, np.float32)], 0
    rest = iter(lines)
    while block := list(islice(rest, _BLOCK)):
        text = "\n".join(block).encode()
        is_all = number == 0 and len(block) < _BLOCK
        columns = None if is_all and len(text) <= _SHORT else _parse_fast(text, number, scored)
        if columns is None:
            rows = list(_parse_rows(block, number, file, scored))
            columns = (
                np.array([key for key, _ in rows], np.int64),
                np.array([value for _, value in rows], np.float32),
            )
        keys.append(columns[0])
        values.append(columns[1])
        number += len(block)
        check_num_pairs(number, file)
    if scored:
        return Links.from_scored_keys(np.concatenate(keys), np.concatenate(values), number)
    return Links.from_keys(np.concatenate(keys), number)


def _parse_fast(
    text: bytes, pair: int, scored: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float32]] | None:
    """Keys and scores of the links of some lines; None where something is odd or an error."""
    keys = np.empty(len(text) // 4 + 1, np.int64)
    values = np.empty(len(keys) if scored else 0, np.float32)
    size = parse_pharaoh(np.frombuffer(text, np.uint8), pair, keys, values)
    return None if size < 0 else (keys[:size].copy(), values[:size].copy())


def _parse_rows(
    lines: Iterable[str], pair: int, file: str | Path | None, scored: bool = False
) -> Iterator[tuple[int, float]]:
    """As :func:`_parse_fast` for any blanks, without a kernel; raises DataError for an error."""
    for number, line in enumerate(lines, start=pair):
        for token in line.split():
            left, dash, right = token.partition("-")
            right, colon, score = right.partition(":")
            if not (dash and _is_position(left) and _is_position(right)):
                raise _bad_link(token, file, number + 1, "links such as 0-0 or 3-4:0.87")
            value = 1.0
            if scored and colon:
                value = float(score) if is_decimal(score) else -1.0
                if not 0.0 <= value <= 1.0:
                    raise DataError(
                        f"{token!r}", "a probability from 0 to 1 behind the colon", file=file,
                        line=number + 1, remedy="Scores of another kind are no probabilities: make "
                        "them such, or leave them out",
                    )  # fmt: skip
            yield number << PAIR_SHIFT | int(left) << SOURCE_SHIFT | int(right), value


def parse_gold(lines: Iterable[str], file: str | Path | None = None) -> GoldLinks:
    """Read gold links: ``i-j`` sure, ``ipj`` or ``i?j`` possible only.

    Raises DataError for a token that is no link.
    """
    sure, possible, number = [], [], 0  # keys, as of Links.keys
    for number, line in enumerate(lines, start=1):
        for token in line.split():
            mark = next((mark for mark in "-p?" if mark in token), "-")
            left, _, right = token.partition(mark)
            if not (_is_position(left) and _is_position(right)):
                raise _bad_link(token, file, number, "gold links such as 0-0 (sure) or 3p4")
            possible.append((number - 1) << PAIR_SHIFT | int(left) << SOURCE_SHIFT | int(right))
            if mark == "-":
                sure.append(possible[-1])
    check_num_pairs(number, file)
    return GoldLinks(*(Links.from_keys(np.array(keys, np.int64), number)
                       for keys in (sure, possible)))  # fmt: skip


class _Words(dict[int, str]):
    """Texts of links by key: most stand in many pairs."""

    def __missing__(self, key: int) -> str:
        self[key] = word = f"{key >> SOURCE_SHIFT}-{key & (LONGEST - 1)}"
        return word


def format_links(links: Links) -> Iterator[str]:
    """Pharaoh text, one line per pair, without line ends; ``0-0:0.9731`` where links are scored."""
    keys = links.source.astype(np.int64) << SOURCE_SHIFT | links.target
    words = list(map(_Words().__getitem__, keys.tolist()))
    if links.probability is not None:
        sure = links.probability.tolist()
        words = [f"{word}:{value:.4f}" for word, value in zip(words, sure, strict=True)]
    for begin, end in pairwise(links.offsets.tolist()):
        yield " ".join(words[begin:end])
