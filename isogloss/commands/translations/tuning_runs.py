"""What the runs of `isogloss tune --out` chose of sentences that they hadn't learned from."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from isogloss.align.errors import DataError
from isogloss.align.files.records import Count, Text, conform
from isogloss.tune.experiment import Plan, Task
from isogloss.tune.folds import USUAL_FOLDS
from isogloss.tune.nbest.records.fields import RecordFields
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References

from ...runs.list_references import ReferenceFiles
from ...runs.run_folder import MANIFEST
from ...tuning.folder import TuningFolder
from ...tuning.list_inputs import read_lists
from ...tuning.run_names import COPY, TASKS
from .outputs import Output

__all__ = ["chosen_of_run", "is_tuning_run"]

_DECODE = "Translate a text with the weights of each run, and compare the translations"


# as `isogloss tune` takes them
_Folds = Annotated[int, Meta(ge=0, le=1000)]
_Runs = Annotated[int, Meta(ge=1, le=10_000)]


class _Command(Struct):
    """What is needed here of the command that a run's manifest records."""

    nbest: list[Text]
    refs: list[Text]
    score_files: list[Text]
    held_out: list[Text]
    held_out_refs: list[Text]
    folds: _Folds | None
    runs: _Runs
    seed: Count
    fields: list[Text] = []
    per_item: int | None = None


def is_tuning_run(path: str) -> bool:
    """Whether a path is the folder of a tuning run."""
    return (Path(path) / MANIFEST).is_file() and (Path(path) / TASKS).is_dir()


def chosen_of_run(path: str) -> list[Output]:
    """What each training of a run from n-best lists chose of held-out sentences.

    Those are of its held-out lists, by the weights that it kept, or all sentences of its lists,
    each by the weights of the folds that it isn't in.

    Raises DataError for a run with a decoder or from forests, one that held nothing out, one that
    isn't finished, and one whose inputs have changed.
    """
    folder = TuningFolder.open(path)
    try:
        given: _Command = conform(dict(folder.command), _Command)
    except DataError as error:
        raise error.placed(Path(path) / MANIFEST, remedy=COPY) from error
    if not given.nbest or given.score_files:
        raise DataError(
            "the run has no n-best lists with translations",
            "a run on n-best lists",
            file=path,
            remedy=_DECODE,
        )
    folder.check_inputs()
    fields = RecordFields.parse(given.fields, given.per_item)
    tasks = [Task(run, None) for run in range(1, given.runs + 1)]
    if given.held_out:
        lists, references = _read(given.held_out, given.held_out_refs, fields)
        rows = [_best(folder, task, lists) for task in tasks]
    else:
        lists, references = _read(given.nbest, given.refs, fields)
        folds = USUAL_FOLDS if given.folds is None else given.folds
        plan = Plan(given.runs, folds if len(lists) >= 2 * folds else 0, given.seed)
        if not plan.folds:
            raise DataError(
                "the run has no held-out sentences",
                "a run with --folds or --held-out",
                file=path,
                remedy=_DECODE,
            )
        rows = [_by_folds(folder, plan, task.run, lists) for task in tasks]
    return [
        Output.chosen(f"{path}, run {task.run}", lists, chosen, references)
        for task, chosen in zip(tasks, rows, strict=True)
    ]


def _read(
    paths: Sequence[str], refs: Sequence[str], fields: RecordFields | None
) -> tuple[NBest, References | None]:
    files = ReferenceFiles.read(refs) if refs else None
    lists = read_lists(paths, files.num_sentences if files else 0, fields=fields)
    return lists, files.of([lists]) if files else None


def _best(folder: TuningFolder, task: Task, lists: NBest) -> list[int]:
    """The best hypotheses by the weights of a training."""
    outcome = folder.read_outcome(task, lists.space)
    if outcome is None:
        raise _unfinished(folder, task)
    return lists.best(outcome.weights.values).tolist()  # type: ignore[no-any-return]


def _by_folds(folder: TuningFolder, plan: Plan, run: int, lists: NBest) -> list[int]:
    """What the trainings of a run's folds chose, each of its fold."""
    rows = np.full(len(lists), -1)
    for fold in range(plan.folds):
        task = Task(run, fold)
        outcome = folder.read_outcome(task, lists.space)
        if outcome is None:
            raise _unfinished(folder, task)
        folder.check_choices(outcome, plan, lists)
        rows[outcome.tested] = outcome.hypotheses
    return rows.tolist()


def _unfinished(folder: TuningFolder, task: Task) -> DataError:
    return DataError(
        f"the training {task.name} is missing",
        "all trainings of the run",
        file=folder.path,
        remedy="Finish the run: repeat its `isogloss tune` with --resume",
    )
