"""A plot of the learned weights of bins by original value (Clark, Dyer & Lavie 2014, Figure 7)."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.execution import dot
from isogloss.features.bins.binning import Binning
from isogloss.features.bins.uniform import Bins
from isogloss.tune.weights.weights import Weights

from .drawing import PictureStyle, drawing, image_format, show_legend

__all__ = ["bin_weights", "fit_log_curve", "plot_weights"]

_CURVE_POINTS = 256


def bin_weights(binning: Binning, name: str, weights: Weights) -> NDArray[np.float64]:
    """What each bin of a score adds to a hypothesis: float64[num_bins].

    That is the sum of the weights of the features that fire for it: the bin's own, or those of
    the windows that hold it. Features without a weight count as 0. The weight of a real-valued
    copy is no part of it.

    Raises UsageError for a score without bins, and where no feature of it has a weight.
    """
    total = np.zeros(len(binning.bins[binning.number(name)]))
    has_weight = False
    for names, rows in binning.indicators(name):
        has_weight = has_weight or any(feature in weights for feature in names)
        total += rows.scores(np.array([weights[feature] for feature in names]))
    if not has_weight:
        first = binning.indicators(name)[0][0][0]
        raise UsageError(f"no weight for a bin of {name}; expected features such as {first}")
    return total


def fit_log_curve(bins: Bins, weights: NDArray[np.float64]) -> tuple[float, float] | None:
    """Slope a and intercept b of the curve a log(x) + b that is nearest to the weights.

    Least squares over the bins, each at its median and with its population as weight. Bins whose
    median is 0 or less have no logarithm and are left out; None where fewer than two are left.

    weights: float64[num_bins]
    """
    positive = bins.median > 0.0
    if positive.sum() < 2:
        return None
    logs, values = np.log(bins.median[positive]), weights[positive]
    share = bins.population[positive] / bins.population[positive].sum()
    logs_mean, mean = dot(share, logs), dot(share, values)
    spread = dot(share, (logs - logs_mean) ** 2)
    if spread == 0.0:
        return None
    slope = dot(share, (logs - logs_mean) * (values - mean)) / spread
    return slope, mean - slope * logs_mean


def plot_weights(
    bins: Bins,
    weights: NDArray[np.float64],
    path: str | Path,
    *,
    name: str = "value",
    log_scale: bool = False,
    style: PictureStyle | None = None,
) -> None:
    """Draw weights (:func:`bin_weights`) by value, and the curve of :func:`fit_log_curve`.

    Bins are steps, from the lowest value of each to that of the next, with a dot at the median;
    the curve is gray. Below them stands how many values each bin holds. ``name`` stands under the
    axis; ``log_scale`` makes that axis logarithmic.
    The same input gives the same bytes.

    weights: float64[num_bins]

    Raises UsageError as :func:`isogloss.plots.drawing.drawing` does, and for a logarithmic scale of
    values that are not all above 0.
    """
    image_format(path)
    if log_scale and bins.first[0] <= 0.0:
        raise UsageError(f"values from {bins.first[0]:g}; a logarithmic scale needs values above 0")
    edges = np.append(bins.first, bins.last[-1])
    with drawing(path, style or PictureStyle(), (7.0, 5.0)) as figure:
        axes, population = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
        axes.stairs(weights, edges, baseline=None, color="black", label="bins")
        axes.plot(bins.median, weights, ".", color="black", markersize=4, label="their medians")
        _draw_curve(axes, bins, weights)
        population.stairs(bins.population, edges, fill=True, color="lightgray")
        population.plot(bins.median, bins.population, ".", color="gray", markersize=4)
        population.set_ylim(bottom=0)
        population.set_ylabel("values in a bin")
        if log_scale:
            axes.set_xscale("log")
        population.set_xlabel(name, parse_math=False)
        axes.set_ylabel("weight")
        show_legend(axes)


def _draw_curve(axes: Any, bins: Bins, weights: NDArray[np.float64]) -> None:
    curve = fit_log_curve(bins, weights)
    if curve is None:
        return
    slope, intercept = curve
    points = np.geomspace(bins.median[bins.median > 0.0][0], bins.last[-1], _CURVE_POINTS)
    label = f"{slope:.3g} log x {intercept:+.3g}"
    axes.plot(points, slope * np.log(points) + intercept, color="gray", label=label)
