"""Pharaoh text: links as ``0-0 1-2:0.87`` and gold links as ``0-0 1p2``, to keys and back.

A key is a number for a sentence pair, a source and a target position, as in ``Links.keys``.
:func:`listed_links` takes lists of positions in place of text.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from operator import index
from pathlib import Path
from textwrap import shorten

import numpy as np
from numpy.typing import NDArray

from ...arrays.ragged import group_blocks
from ...errors import DataError, WrongTypeError, pluralize, shown
from ...files.numerals import is_decimal, is_whole
from .kernels.pharaoh import LONGEST, MAX_PAIRS, PAIR_SHIFT, SOURCE_SHIFT, parse_pharaoh

__all__ = [
    "DECIMALS",
    "all_scored",
    "check_num_pairs",
    "first_shown",
    "gold_lines",
    "gold_row",
    "is_gold_link",
    "key_blocks",
    "listed_links",
    "outside_pair",
    "pharaoh_lines",
]

_BLOCK = 1 << 13  # lines read at a time
_LINKS = 1 << 16  # links written at a time
# Bytes up to which a text is parsed in Python: 1 MB takes 0.2 s. A kernel takes 0.01 s, and before
# that 0.7 s to load Numba.
_SHORT = 1 << 20

_SHOWN = 60  # characters of links that a representation shows
DECIMALS = 4  # of a score in the files of commands
Scores = NDArray[np.float32]


def check_num_pairs(count: int, file: str | Path | None = None) -> None:
    """Raise DataError for more sentence pairs than links and word pairs can be numbered for."""
    if count > MAX_PAIRS:
        seen, most = f"the text has {count:,} sentence pairs", f"at most {MAX_PAIRS:,}"
        raise DataError(seen, most, file=file, remedy="Split the text into parts")


def first_shown(links: Sequence[tuple[int, int]]) -> str:
    """The links of a sentence pair, or the first few of them."""
    words = [f"{source}-{target}" for source, target in links[:_SHOWN]]
    return shorten(" ".join(words), _SHOWN, placeholder=" ...") or "none"


def outside_pair(
    link: tuple[int, int], lengths: tuple[int, int], file: str | Path | None, line: int
) -> DataError:
    """What is raised for a link outside of its sentence pair. lengths: words of its sides"""
    return DataError(
        f"link {link[0]}-{link[1]} is out of range: the sentence pair has "
        f"{pluralize(lengths[0], 'source word')} and {pluralize(lengths[1], 'target word')}",
        file=file, line=line,
        remedy="Check whether the two sides are swapped or the positions are 1-based",
    )  # fmt: skip


def key_blocks(
    lines: Iterable[str], file: str | Path | None, scored: bool | None
) -> Iterator[tuple[NDArray[np.int64], Scores | None, int]]:
    """Keys int64[n] and scores float32[n] of some thousand lines at a time, and how many lines.

    scored: True keeps scores, 1 where there is none; False drops them; None keeps them as long as
        all links have one. What is dropped is None.

    Raises DataError for a token that is no link, and for a score that is kept and no probability.
    """
    number, rest = 0, iter(lines)
    while block := list(islice(rest, _BLOCK)):
        text = "\n".join(block)
        if scored is None and not all_scored(text):
            scored = False
        kept = scored is not False
        encoded, is_all = text.encode(), number == 0 and len(block) < _BLOCK
        is_short = is_all and len(encoded) <= _SHORT
        columns = None if is_short else _parse_fast(encoded, number, kept)
        if columns is None:
            rows = list(_parse_rows(block, number, file, kept))
            columns = (
                np.array([key for key, _ in rows], np.int64),
                np.array([value for _, value in rows], np.float32),
            )
        yield columns[0], columns[1] if kept else None, len(block)
        number += len(block)


def all_scored(text: str) -> bool:
    """Whether each link of a text has a score behind a colon."""
    return text.count(":") == len(text.split())


def _is_position(text: str) -> bool:
    return len(text) < 8 and is_whole(text, LONGEST)


def _bad_link(token: str, file: str | Path | None, line: int, forms: str) -> DataError:
    remedy = "Links are 0-based source-target pairs"
    if is_gold_link(token):
        remedy = (
            f"{token} is a possible link of gold alignments, which read_gold reads and "
            "`isogloss evaluate` takes as its last file"
        )
    elif token == "-":
        remedy = (
            "A hyphen marks a pair without gold alignments in a gold sample, which --gold-sample "
            "reads; leave the line empty for a pair without links"
        )
    return DataError(f"{token!r} is malformed", forms, file=file, line=line, remedy=remedy)


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
                        f"the score of {token!r} is invalid",
                        "a probability between 0 and 1 after the colon", file=file,
                        line=number + 1, remedy="Convert other scores to probabilities, or remove "
                        "them",
                    )  # fmt: skip
            yield number << PAIR_SHIFT | int(left) << SOURCE_SHIFT | int(right), value


def _parts(token: str) -> tuple[str, str, str]:
    """The source position, the mark and the target position of a gold link."""
    return token.partition(next((mark for mark in "-p?" if mark in token), "-"))


def gold_row(
    text: str, number: int, file: str | Path | None, first: int = 0
) -> tuple[list[int], list[int]]:
    """Keys of the sure and of the possible links of a text, the sure ones among the possible.

    number: of the sentence pair, from 0; first: position of the first word, 0 or 1

    Raises DataError for a token that is no link, and for a position below the first.
    """
    sure, possible = [], []
    for token in text.split():
        left, mark, right = _parts(token)
        if not (_is_position(left) and _is_position(right)):
            forms = "gold links such as 0-0 (sure) or 3p4 (possible)"
            raise _bad_link(token, file, number + 1, forms)
        source, target = int(left) - first, int(right) - first
        if source < 0 or target < 0:
            raise DataError(
                f"the link {token!r} has the position 0", "positions counted from 1", file=file,
                line=number + 1, remedy="If the positions are counted from 0, choose the format "
                "pharaoh",
            )  # fmt: skip
        possible.append(number << PAIR_SHIFT | source << SOURCE_SHIFT | target)
        if mark == "-":
            sure.append(possible[-1])
    return sure, possible


def is_gold_link(token: str) -> bool:
    """Whether a token is a gold link, such as ``0-0`` or ``3p4``."""
    left, _, right = _parts(token)
    return _is_position(left) and _is_position(right)


class _Words(dict[int, str]):
    """Texts of links by key: most stand in many pairs."""

    def __missing__(self, key: int) -> str:
        self[key] = word = f"{key >> SOURCE_SHIFT}-{key & (LONGEST - 1)}"
        return word


def pharaoh_lines(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    offsets: NDArray[np.int64],
    probability: NDArray[np.float32] | None,
    decimals: int | None = DECIMALS,
) -> Iterator[str]:
    """A line per pair without its end.

    source, target: int32[num_links]; offsets: int64[num_pairs + 1]
    probability: float32[num_links], or None
    decimals: of the probabilities; None = those that give the same float32
    """
    texts = _Words()
    for first, last in group_blocks(offsets, _LINKS):
        rows = slice(offsets[first], offsets[last])
        keys = source[rows].astype(np.int64) << SOURCE_SHIFT | target[rows]
        words = list(map(texts.__getitem__, keys.tolist()))
        if probability is not None:
            sure = _numerals(probability[rows], decimals)
            words = [f"{word}:{numeral}" for word, numeral in zip(words, sure, strict=True)]
        for begin, end in pairwise((offsets[first : last + 1] - offsets[first]).tolist()):
            yield " ".join(words[begin:end])


def _numerals(values: NDArray[np.float32], decimals: int | None) -> Iterator[str]:
    """Values as text. values: float32[n]"""
    if decimals is None:
        return (np.format_float_positional(value, trim="0") for value in values)
    return (f"{value:.{decimals}f}" for value in values.tolist())


def gold_lines(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    offsets: NDArray[np.int64],
    is_sure: NDArray[np.bool_],
) -> Iterator[str]:
    """A line per pair without its end, with ``i-j`` for a sure link and ``ipj`` for others.

    source, target: int32[num_links]; offsets: int64[num_pairs + 1]; is_sure: bool[num_links]
    """
    rows = zip(source.tolist(), target.tolist(), is_sure.tolist(), strict=True)
    words = [f"{i}{'-' if sure else 'p'}{j}" for i, j, sure in rows]
    for begin, end in pairwise(offsets.tolist()):
        yield " ".join(words[begin:end])


def listed_links(pairs: Iterable[Iterable[Sequence[int]]]) -> Iterator[list[tuple[int, int]]]:
    """The links of each pair, sorted and unique. Raises WrongTypeError for other things."""
    if isinstance(pairs, str | bytes | Path) or not isinstance(pairs, Iterable):
        raise WrongTypeError(
            f"links must be a list of (source, target) for each sentence pair, not {shown(pairs)}; "
            "use Links.load(path) for a file"
        )
    for number, links in enumerate(pairs):
        yield _pairs_of(links, number)


def _pairs_of(links: object, number: int) -> list[tuple[int, int]]:
    """The links of a sentence pair, sorted and unique. Raises WrongTypeError for other things."""
    try:
        if isinstance(links, Iterable) and not isinstance(links, str | bytes):
            return sorted({(index(source), index(target)) for source, target in links})
    except (TypeError, ValueError):
        pass
    raise WrongTypeError(
        f"links of pair {number} must be a list of (source, target), not {shown(links)}"
    )
