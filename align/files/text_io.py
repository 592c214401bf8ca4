"""Lines of files and of standard input: plain or compressed, UTF-8; their fields and tokens."""

import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from io import BufferedReader
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO

from ..errors import DataError, pluralize, shown_file, warn
from .encodings import not_utf8
from .inputs.opening import FileShare, content, open_binary, open_raw, raise_damage
from .inputs.shards import files_of

__all__ = [
    "FIELD_SEPARATOR",
    "LONGEST_DOCUMENT",
    "LONGEST_LINE",
    "MAX_LINES",
    "ArrivingLines",
    "block_lines",
    "decode_lines",
    "iter_lines",
    "on_one_line",
    "raw_lines",
    "read_lines",
    "read_up_to",
    "split_fields",
    "split_tokens",
    "stream_lines",
    "text_blocks",
]

FIELD_SEPARATOR = "|||"
_FIELD = re.compile(r"(?:^| )\|\|\|(?= |$)|\t\|\|\|(?=\t)")  # between blanks or tabs, or at an end
LONGEST_LINE = 1 << 24  # bytes of a line of text, where a format has no limit of its own
LONGEST_DOCUMENT = 1 << 26  # bytes of one where a whole file may be a line, such as JSON
MAX_LINES = 1 << 25  # of a file of weights or settings
_BOM = b"\xef\xbb\xbf"
_TEXT_BLOCK = 1 << 20  # bytes read at a time
_OLD_LINE_ENDS = 3  # carriage returns inside a file of one line
_ARRIVING = 1 << 16  # bytes asked for at a time; what is there is less in a pipe


def read_up_to(stream: BinaryIO, most: int) -> bytes:
    """The rest of a stream, little more than ``most`` bytes of it at most.

    ``stream.read(most)`` would take all that memory at once.
    """
    parts, size = [], 0
    while size <= most and (part := stream.read(_TEXT_BLOCK)):
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def stream_lines(stream: BinaryIO, path: str | Path, lead: Iterable[bytes] = ()) -> Iterator[bytes]:
    """Lines of a stream without their line feed, after the lines ``lead`` that were taken from it.

    Raises DataError for a damaged archive with the last good line, and for a line of more than
    LONGEST_LINE bytes.
    """
    number = 0
    for line in chain(lead, iter(partial(stream.readline, LONGEST_LINE + 1), b"")):
        number += 1
        if len(line) > LONGEST_LINE:
            raise _too_long(LONGEST_LINE, path, number)
        yield line[:-1] if line.endswith(b"\n") else line
    raise_damage(stream, path, number)


class ArrivingLines:
    """Lines of a stream without their line feed: one that is there doesn't wait for the next one.

    lead: lines that were taken from it before, with their line feed
    waiting: how many lines can be had without reading on, after the one that was had last

    Reading raises DataError for a damaged archive, with the last good line, and for a line of more
    than LONGEST_LINE bytes.
    """

    def __init__(self, stream: BinaryIO, path: str | Path, lead: Sequence[bytes] = ()) -> None:
        self.waiting = 0
        self._stream, self._path, self._lead = stream, path, lead

    def __iter__(self) -> Iterator[bytes]:
        rest: list[bytes] = []  # the begin of a line, in pieces
        size, number = 0, len(self._lead)
        for line in self._lead:
            if len(line) > LONGEST_LINE:
                raise _too_long(LONGEST_LINE, self._path, 1)
            yield line.removesuffix(b"\n")
        while data := self._stream.read1(_ARRIVING):  # type: ignore[attr-defined]
            first, *lines = data.split(b"\n")
            rest.append(first)
            size += len(first)
            if size > LONGEST_LINE:
                raise _too_long(LONGEST_LINE, self._path, number + 1)
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


def raw_lines(path: str | Path) -> Iterator[bytes]:
    """Lines as bytes, without their line feed, of a file or of several (:func:`files_of`).

    Raises DataError for a missing file, and for a damaged archive with the last good line.
    """
    for file in files_of(path):
        with open_binary(file, until_damage=True) as stream:
            yield from stream_lines(stream, file)


def decode_lines(lines: Iterable[bytes], path: str | Path, first: int = 1) -> Iterator[str]:
    """Text of UTF-8 lines; a BOM and carriage returns at line ends are dropped with a warning.

    ``first`` is the number of the first line.

    Raises DataError for invalid UTF-8, and at the end for one line with the line ends of old Macs.
    """
    carriage_returns = inside = number = 0
    for number, raw in enumerate(lines, start=first):
        if number == 1:
            inside = raw.count(b"\r", 0, -1)
            if raw.startswith(_BOM):
                raw = raw[3:]
                warn(f"{shown_file(path)}: a byte order mark was removed")
        if raw.endswith(b"\r"):
            raw = raw[:-1]
            carriage_returns += 1
        try:
            yield raw.decode()
        except UnicodeDecodeError as error:
            raise not_utf8(raw, error, path, number) from error
    if inside >= _OLD_LINE_ENDS and number == 1:
        raise DataError(
            f"the file is one line with {inside} carriage returns inside",
            "lines that end with a line feed",
            file=path,
            line=1,
            remedy=r"Convert line ends of old Macs with `tr '\r' '\n'" + _from(path) + "`",
        )
    if carriage_returns:
        warn(
            f"{shown_file(path)}: the carriage return at the end of {pluralize(carriage_returns)} "
            "was removed (Windows line endings)"
        )


def _from(path: str | Path) -> str:
    """What a command reads a file with, empty for standard input."""
    return "" if str(path) in ("-", "") else f" < {shlex.quote(str(path))}"


def iter_lines(path: str | Path) -> Iterator[str]:
    """Read UTF-8 lines one at a time; a BOM and carriage returns are dropped with a warning.

    Lines end at a line feed only: other Unicode separators are part of the text. The path may name
    several files, see :func:`files_of`.

    Raises DataError for a missing file, invalid UTF-8 or a damaged archive.
    """
    return chain.from_iterable(decode_lines(raw_lines(file), file) for file in files_of(path))


def text_blocks(
    path: str | Path,
    *,
    longest: int | Callable[[bytes], int],
    share: FileShare | None = None,
) -> Iterator[bytes]:
    """The lines of :func:`iter_lines`, UTF-8, some thousands at a time, which is much faster.

    The last line of a block has no feed. Of a line with more than ``longest`` bytes little more
    than these are read. longest: or what tells it by how the file begins; share: kept up to date

    Raises DataError as :func:`iter_lines` does, and for a longer line.
    """
    files = files_of(path)
    for number, file in enumerate(files):
        measure = None if share is None else partial(share.measure, number=number, count=len(files))
        yield from _file_blocks(file, longest, measure)


def _file_blocks(
    path: str | Path,
    longest: int | Callable[[bytes], int],
    measure: Callable[[BufferedReader], None] | None,
) -> Iterator[bytes]:
    """The blocks of one file. measure: told before each of where the file is read"""
    done = 0
    with open_raw(path) as raw:
        blocks = _whole_lines(content(raw, until_damage=True), path, longest)
        for block in blocks:
            if measure is not None:
                measure(raw)
            if not _is_plain(block):  # the rest of the file line by line
                rest = chain.from_iterable(text.split(b"\n") for text in chain([block], blocks))
                odd = decode_lines(rest, path, done + 1)
                while part := list(islice(odd, 4096)):
                    yield "\n".join(part).encode()
                return
            done += block.count(b"\n") + 1
            yield block


def _is_plain(block: bytes) -> bool:
    """Whether lines can be taken as they are; others need a closer look."""
    if b"\r" in block or block.startswith(_BOM):
        return False
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _whole_lines(
    stream: BinaryIO, path: str | Path, longest: int | Callable[[bytes], int]
) -> Iterator[bytes]:
    """Blocks of whole lines, without the last one's line feed."""
    rest, size, done = [b""], 0, 0  # the begin of a line, in pieces: long ones come in many
    while data := stream.read(_TEXT_BLOCK):
        if not isinstance(longest, int):
            longest = longest(data)
        whole, feed, after = data.rpartition(b"\n")
        if feed:
            block = b"".join([*rest, whole])
            rest, size = [], 0
            _check_lengths(block, path, done, longest)
            done += block.count(b"\n") + 1
            yield block
        rest.append(after)
        size += len(after)
        if size > longest:
            raise _too_long(longest, path, done + 1)
    raise_damage(stream, path, done + bool(size))
    if size:
        yield b"".join(rest)


def _check_lengths(block: bytes, path: str | Path, done: int, longest: int) -> None:
    """Raise DataError for a line that is too long, ``done`` lines after the first."""
    if len(block) <= longest:
        return
    for number, line in enumerate(block.split(b"\n"), start=done + 1):
        if len(line) > longest:
            raise _too_long(longest, path, number)


def _too_long(longest: int, path: str | Path, line: int) -> DataError:
    return DataError(
        f"the line is longer than {longest} bytes",
        file=path,
        line=line,
        remedy="Check that this is a text file with line feeds",
    )


def read_lines(
    path: str | Path, *, longest: int = LONGEST_LINE, most: int | None = None
) -> list[str]:
    """All lines of a file, as :func:`iter_lines` reads them, but many at a time.

    longest: bytes that a line may have; most: lines that the file may have
    Raises DataError for more.
    """
    lines: list[str] = []
    for block in text_blocks(path, longest=longest):
        lines += block.decode().split("\n")
        if most is not None and len(lines) > most:
            raise DataError(
                f"the file has more than {most:,} lines", file=path, line=most + 1,
                remedy="Split the file, or check that it is the intended one",
            )  # fmt: skip
    return lines


def block_lines(path: str | Path) -> Iterator[str]:
    """The lines of :func:`iter_lines` many at a time: faster, but not as they come in."""
    for block in text_blocks(path, longest=LONGEST_LINE):
        yield from block.decode().split("\n")


def split_tokens(line: str) -> list[str]:
    """Tokens of a line: blanks, tabs and carriage returns separate them, other blanks don't."""
    tokens = line.replace("\t", " ").replace("\r", " ").split(" ")
    return list(filter(None, tokens)) if "" in tokens else tokens


def split_fields(line: str) -> list[str]:
    """Fields of a line of a table or an n-best list; ``|||`` inside a word is part of it."""
    fields = line.split(f" {FIELD_SEPARATOR} ")
    if len(fields) != line.count(FIELD_SEPARATOR) + 1:  # some stand at an end or inside a word
        fields = _FIELD.split(line)
    return [field.strip(" \t\r") for field in fields]


def on_one_line(text: str) -> str:
    """The text with blanks in place of its line breaks."""
    return text.replace("\n", " ").replace("\r", " ")
