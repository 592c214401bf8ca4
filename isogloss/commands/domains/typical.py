"""isogloss domains typical: the most typical sentence pairs of each domain."""

from dataclasses import dataclass

from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.tables import format_typical_pairs, typical_pair_rows
from ...options import Command, group, option, positional, positive
from ..model_text import DomainTextOptions
from ..shared import CommonOptions, common_options
from .text import TableOptions

__all__ = ["TYPICAL", "TypicalOptions", "run"]


@dataclass(frozen=True)
class TypicalOptions:
    """Options of `isogloss domains typical`.

    model: model folder written by `train` or `align --model`
    top: number of most typical sentence pairs per domain
    domain: domain to list; repeatable (default: each domain of the model)
    """

    model: str = positional("MODEL")
    text: DomainTextOptions = group(DomainTextOptions)
    top: int = option(default=10, parse=positive, metavar="N")
    domain: tuple[str, ...] = option(default=(), metavar="NAME", append=True)
    table: TableOptions = group(TableOptions)
    common: CommonOptions = common_options()


def run(options: TypicalOptions, console: Console) -> None:
    """The most typical pairs of one domain, or of each."""
    model = AlignmentModel.load(options.model)
    names = options.domain or model.domains
    numbers = {name: model.domain_number(name) for name in names}
    text = options.text.read(model, options.common.threads, console)
    rows = typical_pair_rows(text, numbers, options.top)
    options.table.write(rows, rows, lambda: format_typical_pairs(rows))


TYPICAL = Command(
    TypicalOptions,
    run,
    (
        "isogloss domains typical m corpus.en corpus.es --top 20 --domain legal",
        "isogloss domains typical m corpus.en corpus.es -o typical.csv",
    ),
    line="list the most typical sentence pairs of each domain",
    first={
        "input": ("lowercase", "max_length", "format", "langs"),
        "sentence pairs": ("domain", "top"),
        "output": ("output", "json", "bom", "raw_cells"),
        "running": ("threads", "quiet"),
    },
)
