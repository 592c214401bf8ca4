"""Tuning with a decoder in the loop: by an online optimizer, or by any on merged n-best lists."""

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import ClassVar, Protocol

import numpy as np

from isogloss.align.errors import pluralize
from isogloss.align.files.parts import scratch_folder
from isogloss.align.text.readers import read_sentences
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.experiment import Outcome, Plan, Task, choose_best
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.nbest.types import NBest
from isogloss.tune.online.decoder_loop import (
    TuningText,
)
from isogloss.tune.optimizers.structured.forest_loop import ForestLoopOptions
from isogloss.tune.optimizers.structured.worker import Cluster
from isogloss.tune.references import read_references
from isogloss.tune.results import Advance, Epoch, Report
from isogloss.tune.weights.weights import Weights, check_weight_names

from ...console import Console
from ...runs.decoder_config import DecoderConfig
from ...runs.decoder_file import read_decoder_file
from ...runs.measure import measure
from ...runs.table_words import check_words
from ..folder import TuningFolder
from ..inputs import ListReading
from ..outputs import RunResults, kept_folder, write_results
from ..report import GainTests, LoopChoices, loop_lines, show
from ..selection import last_epoch_hint, last_line
from .batch_loop import BatchLoop
from .forest_loop import ForestLoop, ForestMertLoop, ForestsFromFiles
from .iterations import IterationFiles
from .merged_lists import MergedLists
from .online_loop import OnlineLoop
from .strategies import BatchTuning, ForestTuning, TuningStrategy, with_prefixes
from .translation_sources import OwnDecoder, TranslationSource

__all__ = ["DecoderFiles", "DecoderTuning", "tune_with_decoder"]


@dataclass(frozen=True)
class DecoderFiles:
    """The files that tuning with a decoder reads.

    config: our decoder's TOML file, or a moses.ini; None for a command
    dev: source text; refs: references of it
    held_out, held_out_refs: text that chooses the epoch or iteration, None = dev does
    weights: to start from, None = those that the configuration names
    lowercase: put text and references in lower case
    templates: state templates in place of those of the configuration
    plugin: where the user's own are, a file of Python or the name of an entry point
    """

    config: str | None
    dev: str
    refs: Sequence[str]
    held_out: str | None = None
    held_out_refs: Sequence[str] = ()
    weights: str | None = None
    lowercase: bool = False
    templates: Sequence[str] = ()
    plugin: str | None = None

    @cached_property
    def decoder(self) -> DecoderConfig | None:
        """Our decoder as its file says, with the weights to start from; None for a command.

        Raises DataError and UsageError as read_decoder_file does.
        """
        if self.config is None:
            return None
        config = read_decoder_file(self.config, self.templates, self.plugin)
        return replace(config, weights=Path(self.weights)) if self.weights else config

    @property
    def every(self) -> list[str]:
        """All of them, and those that the configuration names."""
        given = [self.config, self.dev, *self.refs, self.held_out, *self.held_out_refs]
        if self.plugin and self.plugin.endswith(".py"):
            given.append(self.plugin)
        return [file for file in (*given, self.weights) if file] + self._of_decoder()

    def _of_decoder(self) -> list[str]:
        """The configuration's files, relative to the working folder where its own name is."""
        config = self.decoder
        if self.config is None or config is None:
            return []
        paths = config.files[:-1] if self.weights else config.files
        if Path(self.config).is_absolute():
            return [str(path) for path in paths]
        return [os.path.relpath(path) for path in paths]

    def open_decoder(self, text: TuningText, held_out: TuningText | None) -> Decoder | None:
        """Our decoder, for these texts; None for a command. Raises DataError as it is opened.

        Warns of a text whose words its phrase table lacks.
        """
        if self.decoder is None:
            return None
        texts = [text, *([held_out] if held_out else [])]
        decoder = self.decoder.open([words for part in texts for words in part.sentences])
        for name, part in zip((self.dev, str(self.held_out)), texts, strict=False):
            check_words(self.decoder, decoder, name, part.sentences)
        return decoder

    def start(self, decoder: Decoder | None) -> Weights:
        """The weights to start from. Raises DataError for a file that can't be read, or no fit."""
        if decoder is not None and self.decoder is not None:
            return self.decoder.read_weights(decoder, others=True)
        assert self.weights is not None
        return Weights.load(self.weights)

    def named(self, decoder: Decoder, weights: Weights) -> Weights:
        """Weights under the names that the decoder's file has for them: those of a moses.ini."""
        return weights if self.decoder is None else self.decoder.weights_to_write(decoder, weights)

    def strategy(self, decoder: Decoder | None, strategy: TuningStrategy) -> TuningStrategy:
        """How weights are learned, of features by the decoder's names."""
        if decoder is None or self.decoder is None:
            return strategy
        return with_prefixes(strategy, partial(self.decoder.prefixes, decoder))

    def texts(self) -> tuple[TuningText, TuningText | None]:
        """The text to learn from, and the one that is held out.

        Raises DataError where a text and its references differ in length.
        """
        text = self._text(self.dev, self.refs)
        return text, self._text(self.held_out, self.held_out_refs) if self.held_out else None

    def _text(self, source: str, refs: Sequence[str]) -> TuningText:
        references = read_references(refs, lowercase=self.lowercase)
        return TuningText(read_sentences(source, lowercase=self.lowercase), references)


@dataclass(frozen=True)
class DecoderTuning:
    """What is learned with a decoder, and how.

    strategy: how weights are learned
    source: translates in place of our decoder
    runs: trainings with other seeds; trials: of the significance tests
    folds: of sentences, to judge by what can be learned on the lists of a batch loop; 0 = none
    output: file that the weights are for, None = stdout
    """

    files: DecoderFiles
    metric: Metric
    strategy: TuningStrategy
    reading: ListReading
    source: TranslationSource | None = None
    runs: int = 1
    trials: int = 1000
    folds: int = 0
    seed: int = 1
    output: str | None = None


class _Loop(Protocol):
    """One strategy to learn with a decoder."""

    @property
    def start(self) -> Weights:
        """The weights to start from."""
        ...

    @property
    def epochs(self) -> int:
        """At most, as its option ``limit`` says."""
        ...

    @property
    def limit(self) -> str:
        """The option that limits the epochs."""
        ...

    def carry_out(self, task: Task, report: Report, advance: Advance) -> Outcome:
        """One training."""
        ...

    def best(self, outcome: Outcome | None, text: TuningText) -> NBest:
        """The best translations of a text with the weights of a training, None = the start's."""
        ...

    def length(self) -> int:
        """Sentences that a training translates, about."""
        ...

    def merged(self, outcome: Outcome) -> MergedLists | None:
        """The lists that a training has learned from; None where it has kept none."""
        ...


@dataclass(frozen=True)
class _BatchLoop:
    """All text is translated, then weights are learned on all lists so far."""

    job: DecoderTuning
    loop: BatchLoop
    start: Weights
    place: Path
    folder: TuningFolder | None
    console: Console
    limit: ClassVar[str] = "--decoder-iterations"

    @property
    def epochs(self) -> int:
        return self.loop.options.iterations

    def length(self) -> int:
        return (self.loop.options.iterations + 1) * len(self.loop.text)

    def _files(self, task: Task) -> IterationFiles:
        return IterationFiles(self.place, task.name)

    def carry_out(self, task: Task, report: Report, advance: Advance) -> Outcome:
        key = [self.job.seed, task.run]
        result = self.loop.run(self.start, self._files(task), key, report, advance)
        self.console.info(f"{task.name}: {result.note}")
        none, epoch = np.zeros(0, np.int64), result.epochs[result.best]
        held_out = epoch.score if epoch.held_out is None else epoch.held_out
        outcome = Outcome(
            task, result.weights, result.best, result.epochs, held_out, none, none, result.note
        )
        if self.folder is not None:
            self.folder.write_outcome(outcome)
        return outcome

    def merged(self, outcome: Outcome) -> MergedLists:
        job, count = self.job, len(outcome.epochs)
        examples = self.loop.merged(self._files(outcome.task), count)
        return MergedLists(examples, self.start, self.loop.learner, Plan(1, job.folds, job.seed))

    def best(self, outcome: Outcome | None, text: TuningText) -> NBest:
        files = self._files(Task(1, None) if outcome is None else outcome.task)
        number = 0 if outcome is None else outcome.best_epoch
        path = files.nbest(number) if text is self.loop.text else files.held_out(number)
        return self.loop.best(path, text)


def tune_with_decoder(job: DecoderTuning, folder: TuningFolder | None, console: Console) -> None:
    """Learn weights while decoding, say what was gained, and write those of the best epoch.

    folder: keeps what was learned and what was gained, and is gone on with; None = no folder

    Raises DataError for bad input, names that can't stand in the form of the weights, and a decoder
    that fails; OutputError where a file can't be written.
    """
    with measure() as usage:
        text, held_out = job.files.texts()
        with _place(folder) as place:
            decoder = job.files.open_decoder(text, held_out)
            loop = _loop(job, (text, held_out), decoder, place, folder, console)
            plan, outcomes = Plan(job.runs, 0, job.seed), list[Outcome]()
            total = job.runs * loop.length()
            with kept_folder(folder, console), console.progress("tuning", total) as advance:
                for task in plan.tasks():
                    report = partial(_report_epoch, job, task, console)
                    outcomes.append(loop.carry_out(task, report, advance))
            best = choose_best(outcomes, job.metric.sign)
            texts = {"training": text} | ({"held-out": held_out} if held_out else {})
            choices = {
                name: LoopChoices(
                    loop.best(None, part),
                    [loop.best(outcome, part) for outcome in outcomes],
                    part.references,
                )
                for name, part in texts.items()
            }
            tests = GainTests(job.metric, job.trials, job.seed, job.reading.threads)
            merged = loop.merged(best)
            possible, gains = merged.judge(tests, folder, console) if merged else ([], {})
        lowercase = job.files.lowercase
        lines, numbers = loop_lines(tests, choices, best.task.run, lowercase=lowercase)
    chosen = f"weights of epoch {best.best_epoch}"
    if job.runs > 1:
        chosen = f"weights of run {best.task.run}, epoch {best.best_epoch}"
    chosen += last_epoch_hint(best, loop.epochs, loop.limit)
    for line in (*possible, *lines, chosen):
        console.info(line)
    report_numbers = {**gains, **numbers}
    start, remedy = loop.start, "--held-out-dev"
    sign = job.metric.sign
    last = last_line(best, report_numbers, start, runs=job.runs, remedy=remedy, sign=sign)
    console.conclude(last)
    best = best.with_rest_of(start)
    if decoder is not None:
        best = replace(best, weights=job.files.named(decoder, best.weights))
    results = RunResults(outcomes, best, report_numbers, vars(usage))
    write_results(results, folder, job.output, console)


@contextmanager
def _place(folder: TuningFolder | None) -> Iterator[Path]:
    """Where files of a loop stand: in the folder, or in one that is gone afterwards."""
    with ExitStack() as made:
        yield folder.tasks if folder else made.enter_context(scratch_folder(None))


def _loop(
    job: DecoderTuning,
    texts: tuple[TuningText, TuningText | None],
    decoder: Decoder | None,
    place: Path,
    folder: TuningFolder | None,
    console: Console,
) -> _Loop:
    text, held_out = texts
    start = job.files.start(decoder)
    spaces = [start.space] if decoder is None else [decoder.space, start.space]
    for space in dict.fromkeys(spaces):
        check_weight_names(space, job.output)
    strategy, source = job.files.strategy(decoder, job.strategy), job.source
    if isinstance(strategy, BatchTuning):
        if source is None:
            assert decoder is not None
            source = OwnDecoder(decoder, job.reading.threads)
        batch = BatchLoop(
            source, text, held_out, job.metric, strategy.learner, strategy.options, job.reading
        )
        return _BatchLoop(job, batch, start, place, folder, console)
    assert decoder is not None
    epochs = strategy.iterations if isinstance(strategy, ForestLoopOptions) else strategy.epochs
    common = (
        decoder, text, held_out, epochs, job.reading.threads, start, job.seed, folder,
    )  # fmt: skip
    if isinstance(strategy, ForestTuning):
        cluster = _cluster(job.files, strategy, texts)
        return ForestLoop(*common, strategy.learner, strategy.choices, strategy.metric, cluster)
    if isinstance(strategy, ForestLoopOptions):
        return ForestMertLoop(*common, strategy, place)
    return OnlineLoop(*common, strategy)


def _cluster(
    files: DecoderFiles, strategy: ForestTuning, texts: tuple[TuningText, TuningText | None]
) -> Cluster | None:
    """Where learners are, with the decoder of each node's files; None = they are threads here."""
    if strategy.cluster is None:
        return None
    assert files.config is not None
    plugin = files.plugin
    if plugin and plugin.endswith(".py"):
        plugin = str(Path(plugin).absolute())
    sentences = [words for text in texts if text is not None for words in text.sentences]
    config = Path(files.config).absolute()
    make = ForestsFromFiles(
        config, files.templates, plugin, sentences, texts[0], strategy.choices, strategy.metric
    )
    return Cluster(strategy.cluster, make)


def _report_epoch(job: DecoderTuning, task: Task, console: Console, epoch: Epoch) -> None:
    """Say in a line what an epoch or iteration has reached."""
    run = f"run {task.run} " if job.runs > 1 else ""
    name = "iteration" if isinstance(job.strategy, BatchTuning | ForestLoopOptions) else "epoch"
    metric = job.metric
    held_out = "" if epoch.held_out is None else f", held-out {show(metric, epoch.held_out)}"
    console.info(
        f"{run}{name} {epoch.number}: loss {epoch.loss:.2f}, {metric.name} "
        f"{show(metric, epoch.score)}{held_out}, {pluralize(epoch.active, 'active feature')}"
    )
