"""Epochs of learning: the best one is kept, and what is done so far can be gone on from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import DataError

from ..results import Epoch, Report

__all__ = ["Best", "Course", "EpochScore", "Training", "diverged", "run_epochs", "stream_key"]


@dataclass(frozen=True)
class EpochScore:
    """What weights reach after an epoch.

    score, held_out: metric in the reported unit; None without held-out examples
    reached: what epochs are compared by, higher is better
    sign: -1 of a metric that is an error rate
    """

    score: float
    held_out: float | None
    reached: float
    sign: int

    @classmethod
    def of(cls, score: float, held_out: float | None, sign: int) -> "EpochScore":
        """By the held-out score where there is one. sign: -1 of a metric that is an error rate"""
        return cls(score, held_out, sign * (score if held_out is None else held_out), sign)


@dataclass(frozen=True)
class Best:
    """The best epoch so far. weights: float64[num_features]; reached: what it is judged by"""

    weights: NDArray[np.float64]
    epoch: int
    reached: float


@dataclass(frozen=True)
class Course:
    """What epochs have reached so far.

    key: of all random numbers; epochs: from the start, 0, on; best: None before the start
    """

    key: int
    epochs: tuple[Epoch, ...] = ()
    best: Best | None = None


class Training(Protocol):
    """What learns, epoch by epoch."""

    def run_epoch(self, key: int) -> float:
        """Learn from all sentences; returns the loss. key: of the epoch's random numbers"""
        ...

    def result(self) -> NDArray[np.float64]:
        """The weights to judge: float64[num_features], not to be changed."""
        ...

    def judge(self, weights: NDArray[np.float64]) -> EpochScore:
        """What weights reach. weights: float64[num_features]"""
        ...

    def save(self, course: Course) -> None:
        """Keep all that is needed to go on from here."""
        ...


def stream_key(key: int, *numbers: int) -> int:
    """Key of a stream of random numbers of its own, 0 to 2^64 - 1."""
    return int(np.random.SeedSequence([key, *numbers]).generate_state(1, np.uint64)[0])


def diverged(where: str) -> DataError:
    """The error for weights that have become infinite. where: when that happened, in words"""
    return DataError(
        f"the weights or the loss are not finite in {where}",
        remedy="Lower the rate, or scale the features",
    )


def run_epochs(
    training: Training, course: Course, *, epochs: int, patience: int, report: Report
) -> tuple[Best, Sequence[Epoch]]:
    """Learn until there are so many epochs, or until ``patience`` were no better than the best.

    Epochs are compared by :meth:`Epoch.rank`; of equal ones the first is the best.

    course: what is done already, of which nothing is done again
    patience: 0 for all epochs
    Raises DataError where weights become infinite.
    """
    trace, best = list(course.epochs), course.best
    for number in range(len(trace), epochs + 1):
        if best is not None and 0 < patience < number - best.epoch:
            break
        loss = training.run_epoch(stream_key(course.key, number)) if number else 0.0
        weights = training.result()
        if not (np.isfinite(loss) and np.isfinite(weights).all()):
            raise diverged(f"epoch {number}")
        judged = training.judge(weights)
        active = int(np.count_nonzero(weights))
        trace.append(Epoch(number, loss, judged.score, active, judged.held_out))
        report(trace[-1])
        sign = judged.sign
        if best is None or trace[-1].rank(sign) > trace[best.epoch].rank(sign):
            best = Best(weights.copy(), number, judged.reached)
        training.save(Course(course.key, tuple(trace), best))
    assert best is not None
    return best, trace
