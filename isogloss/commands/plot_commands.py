"""Plots: plot weights, tuning, surface, l1-path."""

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, UsageError
from align.files.writers import check_output
from features.bins.binning import Binning, read_bins
from tune.metrics import metric_named
from tune.optimizers.line_search import error_surface, line_search
from tune.weights.weights import Weights

from ..console import Console
from ..plots.drawing import image_format
from ..plots.tuning import plot_epochs, plot_surface, plot_weight_paths
from ..plots.weights import bin_weights, fit_log_curve, plot_weights
from ..runs.epoch_log import TrainingCurve, read_curves
from ..tuning.inputs import read_examples, read_start

__all__ = ["plot"]

Options = argparse.Namespace


def plot(options: Options, console: Console) -> None:
    """Draw what ``options.what`` says."""
    image_format(options.output)  # before the work
    check_output(options.output)
    draw = {"weights": _weights, "tuning": _tuning, "surface": _surface, "l1-path": _l1_path}
    draw[options.what](options, console)


def _weights(options: Options, console: Console) -> None:
    """The learned weights of a discretised score by its original value."""
    binning = read_bins(options.bins)
    name = _score(options.feature, binning)
    bins = binning.bins[binning.number(name)]
    weights = bin_weights(binning, name, Weights.read(options.weights))
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


def _tuning(options: Options, console: Console) -> None:
    """Score and active features by epoch."""
    runs: dict[str, list[TrainingCurve]] = {}
    for path in options.runs:
        if path in runs:
            raise UsageError(f"{path} is given twice")
        runs[path] = read_curves(path)
    plot_epochs(runs, options.output)
    curves = [curve for own in runs.values() for curve in own]
    epochs = sum(len(curve.epochs) for curve in curves)
    console.info(f"{len(curves)} trainings, {epochs} epochs")


def _surface(options: Options, console: Console) -> None:
    """The metric by the weight of one feature, all others as they are."""
    limits = _range(options.range) if options.range else None
    metric = metric_named(options.metric)
    examples = read_examples(options.nbest, options.refs, metric, options)
    space = examples.space
    start = read_start(options.weights, space, console).values
    feature = space.id(options.feature)
    if feature < 0:
        shown = ", ".join(space.names[:4])
        raise UsageError(f"no feature {options.feature!r} in the lists; there are {shown}, ...")
    direction = np.zeros(len(space))
    direction[feature] = 1.0
    surface = error_surface(examples, start, direction)
    own = float(start[feature])
    shown = options.metric
    plot_surface(
        surface, options.output, weight=own, name=options.feature, metric=shown, limits=limits
    )
    step, reached = line_search(examples, start, direction)
    console.info(
        f"{len(surface.scores)} intervals; {shown} {surface.at(0.0):.2f} at {own:.6g}, best "
        f"{reached:.2f} at {own + step:.6g}"
    )


def _range(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        limits = float(low), float(high)
    except ValueError:
        limits = (np.nan, np.nan)
    if not colon or not np.isfinite(limits).all() or limits[0] >= limits[1]:
        raise UsageError(f"--range {text!r}; expected LOW:HIGH")
    return limits


def _l1_path(options: Options, console: Console) -> None:
    """Weights by strength of L1."""
    by_strength: dict[float, Weights] = {}
    for text in options.weights:
        strength, path = _strength(text)
        if strength in by_strength:
            raise UsageError(f"two weights of strength {strength:g}")
        by_strength[strength] = Weights.read(path)
    strengths = np.array(sorted(by_strength))
    names = list(dict.fromkeys(n for strength in strengths for n in by_strength[strength]))
    if not names:
        raise DataError("no weight in any file", "weights of the features to draw")
    weights = _matrix([by_strength[strength] for strength in strengths.tolist()], names)
    plot_weight_paths(strengths, weights, names, options.output, named=options.top)
    active = np.count_nonzero(weights, axis=1)
    console.info(
        f"{active[0]} active features at {strengths[0]:g}, {active[-1]} at {strengths[-1]:g}"
    )


def _strength(text: str) -> tuple[float, Path]:
    """LAMBDA=FILE; a folder is a run's, whose weights.json is taken."""
    number, equals, file = text.partition("=")
    try:
        strength = float(number)
    except ValueError:
        strength = -1.0
    if not equals or not file or not 0.0 <= strength < np.inf:
        raise UsageError(f"{text!r}; expected LAMBDA=WEIGHTS, such as 0.001=weights.json")
    path = Path(file)
    return strength, path / "weights.json" if path.is_dir() else path


def _matrix(rows: list[Weights], names: list[str]) -> NDArray[np.float64]:
    return np.array([[own[name] for name in names] for own in rows])
