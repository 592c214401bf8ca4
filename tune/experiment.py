"""Tuning once, or several times: runs with other seeds, and folds that judge the gain."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import OptionError, UsageError, check_argument, shown
from isogloss.align.execution.calls import public
from isogloss.align.execution.keywords import chosen_options

from .examples import Examples
from .folds import Split, check_folds, split_sentences
from .methods import OPTIMIZERS, Learner
from .results import Epoch, Report, TuningResult, ignore
from .weights.given import GivenWeights, given_weights
from .weights.regularizers import space_with_bins
from .weights.weights import Weights

__all__ = ["Outcome", "Plan", "Task", "TuningSet", "carry_out", "choose_best", "tune_nbest"]

_EXAMPLES = "Examples", "Examples.from_nbest(lists, references, metric)"
_Given = ParamSpec("_Given")
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class Task:
    """One training: of a run (from 1 on), for a fold (from 0 on) or, None, for the final weights.

    Each has random numbers of its own, made from the seed, so that any can be repeated alone.
    """

    run: int
    fold: int | None

    @property
    def name(self) -> str:
        """Name of its file: run1.final, run2.fold3."""
        return f"run{self.run}.final" if self.fold is None else f"run{self.run}.fold{self.fold}"


@dataclass(frozen=True)
class Plan:
    """How often weights are learned, and what judges them.

    runs: trainings with different random numbers
    folds: of the sentences, 0 or at least 3
    seed: of all random numbers

    Raises UsageError for one or two folds.
    """

    runs: int = 1
    folds: int = 0
    seed: int = 1

    def __post_init__(self) -> None:
        check_folds(self.folds)

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


@dataclass(frozen=True, eq=False)
class Outcome(ComparedByContent):
    """What a task has learned.

    weights: of the best epoch
    held_out: score of these on the sentences that chose them, or on those learned from
    tested: int64[t], sentences of the fold that judges
    hypotheses: int64[t], which hypothesis the weights choose for each, numbered as in the examples
    note, scale: see :class:`isogloss.tune.results.TuningResult`
    """

    task: Task
    weights: Weights
    best_epoch: int
    epochs: tuple[Epoch, ...]
    held_out: float
    tested: NDArray[np.int64]
    hypotheses: NDArray[np.int64]
    note: str = ""
    scale: float = 1.0

    def with_rest_of(self, start: Weights) -> "Outcome":
        """The same with the weights of features that nothing was learned of, as they were.

        start: that was learned from
        """
        return replace(self, weights=self.weights.with_rest_of(start, self.scale))


@dataclass(frozen=True)
class TuningSet:
    """What weights are learned from.

    start: weights to start from
    held_out: examples that choose the epoch, instead of a fold's
    """

    examples: Examples
    start: Weights
    held_out: Examples | None = None


def _of_examples(function: Callable[_Given, _Result]) -> Callable[_Given, _Result]:
    """The function, which refuses references behind n-best lists, where the optimizer belongs."""

    @wraps(function)
    def called(*given: _Given.args, **named: _Given.kwargs) -> _Result:
        if len(given) > 1 and "optimizer" in named:
            raise UsageError(
                f"examples must be Examples, which contain the references, not {shown(given[0])} "
                f"and {shown(given[1])}; use Examples.from_nbest(lists, references, metric)"
            )
        return function(*given, **named)

    return called


@public
@_of_examples
def tune_nbest(
    examples: Examples,
    optimizer: str = "adagrad-pro",
    options: object = None,
    *,
    initial_weights: GivenWeights | None = None,
    seed: int = 1,
    threads: int = 1,
    held_out: Examples | None = None,
    report: Report = ignore,
    **changes: Any,
) -> TuningResult:
    """Learn weights on n-best lists and return those of the best epoch.

    The same as ``isogloss tune --folds 0`` with the same seed, which also keeps the weights of
    sparse features that the examples don't have: ``result.weights.with_rest_of(
    initial_weights, result.scale)``. Such features still count in held-out scores.

    Parameters
    ----------
    examples : Examples
        Training examples.
    optimizer : str, default "adagrad-pro"
        One of :data:`isogloss.tune.methods.OPTIMIZERS`.
    options : dataclass, optional
        The optimizer's options, such as ``MertOptions``; default: those of the optimizer.
    initial_weights : Weights or dict of float, optional
        Weights to start with, carried over by name, also those of a moses.ini
        (:meth:`Weights.renamed_for`); default: zeros.
    seed : int, default 1
        Random seed.
    threads : int, default 1
        Does not affect the result.
    held_out : Examples, optional
        Examples that select the epoch; default: the training examples.
    report : callable, optional
        Called with each epoch.
    **changes
        Single options by name, such as ``epochs=5``.

    Returns
    -------
    TuningResult
        Epoch 0 has the initial weights.

    Raises
    ------
    UsageError
        If there is no such optimizer, option or feature, or a value is out of range.
    WrongTypeError
        If an argument is of another type.

    Examples
    --------
    >>> from isogloss.tune.nbest.types import parse_nbest
    >>> from isogloss.tune.references import References
    >>> text = "0 ||| bad ||| LM0= -2 ||| 0\\n0 ||| good ||| LM0= -9 ||| 0"
    >>> references = References.from_sentences(["good"])
    >>> examples = Examples.from_nbest(parse_nbest(text, "lists"), references, "ter")
    >>> tune_nbest(examples, "mert", initial_weights={"LM0": 1}).weights["LM0"] < 0
    True
    """
    check_argument(examples, Examples, "examples", *_EXAMPLES)
    if optimizer not in list(OPTIMIZERS):
        raise OptionError("optimizer", f"one of {', '.join(OPTIMIZERS)}", optimizer)
    learned = OPTIMIZERS[optimizer]
    first = fields(learned.defaults)[0].name
    example = f"{first}={getattr(learned.defaults, first)!r}"
    others = [name for name in inspect.signature(tune_nbest).parameters if name != "changes"]
    chosen = chosen_options(options, learned.defaults, changes, example, others=others)
    if held_out is not None:
        check_argument(held_out, Examples, "held_out", *_EXAMPLES)
    shown = [examples.space] if held_out is None else [examples.space, held_out.space]
    begin = Weights.zeros(examples.space)
    if initial_weights is not None:
        begin = given_weights(initial_weights, *shown).renamed_for(*shown)
    if held_out is not None:
        space = space_with_bins(examples.space, getattr(chosen, "bin_regularizer", "none"))
        examples, held_out = (
            replace(examples, space=space),
            held_out.to_space(space, begin),
        )  # ids stay
    result = learned.learner(chosen)(
        examples,
        begin,
        Plan(seed=seed).rng(Task(1, None)),
        held_out=held_out,
        threads=threads,
        report=report,
    )
    return replace(result, metric=examples.metric.name)


def carry_out(
    task: Task,
    plan: Plan,
    learner: Learner,
    tuning_set: TuningSet,
    *,
    threads: int = 1,
    report: Report = ignore,
    checkpoint: Path | None = None,
) -> Outcome:
    """One training. checkpoint: see :class:`isogloss.tune.methods.Learner`."""
    examples, held_out = tuning_set.examples, tuning_set.held_out
    split = plan.split(len(examples), task)
    teach = split.train
    if held_out is not None:
        teach = np.sort(np.concatenate([split.train, split.choose]))
    elif len(split.choose):
        held_out = examples.select(split.choose)
    learned_from = examples if len(teach) == len(examples) else examples.select(teach)
    result = learner(
        learned_from, tuning_set.start, plan.rng(task), held_out=held_out, threads=threads,
        report=report, checkpoint=checkpoint,
    )  # fmt: skip
    judge = learned_from if held_out is None else held_out
    values = result.weights.to_space(examples.space).values
    return Outcome(
        task,
        result.weights,
        result.best_epoch,
        result.epochs,
        judge.best_score(values, result.scale),
        split.test,
        examples.best(values)[split.test],
        result.note,
        result.scale,
    )


def choose_best(outcomes: list[Outcome], sign: int) -> Outcome:
    """The final weights with the best held-out score; of equal ones those of the first run.

    sign: 1 where higher scores are better, else -1
    """
    finals = [outcome for outcome in outcomes if outcome.task.fold is None]
    return max(finals, key=lambda outcome: sign * outcome.held_out)
