"""isogloss tune: weights learned from n-best lists or forests, or with a decoder in the loop."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from isogloss.align.errors import MAX_SAMPLES, UsageError
from isogloss.tune.folds import check_folds
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.metrics.protocol import Metric

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
)
from ...tuning.folder import TuningFolder
from ...tuning.inputs import ListReading, TuningFiles
from ...tuning.list_inputs import list_scratch
from ...tuning.list_tuning import ListTuning, tune_lists
from ...tuning.optimizer_options import (
    add_optimizer_options,
    decoder_tuning_options,
    loop_options,
    optimizer_lines,
    optimizer_options,
)
from ..metric_options import MetricOptions
from ..shared import ListFields, MappedLists, SeededOptions, seeded_options
from .forest_options import (
    FOREST_FILE_OPTIONS,
    NO_EFFECT_ON_FORESTS,
    ForestOptions,
    check_outside,
    method_of_forests,
)
from .loop_options import (
    CLUSTER_OPTIONS,
    COMMAND_OPTIONS,
    LIST_OPTIONS,
    LOOP_OPTIONS,
    OWN_DECODER_OPTIONS,
    LoopOptions,
    refusals,
)
from .recorded import recorded_command

if TYPE_CHECKING:  # loads the decoder
    from ...tuning.loops.decoder_tuning import DecoderFiles
    from ...tuning.loops.strategies import TuningStrategy

__all__ = ["COMMAND", "FolderOptions", "JudgementOptions", "TuneOptions", "run"]


@dataclass(frozen=True)
class JudgementOptions:
    """How the gain is judged, and which weights are kept.

    folds: number of cross-validation folds (3 or more), which estimate the gain; the first fold
        also selects the epoch and run on lists; 0 = train on all sentences (default: 5 on n-best
        lists, else 0)
    runs: number of training runs, each with a different seed
    trials: number of resamples for the two significance tests
    held_out: held-out n-best lists, used instead of a fold to select the best epoch and run
    held_out_refs: references of --held-out, --held-out-forests or --held-out-dev; not needed for
        JSONL
    """

    folds: int | None = option(default=None, parse=Bounds(0, 1000), metavar="K")
    runs: int = option(default=ListTuning.runs, parse=Bounds(1, 10_000), metavar="N")
    trials: int = option(default=ListTuning.trials, parse=Bounds(1, MAX_SAMPLES), metavar="N")
    held_out: tuple[str, ...] = option(default=(), metavar="NBEST")
    held_out_refs: tuple[str, ...] = option(default=(), metavar="REF")


@dataclass(frozen=True)
class FolderOptions:
    """The folder of a run.

    out: output folder for manifest, epochs, weights and report
    resume: resume an interrupted run in DIR
    overwrite: replace an existing run in DIR
    """

    out: str | None = option(default=None, metavar="DIR", parse=output_folder)
    resume: bool = False
    overwrite: bool = False


@dataclass(frozen=True)
class TuneOptions:
    """Options of `isogloss tune`.

    nbest: n-best lists of Moses, cdec or fairseq, or JSONL
    refs: reference translations, one file per reference; not needed for JSONL
    score_files: SCORESTAT files of Moses, if NBEST are FEATSTAT files
    output: tuned weights (default: stdout, or the folder of --out)
    initial_weights: feature weights to start with (default: 0, or the weights of --decoder)
    lowercase: lowercase hypotheses, references and, with --decoder, the source text
    optimizer_values: options of the optimizers that were given, by name
    """

    nbest: tuple[str, ...] = positional("NBEST", default=())
    refs: tuple[str, ...] = option(default=(), metavar="REF")
    score_files: tuple[str, ...] = option(default=(), metavar="FILE")
    optimizer: str = option(
        default="adagrad-pro",
        choices=tuple(OPTIMIZERS),
        metavar="NAME",
        text=optimizer_lines(),
    )
    metric: MetricOptions = group(MetricOptions)
    lists: ListFields = group(ListFields)
    output: str | None = option("-o", default=None, metavar="WEIGHTS", parse=output_file)
    initial_weights: str | None = option("-w", default=None, metavar="FILE")
    lowercase: bool = False
    judgement: JudgementOptions = group(JudgementOptions, title="evaluation and model selection")
    folder: FolderOptions = group(FolderOptions, title="run folder")
    mapped: MappedLists = group(MappedLists, title="large n-best lists")
    forest: ForestOptions = group(ForestOptions, title="saved hypergraphs (forests)")
    loop: LoopOptions = group(LoopOptions, title="decoder in the loop")
    optimizer_values: Mapping[str, Any] = group(collect=add_optimizer_options)
    common: SeededOptions = seeded_options()
    output_suffixes: ClassVar = ("json",)

    @property
    def named_inputs(self) -> list[str]:
        """The files that a decoder's configuration names."""
        return self.loop_files.every if self.loop.decoder and self.loop.dev and self.refs else []

    @cached_property
    def loop_files(self) -> "DecoderFiles":
        """The files of a run with a decoder. Raises UsageError as LoopOptions.files does."""
        return self.loop.files(
            self.refs, self.judgement.held_out_refs, self.initial_weights, lowercase=self.lowercase
        )

    @property
    def files(self) -> TuningFiles:
        """The files of a run on lists."""
        return TuningFiles(
            self.nbest,
            self.refs,
            self.score_files,
            self.judgement.held_out,
            self.judgement.held_out_refs,
            self.initial_weights,
        )


def run(options: TuneOptions, console: Console) -> None:
    """Learn weights, from lists or forests, or with a decoder."""
    loop, forests = options.loop, options.forest.forests
    sources = options.nbest, forests, loop.decoder, loop.decoder_command
    if options.nbest and (loop.decoder or loop.decoder_command):
        raise UsageError("a decoder makes its own n-best lists; pass the text as --dev")
    if sum(map(bool, sources)) != 1:
        raise UsageError(
            "pass exactly one input: n-best lists, --forests, --decoder or --decoder-command"
        )
    if options.folder.resume and not options.folder.out:
        raise UsageError("--resume needs --out DIR, the folder of the interrupted run")
    if forests:
        _tune_forests(options, forests, console)
        return
    _refuse_given(options, FOREST_FILE_OPTIONS, "needs --forests")
    _check_gains(options)
    if options.nbest:
        _refuse_given(options, ("approximation",), "needs --decoder or --forests")
        _refuse_given(options, LOOP_OPTIONS, "needs --decoder or --decoder-command")
        _tune_lists(options, console)
    else:
        _tune_with_decoder(options, console)


def _check_gains(options: TuneOptions) -> None:
    """Raise UsageError for options of gains that the optimizer doesn't look at."""
    if OPTIMIZERS[options.optimizer].structured:
        if options.nbest:
            _refuse_given(
                options, ("bleu_smoothing", "oracle_document"),
                f"has no effect with --optimizer {options.optimizer}, which measures gains within "
 "its oracle document (Chiang 2012)",
            )  # fmt: skip
    elif options.optimizer != "mira":
        _refuse_given(options, ("oracle_document",), "needs --optimizer mira")


def _refuse_given(options: TuneOptions, names: Sequence[str], why: str) -> None:
    """Raise UsageError where one of some options was given."""
    given, defaults = flat_values(options), flat_values(TuneOptions())
    for name in names:
        if given[name] != defaults[name]:
            raise UsageError(f"--{name.replace('_', '-')} {why}")


def _tune_lists(options: TuneOptions, console: Console) -> None:
    method = OPTIMIZERS[options.optimizer]
    chosen = optimizer_options(method, options.optimizer_values)
    learner, metric = method.learner(chosen), options.metric.read()
    _check_files(options)
    files, judgement, common = options.files, options.judgement, options.common
    folder = _folder(options, files.every)
    memory = options.mapped.max_memory
    with list_scratch(memory, options.mapped.tmpdir) as scratch:
        reading = ListReading(
            options.lowercase,
            common.threads,
            scratch,
            memory,
            options.lists.mapping,
            getattr(chosen, "bin_regularizer", "none"),
        )
        job = ListTuning(
            files, metric, learner, reading,
            judgement.runs, ListTuning.folds if judgement.folds is None else judgement.folds,
            judgement.trials, common.seed, options.output, getattr(chosen, "epochs", 0),
        )  # fmt: skip
        tune_lists(job, folder, console)


def _tune_forests(options: TuneOptions, forests: str, console: Console) -> None:
    from ...tuning.forest_inputs import ForestFiles  # loads the decoder's features
    from ...tuning.forest_tuning import ForestTuning, tune_forests

    judgement, held_out = options.judgement, options.forest.held_out_forests
    _refuse_given(options, NO_EFFECT_ON_FORESTS, "cannot be used with --forests")
    _refuse_given(
        options, ("forest_density",),
        "cannot be used with --forests; prune forests when you write them, such as with "
 "`isogloss decode --forest-density`",
    )  # fmt: skip
    method, metric = method_of_forests(options.optimizer), options.metric.read()
    if not method.structured:
        _refuse_given(options, ("approximation",), "needs --optimizer hinge or risk")
    if not isinstance(metric, Bleu):
        raise UsageError(
            f"--forests needs --metric bleu; --metric {metric.name} needs n-best lists"
        )
    if not options.refs:
        raise UsageError("--forests needs --refs REF")
    if bool(held_out) != bool(judgement.held_out_refs):
        raise UsageError(
            "--held-out-forests FORESTS and --held-out-refs REF go together; pass both"
        )
    check_folds(judgement.folds or 0)
    check_outside((options.folder.out, options.output), (forests, held_out))
    files = ForestFiles(
        forests, options.refs, held_out, judgement.held_out_refs, options.initial_weights
    )
    job = ForestTuning(
        files, metric, method, optimizer_options(method, options.optimizer_values),
        options.loop.approximation, options.lowercase,
        judgement.runs, judgement.folds or 0, judgement.trials, options.common.seed,
        options.common.threads, options.output,
    )  # fmt: skip
    tune_forests(job, _folder(options, files.every), console)


def _folder(options: TuneOptions, inputs: Sequence[str]) -> TuningFolder | None:
    """The folder of the run, None where none was asked for. inputs: files that the run reads"""
    if not options.folder.out:
        return None
    if "-" in inputs:
        raise UsageError("--out needs regular files, because standard input cannot be read again")
    return TuningFolder.prepare(
        options.folder.out, recorded_command(options), inputs,
        resume=options.folder.resume, overwrite=options.folder.overwrite,
    )  # fmt: skip


def _check_files(options: TuneOptions) -> None:
    """Raise UsageError for files, and options for reading them, that don't go together."""
    files = options.files
    if files.held_out_refs and not files.held_out:
        raise UsageError(
            "--held-out-refs has no effect without --held-out; pass --held-out NBEST as well"
        )
    if not files.score_files:
        return
    if files.held_out:
        raise UsageError(
            "--held-out cannot be used with --score-files; use --folds, or n-best lists with --refs"
        )
    if files.refs:
        raise UsageError(
            "--refs cannot be used with --score-files, which replace references; omit --refs"
        )
    for flag, value in (
        ("--reference-length", options.metric.reference_length),
        ("--lowercase", options.lowercase),
        ("--max-memory", options.mapped.max_memory),
    ):
        if value:
            raise UsageError(f"{flag} has no effect with --score-files")


def _tune_with_decoder(options: TuneOptions, console: Console) -> None:
    from ...tuning.loops.decoder_tuning import (  # loads the decoder
        DecoderTuning,
        tune_with_decoder,
    )

    loop, judgement, mapped = options.loop, options.judgement, options.mapped
    _refuse_given(options, LIST_OPTIONS, "needs n-best lists and cannot be used with a decoder")
    kind, method = loop.kind(options.optimizer), OPTIMIZERS[options.optimizer]
    for names, why in refusals(kind, method.structured):
        _refuse_given(options, names, why)
    if kind != "online" or not method.on_clusters:
        _refuse_given(options, CLUSTER_OPTIONS, "needs --optimizer hinge and --loop online")
    if loop.decoder:
        _refuse_given(options, COMMAND_OPTIONS, "needs --decoder-command")
    else:
        _refuse_given(options, OWN_DECODER_OPTIONS, "needs --decoder")
    files, metric = options.loop_files, options.metric.read()
    strategy = _strategy(options, metric, kind)
    folds = judgement.folds or 0
    check_folds(folds)
    source = loop.source(options.initial_weights, console)
    folder = _folder(options, files.every)
    with list_scratch(mapped.max_memory, mapped.tmpdir) as scratch:
        reading = ListReading(options.lowercase, options.common.threads, scratch, mapped.max_memory)
        job = DecoderTuning(
            files, metric, strategy, reading, source,
            runs=judgement.runs, trials=judgement.trials, seed=options.common.seed,
            folds=folds, output=options.output,
        )  # fmt: skip
        tune_with_decoder(job, folder, console)


def _strategy(options: TuneOptions, metric: Metric, kind: str) -> "TuningStrategy":
    """How the loop learns: on the lists of all iterations, in forests, or on lists as they come."""
    # kind: of the loop: online, batch or forests Raises UsageError for options that the optimizer
    # doesn't have, and a metric that it can't use.
    from isogloss.tune.decoder.model import FIXED_FEATURES
    from isogloss.tune.optimizers.structured.forest_loop import ForestLoopOptions

    from ...tuning.loops.strategies import BatchTuning, ForestTuning

    loop, method = options.loop, OPTIMIZERS[options.optimizer]
    if kind == "batch":
        return BatchTuning(method, loop_options(method, options.optimizer_values), loop.batch)
    if kind == "online" and not method.structured:
        return decoder_tuning_options(
            options.optimizer, options.optimizer_values,
            nbest_size=loop.nbest_size, accumulate=loop.accumulate_nbest, metric=metric,
        )  # fmt: skip
    if not isinstance(metric, Bleu):
        raise UsageError(
            f"--optimizer {method.name} learns from forests by BLEU; --metric {metric.name} needs "
            "--loop batch"
        )
    _refuse_given(
        options, ("bleu_smoothing", "oracle_document"),
        "needs n-best lists; forest gains are measured within the oracle document (Chiang 2012)",
    )  # fmt: skip
    chosen = optimizer_options(method, options.optimizer_values)
    if kind == "forests":
        density = loop.forest_density or ForestLoopOptions.density
        return ForestLoopOptions(
            density, loop.decoder_iterations, loop.loop_tolerance, chosen, metric
        )
    chosen = replace(chosen, fixed=(*chosen.fixed, *FIXED_FEATURES))
    return ForestTuning(method, chosen, loop.forests, metric, loop.cluster)


def _next_step(options: TuneOptions) -> Sequence[str]:
    weights = options.output or f"{options.folder.out}/weights.json"
    if options.nbest:
        return ["rerank", *options.nbest, "--weights", weights, "-o", "best"]
    if options.loop.decoder and options.loop.decoder.endswith(".ini"):
        return ["decode", "TEXT", "-f", options.loop.decoder, "--weights", weights, "-o", "out"]
    return ["weights", "show", weights]


COMMAND = Command(
    TuneOptions,
    run,
    (
        "isogloss tune list1.gz list2.gz --refs ref0 ref1 --optimizer mert -o weights.json",
        "isogloss tune lists.jsonl --metric chrf --runs 3 --out run",
    ),
    next_step=_next_step,
    first={
        "input": ("refs", "initial_weights", "fields"),
        "learning": ("optimizer", "metric", "epochs", "held_out", "held_out_refs", "folds"),
        "output": ("output", "out"),
        "decoder in the loop": ("decoder", "dev"),
        "running": ("threads", "seed"),
    },
    chooser="optimizer",
)
