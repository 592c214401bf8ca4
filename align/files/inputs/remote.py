"""Files of object stores and of the web, read by fsspec where it is installed."""

import io
import re
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from ...errors import UsageError, unreadable

__all__ = ["is_url", "matching", "open_remote", "remote_state"]

_URL = re.compile(r"[a-z][a-z0-9+.-]*(::[a-z][a-z0-9+.-]*)*://")
_BUFFER = 1 << 20  # bytes


def is_url(path: object) -> bool:
    """Whether a path is an address such as ``s3://bucket/corpus.gz``."""
    return _URL.match(str(path)) is not None


def open_remote(url: str | Path) -> io.BufferedReader:
    """Open a file by its address. Raises DataError where it can't be read."""
    files, place = _file_system(url)
    try:
        raw = files.open(place, "rb")
    except Exception as error:  # each store has errors of its own
        raise unreadable(url, error) from error
    stream = _Remote(cast("io.RawIOBase", raw), _BUFFER)
    stream.store = files
    return stream


class _Remote(io.BufferedReader):
    """A file that keeps its store open, which may be an archive."""

    store: Any


def remote_state(url: str | Path) -> str:
    """What changes when a file does, as far as its store tells."""
    files, place = _file_system(url)
    try:
        return str(files.ukey(place))
    except Exception as error:
        raise unreadable(url, error) from error


def matching(pattern: str) -> list[str]:
    """The addresses of the files that a pattern or a folder of a store names, in order."""
    files, place = _file_system(pattern)
    try:
        found = files.find(place, maxdepth=1) if files.isdir(place) else files.glob(place)
    except Exception as error:
        raise unreadable(pattern, error) from error
    return sorted(map(files.unstrip_protocol, found))


def _file_system(url: str | Path) -> tuple[Any, str]:
    """The store of an address, and the place in it. Raises UsageError where fsspec lacks it."""
    try:
        found: tuple[Any, str] = import_module("fsspec").url_to_fs(str(url))
    except ModuleNotFoundError as error:
        raise UsageError(f"{url} needs fsspec; run pip install isogloss[remote]") from error
    except (ImportError, ValueError) as error:  # which say what to install, or that nobody knows it
        raise UsageError(f"{url} cannot be opened: {error}") from error
    except Exception as error:  # such as an archive that isn't there
        raise unreadable(url, error) from error
    return found
