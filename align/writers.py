"""Files out: written under a temporary name, renamed when complete."""

import bz2
import gzip
import lzma
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

__all__ = ["atomic_file", "atomic_path", "write_lines"]


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """A temporary path beside ``path``, renamed to it when the block ends well, else removed.

    A symbolic link is followed, permissions of a file that is replaced are kept, and a pipe or
    device is written to as it stands.
    """
    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        yield path
        return
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield temporary
        if path.is_file():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


@contextmanager
def atomic_file(path: str | Path) -> Iterator[BinaryIO]:
    """A binary file that appears under its name only when complete.

    It is compressed where the name ends in .gz, .bz2, .xz or .zst. Headers hold neither time nor
    name, so that the same content gives the same bytes.
    """
    with atomic_path(path) as temporary, temporary.open("wb") as raw:
        compressor = _compressor(raw, Path(path).suffix)
        if compressor is None:
            yield raw
        else:
            with compressor as stream:
                yield stream


def _compressor(raw: BinaryIO, suffix: str) -> Any:
    """A stream that compresses what is written to ``raw``; None for a suffix of another kind."""
    if suffix == ".gz":
        return gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0)
    if suffix == ".bz2":
        return bz2.BZ2File(raw, "wb")
    if suffix == ".xz":
        return lzma.LZMAFile(raw, "wb")
    if suffix == ".zst":
        return zstandard.ZstdCompressor(write_checksum=True).stream_writer(raw, closefd=False)
    return None


def write_lines(lines: Iterable[str], path: str | Path | None) -> None:
    """Write UTF-8 lines to a file (compressed by its suffix), or to stdout for None and ``-``."""
    if path is None or str(path) == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    with atomic_file(path) as stream:
        for line in lines:
            stream.write(line.encode() + b"\n")
