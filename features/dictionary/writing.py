"""Dictionaries as lines: TSV and CSV with a header, TBX."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from isogloss.align.errors import UsageError
from isogloss.align.text.bitext_formats import Languages

from .dictionary import Dictionary
from .entries import Entries, Entry

__all__ = ["COLUMNS", "FORMATS", "dictionary_format", "format_dictionary"]

COLUMNS = (
    "domain", "source", "target", "confidence", "special", "llr", "count", "p(target|source)",
    "p(source|target)", "source_count", "target_count", "total",
)  # fmt: skip
FORMATS = ("tsv", "csv", "tbx")
_PACKED = (".gz", ".bz2", ".xz", ".zst")
_TEXTS = COLUMNS[:3]
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_BREAKS = re.compile(r"[\t\n\r]")


def dictionary_format(path: str | None) -> str:
    """The format that the name of a file asks for: tsv, unless it ends in .csv or .tbx."""
    name = (path or "").lower()
    for ending in _PACKED:
        name = name.removesuffix(ending)
    ending = name.rpartition(".")[2]
    return ending if ending in FORMATS else FORMATS[0]


def format_dictionary(
    dictionary: Dictionary,
    lists: Sequence[Entries],
    format: str = FORMATS[0],
    *,
    examples: int = 0,
    languages: Languages | None = None,
    raw_cells: bool = False,
) -> Iterator[str]:
    """Lines of some lists of entries of a dictionary, without their line feeds.

    tsv and csv have a header, and with ``examples`` a column with the lines of so many sentence
    pairs; in tbx these are contexts. In csv an apostrophe stands before words and names that a
    spreadsheet would run as a formula, unless ``raw_cells``.

    Raises UsageError for another format, and for TBX without languages.
    """
    if format not in FORMATS:
        raise UsageError(f"unknown format {format!r}; expected one of {', '.join(FORMATS)}")
    shown = _with_examples(dictionary, lists, examples)
    if format != "tbx":
        rows = _rows(shown, examples > 0)
        return _tsv(rows) if format == "tsv" else _csv(rows if raw_cells else _harmless(rows))
    if languages is None:
        raise UsageError(
            'TBX names the languages of its terms; give them, such as `languages=("en", "es")`'
        )
    from .tbx import tbx_lines  # lxml, which the other formats don't need

    return tbx_lines(shown, languages)


Shown = tuple[Entry, Sequence[tuple[int, str, str]]]


def _with_examples(
    dictionary: Dictionary, lists: Sequence[Entries], number: int
) -> Iterator[Shown]:
    if not number:
        for entries in lists:
            yield from ((entry, ()) for entry in entries)
        return
    for entries, examples in zip(lists, dictionary.examples_of(lists, number), strict=True):
        yield from zip(entries, examples, strict=True)


def _rows(shown: Iterable[Shown], with_examples: bool) -> Iterator[list[str]]:
    yield [*COLUMNS, "examples"] if with_examples else list(COLUMNS)
    for entry, examples in shown:
        row = [
            entry.domain,
            entry.source,
            entry.target,
            f"{entry.confidence:.4f}",
            "" if entry.special is None else f"{entry.special:.2f}",
            "" if entry.llr is None else f"{entry.llr:.1f}",
            f"{entry.count:.1f}",
            f"{entry.target_probability:.4f}",
            f"{entry.source_probability:.4f}",
            f"{entry.source_count:.1f}",
            f"{entry.target_count:.1f}",
            str(entry.total),
        ]
        yield [*row, " ".join(str(line) for line, _, _ in examples)] if with_examples else row


def _harmless(rows: Iterable[list[str]]) -> Iterator[list[str]]:
    """No text as a formula: spreadsheets run cells that begin so, and show an apostrophe's text."""
    for row in rows:
        yield [
            f"'{cell}" if name in _TEXTS and cell.startswith(_FORMULA) else cell
            for name, cell in zip(COLUMNS, row, strict=False)
        ] + row[len(COLUMNS) :]


def _tsv(rows: Iterable[list[str]]) -> Iterator[str]:
    """Tabs between the cells; those inside words, which no text has that was read, are blanks."""
    return ("\t".join(_BREAKS.sub(" ", cell) for cell in row) for row in rows)


def _csv(rows: Iterable[list[str]]) -> Iterator[str]:
    """As RFC 4180 has it: lines end in CR LF, cells with commas or quotes stand in quotes."""
    for row in rows:
        line = io.StringIO()
        csv.writer(line, lineterminator="\r").writerow(row)
        yield line.getvalue()
