"""Ids of the sentences of JSONL lists: the numbers of the sentences from 0 on, or names."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, pluralize, warn

__all__ = [
    "NumberId",
    "check_sentence_names",
    "farthest",
    "number_names",
    "warn_of_gaps",
    "warn_of_lost_references",
    "whole_numbers",
]

_WHOLE = re.compile(r"0|[1-9][0-9]{0,17}")  # as many digits as in lists of lines


class NumberId(str):
    """An id that is a number in JSON. As a name it is what stands there."""

    __slots__ = ()


def whole_numbers(ids: Sequence[str]) -> NDArray[np.int64]:
    """int64[len(ids)], the number that each id is, -1 where it is none in its one decimal form."""
    return np.array([int(text) if _WHOLE.fullmatch(text) else -1 for text in ids], np.int64)


def farthest(sentences: int) -> int:
    """What the ids of so many sentences lie below, unless they are no numbers from 0 on."""
    return 1000 + 100 * sentences


def number_names(ids: Sequence[str], numbers: NDArray[np.int64], count: int) -> tuple[str, ...]:
    """The id of each of ``count`` sentences; those without any are named by their number.

    ids: those that there are, one at least; numbers: int64[len(ids)], their sentences
    """
    kind = type(ids[0])  # a number or a string
    result = [kind(number) for number in range(count)]
    for number, name in zip(numbers.tolist(), ids, strict=True):
        result[number] = name
    return tuple(result)


def check_sentence_names(
    ids: Sequence[str], count: int, place: Callable[[int], tuple[str | Path, int]]
) -> None:
    """Check that ids that are names fit ``count`` sentences, the first to the first.

    place: file and line where each of ``ids`` stands first, line 0 where there are none

    Raises DataError for another number of ids. Warns (DataWarning) where they are whole numbers:
    those of other sentences, or counted from elsewhere.
    """
    if len(ids) != count:
        raise DataError(
            f"the list has {pluralize(len(ids), 'record')}",
            f"{count}, one per sentence",
            file=place(0)[0],
            remedy="Check that the list has all sentences; some may be missing only if ids are "
            "numbers from 0",
        )
    numbers = whole_numbers(ids)
    if (numbers < 0).any() or (numbers < count).all():
        return
    odd = int(np.argmax(numbers >= count))
    file, line = place(odd)
    shown = f"{file}, line {line}" if line else file
    warn(
        f"{shown}: the sentence id {ids[odd]} is not among 0 ... {count - 1}, so records are "
        "matched to sentences in the order in which ids first appear. If that is not their order, "
        "number the records from 0"
    )


def warn_of_gaps(
    gaps: Sequence[int] | NDArray[np.int64], names: Sequence[str] | None = None
) -> None:
    """Warn (DataWarning) of sentences without hypotheses.

    gaps: int64[n], their numbers
    names: of all sentences, where they have other names than their numbers
    """
    if len(gaps):
        shown = gaps[0] if names is None else repr(names[gaps[0]])
        warn(f"{pluralize(len(gaps), 'sentence', 'has')} no hypothesis (first: {shown})")


def warn_of_lost_references(lacking: int, first: int) -> None:
    """Warn (DataWarning) that records have references, but so many sentences have no record."""
    warn(
        f"the references in the list are ignored, because "
        f"{pluralize(lacking, 'sentence', 'has')} no record (first: {first})"
    )
