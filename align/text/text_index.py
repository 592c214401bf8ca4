"""An index of texts: millions of different strings by number, without a Python string of each."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..kernels.hash_tables import TextTable
from .kernels.text_numbers import find_texts, number_texts
from .string_array import Texts

__all__ = ["TextIndex"]


@dataclass(frozen=True)
class TextIndex:
    """Different texts, and a hash table that finds them.

    texts: by number; fewer than 2^30
    """

    texts: Texts
    _table: TextTable

    @classmethod
    def numbered(cls, texts: Texts) -> "tuple[TextIndex, NDArray[np.int64]]":
        """The different ones of some texts, in order of first appearance, and each one's number.

        Returns the index, and int64[len(texts)].
        """
        room = len(texts)
        content, offsets = np.require(texts.content, requirements="W"), texts.offsets
        slots = np.zeros(1 << (2 * room).bit_length(), np.int32)
        places = np.empty(room, np.int64), np.empty(room, np.int64)
        table = TextTable(slots, np.empty(room, np.uint64), *places, content)
        numbers = np.empty(room, np.int64)
        size = number_texts(offsets, table, numbers)
        if size == room:  # as a rule; where each begins, the offsets say
            begins, ends = offsets[:-1], offsets[1:]
            return cls(Texts(content, offsets), table._replace(begins=begins, ends=ends)), numbers
        first = np.flatnonzero(np.diff(np.maximum.accumulate(numbers), prepend=-1))
        return cls.numbered(Texts(content, offsets).select(first))[0], numbers

    def __len__(self) -> int:
        return len(self.texts)

    def find(self, strings: Iterable[str]) -> NDArray[np.int64]:
        """The number of each string, -1 where there is no such text: int64[n]."""
        sought = Texts.from_strings(strings)
        numbers = np.empty(len(sought), np.int64)
        find_texts(self._table, sought.content.copy(), sought.offsets, numbers)
        return numbers
