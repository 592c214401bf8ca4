"""E-step: expected counts of all domains and both directions (Cuong & Sima'an 2015, Figure 2)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..arrays.id_counts import id_counts
from ..arrays.ragged import offsets_of
from ..execution import run_all, run_tasks
from ..files.scratch import Empty
from ..kernels.cooccurrence import Occurrences
from ..model.cooccurrence import RANGES, PairIndex, even_ranges, occurrences
from ..model.kernels import hmm, model1
from ..model.kernels.gather import DomainWeights, LinkCounts, PairedText
from ..model.kernels.transitions import JumpCounts
from ..model.likelihoods import pair_blocks
from ..model.parameters import AlignerOptions, Parameters
from ..text.bitext import Bitext
from .counts import Counts, empty_jump_counts

__all__ = ["EStep", "Expected", "empty_block", "link_blocks", "possible_domains"]

BLOCK = 1 << 18  # link posteriors that are kept at a time
AHEAD = 4  # blocks for each thread that are kept until their links are added


@dataclass(frozen=True)
class Expected:
    """What an E-step gives.

    posterior: float64[num_pairs, D], P(D | f, e)
    counts: of links and jumps
    objectives: float64[2] for each block of pairs, log-likelihoods of both directions, weighted by
        the posterior
    """

    posterior: NDArray[np.float64]
    counts: Counts
    objectives: Sequence[NDArray[np.float64]]


@dataclass
class EStep:
    """The E-step over some sentence pairs.

    text: the pairs, whose cells have the numbers of the index
    empty: makes arrays of numbers by running word
    """

    bitext: Bitext
    index: PairIndex
    text: PairedText
    options: AlignerOptions
    threads: int = 1
    empty: Empty = np.empty
    _where: Occurrences | None = field(init=False, default=None, repr=False)

    def run(
        self, stage: str, parameters: Parameters, log_weights: NDArray[np.float64], counts: Counts
    ) -> Expected:
        """Add to counts, and to nothing else but where those of Model 1 are the lexical table.

        log_weights: float64[2, num_pairs, D], log P of each domain, which is added to
        log P(f | e, D) and to log P(e | f, D); -inf in both where a pair can't be of a domain.
        """
        posterior = np.zeros((len(self.bitext), parameters.num_domains))
        weights = DomainWeights(log_weights, self.options.domain_temperature, posterior)
        run = self._run_model1 if stage == "model1" else self._run_hmm
        return Expected(posterior, counts, run(parameters, weights, counts))

    def _run_model1(
        self, parameters: Parameters, weights: DomainWeights, counts: Counts
    ) -> list[NDArray[np.float64]]:
        text, lexical = self.text, parameters.lexical_tables(self.options.lexical_floor)
        shares = tuple(
            self.empty((len(side.tokens), parameters.num_domains), np.float32)
            for side in (self.bitext.source, self.bitext.target)
        )
        shared = (
            partial(model1.share_out, text, lexical, *block, weights, shares)
            for block in pair_blocks(0, len(self.bitext))
        )
        objectives = list(run_tasks(shared, self.threads))
        if self._where is None:
            self._where = occurrences(self.bitext.source, self.empty)
        index = self.index.row_offsets, self.index.columns
        count = partial(
            model1.count_rows, text, lexical, shares, index, self._where, counts.lexical
        )
        ranges = even_ranges(self._where.offsets, RANGES)
        counted = [
            partial(model1.count_nulls, text, lexical, shares, counts.lexical),
            *(partial(count, *part) for part in ranges),
        ]
        run_all(counted, self.threads, RANGES)
        return objectives

    def _run_hmm(
        self, parameters: Parameters, weights: DomainWeights, counts: Counts
    ) -> list[NDArray[np.float64]]:
        self._where = None
        words = self._word_ranges
        objectives, blocks = [], link_blocks(self.text, weights.log_weights)
        many = 1 if self.threads == 1 else AHEAD * self.threads
        for begin in range(0, len(blocks), many):
            pairs = blocks[begin : begin + many]
            tasks, done = (partial(self._expect, parameters, *part, weights) for part in pairs), []
            for block, jumps, part in run_tasks(tasks, self.threads):
                counts.add_jumps(jumps)
                objectives.append(part)
                done.append(block)
            add = partial(_add_links, self.text, weights, done, counts.lexical)
            run_all((partial(add, *part) for part in words), self.threads)
        return objectives

    def _expect(
        self, parameters: Parameters, first: int, last: int, weights: DomainWeights
    ) -> tuple[hmm.LinkBlock, JumpCounts, NDArray[np.float64]]:
        directions = 1 if self.options.agreement else 2
        block = empty_block(self.text, first, last, weights.log_weights, directions)
        lexical = parameters.lexical_tables(self.options.lexical_floor)
        jumps, counts = parameters.jumps(self.options), empty_jump_counts(parameters)
        objective = hmm.expect_links(self.text, lexical, jumps, weights, block, counts)
        return block, counts, objective

    @cached_property
    def _word_ranges(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """A range of source and one of target words for each thread."""
        sides = (self.bitext.source, self.bitext.target)
        counts = [id_counts(side.tokens, len(side.vocabulary)) for side in sides]
        ranges = [even_ranges(offsets_of(running), self.threads) for running in counts]
        return list(zip(*ranges, strict=True))


def link_blocks(text: PairedText, log_weights: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Ranges of at most PAIRS sentence pairs, of about BLOCK link posteriors each.

    What they are depends on those pairs alone, so that rounding jumps to units, block by block,
    gives the same whatever other pairs there are. log_weights: float64[2, num_pairs, D]
    """
    entries = possible_domains(log_weights) * np.diff(text.cell_offsets)
    edges = [0]
    for first, last in pair_blocks(0, len(entries)):
        offsets = offsets_of(entries[first:last])
        ends = np.searchsorted(offsets, np.arange(BLOCK, offsets[-1], BLOCK))
        edges += np.unique([*(first + ends), last]).tolist()
    return [(first, last) for first, last in pairwise(edges) if first < last]


def possible_domains(log_weights: NDArray[np.float64]) -> NDArray[np.int64]:
    """How many domains each pair can be of: int64[num_pairs].

    log_weights: float64[2, num_pairs, D], -inf in both where it can't
    """
    return np.asarray((log_weights > -np.inf).any(0).sum(1))


def empty_block(
    text: PairedText, first: int, last: int, log_weights: NDArray[np.float64], directions: int
) -> hmm.LinkBlock:
    """Room for the links of the pairs [first, last).

    log_weights: float64[2, num_pairs, D], of all pairs; directions: K
    """
    possible = possible_domains(log_weights[:, first:last])
    source, target = (
        np.diff(offsets[first : last + 1]) for offsets in (text.source_offsets, text.target_offsets)
    )
    starts, null_starts = (
        offsets_of(entries * possible) for entries in (source * target, source + target)
    )
    links = np.empty((directions, starts[-1]), np.float32)
    return hmm.LinkBlock(links, np.empty(null_starts[-1], np.float32), starts, null_starts, first)


def _add_links(
    text: PairedText,
    weights: DomainWeights,
    blocks: Sequence[hmm.LinkBlock],
    counts: LinkCounts,
    source_words: tuple[int, int],
    target_words: tuple[int, int],
) -> None:
    for block in blocks:
        hmm.add_links(text, weights, block, source_words, target_words, counts)
