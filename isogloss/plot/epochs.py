"""A plot of tuning runs: scores and number of active features by epoch."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isogloss.tune.metrics.reports import decimals

from ..runs.epoch_log import TrainingCurve, TuningLog
from .drawing import PictureStyle, color_of, drawing, image_format, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Band", "band_of", "draw_epochs", "epochs_size", "plot_epochs"]

_PANEL = 2.6  # inches
_DASH = 4  # line widths, of a line on top of an equal one
_SCORE = "score"  # of a run that doesn't tell its metric


@dataclass(frozen=True)
class Band:
    """Mean and range of some trainings.

    numbers: int64[n], epochs that any has; mean, low, high: float64[n], of those that have them
    """

    numbers: NDArray[np.int64]
    mean: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def band_of(curves: Sequence[Mapping[int, float]]) -> Band:
    """Mean and range of values by epoch."""
    numbers = sorted({number for curve in curves for number in curve})
    found = [[curve[number] for curve in curves if number in curve] for number in numbers]
    return Band(
        np.array(numbers, np.int64),
        np.array([np.mean(values) for values in found]),
        np.array([min(values) for values in found]),
        np.array([max(values) for values in found]),
    )


def plot_epochs(
    logs: Mapping[str, TuningLog], path: str | Path, style: PictureStyle | None = None
) -> None:
    """Write the picture of :func:`draw_epochs` to a file.

    The same input gives the same bytes.

    Raises UsageError for a suffix that is no image's, and where Matplotlib is not installed.
    """
    image_format(path)
    with drawing(path, style or PictureStyle(), epochs_size(logs)) as figure:
        draw_epochs(figure, logs)


def epochs_size(logs: Mapping[str, TuningLog]) -> tuple[float, float]:
    """Width and height of the picture of :func:`draw_epochs`, in inches."""
    return 7.0, 1.0 + _PANEL * (len(_metrics(logs)) + 0.5)


def draw_epochs(figure: "Figure", logs: Mapping[str, TuningLog]) -> list["Axes"]:
    """Draw a panel of scores by epoch for each metric, and one of active features.

    Of several trainings with other seeds a line shows the mean and a band the range; those that
    judge folds are left out unless there are no others. Scores on what was learned from are drawn
    through, held-out scores dashed, and a dot is the epoch whose weights were kept. A line that
    equals an earlier one has short dashes, between which that one is seen. Where a panel has
    held-out scores, which are of other sentences, all of its lines are changes from the first
    epoch, whose scores the legend has.

    logs: by name, each with its color

    Returns the panels from top to bottom.
    """
    metrics = _metrics(logs)
    changing = {
        log.metric or _SCORE for log in logs.values() if any(map(_held_out, log.shown_curves))
    }
    count = len(metrics) + 1
    panels = list(figure.subplots(count, 1, sharex=True, height_ratios=[2] * len(metrics) + [1]))
    for number, (name, log) in enumerate(logs.items()):
        metric = log.metric or _SCORE
        panel = panels[metrics.index(metric)]
        _draw_scores(panel, name, log, color_of(number), metric in changing)
        _draw_band(panels[-1], [_active(curve) for curve in log.shown_curves], {
            "color": color_of(number)
        })  # fmt: skip
    for metric, panel in zip(metrics, panels[:-1], strict=True):
        change = ", change from the start" if metric in changing else ""
        panel.set_ylabel(f"{metric}{change}", parse_math=False)
        show_legend(panel)
    last = panels[-1]
    last.set_ylabel("active features")
    last.set_ylim(bottom=0)
    last.set_xlabel("epoch")
    last.xaxis.get_major_locator().set_params(integer=True)
    last.yaxis.get_major_locator().set_params(integer=True)
    return panels


def _metrics(logs: Mapping[str, TuningLog]) -> list[str]:
    return list(dict.fromkeys(log.metric or _SCORE for log in logs.values()))


def _active(curve: TrainingCurve) -> dict[int, float]:
    return {epoch.number: float(epoch.active) for epoch in curve.epochs}


def _scores(curve: TrainingCurve) -> dict[int, float]:
    return {epoch.number: epoch.score for epoch in curve.epochs}


def _held_out(curve: TrainingCurve) -> dict[int, float]:
    return {epoch.number: epoch.held_out for epoch in curve.epochs if epoch.held_out is not None}


def _draw_scores(axes: Any, name: str, log: TuningLog, color: str, changes: bool) -> None:
    """Bands of a run's scores, or of their changes from the start, and the epoch that was kept."""
    curves = log.shown_curves
    several = f", mean and range of {len(curves)}" if len(curves) > 1 else ""
    style = {"color": color}
    held_out = [scores for scores in map(_held_out, curves) if scores]
    scores = [*map(_scores, curves)]
    digits = decimals(log.metric or _SCORE)
    start, of_held_out = (_start(lines, digits) if changes else "" for lines in (scores, held_out))
    _draw_band(axes, _drawn(scores, changes), {**style, "label": f"{name}{several}{start}"})
    if held_out:
        dashed = {**style, "linestyle": "dashed", "label": f"{name}, held out{of_held_out}"}
        _draw_band(axes, _drawn(held_out, changes), dashed)
    kept = next((curve for curve in curves if log.kept and curve.run == log.kept[0]), None)
    if kept is None or log.kept is None:
        return
    run, number = log.kept
    (shown,) = _drawn([_held_out(kept) or _scores(kept)], changes)
    if number in shown:
        which = f"run {run}, epoch {number}" if several else f"epoch {number}"
        dot = {**style, "linestyle": "none", "label": f"kept: {which}"}
        axes.plot([number], [shown[number]], marker="o", markersize=6, **dot)


def _drawn(curves: list[dict[int, float]], changes: bool) -> list[dict[int, float]]:
    """The curves as they are, or less their first values."""
    if not changes:
        return curves
    return [{k: value - curve[min(curve)] for k, value in curve.items()} for curve in curves]


def _start(curves: list[dict[int, float]], digits: int) -> str:
    """For a legend: the score of the first epoch, of several trainings the mean."""
    if not curves:
        return ""
    first = np.mean([curve[min(curve)] for curve in curves])
    return f", {first:.{digits}f} at epoch {min(map(min, curves))}"


def _draw_band(axes: Any, curves: Sequence[Mapping[int, float]], style: dict[str, Any]) -> None:
    band = band_of(curves)
    marker = "." if len(band.numbers) == 1 else None
    points = np.column_stack([band.numbers, band.mean])
    equal = sum(np.array_equal(line.get_xydata(), points) for line in axes.lines)
    if equal:  # those below show between the dashes
        style = {**style, "linestyle": (equal * _DASH, (_DASH, 2 * _DASH))}
    axes.plot(band.numbers, band.mean, marker=marker, **style)
    if len(curves) > 1:
        color = style["color"]
        axes.fill_between(band.numbers, band.low, band.high, color=color, alpha=0.2, linewidth=0)
