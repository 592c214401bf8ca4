"""epochs.jsonl: what each epoch of each training of a run has reached, read again."""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from align.errors import DataError
from align.text.readers import read_lines
from tune.results import Epoch

__all__ = ["EPOCH_LOG", "TrainingCurve", "read_curves"]

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
            run, fold, epoch = _parse(json.loads(line))
        except (ValueError, TypeError) as error:
            raise DataError(
                f"a line that can't be read as an epoch ({error})", _LINE, file=path, line=number
            ) from error
        epochs = trainings.setdefault((run, fold), {})
        if epoch.number in epochs:
            raise DataError(
                f"epoch {epoch.number} of {TrainingCurve(run, fold, ()).name} again",
                "each epoch once",
                file=path,
                line=number,
            )
        epochs[epoch.number] = epoch
    if not trainings:
        raise DataError("no epoch", f"lines {_LINE}", file=path)
    return [
        TrainingCurve(run, fold, tuple(epochs[k] for k in sorted(epochs)))
        for (run, fold), epochs in trainings.items()
    ]


def _parse(value: Any) -> tuple[int, int | None, Epoch]:
    if not isinstance(value, dict):
        raise ValueError("no object")
    lacking = [key for key in ("run", "number", "score", "active") if key not in value]
    if lacking:
        raise ValueError(f"no {', '.join(lacking)}")
    whole = _whole(value, ("run", "number", "active"))
    fold = None if value.get("fold") is None else _whole(value, ("fold",))[0]
    loss = value.get("loss")
    held_out = value.get("held_out")
    epoch = Epoch(
        whole[1],
        0.0 if loss is None else _finite(value, "loss"),
        _finite(value, "score"),
        whole[2],
        None if held_out is None else _finite(value, "held_out"),
    )
    return whole[0], fold, epoch


def _whole(value: dict[str, Any], keys: Sequence[str]) -> list[int]:
    for key in keys:
        if not isinstance(value[key], int) or isinstance(value[key], bool):
            raise ValueError(f"{key} {value[key]!r} is not a whole number")
    return [value[key] for key in keys]


def _finite(value: dict[str, Any], key: str) -> float:
    number = value[key]
    if isinstance(number, bool) or not isinstance(number, int | float) or not math.isfinite(number):
        raise ValueError(f"{key} {number!r} is not a finite number")
    return float(number)
