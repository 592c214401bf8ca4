"""Arrays on disk: written piece by piece, mapped into memory."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .outputs import naming_output
from .writers import atomic_file

__all__ = ["GrowingArrays", "growing_arrays", "is_mapped", "map_array"]

_HEADER_SIZE = 128  # bytes before the values of an array's file


def map_array(path: Path) -> NDArray[Any]:
    """An array such as float64[n], mapped from its file; what is written to it stays in memory."""
    # copy on write: kernels are compiled for arrays that can be written to
    return np.asarray(np.load(path, mmap_mode="c"))


def is_mapped(array: NDArray[Any]) -> bool:
    """Whether an array, float64[n] or of another type and shape, is one of :func:`map_array`."""
    return isinstance(array.base, np.memmap)


@dataclass
class _Column:
    """An array that grows."""

    # stream: its file; size: number of its values so far; last: the last offset, of offsets

    stream: BinaryIO
    dtype: np.dtype[Any]
    size: int = 0
    last: int = 0


class GrowingArrays:
    """One-dimensional arrays of a folder that grow at their end, in numpy's format."""

    def __init__(self, folder: Path, files: ExitStack) -> None:
        self._folder, self._files = folder, files
        self._columns: dict[str, _Column] = {}

    def begin(self, name: str, dtype: DTypeLike) -> None:
        """Begin an empty array. Raises OutputError where it can't be written."""
        stream = self._files.enter_context(atomic_file(self._folder / f"{name}.npy"))
        stream.write(b" " * _HEADER_SIZE)
        self._columns[name] = _Column(stream, np.dtype(dtype))

    def append(self, name: str, values: NDArray[Any]) -> None:
        """Append values. Raises OutputError where they can't be written.

        values: float64[n], or of another type
        """
        column = self._columns[name]
        column.stream.write(np.ascontiguousarray(values, column.dtype).data)
        column.size += values.size

    def begin_offsets(self, name: str) -> None:
        """Begin the offsets of no rows. Raises OutputError where they can't be written."""
        self.begin(name, np.int64)
        self.append(name, np.zeros(1, np.int64))

    def append_offsets(self, name: str, offsets: NDArray[np.int64]) -> None:
        """Append rows, whose entries follow those so far.

        offsets: int64[num_rows + 1], from 0 on

        Raises OutputError where they can't be written.
        """
        column = self._columns[name]
        self.append(name, offsets[1:] + column.last)
        column.last += int(offsets[-1])

    def finish(self) -> None:
        """Write the headers, now that the sizes are known."""
        for name, column in self._columns.items():
            form = (
                f"{{'descr': {column.dtype.str!r}, 'fortran_order': False, "
                f"'shape': ({column.size},), }}"
            )
            lead = np.lib.format.magic(1, 0) + (_HEADER_SIZE - 10).to_bytes(2, "little")
            with naming_output(self._folder / f"{name}.npy"):
                column.stream.seek(0)
                column.stream.write(lead + form.ljust(_HEADER_SIZE - 11).encode() + b"\n")


@contextmanager
def growing_arrays(folder: Path) -> Iterator[GrowingArrays]:
    """Arrays to be written to files NAME.npy, which appear when the block ends well.

    Raises OutputError where they can't be written.
    """
    with ExitStack() as files:
        arrays = GrowingArrays(folder, files)
        yield arrays
        arrays.finish()
