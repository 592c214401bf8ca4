"""Tables for spreadsheets and other programs: TSV, CSV and Excel's .xlsx."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Any, BinaryIO

from ...errors import UsageError
from ..outputs import is_stream, naming_output
from ..writers import atomic_file, uncompressed_name, write_lines
from .tabular import library

__all__ = [
    "SHEETS",
    "Numeral",
    "check_sheet",
    "csv_lines",
    "format_by_name",
    "tsv_lines",
    "write_sheet",
]

SHEETS = ("tsv", "csv", "xlsx")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_BREAKS = re.compile(r"[\t\n\r]")
_BYTE_ORDER_MARK = "\ufeff"
_CREATED = datetime(1980, 1, 1)  # in every file, so that the same table gives the same bytes
_MOST_ROWS = 1_048_576  # of a sheet of Excel; XlsxWriter checks the characters of a cell


class Numeral(str):
    """A number as it is to be shown, with its decimals: no text, which could be a formula."""

    __slots__ = ()


Cell = str | int | float | None  # None = empty
Rows = Iterable[Sequence[Cell]]


def format_by_name(path: str | None, formats: Sequence[str] = SHEETS) -> str:
    """The format that the name of a file asks for by its ending; the first if by none.

    What compresses a file may stand behind it: x.csv.gz.
    """
    ending = uncompressed_name((path or "").lower()).rpartition(".")[2]
    return ending if ending in formats else formats[0]


def write_sheet(
    rows: Rows, path: str | None, format: str, *, raw_cells: bool = False, bom: bool = False
) -> None:
    """Write a table, whose first row is its header, as one of SHEETS.

    raw_cells: CSV has no apostrophe before text that a spreadsheet would run as a formula
    bom: CSV begins with a byte order mark

    Raises OutputError where it can't be written, UsageError as check_sheet does and for more rows
    or longer cells than .xlsx holds.
    """
    if format == "xlsx":
        check_sheet(path)
        assert path is not None
        with atomic_file(path) as stream, naming_output(path):
            _write_xlsx(rows, path, stream)
    elif format == "csv":
        write_lines(csv_lines(rows, raw_cells=raw_cells, bom=bom), path)
    else:
        write_lines(tsv_lines(rows), path)


def check_sheet(path: str | None) -> None:
    """Raise UsageError where no .xlsx can be written: to a stream, or without its library."""
    if is_stream(path):
        raise UsageError("xlsx output must be a file; pass its name, such as -o x.xlsx")
    library("xlsxwriter", f"{path}", "XlsxWriter", "or write .csv")


def tsv_lines(rows: Rows) -> Iterator[str]:
    """Tabs between the cells; those inside words, which no text has that was read, are blanks."""
    return ("\t".join(_BREAKS.sub(" ", _shown(cell)) for cell in row) for row in rows)


def csv_lines(rows: Rows, *, raw_cells: bool = False, bom: bool = False) -> Iterator[str]:
    """As RFC 4180 has it: lines end in CR LF, cells with commas or quotes stand in quotes.

    Spreadsheets run text that begins as a formula, and show text behind an apostrophe.
    """
    mark = _BYTE_ORDER_MARK if bom else ""
    for row in rows:
        line = io.StringIO()
        cells = map(_shown if raw_cells else _harmless, row)
        csv.writer(line, lineterminator="\r").writerow(cells)
        yield mark + line.getvalue()
        mark = ""


def _is_text(cell: Cell) -> bool:
    return isinstance(cell, str) and not isinstance(cell, Numeral)


def _shown(cell: Cell) -> str:
    return "" if cell is None else str(cell)


def _harmless(cell: Cell) -> str:
    shown = _shown(cell)
    return f"'{shown}" if _is_text(cell) and shown.startswith(_FORMULA) else shown


def _write_xlsx(rows: Rows, path: str, stream: BinaryIO) -> None:
    """One sheet, row by row, so that memory doesn't grow with it; its header stays in view."""
    from xlsxwriter import Workbook

    whole = io.BytesIO()
    book = Workbook(whole, {"constant_memory": True})
    book.set_properties({"created": _CREATED})
    sheet = book.add_worksheet()
    sheet.freeze_panes(1, 0)
    try:
        for number, row in enumerate(rows):
            if number == _MOST_ROWS:
                raise UsageError(
                    f"{path}: the table must have at most {_MOST_ROWS:,} rows; write .csv instead"
                )
            for column, cell in enumerate(row):
                _write_cell(sheet, number, column, cell, path)
    finally:
        book.close()  # and with it a temporary file
    stream.write(whole.getbuffer())


def _write_cell(sheet: Any, row: int, column: int, cell: Cell, path: str) -> None:
    """Text as text, whatever it begins with."""
    if cell is None or cell == "":
        return
    if not _is_text(cell):
        sheet.write_number(row, column, float(cell))
        return
    text = str(cell).encode(errors="backslashreplace").decode()
    if sheet.write_string(row, column, text):
        raise UsageError(
            f"{path}: row {row + 1}, column {column + 1} has {len(text):,} characters; a cell of "
            ".xlsx must have at most 32,767. Write .csv instead"
        )
