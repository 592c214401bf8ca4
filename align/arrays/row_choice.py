"""Rows of a sequence that are chosen by numbers, slices, lists of numbers or masks."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import WrongTypeError, pluralize, shown

__all__ = ["Rows", "row_number", "rows_chosen"]

Rows = slice | Sequence[int] | Sequence[bool] | NDArray[np.integer[Any]] | NDArray[np.bool_]
"""What chooses some of several rows: a slice, numbers, or a truth value for each."""


def row_number(number: int | np.integer[Any], length: int, what: str) -> int:
    """The number of a row, from 0 on. what: a row is, for the message

    Raises IndexError where there is none.
    """
    if not -length <= number < length:
        raise IndexError(f"{what} {number} is out of range: there are {length}")
    return int(number) % length


def rows_chosen(rows: Rows, length: int, what: str) -> NDArray[np.int64]:
    """The numbers of chosen rows, from 0 on: int64[k].

    rows: slice, numbers int64[k], also below 0, or a mask bool[length]
    length: of all rows; what: they are, for the message

    Raises IndexError for a number out of range and for a mask of another length, and WrongTypeError
    for anything but a slice, whole numbers and truth values.
    """
    if isinstance(rows, slice):
        return np.arange(*rows.indices(length))
    chosen = np.asarray(rows)
    if chosen.ndim != 1 or (len(chosen) and chosen.dtype.kind not in "iub"):
        raise WrongTypeError(
            f"{what} must be selected by a number, a slice, a list of numbers or a mask, not "
            f"{shown(rows)}"
        )
    if chosen.dtype == np.bool_:
        if len(chosen) != length:
            raise IndexError(
                f"the mask must have {pluralize(length, 'value')}, one for each of the {what}; got "
                f"{len(chosen)}"
            )
        return np.flatnonzero(chosen)
    numbers = chosen.astype(np.int64)
    if len(numbers) and not -length <= numbers.min() <= numbers.max() < length:
        raise IndexError(
            f"{what} must be numbered between {-length} and {length - 1}, got {numbers.min()} to "
            f"{numbers.max()}"
        )
    return np.where(numbers < 0, numbers + length, numbers)
