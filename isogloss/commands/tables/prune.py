"""isogloss prune: fewer rules in a phrase table."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.align.errors import DataError, UsageError, pluralize, some_names, warn
from isogloss.align.files.numerals import parse_number
from isogloss.align.files.outputs import is_stream
from isogloss.features.bins.binning import bins_of
from isogloss.features.pruning.prune import UNSEEN, Pruning, prune
from isogloss.features.pruning.significance import SignificanceTest
from isogloss.features.space import escape
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.sidecar import (
    bins_file,
    columns_file,
    is_filtered_table,
    lines_of_bins,
    sidecars,
    table_score_names,
)
from isogloss.features.table.stream import TableFile
from isogloss.features.table.write_blocks import write_blocks
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, natural, option, positional
from ..line_outputs import shown_beside
from ..shared import MessageOptions, OptionalBitextOptions, message_options, output_option
from .new_features import decoding_with

__all__ = ["COMMAND", "PruneOptions", "run"]

SIGNIFICANCE = "a-e"  # keeps rules seen once of phrases seen once; a+e drops these, too


@dataclass(frozen=True)
class PruneOptions:
    """Options of `isogloss prune`.

    table: input phrase table
    output: output phrase table
    significance: minimum -log p (natural logarithm) of a rule in SRC TGT, the bitext of the table;
        a+e also drops rules that occur once and whose phrases occur once, a-e keeps these rules
        (default: a-e)
    unseen: action for rules that do not occur in SRC TGT
    table_limit: maximum number of rules per source phrase; 0 = all
    ratio: minimum ratio of a rule's score to the best score of its source phrase
    rank_by: score that --table-limit and --ratio compare
    weights: feature weights; --table-limit and --ratio then compare the model score
    min_score: minimum value of score NAME; repeatable
    min_count: minimum count c(f,e) of a rule
    unsorted: sort an unsorted table in memory instead of rejecting it
    """

    table: str = positional("TABLE")
    output: str = output_option(metavar="TABLE", required=True)
    bitext: OptionalBitextOptions = group(OptionalBitextOptions)
    significance: str | None = option("-l", default=None, metavar="T")
    unseen: str = option(default=Pruning.unseen, choices=UNSEEN)
    table_limit: int = option("-n", default=Pruning.table_limit, parse=natural, metavar="N")
    ratio: float = option(default=Pruning.ratio, metavar="R")
    rank_by: str = option(default=Pruning.rank_by, metavar="NAME")
    weights: str | None = option(default=None, metavar="FILE")
    min_score: tuple[str, ...] = option(default=(), metavar="NAME:X", append=True)
    min_count: float = option(default=Pruning.min_count, metavar="C")
    unsorted: bool = False
    common: MessageOptions = message_options()

    @property
    def named_outputs(self) -> list[Path]:
        """The files that are written beside ``output``, or taken away."""
        if is_stream(self.output):
            return []
        return [columns_file(self.output), bins_file(self.output)]

    @property
    def named_inputs(self) -> list[Path]:
        """The files that are read beside ``table``."""
        return sidecars(self.table)


def run(options: PruneOptions, console: Console) -> None:
    """Write the rules of a phrase table that pass, block by block."""
    pruning = _pruning(options)
    test = None
    if pruning.significance is not None:
        bitext = options.bitext.given
        assert bitext is not None
        pairs = bitext.read()
        console.info(f"indexing {pluralize(len(pairs), 'sentence pair')}")
        with console.stage("indexing"):
            test = SignificanceTest(pairs)
    counts = _Counts()
    table = TableFile(options.table, unsorted=options.unsorted)
    blocks = counts.read(table)
    if isinstance(pruning.rank_by, Mapping):
        blocks = _told_of_bins(blocks, options, pruning.rank_by)
    kept = counts.kept(prune(block, pruning, test) for block in blocks)
    filtered = is_filtered_table(options.table) is True
    with shown_beside(options.output, console).rows("writing", table.share) as advance:
        write_blocks(
            kept, options.output, advance=advance, filtered=filtered,
            bins=lines_of_bins(options.table),
        )  # fmt: skip
    share = 100 * counts.num_kept / max(counts.num_read, 1)
    console.info(f"{counts.num_kept} of {pluralize(counts.num_read, 'rule')} kept ({share:.1f}%)")
    if counts.num_lost_words:
        console.info(
            f"{counts.num_lost_words} of {pluralize(counts.num_words, 'source word')} lost their "
            f"last rule and will be unknown to a decoder. To keep more, {_remedy(pruning)}"
        )


def _remedy(pruning: Pruning) -> str:
    """How to keep the rules of more words; --table-limit and --ratio keep one of each phrase."""
    thresholds = {
        "--significance (-l)": pruning.significance is not None,
        "--min-score": bool(pruning.min_score),
        "--min-count": pruning.min_count > 0.0,
    }
    names = [name for name, is_given in thresholds.items() if is_given]
    lower = f"lower {' or '.join(names)}"
    return f"{lower}, or pass --unseen keep" if pruning.unseen == "drop" else lower


def _pruning(options: PruneOptions) -> Pruning:
    """What the options ask for."""
    significance = options.significance
    if options.bitext.given is None and significance is not None:
        raise UsageError("--significance needs the bitext of the table; pass SRC TGT")
    if options.bitext.given is not None and significance is None:
        significance = SIGNIFICANCE
    min_score = dict(_named_number(text) for text in options.min_score)
    weights = _weights(options.weights, options.table) if options.weights else None
    pruning = Pruning(
        options.min_count,
        min_score,
        options.ratio,
        options.table_limit,
        options.rank_by if weights is None else weights,
        significance,
        options.unseen,
    )
    if pruning == Pruning(rank_by=pruning.rank_by, unseen=pruning.unseen):
        raise UsageError(
            "a pruning criterion is missing; pass SRC TGT, --table-limit, --ratio, --min-score "
            "or --min-count"
        )
    return pruning


def _weights(path: str, table: str) -> dict[str, float]:
    """Weights by name; those of scores that have become bins of the table are of these."""
    weights, binning = Weights.load(path), bins_of(table)
    if binning is not None:
        weights = weights.with_bin_weights(binning, table_score_names(table))
    return weights.as_dict(keep_zeros=True)


def _told_of_bins(
    blocks: Iterable[PhraseTable], options: PruneOptions, weights: Mapping[str, float]
) -> Iterator[PhraseTable]:
    """The blocks of the table; warns of weights of scores whose bins have none, by the first."""
    for number, block in enumerate(blocks):
        lost = [] if number else [
            name for name, weight in weights.items()
            if weight and name not in block.score_names and _has_bins_only(block, name, weights)
        ]  # fmt: skip
        if lost:
            place = "it" if is_stream(options.table) else f"it, as {bins_file(options.table)}"
            warn(
                f"{options.weights} has weights for {some_names(lost)}, which {options.table} has "
                "only as bins; these weights count as 0. Pass the table as a file, and put its "
                f"file of bins next to {place}"
            )
        yield block


def _has_bins_only(block: PhraseTable, score: str, weights: Mapping[str, float]) -> bool:
    """Whether a score has bins in a block of a table, and none of them has a weight."""
    bin_name = re.compile(rf"{re.escape(escape(score))}_bin\d")
    bins = [name for name in block.sparse_names if bin_name.match(name)]
    return bool(bins) and weights.keys().isdisjoint(bins)


def _named_number(text: str) -> tuple[str, float]:
    name, _, value = text.rpartition(":")
    try:
        number = parse_number(value)
    except ValueError:
        number = float("nan")
    if not name or number != number:
        raise UsageError(f"--min-score must be NAME:NUMBER, such as 'p(e|f):0.001', got {text!r}")
    return name, number


class _Counts:
    """Numbers of rules that were read and kept, and of the source words that these have."""

    def __init__(self) -> None:
        self.num_read = self.num_kept = 0
        self._words_read, self._words_kept = set[str](), set[str]()

    @property
    def num_words(self) -> int:
        """Source words of the rules that were read."""
        return len(self._words_read)

    @property
    def num_lost_words(self) -> int:
        """Source words none of whose rules were kept."""
        return len(self._words_read) - len(self._words_kept)

    def read(self, blocks: Iterable[PhraseTable]) -> Iterator[PhraseTable]:
        """The blocks of the table."""
        for block in blocks:
            self.num_read += len(block)
            self._words_read |= _source_words(block)
            yield block

    def kept(self, blocks: Iterable[PhraseTable]) -> Iterator[PhraseTable]:
        """What is left of them. Raises DataError where that is nothing."""
        for block in blocks:
            self.num_kept += len(block)
            self._words_kept |= _source_words(block)
            yield block
        if not self.num_kept:
            raise DataError(
                f"{'all ' if self.num_read > 1 else ''}"
                f"{pluralize(self.num_read, 'rule', 'is')} pruned",
                "at least one rule to remain",
                remedy="Lower the threshold for significance, score, ratio or count",
            )


def _source_words(block: PhraseTable) -> set[str]:
    """Words of the source phrases that have rules."""
    phrases = block.source.select(np.unique(block.rule_source).astype(np.int64))
    return {block.source.vocabulary[word] for word in np.unique(phrases.tokens).tolist()}


def _next_step(options: PruneOptions) -> Sequence[str]:
    return decoding_with(options.output)


COMMAND = Command(
    PruneOptions,
    run,
    (
        "isogloss prune table.gz corpus.en corpus.es -o small.gz --significance a+e",
        "isogloss prune table.gz -o small.gz --table-limit 20 --ratio 0.001 --min-count 2",
    ),
    next_step=_next_step,
    first={
        "rules to drop": (
            "significance",
            "unseen",
            "table_limit",
            "ratio",
            "rank_by",
            "min_score",
            "min_count",
        ),
        "input": ("weights", "lowercase", "format"),
        "output": ("output",),
        "running": ("quiet", "verbose"),
    },
)
