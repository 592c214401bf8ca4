"""ARPA files: n-gram models as text, in and out."""

import lzma
import math
import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import partial
from itertools import chain, islice, repeat
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import DataError, pluralize, warn
from ..files.inputs.opening import open_binary, raise_damage
from ..files.numerals import parse_number
from ..files.text_io import LONGEST_LINE, read_up_to
from .words import BEGIN, END, MARKERS

__all__ = ["Columns", "arpa_lines", "check_arpa", "check_arpa_words", "read_arpa"]

LARGEST_ARPA = 1 << 34  # bytes
_MOST_EMPTY = 10_000  # empty lines one after the other
_LARGEST_LOG = 1e37  # a natural logarithm is a single, too
_NO_PROBABILITY = re.compile(
    rb"\n(?!-[0-9.]|-[iI]nf[ \t]+<s>[ \t\r\n]|0(?:\.0*)?[ \t]|\n|\Z)[^\n]*"
)
_COUNT = rb"ngram[ \t]+([0-9]{1,2})[ \t]*=[ \t]*([0-9]{1,18})"
_NEVER = b"-99"  # log probability of <s>, which nothing asks for; some tools write -inf
# how the binary files of other programs begin
_BINARIES = {b"mmap lm ": "KenLM", b"SRILM_BINARY_NGRAM": "SRILM", b"blmt": "IRSTLM"}
_COMPLETE = "Check that the file is complete"
_BLOCK = 1 << 10  # ARPA lines handled at a time; few, so that they stay in the cache


class Columns(NamedTuple):
    """What an ARPA file holds; see :class:`.ngrams.NgramModel`.

    words: by id; ngrams: per order k int32[n_k, k]
    log_probability, log_backoff: per order k float32[n_k]
    """

    words: tuple[str, ...]
    ngrams: tuple[NDArray[np.int32], ...]
    log_probability: tuple[NDArray[np.float32], ...]
    log_backoff: tuple[NDArray[np.float32], ...]


def arpa_lines(columns: Columns) -> Iterator[str]:
    """ARPA text, many lines at a time without the last one's end."""
    yield "\\data\\"
    for k, rows in enumerate(columns.ngrams, start=1):
        yield f"ngram {k}={len(rows)}"
    for k in range(1, len(columns.ngrams) + 1):
        yield f"\n\\{k}-grams:"
        yield from _arpa_blocks(columns, k)
    yield "\n\\end\\"


def _arpa_blocks(columns: Columns, k: int) -> Iterator[str]:
    """Lines of the k-grams, many at a time."""
    table = np.array(columns.words, object)
    line = "{:.9g}\t{}\t{:.9g}" if k < len(columns.ngrams) else "{:.9g}\t{}"
    for begin in range(0, len(columns.ngrams[k - 1]), _BLOCK):
        rows = slice(begin, begin + _BLOCK)
        texts = map(" ".join, table[columns.ngrams[k - 1][rows]].tolist())
        probability = columns.log_probability[k - 1][rows].tolist()
        backoff = columns.log_backoff[k - 1][rows].tolist()
        yield "\n".join(map(line.format, probability, texts, backoff))


def read_arpa(path: str | Path) -> Columns:
    """Read ARPA text, plain or compressed (recognized by its first bytes).

    Words get ids in the order of the unigrams, after the three markers; n-grams stay in the order
    of the file. A missing backoff weight is 0.

    Raises DataError with file and line for a bad header, a section that is shorter or longer than
    its count, a line with a wrong number of fields, a value that is not a finite number or a log
    probability above 0, a word that is not UTF-8, doubled, or missing among the unigrams, <s> or
    </s> among these, and a truncated file or archive.
    """
    with open_binary(path) as stream:
        reader = _ArpaReader(path, stream)
        counts = reader.header()
        sections = [reader.section(k, count, len(counts)) for k, count in enumerate(counts, 1)]
        reader.expect("\\end\\")
        _check_markers(path, reader.seen)
    words = tuple(word.decode() for word in reader.ids)
    ngrams, probabilities, backoffs = zip(*sections, strict=True)
    return Columns(words, ngrams, probabilities, backoffs)


def check_arpa(path: str | Path) -> None:
    """Look through ARPA text for what its readers in other languages can't be trusted with.

    It takes a tenth of the time of :func:`read_arpa`: the text is UTF-8 without NUL, its sections
    have as many lines as the header says, no line begins with a probability above 1, and <s> and
    </s> are among the unigrams.

    Raises DataError for anything else.
    """
    with open_binary(path, until_damage=True) as stream:
        text = read_up_to(stream, LARGEST_ARPA)
        raise_damage(stream, path, text.count(b"\n"))
    if len(text) > LARGEST_ARPA:
        raise DataError(f"the file has more than {LARGEST_ARPA:,} bytes", file=path)
    try:
        text.decode()
    except UnicodeDecodeError as error:
        line = text.count(b"\n", 0, error.start) + 1
        raise DataError("the line is not UTF-8", "ARPA text", file=path, line=line) from None
    head, *sections = re.split(rb"\n\\(?:[0-9]+-grams:|end\\)[ \t\r]*(?=\n|\Z)", text)
    counts = [int(count) for _, count in re.findall(rb"\n" + _COUNT, head)]
    sizes = [len(re.findall(rb"\n[^\n]", section)) for section in sections[:-1]]
    if head.startswith(BOM_UTF8):
        raise DataError(
            "the file begins with a byte order mark", "\\data\\", file=path, line=1,
            remedy="Remove it, for example with `sed '1s/^\\xEF\\xBB\\xBF//'`",
        )  # fmt: skip
    if not head.lstrip().startswith(b"\\data\\") or b"\0" in text or not sections:
        raise DataError(
            "the file is not in the ARPA format", "\\data\\ and sections of n-grams", file=path
        )
    if counts != sizes:
        raise DataError(
            f"the sections have {sizes} lines", f"{counts}, as declared in the header", file=path,
            remedy=_COMPLETE,
        )  # fmt: skip
    for section in sections:
        if bad := _NO_PROBABILITY.search(section):
            raise DataError(
                f"the value {_shown(bad[0].strip())} is invalid",
                "a log probability of at most 0",
                file=path,
            )
    _check_markers(path, set(re.findall(rb"[ \t](</?s>)(?=\s|\Z)", sections[0])))


def check_arpa_words(path: str | Path) -> None:
    """Look at the header and the unigrams of ARPA text, and at the line that follows them.

    Raises DataError as :func:`read_arpa` does.
    """
    with open_binary(path) as stream:
        reader = _ArpaReader(path, stream)
        counts = reader.header()
        reader.section(1, counts[0], len(counts))
        reader.expect("\\2-grams:" if len(counts) > 1 else "\\end\\")
        _check_markers(path, reader.seen)


_Section = tuple[NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]


class _ArpaReader:
    """A place in an ARPA file: the lines to come, the number of lines read, the words so far."""

    def __init__(self, path: str | Path, stream: BinaryIO) -> None:
        self.path, self.stream, self.line = path, stream, 0
        self.begin = self.count = 0  # of the section: its line, and n-grams by the header
        self.ids = {marker.encode(): number for number, marker in enumerate(MARKERS)}
        self.seen: set[bytes] = set()  # words of the unigrams

    def error(
        self, seen: str, expected: str = "", *, line: int | None = None, remedy: str = ""
    ) -> DataError:
        return DataError(seen, expected, file=self.path, line=line or self.line, remedy=remedy)

    def lines(self, count: int) -> list[bytes]:
        """The next ``count`` lines."""
        lines = self.lines_left(count)
        if len(lines) < count:
            raise self.cut_off()
        return lines

    def lines_left(self, count: int) -> list[bytes]:
        """The next ``count`` lines, or fewer where the file ends."""
        lines: list[bytes] = []
        try:
            reading = iter(partial(self.stream.readline, LONGEST_LINE), b"")
            lines.extend(islice(reading, count))
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise self.error(
                f"the compressed file is truncated or damaged after this line ({error})",
                line=self.line + len(lines),
            ) from error
        self.line += len(lines)
        if self.line == 0 < count:
            raise DataError(
                "the file is empty", "ARPA text, which begins with \\data\\", file=self.path,
                remedy=_COMPLETE,
            )  # fmt: skip
        return lines

    def cut_off(self) -> DataError:
        """The error for a file that ends too soon."""
        return self.error("the file ends after this line", "\\end\\ as the last line")

    def skip_mark(self) -> None:
        """Drop a byte order mark with a warning."""
        if self.begins_with(BOM_UTF8):
            self.stream.read(len(BOM_UTF8))
            warn(f"{self.path}: a byte order mark was removed")

    def expect(self, wanted: str) -> None:
        """Skip some empty lines, then the line ``wanted``."""
        for _ in range(_MOST_EMPTY):
            if line := self.lines(1)[0].strip():
                break
        else:
            raise self.error(f"there are {_MOST_EMPTY:,} empty lines in a row", wanted)
        if line != wanted.encode():
            raise self.error(f"the line {_shown(line)} is malformed", wanted)

    def header(self) -> list[int]:
        """Number of n-grams per order."""
        self.check_text()
        self.skip_mark()
        self.expect("\\data\\")
        counts: list[int] = []
        while line := self.lines(1)[0].strip():
            match = re.fullmatch(_COUNT, line)
            if match is None or int(match[1]) != len(counts) + 1:
                raise self.error(
                    f"the line {_shown(line)} is malformed",
                    f"ngram {len(counts) + 1}=<count> or an empty line",
                )
            counts.append(int(match[2]))
        if not counts:
            raise self.error("the header contains no counts", "ngram 1=<count>")
        return counts

    def check_text(self) -> None:
        """Raise DataError for a binary file of another program."""
        for mark, program in _BINARIES.items():
            if self.begins_with(mark):
                raise DataError(
                    f"the file is a binary language model of {program}", "ARPA text",
                    file=self.path,
                    remedy="Pass the ARPA file it was built from. Only the decoder reads KenLM "
                    "binaries, and only if they are not compressed",
                )  # fmt: skip

        if self.begins_with(b"iARPA") or self.begins_with(b"qARPA"):
            raise DataError(
                "the file is in a format of IRSTLM alone", "ARPA text", file=self.path, line=1,
                remedy="Convert it with `compile-lm FILE --text=yes OUTPUT`",
            )  # fmt: skip

    def begins_with(self, mark: bytes) -> bool:
        """Whether the file goes on with some bytes; False for damage, which its reading tells."""
        with suppress(EOFError, OSError, zlib.error, lzma.LZMAError):
            return bool(self.stream.peek(32)[:32].startswith(mark))  # type: ignore[attr-defined]
        return False

    def section(self, k: int, count: int, order: int) -> _Section:
        """The k-grams: word ids int32[count, k], log probabilities and backoff weights."""
        self.expect(f"\\{k}-grams:")
        self.begin, self.count = self.line, count
        blocks = [self.block(k, 0, order)]
        for begin in range(0, count, _BLOCK):
            blocks.append(self.block(k, min(_BLOCK, count - begin), order))
        ngrams, probabilities, backoffs = map(np.concatenate, zip(*blocks, strict=True))
        return ngrams, probabilities, backoffs

    def block(self, k: int, count: int, order: int) -> _Section:
        """The next ``count`` k-grams."""
        rows = list(map(bytes.split, self.lines_left(count)))
        if len(rows) < count:
            ends = map(_ends_section, rows)
            at = next((row for row, is_end in enumerate(ends) if is_end), None)
            raise self.cut_off() if at is None else self.bad_row(rows, at, k, order)
        widths = np.fromiter(map(len, rows), np.int64, count)
        bad = (widths != k + 1) & ((widths != k + 2) | (k == order))
        if bad.any():
            raise self.bad_row(rows, int(bad.argmax()), k, order)
        if k == 1:
            self.add_words(rows)
        numbers = map(self.ids.get, chain.from_iterable(row[1 : k + 1] for row in rows), repeat(-1))
        ngrams = np.fromiter(numbers, np.int32, count * k).reshape(count, k)
        if ngrams.size and ngrams.min() < 0:
            at, column = divmod(int((ngrams < 0).argmax()), k)
            raise self.error(
                f"the word {_shown(rows[at][column + 1])} is not among the 1-grams",
                "n-grams of known words",
                line=self.line - count + at + 1,
            )
        probability = self.probabilities([row[0] for row in rows])
        backoff = self.floats([row[k + 1] if len(row) > k + 1 else b"0" for row in rows])
        return ngrams, probability, backoff

    def bad_row(self, rows: list[list[bytes]], at: int, k: int, order: int) -> DataError:
        """The error for a line that has too many or too few fields."""
        line = self.line - len(rows) + at + 1
        if _ends_section(rows[at]):
            return self.error(
                f"the section ends after {pluralize(line - self.begin - 1, f'{k}-gram')}",
                f"{self.count}, as declared in the header",
                line=line,
                remedy=_COMPLETE,
            )
        fields = str(k + 1) if k == order else f"{k + 1} or {k + 2}"
        return self.error(
            f"the line has {pluralize(len(rows[at]), 'field')}",
            f"{fields} in a {k}-gram",
            line=line,
        )

    def add_words(self, rows: list[list[bytes]]) -> None:
        """Give ids to the words of ``rows``, each of which stands once in the file."""
        for at, row in enumerate(rows):
            line = self.line - len(rows) + at + 1
            if row[1] == b"<UNK>":  # as other tools spell it
                row[1] = b"<unk>"
            if row[1] == b"<s>" and row[0].lower() == b"-inf":
                row[0] = _NEVER
            try:
                row[1].decode()
            except UnicodeDecodeError:
                raise self.error(f"the word {row[1]!r} is not UTF-8", line=line) from None
            if row[1] in self.seen or b"\0" in row[1]:
                wrong = "occurs twice" if row[1] in self.seen else "contains a NUL byte"
                raise self.error(f"the word {_shown(row[1])} {wrong}", line=line)
            self.seen.add(row[1])
            self.ids.setdefault(row[1], len(self.ids))

    def probabilities(self, fields: list[bytes]) -> NDArray[np.float32]:
        """Log probabilities of one block of lines, float32[len(fields)]."""
        values = self.floats(fields)
        if values.max(initial=0.0) > 0.0:
            at = int((values > 0.0).argmax())
            line = self.line - len(fields) + at + 1
            raise self.error(
                f"the value {_shown(fields[at])} is invalid",
                "a log probability of at most 0",
                line=line,
            )
        return values

    def floats(self, fields: list[bytes]) -> NDArray[np.float32]:
        """Finite numbers of one block of lines, float32[len(fields)]."""
        try:
            if b"_" in b"".join(fields):  # which float() takes
                raise ValueError
            wide = np.fromiter(map(float, fields), np.float64, len(fields))
        except ValueError:
            wide = np.array([_float(field) for field in fields])
        bounded = np.abs(wide) <= _LARGEST_LOG
        if not bounded.all():
            at = int(bounded.argmin())
            line = self.line - len(fields) + at + 1
            raise self.error(
                f"the value {_shown(fields[at])} is invalid", "a finite number", line=line
            )
        return wide.astype(np.float32)


def _check_markers(path: str | Path, words: Collection[bytes]) -> None:
    """Raise DataError for a model that says nothing of where sentences begin or end."""
    # words: of its unigrams
    missing = [MARKERS[k] for k in (BEGIN, END) if MARKERS[k].encode() not in words]
    if missing:
        raise DataError(
            f"the 1-grams do not contain {' or '.join(missing)}",
            f"both {MARKERS[BEGIN]} and {MARKERS[END]}, as KenLM requires", file=path,
            remedy="Estimate the model again with `isogloss lm` or lmplz, which add both markers",
        )  # fmt: skip


def _ends_section(row: list[bytes]) -> bool:
    """Whether a line, by its fields, is no n-gram but what follows a section: empty, or a mark."""
    return not row or row[0].startswith(b"\\")


def _shown(text: bytes) -> str:
    """``text`` for an error message, at most 80 bytes of it."""
    return repr(text[:80].decode(errors="backslashreplace"))


def _float(field: bytes) -> float:
    """The number in ``field``, or NaN."""
    try:
        return parse_number(field.decode())
    except ValueError:
        return math.nan
