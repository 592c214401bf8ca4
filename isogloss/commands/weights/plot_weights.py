"""isogloss plot weights: the learned weights of a discretised score by its original value."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.features.bins.binning import Binning, Bins, read_bins
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, option, positional
from ...plots.weights import bin_weights, fit_log_curve, plot_weights
from ..shared import CommonOptions, common_options
from .image import ImageOptions

__all__ = ["PLOT_WEIGHTS", "PlotWeightsOptions", "run"]


_WIDE = 100.0  # times the least value


@dataclass(frozen=True)
class PlotWeightsOptions:
    """Options of `isogloss plot weights`.

    weights: weights that tuning has written
    bins: TABLE.bins.json, beside the table
    feature: discretised score (default: the only one)
    scale: axis of values; auto: log where they span more than two orders of magnitude
    """

    weights: str = positional("WEIGHTS")
    bins: str = positional("BINS")
    image: ImageOptions = group(ImageOptions)
    feature: str | None = option(default=None, metavar="NAME")
    scale: str = option(default="auto", choices=("auto", "linear", "log"))
    common: CommonOptions = common_options()


def run(options: PlotWeightsOptions, console: Console) -> None:
    """Draw the learned weights of a discretised score by its original value."""
    options.image.check()
    binning = read_bins(options.bins)
    name = _score(options.feature, binning)
    bins = binning.bins[binning.number(name)]
    weights = bin_weights(binning, name, Weights.read(options.weights))
    plot_weights(
        bins, weights, options.image.output,
        name=name, log_scale=_is_logarithmic(options.scale, bins), style=options.image.style,
    )  # fmt: skip
    curve = fit_log_curve(bins, weights)
    if curve is None:
        console.info(f"{name}: {len(bins)} bins; fewer than two have values above 0: no log curve")
    else:
        console.info(f"{name}: {len(bins)} bins, nearest {curve[0]:.6g} log x {curve[1]:+.6g}")


def _is_logarithmic(scale: str, bins: Bins) -> bool:
    """Whether the axis of values is; most bins of p(e|f) would lie in a corner of another."""
    low, high = float(bins.first[0]), float(bins.last[-1])
    return scale == "log" or (scale == "auto" and low > 0.0 and high > _WIDE * low)


def _score(given: str | None, binning: Binning) -> str:
    names = [spec.name for spec in binning.specs]
    if given is None and len(names) != 1:
        raise UsageError(f"give --feature NAME, one of {', '.join(names)}")
    return names[0] if given is None else given


PLOT_WEIGHTS = Command(
    PlotWeightsOptions,
    run,
    (
        "isogloss plot weights weights.json rich.bins.json -o weights.svg",
        "isogloss plot weights w.json rich.bins.json --feature 'p(e|f)' --scale linear -o w.pdf",
    ),
    line="learned weights of a discretised score by its values",
)
