"""EM: the iterations that a model is estimated by."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..errors import pluralize
from ..execution import exact_sums
from ..files.scratch import ScratchArrays
from ..lexicon.tables import LexicalEntries
from ..links.known_links import KnownLinks
from ..links.reliability import WeightedLinks
from ..model.cooccurrence import Cells, KeptPairs, PairIndex, build_pair_index
from ..model.kernels.estimation import Smoothing, StemmedWords, move_kept
from ..model.kernels.gather import PairedText
from ..model.likelihoods import log_likelihoods, log_sum
from ..model.parameters import AlignerOptions, Parameters, paired_text
from ..model.trained_text import Iteration
from ..text.bitext import Bitext
from .counts import Counts, units_of
from .e_step import EStep, Expected
from .jump_classes import jump_classes
from .m_step import estimate_jumps, estimate_lexical
from .stems import stemmed_words, unstemmed_words

__all__ = ["Trainer"]

_NONE = np.zeros(0, np.int64)


@dataclass
class Trainer:
    """A bitext, the parameters of both directions, and the steps that EM is made of.

    scratch: a file for the cells, where they are too many for memory; others are made beside it
    dictionary: pairs of words that count as links so many times more than the text has them.
    known_links: of some sentence pairs, within their ranges.
    external_links: of some sentence pairs; its rates are learned in the first iteration of the HMM.
    """

    bitext: Bitext
    options: AlignerOptions
    threads: int = 1
    report: Callable[[str], None] = lambda message: None
    scratch: Path | None = None
    dictionary: LexicalEntries | None = None
    known_links: KnownLinks | None = None
    external_links: WeightedLinks | None = None
    index: PairIndex = field(init=False)
    cells: Cells = field(init=False)
    text: PairedText = field(init=False)
    parameters: Parameters = field(init=False)
    words: StemmedWords = field(init=False)
    trace: list[Iteration] = field(init=False, default_factory=list)
    _held_out: NDArray[np.int64] = field(init=False)
    _e_step: EStep = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.report("indexing co-occurring words")
        self.words = self._stemmed_words()
        self._index_words()
        every, usable = self.options.heldout_every, np.flatnonzero(self.bitext.usable)
        self._held_out = usable[every - 1 :: every] if every else _NONE
        self.parameters = Parameters.uniform(
            len(self.index),
            self._jump_classes(),
            self.options.jump_window,
            self.threads,
        )

    def _index_words(self) -> None:
        self.index, self.cells = build_pair_index(self.bitext, self.scratch, self.threads)
        self._index_changed()

    @property
    def _units(self) -> float:
        """Units of the counts: no link is counted more often than there are words to link."""
        most = float(max(len(side.tokens) for side in (self.bitext.source, self.bitext.target)))
        if self.dictionary is not None:
            most += float(self.dictionary.weight.sum())
        return units_of(most)

    def _jump_classes(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        number = self.options.jump_classes if self.options.hmm_iterations else 0
        if number:
            self.report("learning word classes")
        return jump_classes(self.bitext, number, self.threads)

    def _index_changed(self) -> None:
        self.text = paired_text(self.bitext, self.cells, self.known_links, self.external_links)
        empty = np.empty if self.scratch is None else ScratchArrays(self.scratch.parent)
        self._e_step = EStep(self.bitext, self.index, self.text, self.options, self.threads, empty)

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

    def state(self) -> tuple[Parameters, PairIndex]:
        """Parameters with all tables, and the index of their pairs of words."""
        return self.parameters, self.index

    def restore(self, parameters: Parameters, index: PairIndex, trace: list[Iteration]) -> None:
        """Go on from a state that was saved."""
        if len(index) != len(self.index):
            self.index, self.cells = index, index.cells(self.bitext, self.scratch)
            self._index_changed()
        self.parameters, self.trace = parameters, trace

    def split(self, num_domains: int) -> None:
        """Give each domain a copy of the tables."""
        self.parameters = self.parameters.split(num_domains, self.options.shared_jumps)

    def log_likelihoods(
        self, stage: str, rows: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D) of all pairs, or some: float64[2, num_pairs, D].

        rows: int64[num_pairs], numbers of the pairs
        """
        text = self.text
        if rows is not None:
            part = self.bitext.select(rows)
            text = paired_text(part, self.index.cells(part))
        return log_likelihoods(self.parameters, self.options, text, stage, self.threads)

    def iterate(
        self, stage: str, number: int, log_weights: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """One E-step and the M-step; returns P(D | f, e), float64[num_pairs, D].

        log_weights: float64[2, num_pairs, D], log P of each domain, which is added to
        log P(f | e, D) and to log P(e | f, D); -inf in both where a pair can't be of a domain.
        """
        if len(self._held_out):
            log_weights = log_weights.copy()
            log_weights[:, self._held_out] = -np.inf  # nothing is counted
        lengths = self.bitext.source.lengths, self.bitext.target.lengths
        if self.external_links is not None:
            log_weights = log_weights + self.external_links.log_baseline(*lengths)[:, :, None]
        expected = self.expect(stage, log_weights)
        counts, posterior = expected.counts, expected.posterior
        if self.external_links is not None and (stage, number) == ("hmm", 1):
            self.external_links.learn(lengths[0] * lengths[1], posterior.max(1) > 0.0)
        if self.dictionary is not None:
            each = self.dictionary.weight / self.parameters.num_domains
            self._add_known(self.dictionary, np.rint(each * self._units).astype(np.int64), counts)
        drop_rare = None
        if self._is_last_before_pruning(stage, number):
            drop_rare = self._find_rare(counts, self.options.prune * self._units)
        self._estimate_lexical(counts, self._smoothing(stage))
        if stage == "hmm":
            jumps = counts.expected_jumps()
            estimate_jumps(self.parameters, jumps, self.options.jump_class_smoothing)
        seen = exact_sums(expected.objectives)
        held_out = self._held_out_likelihood(stage)
        self.trace.append(Iteration(stage, number, (float(seen[0]), float(seen[1])), held_out))
        del expected, counts  # they hold the whole table, of which little may be left
        if drop_rare is not None:
            drop_rare()
        return posterior

    def _estimate_lexical(self, counts: Counts, smoothing: Smoothing) -> None:
        estimate_lexical(self.parameters, counts, self.index, self.words, smoothing, self.threads)

    def _add_known(
        self, dictionary: LexicalEntries, each: NDArray[np.int64], counts: Counts
    ) -> None:
        """Count pairs of words more often, where they are in the index. each: int64[num_entries]"""
        ids = self.index.find(dictionary.source, dictionary.target)
        known = ids < len(self.index)
        counts.lexical.links[ids[known]] += each[known, None, None]

    def _held_out_likelihood(self, stage: str) -> tuple[float, float] | None:
        if not len(self._held_out):
            return None
        values = self.log_likelihoods(stage, self._held_out)
        values = log_sum(values, axis=2) - np.log(self.parameters.num_domains)
        source, target = (
            side.lengths[self._held_out].sum() for side in (self.bitext.source, self.bitext.target)
        )
        return float(values[0].sum() / source), float(values[1].sum() / target)

    def expect(self, stage: str, log_weights: NDArray[np.float64]) -> Expected:
        """The E-step; counts of Model 1 take the place of the lexical table.

        log_weights: float64[2, num_pairs, D]
        """
        if stage == "model1":
            counts = Counts.with_links(self.parameters, self._units, self.parameters.lexical)
        else:
            counts = Counts.zeros(self.parameters, self._units, self.options.agreement)
        return self._e_step.run(stage, self.parameters, log_weights, counts)

    def _is_last_before_pruning(self, stage: str, number: int) -> bool:
        """Pairs are dropped when Model 1 ends, or earlier, before the domains part."""
        flat = self.parameters.num_domains == 1
        last = self.options.model1_iterations
        if self.bitext.domains:
            last = min(last, self.options.shared_iterations, len(self.options.schedule) - 1)
        return flat and stage == "model1" and number == last and self.options.prune > 0.0

    def _find_rare(self, counts: Counts, threshold: float) -> Callable[[], None]:
        """What drops, after the M-step, the pairs of words that are counted less often now."""
        return partial(self._drop_rare, self.index.counted(counts.lexical.links, threshold))

    def _drop_rare(self, kept: KeptPairs) -> None:
        self._report_pruning(len(kept), len(self.index))
        move_kept(kept.marks, kept.firsts, self.parameters.lexical)
        self.cells.renumber(kept, self.threads)
        self.parameters.lexical = self.parameters.lexical[: len(kept) + 1].copy()
        self.index = self.index.selected(kept)
        self._index_changed()

    def _report_pruning(self, kept: int, size: int) -> None:
        self.report(f"pruning keeps {kept} of {pluralize(size, 'word pair')}")
