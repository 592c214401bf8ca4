"""Fewer rules in a phrase table: prune."""

import argparse
from collections.abc import Iterable, Iterator

from align import DataError, UsageError
from align.text.readers import read_bitext
from features.pruning.prune import Pruning, prune
from features.pruning.significance import SignificanceTest
from features.table.phrase_table import PhraseTable
from features.table.stream import read_blocks
from features.table.write_blocks import write_blocks
from tune.weights.weights import Weights

from ..console import Console
from .bitext_options import bitext_form

__all__ = ["prune_table"]

SIGNIFICANCE = "a-e"  # keeps rules seen once of phrases seen once; a+e drops these, too


def prune_table(options: argparse.Namespace, console: Console) -> None:
    """Write the rules of a phrase table that pass, block by block."""
    pruning = _pruning(options)
    test = None
    if pruning.significance is not None:
        bitext = read_bitext(options.source, options.target, **bitext_form(options))
        console.info(f"indexing {len(bitext)} sentence pairs")
        test = SignificanceTest(bitext)
    counts = _Counts()
    blocks = counts.read(read_blocks(options.table, unsorted=options.unsorted))
    kept = counts.kept(prune(block, pruning, test) for block in blocks)
    write_blocks(kept, options.output)
    share = 100 * counts.num_kept / max(counts.num_read, 1)
    console.info(f"{counts.num_kept} of {counts.num_read} rules kept ({share:.1f} %)")


def _pruning(options: argparse.Namespace) -> Pruning:
    """What the options ask for."""
    significance = options.significance
    if options.source is None and significance is not None:
        raise UsageError("--significance needs SRC TGT, the text the table was extracted from")
    if options.source is not None and significance is None:
        significance = SIGNIFICANCE
    minimum_scores = dict(_named_number(option) for option in options.min_score)
    weights = Weights.read(options.weights).as_dict(keep_zeros=True) if options.weights else None
    pruning = Pruning(
        options.min_count,
        minimum_scores,
        options.ratio,
        options.n_best,
        options.rank_by if weights is None else weights,
        significance,
        options.unseen,
    )
    if pruning == Pruning(ranking=pruning.ranking, unseen=pruning.unseen):
        raise UsageError(
            "nothing to prune by; give SRC TGT, or one of --n-best, --ratio, --min-score, "
            "--min-count"
        )
    return pruning


def _named_number(option: str) -> tuple[str, float]:
    name, _, value = option.rpartition(":")
    try:
        number = float(value)
    except ValueError:
        number = float("nan")
    if not name or number != number:
        raise UsageError(f"--min-score {option!r}; expected NAME:NUMBER such as 'p(e|f):0.001'")
    return name, number


class _Counts:
    """Rules that have gone by."""

    def __init__(self) -> None:
        self.num_read = self.num_kept = 0

    def read(self, blocks: Iterable[PhraseTable]) -> Iterator[PhraseTable]:
        """The blocks of the table."""
        for block in blocks:
            self.num_read += len(block)
            yield block

    def kept(self, blocks: Iterable[PhraseTable]) -> Iterator[PhraseTable]:
        """What is left of them. Raises DataError where that is nothing."""
        for block in blocks:
            self.num_kept += len(block)
            yield block
        if not self.num_kept:
            raise DataError(
                f"none of {self.num_read} rules passes",
                "some to be kept",
                remedy="Ask for less: a lower significance, score, ratio or count",
            )
