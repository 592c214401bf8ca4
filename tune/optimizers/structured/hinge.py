"""Large margins between hope and fear, epoch by epoch, by one learner or several (Chiang 2012)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from align.execution import run_tasks

from ...online.epochs import Course, EpochScore, run_epochs
from ...results import Report, TuningResult, ignore
from ...weights.weights import Weights
from .document import first_document
from .learner import Learner
from .options import HingeOptions
from .protocol import ExampleSource
from .working_sets import WorkingSet

__all__ = ["tune_hinge"]


def tune_hinge(
    source: ExampleSource,
    start: Weights,
    options: HingeOptions | None = None,
    rng: np.random.Generator | None = None,
    *,
    held_out: ExampleSource | None = None,
    threads: int = 1,
    report: Report = ignore,
) -> TuningResult:
    """Learn weights with which hope scores above all else, by as much as it gains more.

    Sentences come in random order. Each moves the weights towards its hope and away from its fear,
    as ``options.update`` says (Chiang 2012, Algorithms 1 to 3); gains are those within the oracle
    document, of the translations before. After each epoch the weights, or their mean over all
    steps, are judged, and those of the best epoch are returned, the start included.

    Several learners (``options.workers``) either learn from their share of the sentences and are
    averaged after each epoch (section 6.1), or, asynchronously, send each other their working sets
    (Algorithm 4): after each round, of a sentence for each learner, so that threads change nothing.

    start: weights to start from, carried over by name; rng: None stands for seed 1
    held_out: chooses the epoch, instead of the sentences learned from

    Raises DataError where weights become infinite, UsageError for a prefix that fits no feature.
    """
    options = options or HingeOptions()
    rng = rng or np.random.default_rng(1)
    training = _Training(source, held_out, options, threads, _learners(source, start, options))
    best, epochs = run_epochs(
        training, Course(int(rng.integers(1 << 63))),
        epochs=options.epochs, patience=options.patience, report=report,
    )  # fmt: skip
    return TuningResult(Weights(source.space, best.weights), best.epoch, tuple(epochs))


def _learners(source: ExampleSource, start: Weights, options: HingeOptions) -> list[Learner]:
    weights, rates = start.over(source.space).values, options.rates(source.space)
    if options.parallel == "asynchronous" and options.update in ("sgd", "perceptron"):
        rates /= options.workers  # as their steps add up (section 6.2)
    return [
        Learner(
            source.metric, options, weights.copy(), rates.copy(), np.zeros(len(weights)),
            first_document(source.metric),
        )
        for _ in range(options.workers)
    ]  # fmt: skip


@dataclass(frozen=True)
class _Training:
    """Some learners' epochs. threads: change no result"""

    source: ExampleSource
    held_out: ExampleSource | None
    options: HingeOptions
    threads: int
    learners: Sequence[Learner]

    def run_epoch(self, key: int) -> float:
        order = np.random.default_rng(key).permutation(len(self.source))
        if self.options.parallel == "mixing":
            return self._mix(order)
        return self._share_working_sets(order)

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
        """Nothing is kept."""

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
