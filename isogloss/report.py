"""Results for people and for programs: tables of text, TSV, JSON."""

import io
import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from isogloss.align.files.writers import write_lines

__all__ = ["format_table", "write_rows"]

WIDEST = 100_000  # columns of a table: long file names are not cut short


def format_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """A plain-text table; the first column is left-aligned, the others right-aligned."""
    from rich.console import Console as RichConsole  # not before there is something to show
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(str, row))
    stream = io.StringIO()
    plain = RichConsole(
        file=stream, width=WIDEST, no_color=True, markup=False, emoji=False, highlight=False
    )
    plain.print(table)
    lines = [title] if title else []
    lines += [line.rstrip() for line in stream.getvalue().splitlines()]
    return "\n".join(lines) + "\n"


def write_rows(
    value: Any,
    rows: Sequence[Mapping[str, Any]],
    text: Callable[[], Iterable[str]],
    output: str | None,
    format: str | None = None,
) -> None:
    """Write a result as ``json`` (value), ``tsv`` (rows, with a header) or ``text``.

    Without a format, as text on a terminal and as TSV to a file or a pipe. None in a row is empty.
    """
    if format is None:
        format = "text" if output is None and sys.stdout.isatty() else "tsv"
    if format == "json":
        write_lines([json.dumps(value, ensure_ascii=False, indent=1)], output)
    elif format == "text":
        write_lines(text(), output)
    else:
        header = ["\t".join(rows[0])] if rows else []
        lines = (
            "\t".join("" if cell is None else str(cell) for cell in row.values()) for row in rows
        )
        write_lines([*header, *lines], output)
