"""What a report says of alignments: likelihood by iteration, error rates, worst and best pairs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.files.tables.drawing import DrawnLink
from isogloss.align.links.evaluate import AlignmentScore, ErrorRate, error_rates, link_counts
from isogloss.align.links.gold_links import GoldLinks
from isogloss.align.links.links import Links
from isogloss.align.model.trained_text import Iteration
from isogloss.align.text.bitext import Bitext
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.significance import paired_bootstrap, score_system

from ..charts import Chart, Line
from ..report import Drawing, Note, Part, Table

__all__ = [
    "ErrorRate",
    "JudgedText",
    "best_pairs",
    "error_rate_tables",
    "likelihood_charts",
    "link_tables",
    "worst_pairs",
]

_LONGEST = 60  # words of a side that is drawn
_GOOD = 0.5  # AER of a pair that can be among the best ones
_STAGES = {"model1": "IBM Model 1", "hmm": "HMM"}
_RIGHT, _WRONG, _MISSED = "var(--right)", "var(--wrong)", "var(--missed)"


@dataclass(frozen=True)
class JudgedText:
    """A text with gold alignments, and links of one or more aligners by name.

    lines: numbers of its pairs in the whole text, int64[num_pairs] from 1
    """

    name: str
    bitext: Bitext
    gold: GoldLinks
    links: Mapping[str, Links]
    lines: NDArray[np.int64]


def likelihood_charts(trace: Sequence[Iteration]) -> Iterator[Part]:
    """A chart of the log-likelihood for each stage of training."""
    for stage in dict.fromkeys(one.stage for one in trace):
        iterations = [one for one in trace if one.stage == stage]
        yield Chart(
            f"Log-likelihood by iteration, {_STAGES.get(stage, stage)}",
            "iteration",
            "log-likelihood",
            [
                Line(name, [(one.number, one.log_likelihood[side]) for one in iterations])
                for side, name in enumerate(("source given target", "target given source"))
            ],
        )


def error_rate_tables(texts: Sequence[JudgedText], threads: int) -> Iterator[Part]:
    """AER, precision and recall of each text, with a 95 % interval by the bootstrap."""
    metric = cast("Metric", ErrorRate())
    rows: list[list[str]] = []
    for text in texts:
        first: NDArray[np.float64] | None = None
        for name, links in text.links.items():
            counts = link_counts(links, text.gold)
            score = AlignmentScore.of_counts(counts)
            low, high = score_system(counts, metric, threads=threads).interval
            row = [
                text.name, name, f"{100 * score.aer:.2f} [{low:.2f}, {high:.2f}]",
                f"{100 * score.precision:.2f}", f"{100 * score.recall:.2f}",
            ]  # fmt: skip
            if first is None:
                first, difference = counts, ""
            else:
                test = paired_bootstrap(first, counts, metric, threads=threads)
                low, high = test.interval
                difference = f"{test.difference:+.2f} [{low:+.2f}, {high:+.2f}]"
            rows.append([*row, difference])
    columns = ("gold alignments", "links", "AER [95% CI]", "precision", "recall", "difference")
    if rows:
        several = any(row[-1] for row in rows)
        yield Table(
            "Alignment error rate (%)",
            columns if several else columns[:-1],
            rows if several else [row[:-1] for row in rows],
            text_columns=2,
        )


def link_tables(bitext: Bitext, links: Mapping[str, Links]) -> Iterator[Part]:
    """How many links there are, and how many words have none. links: by name"""
    rows = []
    for name, own in links.items():
        pair = row_numbers(own.offsets)
        sides = (bitext.source, own.source), (bitext.target, own.target)
        free = [
            1.0 - len(np.unique(corpus.offsets[pair] + place)) / max(1, len(corpus.tokens))
            for corpus, place in sides
        ]
        scores = own.probability
        mean = "" if scores is None or not len(scores) else f"{float(scores.mean()):.3f}"
        shares = [f"{100 * share:.1f}" for share in free]
        rows.append((name, f"{len(own.source):,}", *shares, mean))
    columns = (
        "links", "number", "unlinked source words (%)", "unlinked target words (%)",
        "mean confidence",
    )  # fmt: skip
    yield Table("Links", columns, rows)


def worst_pairs(text: JudgedText, links: Links, limit: int = 5) -> Iterator[Part]:
    """Drawings of the pairs with the highest AER; of equal ones those with more wrong links."""
    pairs = _JudgedPairs.of(text, links)
    shown = np.flatnonzero((pairs.errors > 0) & pairs.fit)
    order = shown[np.lexsort((-pairs.errors[shown], -pairs.rates[shown]))][:limit]
    if len(order):
        yield Note("Green links are correct, red ones wrong, dashed ones are missed sure links.")
    yield from pairs.drawings(order)


def best_pairs(text: JudgedText, links: Links, limit: int = 5) -> Iterator[Part]:
    """Drawings of the pairs with the lowest AER, below 50 %; of equal ones, more links first."""
    pairs = _JudgedPairs.of(text, links)
    shown = np.flatnonzero((pairs.counts[:, 0] > 0) & (pairs.rates < _GOOD) & pairs.fit)
    order = shown[np.lexsort((-pairs.counts[shown, 0], pairs.rates[shown]))][:limit]
    if len(order):
        yield Note("The best pairs; of equal ones, those with the most links come first:")
    yield from pairs.drawings(order)


@dataclass(frozen=True)
class _JudgedPairs:
    """Pairs of a text with what is wrong in each. fit: whether they are short enough to be drawn"""

    text: JudgedText
    links: Links
    counts: NDArray[np.float64]
    rates: NDArray[np.float64]
    errors: NDArray[np.float64]
    fit: NDArray[np.bool_]

    @classmethod
    def of(cls, text: JudgedText, links: Links) -> "_JudgedPairs":
        counts = link_counts(links, text.gold)
        num_links, num_sure, with_sure, with_possible = counts.T
        errors = num_links + num_sure - with_sure - with_possible
        lengths = np.maximum(text.bitext.source.lengths, text.bitext.target.lengths)
        return cls(text, links, counts, error_rates(counts), errors, lengths <= _LONGEST)

    def drawings(self, order: NDArray[np.intp]) -> Iterator[Drawing]:
        for pair in order.tolist():
            num_links, num_sure, with_sure, with_possible = self.counts[pair].tolist()
            yield Drawing(
                f"Line {self.text.lines[pair]}: AER {100 * self.rates[pair]:.1f}, "
                f"{int(num_links - with_possible)} wrong and {int(num_sure - with_sure)} missed",
                self.text.bitext.source.words(pair),
                self.text.bitext.target.words(pair),
                list(_drawn(self.links[pair], *self.text.gold[pair])),
            )


def _drawn(
    links: Sequence[tuple[int, int]],
    sure: Sequence[tuple[int, int]],
    possible: Sequence[tuple[int, int]],
) -> Iterator[DrawnLink]:
    right = {*sure, *possible}
    for source, target in links:
        yield DrawnLink(source, target, color=_RIGHT if (source, target) in right else _WRONG)
    for source, target in sorted({*sure} - {*links}):
        yield DrawnLink(source, target, color=_MISSED, dashed=True)
