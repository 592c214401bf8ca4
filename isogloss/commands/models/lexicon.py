"""isogloss lexicon: lexical translation probabilities, in the format of another program."""

from dataclasses import dataclass
from typing import Literal

from isogloss.align.files.outputs import is_stream, real_path
from isogloss.align.lexicon.formats import FORMATS, description_file, write_lexicon
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...options import Command, option, positional
from ..shared import MessageOptions, message_options, output_option

__all__ = ["COMMAND", "LexiconOptions", "run"]


@dataclass(frozen=True)
class LexiconOptions:
    """Options of `isogloss lexicon`.

    model: model folder written by `train` or `align --model`
    domain: domain to list (default: all domains, weighted by their prior)
    direction: translation direction: s2t = P(target | source), t2s = P(source | target)
    to: output format; docs/reference/file-formats.md lists the columns
    min_prob: minimum probability of an entry
    output: lexical table, described by FILE.json (default: stdout)
    """

    model: str = positional("MODEL")
    domain: str | None = option(default=None, metavar="NAME")
    direction: Literal["s2t", "t2s"] = "s2t"
    to: str = option(default="tsv", choices=tuple(FORMATS))
    min_prob: float = option(default=1e-4, metavar="PROB")
    output: str | None = output_option()
    common: MessageOptions = message_options()

    @property
    def named_outputs(self) -> list[str]:
        """The file that is written beside ``output``."""
        if self.output is None or is_stream(self.output):
            return []
        return [description_file(self.output)]


def run(options: LexiconOptions, console: Console) -> None:
    """Write a lexical table."""
    model = AlignmentModel.load(options.model)
    write_lexicon(
        model.lexicon(options.direction, options.domain),
        options.output,
        options.to,
        options.min_prob,
        model=real_path(options.model).name,
        domain=options.domain,
    )


COMMAND = Command(
    LexiconOptions,
    run,
    (
        "isogloss lexicon m --domain legal -o legal.tsv",
        "isogloss lexicon m --direction s2t --to moses -o lex.f2e",
    ),
    first={
        "entries": ("domain", "direction", "min_prob"),
        "output": ("output", "to"),
        "running": ("quiet",),
    },
)
