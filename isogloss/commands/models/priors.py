"""isogloss priors: eflomal's priors, counted on a text and its links."""

from dataclasses import dataclass, replace

from isogloss.align.errors import UsageError
from isogloss.align.lexicon.eflomal_priors import write_priors
from isogloss.align.links.links import Links
from isogloss.align.text.corpus import Bitext
from isogloss.align.text.readers import read_links

from ...console import Console
from ...options import Command, group, positional
from ..shared import BitextOptions, CommonOptions, common_options, output_option

__all__ = ["COMMAND", "PriorsOptions", "run"]


@dataclass(frozen=True)
class PriorsOptions:
    """Options of `isogloss priors`.

    forward: links that explain each source word (align --forward)
    reverse: links that explain each target word (align --reverse; what eflomal and fast_align
        call forward); symmetrised links may be given twice
    output: priors (default: stdout)
    """

    bitext: BitextOptions = group(BitextOptions)
    forward: str | None = positional("FORWARD", default=None)
    reverse: str | None = positional("REVERSE", default=None)
    output: str | None = output_option()
    common: CommonOptions = common_options()


def run(options: PriorsOptions, console: Console) -> None:
    """Count priors."""
    bitext_options, forward, reverse = options.bitext, options.forward, options.reverse
    if reverse is None:  # SRC FORWARD REVERSE, a bitext in one file
        forward, reverse = bitext_options.target, forward
        bitext_options = replace(bitext_options, target=None)
    if forward is None or reverse is None:
        raise UsageError("give both FORWARD and REVERSE; symmetrised links may be given twice")
    bitext = bitext_options.read()
    directions = [_read_links(path, bitext) for path in (forward, reverse)]
    write_priors(bitext, directions[0], directions[1], options.output)


def _read_links(path: str, bitext: Bitext) -> Links:
    links = read_links(path)
    links.check_range(bitext.source.lengths, bitext.target.lengths, path)
    return links


COMMAND = Command(
    PriorsOptions,
    run,
    (
        "isogloss priors corpus.en corpus.es forward reverse -o priors.gz",
        "isogloss priors corpus.en corpus.es links links -o priors",
    ),
)
