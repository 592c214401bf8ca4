"""Minimum risk and expected BLEU: the metric in expectation over softmaxes of n-best lists."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import per_entry, row_means
from isogloss.align.errors import check_options, check_types, range_checks
from isogloss.align.execution import norm, run_tasks

from ..examples import Examples
from ..kernels.best import first_best
from ..metrics.protocol import Metric
from ..results import Report, TuningResult, ignore
from ..weights.regularizers import SquaredDistance
from ..weights.weights import Weights
from .batch import LARGEST, Progress, blocks, start_values
from .feature_differences import FeatureDifferences
from .kernels.risk import expectation_slopes, softmax_expectations
from .lbfgs import minimize_lbfgs

__all__ = ["MinimumRiskOptions", "tune_minimum_risk"]

_OBJECTIVES = ("corpus", "sentence")
_STEP = 1e-5  # of numerical derivatives, as a share of each sum: both errors about 1e-10


@dataclass(frozen=True)
class MinimumRiskOptions:
    """Options of minimum risk.

    Entropy, L1 and L2 are relative to the possible gain; L1 and L2 are on weights of features that
    are scaled by their differences within sentences. L1 leads to exact zeros. The
    objective is the corpus metric of expected statistics (expected BLEU), or the mean sentence
    metric (minimum risk).

    temperatures: number of temperatures, each warm-started
    inverse_temperature: initial inverse temperature of the softmax
    growth: annealing factor of the inverse temperature; 1 = no annealing
    objective: what is optimized: the metric of the corpus or of sentences
    entropy: weight of the entropy term
    l2: L2 regularization strength
    l1: L1 regularization strength
    iterations: maximum number of iterations per L-BFGS run
    tolerance: convergence tolerance of L-BFGS
    """

    temperatures: int = 4
    inverse_temperature: float = 1.0
    growth: float = 4.0
    objective: str = field(default="corpus", metadata={"choices": _OBJECTIVES})
    entropy: float = 0.0
    l2: float = 0.005
    l1: float = 0.0
    iterations: int = 60
    tolerance: float = 1e-5

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            *range_checks(self, "temperatures", "iterations"),
            (
                0 < self.inverse_temperature <= LARGEST,
                "inverse_temperature",
                "above 0 and at most 1e30",
            ),
            (1 <= self.growth <= 1e6, "growth", "between 1 and 1e6"),
            (self.objective in _OBJECTIVES, "objective", "corpus or sentence"),
            (0 <= self.entropy <= LARGEST, "entropy", "between 0 and 1e30"),
            (0 <= self.l2 <= LARGEST, "l2", "between 0 and 1e30"),
            (0 <= self.l1 <= LARGEST, "l1", "between 0 and 1e30"),
            (0 <= self.tolerance <= LARGEST, "tolerance", "between 0 and 1e30"),
        ]
        check_options(self, checks)

    @property
    def epochs(self) -> int:
        """Number of epochs that a training reports."""
        return self.temperatures


@dataclass(frozen=True)
class _Expectation:
    """A score of expected statistics, as a share of what there is to gain."""

    # rows: features of each hypothesis minus those of the first one of its sentence, which is the
    #   same to a softmax
    # offsets: int64[S + 1]; statistics: float64[H, K]
    # score: of sums float64[..., K], higher is better: float64[...]
    # floor, width: its value where every hypothesis is as likely as the others, and by how much
    #   that of the hypotheses with the best gains exceeds it

    rows: FeatureDifferences
    offsets: NDArray[np.int64]
    statistics: NDArray[np.float64]
    score: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    floor: float
    width: float

    @classmethod
    def of(cls, examples: Examples, objective: str) -> "_Expectation":
        offsets, metric, gains = examples.sentence_offsets, examples.metric, examples.gains
        firsts = per_entry(offsets[:-1], offsets)
        pairs = examples.empty((len(firsts), 2), np.int64)
        pairs[:, 0], pairs[:, 1] = np.arange(len(firsts)), firsts
        rows = FeatureDifferences.of_pairs(
            examples.rows, pairs, len(examples.space), examples.empty
        )
        if objective == "corpus":
            statistics, score = examples.statistics, _signed(metric)
        else:
            statistics, score = gains[:, None] / len(examples), _first
        even = row_means(statistics, offsets).sum(0)
        oracle = statistics[first_best(gains, offsets)].sum(0)
        floor = float(score(even))
        width = abs(float(score(oracle)) - floor)
        return cls(rows, offsets, np.ascontiguousarray(statistics), score, floor, width)

    def slopes(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """Derivatives of the score by the sums: float64[K].

        Central differences, which do for any metric. A sum of 0 has none: nothing moves it.
        """
        steps = np.diag(_STEP * np.abs(sums))
        rise = self.score(sums + steps) - self.score(sums - steps)
        span = 2.0 * np.diag(steps)
        slopes = np.zeros(len(sums))
        np.divide(rise, span, out=slopes, where=span > 0.0)
        return slopes

    def loss(
        self, weights: NDArray[np.float64], entropy_worth: float = 0.0, threads: int = 1
    ) -> tuple[float, NDArray[np.float64]]:
        """Minus the share gained, minus ``entropy_worth`` times the mean entropy; its gradient.

        weights: float64[c], of the columns of the rows, as they stand in the softmax
        """
        probabilities = np.empty(len(self.rows))
        parts = blocks(self.offsets)
        sums, entropy = np.zeros(self.statistics.shape[1]), 0.0
        expect = (partial(self._expect, weights, probabilities, *part) for part in parts)
        for block_sums, block_entropy in run_tasks(expect, threads):
            sums += block_sums
            entropy += block_entropy
        worth = self.slopes(sums) / self.width
        unit = entropy_worth / (len(self.offsets) - 1)
        gradient = np.zeros(len(weights))
        derive = (partial(self._derive, probabilities, worth, unit, *part) for part in parts)
        for block_gradient in run_tasks(derive, threads):
            gradient -= block_gradient
        share = (float(self.score(sums)) - self.floor) / self.width
        return -share - unit * entropy, gradient

    def _expect(
        self,
        weights: NDArray[np.float64],
        probabilities: NDArray[np.float64],
        first: int,
        last: int,
    ) -> tuple[NDArray[np.float64], float]:
        """Expected statistics and entropy of some sentences, whose probabilities are written."""
        offsets = self.offsets[first : last + 1]
        begin, end = int(offsets[0]), int(offsets[-1])
        part, sums = probabilities[begin:end], np.zeros(self.statistics.shape[1])
        scores = np.empty(end - begin)
        self.rows.scores(weights, begin, end, scores)
        entropy = softmax_expectations(
            scores, offsets - begin, self.statistics[begin:end], part, sums
        )
        return sums, entropy

    def _derive(
        self,
        probabilities: NDArray[np.float64],
        worth: NDArray[np.float64],
        entropy_worth: float,
        first: int,
        last: int,
    ) -> NDArray[np.float64]:
        """What some sentences add to the gradient."""
        offsets = self.offsets[first : last + 1]
        begin, end = int(offsets[0]), int(offsets[-1])
        slopes = np.empty(end - begin)
        expectation_slopes(
            probabilities[begin:end],
            offsets - begin,
            self.statistics[begin:end],
            worth,
            entropy_worth,
            slopes,
        )
        return self.rows.weighted_sum(slopes, begin, end)


def _signed(metric: Metric) -> Callable[[NDArray[np.float64]], NDArray[np.float64]]:
    return lambda sums: np.asarray(metric.sign * metric.score(sums))


def _first(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    return sums[..., 0]


def tune_minimum_risk(
    examples: Examples,
    start: Weights,
    options: MinimumRiskOptions,
    rng: np.random.Generator,
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
) -> TuningResult:
    """Maximize the expected metric under p(h) ~ exp(scale w.f(h)) by annealing.

    The objective "corpus" is the metric of expected statistics [1]_, "sentence" the expected gain
    per sentence, minimum risk [2]_. L-BFGS solves the problem of each scale, warm-started from the
    previous one. L2 applies to w before scaling, so it becomes weaker from scale to scale. Each
    scale is an epoch. Only the direction of the initial weights matters. Features that are constant
    within every sentence keep their weights.

    Parameters
    ----------
    examples : Examples
    start : Weights
        Initial weights, matched by name.
    options : MinimumRiskOptions
    rng : numpy.random.Generator
        Not used.
    held_out : Examples, optional
        Choose the best epoch; default: the examples.
    threads : int, default 1
        Does not change the result.
    report : callable, optional
        Called with each epoch.

    Returns
    -------
    TuningResult
        Epoch 0 is the start.

    Raises
    ------
    DataError
        If a number is not finite.

    References
    ----------
    .. [1] Rosti, A.-V. et al. (2010). BBN system description for WMT10 system combination task.
       WMT.
    .. [2] Smith, D. and Eisner, J. (2006). Minimum risk annealing for training log-linear models.
       ACL.
    """
    origin = start_values(examples, start)
    progress = Progress(examples, held_out, report)
    progress.add(origin, 0.0)
    expectation = _Expectation.of(examples, options.objective)
    ids = expectation.rows.ids
    if expectation.width == 0.0 or not len(ids):
        return progress.result()  # nothing to gain
    units = expectation.rows.units()
    point = origin[ids] * units
    point /= norm(point) or 1.0
    for epoch in range(options.temperatures):
        scale = options.inverse_temperature * options.growth**epoch

        def objective(
            point: NDArray[np.float64], scale: float = scale
        ) -> tuple[float, NDArray[np.float64]]:
            loss, gradient = expectation.loss(scale * point / units, options.entropy, threads)
            return loss, scale * gradient / units

        point, loss = minimize_lbfgs(
            objective,
            [SquaredDistance(options.l2, np.zeros(len(point)))],
            point,
            l1=options.l1,
            iterations=options.iterations,
            tolerance=options.tolerance,
        )
        weights = origin.copy()
        weights[ids] = point / units
        progress.add(weights, loss)
    return progress.result()
