"""Plots of the metric along a direction."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.ragged import run_starts
from isogloss.tune.optimizers.line_search import Surface

from .drawing import PictureStyle, drawing, image_format, show_legend

__all__ = ["plot_surface", "visible_steps"]

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


def plot_surface(
    surface: Surface,
    path: str | Path,
    *,
    weight: float = 0.0,
    best: float | None = None,
    name: str = "step",
    metric: str = "score",
    limits: tuple[float, float] | None = None,
    style: PictureStyle | None = None,
) -> None:
    """Draw a metric along a direction (Och 2003); Cer et al. (2008), Figure 1.

    weight: what the direction's weight is at step 0, marked by a line; best: where the metric is
        best, marked by another
    limits: least and greatest weight to show; default: where nearly all boundaries are, and
    ``weight``

    The same input gives the same bytes.

    Raises UsageError for limits that are out of order, for a suffix that is no image's, and where
    Matplotlib is not installed.
    """
    image_format(path)
    if limits is not None and not limits[0] < limits[1]:
        raise UsageError(f"a range from {limits[0]:g} to {limits[1]:g}; expected LOW:HIGH")
    marks = [weight] if best is None else [weight, best]
    low, high = limits or _usual_limits(surface, weight, marks)
    x, y = visible_steps(surface, low - weight, high - weight)
    with drawing(path, style or PictureStyle()) as figure:
        axes = figure.add_subplot()
        axes.plot(x + weight, y, color="black", linewidth=0.7, label=metric)
        names = zip(marks, ("given", "best"), ("gray", "C3"), ("dashed", "dotted"), strict=False)
        for mark, what, color, line in names:
            label = f"{what}: {surface.at(mark - weight):.2f} at {mark:.4g}"
            axes.axvline(mark, color=color, linestyle=line, linewidth=1.0, label=label)
        axes.set_xlim(low, high)
        axes.set_xlabel(name, parse_math=False)
        axes.set_ylabel(metric, parse_math=False)
        show_legend(axes)


def _usual_limits(surface: Surface, weight: float, marks: Sequence[float]) -> tuple[float, float]:
    if not len(surface.boundaries):
        return min(marks) - 1.0, max(marks) + 1.0
    low, high = np.quantile(surface.boundaries, (_MARGIN, 1.0 - _MARGIN)).tolist()
    low, high = min(low + weight, *marks), max(high + weight, *marks)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room
