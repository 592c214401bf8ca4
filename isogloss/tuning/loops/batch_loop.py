"""Batch tuning with a decoder: translate all, merge with earlier lists, optimize, and again.

Och (2003), section 7; Bertoldi, Haddow & Fouet (2009) describe Moses's loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import MAX_HYPOTHESES, check_options, check_types, range_checks
from isogloss.align.files.scratch import ScratchArrays
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.methods import Learner
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import NBest
from isogloss.tune.results import Advance, Epoch, Report, pass_over
from isogloss.tune.weights.weights import Weights

from ..inputs import ListReading
from ..list_inputs import read_lists
from .iterations import IterationFiles, Step

if TYPE_CHECKING:
    from isogloss.tune.online.decoder_loop import TuningText

    from .translation_sources import TranslationSource

__all__ = ["BatchLoop", "BatchOptions", "BatchResult", "beginning", "best_translations"]


@dataclass(frozen=True)
class BatchOptions:
    """When the loop ends, and what it learns from.

    nbest_size: hypotheses per sentence and iteration
    iterations: at most so often weights are learned
    least_change: it ends where no weight moved by more than this share of the largest one
    """

    nbest_size: int = 100
    iterations: int = 15
    least_change: float = 1e-5

    def __post_init__(self) -> None:
        check_types(self)
        checks = [
            *range_checks(self, "nbest_size", most=MAX_HYPOTHESES),
            *range_checks(self, "iterations"),
            (0 <= self.least_change < np.inf, "least_change", "at least 0"),
        ]
        check_options(self, checks)


@dataclass(frozen=True)
class BatchResult:
    """What came of a loop.

    weights: of the best iteration; epochs: what each iteration reached, 0 with the start weights
    note: why it ended, in words
    """

    weights: Weights
    best: int
    epochs: tuple[Epoch, ...]
    note: str


@dataclass(frozen=True)
class BatchLoop:
    """What is translated and learned from in every iteration.

    held_out: text whose translations choose the iteration, instead of those learned from
    """

    source: "TranslationSource"
    text: "TuningText"
    held_out: "TuningText | None"
    metric: Metric
    learner: Learner
    options: BatchOptions
    reading: ListReading

    def run(
        self,
        start: Weights,
        files: IterationFiles,
        key: list[int],
        report: Report,
        advance: "Advance",
    ) -> BatchResult:
        """All iterations of one training; those whose files are there are not done again.

        key: of the random numbers
        """
        steps, epochs = [Step(Weights.from_dict(start.as_dict()))], list[Epoch]()
        while True:
            epochs.append(self._translate(len(epochs), steps[-1], files, advance))
            report(epochs[-1])
            number = len(steps)
            if number > self.options.iterations:
                note = f"all {self.options.iterations} iterations are done"
                break
            step = files.read_step(number) or self._learned(steps, files, [*key, number])
            if step is None:
                note = "no new hypothesis"
                break
            steps = [replace(other, weights=other.weights.renamed_for(step.weights.space))
                     for other in steps]  # fmt: skip
            if any(step.change(other) <= self.options.least_change for other in steps):
                note = f"no weight moved by more than {self.options.least_change:g} of the largest"
                break
            steps.append(step)
        best = epochs.index(max(epochs, key=lambda epoch: epoch.rank(self.metric.sign)))
        weights = steps[best].weights.to_space(steps[-1].weights.space)
        return BatchResult(weights, best, tuple(epochs), note)

    def _translate(
        self, number: int, step: Step, files: IterationFiles, advance: "Advance"
    ) -> Epoch:
        """Translate with the weights of an iteration, unless that is done, and measure."""
        path = files.nbest(number)
        if path.exists():
            advance(len(self.text))
        else:
            self.source.write_list(step.weights, self.text, self.options.nbest_size, path, advance)
        held_out = None
        if self.held_out is not None:
            beside = files.held_out(number)
            if not beside.exists():
                self.source.write_list(step.weights, self.held_out, 1, beside, pass_over)
            held_out = self._score(beside, self.held_out)
        score = self._score(path, self.text)
        return Epoch(number, step.loss, score, step.weights.num_active, held_out)

    def best(self, path: Path, text: "TuningText") -> NBest:
        """The best translations of a text, as its list has them."""
        return best_translations(self._lists([str(path)], text), len(text))

    def _score(self, path: Path, text: "TuningText") -> float:
        best = self.best(path, text)
        statistics = self.metric.statistics(best, text.references, threads=self.reading.threads)
        return float(self.metric.score(statistics.sum(0)))

    def _lists(self, paths: list[str], text: "TuningText") -> NBest:
        """Lists in one; those that are mapped need their files no more once they are open."""
        scratch, memory = self.reading.scratch, self.reading.max_memory
        if scratch is None:
            lists = read_lists(paths, len(text))
        else:
            with TemporaryDirectory(dir=scratch) as folder:
                lists = read_lists(paths, len(text), scratch=Path(folder), max_memory=memory)
        lowercase = self.reading.lowercase
        return replace(lists, texts=lists.texts.lowercased()) if lowercase else lists

    def _learned(self, steps: Sequence[Step], files: IterationFiles, key: list[int]) -> Step | None:
        """Weights learned on all lists so far, None where the last one brought nothing new."""
        number, before = key[-1], steps[-1]
        lists = self._lists(files.lists(number), self.text)
        if len(lists.texts) == before.hypotheses:
            return None
        examples = self._measured(lists)
        named = [step.weights.renamed_for(examples.space) for step in steps]
        begun = beginning(examples, named, self.metric.sign)
        result = self.learner(
            examples,
            begun,
            np.random.default_rng(key),
            threads=self.reading.threads,
        )
        loss = result.epochs[result.best_epoch].loss
        step = replace(before, weights=begun).followed_by(
            result.weights, loss, len(lists.texts), result.scale
        )
        files.write_step(number, step)
        return step

    def merged(self, files: IterationFiles, count: int) -> Examples:
        """The first ``count`` lists of a training in one, measured."""
        return self._measured(self._lists(files.lists(count), self.text))

    def _measured(self, lists: NBest) -> Examples:
        scratch = self.reading.scratch
        return Examples.from_nbest(
            lists, self.text.references, self.metric, threads=self.reading.threads,
            empty=ScratchArrays(scratch) if scratch else np.empty,
        )  # fmt: skip


def beginning(lists: Examples, weights: Sequence[Weights], sign: int) -> Weights:
    """What an iteration's learning begins with: the weights that were learned last.

    Where these run away they are not: learned on few hypotheses, they may lead to translations
    that no list showed, worse than those of the weights to start from, and k-best MIRA, whose hope
    is then one of these, doesn't find back. Those that are the best on all lists so far are taken
    then, as with Moses's --start-with-historic-bests.

    weights: of all iterations, in order; sign: 1 where a higher score is better, -1 where a lower
    """
    if len(weights) == 1:
        return weights[0]
    first, last = (sign * lists.best_score(own) for own in (weights[0], weights[-1]))
    if last >= first:
        return weights[-1]
    return max(weights, key=lambda own: sign * lists.best_score(own))


def best_translations(lists: NBest, count: int) -> NBest:
    """The first hypothesis of each of ``count`` sentences, an empty one where there is none."""
    offsets = np.arange(count + 1)
    first, filled = lists.sentence_offsets[:-1], np.diff(lists.sentence_offsets) > 0
    if filled.all():
        columns = {name: values[first] for name, values in lists.columns.items()}
        texts, rows = lists.texts.select(first), lists.rows.select(first)
        return NBest(offsets, texts, rows, lists.space, columns)
    found = iter(lists.texts.select(first[filled]))
    texts = Texts.from_strings(next(found) if there else "" for there in filled.tolist())
    return NBest(offsets, texts, Ragged.empty(count), FeatureSpace([]))
