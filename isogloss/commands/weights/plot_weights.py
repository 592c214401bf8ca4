"""isogloss plot weights: the learned weights of a discretized score by its original value."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError, pluralize
from isogloss.features.bins.binning import Binning
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, option, positional
from ...plot.bin_weights import ScoreWeights, fit_log_curve, plot_weights
from ..shared import MessageOptions, message_options
from .image import ImageOptions

__all__ = ["PLOT_WEIGHTS", "PlotWeightsOptions", "run"]


@dataclass(frozen=True)
class PlotWeightsOptions:
    """Options of `isogloss plot weights`.

    weights: tuned weights
    bins: bins of the phrase table (TABLE.bins.json)
    score: discretized score to plot (default: the only one)
    axis_scale: scale of the score axis; auto = log if the values span more than two orders of
        magnitude
    """

    weights: str = positional("WEIGHTS")
    bins: str = positional("BINS")
    image: ImageOptions = group(ImageOptions)
    score: str | None = option(default=None, metavar="NAME")
    axis_scale: str = option(default="auto", choices=("auto", "linear", "log"))
    common: MessageOptions = message_options()


def run(options: PlotWeightsOptions, console: Console) -> None:
    """Draw the learned weights of a discretized score by its original value."""
    options.image.check()
    binning = Binning.load(options.bins)
    if options.score is None and len(binning.specs) != 1:
        names = ", ".join(spec.name for spec in binning.specs)
        raise UsageError(f"--score is missing; choose one of {names}")
    shown = ScoreWeights.of(binning, Weights.load(options.weights), options.score)
    log_scale = {"auto": None, "linear": False, "log": True}[options.axis_scale]
    plot_weights(shown, options.image.output, log_scale=log_scale, style=options.image.style)
    name, bins = shown.name, shown.bins
    curve = fit_log_curve(bins, shown.weights)
    if curve is None:
        console.info(
            f"{name}: {pluralize(len(bins), 'bin')}; a logarithmic curve needs at least two bins "
            "with values above 0"
        )
    else:
        console.info(
            f"{name}: {pluralize(len(bins), 'bin')}, fitted curve {curve[0]:.6g} log x "
            f"{curve[1]:+.6g}"
        )


PLOT_WEIGHTS = Command(
    PlotWeightsOptions,
    run,
    (
        "isogloss plot weights weights.json rich.bins.json -o weights.svg",
        "isogloss plot weights w.json rich.bins.json --axis-scale linear -o weights.pdf",
    ),
    line="plot the tuned weights of a discretized score",
    first={
        "data": ("score", "axis_scale"),
        "figure": ("output", "size", "title", "x_label", "y_label", "font", "font_size"),
        "running": ("quiet",),
    },
)
