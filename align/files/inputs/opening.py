"""Files opened for reading, decompressed: local ones, standard input, those of object stores."""

import io
import os
import sys
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from ...errors import DataError, DataWarning, check_path, unreadable
from .archives import DensityError, UntilDamage, decompressed
from .remote import is_url, open_remote

__all__ = ["FileShare", "content", "open_binary", "open_raw", "raise_damage", "waiting_told"]

STANDARD_INPUT = "-"
_BUFFER = 1 << 16  # bytes
_PATIENCE = 2.0  # seconds that a pipe is waited for without a word


class FileShare:
    """How much of a file, or of several, has been read, for who shows it.

    read: 0 to 1 of what the file takes on disk, None for a pipe and before anything is read
    """

    def __init__(self) -> None:
        self.read: float | None = None

    def measure(self, raw: io.BufferedReader, number: int = 0, count: int = 1) -> None:
        """Take the share from where a file is read, ahead of what is in work by a block.

        number: of the file, from 0, among ``count``
        """
        try:
            size = os.fstat(raw.fileno()).st_size if raw.seekable() else 0
        except io.UnsupportedOperation:  # no file of the system's
            size = 0
        self.read = (number + min(raw.tell() / size, 1.0)) / count if size else None


def open_raw(path: str | Path) -> io.BufferedReader:
    """Open a file as it stands, or standard input for ``-``; raises as :func:`open_binary` does."""
    check_path(path)
    if str(path) == STANDARD_INPUT:
        return _standard_input()
    if is_url(path):
        return open_remote(path)
    try:
        with waiting_told(path):
            return io.BufferedReader(_Named(path), _BUFFER)
    except OSError as error:
        raise unreadable(path, error) from error


class _Named(io.FileIO):
    """A file whose errors say its name, those of a bad disk, too."""

    def readinto(self, buffer: Any) -> int | None:
        try:
            return super().readinto(buffer)
        except OSError as error:
            error.filename = self.name
            raise

    def readall(self) -> bytes:
        try:
            return super().readall()
        except OSError as error:
            error.filename = self.name
            raise


@contextmanager
def waiting_told(path: str | Path) -> Iterator[None]:
    """Say after a while that a pipe is waited for, which nobody has opened to write to it."""
    if not Path(path).is_fifo():
        yield
        return
    text = f"waiting for a writer of the named pipe {path}"
    told = threading.Timer(_PATIENCE, warnings.warn, (text, DataWarning))
    told.daemon = True
    told.start()
    try:
        yield
    finally:
        told.cancel()


def _standard_input() -> io.BufferedReader:
    """Standard input, taken from ``sys.stdin`` for good: what was read once can't be read again."""
    try:
        stream = cast("io.TextIOWrapper", sys.stdin).detach()
    except (AttributeError, ValueError) as error:
        raise DataError(
            "standard input is closed or already in use",
            remedy="Pass the other inputs as files",
        ) from error
    if isinstance(stream, io.BufferedReader):
        return stream
    return io.BufferedReader(cast("io.RawIOBase", stream))


@contextmanager
def open_binary(path: str | Path, *, until_damage: bool = False) -> Iterator[BinaryIO]:
    """Open a file, or standard input for ``-``.

    gz, bz2, xz and zst are recognized by their first bytes. With ``until_damage`` a damaged archive
    ends early and ``stream.raw.damage`` says why, so that a reader can tell how far it came (see
    :func:`raise_damage`); else reading raises the archive's own error.

    Raises DataError for a file that can't be opened, and for standard input a second time.
    """
    with open_raw(path) as raw:
        yield content(raw, until_damage=until_damage)


def content(raw: io.BufferedReader, *, until_damage: bool) -> BinaryIO:
    """What a file holds, decompressed."""
    stream = decompressed(raw, raw.peek(10)[:10])
    if stream is None:
        return raw
    source: Any = UntilDamage(stream) if until_damage else stream
    # a buffer in front of the short blocks of decompressors makes line reading fast
    return io.BufferedReader(source, 1 << 20)


def raise_damage(stream: BinaryIO, path: str | Path, line: int) -> None:
    """Raise DataError where a stream of :func:`open_binary` ended early, after ``line`` lines."""
    damage = getattr(getattr(stream, "raw", None), "damage", None)
    if isinstance(damage, DensityError):
        raise DataError(
            damage.seen, damage.expected, file=path, line=line + 1,
            remedy="If the file is intended, decompress it first",
        )  # fmt: skip
    if damage is not None:
        raise DataError(
            f"the compressed file is truncated or damaged in or after this line ({damage})",
            file=path,
            line=max(line, 1),
            remedy="Fetch or compress it again",
        )
