"""Structured optimisers with our decoder: all that its search finds is learned from."""

from dataclasses import dataclass, replace

import numpy as np

from tune.experiment import Task
from tune.methods import Learner
from tune.metrics.bleu import Bleu
from tune.online.decoder_loop import Advance, TuningText
from tune.optimizers.structured.decoded import DecodedForests, ForestChoices
from tune.results import Report, TuningResult

from .online_loop import EpochLoop

__all__ = ["ForestLoop"]


@dataclass(frozen=True)
class ForestLoop(EpochLoop):
    """Sentences whose forests are searched with the weights of the moment (Chiang 2012).

    learner: a structured optimiser; choices: of the forests; metric: that it learns by
    """

    learner: Learner
    choices: ForestChoices
    metric: Bleu

    def train(self, task: Task, report: Report, advance: Advance) -> TuningResult:
        """One training, or what is left of it."""
        held_out = None if self.held_out is None else self._forests(self.held_out, advance)
        return self.learner(
            self._forests(self.text, advance), self.start,
            np.random.default_rng(self.seed + task.run - 1),
            held_out=held_out, threads=self.threads, report=report,
            checkpoint=None if self.folder is None else self.folder.state_file(task),
        )  # fmt: skip

    def _forests(self, text: TuningText, advance: Advance) -> DecodedForests:
        return DecodedForests(
            self.decoder,
            text,
            self.choices,
            self.threads,
            advance,
            replace(self.metric, document="chiang"),
        )
