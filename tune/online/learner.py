"""Online optimizers: a loss, an update rule and lazy shrinkage, mini-batch by mini-batch.

AdaGrad-PRO of Green et al. (2013) and what that paper compares it with.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import OptionError
from isogloss.align.execution import run_tasks
from isogloss.features.space import FeatureSpace

from ..examples import Examples
from ..results import Report, TuningResult, ignore
from ..weights.regularizers import space_with_bins
from ..weights.weights import Weights
from .delays import delayed
from .epochs import Best, Course, EpochScore, run_epochs
from .kernels import updates as kernels
from .losses import Differences, Gradient
from .options import ONLINE_OPTIMIZERS, OnlineOptions
from .state import OnlineState
from .tied_bins import TiedBins, added

__all__ = [
    "OnlineLearner",
    "Problem",
    "Save",
    "Start",
    "learn",
    "tune_online",
]

_RULES = {"sgd": kernels.SGD, "adagrad": kernels.ADAGRAD, "arow": kernels.AROW}

Save = Callable[[OnlineState], None]
Start = Weights | OnlineState
"""Weights to start from, or the state of an earlier run to go on from."""


class OnlineLearner:
    """Weights, and the update rule that changes them; work grows with the features met only.

    Of neighboring bins that are tied all are met at each step. Those that were in no gradient but
    that of their neighbors so far do not shrink, and at the end of an epoch stand where the
    regularizer is least: nothing but their neighbors says what they are worth.

    space: names, for rates and lambdas by prefix
    start: weights, carried over to ``space`` by name, or a state over ``space`` to go on from
    shown: int32[k], features that the examples are known to have, any number of times each: their
        bins keep their weights until a gradient moves them; looked at with ``bin_regularizer``
        alone
    origin: the state it begins with; without epochs where it begins with weights

    Raises UsageError for a state with averages where ``options`` ask for none, and the reverse.
    """

    def __init__(
        self,
        space: FeatureSpace,
        start: Start,
        options: OnlineOptions,
        shown: NDArray[np.int32] | None = None,
    ) -> None:
        if isinstance(start, OnlineState):
            state = start
        else:
            state = OnlineState.fresh(start.to_space(space).values, options.average)
        if len(state.sums) != (len(space) if options.average else 0):
            raise OptionError("average", "the value in the saved state", options.average)
        self.space, self.options, self.origin = space, options, state
        self.weights = state.weights.copy()
        self.time, self.steps = state.time, state.steps
        self._squares, self._settled = state.squares.copy(), state.settled.copy()
        self._sums, self._familiar = state.sums.copy(), state.familiar.copy()
        self._counts = np.zeros(len(space) if options.min_feature_count > 1 else 0, np.int64)
        self._rule = kernels.UpdateRule(
            _RULES[options.update], float(options.initial_precision), options.rates(space),
            options.lambdas(space), float(options.l2),
        )  # fmt: skip
        self._tied = TiedBins.of(space, options)
        self._freely = self._rule
        if self._tied is not None:
            self._freely = self._rule._replace(l1=np.zeros(len(space)), l2=0.0)
            self._loose = self._rule.rates > 0.0  # neither fixed nor shown
            if shown is not None:
                self._loose[shown] = False
        self._met = [np.flatnonzero(self._squares).astype(np.int32)]
        self._average = self.weights.copy() if options.average else self.weights

    def _arrays(self) -> kernels.LearnerState:
        return kernels.LearnerState(self.weights, self._squares, self._settled, self._sums)

    def read(self, ids: NDArray[np.int32]) -> NDArray[np.float64]:
        """Weights of some features, as eager updates would hold them: float64[k].

        ids: int32[k]
        """
        kernels.settle(ids, self._arrays(), self._rule, self.time)
        return self.weights[ids]

    def update(self, gradient: Gradient) -> None:
        """One step on the gradient of a mini-batch."""
        ids, slopes = gradient.ids, gradient.slopes
        if self.options.min_feature_count > 1:
            self._counts[ids] += gradient.counts
            self._familiar[ids] |= self._counts[ids] >= self.options.min_feature_count
            slopes = np.where(self._familiar[ids], slopes, 0.0)
        if self._tied is not None:
            if self.options.min_feature_count == 1:
                self._familiar[ids[slopes != 0.0]] = True
            pull = self._tied.gradient(self.read(self._tied.ids))
            ids, slopes = added((ids, slopes), (self._tied.ids, pull))
        new = self._squares[ids] == 0.0
        rate = self.options.rate / (1.0 + self.options.decay * self.steps)
        if self._tied is None:
            kernels.step(ids, slopes, self._arrays(), self._rule, self.time, rate)
        else:
            self._step_tied(ids, slopes, rate)
        self.time += rate
        self.steps += 1
        if new.any():
            self._met.append(ids[new & (self._squares[ids] > 0.0)])

    def _step_tied(self, ids: NDArray[np.int32], slopes: NDArray[np.float64], rate: float) -> None:
        """A step of ``rate`` in which bins that only their neighbors move do not shrink."""
        # ids: int32[n], of the mini-batch and of all bins that are tied; slopes: float64[n]
        arrays, seen = self._arrays(), self._familiar[ids]
        kernels.step(ids[seen], slopes[seen], arrays, self._rule, self.time, rate)
        kernels.step(ids[~seen], slopes[~seen], arrays, self._freely, self.time, rate)
        kernels.settle(ids[~seen], arrays, self._freely, self.time + rate)

    def state(self, course: Course) -> OnlineState:
        """A copy of all that is needed to go on from here."""
        best = course.best
        assert best is not None
        return OnlineState(
            weights=self.weights.copy(),
            squares=self._squares.copy(),
            settled=self._settled.copy(),
            sums=self._sums.copy(),
            familiar=self._familiar.copy(),
            time=self.time,
            steps=self.steps,
            key=course.key,
            epoch=course.epochs[-1].number,
            best_weights=best.weights.copy(),
            best_epoch=best.epoch,
            reached=best.reached,
            epochs=course.epochs,
        )

    def begin_epoch(self) -> None:
        """Count anew in how many sentences each feature occurs."""
        self._counts[:] = 0

    def end_epoch(self) -> None:
        """Put bins that no example has moved where the regularizer of neighbors is least."""
        self._rest(self.settled())

    def _rest(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """The same array, in which such bins stand where the regularizer is least."""
        if self._tied is not None:
            self._tied.rest(weights, ~self._familiar & self._loose)
        return weights

    def settled(self) -> NDArray[np.float64]:
        """All weights, as eager updates would hold them: float64[num_features], not to be changed.

        Only features that ever had a gradient cost anything; others stand at their start.
        """
        self.read(self.met)
        return self.weights

    def result(self) -> NDArray[np.float64]:
        """The weights, or their average, to judge: float64[num_features], not to be changed."""
        met, weights = self.met, self.settled()
        if not self.options.average:
            return weights
        if self.time > 0.0:
            self._average[met] = self._sums[met] / self.time
        return self._rest(self._average)

    @property
    def met(self) -> NDArray[np.int32]:
        """Features that ever had a gradient, in the order of their first: int32[k]."""
        if len(self._met) > 1:
            self._met = [np.concatenate(self._met)]
        return self._met[0]


class Problem(Protocol):
    """Where gradients come from, and what judges the weights."""

    @property
    def num_sentences(self) -> int:
        """Sentences to learn from."""
        ...

    def tasks(
        self, learner: OnlineLearner, batches: Iterable[NDArray[np.int64]], key: int
    ) -> Iterator[Callable[[], Gradient]]:
        """A task for each mini-batch, which is taken when it may read the weights.

        What a task computes depends on no later weights.

        batches: int64[b] each, numbers of sentences; key: of the epoch's random numbers
        """
        ...

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        """What weights reach. weights: float64[num_features]."""
        ...


def learn(
    problem: Problem,
    learner: OnlineLearner,
    rng: np.random.Generator,
    *,
    threads: int = 1,
    report: Report = ignore,
    save: Save | None = None,
) -> TuningResult:
    """Epochs of mini-batches in random order (Algorithms 1 and 2); the weights of the best one.

    It ends early where ``patience`` epochs in a row were no better than the best one before.

    A learner that was made from a state goes on from it, to the same bytes as without the
    interruption; ``rng`` is not used then.

    save: is called with the state after each epoch

    Raises DataError where weights become infinite.
    """
    origin = learner.origin
    course = (
        Course(
            origin.key, origin.epochs, Best(origin.best_weights, origin.best_epoch, origin.reached)
        )
        if origin.epochs
        else Course(int(rng.integers(1 << 63)))
    )
    training = _Training(problem, learner, threads, save)
    options = learner.options
    best, epochs = run_epochs(
        training, course, epochs=options.epochs, patience=options.patience, report=report
    )
    return TuningResult(Weights(learner.space, best.weights), best.epoch, tuple(epochs))


@dataclass(frozen=True)
class _Training:
    """A learner's epochs on a problem."""

    problem: Problem
    learner: OnlineLearner
    threads: int
    keep: Save | None

    def run_epoch(self, key: int) -> float:
        return _epoch(self.problem, self.learner, key, self.threads)

    def result(self) -> NDArray[np.float64]:
        return self.learner.result()

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        return self.problem.judge(weights)

    def save(self, course: Course) -> None:
        if self.keep is not None:
            self.keep(self.learner.state(course))


def _epoch(problem: Problem, learner: OnlineLearner, key: int, threads: int) -> float:
    options = learner.options
    learner.begin_epoch()
    order = np.random.default_rng(key).permutation(problem.num_sentences)
    begins = range(0, len(order), options.batch_size)
    batches = (order[begin : begin + options.batch_size] for begin in begins)
    loss = 0.0
    tasks = problem.tasks(learner, batches, key)
    for gradient in delayed(tasks, options.staleness, threads, in_order=options.deterministic):
        learner.update(gradient)
        loss += gradient.loss
    learner.end_epoch()
    return loss


@dataclass(frozen=True)
class ListProblem:
    """Fixed n-best lists as a :class:`Problem`."""

    examples: Examples
    held_out: Examples | None
    options: OnlineOptions
    threads: int

    @property
    def num_sentences(self) -> int:
        """Sentences to learn from."""
        return len(self.examples)

    def tasks(
        self, learner: OnlineLearner, batches: Iterable[NDArray[np.int64]], key: int
    ) -> Iterator[Callable[[], Gradient]]:
        """A task for each mini-batch; what needs no weights is drawn ahead.

        batches: int64[b] each, numbers of sentences; key: of the epoch's random numbers
        """
        examples, size = self.examples, len(self.examples.space)
        lists = examples.rows, examples.gains, examples.sentence_offsets
        drawn = (
            partial(Differences.draw, *lists, batch, size, self.options, key) for batch in batches
        )
        for differences in run_tasks(drawn, self.threads):
            yield partial(differences.gradient, learner.read(differences.ids), self.options)

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        """By the held-out examples where there are any, else by those learned from.

        weights: float64[num_features]
        """
        score = self.examples.best_score(weights)
        held_out = None if self.held_out is None else self.held_out.best_score(weights)
        return EpochScore.of(score, held_out, self.examples.metric.sign)


def tune_online(
    examples: Examples,
    start: Start,
    options: OnlineOptions = ONLINE_OPTIMIZERS["adagrad-pro"],
    rng: np.random.Generator | None = None,
    *,
    held_out: Examples | None = None,
    threads: int = 1,
    report: Report = ignore,
    save: Save | None = None,
) -> TuningResult:
    """Learn weights on n-best lists with an online optimizer.

    Time per epoch grows with the entries of the lists, not with the size of the space. With
    ``bin_regularizer`` all bins of a feature have weights, also bins that no hypothesis has; a
    state is over the space with these (:func:`isogloss.tune.weights.regularizers.space_with_bins`).

    Parameters
    ----------
    examples : Examples
    start : Weights or OnlineState
        Initial weights, or the state of an earlier run with the same options, to resume.
    options : OnlineOptions, optional
        Default: those of adagrad-pro.
    rng : numpy.random.Generator, optional
        Default: seed 1.
    held_out : Examples, optional
        Over the same space; choose the best epoch. Default: the examples.
    threads : int, default 1
    report, save : callable, optional
        Called with each epoch, and with the state after it.

    Returns
    -------
    TuningResult
        Epoch 0 is the start.

    Raises
    ------
    DataError
        If weights become infinite.
    UsageError
        If a bin regularizer finds no neighboring bins, or the examples keep fixed weights.
    """
    examples.check_learnable()
    if options.bin_regularizer != "none":
        space = space_with_bins(examples.space, options.bin_regularizer)
        examples = replace(examples, space=space)  # ids stay
        held_out = None if held_out is None else held_out.to_space(space)
    problem = ListProblem(examples, held_out, options, threads)
    return learn(
        problem,
        OnlineLearner(examples.space, start, options, examples.rows.ids),
        rng or np.random.default_rng(1),
        threads=threads,
        report=report,
        save=save,
    )
