"""isogloss score: translations against references."""

import json as json_text
from dataclasses import dataclass

from tune.metrics.reports import reported_score

from ...console import Console, write_stdout
from ...options import Command, group, positional
from ..shared import CommonOptions, common_options
from .outputs import ReferenceOptions

__all__ = ["COMMAND", "ScoreOptions", "run"]


@dataclass(frozen=True)
class ScoreOptions:
    """Options of `isogloss score`.

    hypotheses: translations, one per line; - is stdin
    json: scores and signatures as JSON
    """

    hypotheses: str = positional("HYP")
    judgement: ReferenceOptions = group(ReferenceOptions)
    json: bool = False
    common: CommonOptions = common_options()


def run(options: ScoreOptions, console: Console) -> None:
    """Scores of one output, with signatures."""
    judgement = options.judgement
    references = judgement.read_references()
    lines = judgement.read_output(options.hypotheses, references)
    metrics = judgement.metrics()
    scores = {}
    with console.progress("scoring", len(metrics)) as advance:
        for metric in metrics:
            scores[metric.name] = reported_score(
                metric, lines, references, lowercase=judgement.lowercase
            )
            advance(1)
    if options.json:
        values = {
            name: {"score": value, "signature": signature}
            for name, (value, signature) in scores.items()
        }
        write_stdout(json_text.dumps({"sentences": len(lines), "metrics": values}) + "\n")
    else:
        rows = (
            f"{name}\t{value:.2f}\t{signature}\n" for name, (value, signature) in scores.items()
        )
        write_stdout("".join(rows))


COMMAND = Command(
    ScoreOptions,
    run,
    (
        "isogloss score out.txt --refs ref0 ref1 --metric bleu,chrf,ter",
        "isogloss score out.txt.gz --refs ref0 --json",
    ),
)
