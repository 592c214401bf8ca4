"""Slow twins of the E-step: what the alignments of each sentence pair add to the counts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from isogloss.align.links.supervision import LinkSupervision
from isogloss.align.model.cooccurrence import PairIndex, occurrences
from isogloss.align.model.em import empty_block
from isogloss.align.model.kernels import hmm, model1
from isogloss.align.model.kernels.gather import DomainWeights, Lexical, PairedText
from isogloss.align.model.kernels.transitions import JumpCounts, Jumps
from isogloss.align.model.m_step import Counts
from isogloss.align.text.bitext import Bitext
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


def empty_counts(lexical: Lexical, jumps: Jumps, agreement: bool = False) -> Counts:
    pairs, domains, _ = lexical.table.shape
    return Counts(
        np.zeros((pairs, domains, 1 if agreement else 2)),
        np.zeros(lexical.null_source.shape),
        np.zeros(lexical.null_target.shape),
        empty_jump_counts(jumps),
    )


def add_pair(
    counts: Counts,
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
    counts: Counts
    objective: np.ndarray


def run_model1(
    given: "Given", text: PairedText, weights: DomainWeights, edges: Sequence[int] = ()
) -> tuple[Counts, np.ndarray]:
    """What the kernels of an E-step of Model 1 count, and the objective; the table stays.

    edges: where the ranges of pairs and of source words begin that they are given, but the first
    """
    bitext, index, lexical, jumps = given
    lexical = lexical._replace(table=lexical.table.copy())
    counts = empty_counts(lexical, jumps)
    shares = tuple(
        np.full((len(side.tokens), lexical.table.shape[1]), np.nan, np.float32)
        for side in (bitext.source, bitext.target)
    )
    objective = np.zeros(2)
    for begin, end in pairwise([0, *edges, len(bitext)]):
        objective += model1.share_out(text, lexical, begin, end, weights, shares)
    model1.count_nulls(text, lexical, shares, (counts.null_source, counts.null_target))
    rows, where = (index.row_offsets, index.columns), occurrences(bitext.source)
    for begin, end in pairwise([0, *edges, len(index.row_offsets) - 1]):
        model1.count_rows(text, lexical, shares, rows, where, begin, end)
    lexical.table[-1] = 0.0  # pairs that are not in the index aren't counted
    return replace(counts, links=lexical.table), objective


def run_hmm(
    text: PairedText, lexical: Lexical, jumps: Jumps, first: int, last: int,
    weights: DomainWeights, counts: Counts,
) -> np.ndarray:  # fmt: skip
    """Add what the kernels of an E-step of the HMM count; returns the objective."""
    block = empty_block(text, first, last, weights.log_weights, counts.links.shape[2])
    objective = hmm.expect_links(text, lexical, jumps, weights, block, counts.jumps)
    links = counts.links, counts.null_source, counts.null_target
    sizes = [table.shape[1] for table in links[1:]]
    for words in zip(*(pairwise([-1, size // 2, size]) for size in sizes), strict=True):
        hmm.add_links(text, weights, block, *words, links)
    return objective


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
    supervision: LinkSupervision | None = None,
) -> Expected:
    """The E-step of both directions and all domains, one sentence pair after the other."""
    bitext, index, lexical, jumps = given
    domains = lexical.table.shape[1]
    result = Expected(
        np.zeros((len(bitext), domains)), empty_counts(lexical, jumps, agreement), np.zeros(2)
    )
    for number in np.flatnonzero(bitext.usable):
        by_domain, log_scores = {}, np.full(domains, -np.inf)
        for domain in np.flatnonzero((log_weights[:, number] > -np.inf).any(0)):
            tables = [None if model1 else jump_table(jumps, side, domain) for side in (0, 1)]
            sentences = [
                read_sentence(bitext, index, side, number, lexical, domain) for side in (0, 1)
            ]
            if supervision is not None:
                known = supervision.links, supervision.links.reversed()
                sentences = [
                    supervised(sentence, own_links[number], 1.0 - supervision.confidence)
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
