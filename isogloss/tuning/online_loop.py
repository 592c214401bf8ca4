"""Online tuning with our decoder: state and translations of each epoch are kept to go on from."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from align.files.writers import write_lines
from tune.experiment import Outcome, Task
from tune.nbest.types import NBest, read_nbest
from tune.nbest.writer import nbest_lines
from tune.online.decoder_loop import (
    Advance,
    DecoderProblem,
    TuningText,
    decode_corpus,
    decoded_lists,
    learn_while_decoding,
)
from tune.online.learner import Start
from tune.online.pool import HypothesisPool
from tune.online.state import OnlineState, read_online_state, write_online_state
from tune.results import Report
from tune.weights.weights import Weights

from .folder import TuningFolder
from .translation_sources import over_used_features

__all__ = ["OnlineLoop"]


@dataclass(frozen=True)
class OnlineLoop:
    """Mini-batches that are translated with the weights of the moment (Green et al. 2013).

    start: weights to start from; seed: of the first run
    folder: keeps what was learned, and the state after each epoch; None = nothing is kept
    """

    problem: DecoderProblem
    start: Weights
    seed: int
    folder: TuningFolder | None

    def length(self) -> int:
        """Sentences that a training translates."""
        problem, epochs = self.problem, self.problem.options.epochs
        held_out = 0 if problem.held_out is None else len(problem.held_out)
        return (2 * epochs + 1) * len(problem.text) + (epochs + 1) * held_out

    def carry_out(self, task: Task, report: Report, advance: Advance) -> Outcome:
        """One training, or what is left of it; none where the folder has its outcome."""
        folder, space = self.folder, self.problem.decoder.space
        done = folder.read_outcome(task, space) if folder else None
        if done is not None:
            return done
        pool = HypothesisPool() if self.problem.options.accumulate else None
        problem = replace(self.problem, pool=pool, advance=advance)
        start: Start = self.start
        checkpoint = None
        if folder is not None:
            checkpoint = _Checkpoint(folder, task, problem)
            start = checkpoint.read() or start
        result = learn_while_decoding(
            problem, start=start, seed=self.seed + task.run - 1, report=report,
            save=None if checkpoint is None else checkpoint.write,
        )  # fmt: skip
        none = np.zeros(0, np.int64)
        outcome = Outcome(
            task, result.weights, result.best_epoch, result.epochs, result.score, none, none
        )
        if folder is not None:
            folder.write_outcome(outcome)
        return outcome

    def merged(self, outcome: Outcome) -> None:
        """No lists: each was learned from when it was there."""

    def best(self, outcome: Outcome | None, text: TuningText) -> NBest:
        """The best translations of a text with the weights of a training, None = the start's."""
        weights = self.start if outcome is None else outcome.weights
        decoder, threads = self.problem.decoder, self.problem.threads
        return decoded_lists(
            decoder, decode_corpus(decoder, text.sentences, weights, threads=threads)
        )


@dataclass(frozen=True)
class _Checkpoint:
    """The state of a training after an epoch, and the hypotheses that it has accumulated by then.

    These have a file of each epoch, so that whenever a run is killed the state has its own.
    """

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
        state = read_online_state(path, self.problem.decoder.space)
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
        write_online_state(state, self.problem.decoder.space, self.folder.state_file(self.task))
        if pool is not None and epoch:
            self.folder.pool_file(self.task, epoch - 1).unlink(missing_ok=True)


def _lines(lists: NBest) -> Sequence[str]:
    order = [np.asarray(lists.hypotheses(k)) for k in range(len(lists))]
    return list(nbest_lines(lists, order, np.zeros(len(lists.texts)), "moses"))
