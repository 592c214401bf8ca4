"""Files out: written under a temporary name, renamed when complete."""

import gzip
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

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
    """A binary file that appears under its name only when complete; gz where the name says so.

    The gzip header holds neither time nor name, so that the same content gives the same bytes.
    """
    with atomic_path(path) as temporary, temporary.open("wb") as raw:
        if str(path).endswith(".gz"):
            with gzip.GzipFile("", "wb", compresslevel=6, fileobj=raw, mtime=0) as stream:
                yield stream  # type: ignore[misc]
        else:
            yield raw


def write_lines(lines: Iterable[str], path: str | Path | None) -> None:
    """Write lines as UTF-8 to a file (gz by its suffix), or to stdout for None and ``-``."""
    if path is None or str(path) == "-":
        for line in lines:
            sys.stdout.write(line + "\n")
        return
    with atomic_file(path) as stream:
        for line in lines:
            stream.write(line.encode() + b"\n")
