"""Texts: many strings as one block of UTF-8, so that kernels can read them and files hold them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import joined_offsets, offsets_of, selected_offsets, slice_rows
from ..errors import DataError
from ..kernels.ragged import copy_spans

__all__ = ["Texts"]

_BLOCK = 1 << 16  # strings that are taken out at a time
_LOWER = np.array([ord(chr(byte).lower()) for byte in range(128)], np.uint8)


@dataclass(frozen=True, eq=False)
class Texts(Sequence[str]):
    """Strings numbered from 0.

    content: uint8[total], UTF-8, one string after the other
    offsets: int64[n + 1], where each string begins and ends in ``content``, non-decreasing
    """

    content: NDArray[np.uint8]
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        if self.offsets[0] != 0 or self.offsets[-1] != len(self.content):
            raise ValueError("offsets must run from 0 to the length of the content")

    @classmethod
    def from_strings(cls, strings: Iterable[str]) -> "Texts":
        """Build from Python strings."""
        encoded = [string.encode() for string in strings]
        content = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(content, offsets_of([len(text) for text in encoded]))

    @classmethod
    def joined(cls, parts: "Sequence[Texts]") -> "Texts":
        """The strings of several, one after the other."""
        content = np.concatenate([part.content for part in parts])
        return cls(content, joined_offsets([part.offsets for part in parts]))

    def lowercased(self) -> "Texts":
        """The same strings in lower case."""
        if (self.content < len(_LOWER)).all():
            return Texts(_LOWER[self.content], self.offsets)
        return Texts.from_strings(string.lower() for string in self)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, number: int) -> str: ...

    @overload
    def __getitem__(self, number: slice) -> list[str]: ...

    def __getitem__(self, number: int | slice) -> str | list[str]:
        if isinstance(number, slice):
            return [self[k] for k in range(*number.indices(len(self)))]
        if not -len(self) <= number < len(self):
            raise IndexError(number)
        begin, end = self.offsets[number % len(self) :][:2].tolist()
        try:
            return self.content[begin:end].tobytes().decode()
        except UnicodeDecodeError as error:
            raise _damage(number) from error

    def __iter__(self) -> Iterator[str]:
        for first in range(0, len(self), _BLOCK):
            offsets = self.offsets[first : first + _BLOCK + 1]
            content = self.content[offsets[0] : offsets[-1]].tobytes()
            for number, (begin, end) in enumerate(pairwise((offsets - offsets[0]).tolist()), first):
                try:
                    yield content[begin:end].decode()
                except UnicodeDecodeError as error:
                    raise _damage(number) from error

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Texts)
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.content, other.content)
        )

    __hash__ = None  # type: ignore[assignment]

    def starting_with(self, prefix: str) -> NDArray[np.bool_]:
        """Which strings begin with a prefix: bool[len(self)]."""
        wanted = prefix.encode()
        fitting = np.flatnonzero(np.diff(self.offsets) >= len(wanted))
        for place, byte in enumerate(wanted):
            fitting = fitting[self.content[self.offsets[fitting] + place] == byte]
        result = np.zeros(len(self), np.bool_)
        result[fitting] = True
        return result

    def select(self, numbers: NDArray[np.int64]) -> "Texts":
        """The strings of the given numbers (int64[m]), in that order."""
        offsets = selected_offsets(self.offsets, numbers)
        content = np.empty(offsets[-1], np.uint8)
        copy_spans(self.content, self.offsets, numbers, content)
        return Texts(content, offsets)

    def part(self, first: int, end: int) -> "Texts":
        """Strings ``first`` to ``end`` (not included), as views."""
        content, offsets = slice_rows(self.offsets, first, end)
        return Texts(self.content[content], offsets)


def _damage(number: int) -> DataError:
    return DataError(
        f"string {number} is not UTF-8", "undamaged text", remedy="Store the strings again"
    )
