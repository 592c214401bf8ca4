"""isogloss domains translations: the translations of a word in each domain."""

from dataclasses import dataclass

from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.word_table import word_table
from ...options import Command, group, option, positional, positive
from ..shared import CommonOptions, common_options
from .text import Direction, OptionalDomainTextOptions, TableOptions

__all__ = ["TRANSLATIONS", "TranslationsOptions", "run"]


@dataclass(frozen=True)
class TranslationsOptions:
    """Options of `isogloss domains translations`.

    model: model folder written by `train` or `align --model`
    word: source word; target word with --direction t2s
    top: number of most probable translations
    direction: s2t = P(target | source), t2s = P(source | target)
    """

    model: str = positional("MODEL")
    word: str = positional("WORD")
    text: OptionalDomainTextOptions = group(OptionalDomainTextOptions)
    top: int = option(default=10, parse=positive, metavar="N")
    direction: Direction = "s2t"
    table: TableOptions = group(TableOptions)
    common: CommonOptions = common_options()


def run(options: TranslationsOptions, console: Console) -> None:
    """The translations of a word in all domains, with their links in the text if there is one."""
    model = AlignmentModel.load(options.model)
    form = model.source_form if options.direction == "s2t" else model.target_form
    lowercase = form.lowercase or options.text.bitext.form.lowercase
    word = options.word.lower() if lowercase else options.word
    model.translations(word, options.direction)  # before the text is read
    threads = options.common.threads
    text = options.text.read(model, threads, console)
    table = word_table(model, word, options.direction, text, limit=options.top, threads=threads)
    if not table.translations.words:
        console.error(
            f"warning: no translation of {word!r} has an expected link count of 0.5 or more in the "
            "text"
        )
    options.table.write(table.values(), table.flat_rows(), table.lines)


TRANSLATIONS = Command(
    TranslationsOptions,
    run,
    (
        "isogloss domains translations m charge",
        "isogloss domains translations m charge corpus.en corpus.es",
    ),
    line="list the translations of a word in each domain, with links in a text if given",
    first={
        "input": ("lowercase", "max_length", "format", "langs"),
        "translations": ("direction", "top"),
        "output": ("output", "json", "bom", "raw_cells"),
        "running": ("threads", "quiet"),
    },
)
