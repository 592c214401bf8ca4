"""isogloss evaluate: links against gold links."""

import json as json_text
import warnings
from dataclasses import dataclass

from isogloss.align.errors import DataError, DataWarning, UsageError
from isogloss.align.links.evaluate import evaluate
from isogloss.align.links.gold_links import gold_hint
from isogloss.align.text.readers import read_gold, read_links

from ...console import Console, write_stdout
from ...options import Command, natural, option, positional
from ..shared import CommonOptions, common_options

__all__ = ["COMMAND", "EvaluateOptions", "run"]


@dataclass(frozen=True)
class EvaluateOptions:
    """Options of `isogloss evaluate`.

    links: alignments in Pharaoh format, with or without scores
    gold: gold alignments, 0-based: i-j = sure, ipj = possible
    skip: number of lines to skip at the start of LINKS
    json: print scores and counts as JSON
    """

    links: str = positional("LINKS")
    gold: str = positional("GOLD")
    skip: int = option(default=0, parse=natural, metavar="N")
    json: bool = False
    common: CommonOptions = common_options()


def run(options: EvaluateOptions, console: Console) -> None:
    """Score links against gold links."""
    links, gold = read_links(options.links, scored=False), read_gold(options.gold)
    if not 0 <= options.skip <= len(links):
        raise UsageError(
            f"--skip must be at most {len(links)}, the number of lines of {options.links}, got "
            f"{options.skip}"
        )
    links = links.part(options.skip)
    if len(links) != len(gold):
        raise DataError(
            f"{options.links} has {len(links)} lines of links",
            f"{len(gold)}, as many as there are gold alignments",
            remedy="Skip the lines before the evaluated text with --skip N",
        )
    score = evaluate(links, gold)
    hint = gold_hint(links, gold)
    if hint:
        warnings.warn(f"{options.gold}: {hint}", DataWarning, stacklevel=2)
    values = {"AER": score.aer, "precision": score.precision, "recall": score.recall}
    percent = {name: round(100 * value, 2) for name, value in (values | {"F1": score.f1}).items()}
    if options.json:
        counts = {"links": score.num_links, "sure": score.num_sure, "sentence_pairs": len(gold)}
        write_stdout(json_text.dumps(percent | counts) + "\n")
    else:
        write_stdout("".join(f"{name}\t{value:.2f}\n" for name, value in percent.items()))


COMMAND = Command(
    EvaluateOptions,
    run,
    ("isogloss evaluate links gold", "isogloss evaluate links gold --skip 20000 --json"),
)
