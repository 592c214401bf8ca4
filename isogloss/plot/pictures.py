"""The functions of :mod:`isogloss.plot`."""

from collections.abc import Mapping
from importlib import import_module
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, cast

from isogloss.align.errors import UsageError, WrongTypeError, check_argument
from isogloss.align.execution.calls import public
from isogloss.features.bins.binning import Binning
from isogloss.tune.examples import Examples
from isogloss.tune.results import TuningResult
from isogloss.tune.weights.given import GivenWeights
from isogloss.tune.weights.weights import Weights

from ..runs.epoch_log import TrainingCurve, TuningLog, read_tuning_log
from .bin_weights import WEIGHTS_SIZE, ScoreWeights, draw_weights
from .epochs import draw_epochs, epochs_size
from .surfaces import draw_surface, feature_surface
from .weight_paths import PATHS_SIZE, WeightPaths, draw_weight_paths

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["l1_path", "surface", "tuning", "weights"]

AnyPath = str | PathLike[str]
_SIZE = (6.4, 4.0)  # inches


@public
def tuning(runs: TuningResult | AnyPath | Mapping[str, TuningResult | AnyPath]) -> "list[Axes]":
    """Plot scores and the number of active features by epoch.

    Held-out scores are dashed. They are of other sentences than the training scores, so both are
    drawn as changes from the start.

    Parameters
    ----------
    runs : TuningResult, path, or dict of them
        Results, folders of ``isogloss tune --out`` or their ``epochs.jsonl``; several by name.

    Returns
    -------
    list of matplotlib.axes.Axes
        A panel per metric, and one of active features.

    Raises
    ------
    UsageError
        If Matplotlib is not installed.
    DataError
        If a folder has no epochs that can be read.
    WrongTypeError
        If a run is something else.

    Examples
    --------
    >>> import isogloss as ig
    >>> axes = ig.plot.tuning({"mert": "run1", "pro": "run2"})  # doctest: +SKIP
    """
    if isinstance(runs, list | tuple):
        raise WrongTypeError(
            'runs must be a dict of several by name, not a list; use tuning({"first": first, '
            '"second": second})'
        )
    given = runs if isinstance(runs, Mapping) else {"": runs}
    logs = {name or _name_of(run): _log(run) for name, run in given.items()}
    if not logs:
        raise UsageError("there are no runs to plot")
    return draw_epochs(_figure(epochs_size(logs)), logs)


@public
def surface(
    examples: Examples,
    weights: GivenWeights | TuningResult | AnyPath,
    feature: str,
    *,
    limits: tuple[float, float] | None = None,
) -> "Axes":
    """Plot the error surface: the metric by the weight of one feature.

    All other weights are fixed.

    Parameters
    ----------
    examples : Examples
        Measured n-best lists.
    weights : Weights, TuningResult, dict of float or path
        Weights of all features.
    feature : str
        Feature whose weight varies.
    limits : tuple of float, optional
        Minimum and maximum weight; default: where most changes are.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    UsageError
        If the examples don't have the feature, limits are out of order, or Matplotlib is not
        installed.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> import isogloss as ig
    >>> lists, references = ig.read_nbest("list.gz"), ig.read_references("ref")  # doctest: +SKIP
    >>> examples = ig.Examples.from_nbest(lists, references, "bleu")  # doctest: +SKIP
    >>> axes = ig.plot.surface(examples, "weights.json", "LM0")  # doctest: +SKIP
    """
    order = "surface(examples, weights, feature)"
    if isinstance(weights, Examples):
        raise WrongTypeError(f"examples and weights are swapped; use {order}")
    remedy = "Examples.from_nbest(lists, references, metric)"
    check_argument(examples, Examples, "examples", "Examples", remedy)
    check_argument(feature, str, "feature", "the name of a feature", order)
    if isinstance(weights, TuningResult | str | PathLike):
        weights = _weights_of(weights)
    shown = feature_surface(examples, weights, feature)
    return draw_surface(_figure(_SIZE), shown, limits)


@public
def l1_path(
    runs: Mapping[float, Weights | TuningResult | AnyPath], *, top: int = 8
) -> "list[Axes]":
    """Plot the regularization path: weights and active features by L1 strength.

    Parameters
    ----------
    runs : dict of Weights, TuningResult or path
        By strength of L1, at least two: weights, results, files of weights or folders of runs.
    top : int, default 8
        Number of features in the legend, the largest ones.

    Returns
    -------
    list of matplotlib.axes.Axes
        The panels of weights and of active features.

    Raises
    ------
    UsageError
        If strengths are fewer than two or below 0, or Matplotlib is not installed.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> import isogloss as ig
    >>> axes = ig.plot.l1_path({0.1: "run1", 0.01: "run2"})  # doctest: +SKIP
    """
    check_argument(runs, Mapping, "runs", "a dict of weights by strength of L1")
    paths = WeightPaths.of({strength: _weights_of(run) for strength, run in runs.items()})
    return draw_weight_paths(_figure(PATHS_SIZE), paths, top)


@public
def weights(
    weights: GivenWeights | AnyPath,
    binning: Binning | AnyPath,
    score: str | None = None,
    *,
    log_scale: bool | None = None,
) -> "list[Axes]":
    """Plot the learned weights of a discretized score by its values.

    Parameters
    ----------
    weights : Weights, dict of float or path
    binning : Binning or path
        Such as ``TABLE.bins.json``.
    score : str, optional
        Name of the score; default: the only one.
    log_scale : bool, optional
        Logarithmic axis of values; default: if they span more than two orders of magnitude.

    Returns
    -------
    list of matplotlib.axes.Axes
        The panels of weights and of the number of values.

    Raises
    ------
    UsageError
        If the score has no bins or weights, or Matplotlib is not installed.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> import isogloss as ig
    >>> axes = ig.plot.weights("weights.json", "table.bins.json")  # doctest: +SKIP
    """
    bins = binning if isinstance(binning, Binning) else Binning.load(_path(binning, "binning"))
    named = weights if isinstance(weights, Mapping) else _weights_of(weights)
    given = named if isinstance(named, Weights) else Weights.from_dict(named)
    shown = ScoreWeights.of(bins, given, score)
    return draw_weights(_figure(WEIGHTS_SIZE), shown, log_scale)


def _figure(size: tuple[float, float]) -> "Figure":
    """A figure of pyplot, so that notebooks show it."""
    try:
        pyplot = import_module("matplotlib.pyplot")
    except ImportError as error:
        raise UsageError("a plot needs Matplotlib: pip install isogloss[plot]") from error
    return cast("Figure", pyplot.figure(figsize=size, layout="constrained"))


def _path(given: object, name: str) -> Path:
    check_argument(given, (str, PathLike), name, "a path")
    return Path(cast(AnyPath, given))


def _weights_of(run: Weights | TuningResult | AnyPath) -> Weights:
    """The weights of a run, a file, or themselves."""
    if isinstance(run, TuningResult):
        return run.weights
    if isinstance(run, Weights):
        return run
    return Weights.load(_path(run, "weights"))


def _name_of(run: TuningResult | AnyPath) -> str:
    return type(run).__name__ if isinstance(run, TuningResult) else str(run)


def _log(run: TuningResult | AnyPath) -> TuningLog:
    if not isinstance(run, TuningResult):
        return read_tuning_log(_path(run, "a run"))
    curve = TrainingCurve(1, None, run.epochs)
    return TuningLog((curve,), run.metric or None, (1, run.best_epoch))
