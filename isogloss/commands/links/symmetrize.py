"""isogloss symmetrize: the links of both directions become one."""

from dataclasses import dataclass

from isogloss.align.links.symmetrize import HEURISTICS, look_exchanged, symmetrize
from isogloss.align.text.readers import read_links

from ...console import Console
from ...options import Command, option, positional
from ..link_formats import (
    LinkLines,
    TokenIdOptions,
    check_link_formats,
    link_format,
    link_format_option,
    token_id_options,
)
from ..link_tables import TableColumns, write_links
from ..shared import MessageOptions, message_options, output_option

__all__ = ["COMMAND", "SymmetrizeOptions", "run"]


@dataclass(frozen=True)
class SymmetrizeOptions:
    """Options of `isogloss symmetrize`.

    t2s: t2s alignments, at most one link per source word (fast_align -r)
    s2t: s2t alignments, at most one link per target word; both files list source-target positions
    heuristic: symmetrization heuristic
    output: links (default: stdout)
    """

    t2s: str = positional("T2S")
    s2t: str = positional("S2T")
    heuristic: str = option(default="grow-diag-final-and", choices=HEURISTICS)
    to: str | None = link_format_option()
    output: str | None = output_option()
    ids: TokenIdOptions = token_id_options()
    common: MessageOptions = message_options()

    @property
    def link_outputs(self) -> dict[str | None, str]:
        """The format of the output, by its name."""
        return {self.output: link_format(self.to, self.output)}


def run(options: SymmetrizeOptions, console: Console) -> None:
    """Combine two files of links."""
    (format,) = options.link_outputs.values()
    ids = options.ids.read_for([format])
    check_link_formats([format], ids, tables=True)
    files = (options.t2s, options.s2t)
    forward, reverse = (read_links(file, scored=False, ids=options.ids.files) for file in files)
    links = symmetrize(forward, reverse, options.heuristic)
    if look_exchanged(forward, reverse):
        console.error(
            f"warning: {options.t2s} and {options.s2t} look swapped: T2S must have at most one "
            "link per source word, and S2T must have at most one link per target word. Pass the "
            "files in reverse order"
        )
    lines = LinkLines(format, ids=ids).whole([links])
    write_links(lines, options.output, TableColumns(links.probability is not None))


COMMAND = Command(
    SymmetrizeOptions,
    run,
    (
        "isogloss symmetrize t2s s2t --heuristic grow-diag-final-and -o links",
        "isogloss symmetrize t2s.gz s2t.gz --heuristic union",
    ),
    first={
        "links": ("heuristic",),
        "output": ("output", "to"),
        "running": ("quiet",),
    },
)
