"""isogloss train: an alignment model learned from a bitext."""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isogloss.align.errors import ModelError, UsageError, pluralize
from isogloss.align.execution.groups import Workers
from isogloss.align.files.outputs import real_path
from isogloss.align.links.external_links import ExternalLinks
from isogloss.align.links.gold_sample import GoldSample
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import (
    DOMAIN_WEIGHTINGS,
    LANGUAGE_MODEL_SIDES,
    OUT_DOMAIN_SELECTIONS,
    PRESETS,
    AlignerOptions,
)
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.training.checkpoint import (
    Checkpoint,
    check_checkpoint_folder,
    fingerprint,
    last_checkpoint,
)
from isogloss.align.training.storage import TrainingStorage

from ...console import Console
from ...options import (
    NUMBERS,
    Command,
    field_lines,
    flag,
    group,
    option,
    output_folder,
    size,
)
from ...pipeline.training import teach, train_with_progress
from ..shared import ClusterOptions, CommonOptions, common_options
from .external_links import ExternalLinkOptions
from .gold_sample import GoldSampleOptions
from .symmetrization import SymmetrizationOptions
from .training_text import KnownWordOptions, TrainingText, TrainingTextOptions

__all__ = ["COMMAND", "LearnedModel", "TrainOptions", "learn", "remove_state", "run"]

_CHOICES = {
    "domain_weighting": DOMAIN_WEIGHTINGS,
    "language_model_sides": LANGUAGE_MODEL_SIDES,
    "out_domain_selection": OUT_DOMAIN_SELECTIONS,
}
_METAVARS = {
    int: "N", float: "X", "null_probability": "PROB",
    "lexical_floor": "PROB", "min_domain_posterior": "PROB", "seed_confidence": "PROB",
    "jump_window": "WORDS", "stem_length": "CHARACTERS", "out_domain_size": "PAIRS",
}  # fmt: skip


def _model_options(parser: argparse.ArgumentParser) -> Sequence[str]:
    """An option for each field of AlignerOptions that has none of its own."""
    titled = parser.add_argument_group("model options (see docs/explanation/alignment-model.md)")
    lines = field_lines(AlignerOptions)
    names = []
    for field in fields(AlignerOptions):
        if field.name in ("heuristic", "posterior_threshold"):
            continue
        names.append(field.name)
        values = {preset: getattr(options, field.name) for preset, options in PRESETS.items()}
        if len(set(values.values())) == 1:
            values = {"default": field.default}
        shown = "; ".join(f"{preset}: {_shown(value)}" for preset, value in values.items())
        kind: Any = type(field.default)
        settings: dict[str, Any] = {"choices": _CHOICES.get(field.name)}
        if kind is bool:
            settings = {"action": argparse.BooleanOptionalAction}
        elif kind is not str:
            metavar = _METAVARS.get(field.name, _METAVARS[kind])
            settings = {"type": NUMBERS[kind], "metavar": metavar}
        titled.add_argument(
            flag(field.name),
            default=argparse.SUPPRESS,
            help=f"{lines[field.name].rstrip('.')} ({shown})".replace("%", "%%"),
            **settings,
        )
    return names


def _shown(value: object) -> str:
    """A default in a help text: on or off for a switch."""
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


@dataclass(frozen=True)
class TrainOptions:
    """Options of `isogloss train`, and of `isogloss align` as far as it learns.

    preset: option preset: best (lowest AER) or paper (as published)
    model: save the model in this folder
    overwrite: replace an existing model folder
    checkpoint: save the training state in this folder after each iteration (default:
        MODEL.checkpoint)
    resume: resume an interrupted training run
    max_memory: memory limit, such as 12G; data that would exceed half of it is kept on disk
    tmpdir: folder for temporary files (default: the system's)
    external_links_in: stage that uses --external-links: decoding, training or both
    """

    text: TrainingTextOptions = group(TrainingTextOptions)
    sample: GoldSampleOptions = group(GoldSampleOptions)
    preset: str = option(default="best", choices=tuple(PRESETS))
    known_words: KnownWordOptions = group(KnownWordOptions)
    known: ExternalLinkOptions = group(ExternalLinkOptions)
    external_links_in: str = option(default="decoding", choices=("decoding", "training", "both"))
    model: str | None = option(default=None, metavar="DIR", parse=output_folder)
    overwrite: bool = False
    checkpoint: str | None = option(default=None, metavar="DIR", parse=output_folder)
    resume: bool = False
    max_memory: int | None = option(default=None, parse=size, metavar="SIZE")
    tmpdir: str | None = option(default=None, metavar="DIR")
    place: ClusterOptions = group(ClusterOptions)
    symmetrization: SymmetrizationOptions = group(SymmetrizationOptions)
    aligner: Mapping[str, Any] = group(collect=_model_options)
    common: CommonOptions = common_options()

    @property
    def state_folder(self) -> Path | None:
        """The folder of the state, None where none is kept."""
        if self.checkpoint or not self.model:
            return Path(self.checkpoint) if self.checkpoint else None
        model = Path(self.model)
        if model.name in ("", ".."):
            model = real_path(model)
        return model.with_name(f"{model.name}.checkpoint")

    @property
    def named_folders(self) -> list[Path]:
        """The folder of the state where no option names it."""
        folder = None if self.checkpoint else self.state_folder
        return [] if folder is None else [folder]

    @property
    def aligner_options(self) -> AlignerOptions:
        """The preset with what is given beside it."""
        changes = dict(self.aligner)
        if self.symmetrization.heuristic is not None:  # so that apply does the same
            changes["heuristic"] = self.symmetrization.heuristic
        if self.symmetrization.posterior_threshold is not None:
            changes["posterior_threshold"] = self.symmetrization.posterior_threshold
        return PRESETS[self.preset].replace(**changes)


class LearnedModel(NamedTuple):
    """What training leaves: model, text, external links, gold sample, state, fingerprint."""

    model: AlignmentModel
    text: TrainingText
    external_links: ExternalLinks | None
    gold: GoldSample | None
    state: Checkpoint | None
    fingerprint: str


def run(options: TrainOptions, console: Console) -> None:
    """Learn a model and save it."""
    if options.model is None:
        raise UsageError("--model DIR is missing; it names the folder of the new model")
    if options.known.external_links and options.external_links_in == "decoding":
        raise UsageError(
            "--external-links has no effect with --external-links-in decoding, because train "
            "writes no links; pass --external-links-in training"
        )
    learned = learn(options, console, lambda: True)
    if learned is not None:
        remove_state(options, learned.state)


def learn(
    options: TrainOptions, console: Console, outputs_stand: Callable[[], bool]
) -> LearnedModel | None:
    """Learn a model, and save it if it has a folder; None where a finished run is resumed.

    outputs_stand: whether all other outputs of a finished run are there
    """
    settings, threads = options.aligner_options, _threads(options)
    options.symmetrization.check(settings)
    folder = _check_folders(options)
    ids = options.known.ids.files
    lines = options.sample.read(settings, ids)
    text = options.text.read(ids, None if lines is None else lines.rows)
    dictionary = options.known_words.read(text.bitext, options.text.bitext.form.lowercase, console)
    external_links = _external_links(options, text, settings)
    taught = None if options.external_links_in == "decoding" else external_links
    training = fingerprint(
        text.bitext,
        settings,
        dictionary,
        text.known_links,
        external_links,
        options.external_links_in,
    )
    gold = None if lines is None else options.sample.sample(lines, text)
    if gold is not None:
        training = gold.fingerprint(training)
    state = None if folder is None else Checkpoint(folder, training)
    finished = options.resume and _is_finished(options.model, training)
    if finished and state is not None and not state.exists() and outputs_stand():
        state.remove()  # what a killed run has left of it
        console.info(
            f"{options.model} and all outputs are complete; pass --overwrite without --resume to "
            "train again"
        )
        return None
    overwrite = options.overwrite or finished
    if options.model:
        _check_resumable(options, finished)
        MODEL_FORMAT.check_replaceable(options.model, overwrite)
    if state is not None and options.overwrite and not (options.resume and state.is_of_this_run()):
        state.remove()
    if finished and options.model and text.whole is not None:  # only the whole text is left
        model = AlignmentModel.load(options.model)
        return LearnedModel(model, text, external_links, gold, state, training)
    _announce(text, console)
    model = train_with_progress(
        text.bitext,
        settings,
        console,
        threads=threads,
        dictionary=dictionary,
        known_links=text.known_links,
        external_links=taught,
        storage=TrainingStorage(state, options.resume, options.max_memory, options.tmpdir),
    )
    if gold is not None:
        model = _taught(model, gold, text, external_links, options, console)
    if options.model:
        model.save(options.model, overwrite=overwrite, fingerprint=training)
        if text.whole is not None:
            model = AlignmentModel.load(options.model)  # without what training has in memory
    return LearnedModel(model, text, external_links, gold, state, training)


def _taught(
    model: AlignmentModel,
    gold: GoldSample,
    text: TrainingText,
    external_links: ExternalLinks | None,
    options: TrainOptions,
    console: Console,
) -> AlignmentModel:
    """The model with what gold links teach."""
    sample = gold if text.whole is None else gold.within(text.whole.drawn)
    decoded = None if options.external_links_in == "training" else external_links
    threads = options.common.threads
    return teach(model, sample, text.bitext, console, threads=threads, external_links=decoded)


def _threads(options: TrainOptions) -> int | Workers:
    """What trains. Raises UsageError for options that don't go together."""
    workers = options.place.workers(options.common.threads)
    if workers is not None and options.max_memory is not None:
        raise UsageError("--max-memory has no effect with --cluster; leave it out")
    return workers or options.common.threads


def remove_state(options: TrainOptions, state: Checkpoint | None) -> None:
    """The last step: where there is no state any more, all outputs stand."""
    if options.model and state is not None:
        state.remove()


def _announce(text: TrainingText, console: Console) -> None:
    drawn = f" drawn from {text.whole.num_pairs:,}" if text.whole is not None else ""
    console.info(f"training on {pluralize(len(text.bitext), 'sentence pair')}{drawn}")
    if text.known_links is not None:
        offsets = text.known_links.links.offsets
        linked = int(np.count_nonzero(np.diff(offsets)))
        console.info(
            f"{pluralize(int(offsets[-1]), 'known link')} in {pluralize(linked, 'sentence pair')}"
        )


def _check_folders(options: TrainOptions) -> Path | None:
    """The folder of the state; refuses, before the work, folders that are in use."""
    checkpoint = options.state_folder
    if checkpoint is None:
        if options.resume:
            raise UsageError(
                "--resume needs --model or --checkpoint, which name the folder of the state"
            )
        return None
    if options.model and real_path(checkpoint).is_relative_to(real_path(options.model)):
        raise UsageError(
            f"--checkpoint {checkpoint} is inside the folder of --model; choose another folder"
        )
    if options.model and not options.resume:
        MODEL_FORMAT.check_replaceable(options.model, options.overwrite)
    check_checkpoint_folder(checkpoint)
    if last_checkpoint(checkpoint) and not (options.resume or options.overwrite):
        raise UsageError(
            f"{checkpoint} contains the state of an interrupted training run; pass --resume to "
            "resume it, or --overwrite to start again"
        )
    return checkpoint


def _is_finished(model: str | None, training: str) -> bool:
    """Whether a model is what this training gives: the run was stopped when it had been saved."""
    if model is None or not MODEL_FORMAT.is_at(model):
        return False
    return bool(MODEL_FORMAT.read_header(model).get("fingerprint") == training)


def _check_resumable(options: TrainOptions, finished: bool) -> None:
    """Raise ModelError for a model of another run than the one that is to be resumed."""
    resumed = options.resume and not options.overwrite and not finished
    if resumed and options.model and MODEL_FORMAT.is_at(options.model):
        raise ModelError(
            f"{options.model} was trained on another text or with other options; resume with the "
            "original ones, choose another folder, or pass --overwrite to train again"
        )


def _external_links(
    options: TrainOptions, text: TrainingText, settings: AlignerOptions
) -> ExternalLinks | None:
    """The external links of the whole text, none of seed samples. Refuses them for Model 1."""
    if not options.known.external_links:
        if options.external_links_in != "decoding":
            raise UsageError(
                "--external-links-in has no effect without --external-links; pass that as well"
            )
        return options.known.read(text.bitext)
    if text.whole is not None:
        raise UsageError(
            "--external-links cannot be used with --train-on; train without it, and pass external "
            "links to `isogloss apply`"
        )
    if settings.hmm_iterations == 0:
        raise UsageError(
            "--external-links needs --hmm-iterations above 0, because the HMM weights external "
            "alignments"
        )
    external_links = options.known.read(text.bitext.select(np.arange(text.num_pairs)))
    return None if external_links is None else external_links.extended(len(text.bitext))


def _next_step(options: TrainOptions) -> Sequence[str]:
    return ["apply", options.model or "MODEL", "SRC", "TGT", "-o", "links"]


COMMAND = Command(
    TrainOptions,
    run,
    (
        "isogloss train corpus.en corpus.es --model m",
        "isogloss train mix.en.gz mix.es.gz --labels mix.domains --model m --threads 8",
    ),
    next_step=_next_step,
    first={
        "input": ("labels", "seed_sample", "train_on", "lowercase", "format", "langs"),
        "output": ("model", "overwrite", "resume"),
        "model": ("preset", "heuristic", "hmm_iterations"),
        "running": ("max_memory", "threads", "quiet"),
    },
)
