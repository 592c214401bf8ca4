"""isogloss tune: weights learned from n-best lists, or with the decoder in the loop."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from align.errors import UsageError
from tune.methods import OPTIMIZERS
from tune.online.options import ONLINE_OPTIMIZERS, DecoderTuningOptions

from ...console import Console
from ...options import (
    Bounds,
    Command,
    flat_values,
    group,
    option,
    output_file,
    output_folder,
    positional,
    positive,
)
from ...tuning.decoder_tuning import (
    DecoderFiles,
    DecoderTuning,
    decoder_tuning_options,
    tune_with_decoder,
)
from ...tuning.folder import TuningFolder
from ...tuning.inputs import ListReading, TuningFiles
from ...tuning.list_inputs import list_scratch
from ...tuning.list_tuning import ListTuning, tune_lists
from ...tuning.optimizer_options import add_optimizer_options, optimizer_options
from ..metric_options import MetricOptions
from ..shared import CommonOptions, MappedLists, common_options
from .recorded import recorded_command

__all__ = ["COMMAND", "LIST_OPTIONS", "FolderOptions", "JudgementOptions", "TuneOptions", "run"]

# options that have no effect with --decoder
LIST_OPTIONS = (
    "score_files", "held_out", "held_out_refs", "folds", "runs", "trials", "out", "resume",
    "overwrite", "max_memory", "tmpdir",
)  # fmt: skip


@dataclass(frozen=True)
class JudgementOptions:
    """How the gain is judged, and which weights are kept.

    folds: folds of sentences: each is judged by weights not learned from it, and the first
        chooses the epoch and run to keep; 0 = learn from all
    runs: trainings with other seeds
    trials: of both tests
    held_out: lists that choose the epoch and run, instead of a fold
    held_out_refs: references of --held-out (JSONL has its own)
    """

    folds: int = option(default=ListTuning.folds, parse=Bounds(0, 1000), metavar="K")
    runs: int = option(default=ListTuning.runs, parse=Bounds(1, 10_000), metavar="N")
    trials: int = option(default=ListTuning.trials, parse=Bounds(1, 10_000_000))
    held_out: tuple[str, ...] = option(default=(), metavar="NBEST")
    held_out_refs: tuple[str, ...] = option(default=(), metavar="REF")


@dataclass(frozen=True)
class FolderOptions:
    """The folder of a run.

    out: keep manifest, epochs, weights and report here
    resume: go on with an interrupted run
    overwrite: start again in FOLDER
    """

    out: str | None = option(default=None, metavar="FOLDER", parse=output_folder)
    resume: bool = False
    overwrite: bool = False


@dataclass(frozen=True)
class LoopOptions:
    """Tuning with a decoder.

    decoder: tune with this decoder instead
    dev: source text for --decoder
    nbest_size: hypotheses per sentence that it gives
    """

    decoder: str | None = option(default=None, metavar="CONFIG.toml")
    dev: str | None = option(default=None, metavar="SRC")
    nbest_size: int = option(default=DecoderTuningOptions.nbest, parse=positive, metavar="N")


@dataclass(frozen=True)
class TuneOptions:
    """Options of `isogloss tune`.

    nbest: n-best lists: Moses', cdec's, JSONL
    refs: references (JSONL has its own)
    score_files: Moses's SCORESTAT files, where NBEST are its FEATSTAT files
    output: weights (default: stdout, or the folder of --out)
    weights: weights to start from
    lowercase: lowercase hypotheses (with --decoder, the source) and references
    optimizer_values: options of the optimisers that were given, by name
    """

    nbest: tuple[str, ...] = positional("NBEST", default=())
    refs: tuple[str, ...] = option(default=(), metavar="REF")
    score_files: tuple[str, ...] = option(default=(), metavar="FILE")
    optimizer: str = option(
        default="adagrad-pro",
        choices=tuple(OPTIMIZERS),
        text="; ".join(f"{method.name}: {method.line}" for method in OPTIMIZERS.values()),
    )
    metric: MetricOptions = group(MetricOptions)
    output: str | None = option("-o", default=None, metavar="WEIGHTS", parse=output_file)
    weights: str | None = option("-w", default=None, metavar="FILE")
    lowercase: bool = False
    judgement: JudgementOptions = group(
        JudgementOptions, title="what the gain is worth, and what is kept"
    )
    folder: FolderOptions = group(FolderOptions, title="a folder of the run")
    mapped: MappedLists = group(MappedLists, title="lists larger than memory")
    loop: LoopOptions = group(LoopOptions, title="with the decoder in the loop")
    optimizer_values: Mapping[str, Any] = group(collect=add_optimizer_options)
    common: CommonOptions = common_options()

    @property
    def files(self) -> TuningFiles:
        """The files of a run on lists."""
        return TuningFiles(
            self.nbest,
            self.refs,
            self.score_files,
            self.judgement.held_out,
            self.judgement.held_out_refs,
            self.weights,
        )


def run(options: TuneOptions, console: Console) -> None:
    """Learn weights, from lists or with a decoder."""
    if bool(options.loop.decoder) == bool(options.nbest):
        raise UsageError("give n-best lists, or --decoder with --dev")
    if options.loop.decoder:
        job = _decoder_job(options, options.loop.decoder)
        tune_with_decoder(job, console).write(options.output)
        return
    if options.loop.dev:
        raise UsageError("--dev is the text that --decoder translates; give --decoder, too")
    if options.folder.resume and not options.folder.out:
        raise UsageError("--resume needs --out FOLDER, the folder of the interrupted run")
    _tune_lists(options, console)


def _tune_lists(options: TuneOptions, console: Console) -> None:
    method = OPTIMIZERS[options.optimizer]
    learner = method.learner(optimizer_options(method, options.optimizer_values))
    metric = options.metric.read()
    _check_files(options)
    files, judgement, common = options.files, options.judgement, options.common
    folder = None
    if options.folder.out:
        if "-" in files.every:
            raise UsageError("--out needs files: standard input can't be read again")
        folder = TuningFolder.prepare(
            options.folder.out, recorded_command(options), files.every,
            resume=options.folder.resume, overwrite=options.folder.overwrite,
        )  # fmt: skip
    memory = options.mapped.max_memory
    with list_scratch(memory, options.mapped.tmpdir) as scratch:
        reading = ListReading(options.lowercase, common.threads, scratch, memory)
        job = ListTuning(
            files, metric, learner, reading,
            judgement.runs, judgement.folds, judgement.trials, common.seed, options.output,
        )  # fmt: skip
        tune_lists(job, folder, console)


def _check_files(options: TuneOptions) -> None:
    """Raise UsageError for files, and options for reading them, that don't go together."""
    files = options.files
    if files.held_out_refs and not files.held_out:
        raise UsageError("--held-out-refs are the references of --held-out LIST; give it, too")
    if not files.score_files:
        return
    if files.held_out:
        raise UsageError(
            "--held-out can't be used with --score-files; let --folds choose, or give n-best lists "
            "with --refs"
        )
    if files.refs:
        raise UsageError("--score-files take the place of references; leave --refs out")
    for flag, value in (
        ("--reference-length", options.metric.reference_length),
        ("--lowercase", options.lowercase),
        ("--max-memory", options.mapped.max_memory),
    ):
        if value:
            raise UsageError(f"{flag} has no effect with --score-files")


def _decoder_job(options: TuneOptions, config: str) -> DecoderTuning:
    if not options.loop.dev:
        raise UsageError("--decoder needs --dev SRC")
    if not options.refs:
        raise UsageError("--decoder needs --refs REF")
    if options.optimizer not in ONLINE_OPTIMIZERS:
        raise UsageError(
            f"--optimizer {options.optimizer} learns from n-best lists only; with --decoder "
            f"expected one of {', '.join(ONLINE_OPTIMIZERS)}"
        )
    given, defaults = flat_values(options), flat_values(TuneOptions())
    for name in LIST_OPTIONS:
        if given[name] != defaults[name]:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is for n-best lists; it can't be used with --decoder")
    return DecoderTuning(
        DecoderFiles(config, options.loop.dev, options.refs, options.weights, options.lowercase),
        decoder_tuning_options(
            options.optimizer,
            options.optimizer_values,
            nbest=options.loop.nbest_size,
            metric=options.metric.read(),
        ),
        options.common.seed,
        options.common.threads,
        options.output,
    )


COMMAND = Command(
    TuneOptions,
    run,
    (
        "isogloss tune list1.gz list2.gz --refs ref0 ref1 --optimizer mert -o weights.json",
        "isogloss tune lists.jsonl --metric chrf --runs 3 --out run",
    ),
)
