"""Slow twins of the E-step: what the alignments of each sentence pair add to the counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from isogloss.align.links.known_links import KnownLinks
from isogloss.align.model.cooccurrence import PairIndex, occurrences
from isogloss.align.model.kernels import hmm, model1
from isogloss.align.model.kernels.gather import DomainWeights, Lexical, LinkCounts, PairedText
from isogloss.align.model.kernels.transitions import JumpCounts, Jumps
from isogloss.align.model.parameters import Parameters
from isogloss.align.text.bitext import Bitext
from isogloss.align.training.counts import Counts
from isogloss.align.training.e_step import empty_block
from tests.naive.alignment import (
    START,
    JumpTable,
    Posteriors,
    Sentence,
    bucket_of,
    enumerated,
    jump_matrix,
    jump_table,
    read_sentence,
    supervised,
)

NEGLIGIBLE = 1e-6  # P(D | f, e) below this is not counted
UNITS = 2.0**45


@dataclass
class Expectations:
    """Expected counts of all domains and both directions, as numbers of links and jumps."""

    links: np.ndarray
    null_source: np.ndarray
    null_target: np.ndarray
    jumps: JumpCounts

    def arrays(self) -> tuple[np.ndarray, ...]:
        return (self.links, self.null_source, self.null_target, *self.jumps)

    @classmethod
    def of(cls, counts: Counts) -> "Expectations":
        own = counts.lexical
        arrays = (array / own.units for array in (own.links, own.null_source, own.null_target))
        return cls(*arrays, counts.expected_jumps())

    @classmethod
    def zeros(cls, like: Parameters, *, agreement: bool = False) -> "Expectations":
        return cls.of(Counts.zeros(like, UNITS, agreement))

    def counts(self) -> Counts:
        """The same in whole numbers of units."""
        lexical = (self.links, self.null_source, self.null_target)
        arrays = (np.rint(array * UNITS).astype(np.int64) for array in lexical)
        jumps = (np.rint(array * UNITS).astype(np.int64) for array in self.jumps)
        return Counts(LinkCounts(*arrays, UNITS), JumpCounts(*jumps))


def add_jumps(
    counts: JumpCounts,
    side_and_table: tuple[int, int],
    table: JumpTable,
    moves: np.ndarray,
    states: Sequence[int] = (),
) -> None:
    """Add expected jumps float64[I + 1, I + 1] to the counts of a direction and table."""
    num_states = len(moves) - 1
    wide, reach = len(counts.start_occupancy[side_and_table]) - 1, num_states + table.final
    _, explained = jump_matrix(table, num_states, states)
    for origin in range(START, num_states):
        for position in range(reach):
            part = moves[origin, position] * explained[origin, position]
            bucket = bucket_of(position - origin, wide - 1)
            if origin == START:
                counts.start[side_and_table][bucket] += part
                counts.start_occupancy[side_and_table][min(reach, wide)] += part
            else:
                kind = table.kinds[states[origin]] if len(states) else 0
                counts.jump[side_and_table][kind, bucket] += part
                opened = min(origin, wide), min(reach - 1 - origin, wide)
                counts.occupancy[side_and_table][kind][opened] += part


def empty_jump_counts(jumps: Jumps) -> JumpCounts:
    _, tables, classes, buckets = jumps.jump.shape
    wide = (buckets - 3) // 2 + 2
    return JumpCounts(
        np.zeros((2, tables, classes, buckets)), np.zeros((2, tables, buckets)),
        np.zeros((2, tables, classes, wide, wide)), np.zeros((2, tables, wide)),
    )  # fmt: skip


def nothing_expected(lexical: Lexical, jumps: Jumps, agreement: bool = False) -> Expectations:
    pairs, domains, _ = lexical.table.shape
    return Expectations(
        np.zeros((pairs, domains, 1 if agreement else 2)),
        np.zeros(lexical.null_source.shape),
        np.zeros(lexical.null_target.shape),
        empty_jump_counts(jumps),
    )


def add_pair(
    counts: Expectations,
    domain: int,
    weight: float,
    sentences: Sequence[Sentence],
    posteriors: Sequence[Posteriors],
    tables: Sequence[JumpTable | None],
) -> None:
    """Add what both directions of one sentence pair and domain expect."""
    agree = counts.links.shape[2] == 1
    links = [weight * posteriors[0].links, weight * posteriors[1].links]
    if agree:
        links = [weight * posteriors[0].links * posteriors[1].links.T]
    for side, values in enumerate(links):
        for j, row in enumerate(sentences[side].pair_id):
            for i, pair in enumerate(row):
                counts.links[pair, domain, side] += values[j, i]
    for side, null in enumerate((counts.null_source, counts.null_target)):
        for j, word in enumerate(sentences[side].generated):
            null[domain, word] += weight * posteriors[side].null[j]
        table = tables[side]
        if table is not None:
            side_and_table = side, domain if counts.jumps.jump.shape[1] > 1 else 0
            add_jumps(
                counts.jumps,
                side_and_table,
                table,
                weight * posteriors[side].moves,
                sentences[side].states,
            )


@dataclass
class Expected:
    """An E-step: P(D | f, e) [n, D], counts, weighted log-likelihoods of both directions."""

    posterior: np.ndarray
    counts: Expectations
    objective: np.ndarray


def run_model1(
    given: "Given", text: PairedText, weights: DomainWeights, edges: Sequence[int] = ()
) -> tuple[Expectations, np.ndarray]:
    """What the kernels of an E-step of Model 1 count, and the objective; the table stays.

    edges: where the ranges of pairs and of source words begin that they are given, but the first
    """
    bitext, index, lexical, jumps = given
    lexical = lexical._replace(table=lexical.table.copy())
    counts = nothing_expected(lexical, jumps).counts()
    counts = Counts(counts.lexical._replace(links=lexical.table), counts.jumps)
    shares = tuple(
        np.full((len(side.tokens), lexical.table.shape[1]), np.nan, np.float32)
        for side in (bitext.source, bitext.target)
    )
    objective = np.zeros(2)
    for begin, end in pairwise([0, *edges, len(bitext)]):
        objective += model1.share_out(text, lexical, begin, end, weights, shares)
    model1.count_nulls(text, lexical, shares, counts.lexical)
    rows, where = (index.row_offsets, index.columns), occurrences(bitext.source)
    for begin, end in pairwise([0, *edges, len(index.row_offsets) - 1]):
        model1.count_rows(text, lexical, shares, rows, where, counts.lexical, begin, end)
    lexical.table[-1] = 0.0  # pairs that are not in the index aren't counted
    return Expectations.of(counts), objective


def run_hmm(
    text: PairedText, lexical: Lexical, jumps: Jumps, pairs: tuple[int, int],
    weights: DomainWeights, agreement: bool = False,
) -> tuple[Expectations, np.ndarray]:  # fmt: skip
    """What the kernels of an E-step of the HMM count in a range of pairs, and the objective."""
    counts, expected = (
        nothing_expected(lexical, jumps, agreement).counts(),
        empty_jump_counts(jumps),
    )
    block = empty_block(text, *pairs, weights.log_weights, counts.lexical.links.shape[2])
    objective = hmm.expect_links(text, lexical, jumps, weights, block, expected)
    counts.add_jumps(expected)
    sizes = [table.shape[1] for table in (lexical.null_source, lexical.null_target)]
    for words in zip(*(pairwise([-1, size // 2, size]) for size in sizes), strict=True):
        hmm.add_links(text, weights, block, *words, counts.lexical)
    return Expectations.of(counts), objective


class Given(NamedTuple):
    """A text, its pairs of words that meet, and the tables of a model."""

    bitext: Bitext
    index: PairIndex
    lexical: Lexical
    jumps: Jumps


def expect(
    given: Given,
    log_weights: np.ndarray,
    *,
    temperature: float = 1.0,
    agreement: bool = False,
    model1: bool = False,
    method: Callable[[Sentence, JumpTable | None], Posteriors] = enumerated,
    known_links: KnownLinks | None = None,
) -> Expected:
    """The E-step of both directions and all domains, one sentence pair after the other."""
    bitext, index, lexical, jumps = given
    domains = lexical.table.shape[1]
    result = Expected(
        np.zeros((len(bitext), domains)), nothing_expected(lexical, jumps, agreement), np.zeros(2)
    )
    for number in np.flatnonzero(bitext.usable):
        by_domain, log_scores = {}, np.full(domains, -np.inf)
        for domain in np.flatnonzero((log_weights[:, number] > -np.inf).any(0)):
            tables = [None if model1 else jump_table(jumps, side, domain) for side in (0, 1)]
            sentences = [
                read_sentence(bitext, index, side, number, lexical, domain) for side in (0, 1)
            ]
            if known_links is not None:
                known = known_links.links, known_links.links.reversed()
                sentences = [
                    supervised(sentence, own_links[number], 1.0 - known_links.confidence)
                    for sentence, own_links in zip(sentences, known, strict=True)
                ]
            posteriors = [method(*pair) for pair in zip(sentences, tables, strict=True)]
            by_domain[domain] = sentences, posteriors, tables
            log_scores[domain] = np.logaddexp(
                log_weights[0, number, domain] + posteriors[0].log_likelihood,
                log_weights[1, number, domain] + posteriors[1].log_likelihood,
            )
        if not by_domain:
            continue
        scores = np.exp((log_scores - log_scores.max()) / temperature)
        result.posterior[number] = scores / scores.sum()
        for domain, parts in by_domain.items():
            weight = result.posterior[number, domain]
            if weight >= NEGLIGIBLE:
                result.objective += [
                    weight * posteriors_of_side.log_likelihood for posteriors_of_side in parts[1]
                ]
                add_pair(result.counts, domain, weight, *parts)
    return result


def normalized(counts: np.ndarray, states: np.ndarray) -> np.ndarray:
    """c / sum of the c of the same state word; 0 where there are none."""
    totals = np.bincount(states, counts, minlength=1)[states]
    return np.divide(counts, totals, out=np.zeros_like(counts), where=totals > 0)
