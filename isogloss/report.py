"""Results for people and for programs: tables of text, sheets, JSON."""

import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from isogloss.align.files.outputs import in_one_cell
from isogloss.align.files.tables.sheets import write_sheet
from isogloss.align.files.writers import write_lines

__all__ = ["format_table", "table_lines", "write_rows"]

WIDEST = 100_000  # columns of a table: long file names are not cut short


def format_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A plain-text table, its title above it if there is one; see :func:`table_lines`."""
    return "\n".join([title] * bool(title) + table_lines(columns, rows)) + "\n"


def table_lines(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> list[str]:
    """Lines of a plain-text table; the first column is left-aligned, the others right-aligned.

    What a terminal would obey is written out in its cells.
    """
    from rich.console import Console as RichConsole  # not before there is something to show
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(
            in_one_cell(column), justify="left" if number == 0 else "right", no_wrap=True
        )
    for row in rows:
        table.add_row(*(in_one_cell(str(cell)) for cell in row))
    stream = io.StringIO()
    plain = RichConsole(
        file=stream, width=WIDEST, no_color=True, markup=False, emoji=False, highlight=False
    )
    plain.print(table)
    return [line.rstrip(" ") for line in stream.getvalue().removesuffix("\n").split("\n")]


def write_rows(
    value: Any,
    rows: Sequence[Mapping[str, Any]],
    text: Callable[[], Iterable[str]],
    output: str | None,
    format: str | None = None,
    **cells: bool,
) -> None:
    """Write a result as ``json`` (value), ``text``, or a sheet with a header (rows).

    Without a format, as text on a terminal and as TSV to a file or a pipe. None in a row is empty.

    cells: how the cells of a sheet are written, see :func:`.write_sheet`
    """
    if format is None:
        format = "text" if output is None and sys.stdout.isatty() else "tsv"
    if format == "json":
        write_lines([json.dumps(value, ensure_ascii=False, indent=1)], output)
    elif format == "text":
        write_lines(text(), output)
    else:
        header = [list(rows[0])] if rows else []
        write_sheet([*header, *(list(row.values()) for row in rows)], output, format, **cells)
