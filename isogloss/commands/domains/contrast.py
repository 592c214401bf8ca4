"""isogloss domains contrast: the words that two domains translate most differently."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.contrast import contrast_domains
from ...options import Command, group, option, positional, positive
from ..model_text import DomainTextOptions
from ..shared import CommonOptions, common_options
from ..stopwords import read_stopwords
from .text import Direction, TableOptions

__all__ = ["CONTRAST", "ContrastOptions", "run"]


@dataclass(frozen=True)
class ContrastOptions:
    """Options of `isogloss domains contrast`.

    model: model folder written by `train` or `align --model`
    domains: two domains, such as legal,medical, or one to compare with all others
    top: number of words that differ most
    direction: s2t = P(target | source), t2s = P(source | target)
    show_examples: print an example pair per word and domain
    stopwords: words to leave out, one per line; case is ignored
    """

    model: str = positional("MODEL")
    domains: str = positional("A[,B]")
    text: DomainTextOptions = group(DomainTextOptions)
    top: int = option(default=50, parse=positive, metavar="N")
    direction: Direction = "s2t"
    show_examples: bool = False
    stopwords: str | None = option(default=None, metavar="FILE")
    table: TableOptions = group(TableOptions)
    common: CommonOptions = common_options()


def run(options: ContrastOptions, console: Console) -> None:
    """The words, with their translations in both domains."""
    names = tuple(options.domains.split(","))
    if len(names) > 2 or len(set(names)) < len(names):
        raise UsageError(
            f"A[,B] must be one domain, or two different domains, got {options.domains!r}"
        )
    model, stopwords = AlignmentModel.load(options.model), read_stopwords(options.stopwords)
    for name in names:
        model.domain_number(name)  # before the text is read
    if len(model.domains) == 1:
        raise UsageError("the model must have at least two domains, got one")
    table = contrast_domains(
        model,
        names,
        options.direction,
        options.text.read(model, options.common.threads, console),
        limit=options.top,
        examples=options.show_examples,
        stopwords=stopwords,
        threads=options.common.threads,
    )
    if not table.rows:
        console.error(f"warning: no word occurs in both {' and '.join(table.domains)}")
    options.table.write(table.values(), table.flat_rows(), table.lines)


CONTRAST = Command(
    ContrastOptions,
    run,
    (
        "isogloss domains contrast m legal,medical corpus.en corpus.es --show-examples",
        "isogloss domains contrast m legal corpus.en corpus.es --stopwords stop.en",
    ),
    line="list the words that two domains translate most differently in a text",
    first={
        "input": ("lowercase", "format", "langs", "stopwords"),
        "output": ("output", "json", "top", "direction", "show_examples"),
        "running": ("threads", "quiet"),
    },
)
