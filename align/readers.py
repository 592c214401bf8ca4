"""Line-aligned text in: plain or compressed, checked line by line."""

import bz2
import gzip
import io
import lzma
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, TypeVar

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
]

FIELD_SEPARATOR = "|||"
MINIMUM_SEED_PAIRS = 2  # one pair tells nothing about how usage varies in a domain
_BOM = b"\xef\xbb\xbf"
_SUSPICIOUS = ("\u00a0", "\u200b", "\u2060", "\ufeff")  # look like blanks but are parts of tokens
_T = TypeVar("_T")


def _decompressed(raw: BinaryIO, head: bytes) -> object:
    if head.startswith(b"\x1f\x8b"):
        return gzip.GzipFile(fileobj=raw)
    if head.startswith(b"BZh"):
        return bz2.BZ2File(raw)
    if head == b"\xfd7zXZ\x00":
        return lzma.LZMAFile(raw)
    return raw


@contextmanager
def open_binary(path: str | Path) -> Iterator[BinaryIO]:
    """Open for reading; gz, bz2 and xz are told by their first bytes, not by the name."""
    path = Path(path)
    try:
        raw = path.open("rb")
    except OSError as error:
        raise DataError(
            error.strerror or str(error), "a readable file", file=path, remedy="Check the path"
        ) from error
    with raw:
        head = raw.read(6)
        raw.seek(0)
        # zlib's own readers return short blocks; a buffer in front makes line reading fast
        yield io.BufferedReader(_decompressed(raw, head), 1 << 20)  # type: ignore[type-var]


def raw_lines(path: str | Path) -> Iterator[bytes]:
    """Lines as bytes, without their line feed.

    Raises DataError for a missing file, and for a damaged archive with the last good line.
    """
    number = 0
    with open_binary(path) as stream:
        try:
            for line in stream:
                number += 1
                yield line[:-1] if line.endswith(b"\n") else line
        except (EOFError, OSError, zlib.error, lzma.LZMAError) as error:
            raise DataError(
                f"the compressed file is truncated or damaged after this line ({error})",
                "a complete archive",
                file=path,
                line=number,
                remedy="Fetch or compress it again",
            ) from error


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


def _tokens(lines: Sequence[str], path: str | Path, lowercase: bool) -> Iterator[list[str]]:
    """Tokens of each line, split at blanks and tabs only."""
    suspicious, first = 0, 0
    for number, line in enumerate(lines, start=1):
        if FIELD_SEPARATOR in line and FIELD_SEPARATOR in line.replace("\t", " ").split(" "):
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
        if "\t" in line:
            line = line.replace("\t", " ")
        if lowercase:
            line = line.lower()
        yield [token for token in line.split(" ") if token]
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
                f"{name!r}", "one domain name, or -, per line", file=path, line=number
            )
        if allowed is not None and name != "-" and name not in allowed:
            raise DataError(
                f"unknown domain {name!r}",
                f"one of {', '.join(allowed)}, or -",
                file=path,
                line=number,
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
