"""Columns that are more than an array of numbers: words by number, texts, lists of named values."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column", "NamedNumbers", "StringBlock", "ValueLists"]


@dataclass(frozen=True)
class NamedNumbers:
    """Names by number; they become a categorical column.

    numbers: int32[n], index into ``names``; below 0 = none, which becomes a missing value
    names: each once
    """

    numbers: NDArray[np.int32]
    names: Sequence[str]


@dataclass(frozen=True)
class StringBlock:
    """Texts in one block of UTF-8.

    content: uint8[total]; offsets: int64[n + 1]
    """

    content: NDArray[np.uint8]
    offsets: NDArray[np.int64]


@dataclass(frozen=True)
class ValueLists:
    """A list of named values in each row.

    names: of the values; values: float32[total]; offsets: int64[n + 1], values of each row
    """

    names: NamedNumbers
    values: NDArray[np.float32]
    offsets: NDArray[np.int64]


Column = NDArray[np.generic] | NamedNumbers | StringBlock | ValueLists | Sequence[str]
