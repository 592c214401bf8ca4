"""Large margins between hope and fear, epoch by epoch, by one learner or several (Chiang 2012)."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from align.errors import UsageError
from align.execution import run_tasks

from ...examples import Examples
from ...online.epochs import Course, EpochScore, run_epochs
from ...results import Report, TuningResult, ignore
from ...weights.weights import Weights
from .document import first_document
from .learner import Learner
from .lists import as_source
from .options import HingeOptions
from .protocol import ExampleSource
from .state import HingeState
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
    threads: int = 1,
    report: Report = ignore,
    save: Save | None = None,
) -> TuningResult:
    """Learn weights with which hope scores above all else, by as much as it gains more.

    Sentences come in random order. Each moves the weights towards its hope and away from its fear,
    as ``options.update`` says (Chiang 2012, Algorithms 1 to 3); gains are those within the oracle
    document, of the translations before. After each epoch the weights, or their mean over all
    steps, are judged, and those of the best epoch are returned, the start included.

    Where scores are so far apart beside the gains that hope and fear are the model's best in every
    sentence of an epoch, no weight moves: they are a tenth after it, which changes no ranking
    (but by features that keep their weight).

    Several learners (``options.workers``) either learn from their share of the sentences and are
    averaged after each epoch (section 6.1), or, asynchronously, send each other their working sets
    (Algorithm 4): after each round, of a sentence for each learner, so that threads change nothing.

    examples: lists, or any source, such as forests
    start: weights to start from, carried over by name, or the state of an earlier run with the same
    options, to go on from to the same bytes; rng: None stands for seed 1, and a state has its own
    held_out: chooses the epoch, instead of the sentences learned from
    save: is called with the state after each epoch

    Raises DataError where weights become infinite, UsageError for a prefix that fits no feature,
    and for a state of another number of learners.
    """
    options, source = options or HingeOptions(), as_source(examples)
    judge = None if held_out is None else as_source(held_out)
    if isinstance(start, HingeState):
        course, state = start.course, start
    else:
        course = Course(int((rng or np.random.default_rng(1)).integers(1 << 63)))
        state = HingeState.fresh(
            start.over(source.space).values, first_document(source.metric), options.workers, course
        )
    learners = _learners(source, state, options)
    training = _Training(source, judge, options, threads, learners, save)
    best, epochs = run_epochs(
        training, course,
        epochs=options.epochs, patience=options.patience, report=report,
    )  # fmt: skip
    return TuningResult(Weights(source.space, best.weights), best.epoch, tuple(epochs))


def _learners(source: ExampleSource, state: HingeState, options: HingeOptions) -> list[Learner]:
    if len(state.steps) != options.workers:
        raise UsageError(
            f"workers = {options.workers}; expected {len(state.steps)}, as the state was saved with"
        )
    rates = options.rates(source.space)
    if options.parallel == "asynchronous" and options.update in ("sgd", "perceptron"):
        rates /= options.workers  # as their steps add up (section 6.2)
    columns = zip(
        state.weights, state.squares, state.drift, state.documents, state.steps, strict=True
    )
    return [
        Learner(
            source.metric, options, weights.copy(), rates, squares.copy(), drift.copy(), document,
            steps,
        )
        for weights, squares, drift, document, steps in columns
    ]  # fmt: skip


@dataclass(frozen=True)
class _Training:
    """Some learners' epochs. threads: change no result"""

    source: ExampleSource
    held_out: ExampleSource | None
    options: HingeOptions
    threads: int
    learners: Sequence[Learner]
    keep: Save | None

    def run_epoch(self, key: int) -> float:
        order = np.random.default_rng(key).permutation(len(self.source))
        before = [learner.weights.copy() for learner in self.learners]
        mixing = self.options.parallel == "mixing"
        loss = self._mix(order) if mixing else self._share_working_sets(order)
        pairs = zip(before, self.learners, strict=True)
        if all(np.array_equal(weights, learner.weights) for weights, learner in pairs):
            for learner in self.learners:
                free = learner.rates > 0.0
                learner.move_to(np.where(free, _SHRINK * learner.weights, learner.weights))
        return loss

    def result(self) -> NDArray[np.float64]:
        """The mean over all steps of all learners, or of their last weights."""
        steps = sum(learner.steps for learner in self.learners)
        if self.options.average and steps:
            total = _sum(learner.total() for learner in self.learners)
            return total / steps
        return self._mean()

    def _mean(self) -> NDArray[np.float64]:
        return _sum(learner.weights for learner in self.learners) / len(self.learners)

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        score = self.source.score(weights)
        held_out = None if self.held_out is None else self.held_out.score(weights)
        judge = score if held_out is None else held_out
        return EpochScore(score, held_out, self.source.metric.sign * judge)

    def save(self, course: Course) -> None:
        """Hand on all that is needed to go on."""
        if self.keep is not None:
            learners = self.learners
            self.keep(
                HingeState(
                    np.array([learner.weights for learner in learners]),
                    np.array([learner.squares for learner in learners]),
                    np.array([learner.drift for learner in learners]),
                    np.array([learner.document for learner in learners]),
                    tuple(learner.steps for learner in learners),
                    course,
                )
            )

    def _mix(self, order: NDArray[np.int64]) -> float:
        """Each learner takes its share of the sentences; then all have the mean of the weights."""
        shares = np.array_split(order, len(self.learners))
        passes = (
            partial(self._pass, learner, share)
            for learner, share in zip(self.learners, shares, strict=True)
        )
        loss = sum(run_tasks(passes, self.threads))
        mean = self._mean()
        for learner in self.learners:
            learner.move_to(mean)
        return loss

    def _pass(self, learner: Learner, sentences: NDArray[np.int64]) -> float:
        loss = 0.0
        for sentence in sentences.tolist():
            loss += learner.step(self.source.example(sentence, learner.weights))[1]
        return loss

    def _share_working_sets(self, order: NDArray[np.int64]) -> float:
        """Rounds of a sentence for each learner, which then has the working sets of the others."""
        loss, num = 0.0, len(self.learners)
        received: list[list[WorkingSet]] = [[] for _ in range(num)]
        for begin in range(0, len(order), num):
            sentences = order[begin : begin + num].tolist()
            results = [*run_tasks(self._round(sentences, received), self.threads)]
            loss += sum(own_loss for _, own_loss in results)
            received = [
                [own for other, (own, _) in enumerate(results) if other != k and own is not None]
                for k in range(num)
            ]
        for learner, sets in zip(self.learners, received, strict=True):
            learner.receive(sets)
        return loss

    def _round(
        self, sentences: Sequence[int], received: Sequence[Sequence[WorkingSet]]
    ) -> Iterator[partial[tuple[WorkingSet | None, float]]]:
        """A task for each learner; the last round may have fewer sentences."""
        for k, learner in enumerate(self.learners):
            sentence = sentences[k] if k < len(sentences) else None
            yield partial(self._step, learner, sentence, received[k])

    def _step(
        self, learner: Learner, sentence: int | None, received: Sequence[WorkingSet]
    ) -> tuple[WorkingSet | None, float]:
        if sentence is None:
            learner.receive(received)
            return None, 0.0
        return learner.step(self.source.example(sentence, learner.weights), received)


def _sum(vectors: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """In their order. vectors: float64[n] each"""
    first, *others = vectors
    total = first.copy()
    for vector in others:
        total += vector
    return total
