"""What a file holds, looked at in a few places: its first bytes, and some from further on."""

import random
from pathlib import Path
from typing import BinaryIO, NamedTuple

from ...errors import IsoglossError, check_path
from .opening import content, open_raw
from .remote import is_url

__all__ = ["FileSample", "is_regular", "sample_of"]

_HEAD = 1 << 16  # bytes from the beginning
_PLACES = 8  # further on
_PART = 1 << 12  # bytes of each


class FileSample(NamedTuple):
    """Bytes of a file, decompressed.

    head: the first ones; is_whole: they are all
    parts: whole lines from other places, in the order of the file; none of compressed files
    """

    head: bytes
    is_whole: bool
    parts: tuple[bytes, ...] = ()


def is_regular(path: str | Path) -> bool:
    """Whether a file can be looked into and then read: no pipe, no standard input, no address."""
    check_path(path)
    try:
        return not is_url(path) and Path(path).is_file()
    except OSError:  # too long for a name
        return False


def sample_of(path: str | Path) -> FileSample | None:
    """Look into a file; None for what can't be read twice or can't be read at all.

    The places are random, but the same for files of the same size.
    """
    try:
        if not is_regular(path):
            return None
        with open_raw(path) as raw:
            stream = content(raw, until_damage=True)
            head = _up_to(stream, _HEAD + 1)
            parts = _parts(raw, Path(path).stat().st_size) if stream is raw else ()
    except (OSError, ValueError, IsoglossError):
        return None
    return FileSample(head[:_HEAD], len(head) <= _HEAD, parts)


def _up_to(stream: BinaryIO, size: int) -> bytes:
    """The next bytes, fewer only at the end."""
    found = b""
    while len(found) < size and (part := stream.read(size - len(found))):
        found += part
    return found


def _parts(raw: BinaryIO, size: int) -> tuple[bytes, ...]:
    """Lines behind the first bytes, some here and there."""
    if size < _HEAD + 2 * _PLACES * _PART:
        return ()
    places = random.Random(size)
    found = []
    for place in sorted(places.randrange(_HEAD, size - _PART) for _ in range(_PLACES)):
        raw.seek(place)
        part = raw.read(_PART)
        found.append(part[part.find(b"\n") + 1 : part.rfind(b"\n") + 1])
    return tuple(filter(None, found))
