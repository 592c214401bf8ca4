"""Names of outputs whose suffix promises another format than the command writes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss.align.errors import UsageError
from isogloss.align.files.tables.sheets import SHEETS
from isogloss.align.files.writers import uncompressed_name

from .link_formats import usual_suffixes

__all__ = ["check_suffix"]

_SPREADSHEETS = ("csv", "xlsx", "xls", "ods")
_KNOWN = (*_SPREADSHEETS, "json", "jsonl", "html", "parquet")


def check_suffix(name: str, options: Any) -> None:
    """Raise UsageError for an output whose suffix is that of a format which is not written.

    Programs that open it would find something else: a spreadsheet tabs, a reader of JSON text.

    options: of the command. What it writes beside plain text, an attribute ``output_suffixes``
        lists; a command that writes sheets has ``cells`` and ``format``. The formats of outputs of
        links, by name, are in ``link_outputs``, and of other outputs in ``output_formats``.
    """
    path = Path(uncompressed_name(name))
    ending = path.suffix.lower().removeprefix(".")
    sheet = getattr(options, "output_formats", {}).get(name) or _sheet_format(options)
    format = getattr(options, "link_outputs", {}).get(name)
    suffixes = getattr(options, "output_suffixes", ())
    written = suffixes if format is None else usual_suffixes(format)
    beside = map(str, getattr(options, "named_outputs", ()))  # names that the command chose
    promises = ending in _KNOWN or (ending == "tsv" and sheet not in (None, "text"))
    if not promises or ending == sheet or ending in written or name in beside:
        return
    raise UsageError(
        f"{name} has a suffix that this command does not write; use "
        f"{_others(path, ending, sheet, written)}"
    )


def _others(path: Path, ending: str, sheet: str | None, written: Sequence[str]) -> str:
    """Names that the output can have instead."""
    if sheet is not None and (ending in SHEETS or sheet not in (*SHEETS, "text")):
        return f"{path.with_suffix('.' + sheet)}, because the output is {sheet.upper()}"
    if sheet is not None:
        names = [str(path.with_suffix(f".{one}")) for one in SHEETS]
        return f"{', '.join(names[:-1])} or {names[-1]}"
    if written:
        return " or ".join(str(path.with_suffix(f".{one}")) for one in written)
    if ending in _SPREADSHEETS:
        return f"{path.with_suffix('.tsv')}, which spreadsheets also open"
    return f"{path.with_suffix('.txt')}, because the output is text"


def _sheet_format(options: Any) -> str | None:
    """The format of a table, by the options of a command that writes CSV and XLSX."""
    holder = getattr(options, "table", options)
    format: str | None = holder.format if hasattr(holder, "cells") else None
    return format
