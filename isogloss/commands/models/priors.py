"""isogloss eflomal-priors: eflomal's priors, counted on a text and its links."""

from dataclasses import dataclass, replace

from isogloss.align.errors import UsageError
from isogloss.align.lexicon.eflomal_priors import write_priors
from isogloss.align.links.links import Links
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_links

from ...console import Console
from ...options import Command, group, positional
from ..link_formats import TokenIdOptions, token_id_options
from ..shared import BitextOptions, MessageOptions, message_options, output_option

__all__ = ["COMMAND", "PriorsOptions", "run"]


@dataclass(frozen=True)
class PriorsOptions:
    """Options of `isogloss eflomal-priors`.

    t2s: t2s alignments, at most one link per source word (`align --t2s`)
    s2t: s2t alignments, at most one link per target word (`align --s2t`; eflomal and
        fast_align call them forward); symmetrized links can be given twice
    output: eflomal priors (default: stdout)
    """

    bitext: BitextOptions = group(BitextOptions)
    t2s: str | None = positional("T2S", default=None)
    s2t: str | None = positional("S2T", default=None)
    output: str | None = output_option()
    ids: TokenIdOptions = token_id_options()
    common: MessageOptions = message_options()


def run(options: PriorsOptions, console: Console) -> None:
    """Count priors."""
    bitext_options, t2s, s2t = options.bitext, options.t2s, options.s2t
    if s2t is None:  # SRC T2S S2T, a bitext in one file
        t2s, s2t = bitext_options.target, t2s
        bitext_options = replace(bitext_options, target=None)
    if t2s is None or s2t is None:
        raise UsageError("T2S or S2T is missing; pass both (symmetrized links can be given twice)")
    bitext = bitext_options.read()
    directions = [_read_links(path, bitext, options.ids) for path in (t2s, s2t)]
    write_priors(bitext, directions[0], directions[1], options.output)


def _read_links(path: str, bitext: Bitext, ids: TokenIdOptions) -> Links:
    links = read_links(path, scored=False, ids=ids.files)
    links.check_range(bitext.source.lengths, bitext.target.lengths, path)
    return links


COMMAND = Command(
    PriorsOptions,
    run,
    (
        "isogloss eflomal-priors corpus.en corpus.es t2s s2t -o priors.gz",
        "isogloss eflomal-priors corpus.en corpus.es links links -o priors",
    ),
    first={
        "input": ("lowercase", "format", "langs"),
        "output": ("output",),
        "running": ("quiet",),
    },
)
