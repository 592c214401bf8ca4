"""isogloss apply: other text aligned with a learned model."""

from dataclasses import dataclass

from align.files.writers import together, write_lines
from align.links.links import format_links
from align.model.model import AlignmentModel

from ...console import Console
from ...options import Command, group, option, positional
from ..model_text import TextCheck
from ..shared import (
    BitextOptions,
    CommonOptions,
    LengthLimitOptions,
    common_options,
    output_option,
)
from .combination import CombinationOptions

__all__ = ["COMMAND", "ApplyOptions", "run"]


@dataclass(frozen=True)
class ApplyOptions:
    """Options of `isogloss apply`.

    model: folder that align --model wrote
    domains: decode with these domains only, commas between
    output: links (default: stdout)
    """

    model: str = positional("MODEL")
    bitext: BitextOptions = group(BitextOptions)
    limit: LengthLimitOptions = group(LengthLimitOptions)
    output: str | None = output_option()
    combination: CombinationOptions = group(CombinationOptions)
    domains: str | None = option(default=None)
    common: CommonOptions = common_options()


def run(options: ApplyOptions, console: Console) -> None:
    """Align other text with a model."""
    model, threads = AlignmentModel.load(options.model), options.common.threads
    if options.domains:
        model = model.restricted(options.domains.split(","))
    text = options.bitext.read(max_length=options.limit.max_length)
    check = TextCheck(model, options.bitext)
    check.add(text)
    check.tell(console)
    bitext = model.encode(text)
    posterior = model.domain_posteriors(bitext, threads)
    with together():
        options.combination.write_pair_scores(model, bitext, threads)
        links = options.combination.links(model, bitext, posterior, threads)
        write_lines(format_links(links), options.output)


COMMAND = Command(
    ApplyOptions,
    run,
    (
        "isogloss apply m new.en new.es -o links",
        "isogloss apply m new.en new.es --heuristic intersection",
    ),
)
