"""isogloss score: translations against references."""

import json as json_text
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.align.files.tables.sheets import write_sheet
from isogloss.tune.metrics.error_rates import EditRate
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.metrics.reports import reported_choice, sentence_scores, show
from isogloss.tune.references import References

from ...console import Console, write_stdout
from ...options import Command, group, option, output_file, positional
from ..shared import MessageOptions, message_options
from .outputs import Output, ReferenceOptions

__all__ = ["COMMAND", "ScoreOptions", "run"]


@dataclass(frozen=True)
class ScoreOptions:
    """Options of `isogloss score`.

    hypotheses: translations, one per line, or a JSONL n-best list, whose first hypotheses are
        scored; - = standard input
    json: print scores and signatures as JSON
    per_sentence: table with the scores of each sentence or utterance (TSV)
    """

    hypotheses: str = positional("HYP")
    judgement: ReferenceOptions = group(ReferenceOptions)
    json: bool = False
    per_sentence: str | None = option(default=None, metavar="FILE", parse=output_file)
    common: MessageOptions = message_options()


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
    if options.per_sentence:
        _write_sentences(metrics, output, references, options.per_sentence)
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


def _write_sentences(
    metrics: Sequence[Metric], output: Output, references: References | None, path: str
) -> None:
    """Write a row per sentence: its number or name, and its score by each metric."""
    names = output.lists.names or range(1, len(output.lists) + 1)
    columns = [
        [show(metric, score) for score in sentence_scores(metric, output.lists, references)]
        for metric in metrics
    ]
    header = ("sentence", *(metric.name for metric in metrics))
    rows = zip(map(str, names), *columns, strict=True)
    write_sheet([header, *rows], path, "tsv")


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
        "isogloss score utterances.jsonl --metric wer,cer --per-sentence scores.tsv",
    ),
    first={
        "input": ("refs", "fields", "lowercase"),
        "scores": ("metric",),
        "output": ("per_sentence", "json"),
        "running": ("quiet",),
    },
)
