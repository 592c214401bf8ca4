"""EM: expectations of all domains and both directions, and the schedule of stages."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from .cooccurrence import Cells, PairIndex, build_pair_index
from .corpus import Bitext
from .estimation import Counts, estimate_jumps, estimate_lexical
from .execution import run_tasks
from .kernels import hmm, model1
from .kernels.agreement import add_products
from .kernels.text import DirectedText
from .parameters import AlignerOptions, Direction, directed_texts

__all__ = ["NEGLIGIBLE", "Iteration", "Trainer"]

# P(D | f, e) below this adds nothing that float32 counts could hold; the pair is passed over
NEGLIGIBLE = 1e-6


@dataclass(frozen=True)
class Iteration:
    """What one EM iteration reports.

    stage: "model1" or "hmm"; number: from 1; log_likelihood: of the parameters it started from,
    weighted by the domain posteriors, of source given target and of target given source.
    """

    stage: str
    number: int
    log_likelihood: tuple[float, float]


@dataclass
class Trainer:
    """Both directions of a bitext, their parameters, and the steps that EM is made of."""

    bitext: Bitext
    options: AlignerOptions
    num_domains: int
    threads: int = 1
    report: Callable[[str], None] = lambda message: None
    index: PairIndex = field(init=False)
    cells: Cells = field(init=False)
    texts: tuple[DirectedText, DirectedText] = field(init=False)
    directions: tuple[Direction, Direction] = field(init=False)
    trace: list[Iteration] = field(init=False, default_factory=list)

    def __post_init__(self) -> None:
        bitext = self.bitext
        self.report("indexing co-occurring words")
        self.index, self.cells = build_pair_index(bitext)
        self.texts = directed_texts(bitext, self.cells)
        # forward generates source words from target states; columns of the index are target types
        self._states = (self.index.columns, self.index.rows)
        self._num_states = (len(bitext.target.vocabulary), len(bitext.source.vocabulary))
        sides = (bitext.source, bitext.target)
        self.directions = tuple(  # type: ignore[assignment]
            Direction.uniform(
                self.num_domains, len(self.index), len(side.vocabulary), self.options.window
            )
            for side in sides
        )

    def log_likelihoods(self, stage: str) -> NDArray[np.float64]:
        """log P(f | e, D) and log P(e | f, D) of all pairs: float64[2, num_pairs, D]."""
        result = np.empty((2, self.num_domains, len(self.bitext)))
        tasks = [
            partial(self._log_likelihood, stage, side, domain, result[side, domain])
            for side in (0, 1)
            for domain in range(self.num_domains)
        ]
        run_tasks(tasks, self.threads)
        return result.transpose(0, 2, 1)

    def _log_likelihood(
        self, stage: str, side: int, domain: int, result: NDArray[np.float64]
    ) -> None:
        direction, text = self.directions[side], self.texts[side]
        lexical = direction.lexical_columns(domain, self.options.lexical_floor)
        if stage == "model1":
            model1.log_likelihoods(text, lexical, result)
        else:
            hmm.log_likelihoods(text, lexical, direction.jump_columns(domain, self.options), result)

    def iterate(self, stage: str, number: int, posterior: NDArray[np.float64]) -> None:
        """One E-step under the domain posteriors float64[num_pairs, D], and the M-step."""
        weights = np.ascontiguousarray(np.where(posterior < NEGLIGIBLE, 0.0, posterior).T)
        agree = stage == "hmm" and self.options.agreement
        expected: Iterable[tuple[Counts, float]]
        expected = self._agree(weights) if agree else self._count(stage, weights)
        log_likelihood = []
        for side, (counts, objective) in enumerate(expected):
            direction = self.directions[side]
            log_likelihood.append(objective)
            estimate_lexical(
                direction,
                counts,
                self._states[side],
                self._num_states[side],
                self.options.domain_smoothing if self.num_domains > 1 else 0.0,
            )
            if stage == "hmm":
                estimate_jumps(direction, counts, self.options.shared_jumps)
        self.trace.append(Iteration(stage, number, (log_likelihood[0], log_likelihood[1])))

    def _count(
        self, stage: str, weights: NDArray[np.float64]
    ) -> Iterator[tuple[Counts, float]]:
        """Counts and log-likelihood of each direction, one at a time: they are large."""
        for side, direction in enumerate(self.directions):
            counts = Counts.zeros(direction)
            tasks = [
                partial(self._expect, stage, side, domain, own, counts)
                for domain, own in enumerate(weights)
            ]
            yield counts, sum(run_tasks(tasks, self.threads))

    def _agree(self, weights: NDArray[np.float64]) -> list[tuple[Counts, float]]:
        """Counts and log-likelihood of both directions; links are counted where they agree.

        The empty word and the jumps are counted by each direction's own posterior.
        """
        counts = [Counts.zeros(direction) for direction in self.directions]
        objective = [0.0, 0.0]
        posterior = np.zeros((2, len(self.cells.pair_ids)), np.float32)
        for domain, own in enumerate(weights):
            tasks = [
                partial(self._posteriors, side, domain, own, posterior[side], counts[side])
                for side in (0, 1)
            ]
            for side, value in enumerate(run_tasks(tasks, self.threads)):
                objective[side] += value
            links = np.zeros(len(self.index) + 1)
            add_products(
                self.cells.pair_ids, self.cells.offsets, own, posterior[0], posterior[1], links
            )
            for one in counts:
                one.lexical[domain] = links
        return list(zip(counts, objective, strict=True))

    def _posteriors(
        self,
        side: int,
        domain: int,
        weights: NDArray[np.float64],
        posterior: NDArray[np.float32],
        counts: Counts,
    ) -> float:
        direction = self.directions[side]
        return float(
            hmm.posteriors(
                self.texts[side],
                direction.lexical_columns(domain, self.options.lexical_floor),
                direction.jump_columns(domain, self.options),
                weights,
                posterior,
                counts.null[domain],
                counts.of_jumps(domain),
            )
        )

    def _expect(
        self, stage: str, side: int, domain: int, weights: NDArray[np.float64], counts: Counts
    ) -> float:
        direction, text = self.directions[side], self.texts[side]
        lexical = direction.lexical_columns(domain, self.options.lexical_floor)
        links = np.zeros(counts.lexical.shape[1])
        if stage == "model1":
            result = model1.expectations(text, lexical, weights, links, counts.null[domain])
        else:
            result = hmm.expectations(
                text,
                lexical,
                direction.jump_columns(domain, self.options),
                weights,
                links,
                counts.null[domain],
                counts.of_jumps(domain),
            )
        counts.lexical[domain] = links
        return float(result)

    def run(self, posterior: Callable[[str], NDArray[np.float64]]) -> None:
        """All iterations; ``posterior(stage)`` gives P(D | f, e) before each of them."""
        stages = (
            ("model1", self.options.model1_iterations),
            ("hmm", self.options.hmm_iterations),
        )
        for stage, iterations in stages:
            for number in range(1, iterations + 1):
                # the first HMM iteration still judges domains by the tables of Model 1
                judge = "model1" if number == 1 else stage
                self.iterate(stage, number, posterior(judge))
                last = self.trace[-1]
                self.report(
                    f"{stage} iteration {number} of {iterations}: log-likelihood "
                    f"{last.log_likelihood[0]:.1f} / {last.log_likelihood[1]:.1f}"
                )
