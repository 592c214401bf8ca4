"""isogloss domains summary: the share of each domain of a text."""

from dataclasses import dataclass

from isogloss.align.domains.summary import summarize
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.tables import format_summary, summary_rows, summary_values
from ...options import Command, group, positional
from ..model_text import DomainTextOptions
from ..shared import CommonOptions, common_options
from .text import TableOptions

__all__ = ["SUMMARY", "SummaryOptions", "run"]


@dataclass(frozen=True)
class SummaryOptions:
    """Options of `isogloss domains summary`.

    model: model folder written by `train` or `align --model`
    """

    model: str = positional("MODEL")
    text: DomainTextOptions = group(DomainTextOptions)
    table: TableOptions = group(TableOptions)
    common: CommonOptions = common_options()


def run(options: SummaryOptions, console: Console) -> None:
    """The expected share of each domain, and the sentence pairs that are likely of it."""
    model = AlignmentModel.load(options.model)
    text = options.text.read(model, options.common.threads, console)
    summary = summarize(text.bitext, text.posterior)
    options.table.write(
        summary_values(summary, model.domains),
        summary_rows(summary, model.domains),
        lambda: format_summary(summary, model.domains).splitlines(),
    )


SUMMARY = Command(
    SummaryOptions,
    run,
    (
        "isogloss domains summary m new.en new.es",
        "isogloss domains summary m new.en new.es --json -o shares.json",
    ),
    line="print the share of each domain",
    first={
        "input": ("lowercase", "max_length", "format", "langs"),
        "output": ("output", "json", "bom", "raw_cells"),
        "running": ("threads", "quiet"),
    },
)
