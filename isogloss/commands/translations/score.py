"""isogloss score: translations against references."""

import json as json_text
from dataclasses import dataclass

import numpy as np

from isogloss.tune.metrics.error_rates import EditRate
from isogloss.tune.metrics.reports import reported_choice, show
from isogloss.tune.references import References

from ...console import Console, write_stdout
from ...options import Command, group, positional
from ..shared import CommonOptions, common_options
from .outputs import Output, ReferenceOptions

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
    references = judgement.references_of([output], console)
    chosen = np.arange(len(output.lists))
    scores, operations = {}, {}
    with console.progress("scoring", len(metrics)) as advance:
        for metric in metrics:
            scores[metric.name] = reported_choice(
                metric, output.lists, references, chosen, lowercase=judgement.lowercase
            )
            if isinstance(metric, EditRate):
                operations[metric.name] = _operations(metric, output, references)
            advance(1)
    if options.json:
        values = {
            name: {"score": value, "signature": signature} | operations.get(name, {})
            for name, (value, signature) in scores.items()
        }
        write_stdout(json_text.dumps({"sentences": len(output.lists), "metrics": values}) + "\n")
    else:
        rows = []
        for metric, (value, signature) in zip(metrics, scores.values(), strict=True):
            rows.append(f"{metric.name}\t{show(metric, value)}\t{signature}\n")
            counts = operations.get(metric.name, {})
            if counts:
                shown = "|".join(f"{name}:{count}" for name, count in counts.items())
                rows.append(f"{metric.name} edits\t{_edits(counts)}\t{shown}\n")
        write_stdout("".join(rows))


def _operations(metric: EditRate, output: Output, references: References | None) -> dict[str, int]:
    """Edits of an output by kind, and the length of the references, by name."""
    sums = metric.operations(output.lists, references).sum(0)
    length = metric.statistics(output.lists, references).sum(0)[1]
    names = "insertions", "deletions", "substitutions", "reference_length"
    return dict(zip(names, map(int, (*sums, length)), strict=True))


def _edits(counts: dict[str, int]) -> int:
    return sum(count for name, count in counts.items() if name != "reference_length")


COMMAND = Command(
    ScoreOptions,
    run,
    (
        "isogloss score out.txt --refs ref0 ref1 --metric bleu,chrf,ter",
        "isogloss score sorted.jsonl --metric column:comet --json",
    ),
)
