"""PRO: pairwise ranking as a batch (Hopkins & May 2011), with neighbor regularizers."""

from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import (
    MAX_SAMPLES,
    OptionError,
    check_options,
    check_types,
    range_checks,
)
from isogloss.align.execution import run_tasks
from isogloss.features.space import FeatureSpace

from ..examples import Examples
from ..nbest.hypothesis_pairs import sample_pairs
from ..results import Report, TuningResult, ignore
from ..weights.regularizers import (
    BIN_REGULARIZERS,
    NeighborCurvature,
    NeighborPenalty,
    Penalty,
    SquaredDistance,
    at_rest,
    neighbor_penalty,
    neighbors_among,
    space_with_bins,
)
from ..weights.weights import Weights
from .batch import LARGEST, Progress, blocks, start_values
from .feature_differences import FeatureDifferences
from .kernels.ranking import logistic_losses
from .lbfgs import minimize_lbfgs

__all__ = ["ProOptions", "tune_pro"]

_IMPORTANCE = ("gain", "equal")
_RESTS = 10  # times at most that bins which no pair has are put where the regularizer is least


@dataclass(frozen=True)
class ProOptions:
    """Options of PRO; those of Hopkins & May but for ``importance`` and ``l2``.

    L1 and L2 are in units of the loss of one pair, on weights of features that are scaled by their
    differences; L1 leads to exact zeros.

    samples: number of samples of pairs, each warm-started
    gamma: pairs sampled per sentence
    pairs: pairs kept per sentence, largest metric difference first (Xi)
    threshold: minimum metric difference of a pair, 0 to 1
    importance: pair weight: gain (metric difference, relative to the mean) or equal
    l2: L2 regularization strength
    l1: L1 regularization strength
    l2_to_init: L2 strength towards the initial weights
    bin_regularizer: regularizer of neighboring bins: linear (LNR), monotone (MNR) or none
    bin_strength: strength of the bin regularizer
    bin_sharpness: sharpness of the bin regularizer (gamma of MNR)
    sweep: number of regularization strengths (``l2``, ``l1``, ``bin_strength``) to try, each a
        tenth of the
    previous one; needs held-out data
    interpolation: weight of the tuned weights when interpolated with the initial weights
    iterations: maximum number of iterations per L-BFGS run
    tolerance: convergence tolerance of L-BFGS
    """

    samples: int = 1
    gamma: int = 5000
    pairs: int = 50
    threshold: float = 0.05
    importance: str = field(default="gain", metadata={"choices": _IMPORTANCE})
    l2: float = 5.0
    l1: float = 0.0
    l2_to_init: float = 0.0
    bin_regularizer: str = field(default="none", metadata={"choices": BIN_REGULARIZERS})
    bin_strength: float = field(
        default=1.0, metadata={"needs": ("bin_regularizer", ("linear", "monotone"))}
    )
    bin_sharpness: float = field(
        default=2.0, metadata={"needs": ("bin_regularizer", ("monotone",))}
    )
    sweep: int = 1
    interpolation: float = 1.0
    iterations: int = 100
    tolerance: float = 1e-7

    def __post_init__(self) -> None:
        check_types(self)
        from_0 = ("threshold", "l2", "l1", "l2_to_init", "bin_strength", "tolerance")
        checks = [
            *range_checks(self, "samples", "sweep", "iterations"),
            *range_checks(self, "gamma", "pairs", most=MAX_SAMPLES),
            *((0 <= getattr(self, name) <= LARGEST, name, "between 0 and 1e30") for name in from_0),
            (self.importance in _IMPORTANCE, "importance", "gain or equal"),
            (
                self.bin_regularizer in BIN_REGULARIZERS,
                "bin_regularizer",
                "none, linear or monotone",
            ),
            (0.5 <= self.bin_sharpness <= LARGEST, "bin_sharpness", "between 0.5 and 1e30"),
            (0 < self.interpolation <= 1, "interpolation", "above 0 and at most 1"),
        ]
        check_options(self, checks)

    @property
    def epochs(self) -> int:
        """Number of epochs that a training reports."""
        return self.sweep * self.samples


@dataclass(frozen=True)
class _Sample:
    """Pairs to rank."""

    # rows: features of the better one minus those of the worse
    # importance: float64[n]

    rows: FeatureDifferences
    importance: NDArray[np.float64]

    @classmethod
    def draw(cls, examples: Examples, options: ProOptions, key: int) -> "_Sample":
        pairs, _ = sample_pairs(
            examples.gains,
            examples.sentence_offsets,
            np.arange(len(examples)),
            key,
            gamma=options.gamma,
            kept=options.pairs,
            threshold=options.threshold,
        )
        importance = np.ones(len(pairs))
        if options.importance == "gain" and len(pairs):
            importance = examples.gains[pairs[:, 0]] - examples.gains[pairs[:, 1]]
            importance /= importance.mean()
        rows = FeatureDifferences.of_pairs(
            examples.rows, pairs, len(examples.space), examples.empty
        )
        return cls(rows, importance)

    def loss(
        self, weights: NDArray[np.float64], threads: int = 1
    ) -> tuple[float, NDArray[np.float64]]:
        """Importance times log(1 + exp(-w.x)), summed, and its gradient: float64[n].

        weights: float64[n], of the columns of the rows first
        """
        parts = blocks(np.arange(len(self.rows) + 1))
        tasks = (partial(self._part, weights, *part) for part in parts)
        total, gradient = 0.0, np.zeros(len(weights))
        for loss, slopes in run_tasks(tasks, threads):
            total += loss
            gradient[: len(slopes)] += slopes
        return total, gradient

    def _part(
        self, weights: NDArray[np.float64], begin: int, end: int
    ) -> tuple[float, NDArray[np.float64]]:
        margins, slopes = np.empty(end - begin), np.empty(end - begin)
        self.rows.scores(weights, begin, end, margins)
        loss = logistic_losses(margins, self.importance[begin:end], slopes)
        return loss, self.rows.weighted_sum(slopes, begin, end)


def tune_pro(
    examples: Examples,
    start: Weights,
    options: ProOptions,
    rng: np.random.Generator,
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
) -> TuningResult:
    """Learn to rank sampled pairs of hypotheses by logistic regression (PRO).

    L-BFGS solves the problem of each sample, warm-started from the previous one [1]_. A sweep goes
    from strong to weak regularization. Each sample is an epoch. Features that never differ in a
    pair keep their weights. With ``bin_regularizer`` all bins of a feature have weights, also bins
    that no hypothesis has; bins in no pair have no L1 or L2, only their neighbors move them.

    Parameters
    ----------
    examples : Examples
    start : Weights
        Initial weights, matched by name.
    options : ProOptions
    rng : numpy.random.Generator
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
    UsageError
        If a sweep has no held-out examples, or a bin regularizer finds no neighboring bins.

    References
    ----------
    .. [1] Hopkins, M. and May, J. (2011). Tuning as ranking. EMNLP.
    """
    if options.sweep > 1 and held_out is None:
        raise OptionError("sweep", "1 without held-out data", options.sweep)
    if options.bin_regularizer != "none":
        space = space_with_bins(examples.space, options.bin_regularizer)
        examples = replace(examples, space=space)  # ids stay
        held_out = None if held_out is None else held_out.to_space(space)
    origin = start_values(examples, start)
    progress = Progress(examples, held_out, report)
    progress.add(origin, 0.0)
    weights = origin
    for step in range(options.sweep * options.samples):
        factor = 0.1 ** (step // options.samples)
        sample = _Sample.draw(examples, options, int(rng.integers(1 << 63)))
        if not len(sample.rows):
            break  # nothing to rank
        weights, loss = _learn(examples, sample, origin, weights, options, factor, threads)
        progress.add(_between(origin, weights, options.interpolation), loss)
    return progress.result()


@dataclass(frozen=True)
class _Coordinates:
    """The weights that are learned, each in units of what a weight of 1 adds to a score."""

    # ids: int32[n], features of the sample's columns first, then bins that are in no pair
    # num_seen: how many are the sample's, which L1 and L2 hold; other bins follow their neighbors
    # units: float64[n]; neighbors: int64[n, 2]

    ids: NDArray[np.int32]
    num_seen: int
    units: NDArray[np.float64]
    neighbors: NDArray[np.int64]

    @classmethod
    def of(cls, sample: _Sample, space: FeatureSpace, with_bins: bool) -> "_Coordinates":
        ids, units = sample.rows.ids, sample.rows.units()
        num_seen = len(ids)
        if with_bins:
            binned = np.asarray((space.neighbors >= 0).any(1))
            units[binned[ids]] = 1.0  # neighbors are tied weight to weight
            bins = np.flatnonzero(binned).astype(np.int32)
            ids = np.concatenate([ids, np.setdiff1d(bins, ids)])
            units = np.concatenate([units, np.ones(len(ids) - len(units))])
        return cls(ids, num_seen, units, neighbors_among(space, ids))

    def curvature(self, sample: _Sample, drawn: float) -> NDArray[np.float64]:
        """Most that the second derivative of the loss is, pairs weighed alike: float64[n].

        drawn: that of L2, of the sample's features
        """
        squares, seen = sample.rows.squares(), self.units[: self.num_seen]
        curvature = np.zeros(len(self.ids))
        curvature[: self.num_seen] = 0.25 * squares / seen**2 + drawn  # s (1 - s) is 1/4 at most
        return curvature


def _learn(
    examples: Examples,
    sample: _Sample,
    start: NDArray[np.float64],
    weights: NDArray[np.float64],
    options: ProOptions,
    factor: float,
    threads: int,
) -> tuple[NDArray[np.float64], float]:
    """Weights for one sample, regularized ``factor`` times as much as asked for, and the loss."""
    space = examples.space
    coordinates = _Coordinates.of(sample, space, options.bin_regularizer != "none")
    num_seen = coordinates.num_seen
    penalties: list[Penalty] = [SquaredDistance(options.l2 * factor, np.zeros(num_seen))]
    if options.l2_to_init:
        origin = start[coordinates.ids] * coordinates.units
        penalties.append(SquaredDistance(options.l2_to_init, origin[:num_seen]))
    tied = neighbor_penalty(
        options.bin_regularizer,
        options.bin_strength * factor,
        options.bin_sharpness,
        coordinates.neighbors,
    )
    penalties += [] if tied is None else [tied]

    def objective(point: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        loss, gradient = sample.loss(point / coordinates.units, threads)
        return loss, gradient / coordinates.units

    unseen = np.arange(len(coordinates.ids)) >= num_seen
    inverse = None
    if tied is not None and not options.l1:  # signs that L1 holds break a chain's change
        drawn = 2.0 * (options.l2 * factor + options.l2_to_init)
        inverse = NeighborCurvature.of(tied, coordinates.curvature(sample, drawn))
    point = weights[coordinates.ids] * coordinates.units
    for _ in range(_RESTS):
        point, loss = minimize_lbfgs(
            objective,
            penalties,
            point,
            l1=np.where(unseen, 0.0, options.l1 * factor),
            inverse=inverse,
            iterations=options.iterations,
            tolerance=options.tolerance,
        )
        if tied is None or not unseen.any():
            break
        point, gained = _rested(tied, point, unseen)
        loss -= gained
        if gained <= options.tolerance * abs(loss):
            break
    result = start.copy()
    result[coordinates.ids] = point / coordinates.units
    return result, loss


def _rested(
    tied: NeighborPenalty, point: NDArray[np.float64], unseen: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], float]:
    """The point with unseen bins at rest, and by how much the regularizer falls."""
    # The point is float64[n].
    # Where the regularizer is nearly flat, as MNR is between a bin's neighbors, L-BFGS ends with
    # such bins near the weights that they began with.
    # point: float64[n]; unseen: bool[n]
    moved = at_rest(tied, point, unseen)
    gained = tied(point, np.zeros(len(point))) - tied(moved, np.zeros(len(point)))
    return (moved, gained) if gained > 0.0 else (point, 0.0)


def _between(
    start: NDArray[np.float64], learned: NDArray[np.float64], share: float
) -> NDArray[np.float64]:
    """share * learned + (1 - share) * start, the latter at the learned ones' size (L1 norm)."""
    size = float(np.abs(start).sum())
    if share == 1.0 or size == 0.0:
        return learned
    return share * learned + (1.0 - share) * float(np.abs(learned).sum()) / size * start
