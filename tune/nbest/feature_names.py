"""Names of features while lists are read: numbers in the order in which they are met."""

from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from isogloss.features.space import FeatureSpace

from .kernels.names import Names, fill_slots, give_single, name_number

__all__ = ["GroupConflict", "NameTable"]


class GroupConflict(Exception):
    """A name that is given with one number of values here, and with another before.

    before, here: numbers of values; row: of the hypothesis where it was given first
    """

    def __init__(self, name: str, here: int, before: int, row: int) -> None:
        super().__init__(name)
        self.name, self.here, self.before, self.row = name, here, before, row


class NameTable:
    """Numbered names, shared with the kernels that read lists. It grows when asked to.

    names: the table itself, see the kernels
    """

    def __init__(self) -> None:
        self.names = Names(
            np.zeros(1 << 12, np.int32), np.zeros(1 << 11, np.uint64), np.zeros(1 << 16, np.uint8),
            np.zeros((1 << 11) + 1, np.int64), np.zeros(1 << 11, np.int32),
            np.zeros(1 << 11, np.int64), np.zeros(1 << 11, np.int32), np.zeros(1 << 11, np.int32),
            np.zeros(1 << 11, np.bool_), np.zeros(1 << 11, np.int64), np.zeros(1 << 11, np.int64),
            np.zeros(1 << 11, np.int64), np.zeros(3, np.int64),
        )  # fmt: skip
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return int(self.names.used[0])

    def grow(self) -> None:
        """Twice the room for everything."""
        larger = {
            name: np.concatenate([array, np.zeros(len(array) - (name == "bounds"), array.dtype)])
            for name, array in self.names._asdict().items()
            if name not in ("slots", "used")
        }
        slots = np.zeros(2 * len(self.names.slots), np.int32)
        self.names = Names(slots=slots, used=self.names.used, **larger)
        fill_slots(self.names)

    def number(self, name: str, row: int) -> int:
        """Number of a feature that has one value in a row.

        Raises GroupConflict where the name has had several.
        """
        if name not in self._numbers:
            text = np.frombuffer(name.encode(), np.uint8)
            while (number := int(name_number(self.names, text))) < 0:
                self.grow()
            if not give_single(self.names, number, row):
                self.conflict(number, 1)
            self._numbers[name] = number
        return self._numbers[name]

    def conflict(self, number: int, here: int) -> NoReturn:
        """Raise GroupConflict for a name with ``here`` values."""
        names = self.names
        raise GroupConflict(
            self.name(number), here, int(names.sizes[number]), int(names.first[number])
        )

    def name(self, number: int) -> str:
        """The name with a number."""
        begin, end = self.names.bounds[number : number + 2].tolist()
        return self.names.content[begin:end].tobytes().decode()

    def space(self) -> tuple[FeatureSpace, NDArray[np.int32]]:
        """The features that have values, and their ids by number, int32[len(self)]; others -1.

        Dense ones first, each kind in the order in which they were met.
        """
        used = np.flatnonzero(self.names.counts[: len(self)]).tolist()
        used.sort(key=lambda number: not self.names.dense[number])
        ids = np.full(len(self), -1, np.int32)
        ids[used] = np.arange(len(used))
        return FeatureSpace(self.name(number) for number in used), ids

    def missing(self, rows: int) -> list[tuple[str, int, int]]:
        """Dense features that not all of ``rows`` have: name, how many lack it, the first such."""
        dense = self.names.dense[: len(self)] & (self.names.counts[: len(self)] > 0)
        lacking = np.flatnonzero(dense & (self.names.counts[: len(self)] < rows))
        return [
            (self.name(k), rows - int(self.names.counts[k]), int(self.names.whole[k]))
            for k in lacking.tolist()
        ]
