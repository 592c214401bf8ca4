"""Outputs that spreadsheets open, and how their cells are written."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.files.tables.sheets import check_sheet

__all__ = ["CellOptions"]


@dataclass(frozen=True)
class CellOptions:
    """How CSV is written.

    raw_cells: do not put an apostrophe before CSV cells that begin with =, +, - or @;
        spreadsheets may run them as formulas
    bom: begin CSV with a byte order mark, which Excel needs for accents and other scripts
    """

    raw_cells: bool = False
    bom: bool = False

    def check(self, format: str, output: str | None) -> None:
        """Raise UsageError for .xlsx that can't be written, and a byte order mark outside CSV."""
        if format == "xlsx":
            check_sheet(output)
        if self.bom and format != "csv":
            raise UsageError(f"--bom needs CSV output, got {format}; pass -o with a name in .csv")
