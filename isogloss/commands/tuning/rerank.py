"""isogloss rerank: the best hypotheses under learned weights, or the whole lists in new order."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.writers import write_lines
from isogloss.tune.nbest.records.originals import Keeping
from isogloss.tune.nbest.types import NBest
from isogloss.tune.nbest.writer import nbest_lines
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, option, positional, positive
from ...runs.list_weights import weight_faults
from ...tuning.list_inputs import list_scratch, read_lists
from ..shared import ListFields, MappedLists, MessageOptions, message_options, output_option

__all__ = ["COMMAND", "RerankOptions", "run"]


@dataclass(frozen=True)
class RerankOptions:
    """Options of `isogloss rerank`.

    nbest: n-best lists of Moses, cdec or fairseq, or JSONL
    weights: feature weights: JSON, `NAME value` lines or moses.ini
    sorted: write the reranked n-best lists with new scores; JSON records keep all keys, repeats
        and line breaks, and their new score is `new_score` if they have a `score`
    indices: write the 0-based index of the best hypothesis of each sentence
    nbest_size: number of hypotheses per sentence with --sorted (default: all)
    sentences: number of source sentences, if the last ones may have no hypothesis; all ids are
        below N
    output: best hypotheses, one line per sentence (default: stdout)
    """

    nbest: tuple[str, ...] = positional("NBEST")
    weights: str = option("-w", metavar="FILE")
    sorted: bool = False
    indices: bool = False
    nbest_size: int | None = option(default=None, parse=positive, metavar="N")
    sentences: int | None = option(default=None, parse=positive, metavar="N")
    output: str | None = output_option()
    lists: ListFields = group(ListFields)
    mapped: MappedLists = group(MappedLists, title="large n-best lists")
    common: MessageOptions = message_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """Suffixes of what is written beside plain text."""
        return ("jsonl", "json") if self.sorted else ()

    @property
    def keeping(self) -> Keeping:
        """What is kept of records of JSON: all of what is sorted."""
        return Keeping(self.sorted, self.sorted, tells=not self.sorted and not self.indices)


def run(options: RerankOptions, console: Console) -> None:
    """The best hypothesis of each sentence, an empty line where there is none; or all, sorted."""
    if options.nbest_size and not options.sorted:
        raise UsageError("--nbest-size has no effect without --sorted; pass --sorted as well")
    if options.sorted and options.indices:
        raise UsageError("--sorted and --indices cannot be used together; pass one of them")
    memory = options.mapped.max_memory
    with list_scratch(memory, options.mapped.tmpdir) as scratch:
        lists = read_lists(
            options.nbest, options.sentences or 0, scratch=scratch, max_memory=memory,
            fields=options.lists.mapping_of_new, keeping=options.keeping,
        )  # fmt: skip
        _write(lists, options, console)


def _write(lists: NBest, options: RerankOptions, console: Console) -> None:
    weights = Weights.load(options.weights).renamed_for(lists.space)
    for fault in weight_faults(lists, weights, options.weights):
        console.error(f"warning: {fault}")
    scores = lists.rows.scores(weights.to_space(lists.space).values)
    order = lists.ranked(scores, options.nbest_size or (0 if options.sorted else 1))
    if options.sorted:
        write_lines(nbest_lines(lists, order, scores), options.output)
        return
    best = [hypotheses[0] if len(hypotheses) else -1 for hypotheses in order]
    if options.indices:
        places = _places(lists, options.nbest[0])
        write_lines((str(places[k]) if k >= 0 else "" for k in best), options.output)
        return
    write_lines((lists.texts[k] if k >= 0 else "" for k in best), options.output)


def _places(lists: NBest, name: str) -> NDArray[np.int32]:
    """Place of each hypothesis, int32[num_hypotheses]. Raises DataError where it isn't known."""
    if lists.places is None:
        raise DataError(
            "the stored list was written by an older version and has no hypothesis indices, which "
            "--indices needs",
            file=name,
            remedy="Store the lists again",
        )
    return lists.places


def _next_step(options: RerankOptions) -> Sequence[str]:
    if options.indices:
        return ()
    if options.sorted:
        return ["tune", options.output or "NBEST", "--refs", "REF", "-o", "weights.json"]
    return ["score", options.output or "TRANSLATION", "--refs", "REF"]


COMMAND = Command(
    RerankOptions,
    run,
    (
        "isogloss rerank list.gz --weights weights.json -o best.txt",
        "isogloss rerank lists.jsonl --weights weights.json --sorted -o sorted.jsonl",
    ),
    next_step=_next_step,
    first={
        "input": ("weights", "fields", "per_item", "sentences"),
        "output": ("output", "sorted", "nbest_size", "indices"),
        "large n-best lists": ("max_memory", "tmpdir"),
        "running": ("quiet",),
    },
)
