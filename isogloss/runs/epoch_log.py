"""epochs.jsonl: what each epoch of each training of a run has reached, read again."""

from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from isogloss.align.errors import DataError
from isogloss.align.files.records import (
    Count,
    Counting,
    Finite,
    Name,
    conform,
    parse_json,
    read_json,
)
from isogloss.align.text.readers import read_lines
from isogloss.tune.results import Epoch

from .run_folder import MANIFEST, REPORT

__all__ = ["EPOCH_LOG", "TrainingCurve", "TuningLog", "read_curves", "read_tuning_log"]

EPOCH_LOG = "epochs.jsonl"
_LINE = '{"run": 1, "fold": null, "number": 0, "loss": 1.5, "score": 20.1, "active": 14, ...}'


@dataclass(frozen=True)
class TrainingCurve:
    """One training, epoch by epoch.

    run: its number; fold: that of the sentences that it did not learn from, None for all
    epochs: by number, increasing
    """

    run: int
    fold: int | None
    epochs: tuple[Epoch, ...]

    @property
    def name(self) -> str:
        """For people: run 1, run 2 fold 0."""
        return f"run {self.run}" + ("" if self.fold is None else f" fold {self.fold}")


@dataclass(frozen=True)
class TuningLog:
    """What a tuning run tells of itself.

    metric: that was tuned by; kept: run and epoch of the weights that it wrote; None where a file
    of epochs is all there is, or the run has not ended
    """

    curves: tuple[TrainingCurve, ...]
    metric: str | None = None
    kept: tuple[int, int] | None = None

    @property
    def shown_curves(self) -> list[TrainingCurve]:
        """The trainings whose weights may be kept; those of folds where there are no others."""
        final = [curve for curve in self.curves if curve.fold is None]
        return final or list(self.curves)


def read_tuning_log(path: str | Path) -> TuningLog:
    """The log of a run's folder, or of an epochs.jsonl alone.

    Raises DataError as :func:`read_curves` does, and for a manifest or report that can't be read.
    """
    path = Path(path)
    curves = tuple(read_curves(path))
    manifest, report = path / MANIFEST, path / REPORT
    metric, kept = None, None
    if manifest.is_file():
        metric = read_json(manifest, _Manifest).command.metric
    if report.is_file():
        found = read_json(report, _Report)
        kept = None if found.run is None or found.epoch is None else (found.run, found.epoch)
    return TuningLog(curves, metric, kept)


def read_curves(path: str | Path) -> list[TrainingCurve]:
    """Read the epochs.jsonl of a run's folder, or such a file itself; trainings in its order.

    Raises DataError for a folder without it, a file without a line, a line that is no such object,
    with figures that are none or not finite, and an epoch that comes twice.
    """
    path = Path(path)
    if path.is_dir():
        path = path / EPOCH_LOG
    trainings: dict[tuple[int, int | None], dict[int, Epoch]] = {}
    for number, line in enumerate(read_lines(path), start=1):
        if not line.strip():
            continue
        try:
            read: _Line = conform(parse_json(line), _Line)
        except DataError as error:
            raise DataError(
                f"the epoch is malformed ({error})", _LINE, file=path, line=number
            ) from error
        epochs = trainings.setdefault((read.run, read.fold), {})
        epoch = read.epoch
        if epoch.number in epochs:
            raise DataError(
                f"epoch {epoch.number} of {TrainingCurve(read.run, read.fold, ()).name} occurs "
                "twice",
                "each epoch once",
                file=path,
                line=number,
            )
        epochs[epoch.number] = epoch
    if not trainings:
        raise DataError("the file is empty", f"lines {_LINE}", file=path)
    return [
        TrainingCurve(run, fold, tuple(epochs[k] for k in sorted(epochs)))
        for (run, fold), epochs in trainings.items()
    ]


class _Command(Struct):
    metric: Name | None = None


class _Manifest(Struct):
    """What a run's manifest tells of its metric."""

    command: _Command = field(default_factory=_Command)


class _Report(Struct):
    """What a run's report tells of the weights that were kept."""

    run: Counting | None = None
    epoch: Count | None = None


class _Line(Struct):
    """A line of the file; a loss that it doesn't tell is 0."""

    run: Counting
    number: Count
    score: Finite
    active: Count
    loss: Finite | None = None
    fold: Count | None = None
    held_out: Finite | None = None

    @property
    def epoch(self) -> Epoch:
        """What the training has reached."""
        return Epoch(self.number, self.loss or 0.0, self.score, self.active, self.held_out)
