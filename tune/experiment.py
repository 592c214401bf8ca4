"""Tuning several times: runs with other seeds, and folds that judge what the gain is worth."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from .examples import Examples
from .folds import Split, split_sentences
from .methods import Learner
from .results import Epoch, Report, ignore

__all__ = ["Outcome", "Plan", "Task", "carry_out", "choose_best"]


@dataclass(frozen=True)
class Task:
    """One training: of a run (from 1 on), for a fold (from 0 on) or, None, for the final weights.

    Tasks differ in their random numbers by run and fold; whoever has the seed can repeat any.
    """

    run: int
    fold: int | None

    @property
    def name(self) -> str:
        """Name of its file: run1.final, run2.fold3."""
        return f"run{self.run}.final" if self.fold is None else f"run{self.run}.fold{self.fold}"


@dataclass(frozen=True)
class Plan:
    """runs: trainings with different random numbers; folds: 0 or at least 3; seed: of everything"""

    runs: int = 1
    folds: int = 0
    seed: int = 1

    def tasks(self) -> Iterator[Task]:
        """All trainings, in order."""
        for run in range(1, self.runs + 1):
            yield Task(run, None)
            yield from (Task(run, fold) for fold in range(self.folds))

    def split(self, num_sentences: int, task: Task) -> Split:
        """What a task learns from; the folds are the same for all runs."""
        return split_sentences(num_sentences, self.folds, task.fold, self.seed)

    def rng(self, task: Task) -> np.random.Generator:
        """The random numbers of a task."""
        return np.random.default_rng(
            [self.seed, task.run, 0 if task.fold is None else task.fold + 1]
        )


@dataclass(frozen=True)
class Outcome:
    """What a task has learned.

    weights: float64[num_features], of the best epoch
    held_out: score of these on the sentences that chose them, or on those learned from
    tested, hypotheses: int64, sentences of the fold that judges, and which hypothesis the weights
    choose for each, numbered as in the examples
    note: see :class:`tune.results.TuningResult`
    """

    task: Task
    weights: NDArray[np.float64]
    best_epoch: int
    epochs: tuple[Epoch, ...]
    held_out: float
    tested: NDArray[np.int64]
    hypotheses: NDArray[np.int64]
    note: str = ""


def carry_out(
    task: Task,
    plan: Plan,
    learner: Learner,
    examples: Examples,
    start: NDArray[np.float64],
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
    checkpoint: Path | None = None,
) -> Outcome:
    """One training. start: float64[num_features].

    held_out: examples that choose the epoch, instead of a fold's; checkpoint: see
    :class:`tune.methods.Learner`.
    """
    split = plan.split(len(examples), task)
    teach = split.train
    if held_out is not None:
        teach = np.sort(np.concatenate([split.train, split.choose]))
    elif len(split.choose):
        held_out = examples.select(split.choose)
    own = examples if len(teach) == len(examples) else examples.select(teach)
    result = learner(
        own, start, plan.rng(task), held_out=held_out, threads=threads, report=report,
        checkpoint=checkpoint,
    )  # fmt: skip
    judge = own if held_out is None else held_out
    return Outcome(
        task,
        result.weights,
        result.best_epoch,
        result.epochs,
        judge.best_score(result.weights),
        split.test,
        examples.best(result.weights)[split.test],
        result.note,
    )


def choose_best(outcomes: list[Outcome], sign: int) -> Outcome:
    """Of final weights, those with the best held-out score; of equal ones those of the first run.

    sign: 1 where higher scores are better, else -1
    """
    finals = [outcome for outcome in outcomes if outcome.task.fold is None]
    return max(finals, key=lambda outcome: sign * outcome.held_out)
