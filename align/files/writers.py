"""Writing files: under a temporary name that is changed when they are complete.

What the system refuses, such as a write to a full disk, is an OutputError that names the file.
"""

import bz2
import errno
import gzip
import io
import json
import lzma
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import zstandard
from numpy.typing import NDArray

from ..errors import OutputError

__all__ = [
    "atomic_file",
    "atomic_folder",
    "atomic_path",
    "check_output",
    "naming_output",
    "whole_name",
    "write_array",
    "write_described",
    "write_lines",
]

STANDARD_OUTPUT = "standard output"
_PART = re.compile(r"\.(.+)\.[0-9]+\.part")


@contextmanager
def naming_output(path: str | Path = STANDARD_OUTPUT) -> Iterator[None]:
    """Raise OutputError with ``path`` for what the system refuses in the block.

    A reader that has gone away (BrokenPipeError) is no error to name.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(path, error) from error


def _part_name(path: Path) -> str:
    return f".{path.name}.{os.getpid()}.part"


def whole_name(name: str) -> str:
    """The name that a part of a file was to get; any other name as it is.

    A program that was killed leaves parts of what it was writing.
    """
    match = _PART.fullmatch(name)
    return match[1] if match else name


def check_output(path: str | Path | None) -> None:
    """Raise OutputError where no file of this name can be made: before long work, not after it.

    None and ``-`` are standard output. Folders that are missing will be made. Whether there is room
    on a device or disk shows only in writing.
    """
    if path is None or str(path) == "-":
        return
    path = Path(path)
    with naming_output(path):
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if path.exists() and not path.is_file():
            return
        whole = path.resolve()
        folder = next(parent for parent in whole.parents if parent.exists())
        part = folder / _part_name(whole)
        part.touch()
        part.unlink()


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A temporary path beside ``path``, renamed to it when the block ends well, else removed.

    A symbolic link is followed, permissions of a file that is replaced are kept, and a pipe or
    device is written to as it stands.

    Raises OutputError where the folder can't be made or the file can't be renamed.
    """
    given = path = Path(path)
    with naming_output(given):
        if path.exists() and not path.is_file() and not path.is_dir():
            temporary = None
        else:
            path = path.resolve()
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary = path.with_name(_part_name(path))
    if temporary is None:
        yield path
        return
    try:
        yield temporary
        with naming_output(given):
            if path.is_file():
                temporary.chmod(path.stat().st_mode & 0o7777)
            temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


@contextmanager
def atomic_folder(folder: str | Path) -> Iterator[Path]:
    """A new empty folder beside ``folder``, put in its place when the block ends well.

    Otherwise it is removed, and an older folder stays as it was. A symbolic link is followed.

    Raises OutputError where a file in it, or the folder itself, can't be written.
    """
    given = Path(folder)
    with naming_output(given):
        folder = given.resolve()
        part = folder.with_name(_part_name(folder))
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
    try:
        yield part
        with naming_output(given):
            _exchange(part, folder)
    except OutputError as error:
        if Path(error.file).parent == part:  # a name that means something to the user
            raise OutputError(given / Path(error.file).name, error.cause) from error
        raise
    finally:
        shutil.rmtree(part, ignore_errors=True)


def _exchange(part: Path, folder: Path) -> None:
    """Rename ``part`` to ``folder``; what stands there is removed afterwards."""
    old = folder.with_name(f".{folder.name}.{os.getpid()}.old")
    if folder.exists():
        folder.rename(old)
    try:
        part.rename(folder)
    except BaseException:
        if old.exists():
            old.rename(folder)
        raise
    shutil.rmtree(old, ignore_errors=True)


class _Output(io.FileIO):
    """A file to write to whose errors are raised under the name that the user gave."""

    def __init__(self, path: Path, shown: str | Path) -> None:
        self._shown = shown
        with naming_output(shown):
            super().__init__(path, "w")

    def write(self, data: Any) -> int:
        with naming_output(self._shown):
            return super().write(data)

    def close(self) -> None:
        with naming_output(self._shown):
            super().close()


@contextmanager
def atomic_file(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that appears under its name only when complete.

    It is compressed where the name ends in .gz, .bz2, .xz or .zst. Headers hold neither time nor
    name, so that the same content gives the same bytes.

    Raises OutputError where it can't be written, such as on a full disk.
    """
    with atomic_path(path) as temporary, _open(temporary, path) as stream:
        yield stream


@contextmanager
def _open(temporary: Path, path: str | Path) -> Iterator[BinaryIO]:
    with io.BufferedWriter(_Output(temporary, path)) as raw:
        compressor = _compressor(raw, Path(path).suffix)
        if compressor is None:
            yield raw
        else:
            with compressor as stream:
                yield stream


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
            stream.write(_encoded(line))


def _encoded(line: str) -> bytes:
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
                binary.write(_encoded(line))
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
    with atomic_path(path) as temporary, atomic_path(sidecar) as beside:
        with _open(temporary, path) as stream:
            for line in lines:
                stream.write(_encoded(line))
        with _open(beside, sidecar) as stream:
            stream.write(_encoded(json.dumps(description, indent=1, ensure_ascii=False)))
