"""EM: expectations of all domains and both directions, and the schedule of stages."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..arrays.ragged import offsets_of
from ..errors import pluralize
from ..execution import run_all, run_tasks
from ..kernels.cooccurrence import Occurrences
from ..lexicon.tables import LexicalEntries
from ..links.reliability import WeightedLinks
from ..links.supervision import LinkSupervision
from ..text.bitext import Bitext
from .cooccurrence import (
    RANGES,
    Cells,
    PairIndex,
    build_pair_index,
    even_ranges,
    occurrences,
)
from .jump_classes import jump_classes
from .kernels import hmm, model1
from .kernels.estimation import Smoothing, StemmedWords, move_kept
from .kernels.gather import DomainWeights, LinkCounts, PairedText
from .kernels.transitions import JumpCounts
from .m_step import Counts, empty_jump_counts, estimate_jumps, estimate_lexical, units_of
from .parameters import AlignerOptions, Parameters, paired_text
from .stems import stemmed_words, unstemmed_words

__all__ = ["PAIRS", "Iteration", "Trainer", "empty_block", "exact_sums", "possible_domains"]

PAIRS = 1024  # sentence pairs a kernel is given at a time; bounds memory, changes no result
BLOCK = 1 << 18  # link posteriors that are kept at a time
AHEAD = 4  # blocks for each thread that are kept until their links are added
_NONE = np.zeros(0, np.int64)


@dataclass(frozen=True)
class Iteration:
    """What one EM iteration reports.

    stage: "model1" or "hmm"; number: from 1; log_likelihood: of the parameters it started from,
    weighted by the domain posteriors, of source given target and of target given source.
    held_out: the same per word, of the parameters it ended with and of the pairs held out, each
    domain being as likely as the others; None where no pairs are held out.
    """

    stage: str
    number: int
    log_likelihood: tuple[float, float]
    held_out: tuple[float, float] | None = None


@dataclass
class Trainer:
    """A bitext, the parameters of both directions, and the steps that EM is made of.

    scratch: a file for the cells, where they are too many for memory
    dictionary: pairs of words that count as links so many times more than the text has them.
    supervision: of some sentence pairs, within their ranges.
    external_links: of some sentence pairs; its rates are learned in the first iteration of the HMM.
    """

    bitext: Bitext
    options: AlignerOptions
    threads: int = 1
    report: Callable[[str], None] = lambda message: None
    scratch: Path | None = None
    dictionary: LexicalEntries | None = None
    supervision: LinkSupervision | None = None
    external_links: WeightedLinks | None = None
    index: PairIndex = field(init=False)
    cells: Cells = field(init=False)
    text: PairedText = field(init=False)
    parameters: Parameters = field(init=False)
    words: StemmedWords = field(init=False)
    trace: list[Iteration] = field(init=False, default_factory=list)
    _held_out: NDArray[np.int64] = field(init=False)
    _where: Occurrences | None = field(init=False, default=None, repr=False)
    _known: tuple[NDArray[np.int64], NDArray[np.float64]] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        bitext = self.bitext
        self.report("indexing co-occurring words")
        self.index, self.cells = build_pair_index(bitext, self.scratch, self.threads)
        self.words = self._stemmed_words()
        self._index_changed()
        every = self.options.heldout_every
        self._held_out = np.flatnonzero(bitext.usable)[every - 1 :: every] if every else _NONE
        self.parameters = Parameters.uniform(
            len(self.index),
            self._jump_classes(),
            self.options.jump_window,
        )

    @property
    def _units(self) -> float:
        """Units of the counts: no link is counted more often than there are words to link."""
        most = float(max(len(side.tokens) for side in (self.bitext.source, self.bitext.target)))
        if self.dictionary is not None:
            most += float(self._known[1].sum())
        return units_of(most)

    def _jump_classes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        number = self.options.jump_classes if self.options.hmm_iterations else 0
        if number:
            self.report("learning word classes")
        return jump_classes(self.bitext, number, self.threads)

    def _index_changed(self) -> None:
        self.text = paired_text(self.bitext, self.cells, self.supervision, self.external_links)
        if self.dictionary is not None:
            ids = self.index.find(self.dictionary.source, self.dictionary.target)
            self._known = ids[ids < len(self.index)], self.dictionary.weight[ids < len(self.index)]

    def _stemmed_words(self) -> StemmedWords:
        if self._smoothing("hmm").stems:
            return stemmed_words(self.bitext, self.options.stem_length)
        sides = self.bitext.source, self.bitext.target
        return unstemmed_words(*(len(side.vocabulary) for side in sides))

    def _smoothing(self, stage: str) -> Smoothing:
        options = self.options
        return Smoothing(
            options.stem_smoothing if options.stem_length else 0.0,
            options.domain_smoothing,
            options.sparse_prior if stage == "hmm" else 0.0,
        )

    def restore(self, parameters: Parameters, index: PairIndex, trace: list[Iteration]) -> None:
        """Go on from a state that was saved."""
        if len(index) != len(self.index):
            self.index, self.cells = index, index.cells(self.bitext, self.scratch)
            self._index_changed()
        self.parameters, self.trace = parameters, trace

    def split(self, num_domains: int) -> None:
        """Give each domain a copy of the tables."""
        self.parameters = self.parameters.split(num_domains, self.options.shared_jumps)

    def log_likelihoods(self, stage: str) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D) of all pairs: float64[2, num_pairs, D]."""
        return log_likelihoods(self.parameters, self.options, self.text, stage, self.threads)

    def iterate(
        self, stage: str, number: int, log_weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """One E-step and the M-step; returns P(D | f, e), float64[num_pairs, D].

        log_weights: float64[2, num_pairs, D], log P of each domain, which is added to
        log P(f | e, D) and to log P(e | f, D); -inf in both where a pair can't be of a domain.
        """
        posterior = np.zeros((len(self.bitext), self.parameters.num_domains))
        if len(self._held_out):
            log_weights = log_weights.copy()
            log_weights[:, self._held_out] = -np.inf  # nothing is counted
        lengths = self.bitext.source.lengths, self.bitext.target.lengths
        if self.external_links is not None:
            log_weights = log_weights + self.external_links.log_baseline(*lengths)[:, :, None]
        counts, objective = self.expect(stage, log_weights, posterior)
        if self.external_links is not None and (stage, number) == ("hmm", 1):
            self.external_links.learn(lengths[0] * lengths[1], posterior.max(1) > 0.0)
        if self.dictionary is not None:
            ids, weights = self._known
            each = weights[:, None, None] / self.parameters.num_domains
            counts.lexical.links[ids] += np.rint(each * self._units).astype(np.int64)
        kept = None
        if self._is_last_before_pruning(stage, number):
            kept = self.index.pruned(counts.lexical.links, self.options.prune * self._units)
        estimate_lexical(
            self.parameters, counts, self.index, self.words, self._smoothing(stage), self.threads
        )
        if stage == "hmm":
            jumps = counts.expected_jumps()
            estimate_jumps(self.parameters, jumps, self.options.jump_class_smoothing)
        seen = float(objective[0]), float(objective[1])
        self.trace.append(Iteration(stage, number, seen, self._held_out_likelihood(stage)))
        if kept is not None:
            self._prune(*kept)
        return posterior

    def _held_out_likelihood(self, stage: str) -> tuple[float, float] | None:
        if not len(self._held_out):
            return None
        part = self.bitext.select(self._held_out)
        text = paired_text(part, self.index.cells(part))
        values = log_likelihoods(self.parameters, self.options, text, stage, self.threads)
        values = log_sum(values, axis=2) - np.log(self.parameters.num_domains)
        words = part.source.lengths.sum(), part.target.lengths.sum()
        return float(values[0].sum() / words[0]), float(values[1].sum() / words[1])

    def expect(
        self, stage: str, log_weights: NDArray[np.float64], posterior: NDArray[np.float64]
    ) -> tuple[Counts, NDArray[np.float64]]:
        """Counts, and log-likelihoods of both directions float64[2].

        log_weights: float64[2, num_pairs, D]; posterior: float64[num_pairs, D], which is written

        Those of Model 1 take the place of the lexical table.
        """
        if stage == "model1":
            return self._expect_model1(log_weights, posterior)
        return self._expect_hmm(log_weights, posterior)

    def _expect_hmm(
        self, log_weights: NDArray[np.float64], posterior: NDArray[np.float64]
    ) -> tuple[Counts, NDArray[np.float64]]:
        self._where = None
        counts = Counts.zeros(self.parameters, self._units, self.options.agreement)
        weights = DomainWeights(log_weights, self.options.domain_temperature, posterior)
        words = self._word_ranges()
        objectives, blocks = [], self._link_blocks(log_weights)
        many = 1 if self.threads == 1 else AHEAD * self.threads
        for begin in range(0, len(blocks), many):
            pairs = blocks[begin : begin + many]
            tasks, done = (partial(self._count, *part, weights) for part in pairs), []
            for block, jumps, part in run_tasks(tasks, self.threads):
                counts.add_jumps(jumps)
                objectives.append(part)
                done.append(block)
            add = partial(_add_links, self.text, weights, done, counts.lexical)
            run_all((partial(add, *part) for part in words), self.threads)
        return counts, exact_sums(objectives)

    def _count(
        self, first: int, last: int, weights: DomainWeights
    ) -> tuple[hmm.LinkBlock, JumpCounts, NDArray[np.float64]]:
        directions = 1 if self.options.agreement else 2
        block = empty_block(self.text, first, last, weights.log_weights, directions)
        lexical = self.parameters.lexical_tables(self.options.lexical_floor)
        jumps, counts = self.parameters.jumps(self.options), empty_jump_counts(self.parameters)
        objective = hmm.expect_links(self.text, lexical, jumps, weights, block, counts)
        return block, counts, objective

    def _link_blocks(self, log_weights: NDArray[np.float64]) -> list[tuple[int, int]]:
        """Ranges of at most PAIRS sentence pairs, of about BLOCK link posteriors each."""
        # what a block is depends on its pairs alone: jumps are rounded to units block by block
        entries = possible_domains(log_weights) * np.diff(self.cells.offsets)
        edges = [0]
        for first, last in _blocks(0, len(entries)):
            offsets = offsets_of(entries[first:last])
            ends = np.searchsorted(offsets, np.arange(BLOCK, offsets[-1], BLOCK))
            edges += np.unique([*(first + ends), last]).tolist()
        return list(pairwise(edges))

    def _word_ranges(self) -> list[tuple[tuple[int, int], tuple[int, int]]]:
        """A range of source and one of target words for each thread."""
        sides = (self.bitext.source, self.bitext.target)
        counts = [np.bincount(side.tokens, minlength=len(side.vocabulary)) for side in sides]
        ranges = [even_ranges(offsets_of(running), self.threads) for running in counts]
        return list(zip(*ranges, strict=True))

    def _expect_model1(
        self, log_weights: NDArray[np.float64], posterior: NDArray[np.float64]
    ) -> tuple[Counts, NDArray[np.float64]]:
        parameters, text = self.parameters, self.text
        lexical = parameters.lexical_tables(self.options.lexical_floor)
        weights = DomainWeights(log_weights, self.options.domain_temperature, posterior)
        shares = tuple(
            np.empty((len(side.tokens), parameters.num_domains), np.float32)
            for side in (self.bitext.source, self.bitext.target)
        )
        blocks = _blocks(0, len(self.bitext))
        shared = (
            partial(model1.share_out, text, lexical, *block, weights, shares) for block in blocks
        )
        objective = exact_sums(run_tasks(shared, self.threads))
        counts = Counts.with_links(parameters, self._units, parameters.lexical)
        if self._where is None:
            self._where = occurrences(self.bitext.source)
        index = self.index.row_offsets, self.index.columns
        count = partial(model1.count_rows, text, lexical, shares, index, self._where, self._units)
        ranges = even_ranges(self._where.offsets, RANGES)
        counted = [
            partial(model1.count_nulls, text, lexical, shares, counts.lexical),
            *(partial(count, *part) for part in ranges),
        ]
        run_all(counted, self.threads, RANGES)
        return counts, objective

    def _is_last_before_pruning(self, stage: str, number: int) -> bool:
        """Pairs are dropped when Model 1 ends, or earlier, before the domains part."""
        flat = self.parameters.num_domains == 1
        last = self.options.model1_iterations
        if self.bitext.domains:
            last = min(last, self.options.shared_iterations, len(self.options.schedule) - 1)
        return flat and stage == "model1" and number == last and self.options.prune > 0.0

    def _prune(self, kept: PairIndex, new_ids: NDArray[np.uint32]) -> None:
        self.report(f"pruning keeps {len(kept)} of {pluralize(len(self.index), 'word pair')}")
        move_kept(new_ids, self.parameters.lexical)
        self.parameters.lexical = self.parameters.lexical[: len(kept) + 1].copy()
        self.cells.renumber(new_ids)
        self.index = kept
        self._index_changed()


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


def exact_sums(parts: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Sums float64[n] of parts float64[n], rounded once: in any order the same."""
    return np.array([math.fsum(column) for column in zip(*parts, strict=True)])


def _blocks(first: int, last: int) -> Iterator[tuple[int, int]]:
    for begin in range(first, last, PAIRS):
        yield begin, min(begin + PAIRS, last)


def log_sum(terms: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
    """log of the sum of exp(terms) along an axis, by SciPy, which loads slowly: when it is needed.

    terms: float64[...], not all -inf along the axis. Returns float64[...], without that axis.
    """
    from scipy.special import logsumexp

    return np.asarray(logsumexp(terms, axis=axis))


def log_likelihoods(
    parameters: Parameters, options: AlignerOptions, text: PairedText, stage: str, threads: int
) -> NDArray[np.float64]:
    """log P(f | e, D) and log P(e | f, D) of all pairs of a text: float64[2, num_pairs, D]."""
    num_pairs = len(text.source_offsets) - 1
    lexical = parameters.lexical_tables(options.lexical_floor)
    jumps = parameters.jumps(options)
    result = np.zeros((2, num_pairs, parameters.num_domains))

    def compute(begin: int, end: int) -> None:
        part = result[:, begin:end]
        if stage == "model1":
            model1.log_likelihoods(text, lexical, begin, end, part)
        else:
            hmm.log_likelihoods(text, lexical, jumps, begin, end, part)

    run_all((partial(compute, *block) for block in _blocks(0, num_pairs)), threads)
    return result
