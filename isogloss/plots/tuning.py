"""Plots of tuning: score by epoch, the metric along a direction, weights by strength of L1."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError
from align.ragged import run_starts
from tune.optimizers.line_search import Surface

from ..runs.epoch_log import TrainingCurve
from .drawing import drawing, image_format

__all__ = ["plot_epochs", "plot_surface", "plot_weight_paths", "visible_steps"]

_COLUMNS = 2000  # more steps than that can't be told apart in a picture
_MARGIN = 0.02  # share of the steps on either side that a surface does not show
_PALETTE = 10  # colours before they come again


def plot_epochs(runs: Mapping[str, Sequence[TrainingCurve]], path: str | Path) -> None:
    """Draw score and number of active features by epoch.

    runs: trainings by name of their run or folder. Of one name each run has its colour, else each
    name; folds are thin, held-out scores dashed.

    The same input gives the same bytes.

    Raises UsageError for a suffix that is no image's, and where Matplotlib is not installed.
    """
    image_format(path)
    with drawing(path, (6.4, 6.0)) as figure:
        scores, active = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        for colour, (label, curves) in enumerate(_coloured(runs)):
            for number, curve in enumerate(curves):
                style = {
                    "color": f"C{colour % _PALETTE}",
                    "linewidth": 1.5 if curve.fold is None else 0.6,
                }
                _draw_curve(scores, active, curve, label if number == 0 else None, style)
        dashed = any(
            epoch.held_out is not None
            for curves in runs.values()
            for curve in curves
            for epoch in curve.epochs
        )
        scores.set_ylabel("score (dashed: held out)" if dashed else "score")
        active.set_ylabel("active features")
        active.set_ylim(bottom=0)
        active.set_xlabel("epoch")
        active.xaxis.get_major_locator().set_params(integer=True)
        active.yaxis.get_major_locator().set_params(integer=True)
        _legend(scores)


def _coloured(runs: Mapping[str, Sequence[TrainingCurve]]) -> list[tuple[str, list[TrainingCurve]]]:
    """The curves that share a colour, with their label."""
    if len(runs) > 1:
        return [(name, list(curves)) for name, curves in runs.items()]
    (every,) = runs.values()
    by_run: dict[int, list[TrainingCurve]] = {}
    for curve in every:
        by_run.setdefault(curve.run, []).append(curve)
    return [(f"run {run}", curves) for run, curves in by_run.items()]


def _draw_curve(
    scores: Any, active: Any, curve: TrainingCurve, label: str | None, style: dict[str, Any]
) -> None:
    epochs = curve.epochs
    numbers = [epoch.number for epoch in epochs]
    scores.plot(numbers, [epoch.score for epoch in epochs], label=label, **style)
    active.plot(numbers, [epoch.active for epoch in epochs], **style)
    held_out = [epoch for epoch in epochs if epoch.held_out is not None]
    if held_out:
        values = [epoch.held_out for epoch in held_out]
        scores.plot([epoch.number for epoch in held_out], values, linestyle="dashed", **style)


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
    name: str = "step",
    metric: str = "score",
    limits: tuple[float, float] | None = None,
) -> None:
    """Draw a metric along a direction (Och 2003); Cer et al. (2008), Figure 1.

    weight: what the direction's weight is at step 0, marked by a line
    limits: least and greatest weight to show; default: where nearly all boundaries are, and
    ``weight``

    The same input gives the same bytes.

    Raises UsageError for limits that are out of order, for a suffix that is no image's, and where
    Matplotlib is not installed.
    """
    image_format(path)
    if limits is not None and not limits[0] < limits[1]:
        raise UsageError(f"a range from {limits[0]:g} to {limits[1]:g}; expected LOW:HIGH")
    low, high = limits or _usual_limits(surface, weight)
    x, y = visible_steps(surface, low - weight, high - weight)
    with drawing(path) as figure:
        axes = figure.add_subplot()
        axes.plot(x + weight, y, color="black", linewidth=0.7)
        axes.axvline(weight, color="gray", linestyle="dashed", linewidth=0.7)
        axes.set_xlim(low, high)
        axes.set_xlabel(name, parse_math=False)
        axes.set_ylabel(metric, parse_math=False)


def _usual_limits(surface: Surface, weight: float) -> tuple[float, float]:
    if not len(surface.boundaries):
        return weight - 1.0, weight + 1.0
    low, high = np.quantile(surface.boundaries, (_MARGIN, 1.0 - _MARGIN)).tolist()
    low, high = min(low, 0.0), max(high, 0.0)
    room = 0.05 * (high - low) or 1.0
    return weight + low - room, weight + high + room


def plot_weight_paths(
    strengths: NDArray[np.float64],
    weights: NDArray[np.float64],
    names: Sequence[str],
    path: str | Path,
    *,
    named: int = 8,
) -> None:
    """Draw weights by strength of L1, and the number of those that are not 0.

    strengths: float64[n], increasing, at least 0; weights: float64[n, num_features]
    names: of the features; the ``named`` largest ones are named and have a colour, others are gray

    The same input gives the same bytes.

    Raises UsageError where strengths are fewer than two, below 0 or not increasing, for a suffix
    that is no image's, and where Matplotlib is not installed.
    """
    image_format(path)
    if len(strengths) < 2 or strengths[0] < 0.0 or not (np.diff(strengths) > 0.0).all():
        raise UsageError("strengths of L1 are two or more different ones, 0 or above")
    size = np.abs(weights).max(0)
    order = np.argsort(-size, kind="stable")[: np.count_nonzero(size)]
    with drawing(path, (6.4, 6.0)) as figure:
        paths, active = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
        others = order[named:]
        if len(others):
            paths.plot(strengths, weights[:, others], color="lightgray", linewidth=0.5)
        for rank, number in enumerate(order[:named].tolist()):
            # a label that begins with _ would not be shown
            label = f"{' ' * names[number].startswith('_')}{names[number]}"
            paths.plot(strengths, weights[:, number], color=f"C{rank % _PALETTE}", label=label)
        active.plot(strengths, np.count_nonzero(weights, axis=1), ".-", color="black")
        paths.set_ylabel("weight")
        active.set_ylabel("active features")
        active.set_ylim(bottom=0)
        _scale_strengths(active, strengths)
        active.set_xlabel("strength of L1")
        _legend(paths)


def _scale_strengths(axes: Any, strengths: NDArray[np.float64]) -> None:
    """Logarithmic; where the first is 0 linear up to the next."""
    if strengths[0] > 0.0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=strengths[1])
        axes.set_xlim(left=-0.1 * strengths[1])


def _legend(axes: Any) -> None:
    """A legend, if there is something to say; labels are no formulas."""
    if axes.get_legend_handles_labels()[0]:
        # beside the lines: looking for free space among thousands of them is slow
        legend = axes.legend(fontsize="small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
        for text in legend.get_texts():
            text.set_parse_math(False)
