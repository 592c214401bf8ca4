"""isogloss domains entropy: the conditional entropy of each lexical table."""

from dataclasses import dataclass

from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.tables import entropy_rows
from ...options import Command, group, positional
from ...report import table_lines
from ..shared import CommonOptions, common_options
from .text import OptionalDomainTextOptions, TableOptions

__all__ = ["ENTROPY", "EntropyOptions", "run"]


@dataclass(frozen=True)
class EntropyOptions:
    """Options of `isogloss domains entropy`.

    model: model folder written by `train` or `align --model`
    """

    model: str = positional("MODEL")
    text: OptionalDomainTextOptions = group(OptionalDomainTextOptions)
    table: TableOptions = group(TableOptions)
    common: CommonOptions = common_options()


def run(options: EntropyOptions, console: Console) -> None:
    """The entropy of each table in bits per word."""
    model = AlignmentModel.load(options.model)
    text = options.text.read(model, options.common.threads, console)
    rows = entropy_rows(model, text)

    def lines() -> list[str]:
        return table_lines(list(rows[0]), [list(row.values()) for row in rows])

    options.table.write(rows, rows, lines)


ENTROPY = Command(
    EntropyOptions,
    run,
    (
        "isogloss domains entropy m",
        "isogloss domains entropy m corpus.en corpus.es -o entropy.csv",
    ),
    line="print the conditional entropy of each lexical table, for the words of a text if given",
    first={
        "input": ("lowercase", "max_length", "format", "langs"),
        "output": ("output", "json", "bom", "raw_cells"),
        "running": ("threads", "quiet"),
    },
)
