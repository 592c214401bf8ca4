"""Formats of the links that commands write, and of those that they read beside their text.

Written is the one asked for, or that of the output's suffix.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.errors import DataError, UsageError, pluralize, warn
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.tables.reading import TABLES
from isogloss.align.files.text_io import split_tokens
from isogloss.align.files.writers import uncompressed_name
from isogloss.align.links.formats.burrito import BurritoFrame, TokenIds, read_token_ids
from isogloss.align.links.formats.gold_formats import (
    BURRITO,
    GOLD_FORMATS,
    SENTENCE_FORMATS,
    Columns,
    IdFiles,
    framed,
    gold_text,
)
from isogloss.align.links.links import Links, format_links, parse_links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_links

from ..options import group, option
from .link_tables import is_table
from .shared import BitextOptions

__all__ = [
    "Frame",
    "LinkLines",
    "TokenIdOptions",
    "check_link_formats",
    "link_format",
    "link_format_option",
    "read_links_of",
    "texts_again",
    "texts_of",
    "token_id_options",
    "usual_suffixes",
]

_PLAIN = GOLD_FORMATS[0]
_AS_TEXT = (_PLAIN, *TABLES)  # tables are made of lines of links
_BLOCK = 4096  # pairs that are written at a time
_SUFFIXES = {
    ".talp": "talp", ".naacl": "naacl", ".tsv": "xl-wa", ".jsonl": "ctfalign", ".json": BURRITO,
    ".parquet": "parquet", ".arrow": "arrow",
}  # fmt: skip

Texts = Iterable[tuple[str, str]]


def link_format_option() -> Any:
    """The field ``to`` of a command that writes links a line at a time."""
    text = (
        "format of the links: pharaoh, talp, naacl, xl-wa, ctfalign or burrito; only pharaoh has "
        "probabilities (default: by the suffix .talp, .naacl, .tsv, .jsonl or .json of the output, "
        "else pharaoh); .parquet and .arrow give a table with a row per sentence pair"
    )
    return option(default=None, choices=GOLD_FORMATS, metavar="FORMAT", text=text)


def link_format(to: str | None, output: str | None) -> str:
    """The format asked for, else that of the output's suffix, else pharaoh."""
    if to is not None or output is None:
        return to or _PLAIN
    name = output if is_table(output) else uncompressed_name(output)
    format = _SUFFIXES.get(Path(name).suffix.lower(), _PLAIN)
    return _PLAIN if format in TABLES and not is_table(output) else format


def usual_suffixes(format: str) -> tuple[str, ...]:
    """Suffixes, without a dot, of a format that other programs know by its suffix."""
    known = {BURRITO: ("json",), "ctfalign": ("jsonl", "json"), "parquet": ("parquet",)}
    return known.get(format, ())


@dataclass(frozen=True)
class TokenIdOptions:
    """Names of words in Scripture Burrito alignments.

    source_ids: for burrito: token ids of the source words, one line per sentence pair
    target_ids: for burrito: token ids of the target words, one line per sentence pair
    """

    source_ids: str | None = option(default=None, metavar="FILE")
    target_ids: str | None = option(default=None, metavar="FILE")

    @property
    def files(self) -> IdFiles | None:
        """Both files, for functions that read links. Raises UsageError for one of them alone."""
        source, target = self.source_ids, self.target_ids
        if (source is None) != (target is None):
            raise UsageError("pass both --source-ids FILE and --target-ids FILE, or none of them")
        return None if source is None or target is None else (source, target)

    def read_for(self, formats: Iterable[str]) -> tuple[TokenIds, TokenIds] | None:
        """The ids, if one of these formats that are written has them. Raises UsageError for none,
        and DataError as :func:`read_token_ids`.
        """
        files = self.files
        if BURRITO not in formats:
            return None
        if files is None:
            raise UsageError(
                "the format burrito names words by token ids; pass --source-ids FILE and "
                "--target-ids FILE"
            )
        return read_token_ids(*files)


def token_id_options() -> Any:
    """The field ``ids`` of a command that reads or writes links."""
    return group(TokenIdOptions, title="Scripture Burrito")


def check_link_formats(
    formats: Iterable[str],
    ids: tuple[TokenIds, TokenIds] | None,
    bitext: BitextOptions | None = None,
    *,
    keeps_text: bool = False,
    tables: bool = False,
) -> None:
    """Raise an error, before the work, for a format that can't be written.

    ids: token ids of the words, for the format burrito
    bitext: where the sentences are, for formats that contain them; None = the command reads none
    keeps_text: whether the links of a stream are written beside its sentences
    tables: whether the command writes tables

    Raises UsageError for missing sentences, and DataError for the ids of another text.
    """
    files = () if bitext is None else (bitext.source, bitext.target)
    is_once = any(file is not None and is_stream(file) for file in files)
    if ids is not None and bitext is not None and not is_once:
        _check_ids(ids, bitext)
    for format in formats:
        if format in TABLES and not tables:
            raise UsageError(
                f"this command writes no {format.capitalize()} tables; give the output another "
                "suffix"
            )
        if format not in SENTENCE_FORMATS or keeps_text:
            continue
        if bitext is None or is_once:
            why = "this command does not read" if bitext is None else "a stream gives only once"
            raise UsageError(
                f"the format {format} contains the sentences, which {why}; write the links as "
                f"text, then type `isogloss convert LINKS SRC TGT --to {format}`"
            )


def _check_ids(ids: tuple[TokenIds, TokenIds], bitext: BitextOptions) -> None:
    """Raise DataError if there are more or fewer token ids than words."""
    number = 0
    for number, pair in enumerate(bitext.pairs(), start=1):
        for side, text in zip(ids, (pair.source, pair.target), strict=True):
            words, tokens = len(split_tokens(text)), side.lines[number - 1 : number]
            if tokens and len(tokens[0]) != words:
                raise DataError(
                    f"the line has {pluralize(len(tokens[0]), 'token id')}, but the sentence has "
                    f"{pluralize(words, 'word')}",
                    "a token id for each word", file=side.path, line=number,
                    remedy="Take the words and the ids from the same file",
                )  # fmt: skip
    ids[0].check_size(number, bitext.source)


def texts_again(bitext: BitextOptions, format: str) -> Iterator[tuple[str, str]] | None:
    """The sentences of a bitext as they are written, for a format that contains them."""
    if format not in SENTENCE_FORMATS:
        return None
    return ((pair.source, pair.target) for pair in bitext.pairs())


def texts_of(bitext: Bitext) -> Iterator[tuple[str, str]]:
    """The sentences of a bitext that is read as a stream, their words separated by spaces."""
    sides = zip(bitext.source, bitext.target, strict=True)
    return ((" ".join(source), " ".join(target)) for source, target in sides)


class LinkLines:
    """Lines of links that come a part of the text after the other.

    format: of the lines; texts: the sentences of all parts, for a format that contains them
    ids: token ids of the words of the whole text, for burrito; first: number of the first pair
    """

    def __init__(
        self,
        format: str,
        texts: Texts | None = None,
        ids: tuple[TokenIds, TokenIds] | None = None,
        first: int = 0,
    ) -> None:
        self._format, self._ids, self._first = format, ids, first
        self._texts = None if texts is None else iter(texts)

    def of(self, links: Links, texts: Texts | None = None) -> Iterator[str]:
        """The lines of the next part, which stand in a :class:`Frame`.

        texts: its sentences, where not all were given at first
        """
        first, self._first = self._first, self._first + len(links)
        if self._format in _AS_TEXT:
            return format_links(links)
        if texts is None and self._texts is not None:
            texts = islice(self._texts, len(links))
        sure = np.ones(len(links.source), np.bool_)
        columns = Columns(links.source, links.target, links.offsets, sure)
        return gold_text(columns, self._format, texts, first, self._ids)

    def whole(self, parts: Iterable[Links]) -> Iterator[str]:
        """The lines of a file with all parts."""
        yield from framed(self._format, chain.from_iterable(map(self.of, parts)))
        self.check_size()

    def whole_of_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """The same of links that come as Pharaoh text, some thousand pairs at a time."""
        if self._format in _AS_TEXT:
            return iter(lines)
        rest = iter(lines)
        blocks = iter(lambda: list(islice(rest, _BLOCK)), [])
        return self.whole(map(parse_links, blocks))

    def check_size(self) -> None:
        """Raise DataError if there are more token ids than pairs, when all parts have come."""
        if self._ids is not None:
            self._ids[0].check_size(self._first)


class Frame:
    """What stands around the lines of a file that comes in parts: nothing, but for burrito."""

    def __init__(self, format: str) -> None:
        self._frame = BurritoFrame() if format == BURRITO else None

    def add(self, lines: Iterable[str]) -> Iterable[str]:
        """What can be written of the next lines."""
        return lines if self._frame is None else self._frame.add(lines)

    def end(self) -> Iterable[str]:
        """What is left at the end."""
        return () if self._frame is None else self._frame.end()


def read_links_of(
    bitext: Bitext, file: str, ids: TokenIdOptions, *, scored: bool | None = None
) -> Links:
    """Read the links of a text. scored: see :meth:`Links.load`

    Links that fit only if they are counted from 1, as in Talp, are read so, with a DataWarning.
    Raises DataError for links of another text.
    """
    links = read_links(file, scored=scored, ids=ids.files)
    if _fits(links, bitext) or not (links.source.all() and links.target.all()):
        links.check_range(bitext.source.lengths, bitext.target.lengths, file)
        return links
    lower = Links(links.source - 1, links.target - 1, links.offsets, links.probability)
    if not _fits(lower, bitext):
        links.check_range(bitext.source.lengths, bitext.target.lengths, file)
    message = f"{file} is read as talp, because its positions are counted from 1"
    warn(f"{message}; give it a name in .talp")
    return lower


def _fits(links: Links, bitext: Bitext) -> bool:
    try:
        links.check_range(bitext.source.lengths, bitext.target.lengths)
    except DataError:
        return False
    return True
