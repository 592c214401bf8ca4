"""isogloss domains contrast: the words that two domains translate most differently."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.contrast import contrast_domains
from ...options import Command, group, option, positional, positive
from ..shared import CommonOptions, common_options
from .text import Direction, DomainTextOptions, TableOptions

__all__ = ["CONTRAST", "ContrastOptions", "run"]


@dataclass(frozen=True)
class ContrastOptions:
    """Options of `isogloss domains contrast`.

    model: model folder written by `train` or `align --model`
    domains: two domains, such as legal,medical
    limit: number of words
    direction: s2t = P(target | source), t2s = P(source | target)
    examples: print an example pair per word and domain
    """

    model: str = positional("MODEL")
    domains: str = positional("A,B")
    text: DomainTextOptions = group(DomainTextOptions)
    limit: int = option(default=50, parse=positive, metavar="N")
    direction: Direction = "s2t"
    examples: bool = False
    table: TableOptions = group(TableOptions)
    common: CommonOptions = common_options()


def run(options: ContrastOptions, console: Console) -> None:
    """The words, with their translations in both domains."""
    first, comma, second = options.domains.partition(",")
    if not comma or first == second or "," in second:
        raise UsageError(f"A,B must be two different domains, got {options.domains!r}")
    model = AlignmentModel.load(options.model)
    for name in (first, second):
        model.domain_number(name)  # before the text is read
    table = contrast_domains(
        model,
        (first, second),
        options.direction,
        options.text.read(model, options.common.threads, console),
        limit=options.limit,
        examples=options.examples,
        threads=options.common.threads,
    )
    if not table.rows:
        console.error(f"warning: no word occurs in both {first} and {second}")
    options.table.write(table.values(), table.flat_rows(), table.lines)


CONTRAST = Command(
    ContrastOptions,
    run,
    ("isogloss domains contrast m legal,medical corpus.en corpus.es --examples",),
    line="list the words that two domains translate most differently in a text",
)
