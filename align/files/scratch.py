"""Where large arrays are kept: in memory, or in files of which the system keeps what is in use."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import DataError

__all__ = ["Empty", "ScratchArrays", "reserve"]

Empty = Callable[[Any, DTypeLike], NDArray[Any]]
"""Makes an array of a shape and a type with any content: ``np.empty``, or ScratchArrays."""

_LEAST = 1 << 16  # bytes of an array that is worth a file


@dataclass(frozen=True)
class ScratchArrays:
    """Makes arrays that are mapped from files of a folder, to be used like any other array.

    Where memory is short, the system writes their pages to the disk and drops them. The files have
    no name: each is gone with its array, and the folder may be removed before. Small arrays are
    kept in memory.
    """

    folder: Path

    def __call__(self, shape: int | tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array to be written to. Raises DataError where the disk has no room for it."""
        sizes = shape if isinstance(shape, tuple) else (shape,)
        size = prod(map(int, sizes)) * np.dtype(dtype).itemsize
        if size < _LEAST:
            return np.empty(shape, dtype)
        with _naming(self.folder, size), tempfile.TemporaryFile(dir=self.folder) as stream:
            os.posix_fallocate(stream.fileno(), 0, size)
            return np.asarray(np.memmap(stream, dtype, "r+", shape=sizes))


def reserve(path: Path, size: int) -> None:
    """Make a file of a size, whose pages can then be written to.

    Without it the program would end at a page that the disk has no room for. Raises DataError where
    there is no room.
    """
    with _naming(path.parent, size), path.open("wb") as stream:
        os.posix_fallocate(stream.fileno(), 0, size)


@contextmanager
def _naming(folder: Path, size: int) -> Iterator[None]:
    """Turn errors of the system into a DataError that says what to do."""
    try:
        yield
    except OSError as error:
        raise DataError(
            f"{size:,} bytes of temporary data cannot be written to {folder}: "
            f"{error.strerror or error}",
            remedy="Choose a folder with more space (`scratch_folder=...`), or allow more memory "
            "(`max_memory=...`)",
        ) from error
