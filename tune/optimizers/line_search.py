"""Exact line search for minimum error rate training (Och 2003): the metric along a direction."""

from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.arrays.ragged import per_entry, row_means
from isogloss.align.errors import DataError
from isogloss.align.execution import dot

from ..examples import Examples
from ..metrics.protocol import Metric
from .kernels.envelope import (
    add_columns,
    envelopes,
    fill_columns,
    running_sums,
    sort_slopes,
    statistics_changes,
)

__all__ = [
    "Changes",
    "Columns",
    "LineSearcher",
    "Surface",
    "best_step",
    "common_step",
    "error_surface",
    "line_search",
    "list_envelope",
    "merged_surface",
    "smooth",
    "spread",
]

NARROWEST = 1e-6
"""Intervals narrower than this share of a common step are passed over: too near to other choices.

Weights are written and scores are summed with rounding; the middle must lie inside for sure.
"""


@dataclass(frozen=True, eq=False)
class Surface(ComparedByContent):
    """The metric along a line: constant between boundaries, step 0 is the current point.

    boundaries: float64[n - 1], steps where the statistics change, increasing
    scores: float64[n], before, between and after them, in the metric's unit
    """

    boundaries: NDArray[np.float64]
    scores: NDArray[np.float64]

    def at(self, step: float) -> float:
        """Score at a step; on a boundary, that of the interval after it."""
        return float(self.scores[np.searchsorted(self.boundaries, step, "right")])


class Changes(NamedTuple):
    """Where the best hypotheses of sentences change along a line, in any order.

    steps: float64[n]; before, after: int64[n] or longer, the hypothesis on either side
    """

    steps: NDArray[np.float64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]


def merged_surface(
    metric: Metric,
    statistics: NDArray[np.float64],
    first: NDArray[np.int64],
    changes: Changes,
    room: NDArray[np.float64],
) -> Surface:
    """The metric of all sentences along a line, from where each one's best hypothesis changes.

    The envelopes of all sentences are merged by sorting the steps at which statistics change; the
    metric is taken of all running sums at once. Sums of whole numbers are exact.

    statistics: float64[H, K], of hypotheses; first: int64[S], the best ones at step minus infinity
    changes: at finite steps, rising within a sentence; taken as room to work in
    room: float64[n, K] or longer, to work in
    """
    steps, before, after = changes
    count = statistics_changes(statistics, before, after, steps, room)
    by_step = np.argsort(steps[:count], kind="stable")
    sums = statistics[first].sum(0)
    boundaries, totals = np.empty(count), np.empty((len(sums), count + 1))
    count = running_sums(by_step, steps, room, sums, boundaries, totals)
    # a view with each statistic in one piece: metrics work on it twice as fast
    values = metric.score(totals[:, : count + 1].T)
    return Surface(boundaries[:count], np.asarray(values, np.float64))


class LineSearcher:
    """Surfaces of a set of examples, computed one at a time in arrays that are kept."""

    def __init__(self, examples: Examples) -> None:
        self.examples = examples
        self._statistics = np.ascontiguousarray(examples.statistics)
        num_hypotheses = len(self._statistics)
        self._steps = examples.empty(num_hypotheses, np.float64)
        self._before = examples.empty(num_hypotheses, np.int64)
        self._after = examples.empty(num_hypotheses, np.int64)
        self._changes = examples.empty(self._statistics.shape, np.float64)

    def surface(
        self,
        scores: NDArray[np.float64],
        slopes: NDArray[np.float64],
        order: NDArray[np.uint32] | None = None,
    ) -> Surface:
        """The metric where hypotheses score ``scores + step * slopes``, for all steps.

        scores, slopes: float64[H], finite; order: uint32[H], hypotheses of each sentence by slope
        (see ``sort_slopes``), found here where it isn't given
        """
        offsets = self.examples.sentence_offsets
        if order is None:
            order = np.empty(len(slopes), np.uint32)
            sort_slopes(slopes, offsets, order)
        first = np.empty(len(offsets) - 1, np.int64)
        steps, before, after = self._steps, self._before, self._after
        count = envelopes(scores, slopes, order, offsets, steps, before, after, first)
        changes = Changes(steps[:count], before, after)
        return merged_surface(self.examples.metric, self._statistics, first, changes, self._changes)


def list_envelope(
    scores: NDArray[np.float64], slopes: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The hypotheses of one list that are best for some x, of scores + x slopes, by rising x.

    scores, slopes: float64[H]. Returns int64[n], and float64[n - 1], the x at which each gives way
    to the next. Raises DataError where they aren't finite.
    """
    _check_finite(scores, slopes)
    size = len(scores)
    offsets, order = np.array([0, size]), np.empty(size, np.uint32)
    sort_slopes(slopes, offsets, order)
    steps, before, after = np.empty(size), np.empty(size, np.int64), np.empty(size, np.int64)
    first = np.empty(1, np.int64)
    count = envelopes(scores, slopes, order, offsets, steps, before, after, first)
    return np.append(first, after[:count]), steps[:count]


def smooth(gains: NDArray[np.float64], kind: str, window: int) -> NDArray[np.float64]:
    """Judge each interval by its neighbors, too (Cer et al. 2008): float64[n].

    gains: float64[n], higher is better; kind: "average" or "minimum" of an interval and ``window``
    ones on either side, those at the ends being repeated; "none" changes nothing
    """
    if kind == "none":
        return gains
    padded = np.pad(gains, window, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * window + 1)
    return np.asarray(windows.mean(1) if kind == "average" else windows.min(1))


def best_step(
    boundaries: NDArray[np.float64],
    gains: NDArray[np.float64],
    unit: float,
    low: float = -np.inf,
    high: float = np.inf,
) -> float:
    """Middle of the best interval within ``low <= 0 <= high``; 0 where that lies inside of it.

    Of equal intervals the one nearest to 0, then the first. Of one that is very wide or without end
    only the part counts that is up to three times as far from 0 as its near end, or two units.

    boundaries: float64[n - 1], increasing; gains: float64[n], higher is better
    unit: a common step, above 0; intervals narrower than 1e-6 of it are passed over
    """
    edges = np.empty(len(gains) + 1)
    edges[0], edges[1:-1], edges[-1] = low, boundaries, high
    np.clip(edges, low, high, out=edges)
    left, right = edges[:-1], edges[1:]
    eligible = np.where(right - left > NARROWEST * unit, gains, -np.inf)
    top = eligible.max()
    if top == -np.inf:
        return 0.0
    best = np.flatnonzero(eligible == top)
    away = np.maximum(np.maximum(left[best], -right[best]), 0.0)
    chosen = best[away.argmin()]
    begin, end = float(left[chosen]), float(right[chosen])
    if begin < 0.0 < end:
        return 0.0
    reach = 2.0 * max(float(away.min()), unit)
    if begin >= 0.0:
        return 0.5 * (begin + min(end, begin + reach))
    return 0.5 * (max(begin, end - reach) + end)


def spread(values: NDArray[np.float64], offsets: NDArray[np.int64]) -> float:
    """Root mean square of the differences from each sentence's mean.

    values: float64[H]; offsets: int64[S + 1]
    """
    means = per_entry(row_means(values, offsets), offsets)
    return float(np.sqrt(np.square(values - means).mean()))


def common_step(
    spreads: NDArray[np.float64], weights: NDArray[np.float64], direction: NDArray[np.float64]
) -> float:
    """Step along a direction that changes scores about as much as the weights do.

    spreads: float64[D], how much each feature differs within sentences
    weights, direction: float64[D] each
    """
    change = dot(np.abs(direction), spreads)
    return (dot(np.abs(weights), spreads) or 1.0) / (change or 1.0)


@dataclass(frozen=True)
class Columns:
    """Features as dense columns, ready to be searched along; D features, H hypotheses.

    features: int64[D], ids in the examples' space; each differs within some sentence
    values: float64[D, H]
    orders: uint32[D, H], hypotheses of each sentence, counted within it, by value
    spreads: float64[D], :func:`spread` of each column
    """

    features: NDArray[np.int64]
    values: NDArray[np.float64]
    orders: NDArray[np.uint32]
    spreads: NDArray[np.float64]

    @classmethod
    def of(cls, examples: Examples, features: NDArray[np.int64]) -> Self:
        """Columns of the features that differ within some sentence.

        features: int64[k], ids in the examples' space
        """
        rows, offsets = examples.rows, examples.sentence_offsets
        column_of = np.full(len(examples.space), -1, np.int64)
        column_of[features] = np.arange(len(features))
        values = examples.empty((len(features), len(rows)), np.float64)
        values[:] = 0.0
        fill_columns(rows.ids, rows.values, rows.offsets, column_of, values)
        first = offsets[:-1]
        highest = np.maximum.reduceat(values, first, axis=1)
        differ = (highest > np.minimum.reduceat(values, first, axis=1)).any(1)
        if not differ.all():
            features = features[differ]
            for new, old in enumerate(np.flatnonzero(differ).tolist()):
                values[new] = values[old]
            values = values[: len(features)]
        orders = examples.empty(values.shape, np.uint32)
        for column, order in zip(values, orders, strict=True):
            sort_slopes(column, offsets, order)
        return cls(features, values, orders, np.array([spread(v, offsets) for v in values]))

    def scores(
        self, weights: NDArray[np.float64], constant: NDArray[np.float64] | None = None
    ) -> NDArray[np.float64]:
        """Sums of weight times value: float64[H]. weights: float64[D].

        constant: float64[H], what all other features add
        """
        result = np.zeros(self.values.shape[1]) if constant is None else constant.copy()
        add_columns(self.values, weights, result)
        return result


def error_surface(
    examples: Examples, weights: NDArray[np.float64], direction: NDArray[np.float64]
) -> Surface:
    """The metric of the 1-best hypotheses under ``weights + step * direction``, for all steps.

    weights, direction: float64[num_features]. Raises DataError where scores aren't finite.
    """
    scores, slopes = examples.scores(weights), examples.scores(direction)
    _check_finite(scores, slopes)
    return LineSearcher(examples).surface(scores, slopes)


def line_search(
    examples: Examples, weights: NDArray[np.float64], direction: NDArray[np.float64]
) -> tuple[float, float]:
    """Best step along a direction, and the score there (Och 2003).

    The score is measured anew at ``weights + step * direction``; the step is 0 where no other is
    better than that. weights, direction: float64[num_features].

    Raises DataError where scores aren't finite.
    """
    surface = error_surface(examples, weights, direction)
    sign, offsets = examples.metric.sign, examples.sentence_offsets
    change = spread(examples.scores(direction), offsets)
    unit = (spread(examples.scores(weights), offsets) or 1.0) / (change or 1.0)
    step = best_step(surface.boundaries, sign * surface.scores, unit)
    current = examples.best_score(weights)
    reached = examples.best_score(weights + step * direction)
    return (step, reached) if sign * reached > sign * current else (0.0, current)


def _check_finite(scores: NDArray[np.float64], slopes: NDArray[np.float64]) -> None:
    """Raises DataError for scores that aren't. scores, slopes: float64[H]"""
    if not (np.isfinite(scores).all() and np.isfinite(slopes).all()):
        raise DataError("model scores are not finite", remedy="Scale the weights or features down")
