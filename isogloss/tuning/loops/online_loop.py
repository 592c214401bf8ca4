"""Online tuning with our decoder: state and translations of each epoch are kept to go on from."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from isogloss.align.files.writers import write_lines
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.experiment import Outcome, Task
from isogloss.tune.nbest.types import NBest, read_nbest
from isogloss.tune.nbest.writer import nbest_lines
from isogloss.tune.online.decoder_loop import (
    DecoderProblem,
    TuningText,
    decode_corpus,
    decoded_lists,
    learn_while_decoding,
)
from isogloss.tune.online.learner import Start
from isogloss.tune.online.options import DecoderTuningOptions
from isogloss.tune.online.pool import HypothesisPool
from isogloss.tune.online.state import OnlineState, read_online_state, write_online_state
from isogloss.tune.results import Advance, Report, TuningResult
from isogloss.tune.weights.weights import Weights

from ..folder import TuningFolder
from .translation_sources import over_used_features

__all__ = ["EpochLoop", "OnlineLoop"]


@dataclass(frozen=True)
class EpochLoop(ABC):
    """Weights that change while sentences are translated, epoch by epoch.

    text: to learn from; held_out: chooses the epoch in its place
    epochs: at most; threads: to translate with
    start: weights to start from; seed: of the first run
    folder: keeps what was learned, and the state after each epoch; None = nothing is kept
    limit: the option that limits the epochs
    """

    limit: ClassVar[str] = "--epochs"

    decoder: Decoder
    text: TuningText
    held_out: TuningText | None
    epochs: int
    threads: int
    start: Weights
    seed: int
    folder: TuningFolder | None

    @abstractmethod
    def train(self, task: Task, report: Report, advance: Advance) -> TuningResult:
        """One training, or what is left of it."""

    def length(self) -> int:
        """Sentences that a training translates."""
        held_out = 0 if self.held_out is None else len(self.held_out)
        return (2 * self.epochs + 1) * len(self.text) + (self.epochs + 1) * held_out

    def carry_out(self, task: Task, report: Report, advance: Advance) -> Outcome:
        """One training, or what is left of it; none where the folder has its outcome."""
        folder = self.folder
        done = folder.read_outcome(task, self.decoder.space) if folder else None
        if done is not None:
            return done
        result = self.train(task, report, advance)
        none = np.zeros(0, np.int64)
        outcome = Outcome(
            task, result.weights, result.best_epoch, result.epochs, result.score, none, none,
            result.note, result.scale,
        )  # fmt: skip
        if folder is not None:
            folder.write_outcome(outcome)
        return outcome

    def merged(self, outcome: Outcome) -> None:  # noqa: B027 (the same for all)
        """No lists: each was learned from when it was there."""

    def best(self, outcome: Outcome | None, text: TuningText) -> NBest:
        """The best translations of a text with the weights of a training, None = the start's."""
        weights = self.start if outcome is None else outcome.weights
        translations = decode_corpus(self.decoder, text.sentences, weights, threads=self.threads)
        return decoded_lists(self.decoder, translations)


@dataclass(frozen=True)
class OnlineLoop(EpochLoop):
    """Mini-batches that are translated with the weights of the moment (Green et al. 2013)."""

    options: DecoderTuningOptions

    def train(self, task: Task, report: Report, advance: Advance) -> TuningResult:
        """One training, or what is left of it."""
        pool = HypothesisPool() if self.options.accumulate else None
        problem = DecoderProblem(
            self.decoder, self.text, self.options, self.held_out, pool, self.threads, advance
        )
        start: Start = self.start
        checkpoint = None
        if self.folder is not None:
            checkpoint = _Checkpoint(self.folder, task, problem)
            start = checkpoint.read() or start
        return learn_while_decoding(
            problem, start=start, seed=self.seed + task.run - 1, report=report,
            save=None if checkpoint is None else checkpoint.write,
        )  # fmt: skip


@dataclass(frozen=True)
class _Checkpoint:
    """The state of a training after an epoch, and the hypotheses accumulated by then."""

    # These have a file of each epoch, so that whenever a run is killed the state has its own.

    folder: TuningFolder
    task: Task
    problem: DecoderProblem

    def read(self) -> OnlineState | None:
        """The state to go on from, None where there is none; fills the pool.

        Raises DataError for files that are damaged.
        """
        path = self.folder.state_file(self.task)
        if not path.exists():
            return None
        state = read_online_state(path, self.problem.space)
        if self.problem.pool is not None and state.epoch:
            self._fill(self.problem.pool, self.folder.pool_file(self.task, state.epoch))
        return state

    def _fill(self, pool: HypothesisPool, path: Path) -> None:
        count, space = len(self.problem.text), self.problem.decoder.space
        lists = read_nbest([path], count)
        rows = lists.rows.renumbered(space.ids(lists.space))
        lists = replace(lists, rows=rows, space=space)
        pool.merged(np.arange(count), lists)

    def write(self, state: OnlineState) -> None:
        """Keep the state after an epoch."""
        pool, epoch = self.problem.pool, state.epoch
        if pool is not None and epoch:
            write_lines(
                _lines(over_used_features(pool.lists())), self.folder.pool_file(self.task, epoch)
            )
        write_online_state(state, self.problem.space, self.folder.state_file(self.task))
        if pool is not None and epoch:
            self.folder.pool_file(self.task, epoch - 1).unlink(missing_ok=True)


def _lines(lists: NBest) -> Sequence[str]:
    order = [np.asarray(lists.hypotheses(k)) for k in range(len(lists))]
    return list(nbest_lines(lists, order, np.zeros(len(lists.texts)), "moses"))
