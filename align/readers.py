"""Line-aligned text in: plain or compressed, checked line by line."""

import bz2
import gzip
import io
import lzma
import re
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from .corpus import UNLABELLED, Bitext, Corpus
from .errors import DataError, DataWarning
from .links import GoldLinks, Links, parse_gold, parse_links
from .vocabulary import Vocabulary

__all__ = [
    "check_line_counts",
    "check_seed_size",
    "match_labels",
    "open_binary",
    "raw_lines",
    "read_bitext",
    "read_gold",
    "read_labels",
    "read_lines",
    "read_links",
    "read_seed_sample",
    "read_sentences",
    "split_fields",
    "split_tokens",
]

FIELD_SEPARATOR = "|||"
_FIELD = re.compile(r"(?:^| )\|\|\|(?= |$)")  # between blanks or at a line's ends
MINIMUM_SEED_PAIRS = 2  # one pair tells nothing about how usage varies in a domain
_BOM = b"\xef\xbb\xbf"
# these look like blanks but are parts of tokens
_SUSPICIOUS = ("\u00a0", "\u202f", "\u3000", "\u200b", "\u2060", "\ufeff")


class _UntilDamage(io.RawIOBase):
    """A decompressed stream that ends where its archive is damaged, and remembers why."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self.damage: Exception | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            data = self._stream.read1(len(buffer))  # type: ignore[attr-defined]
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            self.damage = error
            return 0
        buffer[: len(data)] = data
        return len(data)


def _decompressed(raw: BinaryIO, head: bytes) -> BinaryIO | None:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)  # type: ignore[return-value]
    if head[:3] == b"BZh" and head[4:] == b"1AY&SY":
        return bz2.BZ2File(raw)  # type: ignore[return-value]
    if head.startswith(b"\xfd7zXZ\x00"):
        return lzma.LZMAFile(raw)  # type: ignore[return-value]
    return None


@contextmanager
def open_binary(path: str | Path, *, until_damage: bool = False) -> Iterator[BinaryIO]:
    """Open for reading; gz, bz2 and xz are told by their first bytes, not by the name.

    With ``until_damage`` a damaged archive ends early and ``stream.raw.damage`` says why, so that
    a reader can tell how far it came; else reading raises the archive's own error.

    Raises DataError for a file that can't be opened.
    """
    path = Path(path)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise DataError(
            error.strerror or str(error), "a readable file", file=path, remedy="Check the path"
        ) from error
    with raw:
        head = raw.peek(10)[:10]
        stream = _decompressed(raw, head)
        if stream is None:
            yield raw
        else:
            source: Any = _UntilDamage(stream) if until_damage else stream
            # a buffer in front of the short blocks of decompressors makes line reading fast
            yield io.BufferedReader(source, 1 << 20)


def raw_lines(path: str | Path) -> Iterator[bytes]:
    """Lines as bytes, without their line feed.

    Raises DataError for a missing file, and for a damaged archive with the last good line.
    """
    number = 0
    with open_binary(path, until_damage=True) as stream:
        for line in stream:
            number += 1
            yield line[:-1] if line.endswith(b"\n") else line
        damage = getattr(getattr(stream, "raw", None), "damage", None)
    if damage is not None:
        raise DataError(
            f"the compressed file is truncated or damaged in or after this line ({damage})",
            "a complete archive",
            file=path,
            line=max(number, 1),
            remedy="Fetch or compress it again",
        )


def read_lines(path: str | Path) -> list[str]:
    """Read UTF-8 lines; a BOM and carriage returns at line ends are dropped with a warning.

    Lines end at a line feed only: other Unicode separators are part of the text.

    Raises DataError for a missing file, invalid UTF-8 or a damaged archive.
    """
    lines: list[str] = []
    carriage_returns = 0
    for number, raw in enumerate(raw_lines(path), start=1):
        if number == 1 and raw.startswith(_BOM):
            raw = raw[3:]
            warnings.warn(f"{path}: dropped a byte order mark", DataWarning, stacklevel=2)
        if raw.endswith(b"\r"):
            raw = raw[:-1]
            carriage_returns += 1
        try:
            lines.append(raw.decode())
        except UnicodeDecodeError as error:
            raise DataError(
                f"byte 0x{raw[error.start]:02x} at column {error.start + 1} is not UTF-8",
                "UTF-8 text",
                file=path,
                line=number,
                remedy="Convert it, for example with `iconv -f ISO-8859-1 -t UTF-8`",
            ) from error
    if carriage_returns:
        warnings.warn(
            f"{path}: dropped the carriage return at the end of {carriage_returns} lines "
            "(Windows line ends)",
            DataWarning,
            stacklevel=2,
        )
    return lines


def split_tokens(line: str) -> list[str]:
    """Tokens of a line: blanks and tabs separate them, other Unicode blanks are part of them."""
    return [token for token in line.replace("\t", " ").split(" ") if token]


def split_fields(line: str) -> list[str]:
    """Fields of a line of a table or an n-best list; ``|||`` inside a word is part of it."""
    return [field.strip(" \t\r") for field in _FIELD.split(line)]


def _tokens(lines: Sequence[str], path: str | Path, lowercase: bool) -> Iterator[list[str]]:
    """Tokens of each line, split at blanks and tabs only."""
    suspicious, first = 0, 0
    for number, line in enumerate(lines, start=1):
        if FIELD_SEPARATOR in line and FIELD_SEPARATOR in split_tokens(line):
            raise DataError(
                f"the token {FIELD_SEPARATOR}",
                f"text without it: {FIELD_SEPARATOR} separates fields in links, tables and n-best "
                "lists",
                file=path,
                line=number,
                remedy="Escape it (Moses writes &#124; for each bar) or drop the pair",
            )
        if any(mark in line for mark in _SUSPICIOUS):
            suspicious += 1
            first = first or number
        yield split_tokens(line.lower() if lowercase else line)
    if suspicious:
        warnings.warn(
            f"{path}: {suspicious} lines hold no-break or zero-width spaces inside tokens (first: "
            f"line {first}); they are kept as they are",
            DataWarning,
            stacklevel=3,
        )


def read_sentences(path: str | Path, *, lowercase: bool = False) -> list[list[str]]:
    """Tokenised sentences of one file, one per line; an empty line is an empty sentence.

    Raises DataError as :func:`read_lines` does, and for a token ``|||``.
    """
    return list(_tokens(read_lines(path), path, lowercase))


def check_line_counts(
    source: str | Path, num_source: int, target: str | Path, num_target: int
) -> None:
    """Raise DataError where two line-aligned files differ in length."""
    if num_source != num_target:
        raise DataError(
            f"{num_target} lines, while {source} has {num_source}",
            "two files with one line per sentence pair",
            file=target,
            line=min(num_source, num_target) + 1,
            remedy="Look for a lost or a doubled line end in one of them",
        )


def _warn_empty(bitext: Bitext, source: str | Path, target: str | Path) -> None:
    empty = np.flatnonzero(~bitext.usable)
    if len(empty):
        warnings.warn(
            f"{source}, {target}: {len(empty)} pairs have an empty side (first: line "
            f"{empty[0] + 1}); they are not learned from and get no links",
            DataWarning,
            stacklevel=3,
        )


def read_bitext(
    source: str | Path,
    target: str | Path,
    *,
    labels: str | Path | None = None,
    lowercase: bool = False,
    vocabularies: tuple[Vocabulary, Vocabulary] | None = None,
) -> Bitext:
    """Read two line-aligned files, and domain labels where given.

    A pair with an empty side stays in the bitext (one line in, one line out) but nothing is
    learned from it; DataWarning says how many. With ``vocabularies`` (source, target) unknown
    words become -1.

    Raises DataError for different line counts, labels of another length, and as
    :func:`read_sentences` does.
    """
    source_sentences = read_sentences(source, lowercase=lowercase)
    target_sentences = read_sentences(target, lowercase=lowercase)
    check_line_counts(source, len(source_sentences), target, len(target_sentences))
    known = vocabularies or (None, None)
    bitext = Bitext.unlabelled(
        Corpus.from_sentences(source_sentences, known[0]),
        Corpus.from_sentences(target_sentences, known[1]),
    )
    _warn_empty(bitext, source, target)
    if labels is not None:
        bitext = bitext.with_labels(*read_labels(labels, len(bitext)))
    return bitext


def read_labels(
    path: str | Path, num_pairs: int, allowed: Sequence[str] | None = None
) -> tuple[NDArray[np.int16], tuple[str, ...]]:
    """Read one domain name, or ``-`` for unknown, per line.

    Returns labels int16[num_pairs] and the domain names in alphabetical order.

    Raises DataError for a wrong number of lines, a blank in a name, a name that is not
    ``allowed`` (default: all are), a domain with one pair only.
    """
    names = [line.strip() for line in read_lines(path)]
    if len(names) != num_pairs:
        raise DataError(
            f"{len(names)} labels",
            f"{num_pairs}, one per sentence pair",
            file=path,
            line=min(len(names), num_pairs) + 1,
            remedy="Write - for a pair whose domain is not known",
        )
    for number, name in enumerate(names, start=1):
        if not name or len(name.split()) != 1:
            raise DataError(
                f"{name!r}",
                "one domain name, or -, per line",
                file=path,
                line=number,
                remedy="Write - for an unknown domain, and no blanks in names",
            )
        if allowed is not None and name != "-" and name not in allowed:
            raise DataError(
                f"unknown domain {name!r}",
                f"one of {', '.join(allowed)}, or -",
                file=path,
                line=number,
                remedy="Correct the name, or add it to the domains",
            )
    domains = tuple(sorted(set(names) - {"-"}))
    for domain in domains:
        if names.count(domain) < MINIMUM_SEED_PAIRS:
            raise _too_small(names.count(domain), domain, path, names.index(domain) + 1)
    return match_labels(names, domains), domains


def match_labels(names: Sequence[str], domains: Sequence[str]) -> NDArray[np.int16]:
    """Labels int16[n] of domain names; ``-`` gives -1."""
    number = {domain: k for k, domain in enumerate(domains)} | {"-": UNLABELLED}
    return np.array([number[name] for name in names], np.int16)


def _too_small(count: int, domain: str, file: str | Path, line: int) -> DataError:
    return DataError(
        f"{count} seed pair{'' if count == 1 else 's'} of domain {domain!r}",
        f"at least {MINIMUM_SEED_PAIRS}",
        file=file,
        line=line,
        remedy="Give more pairs of that domain (some hundreds work well) or leave it out",
    )


def read_seed_sample(option: str) -> tuple[str, Path, Path]:
    """Take ``NAME=SRC,TGT`` apart.

    Raises DataError where the form is another one.
    """
    name, equals, files = option.partition("=")
    source, comma, target = files.partition(",")
    if not (name and equals and source and comma and target) or name == "-":
        raise DataError(f"seed sample {option!r}", "NAME=SRC,TGT with two line-aligned files")
    return name, Path(source), Path(target)


def check_seed_size(count: int, domain: str, file: str | Path) -> None:
    """Raise DataError where a seed sample is too small to tell its domain apart."""
    if count < MINIMUM_SEED_PAIRS:
        raise _too_small(count, domain, file, 1)


def read_links(path: str | Path) -> Links:
    """Read Pharaoh links; see :func:`align.links.parse_links`."""
    return parse_links(read_lines(path), path)


def read_gold(path: str | Path) -> GoldLinks:
    """Read hand links; see :func:`align.links.parse_gold`."""
    return parse_gold(read_lines(path), path)
