"""What a report says of the epochs of a training: scores, and how many features are active."""

from collections.abc import Iterator, Sequence

from isogloss.tune.results import Epoch

from ...runs.epoch_log import TrainingCurve, TuningLog
from ..charts import Chart, Line
from ..report import Part

__all__ = ["learning_curves"]

_MOST = 8  # lines of a chart


def learning_curves(log: TuningLog) -> Iterator[Part]:
    """Charts of the metric and of the number of active features by epoch, a line per training."""
    final = log.shown_curves
    metric = log.metric or "score"
    lines: list[Line] = []
    for curve in final[:_MOST]:
        name = curve.name if len(final) > 1 else "training"
        marked = _kept(curve, log)
        lines.append(Line(name, _points(curve.epochs), marked=marked))
        held_out = [
            (float(epoch.number), epoch.held_out)
            for epoch in curve.epochs
            if epoch.held_out is not None
        ]
        if held_out:
            kept = marked if len(held_out) == len(curve.epochs) else None
            lines.append(Line(f"{name}, held out", held_out, dashed=True, marked=kept))
    dot = "; a dot marks the epoch that was kept" if log.kept else ""
    yield Chart(f"{metric} by epoch{dot}", "epoch", metric, lines)
    active = [
        Line(curve.name, [(float(epoch.number), float(epoch.active)) for epoch in curve.epochs])
        for curve in final[:_MOST]
    ]
    yield Chart("Active features by epoch", "epoch", "active features", active)


def _points(epochs: Sequence[Epoch]) -> list[tuple[float, float]]:
    return [(float(epoch.number), epoch.score) for epoch in epochs]


def _kept(curve: TrainingCurve, log: TuningLog) -> int | None:
    """The place of the epoch that was kept, None in other trainings."""
    if log.kept is None or curve.run != log.kept[0]:
        return None
    numbers = [epoch.number for epoch in curve.epochs]
    return numbers.index(log.kept[1]) if log.kept[1] in numbers else None
