"""isogloss score: translations against references."""

import json as json_text
from dataclasses import dataclass

import numpy as np

from isogloss.tune.metrics.reports import reported_choice, show

from ...console import Console, write_stdout
from ...options import Command, group, positional
from ..shared import CommonOptions, common_options
from .outputs import ReferenceOptions

__all__ = ["COMMAND", "ScoreOptions", "run"]


@dataclass(frozen=True)
class ScoreOptions:
    """Options of `isogloss score`.

    hypotheses: translations, one per line, or a JSONL n-best list, whose first hypotheses are
        scored; - = standard input
    json: print scores and signatures as JSON
    """

    hypotheses: str = positional("HYP")
    judgement: ReferenceOptions = group(ReferenceOptions)
    json: bool = False
    common: CommonOptions = common_options()


def run(options: ScoreOptions, console: Console) -> None:
    """Scores of one output, with signatures."""
    judgement = options.judgement
    metrics = judgement.metrics()
    output = judgement.read_output(options.hypotheses)
    references = judgement.references_of([output])
    chosen = np.arange(len(output.lists))
    scores = {}
    with console.progress("scoring", len(metrics)) as advance:
        for metric in metrics:
            scores[metric.name] = reported_choice(
                metric, output.lists, references, chosen, lowercase=judgement.lowercase
            )
            advance(1)
    if options.json:
        values = {
            name: {"score": value, "signature": signature}
            for name, (value, signature) in scores.items()
        }
        write_stdout(json_text.dumps({"sentences": len(output.lists), "metrics": values}) + "\n")
    else:
        rows = (
            f"{metric.name}\t{show(metric, value)}\t{signature}\n"
            for metric, (value, signature) in zip(metrics, scores.values(), strict=True)
        )
        write_stdout("".join(rows))


COMMAND = Command(
    ScoreOptions,
    run,
    (
        "isogloss score out.txt --refs ref0 ref1 --metric bleu,chrf,ter",
        "isogloss score sorted.jsonl --metric column:comet --json",
    ),
)
