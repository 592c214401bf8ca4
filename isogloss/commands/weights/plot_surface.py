"""isogloss plot surface: the metric by the weight of one feature, all others as they are."""

from dataclasses import dataclass

import numpy as np

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.files.numerals import parse_number
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.metrics.reports import show

from ...console import Console
from ...options import Command, group, option, positional
from ...plot.surfaces import feature_surface, plot_surface
from ...tuning.inputs import ListReading, read_examples, read_start
from ..metric_options import metric_option
from ..shared import CommonOptions, ListFields, common_options
from .image import ImageOptions

__all__ = ["PLOT_SURFACE", "PlotSurfaceOptions", "run"]


@dataclass(frozen=True)
class PlotSurfaceOptions:
    """Options of `isogloss plot surface`.

    nbest: n-best lists of Moses, cdec or fairseq, or JSONL
    weights: weights of all features
    feature: feature whose weight is varied
    refs: reference translations, one file per reference; not needed for JSONL
    range: range of weights to plot, also --range=-1:2 (default: where the metric changes most)
    lowercase: lowercase hypotheses and references
    """

    nbest: tuple[str, ...] = positional("NBEST")
    weights: str = option(metavar="FILE")
    feature: str = option(metavar="NAME")
    image: ImageOptions = group(ImageOptions)
    refs: tuple[str, ...] = option(default=(), metavar="REF")
    metric: str = metric_option()
    range: str | None = option(default=None, metavar="LOW:HIGH")
    lowercase: bool = False
    lists: ListFields = group(ListFields)
    common: CommonOptions = common_options()


def run(options: PlotSurfaceOptions, console: Console) -> None:
    """Draw the metric by the weight of one feature, all others as they are."""
    options.image.check()
    limits = _limits(options.range) if options.range else None
    metric = metric_named(options.metric)
    fields = options.lists.mapping
    reading = ListReading(options.lowercase, options.common.threads, fields=fields)
    examples = read_examples(options.nbest, options.refs, metric, reading, console)
    start = read_start(options.weights, examples.space, console)
    shown = feature_surface(examples, start, options.feature)
    plot_surface(shown, options.image.output, limits=limits, style=options.image.style)
    surface, weight, best = shown.surface, shown.weight, shown.best
    assert best is not None
    console.info(
        f"{pluralize(len(surface.scores), 'interval')}; {metric.name} "
        f"{show(metric, surface.at(0.0))} at {weight:.6g}, best "
        f"{show(metric, surface.at(best - weight))} at {best:.6g}"
    )


def _limits(text: str) -> tuple[float, float]:
    low, colon, high = text.partition(":")
    try:
        limits = parse_number(low), parse_number(high)
    except ValueError:
        limits = (np.nan, np.nan)
    if not colon or not np.isfinite(limits).all() or limits[0] >= limits[1]:
        raise UsageError(f"--range must be LOW:HIGH, got {text!r}")
    return limits


PLOT_SURFACE = Command(
    PlotSurfaceOptions,
    run,
    (
        "isogloss plot surface list.gz --refs ref0 --weights w.json --feature LM0 -o lm.svg",
        "isogloss plot surface lists.jsonl --weights w.json --feature LM0 --range=-1:2 -o lm.svg",
    ),
    line="plot the metric against the weight of one feature",
    first={
        "input": ("weights", "refs", "metric", "lowercase", "fields"),
        "figure": ("feature", "range", "output", "size", "title"),
        "running": ("threads", "quiet"),
    },
)
