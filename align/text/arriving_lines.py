"""Lines of a pipe as they come in: a line that is there doesn't wait for the next one."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ..errors import DataError
from ..files.text_io import LONGEST_LINE, raise_damage

__all__ = ["ArrivingLines"]

_BLOCK = 1 << 16  # bytes asked for at a time; what is there is less in a pipe


class ArrivingLines:
    """Lines of a stream without their line feed.

    waiting: how many lines can be had without reading on, after the one that was had last

    Reading raises DataError for a damaged archive, with the last good line, and for a line of more
    than LONGEST_LINE bytes.
    """

    def __init__(self, stream: BinaryIO, path: str | Path) -> None:
        self.waiting = 0
        self._stream, self._path = stream, path

    def __iter__(self) -> Iterator[bytes]:
        rest: list[bytes] = []  # the begin of a line, in pieces
        number = size = 0
        while data := self._stream.read1(_BLOCK):  # type: ignore[attr-defined]
            first, *lines = data.split(b"\n")
            rest.append(first)
            size += len(first)
            if size > LONGEST_LINE:
                seen = f"a line of more than {LONGEST_LINE} bytes"
                raise DataError(seen, "shorter lines", file=self._path, line=number + 1)
            if not lines:
                continue
            lines.insert(0, b"".join(rest))
            rest = [lines.pop()]
            size = len(rest[0])
            for left, line in zip(range(len(lines) - 1, -1, -1), lines, strict=True):
                self.waiting = left
                yield line
            number += len(lines)
        raise_damage(self._stream, self._path, number)
        if size:
            yield b"".join(rest)
