"""Writing files: under a temporary name that is changed when they are complete.

What the system refuses, such as a write to a full disk, is an OutputError that names the file.
"""

import bz2
import gzip
import io
import json
import lzma
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import zstandard
from numpy.typing import NDArray

from ..errors import OutputError
from .exchange import bring_back, put_in_place
from .outputs import STANDARD_OUTPUT, naming_output
from .parts import new_part

__all__ = [
    "atomic_file",
    "atomic_files",
    "atomic_folder",
    "encode_line",
    "write_array",
    "write_described",
    "write_lines",
]


@contextmanager
def atomic_files(*paths: str | Path) -> Iterator[list[BinaryIO]]:
    """Binary files that appear under their names together, when all are complete, or not at all.

    Each is compressed where its name ends in .gz, .bz2, .xz or .zst. Headers hold neither time nor
    name, so that the same content gives the same bytes. A symbolic link is followed, permissions of
    a file that is replaced are kept, and a pipe or device is written to as it stands.

    Raises OutputError where one can't be written, such as on a full disk.
    """
    with ExitStack() as made:
        outputs = [made.enter_context(_Output(path, made)) for path in map(Path, paths)]
        with ExitStack() as opened:
            yield [opened.enter_context(_compressed(output)) for output in outputs]
        for output in outputs:
            output.put_in_place()


@contextmanager
def atomic_file(path: str | Path) -> Iterator[BinaryIO]:
    """One file, as :func:`atomic_files` writes them."""
    with atomic_files(path) as (stream,):
        yield stream


class _Output(io.FileIO):
    """A file to write to whose errors are raised under the name that the user gave.

    made: removes its part when it ends
    """

    def __init__(self, shown: Path, made: ExitStack) -> None:
        self._shown, self._part = shown, None
        with naming_output(shown):
            if shown.exists() and not shown.is_file() and not shown.is_dir():
                super().__init__(shown, "w")
                return
            self._whole = shown.resolve()
            self._whole.parent.mkdir(parents=True, exist_ok=True)
            self._part, descriptor = made.enter_context(new_part(self._whole))
            super().__init__(os.dup(descriptor), "w")  # the lock is held until it is in place

    @property
    def shown(self) -> Path:
        """Its name as the user gave it."""
        return self._shown

    def write(self, data: Any) -> int:
        with naming_output(self._shown):
            return super().write(data)

    def close(self) -> None:
        with naming_output(self._shown):
            super().close()

    def put_in_place(self) -> None:
        """Give it its name."""
        if self._part is None:
            return
        with naming_output(self._shown):
            if self._whole.is_file():
                self._part.chmod(self._whole.stat().st_mode & 0o7777)
            self._part.replace(self._whole)


@contextmanager
def _compressed(output: _Output) -> Iterator[BinaryIO]:
    """A stream that writes to a file, compressed as its name asks, and closes it."""
    with io.BufferedWriter(output) as raw:
        compressor = _compressor(raw, output.shown.suffix)
        if compressor is None:
            yield raw
        else:
            with compressor as stream:
                yield stream


@contextmanager
def atomic_folder(folder: str | Path) -> Iterator[Path]:
    """A new empty folder beside ``folder``, put in its place when the block ends well.

    Otherwise it is removed, and an older folder stays as it was. A symbolic link is followed.

    Raises OutputError where a file in it, or the folder itself, can't be written.
    """
    given = Path(folder)
    with ExitStack() as made:
        with naming_output(given):
            folder = given.resolve()
            folder.parent.mkdir(parents=True, exist_ok=True)
            bring_back(folder)
            part, _ = made.enter_context(new_part(folder, folder=True))
        try:
            yield part
        except OutputError as error:
            if Path(error.file).parent == part:  # a name that means something to the user
                raise OutputError(given / Path(error.file).name, error.cause) from error
            raise
        with naming_output(given):
            put_in_place(part, folder)


def _compressor(raw: BinaryIO, suffix: str) -> Any:
    """A stream that compresses what is written to ``raw``; None for a suffix of another kind."""
    if suffix == ".gz":
        return gzip.GzipFile("", "wb", compresslevel=4, fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb")
    if suffix == ".zst":
        return zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)
    return None


def write_array(array: NDArray[Any], path: str | Path) -> None:
    """Write an array as ``numpy.save`` does.

    array: float64[n], or of any other type and shape

    numpy's own writing says nothing when the last 4 KB of an array meet a full disk.

    Raises OutputError as :func:`atomic_file` does.
    """
    array = np.asarray(array, order="C")
    with atomic_file(path) as stream:
        header = np.lib.format.header_data_from_array_1_0(array)
        np.lib.format.write_array_header_1_0(stream, header)
        stream.write(array.data)


def write_lines(lines: Iterable[str], path: str | Path | None) -> None:
    """Write UTF-8 lines to a file (compressed by its suffix), or to stdout for None and ``-``.

    They are UTF-8 there, too, whatever the locale. What no UTF-8 can hold, half a surrogate pair of
    a file name, is written as JSON does (``\\udce9``).

    Raises OutputError where they can't be written.
    """
    if path is None or str(path) == "-":
        _write_stdout(lines)
        return
    with atomic_file(path) as stream:
        for line in lines:
            stream.write(encode_line(line))


def encode_line(line: str) -> bytes:
    """UTF-8 with a line feed; what it can't hold is written as JSON does (``\\udce9``)."""
    return line.encode(errors="backslashreplace") + b"\n"


def _write_stdout(lines: Iterable[str]) -> None:
    """UTF-8 lines past the encoding of stdout; as text where it takes no bytes (a notebook)."""
    binary: BinaryIO | None = getattr(sys.stdout, "buffer", None)
    with naming_output():
        sys.stdout.flush()
    for line in lines:
        try:
            if binary is None:
                sys.stdout.write(line + "\n")
            else:
                binary.write(encode_line(line))
        except BrokenPipeError:
            raise
        except OSError as error:  # but not those of ``lines``
            raise OutputError(STANDARD_OUTPUT, error) from error
    with naming_output():
        sys.stdout.flush()


def write_described(
    lines: Iterable[str], path: str | Path, description: dict[str, Any], sidecar: str | Path
) -> None:
    """Write UTF-8 lines and, in a file beside them, JSON that describes them: both or neither.

    Raises OutputError where they can't be written.
    """
    with atomic_files(path, sidecar) as (stream, beside):
        for line in lines:
            stream.write(encode_line(line))
        beside.write(encode_line(json.dumps(description, indent=1, ensure_ascii=False)))
