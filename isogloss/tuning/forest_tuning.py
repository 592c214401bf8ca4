"""Tuning from forests that are there: trainings, what they gained, and the weights kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.execution import run_tasks
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.decoder.model import FIXED_FEATURES
from isogloss.tune.experiment import Outcome, Plan, Task, choose_best
from isogloss.tune.forest.forests import Forests
from isogloss.tune.forest.inference import viterbi
from isogloss.tune.methods import Learner, Optimizer
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import NBest
from isogloss.tune.optimizers.structured.forests import Approximation, ForestSource
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights, check_weight_names

from ..console import Console
from ..runs.measure import measure
from .folder import TuningFolder
from .forest_inputs import ForestFiles, ForestInput, ForestText, read_forest_input
from .inputs import possible_folds
from .list_tuning import report_epoch, voice
from .outputs import RunResults, kept_folder, write_results
from .report import GainTests, LoopChoices, loop_lines, show
from .selection import last_epoch_hint, last_line

__all__ = ["ForestTuning", "tune_forests"]


@dataclass(frozen=True)
class ForestTuning:
    """What is learned from forests, and how.

    method, options: an optimizer that takes forests; approximation: of BLEU in its searches
    lowercase: put words and references in lower case
    runs: trainings with other seeds; folds: of sentences, to judge the gain by, 0 = none
    trials: of the significance tests; output: file of the weights, None = stdout
    """

    files: ForestFiles
    metric: Bleu
    method: Optimizer
    options: Any
    approximation: Approximation = "rerank"
    lowercase: bool = False
    runs: int = 1
    folds: int = 0
    trials: int = 1000
    seed: int = 1
    threads: int = 1
    output: str | None = None

    def learner(self, space: FeatureSpace) -> Learner:
        """The optimizer; it leaves features alone that no decoder tunes."""
        fixed = tuple(name for name in FIXED_FEATURES if name in space)
        if self.method.structured:
            return self.method.learner(replace(self.options, fixed=(*self.options.fixed, *fixed)))
        return self.method.learner(self.options, untuned=fixed)

    @property
    def epochs(self) -> int:
        """Epochs that a training reports, 1 where that can't be known."""
        known = any(field.name == "epochs" for field in fields(self.options))
        return self.options.epochs + 1 if known else 1


def tune_forests(job: ForestTuning, folder: TuningFolder | None, console: Console) -> None:
    """Learn weights from forests, say what was gained, and write them.

    folder: keeps what was learned and what was gained, and is gone on with; None = no folder

    Raises DataError for bad input and OutputError where a file can't be written.
    """
    with measure() as usage:
        given = read_forest_input(
            job.files, console, lowercase=job.lowercase,
            bin_regularizer=getattr(job.options, "bin_regularizer", "none"),
        )  # fmt: skip
        for space in dict.fromkeys([given.space, given.start.space]):
            check_weight_names(space, job.output)
        plan = Plan(job.runs, possible_folds(job.folds, given.text, console), job.seed)
        with kept_folder(folder, console):
            outcomes = _Trainings(job, given, plan, folder, console).carry_out_all()
        best = choose_best(outcomes, job.metric.sign)
        tests = GainTests(job.metric, job.trials, job.seed, job.threads)
        choices = _choices(job, given, plan, outcomes)
        lines, numbers = loop_lines(tests, choices, best.task.run, lowercase=job.lowercase)
        if plan.folds:
            lines.insert(
                0, f"held-out: {plan.folds} folds, each scored with weights tuned on the others"
            )
    for line in (*lines, _chosen(best, given, plan, job)):
        console.info(line)
    remedy = "--folds or --held-out-forests"
    sign = job.metric.sign
    last = last_line(best, numbers, given.start, runs=job.runs, remedy=remedy, sign=sign)
    console.conclude(last)
    best = best.with_rest_of(given.start)
    results = RunResults(outcomes, best, numbers, vars(usage))
    write_results(results, folder, job.output, console)


@dataclass(frozen=True)
class _Trainings:
    """All trainings of a run; those that the folder holds are read back."""

    job: ForestTuning
    given: ForestInput
    plan: Plan
    folder: TuningFolder | None
    console: Console

    def carry_out_all(self) -> list[Outcome]:
        tasks, outcomes = list(self.plan.tasks()), list[Outcome]()
        job, folder, space = self.job, self.folder, self.given.space
        metric = replace(job.metric, document="chiang")
        source = self.given.text.source(
            approximation=job.approximation, metric=metric, threads=job.threads
        )
        with self.console.progress("tuning", len(tasks) * job.epochs) as advance:
            for task in tasks:
                outcome = folder.read_outcome(task, space) if folder else None
                if outcome is not None:
                    self.console.info(f"{task.name}: already done")
                    advance(job.epochs)
                else:
                    outcome = self._carry_out(task, source, advance)
                    if folder:
                        folder.write_outcome(outcome)
                outcomes.append(outcome)
        return outcomes

    def _carry_out(
        self, task: Task, source: ForestSource, advance: Callable[[int], None]
    ) -> Outcome:
        text, held_out = self.given.text, self.given.held_out
        split = self.plan.split(len(text), task)
        teach = split.train
        if held_out is not None:
            teach = np.sort(np.concatenate([split.train, split.choose]))
        elif len(split.choose):
            held_out = text.select(split.choose)

        def report(epoch: Epoch) -> None:
            report_epoch(task, self.job.metric, self.console, epoch)
            advance(1)

        result = self.job.learner(self.given.space)(
            source if len(teach) == len(text) else text.select(teach).source(source),
            self.given.start,
            self.plan.rng(task),
            held_out=None if held_out is None else held_out.source(source),
            threads=self.job.threads,
            report=report,
            checkpoint=self.folder.state_file(task) if self.folder else None,
        )
        if result.note:
            voice(task, self.console)(f"{task.name}: {result.note}")
        none = np.zeros(0, np.int64)
        return Outcome(
            task, result.weights, result.best_epoch, result.epochs, result.score, none, none,
            result.note, result.scale,
        )  # fmt: skip


def _choices(
    job: ForestTuning, given: ForestInput, plan: Plan, outcomes: Sequence[Outcome]
) -> dict[str, LoopChoices]:
    """The best translations by the weights to start from, and by those of each run."""
    finals = [outcome for outcome in outcomes if outcome.task.fold is None]
    translate = partial(_best_texts, threads=job.threads)
    choices = {}
    held_out = None if plan.folds else given.held_out
    for name, text in (("training", given.text), ("held-out", held_out)):
        if text is not None:
            found = [_lists(translate(text.graphs, one.weights, one.scale)) for one in finals]
            start = _lists(translate(text.graphs, given.start.to_space(given.space)))
            choices[name] = LoopChoices(start, found, text.references)
    if plan.folds:
        text = given.text
        judged = [
            _of_folds(text, plan, outcomes, run, translate) for run in range(1, plan.runs + 1)
        ]
        choices["held-out"] = replace(choices["training"], best=judged)
    return choices


def _of_folds(
    text: ForestText,
    plan: Plan,
    outcomes: Sequence[Outcome],
    run: int,
    translate: Callable[[Forests, Weights], list[str]],
) -> NBest:
    """The best translation of each sentence by weights that other folds have made."""
    texts = [""] * len(text)
    for outcome in outcomes:
        if outcome.task.run == run and outcome.task.fold is not None:
            tested = plan.split(len(text), outcome.task).test
            found = translate(text.graphs.select(tested), outcome.weights)
            for place, words in zip(tested.tolist(), found, strict=True):
                texts[place] = words
    return _lists(texts)


def _best_texts(
    graphs: Forests, weights: Weights, scale: float = 1.0, *, threads: int
) -> list[str]:
    """scale: a factor that the weights have beside those that forests keep"""
    values = weights.values / scale
    tasks = (partial(_best_text, graphs, k, values) for k in range(len(graphs)))
    return [*run_tasks(tasks, threads)]


def _best_text(graphs: Forests, number: int, weights: NDArray[np.float64]) -> str:
    graph = graphs[number]
    return " ".join(viterbi(graph, graph.scores(weights)).text(graph, 0))


def _lists(texts: Sequence[str]) -> NBest:
    """Lists of one translation each."""
    count = len(texts)
    return NBest(
        np.arange(count + 1), Texts.from_strings(texts), Ragged.empty(count), FeatureSpace(())
    )


def _chosen(best: Outcome, given: ForestInput, plan: Plan, job: ForestTuning) -> str:
    metric, last = job.metric, last_epoch_hint(best, getattr(job.options, "epochs", 0))
    where = "held-out" if given.held_out is not None or plan.folds else "training"
    return (
        f"weights of run {best.task.run}, epoch {best.best_epoch}: "
        f"{where} {metric.name} {show(metric, best.held_out)}{last}"
    )
