"""isogloss plot tuning: score and active features by epoch."""

from dataclasses import dataclass

from align.errors import UsageError

from ...console import Console
from ...options import Command, group, positional
from ...plots.tuning import plot_epochs
from ...runs.epoch_log import TrainingCurve, read_curves
from ..shared import CommonOptions, common_options
from .image import ImageOptions

__all__ = ["PLOT_TUNING", "PlotTuningOptions", "run"]


@dataclass(frozen=True)
class PlotTuningOptions:
    """Options of `isogloss plot tuning`.

    runs: folder of a tuning run, or its epochs.jsonl
    """

    runs: tuple[str, ...] = positional("RUN")
    image: ImageOptions = group(ImageOptions)
    common: CommonOptions = common_options()


def run(options: PlotTuningOptions, console: Console) -> None:
    """Draw score and active features by epoch."""
    options.image.check()
    runs: dict[str, list[TrainingCurve]] = {}
    for path in options.runs:
        if path in runs:
            raise UsageError(f"{path} is given twice")
        runs[path] = read_curves(path)
    plot_epochs(runs, options.image.output)
    curves = [curve for curves_of_run in runs.values() for curve in curves_of_run]
    epochs = sum(len(curve.epochs) for curve in curves)
    console.info(f"{len(curves)} trainings, {epochs} epochs")


PLOT_TUNING = Command(
    PlotTuningOptions,
    run,
    (
        "isogloss plot tuning run -o tuning.svg",
        "isogloss plot tuning run1 run2/epochs.jsonl -o tuning.png",
    ),
    line="score and active features by epoch",
)
