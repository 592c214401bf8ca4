"""Formats of the links that commands write, and of those that they read beside their text.

Written is the one asked for, or that of the output's suffix.
"""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.errors import DataError, UsageError, warn
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.writers import uncompressed_name
from isogloss.align.links.gold_formats import (
    BURRITO,
    GOLD_FORMATS,
    SENTENCE_FORMATS,
    Columns,
    gold_text,
)
from isogloss.align.links.links import Links, format_links, parse_links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_links

from ..options import option
from .shared import BitextOptions

__all__ = [
    "FORMATS",
    "LinkLines",
    "check_link_formats",
    "link_format",
    "link_format_option",
    "read_links_of",
    "texts_again",
    "texts_of",
    "usual_suffixes",
]

FORMATS = (*GOLD_FORMATS, BURRITO)
_PLAIN = GOLD_FORMATS[0]
_BLOCK = 4096  # pairs that are written at a time
_SUFFIXES = {
    ".talp": "talp", ".naacl": "naacl", ".tsv": "xl-wa", ".jsonl": "ctfalign", ".json": BURRITO,
}  # fmt: skip

Texts = Iterable[tuple[str, str]]


def link_format_option() -> Any:
    """The field ``to`` of a command that writes links a line at a time."""
    text = (
        "format of the links: pharaoh, talp, naacl, xl-wa or ctfalign; only pharaoh has "
        "probabilities (default: by the suffix .talp, .naacl, .tsv or .jsonl of the output, else "
        "pharaoh)"
    )
    return option(default=None, choices=FORMATS, metavar="FORMAT", text=text)


def link_format(to: str | None, output: str | None) -> str:
    """The format asked for, else that of the output's suffix, else pharaoh."""
    if to is not None or output is None:
        return to or _PLAIN
    return _SUFFIXES.get(Path(uncompressed_name(output)).suffix.lower(), _PLAIN)


def usual_suffixes(format: str) -> tuple[str, ...]:
    """Suffixes, without a dot, of a format that other programs know by its suffix."""
    return {BURRITO: ("json",), "ctfalign": ("jsonl", "json")}.get(format, ())


def check_link_formats(
    formats: Iterable[str], bitext: BitextOptions | None = None, *, keeps_text: bool = False
) -> None:
    """Raise UsageError, before the work, for a format that can't be written.

    bitext: where the sentences are, for formats that contain them; None = the command reads none
    keeps_text: whether the links of a stream are written beside its sentences
    """
    for format in formats:
        if format == BURRITO:
            raise UsageError(
                "the format burrito is one JSON object that names words by token ids; write the "
                "links as text, then type `isogloss convert LINKS --to burrito --source-ids FILE "
                "--target-ids FILE -o links.json`"
            )
        if format not in SENTENCE_FORMATS or keeps_text:
            continue
        files = () if bitext is None else (bitext.source, bitext.target)
        if bitext is None or any(file is not None and is_stream(file) for file in files):
            why = "this command does not read" if bitext is None else "a stream gives only once"
            raise UsageError(
                f"the format {format} contains the sentences, which {why}; write the links as "
                f"text, then type `isogloss convert LINKS SRC TGT --to {format}`"
            )


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
    first: number of the first pair
    """

    def __init__(self, format: str, texts: Texts | None = None, first: int = 0) -> None:
        self._format, self._first = format, first
        self._texts = None if texts is None else iter(texts)

    def of(self, links: Links, texts: Texts | None = None) -> Iterator[str]:
        """The lines of the next part. texts: its sentences, where not all were given at first"""
        first, self._first = self._first, self._first + len(links)
        if self._format == _PLAIN:
            return format_links(links)
        if texts is None and self._texts is not None:
            texts = islice(self._texts, len(links))
        sure = np.ones(len(links.source), np.bool_)
        columns = Columns(links.source, links.target, links.offsets, sure)
        return gold_text(columns, self._format, texts, first)

    def of_lines(self, lines: Iterable[str]) -> Iterator[str]:
        """The lines of links that come as Pharaoh text, some thousand pairs at a time."""
        if self._format == _PLAIN:
            yield from lines
            return
        rest = iter(lines)
        while block := list(islice(rest, _BLOCK)):
            yield from self.of(parse_links(block))


def read_links_of(bitext: Bitext, file: str, *, scored: bool | None = None) -> Links:
    """Read the links of a text. scored: see :meth:`Links.load`

    Links that fit only if they are counted from 1, as in Talp, are read so, with a DataWarning.
    Raises DataError for links of another text.
    """
    links = read_links(file, scored=scored)
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
