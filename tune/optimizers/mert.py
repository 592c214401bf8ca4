"""MERT: minimum error rate training by exact line searches (Och 2003)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import (
    OptionError,
    UsageError,
    check_options,
    check_types,
    range_checks,
    warn,
)
from isogloss.align.execution import run_tasks
from isogloss.align.files.numerals import parse_number
from isogloss.features.feature_names import with_prefix
from isogloss.features.space import FeatureSpace

from ..examples import Examples
from ..results import Report, TuningResult, ignore
from ..weights.fixed import fixed_features, take_one_prefix
from ..weights.weights import Weights
from .batch import LARGEST, Progress, start_values
from .landscape import Landscape, ListLandscape
from .line_search import best_step, common_step, smooth

__all__ = ["MertOptions", "climb_landscape", "tune_mert"]

_LARGEST = 200  # with more features than that, the dense ones only are tuned
_WALKERS = 4  # walks that begin at the same point; always as many, so that threads change no result
_SMOOTHINGS = ("none", "average", "minimum")
_SWEEPS = 50  # a climb ends long before, unless rounding makes gains that aren't there
_LEAST_GAIN = 1e-9

_Floats = NDArray[np.float64]


@dataclass(frozen=True)
class MertOptions:
    """Options of MERT.

    random_restarts: number of random initial points
    random_walks: number of restarts near the best weights
    walk_size: standard deviation of the perturbation, relative to a feature's mean effect
    random_directions: number of random directions if no single feature helps
    surface_smoothing: error-surface smoothing: average or minimum of neighboring intervals, or none
    smoothing_window: number of neighboring intervals on each side
    ranges: range of random weights of features with a prefix, else 0..1; longest prefix wins
    positive: prefix of features with non-negative weights
    fixed: prefix of features that keep their initial weights
    normalize: scale weights so that the tuned ones have L1 norm 1; ignored with ``fixed``
    """

    random_restarts: int = 3
    random_walks: int = 16
    walk_size: float = 0.2
    random_directions: int = 0
    surface_smoothing: str = field(default="none", metadata={"choices": _SMOOTHINGS})
    smoothing_window: int = 3
    ranges: tuple[str, ...] = ()
    positive: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    normalize: bool = True

    def __post_init__(self) -> None:
        take_one_prefix(self)
        check_types(self)
        checks = [
            *range_checks(self, "random_restarts", "random_walks", "random_directions", least=0),
            *range_checks(self, "smoothing_window"),
            (0 < self.walk_size <= LARGEST, "walk_size", "above 0 and at most 1e30"),
            (
                self.surface_smoothing in _SMOOTHINGS,
                "surface_smoothing",
                f"one of {', '.join(_SMOOTHINGS)}",
            ),
            (all(self.positive), "positive", "prefixes of feature names"),
            (all(self.fixed), "fixed", "prefixes of feature names"),
        ]
        check_options(self, checks)
        self._prefixes()

    def _prefixes(self) -> list[tuple[str, float, float]]:
        """Prefix, minimum and maximum of the ranges, longer prefixes last."""
        result = []
        for given in self.ranges:
            prefix, _, limits = given.rpartition("=")
            try:
                low, high = (parse_number(limit) for limit in limits.split(".."))
            except ValueError:
                low, high = 1.0, 0.0
            if not (prefix and -np.inf < low <= high < np.inf):
                raise OptionError("ranges", "PREFIX=MIN..MAX, such as LM=0..1", given)
            result.append((prefix, low, high))
        return sorted(result, key=lambda entry: len(entry[0]))

    def limits(self, names: Sequence[str]) -> tuple[_Floats, _Floats]:
        """Least and greatest random weight of each feature: float64[n] each.

        names: of all features, also those that aren't tuned: ranges may be of these
        """
        low, high = np.zeros(len(names)), np.ones(len(names))
        for prefix, minimum, maximum in self._prefixes():
            named = with_prefix(names, [prefix], "ranges")
            low[named], high[named] = minimum, maximum
        return low, high

    def tuned(self, space: FeatureSpace) -> NDArray[np.int64]:
        """Ids of the features to tune: int64[D], none of them fixed.

        All features, where there are up to 200, else the dense ones.

        Raises UsageError where there are more than 200, all sparse.
        """
        count = len(space) if len(space) <= _LARGEST else space.num_dense
        if count == 0 and len(space):
            raise UsageError(
                f"mert cannot tune {len(space):,} sparse features without a dense one; it tunes "
                f"at most {_LARGEST} features, or only the dense ones. Use pro or adagrad-pro"
            )
        fixed = fixed_features(space.names, self.fixed)
        kept = np.flatnonzero(~fixed[:count]).tolist()
        return np.array(kept, np.int64)


def tune_mert(
    examples: Examples,
    start: Weights,
    options: MertOptions,
    rng: np.random.Generator,
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
) -> TuningResult:
    """Maximize the metric of the 1-best hypotheses by exact line searches (MERT).

    A climb searches along one feature at a time, in random order, and moves to the middle of the
    best interval, until no feature helps [1]_. Climbs start from the initial weights, from random
    weights, and from random walks near the best weights, four at a time [2]_. Each climb is an
    epoch. Features that are constant within every sentence, sparse features of a large space and
    fixed ones keep their weights, up to the common factor of ``normalize``.

    Parameters
    ----------
    examples : Examples
    start : Weights
        Initial weights, matched by name.
    options : MertOptions
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
        If there are only sparse features, too many of them, or the initial weight of a positive
        feature is below 0.

    References
    ----------
    .. [1] Och, F. J. (2003). Minimum error rate training in statistical machine translation. ACL.
    .. [2] Moore, R. and Quirk, C. (2008). Random restarts in minimum error rate training for
       statistical machine translation. COLING.
    """
    origin = start_values(examples, start)
    _warn_of_sparse(examples.space, origin)
    lists = ListLandscape.of(examples, origin, options.tuned(examples.space))
    progress = Progress(examples, held_out, report)
    return climb_landscape(lists, origin, options, rng, progress, threads=threads)


def _warn_of_sparse(space: FeatureSpace, origin: _Floats) -> None:
    """Warn of sparse features that keep the weight 0, as there are too many to tune."""
    if space.num_dense and len(space) > _LARGEST and not origin[space.num_dense :].any():
        warn(
            f"mert tunes only the {space.num_dense:,} dense of {len(space):,} features, as they "
            f"are more than {_LARGEST}; the sparse ones, whose names have an underscore (such as "
            f"{space.names[space.num_dense]}), keep the weight 0. Use pro or adagrad-pro, or names "
            "without underscores for features that should be dense"
        )


def climb_landscape(
    landscape: Landscape,
    origin: _Floats,
    options: MertOptions,
    rng: np.random.Generator,
    progress: Progress,
    *,
    threads: int = 1,
) -> TuningResult:
    """Maximize the metric by the climbs of :func:`tune_mert`, on lists or on forests.

    Parameters
    ----------
    landscape : Landscape
    origin : ndarray of float64, shape (n_features,)
        Initial weights.
    options : MertOptions
    rng : numpy.random.Generator
    progress : Progress
        Scores the result of each climb.
    threads : int, default 1
        Does not change the result.

    Returns
    -------
    TuningResult

    Raises
    ------
    UsageError
        If the initial weight of a positive feature is below 0.
    """
    climb = _Climb.of(landscape, origin, options)
    sign = landscape.metric.sign
    progress.add(origin, -sign * landscape.best_score(origin))
    if not len(landscape.features):
        return progress.result()
    first = origin[landscape.features]
    best, best_gain = first, sign * progress.epochs[0].score

    def climb_all(points: list[_Floats], rngs: list[np.random.Generator]) -> None:
        nonlocal best, best_gain
        tasks = [_task(climb, *pair) for pair in zip(points, rngs, strict=True)]
        for weights, gain in run_tasks(tasks, threads):
            progress.add(climb.whole(origin, weights), -gain, 1.0 / climb.divisor(weights))
            gain = sign * progress.epochs[-1].score
            if gain > best_gain:
                best, best_gain = weights, gain

    rngs = rng.spawn(1 + options.random_restarts)
    climb_all([first, *(climb.random_point(walk_rng) for walk_rng in rngs[1:])], rngs)
    for done in range(0, options.random_walks, _WALKERS):
        rngs = rng.spawn(min(_WALKERS, options.random_walks - done))
        climb_all([climb.near(best, walk_rng) for walk_rng in rngs], rngs)
    return progress.result()


def _task(
    climb: "_Climb", weights: _Floats, rng: np.random.Generator
) -> Callable[[], tuple[_Floats, float]]:
    return lambda: climb.run(weights, rng)


@dataclass(frozen=True)
class _Climb:
    """What all climbs have in common; D features are tuned."""

    # low, high: float64[D], range of random weights
    # positive: bool[D]

    landscape: Landscape
    options: MertOptions
    low: _Floats
    high: _Floats
    positive: NDArray[np.bool_]

    @classmethod
    def of(cls, landscape: Landscape, start: _Floats, options: MertOptions) -> "_Climb":
        names, features = landscape.space.names, landscape.features
        positive = with_prefix(names, options.positive, "positive")[features]
        values = start[features]
        for k in np.flatnonzero(positive & (values < 0)).tolist():
            raise UsageError(
                f"the initial weight of {names[features[k]]} must be at least 0, because "
                f"`positive=...` includes this feature, got {values[k]:g}"
            )
        low, high = options.limits(names)
        return cls(landscape, options, low[features], high[features], positive)

    def whole(self, start: _Floats, weights: _Floats) -> _Floats:
        """Weights of all features: float64[num_features]."""
        result = start.astype(np.float64)
        result[self.landscape.features] = weights
        return np.asarray(result / self.divisor(weights))

    def divisor(self, weights: _Floats) -> float:
        """What all weights are divided by, for some of the tuned ones. weights: float64[D]"""
        total = float(np.abs(weights).sum())
        normalizes = self.options.normalize and not self.options.fixed and total > 0
        return total if normalizes else 1.0

    def random_point(self, rng: np.random.Generator) -> _Floats:
        """Uniform weights within their ranges."""
        weights = rng.uniform(self.low, self.high)
        return np.where(self.positive, np.abs(weights), weights)

    def near(self, weights: _Floats, rng: np.random.Generator) -> _Floats:
        """Weights with Gaussian noise, by the spread of their features (Moore & Quirk 2008)."""
        spreads = self.landscape.spreads
        effect = (np.abs(weights) * spreads).mean() or 1.0
        noise = self.options.walk_size * effect / spreads * rng.normal(size=len(weights))
        return np.where(self.positive, np.abs(weights + noise), weights + noise)

    def run(self, weights: _Floats, rng: np.random.Generator) -> tuple[_Floats, float]:
        """Climb until no direction helps: weights float64[D], and the gain there."""
        at = _Point(self, weights)
        directions = np.eye(len(weights))
        idle = 0
        for _ in range(_SWEEPS):
            at.score()
            for k in rng.permutation(len(weights)).tolist():
                moved = at.move(directions[k], k)
                idle = 0 if moved else idle + 1
                if idle == len(weights):
                    break
            if idle >= len(weights):
                if not self._random_move(at, rng):
                    break
                idle = 0
        return at.weights, at.gain

    def _random_move(self, at: "_Point", rng: np.random.Generator) -> bool:
        """Whether one of the random directions helps; if so, it is followed."""
        at.score()
        for _ in range(self.options.random_directions):
            if at.move(rng.normal(size=len(at.weights)) / self.landscape.spreads):
                return True
        return False


class _Point:
    """The point that a climb has reached: weights, and the gain of the best translations."""

    # judged: the gain that a move has to surpass; smoothed, along the line of the last move, where
    #   that is asked for: it never falls, so that a climb ends

    def __init__(self, climb: _Climb, weights: _Floats) -> None:
        self.climb = climb
        self.position = climb.landscape.position()
        self.weights = weights.copy()
        self.gain = self.judged = -np.inf

    def score(self) -> None:
        """Compute the gain anew from the weights, without the rounding of earlier moves."""
        self.gain = self.climb.landscape.metric.sign * self.position.score(self.weights)
        if self.climb.options.surface_smoothing == "none":
            self.judged = self.gain

    def move(self, direction: _Floats, feature: int | None = None) -> bool:
        """Go to the best step along a direction; whether there is one that helps.

        feature: where the direction is that of one feature, its place among those tuned
        """
        landscape, options = self.climb.landscape, self.climb.options
        surface = self.position.surface(direction, feature)
        gains = landscape.metric.sign * surface.scores
        judged = smooth(gains, options.surface_smoothing, options.smoothing_window)
        unit = common_step(landscape.spreads, self.weights, direction)
        step = best_step(surface.boundaries, judged, unit, *self._limits(direction))
        there = np.searchsorted(surface.boundaries, step, "right")
        if step == 0.0 or not judged[there] > self.judged + _LEAST_GAIN * max(1.0, abs(self.gain)):
            return False
        self.weights += step * direction
        self.position.move(step)
        self.gain, self.judged = gains[there], judged[there]
        return True

    def _limits(self, direction: _Floats) -> tuple[float, float]:
        """Least and greatest step with which no positive weight falls below 0."""
        positive = self.climb.positive
        if not positive.any():
            return -np.inf, np.inf
        up, down = positive & (direction > 0), positive & (direction < 0)
        low = np.max(-self.weights[up] / direction[up], initial=-np.inf)
        high = np.min(-self.weights[down] / direction[down], initial=np.inf)
        return min(float(low), 0.0), max(float(high), 0.0)
