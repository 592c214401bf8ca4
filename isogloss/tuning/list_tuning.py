"""Tuning from n-best lists: trainings, what they gained, and the weights that are kept."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from isogloss.align.errors import pluralize
from isogloss.tune.experiment import Outcome, Plan, Task, TuningSet, carry_out
from isogloss.tune.folds import USUAL_FOLDS
from isogloss.tune.methods import Learner
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.optimizers.oracle import measure_oracle
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import check_weight_names

from ..console import Console
from ..runs.measure import measure
from .folder import TuningFolder
from .inputs import ListReading, TuningFiles, TuningInput, read_tuning_input
from .outputs import RunResults, kept_folder, write_results
from .report import gain_lines, oracle_lines, reported_lines, show
from .selection import last_epoch_hint, last_line, no_weights, selected_outcome

__all__ = ["ListTuning", "report_epoch", "tune_lists", "voice"]


@dataclass(frozen=True)
class ListTuning:
    """What is learned from lists, and how.

    runs: trainings with other seeds; folds: of sentences, to judge the gain by, 0 = none
    trials: of the significance tests; output: file of the weights, None = stdout
    epochs: of a training, at most; 0 where that can't be known
    """

    files: TuningFiles
    metric: Metric
    learner: Learner
    reading: ListReading
    runs: int = 1
    folds: int = USUAL_FOLDS
    trials: int = 1000
    seed: int = 1
    output: str | None = None
    epochs: int = 0

    @property
    def threads(self) -> int:
        """Threads to learn with."""
        return self.reading.threads


# of lists with references in files of their own, as decoders write them
_BEFORE_DECODING = (
    "these weights are for reranking such lists. A decoder may find translations with them that "
    "the list lacks: decode again and tune on both lists, or use --decoder or --decoder-command"
)


def tune_lists(job: ListTuning, folder: TuningFolder | None, console: Console) -> None:
    """Learn weights from lists, say what was gained, and write them.

    folder: keeps what was learned and what was gained, and is gone on with; None = no folder

    Raises DataError for bad input and OutputError where a file can't be written.
    """
    with measure() as usage:
        given = read_tuning_input(job.files, job.metric, job.reading, job.folds, console)
        examples = given.examples
        for space in dict.fromkeys([examples.space, given.start.space]):
            check_weight_names(space, job.output)
        oracle = measure_oracle(examples, given.start)
        for line in oracle_lines(examples, oracle):
            console.info(line)
        plan = Plan(job.runs, given.folds, job.seed)
        if given.folds and given.held_out is None:
            console.info(_split_line(plan, len(examples), job.metric))
        with kept_folder(folder, console):
            outcomes = _carry_out_all(plan, job, given, folder, console)
        best, choice = selected_outcome(given, outcomes)
        lines, gains = gain_lines(given, plan, outcomes, job.trials, job.threads)
        scores, reported = reported_lines(given, plan, outcomes, best)
        if not (examples.space.num_dense or np.any(best.with_rest_of(given.start).weights.values)):
            console.error(no_weights(examples.space))
        for line in (*lines, choice or _choice(best, plan, given, job.epochs), *scores):
            console.info(line)
        sign = job.metric.sign
        last = last_line(best, gains, given.start, runs=job.runs, remedy="--folds", sign=sign)
        if best.best_epoch > 0 and job.files.refs and len(job.files.nbest) == 1:
            console.info(_BEFORE_DECODING)
        console.conclude(last)
    numbers = {"potential": vars(oracle), **gains, **reported}
    best = best.with_rest_of(given.start)
    results = RunResults(outcomes, best, numbers, vars(usage))
    write_results(results, folder, job.output, console)


def _split_line(plan: Plan, num_sentences: int, metric: Metric) -> str:
    """Which sentences the lines of epochs are about, whose scores differ from those of all."""
    split = plan.split(num_sentences, Task(1, None))
    return (
        f"epochs show {metric.name} on {pluralize(len(split.train), 'training sentence')} and on "
        f"{len(split.choose)} held-out sentences, the first of {plan.folds} folds"
    )


def _carry_out_all(
    plan: Plan, job: ListTuning, given: TuningInput, folder: TuningFolder | None, console: Console
) -> list[Outcome]:
    """All trainings; those that the folder holds are read back."""
    tasks = list(plan.tasks())
    outcomes, steps, shown = list[Outcome](), max(job.epochs, 1), 0
    with console.progress("tuning", len(tasks) * steps) as advance:

        def report(epoch: Epoch) -> None:
            report_epoch(task, given.examples.metric, console, epoch)
            show_until(len(outcomes) * steps + min(epoch.number, job.epochs))

        def show_until(step: int) -> None:
            nonlocal shown
            advance(step - shown)
            shown = step

        for task in tasks:
            outcome = folder.read_outcome(task, given.examples.space) if folder else None
            if outcome is None:
                outcome = carry_out(
                    task, plan, job.learner, TuningSet(given.examples, given.start, given.held_out),
                    threads=job.threads, checkpoint=folder.state_file(task) if folder else None,
                    report=report,
                )  # fmt: skip
                if folder:
                    folder.write_outcome(outcome)
                if outcome.note:
                    voice(task, console)(f"{task.name}: {outcome.note}")
            elif folder:
                folder.check_choices(outcome, plan, given.examples)
                console.info(f"{task.name}: already done")
            outcomes.append(outcome)
            show_until(len(outcomes) * steps)
    return outcomes


def voice(task: Task, console: Console) -> Callable[[str], None]:
    """How to report a training: that of the final weights always, those of folds with -v."""
    return console.info if task.fold is None else console.detail


def report_epoch(task: Task, metric: Metric, console: Console, epoch: Epoch) -> None:
    """Say in a line what an epoch has reached."""
    held_out = "" if epoch.held_out is None else f", held-out {show(metric, epoch.held_out)}"
    score = show(metric, epoch.score)
    voice(task, console)(
        f"{_shown(task)}, epoch {epoch.number}: loss {epoch.loss + 0.0:.4g}, {metric.name} "
        f"{score}{held_out}, {pluralize(epoch.active, 'active feature')}"
    )


def _shown(task: Task) -> str:
    """A training in words: run 1, or run 1, fold 2."""
    return f"run {task.run}" + ("" if task.fold is None else f", fold {task.fold}")


def _choice(best: Outcome, plan: Plan, given: TuningInput, epochs: int) -> str:
    where = "held-out" if given.held_out is not None or plan.folds else "training"
    metric = given.examples.metric
    initial = "" if best.best_epoch else " (the initial weights)"
    return (
        f"weights of run {best.task.run}, epoch {best.best_epoch}{initial}: "
        f"{where} {metric.name} {show(metric, best.held_out)}{last_epoch_hint(best, epochs)}"
    )
