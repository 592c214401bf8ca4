"""Archives as streams of what they hold: gz, bz2, xz and zst, all members, little at a time."""

import bz2
import gzip
import io
import lzma
import re
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

import zstandard

__all__ = ["MAX_DENSE", "MAX_EMPTY", "DensityError", "UntilDamage", "decompressed"]

MAX_EMPTY = 1 << 20  # empty lines in a row, of an archive: a few KB
MAX_DENSE = 4096  # bytes that a byte of an archive may stand for, four times what gz can do

_BZIP2 = (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")  # a block, or the end of an empty archive
_ZSTANDARD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")  # a frame or a skippable one
_LARGEST_WINDOW = 1 << 31  # what `zstd --long=31` needs
_CONTENT = 1 << 20  # bytes that a decompressor gives at a time
_ANY_DENSITY = 1 << 25  # bytes of content that may come of however few
_LARGEST_XZ = 1 << 29  # bytes of memory; what `xz -9` writes needs an eighth of it


class DensityError(OSError):
    """An archive holds so much for its size that it must have been made to fill memory.

    seen, expected: as in DataError
    """

    def __init__(self, seen: str, expected: str) -> None:
        super().__init__(seen)
        self.seen, self.expected = seen, expected


class _Members(io.RawIOBase):
    """The content of all members of an archive, one after the other, little at a time."""

    # Python's own readers take what follows the first member for the archive's end where it is
    # damaged, and zstandard's takes one that is cut short for a complete one.
    # begin: what decompresses a member; packed_size: compressed bytes that it is given at a time

    def __init__(
        self, raw: io.BufferedReader, begin: Callable[[], Any], packed_size: int = 1 << 16
    ) -> None:
        self._raw, self._begin, self._packed_size = raw, begin, packed_size
        self._member: Any = None
        self._packed, self._content = b"", memoryview(b"")
        self._taken, self._given = 0, 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._content:
            if not self._fill():
                return 0
        count = min(len(buffer), len(self._content))
        buffer[:count] = self._content[:count]
        self._content = self._content[count:]
        return count

    def _fill(self) -> bool:
        """Decompress something; False at the end of the archive."""
        packed = b""
        if self._member is None or self._member.needs_input:
            packed = self._packed or self._raw.read1(self._packed_size)
            self._taken += 0 if self._packed else len(packed)
            if not packed and self._member is not None:
                raise EOFError("Compressed file ended before the end of a member")
            if not packed:
                return False
        if self._member is None:
            packed = packed.lstrip(b"\0")  # padding, as between members of xz
            if not packed:
                self._packed = b""
                return True
            self._member = self._begin()
        member = self._member
        self._content = memoryview(member.decompress(packed, _CONTENT))
        self._given += len(self._content)
        if self._given > max(_ANY_DENSITY, MAX_DENSE * self._taken):
            seen = "the archive expands to far more than its compressed size"
            raise DensityError(seen, f"at most {MAX_DENSE:,} times its size")
        self._packed = member.unused_data if member.eof else b""
        if member.eof:
            self._member = None
        return True


class _ZstandardFrame:
    """A frame or skippable frame of a zst archive, to be used like other decompressors."""

    # It gives all that it is given, 32 KB for a byte at most.

    needs_input = True

    def __init__(self) -> None:
        context = zstandard.ZstdDecompressor(max_window_size=_LARGEST_WINDOW)
        self._frame = context.decompressobj()

    def decompress(self, packed: bytes, _: int) -> bytes:
        try:
            return self._frame.decompress(packed)
        except zstandard.ZstdError as error:
            raise OSError(str(error)) from error  # as the other archives' readers do

    @property
    def eof(self) -> bool:
        return self._frame.eof

    @property
    def unused_data(self) -> bytes:
        return self._frame.unused_data


class UntilDamage(io.RawIOBase):
    """A decompressed stream that ends where its archive is damaged, and remembers why.

    It also ends where an archive has more empty lines in a row than any text.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._empty = 0  # lines in a row
        self.damage: Exception | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Read some bytes; 0 at the end, and from where it is damaged on."""
        if self.damage is not None:  # what it says when it is asked again is another thing
            return 0
        try:
            data = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
            self._check_empty(data)
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            self.damage = error
            return 0
        buffer[: len(data)] = data
        return len(data)

    def _check_empty(self, data: bytes) -> None:
        """Raise DensityError for too many empty lines in a row."""
        behind = len(data) - len(data.rstrip(b"\n"))
        self._empty = behind + (self._empty if behind == len(data) else 0)
        if self._empty > MAX_EMPTY:
            seen = f"the archive contains more than {MAX_EMPTY:,} empty lines in a row"
            raise DensityError(seen, "text")


def decompressed(raw: io.BufferedReader, head: bytes) -> BinaryIO | None:
    """The content of an archive, None for a file that is none. head: its first ten bytes"""
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    if head[:3] == b"BZh" and head[4:] in _BZIP2:
        return io.BufferedReader(_Members(raw, bz2.BZ2Decompressor), 1 << 17)
    if head.startswith(b"\xfd7zXZ\x00"):
        member = partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, _LARGEST_XZ)
        return io.BufferedReader(_Members(raw, member), 1 << 17)
    if _ZSTANDARD.match(head):
        return io.BufferedReader(_Members(raw, _ZstandardFrame, 1 << 10), 1 << 17)
    return None
