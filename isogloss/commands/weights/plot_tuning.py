"""isogloss plot tuning: score and active features by epoch."""

from dataclasses import dataclass
from pathlib import Path

from isogloss.align.errors import UsageError, pluralize

from ...console import Console
from ...options import Command, group, positional
from ...plot.epochs import plot_epochs
from ...runs.epoch_log import TuningLog, read_tuning_log
from ..shared import MessageOptions, message_options
from .image import ImageOptions

__all__ = ["PLOT_TUNING", "PlotTuningOptions", "run"]


@dataclass(frozen=True)
class PlotTuningOptions:
    """Options of `isogloss plot tuning`.

    runs: run folder of `isogloss tune --out` or its epochs.jsonl, with an optional name
    """

    runs: tuple[str, ...] = positional("[NAME=]RUN")
    image: ImageOptions = group(ImageOptions)
    common: MessageOptions = message_options()


def run(options: PlotTuningOptions, console: Console) -> None:
    """Draw score and active features by epoch."""
    options.image.check()
    logs: dict[str, TuningLog] = {}
    for argument in options.runs:
        name, path = _named(argument)
        if name in logs:
            raise UsageError(f"run {name} is given twice; pass NAME=RUN with another name")
        logs[name] = read_tuning_log(path)
    plot_epochs(logs, options.image.output, options.image.style)
    curves = [curve for log in logs.values() for curve in log.shown_curves]
    epochs = sum(len(curve.epochs) for curve in curves)
    others = sum(len(log.curves) for log in logs.values()) - len(curves)
    left_out = f"; {pluralize(others, 'training')} of folds not drawn" if others else ""
    drawn = f"{pluralize(len(curves), 'training')}, {pluralize(epochs, 'epoch')}"
    console.info(f"{drawn}{left_out}")


def _named(argument: str) -> tuple[str, str]:
    """Name and path of RUN or NAME=RUN."""
    name, equals, path = argument.partition("=")
    if not equals or Path(argument).exists():
        return argument, argument
    if not name or not path:
        raise UsageError(f"run {argument!r} is malformed; expected RUN or NAME=RUN")
    return name, path


PLOT_TUNING = Command(
    PlotTuningOptions,
    run,
    (
        "isogloss plot tuning run -o tuning.svg",
        "isogloss plot tuning pro=run1 mira=run2 --title Tuning --size 8x6 -o tuning.pdf",
    ),
    line="plot score and number of active features by epoch",
    first={
        "figure": ("output", "size", "title", "x_label", "y_label", "font", "font_size"),
        "running": ("quiet",),
    },
)
