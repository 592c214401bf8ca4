"""Plots: plot."""

import argparse

from align.errors import UsageError
from features.discretize import Binning, read_bins
from features.space import read_weights
from features.weight_plot import bin_weights, fit_log_curve, image_format, plot_weights

from .console import Console

__all__ = ["plot"]


def plot(options: argparse.Namespace, console: Console) -> None:
    """Draw the learned weights of a discretised score by its original value."""
    image_format(options.output)
    binning = read_bins(options.bins)
    name = _score(options.feature, binning)
    bins = binning.bins[binning.number(name)]
    weights = bin_weights(binning, name, read_weights(options.weights))
    plot_weights(bins, weights, options.output, name=name, log_scale=options.log_scale)
    curve = fit_log_curve(bins, weights)
    if curve is None:
        console.info(f"{name}: {len(bins)} bins; fewer than two have values above 0: no log curve")
    else:
        console.info(f"{name}: {len(bins)} bins, nearest {curve[0]:.6g} log x {curve[1]:+.6g}")


def _score(given: str | None, binning: Binning) -> str:
    names = [spec.name for spec in binning.specs]
    if given is None and len(names) != 1:
        raise UsageError(f"give --feature NAME, one of {', '.join(names)}")
    return names[0] if given is None else given
