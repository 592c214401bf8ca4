"""Plots of the metric along a direction."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.ragged import run_starts
from isogloss.align.errors import UsageError
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.reports import decimals
from isogloss.tune.optimizers.line_search import Surface, error_surface, line_search
from isogloss.tune.weights.given import GivenWeights, values_over
from isogloss.tune.weights.near_names import near_names

from .drawing import PictureStyle, drawing, image_format, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "FeatureSurface",
    "draw_surface",
    "feature_surface",
    "plot_surface",
    "visible_steps",
]

_COLUMNS = 2000  # more steps than that can't be told apart in a picture
_MARGIN = 0.02  # share of the steps on either side that a surface does not show


def visible_steps(
    surface: Surface, low: float, high: float, columns: int = _COLUMNS
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners of the stairs of a surface between two steps: x and y, float64[n].

    Where there are many more intervals than ``columns``, equal parts of the range show their
    first, lowest, highest and last score, which looks the same.
    """
    inside = surface.boundaries[(surface.boundaries > low) & (surface.boundaries < high)]
    first = int(np.searchsorted(surface.boundaries, low, "right"))
    edges = np.concatenate(([low], inside, [high]))
    scores = surface.scores[first : first + len(inside) + 1]
    if len(scores) <= 2 * columns:
        return np.repeat(edges, 2)[1:-1], np.repeat(scores, 2)
    column = np.minimum((edges[:-1] - low) / (high - low) * columns, columns - 1).astype(np.int64)
    begin = run_starts(column)
    end = np.append(begin[1:], len(scores))
    parts = (
        scores[begin],
        np.minimum.reduceat(scores, begin),
        np.maximum.reduceat(scores, begin),
        scores[end - 1],
    )
    x = np.stack((edges[begin], edges[begin], edges[end], edges[end]), 1).ravel()
    return x, np.stack(parts, 1).ravel()


@dataclass(frozen=True)
class FeatureSurface:
    """The metric by the weight of one feature, all others as they are.

    name: of the feature; metric: its name
    weight: what the feature has, at step 0 of the surface; best: the weight where the metric is
        best
    """

    surface: Surface
    name: str
    metric: str = "score"
    weight: float = 0.0
    best: float | None = None


def feature_surface(examples: Examples, weights: GivenWeights, feature: str) -> FeatureSurface:
    """The metric of examples by the weight of a feature.

    weights: of all features

    Raises UsageError for a feature that the examples don't have.
    """
    space = examples.space
    number = space.id(feature)
    if number < 0:
        raise UsageError(f"the lists have no feature {feature!r}; {near_names(feature, [space])}")
    start = values_over(weights, space)
    direction = np.zeros(len(space))
    direction[number] = 1.0
    step, _ = line_search(examples, start, direction)
    weight, metric = float(start[number]), examples.metric.name
    surface = error_surface(examples, start, direction)
    return FeatureSurface(surface, feature, metric, weight, weight + step)


def plot_surface(
    shown: FeatureSurface,
    path: str | Path,
    *,
    limits: tuple[float, float] | None = None,
    style: PictureStyle | None = None,
) -> None:
    """Write the picture of :func:`draw_surface` to a file.

    The same input gives the same bytes.

    Raises UsageError for limits that are out of order, for a suffix that is no image's, and where
    Matplotlib is not installed.
    """
    image_format(path)
    _check_limits(limits)
    with drawing(path, style or PictureStyle()) as figure:
        draw_surface(figure, shown, limits)


def draw_surface(
    figure: "Figure", shown: FeatureSurface, limits: tuple[float, float] | None = None
) -> "Axes":
    """Draw a metric along a direction (Och 2003); Cer et al. (2008), Figure 1.

    The feature's own weight is marked by a line, the best one by another.

    limits: least and greatest weight to show; default: where nearly all boundaries are, and the
        feature's weight

    Raises UsageError for limits that are out of order.
    """
    _check_limits(limits)
    surface, weight = shown.surface, shown.weight
    marks = [weight] if shown.best is None else [weight, shown.best]
    low, high = limits or _usual_limits(surface, weight, marks)
    x, y = visible_steps(surface, low - weight, high - weight)
    axes = figure.add_subplot()
    axes.plot(x + weight, y, color="black", linewidth=0.7, label=shown.metric)
    names = zip(marks, ("given", "best"), ("gray", "C3"), ("dashed", "dotted"), strict=False)
    for mark, what, color, line in names:
        label = f"{what}: {surface.at(mark - weight):.{decimals(shown.metric)}f} at {mark:.4g}"
        axes.axvline(mark, color=color, linestyle=line, linewidth=1.0, label=label)
    axes.set_xlim(low, high)
    axes.set_xlabel(shown.name, parse_math=False)
    axes.set_ylabel(shown.metric, parse_math=False)
    show_legend(axes)
    return axes


def _check_limits(limits: tuple[float, float] | None) -> None:
    if limits is not None and not limits[0] < limits[1]:
        raise UsageError(
            f"the range must be LOW:HIGH with LOW below HIGH, got {limits[0]:g}:{limits[1]:g}"
        )


def _usual_limits(surface: Surface, weight: float, marks: Sequence[float]) -> tuple[float, float]:
    if not len(surface.boundaries):
        return min(marks) - 1.0, max(marks) + 1.0
    low, high = np.quantile(surface.boundaries, (_MARGIN, 1.0 - _MARGIN)).tolist()
    low, high = min(low + weight, *marks), max(high + weight, *marks)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room
