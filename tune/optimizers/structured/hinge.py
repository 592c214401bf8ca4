"""Large margins between hope and fear, epoch by epoch, by one learner or several (Chiang 2012)."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import OptionError
from isogloss.align.execution.workers import WorkerPool, ask_all

from ...examples import Examples
from ...metrics.bleu import Bleu
from ...metrics.protocol import Metric
from ...online.epochs import Course, EpochScore, run_epochs
from ...results import Report, TuningResult, ignore
from ...weights.weights import Weights
from .document import first_document
from .learner import LearnerState
from .lists import sources_of
from .options import HingeOptions
from .protocol import ExampleSource
from .state import HingeState
from .worker import Cluster, Worker, learner_rates, open_team
from .working_sets import WorkingSet

__all__ = ["Save", "tune_hinge"]

_SHRINK = 0.1  # of weights that an epoch has not moved
Save = Callable[[HingeState], None]


def tune_hinge(
    examples: ExampleSource | Examples,
    start: Weights | HingeState,
    options: HingeOptions | None = None,
    rng: np.random.Generator | None = None,
    *,
    held_out: ExampleSource | Examples | None = None,
    threads: int | Cluster = 1,
    report: Report = ignore,
    save: Save | None = None,
) -> TuningResult:
    """Learn weights under which hope scores above all else, by a margin of its gain.

    Sentences come in random order. Each moves the weights towards its hope and away from its fear
    as ``options.update`` says ([1]_, Algorithms 1 to 3). Gains are within the oracle document of
    the previous translations. The weights of an epoch are its last ones, or the mean over all
    steps.

    If scores are so large that hope and fear are the 1-best in every sentence of an epoch, weights
    are divided by 10 after it, except those that are kept, which changes no ranking.

    Several learners (``options.workers``) either learn from a share of the sentences each and are
    averaged after each epoch (section 6.1), or exchange working sets (Algorithm 4) after each round
    of one sentence per learner. Without ``options.deterministic`` they exchange them at once, and
    results are non-deterministic.

    Parameters
    ----------
    examples : ExampleSource or Examples
        Lists, or any source, such as forests.
    start : Weights or HingeState
        Initial weights, matched by name, or the state of an earlier run with the same options, to
        resume; the result is byte-identical.
    options : HingeOptions, optional
    rng : numpy.random.Generator, optional
        Default: seed 1. A state has its own.
    held_out : ExampleSource or Examples, optional
        Choose the best epoch; default: the examples.
    threads : int or Cluster, default 1
        Threads that learners share, or the cluster they are on; does not change the result.
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
        If a prefix matches no feature, the state has another number of learners, held-out examples
        have other features, or bold updating has another metric than BLEU by the closest length.
        ClusterPool raises further errors.

    References
    ----------
    .. [1] Chiang, D. (2012). Hope and fear for discriminative training of statistical translation
       models. JMLR 13.
    """
    options = options or HingeOptions()
    source, judge = sources_of(examples, held_out)
    if options.oracle == "bold":
        _check_bold(source.metric)
    rates = learner_rates(options, source.space)
    course, states = _begun(start, source, options, rng)
    with open_team(source, options, threads) as workers:
        training = _Training(source, judge, options, workers, states, rates > 0.0, threads, save)
        best, epochs = run_epochs(
            training, course, epochs=options.epochs, patience=options.patience, report=report
        )
    return TuningResult(Weights(source.space, best.weights), best.epoch, tuple(epochs))


def _check_bold(metric: Metric) -> None:
    """Raise UsageError for a metric whose statistics don't tell a reference."""
    if not isinstance(metric, Bleu):
        expected = f"hope, max-bleu or local with the metric {metric.name}"
        raise OptionError("oracle", expected, "bold")
    if metric.reference_length != "closest":
        expected = (
            f'hope, max-bleu or local with `reference_length="{metric.reference_length}"` (pass '
            '`reference_length="closest"` if each sentence has one reference)'
        )
        raise OptionError("oracle", expected, "bold")


def _begun(
    start: Weights | HingeState,
    source: ExampleSource,
    options: HingeOptions,
    rng: np.random.Generator | None,
) -> tuple[Course, list[LearnerState]]:
    """What the epochs have reached, and the learners, before the first epoch or the next."""
    if isinstance(start, HingeState):
        if len(start.steps) != options.workers:
            expected = f"{len(start.steps)}, the number in the saved state"
            raise OptionError("workers", expected, options.workers)
        return start.course, start.learners
    weights = start.to_space(source.space).values
    none = np.zeros(len(weights))
    fresh = LearnerState(weights, none, none, first_document(source.metric), 0)
    key = int((rng or np.random.default_rng(1)).integers(1 << 63))
    return Course(key), [fresh] * options.workers


@dataclass
class _Training:
    """Some learners' epochs."""

    # states: of the learners, between epochs; is_free: bool[num_features], may change its weight

    source: ExampleSource
    held_out: ExampleSource | None
    options: HingeOptions
    workers: WorkerPool[Worker]
    states: Sequence[LearnerState]
    is_free: NDArray[np.bool_]
    threads: int | Cluster
    keep: Save | None

    def run_epoch(self, key: int) -> float:
        order = np.random.default_rng(key).permutation(len(self.source)).tolist()
        before = self.states
        ask_all(
            self.workers, [partial(Worker.go_on_from, state=one) for one in before], afresh=True
        )
        if self.options.parallel == "mixing":
            loss = self._mix(order)
        elif not self.options.deterministic:
            loss = self._as_they_come([deque(order)] * len(before), share=True)
        else:
            loss = self._in_rounds(order)
        self.states = ask_all(self.workers, [Worker.state] * len(before))
        if self.options.parallel == "mixing":
            mean = self._mean()
            self.states = [state.moved_to(mean) for state in self.states]
        pairs = zip(before, self.states, strict=True)
        if all(np.array_equal(old.weights, new.weights) for old, new in pairs):
            self.states = [
                state.moved_to(np.where(self.is_free, _SHRINK * state.weights, state.weights))
                for state in self.states
            ]
        return loss

    def result(self) -> NDArray[np.float64]:
        """The mean over all steps of all learners, or of their last weights."""
        steps = sum(state.steps for state in self.states)
        if self.options.average and steps:
            return self._with_fixed(_sum(state.total() for state in self.states) / steps)
        return self._mean()

    def _mean(self) -> NDArray[np.float64]:
        return self._with_fixed(_sum(state.weights for state in self.states) / len(self.states))

    def _with_fixed(self, mean: NDArray[np.float64]) -> NDArray[np.float64]:
        """A mean in which fixed features have their weights to the last digit."""
        return np.where(self.is_free, mean, self.states[0].weights)

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        score = self.source.score(weights)
        held_out = None if self.held_out is None else self.held_out.score(weights)
        return EpochScore.of(score, held_out, self.source.metric.sign)

    def save(self, course: Course) -> None:
        """Hand on all that is needed to go on."""
        if self.keep is not None:
            self.keep(HingeState.of(self.states, course))

    def _mix(self, order: Sequence[int]) -> float:
        """Each learner takes its share of the sentences."""
        shares = np.array_split(np.array(order), len(self.states))
        return self._as_they_come([deque(share.tolist()) for share in shares], share=False)

    def _in_rounds(self, order: Sequence[int]) -> float:
        """Rounds of a sentence for each learner, which then has the working sets of the others."""
        loss, num = 0.0, len(self.states)
        received: list[list[WorkingSet]] = [[] for _ in range(num)]
        for begin in range(0, len(order), num):
            sentences = order[begin : begin + num]
            idle = [None] * (num - len(sentences))  # in the last round
            results = ask_all(self.workers, list(map(_task, [*sentences, *idle], received)))
            loss += sum(own_loss for _, own_loss in results)
            self._tell_progress(len(sentences))
            received = [
                [own for other, (own, _) in enumerate(results) if other != k and own is not None]
                for k in range(num)
            ]
        ask_all(self.workers, [_task(None, sets) for sets in received])
        return loss

    def _as_they_come(self, queues: Sequence[deque[int]], *, share: bool) -> float:
        """Each learner goes on with its queue, or that of all, as soon as it has done."""
        # share: working sets, with those that have come by then
        losses, busy = [0.0] * len(queues), 0
        received: list[list[WorkingSet]] = [[] for _ in queues]
        ready = deque(range(len(queues)))
        while ready or busy:
            while ready:
                number = ready.popleft()
                if queues[number]:
                    task = _task(queues[number].popleft(), received[number])
                    self.workers.begin(number, task)
                    received[number], busy = [], busy + 1
            if busy:
                number, (own, loss) = self.workers.first_done()
                losses[number] += loss
                busy -= 1
                ready.append(number)
                self._tell_progress(1)
                if share and own is not None:
                    for sets in (*received[:number], *received[number + 1 :]):
                        sets.append(own)
        ask_all(self.workers, [_task(None, sets) for sets in received])
        return sum(losses)

    def _tell_progress(self, count: int) -> None:
        if isinstance(self.threads, Cluster):  # else sources do so
            self.threads.advance(count)


def _task(
    sentence: int | None, received: Sequence[WorkingSet]
) -> Callable[[Worker], tuple[WorkingSet | None, float]]:
    return partial(Worker.learn, sentence=sentence, received=received)


def _sum(vectors: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """In their order. vectors: float64[n] each"""
    first, *others = vectors
    total = first.copy()
    for vector in others:
        total += vector
    return total
