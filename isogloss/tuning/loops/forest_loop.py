"""Learning from all that our decoder's search finds, sentence by sentence or by MERT."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from isogloss.tune.experiment import Task
from isogloss.tune.methods import Learner
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.online.decoder_loop import TuningText
from isogloss.tune.optimizers.structured.decoded import DecodedForests, ForestChoices
from isogloss.tune.optimizers.structured.forest_loop import (
    ForestCallbacks,
    ForestLoopOptions,
    ForestStep,
    tune_on_forests,
)
from isogloss.tune.optimizers.structured.worker import Cluster
from isogloss.tune.results import Advance, Report, TuningResult

from ...runs.decoder_file import read_decoder_file
from .iterations import IterationFiles, Step
from .online_loop import EpochLoop

__all__ = ["ForestLoop", "ForestMertLoop", "ForestsFromFiles"]


@dataclass(frozen=True)
class ForestsFromFiles:
    """Makes the forests' decoder where a learner is, from the files of that node.

    config: a TOML file, or a moses.ini; templates, plugin: as for the one here
    sentences: all that the one here was opened for, so that both have the same features
    """

    config: Path
    templates: Sequence[str]
    plugin: str | None
    sentences: Sequence[Sequence[str]]
    text: TuningText
    choices: ForestChoices
    metric: Bleu

    def __call__(self) -> DecodedForests:
        """The source of one learner. Raises DataError as the decoder is opened."""
        config = read_decoder_file(self.config, self.templates, self.plugin)
        metric = replace(self.metric, document="chiang")
        decoder = config.open(self.sentences)
        return DecodedForests(decoder, self.text, self.choices, metric=metric)


@dataclass(frozen=True)
class ForestLoop(EpochLoop):
    """Sentences whose forests are searched with the weights of the moment (Chiang 2012).

    learner: a structured optimizer; choices: of the forests; metric: that it learns by
    cluster: that its learners are on; None = they are threads
    """

    learner: Learner
    choices: ForestChoices
    metric: Bleu
    cluster: Cluster | None = None

    def train(self, task: Task, report: Report, advance: Advance) -> TuningResult:
        """One training, or what is left of it."""
        held_out = None if self.held_out is None else self._forests(self.held_out, advance)
        return self.learner(
            self._forests(self.text, advance), self.start,
            np.random.default_rng(self.seed + task.run - 1),
            held_out=held_out, threads=self.threads, report=report,
            checkpoint=None if self.folder is None else self.folder.state_file(task),
            cluster=None if self.cluster is None else replace(self.cluster, advance=advance),
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


@dataclass(frozen=True)
class ForestMertLoop(EpochLoop):
    """MERT on all that searches have found so far, iteration by iteration; ``epochs`` of them.

    options: of the loop; place: where the iterations' weights are kept
    """

    options: ForestLoopOptions
    place: Path
    limit: ClassVar[str] = "--decoder-iterations"

    def length(self) -> int:
        """Sentences that a training translates."""
        return (self.epochs + 1) * len(self.text)

    def train(self, task: Task, report: Report, advance: Advance) -> TuningResult:
        """One training, or what is left of it."""
        return tune_on_forests(
            self.decoder, self.text, self.options, start=self.start, held_out=self.held_out,
            seed=self.seed + task.run - 1, threads=self.threads,
            callbacks=ForestCallbacks(
                report, advance, steps=_KeptSteps(IterationFiles(self.place, task.name))
            ),
        )  # fmt: skip


@dataclass(frozen=True)
class _KeptSteps:
    """The files of a training's iterations."""

    files: IterationFiles

    def read(self, number: int) -> ForestStep | None:
        step = self.files.read_step(number)
        return None if step is None else ForestStep(step.weights, step.loss, step.scale)

    def write(self, number: int, step: ForestStep) -> None:
        self.files.write_step(number, Step(step.weights, step.loss, scale=step.scale))
