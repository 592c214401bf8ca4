"""Which hypotheses a linear model can choose together: LINOPTIMIZER of Galley & Quirk (2011)."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import offsets_of, per_entry, row_means
from isogloss.align.errors import DataError
from isogloss.align.execution import dot, norm, row_dots

from ...examples import Examples
from .highs import furthest_along, greatest_margin
from .kernels.linear_programs import EXTREME, INTERIOR, Combination, margins, nearest_weights

__all__ = ["MAX_FEATURES", "LinearOptimizer", "PointLists"]

MAX_FEATURES = 500
"""Features that differ within lists, at most: each is a dimension of the linear programs."""

_STEPS = 2000

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class PointLists:
    """Distinct feature vectors of the sentences' hypotheses, as points; S lists, H points.

    Of hypotheses with equal features only the first can be chosen, so the others are left out.
    Features are centered within each list and divided by ``scale``; those that never differ within
    a list are left out.

    hypotheses: int64[H], numbers in the examples, increasing within each list
    offsets: int64[S + 1]; columns: float64[D, H]; losses: float64[H]
    features: int64[D], their ids; scale: float64[D]
    rest: float64[num_features], a unit vector, the direction in which other features have weights
    together: their score in it is one more column, the last; empty without
    rounding: what the score of a hypothesis may be off by, where no scaled |weight| is over 1
    """

    hypotheses: Integers
    offsets: Integers
    columns: Floats
    losses: Floats
    features: Integers
    scale: Floats
    rest: Floats
    rounding: float

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(
        cls,
        examples: Examples,
        losses: Floats,
        *,
        uniform: bool = False,
        fixed: NDArray[np.bool_] | None = None,
        start: Floats | None = None,
    ) -> "PointLists":
        """Points of examples. losses: float64[num_hypotheses], of each hypothesis.

        uniform: divide all features by the same number, so that angles between weights are kept.
        fixed: bool[num_features], features that are one with the proportions of their weights at
        the ``start``, float64[num_features]
        Raises DataError where more than MAX_FEATURES features differ within lists, and for
        features or losses that are not finite.
        """
        if not (np.isfinite(examples.rows.values).all() and np.isfinite(losses).all()):
            raise DataError("a feature or a loss is not finite")
        weights = start if start is not None else np.zeros(len(examples.space))
        fixed = fixed if fixed is not None else np.zeros(len(weights), bool)
        features = _differing(examples, ~fixed)
        if len(features) > MAX_FEATURES:
            raise DataError(
                f"{len(features)} features differ within lists",
                f"at most {MAX_FEATURES}, each a dimension of linear programs",
                remedy="Use another optimizer for sparse features",
            )
        values, rest = examples.dense(features), _direction(examples, np.where(fixed, weights, 0.0))
        if len(rest):
            values = np.column_stack([values, examples.scores(rest)])
        kept, counts = _distinct(values, examples.sentence_offsets)
        offsets = offsets_of(counts)
        rows = values[kept]
        columns = (rows - per_entry(row_means(rows, offsets), offsets)).T
        scale = np.abs(columns).max(1) if len(columns) else np.zeros(0)
        if uniform and len(scale):
            scale = np.full(len(scale), scale.max())
        magnitude = (np.abs(rows) / scale).sum(1).max() if len(scale) else 0.0
        return cls(
            kept,
            offsets,
            np.ascontiguousarray(columns / scale[:, None]),
            losses[kept],
            features,
            scale,
            rest,
            4.0 * np.finfo(np.float64).eps * (len(features) + 2) * float(magnitude),
        )

    def by_loss(self, sentence: int) -> Integers:
        """Points of one list, int64[n], least loss first, of equal ones as they stand."""
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        return np.asarray(begin + np.argsort(self.losses[begin:end], kind="stable"))

    def scaled(self, weights: Floats) -> Floats:
        """Weights of the examples' space as weights of the points: float64[D].

        weights: float64[num_features]
        """
        own = weights[self.features]
        if len(self.rest):
            own = np.append(own, dot(weights, self.rest))
        return own * self.scale

    def restored(self, weights: Floats, start: Floats) -> Floats:
        """Weights of the points in the examples' space; what they don't cover as in ``start``.

        They are as long as ``start`` is: float64[num_features].
        weights: float64[D]
        start: float64[num_features]
        """
        result = start.copy()
        unscaled = weights / self.scale
        if not unscaled.any():
            return result
        moved, covered = np.zeros(len(start)), np.zeros(len(start), bool)
        moved[self.features], covered[self.features] = unscaled[: len(self.features)], True
        if len(self.rest):
            moved += unscaled[-1] * self.rest
            covered |= self.rest != 0.0
        length = norm(start[covered]) or 1.0
        result[covered] = moved[covered] * (length / norm(unscaled))
        return result


def _direction(examples: Examples, weights: Floats) -> Floats:
    """The weights at unit length, where they tell hypotheses of a list apart, else empty."""
    # weights: float64[num_features], and so is what is returned
    if not weights.any():
        return np.zeros(0)
    direction = weights / norm(weights)
    low, high = _extremes(examples, examples.scores(direction))
    return direction if (low != high).any() else np.zeros(0)


def _extremes(examples: Examples, values: Floats) -> tuple[Floats, Floats]:
    """Least and greatest value of each list: float64[S, ...]. values: float64[H, ...]"""
    starts = examples.sentence_offsets[:-1]
    return np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)


def _differing(examples: Examples, free: NDArray[np.bool_]) -> Integers:
    """Ids of the free features that differ within some list. free: bool[num_features]"""
    rows = examples.rows
    candidates = np.unique(rows.ids[rows.values != 0.0]).astype(np.int64)
    candidates = candidates[free[candidates]]
    varying = []
    for begin in range(0, len(candidates), 64):
        part = candidates[begin : begin + 64]
        low, high = _extremes(examples, examples.dense(part))
        varying.append(part[(low != high).any(0)])
        if sum(map(len, varying)) > MAX_FEATURES:
            break
    return np.concatenate(varying) if varying else np.zeros(0, np.int64)


def _distinct(values: Floats, offsets: Integers) -> tuple[Integers, Integers]:
    """The first of equal rows within each list: their numbers, and how many there are per list."""
    kept = []
    for begin, end in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
        if values.shape[1]:
            first = np.unique(values[begin:end], axis=0, return_index=True)[1]
            kept.append(np.sort(first) + begin)
        else:
            kept.append(np.array([begin]))
    return np.concatenate(kept), np.array([len(rows) for rows in kept])


@dataclass
class LinearOptimizer:
    """Finds weights under which chosen points win, or knows that there are none.

    A combination is achieved by weights that score each of its points higher than all others of
    its list by more than ``tolerance``, where the largest scaled weight is 1. Whoever scores the
    lists with these weights then finds these points, in spite of rounding.

    The dual active-set kernel decides: extreme by weights, which are tried, interior by a convex
    combination of differences whose sum of absolute values is at most ``tolerance``. What it leaves
    undecided, or all where ``highs`` is set, a linear program does.

    cosine: least cosine to ``center``; 0 for any.
    center: float64[D], weights of points with uniform scale.
    as_printed: look for it at one solution of a linear program only, which may miss it
    checked: int64[S + 1], combinations of so many lists that were asked for.
    programs: linear programs solved; unsure: taken for interior without a certificate.
    """

    points: PointLists
    tolerance: float = 1e-9
    cosine: float = 0.0
    center: Floats = field(default_factory=lambda: np.zeros(0))
    highs: bool = False
    as_printed: bool = False
    checked: Integers = field(init=False)
    programs: int = 0
    unsure: int = 0

    def __post_init__(self) -> None:
        self.checked = np.zeros(len(self.points) + 1, np.int64)
        self.tolerance = max(self.tolerance, self.points.rounding)

    def find(self, sentences: Integers, chosen: Integers, near: Floats) -> Floats | None:
        """Weights float64[D] under which the chosen points of some lists win; None: interior.

        sentences: int64[k]; chosen: int64[S], read there; near: float64[D], where to begin
        """
        self.checked[len(sentences)] += 1
        if self.cosine > 0.0 and self.as_printed:
            return self._find_along(sentences, chosen, near)
        if self.cosine > 0.0:
            return self._find_in_cone(sentences, chosen, near)
        return self._find(self.points.columns, self.points.offsets, sentences, chosen, near)

    def find_among(self, columns: Floats, near: Floats, size: int, margin: float) -> Floats | None:
        """Weights, float64[D], under which the first of some points wins; None: it is interior.

        columns: float64[D, n], as COMBINE makes them; size: lists that they come from; margin: how
        far from ``near`` to go, at least, for every point that loses
        near: float64[D], of unit length
        """
        self.checked[size] += 1
        offsets, first = np.array([0, columns.shape[1]]), np.zeros(1, np.int64)
        return self._find(columns, offsets, first, first, near, margin)

    def choices(self, weights: Floats) -> Integers | None:
        """Points of all lists that win: int64[S]; None where one does so narrowly.

        weights: float64[D]
        """
        points = self.points
        if self.cosine > 0.0 and not self._within(weights):
            return None
        chosen = np.empty(len(points), np.int64)
        least = margins(points.columns, points.offsets, weights, chosen)
        return chosen if least > self.tolerance * np.abs(weights).max(initial=0.0) else None

    def _find(
        self,
        columns: Floats,
        offsets: Integers,
        sentences: Integers,
        chosen: Integers,
        near: Floats,
        margin: float = 1.0,
    ) -> Floats | None:
        if not len(columns):
            return near
        if not self.highs:
            weights = near / (norm(near) or 1.0)
            combination = Combination(columns, offsets, sentences, chosen)
            verdict = nearest_weights(combination, weights, margin, self.tolerance, 0.0, _STEPS)
            if verdict == EXTREME:
                return weights
            if verdict == INTERIOR:
                return None
        rows = _differences(columns, offsets, sentences, chosen)
        if not len(rows):
            return near
        self.programs += 1
        bound, weights = greatest_margin(rows, near, self.tolerance)
        if float(row_dots(rows, weights).min()) > self.tolerance * np.abs(weights).max():
            return weights
        self.unsure += bound > self.tolerance
        return None

    def _within(self, weights: Floats) -> bool:
        length = norm(weights) * norm(self.center)
        return dot(weights, self.center) >= self.cosine * length

    def _find_along(self, sentences: Integers, chosen: Integers, near: Floats) -> Floats | None:
        """Section 3.2 as printed: of the solution for c = w_0 it is asked whether it is near."""
        # It lies on the edge of what achieves; weights further in are taken where they are near,
        # too.
        if not len(self.center):
            return self.center
        columns, offsets = self.points.columns, self.points.offsets
        rows = _differences(columns, offsets, sentences, chosen)
        self.programs += 1
        weights = furthest_along(
            rows, self.center / np.abs(self.center).max(), 2.0 * self.tolerance
        )
        if weights is None or not self._within(weights):
            return None
        inside = self._find(columns, offsets, sentences, chosen, near)
        further = None if inside is None else self._inwards(weights, inside, rows)
        if further is not None:
            return further
        wins = row_dots(rows, weights).min(initial=np.inf) > self.tolerance
        return weights if wins else None

    def _inwards(self, edge: Floats, inside: Floats, rows: Floats) -> Floats | None:
        """Weights on the way from an edge to weights that achieve, as far in as the cosine lets."""
        # rows: float64[., D], differences of the chosen points
        edge, inside = edge / norm(edge), inside / norm(inside)
        for power in range(1, 40):
            weights = edge + 0.5**power * inside
            if self._within(weights) and (
                float(row_dots(rows, weights).min(initial=np.inf))
                > self.tolerance * np.abs(weights).max()
            ):
                return weights
        return None

    def _find_in_cone(self, sentences: Integers, chosen: Integers, near: Floats) -> Floats | None:
        """Section 3.2, exactly."""
        # Some achieving weights have the cosine, not the first ones found.
        # The projection of the center on the cone of the weights that don't lose is the one at the
        # smallest angle; the length of that of a unit vector is the cosine.
        columns, offsets = self.points.columns, self.points.offsets
        closest = self.center / norm(self.center)
        verdict = nearest_weights(
            Combination(columns, offsets, sentences, chosen),
            closest,
            0.0,
            self.tolerance,
            self.cosine,
            _STEPS,
        )
        if verdict == INTERIOR:
            return None
        inside = self._find(columns, offsets, sentences, chosen, near)
        if inside is None or self._within(inside):
            return inside
        rows = _differences(columns, offsets, sentences, chosen)
        weights = self._inwards(closest, inside, rows)
        self.unsure += weights is None and verdict != EXTREME
        return weights


def _differences(
    columns: Floats, offsets: Integers, sentences: Integers, chosen: Integers
) -> Floats:
    """Chosen point minus each other one of its list (3.1.1): float64[., D]."""
    parts = []
    for sentence in sentences.tolist():
        begin, end = offsets[sentence : sentence + 2].tolist()
        winner = int(chosen[sentence])
        others = np.delete(np.arange(begin, end), winner - begin)
        parts.append(columns[:, [winner]] - columns[:, others])
    return np.ascontiguousarray(np.concatenate(parts, axis=1).T)
