"""A plot of weights by strength of L1."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError, UsageError
from isogloss.tune.weights.weights import Weights

from .drawing import PictureStyle, color_of, drawing, image_format, show_legend

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["PATHS_SIZE", "WeightPaths", "draw_weight_paths", "plot_weight_paths"]

PATHS_SIZE = (7.0, 6.0)  # inches

_WIDE = 100  # times the least number of features, above which a scale is logarithmic
_PENALTIES = ("WordPenalty", "PhrasePenalty")  # also UnknownWordPenalty; parts of names


@dataclass(frozen=True, eq=False)
class WeightPaths:
    """Weights by strength of L1.

    strengths: float64[n], increasing, at least 0; weights: float64[n, num_features]
    names: of the features

    Raises UsageError where strengths are fewer than two, below 0 or not increasing, and
    DataError for no feature.
    """

    strengths: NDArray[np.float64]
    weights: NDArray[np.float64]
    names: Sequence[str]

    def __post_init__(self) -> None:
        strengths = self.strengths
        if len(strengths) < 2 or strengths[0] < 0.0 or not (np.diff(strengths) > 0.0).all():
            raise UsageError("a plot needs two or more different strengths of L1, each at least 0")
        if not self.names:
            raise DataError("the files have no weights", "weights of the features to plot")

    @classmethod
    def of(cls, by_strength: Mapping[float, Weights]) -> "WeightPaths":
        """Those of weights that were learned with each strength."""
        strengths = np.array(sorted(by_strength), np.float64)
        sets = [by_strength[strength] for strength in strengths.tolist()]
        names = list(dict.fromkeys(name for weights in sets for name in weights))
        matrix = np.array([[weights.get(name) for name in names] for weights in sets])
        return cls(strengths, matrix, names)


def plot_weight_paths(
    paths: WeightPaths, path: str | Path, *, named: int = 8, style: PictureStyle | None = None
) -> None:
    """Write the picture of :func:`draw_weight_paths` to a file.

    The same input gives the same bytes.

    Raises UsageError for a suffix that is no image's, and where Matplotlib is not installed.
    """
    image_format(path)
    with drawing(path, style or PictureStyle(), PATHS_SIZE) as figure:
        draw_weight_paths(figure, paths, named)


def draw_weight_paths(figure: "Figure", shown: WeightPaths, named: int = 8) -> list["Axes"]:
    """Draw weights by strength of L1, and the number of those that are not 0.

    The scale is that of the features that L1 works on: penalties (of words, phrases, unknown words)
    and features of one and the same weight throughout may lie beyond it, which their label says.

    named: the largest ones are named and have a color, others are gray

    Returns the two panels.
    """
    strengths, weights, names = shown.strengths, shown.weights, shown.names
    size = np.abs(weights).max(0)
    low, high = _weight_limits(weights, names)
    beyond = (weights.min(0) < low) | (weights.max(0) > high)
    order = np.lexsort((-size, beyond))  # those within the scale are named first
    order = order[size[order] > 0.0]
    paths, active = figure.subplots(2, 1, sharex=True, height_ratios=(2, 1))
    others = order[named:]
    if len(others):
        gray = paths.plot(strengths, weights[:, others], color="lightgray", linewidth=0.5)
        gray[0].set_label("one other" if len(others) == 1 else f"{len(others)} others")
    for rank, number in enumerate(order[:named].tolist()):
        # a label that begins with _ would not be shown
        label = f"{' ' * names[number].startswith('_')}{names[number]}"
        label += " (beyond the scale)" if beyond[number] else ""
        paths.plot(strengths, weights[:, number], color=color_of(rank), label=label)
    paths.set_ylim(low, high)
    _draw_active(active, strengths, np.count_nonzero(weights, axis=1))
    paths.set_ylabel("weight")
    _scale_strengths(active, strengths)
    active.set_xlabel("strength of L1")
    show_legend(paths)
    return [paths, active]


def _draw_active(axes: Any, strengths: NDArray[np.float64], counts: NDArray[np.int64]) -> None:
    """Numbers of features; on a logarithmic scale where few of very many are left."""
    axes.plot(strengths, counts, ".-", color="black")
    axes.set_ylabel("active features")
    if counts.min() > 0 and counts.max() > _WIDE * counts.min():
        axes.set_yscale("log")
    else:
        axes.set_ylim(0, 1.05 * max(int(counts.max()), 1))
        axes.yaxis.get_major_locator().set_params(integer=True)


def _weight_limits(weights: NDArray[np.float64], names: Sequence[str]) -> tuple[float, float]:
    """The scale of the weights that change and are no penalties; of all, if there are none."""
    changes = weights.max(0) > weights.min(0)
    penalty = np.array([any(mark in name for mark in _PENALTIES) for name in names], np.bool_)
    chosen = weights[:, changes & ~penalty]
    chosen = chosen if chosen.size else weights
    low, high = min(float(chosen.min()), 0.0), max(float(chosen.max()), 0.0)
    room = 0.05 * (high - low) or 1.0
    return low - room, high + room


def _scale_strengths(axes: Any, strengths: NDArray[np.float64]) -> None:
    """Logarithmic; where the first is 0 linear up to the next."""
    if strengths[0] > 0.0:
        axes.set_xscale("log")
    else:
        axes.set_xscale("symlog", linthresh=strengths[1])
        axes.set_xlim(left=-0.1 * strengths[1])
