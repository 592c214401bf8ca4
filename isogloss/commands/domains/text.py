"""The text of the commands about domains, and where their tables go."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from isogloss.align.errors import UsageError
from isogloss.align.files.tables.sheets import format_by_name
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.domain_text import DomainText
from ...options import group
from ...report import write_rows
from ..model_text import DomainTextOptions
from ..shared import ClusterOptions, LengthLimitOptions, OptionalBitextOptions, output_option
from ..sheets import CellOptions

__all__ = ["Direction", "OptionalDomainTextOptions", "TableOptions"]

Direction = Literal["s2t", "t2s"]


@dataclass(frozen=True)
class OptionalDomainTextOptions:
    """The same, for a command that can do without."""

    bitext: OptionalBitextOptions = group(OptionalBitextOptions)
    length: LengthLimitOptions = group(LengthLimitOptions)
    place: ClusterOptions = group(ClusterOptions)

    def read(self, model: AlignmentModel, threads: int, console: Console) -> DomainText | None:
        """The text and what the model says of it; None where none is given.

        Raises UsageError for a cluster without a text.
        """
        bitext = self.bitext.given
        if bitext is None:
            if self.place.workers(threads) is not None:
                raise UsageError("--cluster has no effect without a text; pass SRC TGT as well")
            return None
        return DomainTextOptions(bitext, self.length, self.place).read(model, threads, console)


@dataclass(frozen=True)
class TableOptions:
    """Where a table goes, and how.

    output: output table; CSV or XLSX if the file name ends in .csv or .xlsx, else TSV (default:
        stdout)
    json: write the table as JSON (default: text on a terminal, else by the suffix of --output)
    """

    output: str | None = output_option()
    json: bool = False
    cells: CellOptions = group(CellOptions)

    @property
    def format(self) -> str:
        """That of a file. Raises UsageError as :meth:`CellOptions.check`."""
        format = "json" if self.json else format_by_name(self.output)
        self.cells.check(format, self.output)
        return format

    def write(
        self,
        values: Any,
        rows: list[dict[str, Any]],
        text: Callable[[], Iterable[str]],
    ) -> None:
        """Write a table as JSON, text, TSV, CSV or XLSX."""
        if self.output is None and not self.json:
            format = None
            self.cells.check("text", None)
        else:
            format = self.format
        write_rows(values, rows, text, self.output, format, **vars(self.cells))
