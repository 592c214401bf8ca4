"""Values in files whose arrays several processes map into memory, for as long as a work lasts."""

import pickle
from pathlib import Path
from typing import Any

import numpy as np

from ..files.writers import atomic_file

__all__ = ["load_mapped", "store_mapped"]

_ALIGNED = 64  # bytes; arrays begin at multiples


def store_mapped(value: Any, file: Path) -> None:
    """Write a value that can be pickled. Raises OutputError where it can't be written."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(value, pickle.HIGHEST_PROTOCOL, buffer_callback=arrays.append)
    parts = [memoryview(rest), *(array.raw() for array in arrays)]
    sizes = np.array([len(parts), *(part.nbytes for part in parts)], np.int64)
    with atomic_file(file) as stream:
        for part in (memoryview(sizes.tobytes()), *parts):
            stream.write(part)
            stream.write(bytes(-part.nbytes % _ALIGNED))


def load_mapped(file: Path) -> Any:
    """Read what :func:`store_mapped` has written in this run, by any process.

    Arrays are read from the file as they are looked at; changes of them stay in this process.
    Raises OSError where the file can't be read.
    """
    content = np.memmap(file, np.uint8, mode="c")
    number = int(content[:8].view(np.int64)[0])
    begin = 8 * (number + 1)
    parts = []
    for size in content[8:begin].view(np.int64).tolist():
        begin += -begin % _ALIGNED
        parts.append(memoryview(content[begin : begin + size]))  # type: ignore[arg-type]
        begin += size
    return pickle.loads(parts[0], buffers=parts[1:])
