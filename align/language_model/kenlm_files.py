"""KenLM's binary language models: what their header says, and bounded reads of what follows it.

The format is version 5 of `build_binary` (Heafield 2011): test values of the machine, parameters,
the number of n-grams of each order; then hashes of the words, the n-grams, and at the end the words
themselves by id, each with a NUL behind it. KenLM itself trusts all of it. Here nothing is read
from behind the end of the file, and no count is believed that the file has no room for.
"""

import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import DataError, pluralize, unreadable
from .words import BEGIN, END, MARKERS, UNKNOWN, all_plain

__all__ = ["LARGEST_LOG", "LONGEST_NGRAM", "PROBING", "REST_PROBING", "KenlmFile", "is_kenlm"]

_KINDS = (
    "probing hash tables",
    "probing hash tables with rest costs",
    "trie",
    "trie with quantization",
    "trie with array-compressed pointers",
    "trie with quantization and array-compressed pointers",
)
PROBING, REST_PROBING = 0, 1
LONGEST_NGRAM = 32  # words
LARGEST_LOG = 1e5  # of a probability or a backoff, base 10, whatever its sign
_LONGEST_WORD = 1000  # bytes, on average
_MARK = b"mmap lm "
_VERSION = b"mmap lm http://kheafield.com/code format version "
_TEST_VALUES = _VERSION + struct.pack("<7s3f3IQ", b"5\n", 0.0, 1.0, -0.5, 1, 0xFFFFFFFF, 0, 1)
_PARAMETERS = struct.Struct("<B3xfIB3xI")
_SEARCH_VERSIONS = (0, 0, 1, 1, 1, 1)  # by kind
_BLOCK = 1 << 20  # items read at a time
_REBUILD = "Rebuild it with build_binary, or pass the ARPA file it was built from"


def is_kenlm(path: str | Path) -> bool:
    """Whether a regular file begins as KenLM's binaries do."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as stream:
            return stream.read(len(_MARK)) == _MARK
    except OSError:
        return False


@dataclass(frozen=True)
class _Parameters:
    """What the header says: number of n-grams of each order, kind, slots per n-gram."""

    counts: tuple[int, ...]
    kind: int
    multiplier: float


class KenlmFile:
    """A binary language model that is open; to be used by ``with``.

    path: the file
    kind: PROBING, REST_PROBING, or one of the tries, 2 to 5
    counts: number of n-grams of each order, blanks where pruning left holes not always among them
    multiplier: slots of a hash table per n-gram
    start: byte behind the header

    Raises DataError for a file that can't be opened, ends in its header, is of another version or
    machine, unfinished, or states what can't be.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        try:
            self._stream: BinaryIO = self.path.open("rb")
        except OSError as error:
            raise unreadable(path, error) from error
        try:
            self.size = os.fstat(self._stream.fileno()).st_size
            self._check_test_values()
            parameters = self._parameters()
        except BaseException:
            self._stream.close()
            raise
        self.kind, self.counts = parameters.kind, parameters.counts
        self.multiplier = parameters.multiplier
        place = len(_TEST_VALUES) + _PARAMETERS.size + 8 * self.order
        self.start = -(-place // 8) * 8

    def __enter__(self) -> "KenlmFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    @property
    def order(self) -> int:
        """Words of the longest n-gram."""
        return len(self.counts)

    def error(self, seen: str, expected: str = "", remedy: str = _REBUILD) -> DataError:
        """What is wrong with the file."""
        return DataError(seen, expected, file=self.path, remedy=remedy)

    def array(self, at: int, kind: DTypeLike, count: int) -> NDArray[Any]:
        """Items of a type that begin at byte ``at``: uint8[count], or of another type.

        Raises DataError where the file ends before.
        """
        items = np.dtype(kind)
        if at + items.itemsize * count > self.size:
            raise self.error(
                f"the file has {self.size:,} bytes",
                f"at least {at + items.itemsize * count:,}, according to its header",
                "Copy the file again, or rebuild it with build_binary",
            )
        self._stream.seek(at)
        found = np.fromfile(self._stream, items, count)
        if len(found) < count:
            raise self.error("the file was truncated while it was read", f"{self.size:,} bytes")
        return found

    def blocks(self, at: int, kind: DTypeLike, count: int) -> Iterator[NDArray[Any]]:
        """The same, some at a time: uint8[n] or another type."""
        size = np.dtype(kind).itemsize
        for begin in range(0, count, _BLOCK):
            yield self.array(at + size * begin, kind, min(_BLOCK, count - begin))

    def words(self, at: int) -> tuple[str, ...]:
        """The words by id, which stand from byte ``at`` to the end of the file.

        Raises DataError for another number of them than unigrams, for words that aren't UTF-8, that
        stand twice or couldn't stand in a text, and where <unk> isn't the first, or <s> or </s>
        isn't among them.
        """
        most = _LONGEST_WORD * (self.counts[0] + 1)
        if self.size - at > most:
            raise self.error(
                f"{self.size - at:,} bytes follow the n-grams", f"at most {most:,} bytes of words"
            )
        content = self.array(at, np.uint8, max(0, self.size - at)).tobytes()
        if not content.startswith(b"<unk>\0") or not content.endswith(b"\0"):
            raise self.error(
                f"the vocabulary at byte {at:,} begins with {_shown(content)}",
                "<unk>, a NUL byte and other words",
            )
        try:
            words = tuple(content.decode().split("\0")[:-1])
        except UnicodeDecodeError as error:
            number = content.count(b"\0", 0, error.start)
            raise self.error(
                f"word {number} is {_shown(content.split(bytes(1))[number])}", "UTF-8 text",
                "Convert the training text of the model to UTF-8",
            ) from None  # fmt: skip
        if len(words) not in (self.counts[0], self.counts[0] + 1):  # without <unk> in the text
            raise self.error(
                f"the vocabulary has {pluralize(len(words), 'word')}",
                f"{self.counts[0]}, one per 1-gram",
            )
        missing = [marker for marker in (MARKERS[BEGIN], MARKERS[END]) if marker not in words]
        if missing:
            raise self.error(
                f"the vocabulary does not contain {' or '.join(missing)}", " ".join(MARKERS)
            )
        ordinary = [word for word in words if word not in MARKERS]
        if len(ordinary) != len(words) - len(MARKERS) or len(set(words)) != len(words):
            raise self.error("a word occurs twice")
        if not all_plain(ordinary):
            raise self.error("a word is empty or contains whitespace", "words without whitespace")
        assert words[UNKNOWN] == MARKERS[UNKNOWN]
        return words

    def _check_test_values(self) -> None:
        """Raise DataError where the file doesn't begin with the values that KenLM tests."""
        values = self._stream.read(len(_TEST_VALUES))
        if values == _TEST_VALUES:
            return
        version = re.match(re.escape(_VERSION) + rb"([0-9]{1,9})\n", values)
        if values.startswith(_MARK + b"http://kheafield.com/code incomplete"):
            raise self.error("the binary language model is incomplete")
        if version and version[1] != b"5":
            raise self.error(
                f"the binary language model has version {version[1].decode()}",
                "version 5 of the format",
            )
        if version and len(values) == len(_TEST_VALUES):
            raise self.error(
                "the test values are damaged or from another platform",
                "a 64-bit little-endian model",
            )
        raise self.error(f"the file begins with {_shown(values)}", "the header of a KenLM binary")

    def _parameters(self) -> _Parameters:
        """What stands behind the test values."""
        fixed = self.array(len(_TEST_VALUES), np.uint8, _PARAMETERS.size).tobytes()
        order, multiplier, kind, with_words, version = _PARAMETERS.unpack(fixed)
        if not 2 <= order <= LONGEST_NGRAM:
            raise self.error(f"the order of the model is {order}", f"between 2 and {LONGEST_NGRAM}")
        if kind >= len(_KINDS) or version != _SEARCH_VERSIONS[kind]:
            name = f"kind {kind}" if kind >= len(_KINDS) else _KINDS[kind]
            known = ", ".join(f"{k} ({v})" for k, v in zip(_KINDS, _SEARCH_VERSIONS, strict=True))
            raise self.error(
                f"the type of the model is {name}, version {version}", f"one of {known}"
            )
        if not 1.0 < multiplier <= 1e6:
            raise self.error(f"the model has {multiplier} slots per n-gram", "a number above 1")
        counts = self.array(len(_TEST_VALUES) + _PARAMETERS.size, "<u8", order).tolist()
        if max(counts) > 8 * self.size or not counts[0]:
            raise self.error(
                f"the header declares {counts} n-grams in a file of {self.size:,} bytes",
                "fewer n-grams and at least one word",
            )
        if not with_words:
            raise self.error(
                "the binary language model lacks its vocabulary", "",
                "Rebuild it with build_binary, without the option -v",
            )  # fmt: skip
        return _Parameters(tuple(counts), kind, multiplier)


def _shown(content: bytes) -> str:
    """Bytes for a message, some of them."""
    return repr(content[:40].decode(errors="backslashreplace"))
