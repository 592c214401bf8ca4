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
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import zstandard
from numpy.typing import NDArray

from ..errors import OutputError, check_path
from .exchange import bring_back, put_in_place
from .outputs import STANDARD_OUTPUT, naming_output, on_a_terminal, output_path
from .parts import is_part, new_part, undisturbed

__all__ = [
    "COMPRESSED",
    "atomic_file",
    "atomic_files",
    "atomic_folder",
    "encode_line",
    "together",
    "uncompressed_name",
    "write_array",
    "write_described",
    "write_lines",
]


COMPRESSED = (".gz", ".bz2", ".xz", ".zst")  # suffixes of files that are compressed
_SET: ContextVar["_Set | None"] = ContextVar("_SET", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Files that are written in the block appear when it has ended, as those of one call do.

    They are those of :func:`atomic_files`, the most important one last. They appear as well where
    the reader of standard output has gone away. What is inside a folder under a temporary name has
    its own name at once.

    Raises OutputError where one can't be put in place.
    """
    with ExitStack() as made:
        files = _Set(made)
        token = _SET.set(files)
        try:
            yield
        except BrokenPipeError:
            _put_in_place(files.outputs)
            raise
        finally:
            _SET.reset(token)
        _put_in_place(files.outputs)


class _Set:
    """Complete files that wait for others. made: removes their parts when it ends"""

    def __init__(self, made: ExitStack) -> None:
        self.made = made
        self.outputs: list[_Output | _Gone] = []


@contextmanager
def atomic_files(*paths: str | Path, gone: Sequence[str | Path] = ()) -> Iterator[list[BinaryIO]]:
    """Binary files that appear under their names together, when all are complete, or not at all.

    Each is compressed where its name ends in .gz, .bz2, .xz or .zst. Headers hold neither time nor
    name, so that the same content gives the same bytes. A symbolic link is followed, permissions of
    a file that is replaced are kept, and a pipe or device is written to as it stands.

    Where there are several, the older ones go before the first new one comes, so that no old one
    stands beside a new one, wherever the process is killed; the first of ``paths`` comes last.

    gone: files that may stand beside older ones, and are removed with them; of a symbolic link the
        link is

    Raises OutputError where one can't be written, such as on a full disk.
    """
    for path in paths:
        check_path(path)
    with ExitStack() as made:
        outputs = [made.enter_context(_Output(path, made)) for path in map(Path, paths)]
        with ExitStack() as opened:
            yield [opened.enter_context(_compressed(output)) for output in outputs]
        outputs.reverse()
        complete: list[_Output | _Gone] = [*map(_Gone, map(Path, gone)), *outputs]
        files = _SET.get()
        if files is None or any(output.is_inside_part for output in outputs):
            _put_in_place(complete)
        else:
            files.outputs += complete
            files.made.push(made.pop_all())


def _put_in_place(outputs: Sequence["_Output | _Gone"]) -> None:
    """Give complete files their names; all is as it was where one can't have its name."""
    for output in outputs:
        output.take_permissions()
    with undisturbed(), ExitStack() as aside:
        for output in reversed(outputs) if len(outputs) > 1 else ():
            aside.enter_context(output.older_aside())
        for output in outputs:
            output.put_in_place()


@contextmanager
def atomic_file(path: str | Path) -> Iterator[BinaryIO]:
    """One file, as :func:`atomic_files` writes them."""
    with atomic_files(path) as (stream,):
        yield stream


class _Output(io.FileIO):
    """A file to write to whose errors are raised under the name that the user gave."""

    # made: removes its part when it ends

    def __init__(self, shown: Path, made: ExitStack) -> None:
        self._shown, self._part = shown, None
        with naming_output(shown):
            if shown.exists() and not shown.is_file() and not shown.is_dir():
                super().__init__(shown, "w")
                return
            self._whole = output_path(shown)
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

    @property
    def is_inside_part(self) -> bool:
        """Whether it is in a folder that has a temporary name itself."""
        return self._part is not None and any(map(is_part, self._whole.parts))

    def take_permissions(self) -> None:
        """Give it those of the file that it replaces."""
        with naming_output(self._shown):
            if self._part is not None and self._whole.is_file():
                self._part.chmod(self._whole.stat().st_mode & 0o7777)

    @contextmanager
    def older_aside(self) -> Iterator[None]:
        """Take the older file away for the block, at whose end it is removed, or comes back."""
        if self._part is None:
            yield
            return
        with naming_output(self._shown), _taken_away(self._whole) as was_there:
            try:
                yield
            except BaseException:
                if not was_there and not self._part.exists():
                    self._whole.unlink()
                raise

    def put_in_place(self) -> None:
        """Give it its name."""
        if self._part is not None:
            with naming_output(self._shown):
                self._part.replace(self._whole)


class _Gone:
    """An older file that new ones take away, among files that come together."""

    def __init__(self, shown: Path) -> None:
        self._shown = shown

    def take_permissions(self) -> None:
        """Nothing to do: no file replaces it."""

    @contextmanager
    def older_aside(self) -> Iterator[None]:
        """Take the file away for the block, at whose end it is removed, or comes back."""
        with naming_output(self._shown), ExitStack() as away:
            if self._shown.is_file() or self._shown.is_symlink():
                away.enter_context(_taken_away(self._shown))
            yield

    def put_in_place(self) -> None:
        """Nothing to do: no file replaces it."""


@contextmanager
def _taken_away(file: Path) -> Iterator[bool]:
    """Take a file or link away for the block; yield whether it was there."""
    # When the block ends it is removed, or comes back where it failed.
    with new_part(file) as (older, _):
        was_there = file.is_file() or file.is_symlink()
        if was_there:
            file.replace(older)
        try:
            yield was_there
        except BaseException:
            if was_there:
                older.replace(file)
            raise


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
            folder = output_path(given)
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


class _GzipWriter(gzip.GzipFile):
    """One that says nothing as it is collected after a failure, what it holds back being lost."""

    def close(self) -> None:
        try:
            super().close()
        except BaseException:
            self.fileobj, self.compress = io.BytesIO(), zlib.compressobj()  # which take the rest
            raise


def uncompressed_name(name: str) -> str:
    """A file's name without the suffixes that say how it is compressed."""
    for suffix in COMPRESSED:
        name = name.removesuffix(suffix)
    return name


def _compressor(raw: BinaryIO, suffix: str) -> Any:
    """A stream that compresses what is written to ``raw``; None for a suffix of another kind."""
    if suffix == ".gz":
        return _GzipWriter("", "wb", compresslevel=4, fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb")
    if suffix == ".zst":
        stream = zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)
        return io.BufferedWriter(stream)  # its own can't write several lines at once
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
    # On a terminal what it would obey is written out.
    if sys.stdout.isatty():
        lines = (on_a_terminal(line.removesuffix("\r")) for line in lines)
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
