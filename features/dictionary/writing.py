"""Dictionaries as files: TSV, CSV and XLSX with a header, TBX."""

from collections.abc import Iterable, Iterator, Sequence

from isogloss.align.errors import UsageError
from isogloss.align.files.tables.sheets import (
    SHEETS,
    Numeral,
    csv_lines,
    format_by_name,
    tsv_lines,
    write_sheet,
)
from isogloss.align.files.writers import write_lines
from isogloss.align.text.formats.languages import Languages

from .dictionary import Dictionary
from .entries import Entries, Entry
from .examples import Example

__all__ = ["COLUMNS", "FORMATS", "dictionary_format", "format_dictionary", "write_dictionary"]

COLUMNS = (
    "domain", "source", "target", "confidence", "special", "llr", "count", "p(target|source)",
    "p(source|target)", "source_count", "target_count", "total",
)  # fmt: skip
_LINES = ("tsv", "csv", "tbx")
FORMATS = (*_LINES, "xlsx")


def dictionary_format(path: str | None) -> str:
    """The format that the name of a file asks for: tsv, unless it ends in another of FORMATS."""
    return format_by_name(path, FORMATS)


def write_dictionary(
    dictionary: Dictionary,
    lists: Sequence[Entries],
    path: str | None,
    format: str,
    *,
    examples: int = 0,
    languages: Languages | None = None,
    raw_cells: bool = False,
    bom: bool = False,
) -> None:
    """Write some lists of entries of a dictionary as one of FORMATS; see format_dictionary.

    bom: csv begins with a byte order mark

    Raises UsageError as :func:`format_dictionary` does and for an xlsx that can't be written.
    """
    if format in SHEETS:
        rows = _rows(_with_examples(dictionary, lists, examples), examples)
        write_sheet(rows, path, format, raw_cells=raw_cells, bom=bom)
    else:
        lines = format_dictionary(dictionary, lists, format, examples=examples, languages=languages)
        write_lines(lines, path)


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

    tsv and csv have a header, and with ``examples`` three columns for each of so many sentence
    pairs: its line, its source and its target; in tbx these are contexts. In csv an apostrophe
    stands before words and names that a spreadsheet would run as a formula, unless ``raw_cells``.

    Raises UsageError for another format, and for TBX without languages.
    """
    if format not in _LINES:
        raise UsageError(f"unknown format {format!r}; expected one of {', '.join(_LINES)}")
    shown = _with_examples(dictionary, lists, examples)
    if format != "tbx":
        rows = _rows(shown, examples)
        return tsv_lines(rows) if format == "tsv" else csv_lines(rows, raw_cells=raw_cells)
    if languages is None:
        raise UsageError(
            'TBX needs the languages of the terms; pass them, such as `languages=("en", "es")`'
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


def _rows(shown: Iterable[Shown], examples: int) -> Iterator[list[str]]:
    """The header, then a row for each entry; one with fewer examples ends in empty cells."""
    yield [
        *COLUMNS,
        *(f"example{k + 1}.{part}" for k in range(examples) for part in Example._fields),
    ]
    for entry, found in shown:
        row = [
            entry.domain,
            entry.source,
            entry.target,
            Numeral(f"{entry.confidence:.4f}"),
            "" if entry.special is None else Numeral(f"{entry.special:.2f}"),
            "" if entry.llr is None else Numeral(f"{entry.llr:.1f}"),
            Numeral(f"{entry.count:.1f}"),
            Numeral(f"{entry.target_probability:.4f}"),
            Numeral(f"{entry.source_probability:.4f}"),
            Numeral(f"{entry.source_count:.1f}"),
            Numeral(f"{entry.target_count:.1f}"),
            Numeral(entry.total),
        ]
        for line, source, target in found:
            row += [Numeral(line), source, target]
        yield row + [""] * (3 * (examples - len(found)))
