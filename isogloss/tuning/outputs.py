"""What a tuning run leaves: its folder, and the weights where they were asked for."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from isogloss.align.errors import OutputError
from isogloss.tune.experiment import Outcome
from isogloss.tune.weights.weights import Weights

from ..console import Console
from .folder import TuningFolder

__all__ = ["RunResults", "kept_folder", "write_results"]


@dataclass(frozen=True)
class RunResults:
    """What came of a run.

    best: of the outcomes, the one whose weights are kept: the report tells its run and epoch
    report: scores, gains and tests as numbers; usage: time and memory
    """

    outcomes: Sequence[Outcome]
    best: Outcome
    report: Mapping[str, Any]
    usage: Mapping[str, float]


@contextmanager
def kept_folder(folder: TuningFolder | None, console: Console) -> Iterator[None]:
    """Begin the folder; when the block fails, a folder in which nothing was learned is removed."""
    try:
        if folder is not None:
            folder.begin()
        yield
    except KeyboardInterrupt:
        if folder is not None:
            console.error(
                f"finished trainings are in {folder.path}; pass --resume to resume the run"
            )
        raise
    except Exception:
        if folder is not None:
            folder.discard_unused()
        raise


def _write_or_show(
    weights: Weights, path: str | None, folder: TuningFolder | None, console: Console
) -> None:
    """Write weights; where that fails, they are in the folder, or else go to standard output."""
    try:
        weights.save(path)
    except OutputError:
        if folder is not None:
            console.error(f"the weights are in {folder.weights_file}")
        elif path not in (None, "-"):
            console.error("the weights are written to standard output instead")
            weights.save(None)
        raise


def write_results(
    results: RunResults, folder: TuningFolder | None, output: str | None, console: Console
) -> None:
    """Write epochs, report, weights and usage to the folder, and the weights to the output.

    output: file of the weights; None = stdout, where there is no folder

    Raises OutputError where a file can't be written.
    """
    weights = results.best.weights
    if folder is not None:
        folder.write_epochs(results.outcomes)
        kept = {"run": results.best.task.run, "epoch": results.best.best_epoch}
        folder.write_report({**results.report, **kept})
        weights.save(folder.weights_file)
        folder.write_usage({key: round(value, 2) for key, value in results.usage.items()})
    if output or folder is None:
        _write_or_show(weights, output, folder, console)
