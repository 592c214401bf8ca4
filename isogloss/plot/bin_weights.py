"""A plot of the learned weights of bins by original value (Clark, Dyer & Lavie 2014, Figure 7)."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.execution import dot
from isogloss.features.bins.binning import Binning
from isogloss.features.bins.uniform import Bins
from isogloss.tune.weights.weights import Weights

from .drawing import PictureStyle, drawing, image_format, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "WEIGHTS_SIZE",
    "ScoreWeights",
    "bin_weights",
    "draw_weights",
    "fit_log_curve",
    "plot_weights",
]

WEIGHTS_SIZE = (7.0, 5.0)  # inches
_WIDE = 100.0  # times the least value

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
        total += rows.scores(np.array([weights.get(feature) for feature in names]))
    if not has_weight:
        first = binning.indicators(name)[0][0][0]
        raise UsageError(
            f"there is no weight for a bin of {name}; pass weights of features such as {first}"
        )
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


@dataclass(frozen=True, eq=False)
class ScoreWeights:
    """The weights of a discretized score.

    name: of the score; weights: float64[num_bins], see :func:`bin_weights`
    """

    name: str
    bins: Bins
    weights: NDArray[np.float64]

    @classmethod
    def of(cls, binning: Binning, weights: Weights, name: str | None = None) -> "ScoreWeights":
        """Those of a score; name: None = the only one

        Raises UsageError as :func:`bin_weights` does, and for no name where there are several.
        """
        names = [spec.name for spec in binning.specs]
        if name is None and len(names) != 1:
            raise UsageError(f"the bins belong to several scores; name one of {', '.join(names)}")
        chosen = names[0] if name is None else name
        bins = binning.bins[binning.number(chosen)]
        return cls(chosen, bins, bin_weights(binning, chosen, weights))

    @property
    def spans_magnitudes(self) -> bool:
        """Whether values span more than two orders of magnitude: best seen on a log scale."""
        low, high = float(self.bins.first[0]), float(self.bins.last[-1])
        return low > 0.0 and high > _WIDE * low


def plot_weights(
    shown: ScoreWeights,
    path: str | Path,
    *,
    log_scale: bool | None = None,
    style: PictureStyle | None = None,
) -> None:
    """Write the picture of :func:`draw_weights` to a file.

    The same input gives the same bytes.

    Raises UsageError as :func:`isogloss.plot.drawing.drawing` and :func:`draw_weights` do.
    """
    image_format(path)
    _check_scale(shown, log_scale)
    with drawing(path, style or PictureStyle(), WEIGHTS_SIZE) as figure:
        draw_weights(figure, shown, log_scale)


def draw_weights(
    figure: "Figure", shown: ScoreWeights, log_scale: bool | None = None
) -> list["Axes"]:
    """Draw weights (:func:`bin_weights`) by value, and the curve of :func:`fit_log_curve`.

    Bins are steps, from the lowest value of each to that of the next, with a dot at the median;
    the curve is gray. Below them stands how many values each bin holds.

    log_scale: of the values; None = where they span more than two orders of magnitude

    Returns the two panels. Raises UsageError for a logarithmic scale of values that are not all
    above 0.
    """
    _check_scale(shown, log_scale)
    bins, weights = shown.bins, shown.weights
    edges = np.append(bins.first, bins.last[-1])
    axes, population = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    axes.stairs(weights, edges, baseline=None, color="black", label="bins")
    axes.plot(bins.median, weights, ".", color="black", markersize=4, label="their medians")
    _draw_curve(axes, bins, weights)
    population.stairs(bins.population, edges, fill=True, color="lightgray")
    population.plot(bins.median, bins.population, ".", color="gray", markersize=4)
    population.set_ylim(bottom=0)
    population.set_ylabel("values in a bin")
    if log_scale if log_scale is not None else shown.spans_magnitudes:
        axes.set_xscale("log")
    population.set_xlabel(shown.name, parse_math=False)
    axes.set_ylabel("weight")
    show_legend(axes)
    return [axes, population]


def _check_scale(shown: ScoreWeights, log_scale: bool | None) -> None:
    low = shown.bins.first[0]
    if log_scale and low <= 0.0:
        raise UsageError(f"a logarithmic scale needs values above 0, got {low:g}")


def _draw_curve(axes: Any, bins: Bins, weights: NDArray[np.float64]) -> None:
    curve = fit_log_curve(bins, weights)
    if curve is None:
        return
    slope, intercept = curve
    points = np.geomspace(bins.median[bins.median > 0.0][0], bins.last[-1], _CURVE_POINTS)
    label = f"{slope:.3g} log x {intercept:+.3g}"
    axes.plot(points, slope * np.log(points) + intercept, color="gray", label=label)
