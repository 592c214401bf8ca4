"""isogloss plot l1-path: weights by strength of L1."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.files.numerals import parse_number
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, natural, option, positional
from ...plot.weight_paths import WeightPaths, plot_weight_paths
from ..shared import MessageOptions, message_options
from .image import ImageOptions

__all__ = ["PLOT_L1_PATH", "PlotL1PathOptions", "run"]


@dataclass(frozen=True)
class PlotL1PathOptions:
    """Options of `isogloss plot l1-path`.

    weights: L1 strength and the weight file or run folder trained with it
    top: number of largest features to label
    """

    weights: tuple[str, ...] = positional("LAMBDA=WEIGHTS")
    image: ImageOptions = group(ImageOptions)
    top: int = option(default=8, parse=natural, metavar="N")
    common: MessageOptions = message_options()


def run(options: PlotL1PathOptions, console: Console) -> None:
    """Draw weights by strength of L1."""
    options.image.check()
    by_strength: dict[float, Weights] = {}
    for text in options.weights:
        strength, path = _strength(text)
        if strength in by_strength:
            raise UsageError(
                f"strength {strength:g} is given twice; pass one weight file for each strength"
            )
        by_strength[strength] = Weights.load(path)
    paths = WeightPaths.of(by_strength)
    plot_weight_paths(paths, options.image.output, named=options.top, style=options.image.style)
    active, strengths = np.count_nonzero(paths.weights, axis=1), paths.strengths
    console.info(
        f"{pluralize(active[0], 'active feature')} at {strengths[0]:g}, {active[-1]} at "
        f"{strengths[-1]:g}"
    )


def _strength(text: str) -> tuple[float, Path]:
    """LAMBDA=FILE; a folder is a run's, whose weights.json is taken."""
    number, equals, file = text.partition("=")
    try:
        strength = parse_number(number)
    except ValueError:
        strength = -1.0
    if not equals or not file or strength < 0.0:
        raise UsageError(
            f"{text!r} is malformed; expected LAMBDA=WEIGHTS, such as 0.001=weights.json"
        )
    path = Path(file)
    return strength, path / "weights.json" if path.is_dir() else path


PLOT_L1_PATH = Command(
    PlotL1PathOptions,
    run,
    (
        "isogloss plot l1-path 0.1=w1.json 0.01=w2.json -o paths.svg",
        "isogloss plot l1-path 0.1=run1 0.01=run2 --top 12 -o paths.pdf",
    ),
    line="plot weights against the strength of L1",
    first={
        "data": ("top",),
        "figure": ("output", "size", "title", "x_label", "y_label", "font", "font_size"),
        "running": ("quiet",),
    },
)
