"""isogloss align: word alignment learned from a bitext."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.align.errors import UsageError
from isogloss.align.files.outputs import is_stream, real_path
from isogloss.align.files.writers import together, write_lines
from isogloss.align.links.evidence import LinkEvidence
from isogloss.align.links.links import format_links
from isogloss.align.model.checkpoint import (
    Checkpoint,
    check_checkpoint_folder,
    fingerprint,
    last_checkpoint,
)
from isogloss.align.model.latent_domain import format_posteriors
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.parameters import (
    DECODING_WEIGHTS,
    LANGUAGE_MODEL_SIDES,
    OUT_SELECTIONS,
    PRESETS,
    AlignerOptions,
)
from isogloss.align.model.store import MODEL_FORMAT
from isogloss.align.model.training import TrainingStorage, last_posteriors, training_posteriors
from isogloss.align.text.bitext import Bitext

from ...console import Console
from ...options import (
    NUMBERS,
    Command,
    field_lines,
    flag,
    group,
    option,
    output_file,
    output_folder,
    size,
)
from ...pipeline.training import train_with_progress
from ..named_files import outputs
from ..shared import CommonOptions, common_options
from .combination import CombinationOptions
from .evidence import EvidenceOptions
from .training_text import KnownWordOptions, TrainingText, TrainingTextOptions

__all__ = ["COMMAND", "AlignOptions", "run"]

_CHOICES = {
    "decoding_weights": DECODING_WEIGHTS,
    "language_model_sides": LANGUAGE_MODEL_SIDES,
    "out_selection": OUT_SELECTIONS,
}
_METAVARS = {
    int: "N", float: "X", "null_probability": "PROB",
    "lexical_floor": "PROB", "unlikely_domain": "PROB", "seed_confidence": "PROB",
    "window": "WORDS", "stem_length": "CHARACTERS", "out_sample": "PAIRS",
}  # fmt: skip


def _model_options(parser: argparse.ArgumentParser) -> Sequence[str]:
    """An option for each field of AlignerOptions that has none of its own."""
    titled = parser.add_argument_group("model options (see docs/algorithms/alignment.md)")
    lines = field_lines(AlignerOptions)
    names = []
    for field in fields(AlignerOptions):
        if field.name in ("combination", "posterior_threshold"):
            continue
        names.append(field.name)
        values = {preset: getattr(options, field.name) for preset, options in PRESETS.items()}
        if len(set(values.values())) == 1:
            values = {"default": field.default}
        shown = "; ".join(f"{preset}: {value}" for preset, value in values.items())
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


@dataclass(frozen=True)
class AlignOptions:
    """Options of `isogloss align`.

    output: symmetrized links (default: stdout)
    preset: option preset: best (lowest AER) or paper (as published)
    model: save the model in this folder
    overwrite: replace an existing model folder
    checkpoint: save the training state in this folder after each iteration (default:
        MODEL.checkpoint)
    resume: resume an interrupted training run
    max_memory: memory limit, such as 12G; data that would exceed half of it is kept on disk
    tmpdir: folder for temporary files (default: the system's)
    forward: write the t2s alignments, at most one link per source word
    reverse: write the s2t alignments, at most one link per target word
    posteriors: write P(domain) of each sentence pair as TSV, estimated without its label
    evidence_in: stage that uses --evidence: decoding, training or both
    """

    text: TrainingTextOptions = group(TrainingTextOptions)
    output: str | None = option("-o", "--links", default=None, metavar="FILE", parse=output_file)
    preset: str = option(default="best", choices=tuple(PRESETS))
    known_words: KnownWordOptions = group(KnownWordOptions)
    known: EvidenceOptions = group(EvidenceOptions)
    evidence_in: str = option(default="decoding", choices=("decoding", "training", "both"))
    model: str | None = option(default=None, metavar="DIR", parse=output_folder)
    overwrite: bool = False
    checkpoint: str | None = option(default=None, metavar="DIR", parse=output_folder)
    resume: bool = False
    max_memory: int | None = option(default=None, parse=size, metavar="SIZE")
    tmpdir: str | None = option(default=None, metavar="DIR")
    forward: str | None = option(default=None, metavar="FILE", parse=output_file)
    reverse: str | None = option(default=None, metavar="FILE", parse=output_file)
    posteriors: str | None = option(default=None, metavar="FILE", parse=output_file)
    combination: CombinationOptions = group(CombinationOptions)
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
    def is_on_stdout(self) -> bool:
        """Whether the links go to standard output."""
        return self.output in (None, "-")

    @property
    def aligner_options(self) -> AlignerOptions:
        """The preset with what is given beside it."""
        changes = dict(self.aligner)
        if self.combination.heuristic is not None:  # so that apply combines links in the same way
            changes["combination"] = self.combination.heuristic
        if self.combination.posterior_threshold is not None:
            changes["posterior_threshold"] = self.combination.posterior_threshold
        return PRESETS[self.preset].replace(**changes)


def run(options: AlignOptions, console: Console) -> None:
    """Train on a bitext and align it."""
    settings = options.aligner_options
    options.combination.check(settings)
    folder = _check_folders(options)
    text = options.text.read()
    dictionary = options.known_words.read(text.bitext, options.text.bitext.form.lowercase, console)
    evidence = _evidence(options, text, settings)
    taught = None if options.evidence_in == "decoding" else evidence
    training = fingerprint(
        text.bitext, settings, dictionary, text.supervision, evidence, options.evidence_in
    )
    state = None if folder is None else Checkpoint(folder, training)
    finished = options.resume and _is_finished(options.model, training)
    if finished and state is not None and not state.exists() and _outputs_stand(options):
        state.remove()  # what a killed run has left of it
        console.info(
            f"{options.model} and the other outputs stand: nothing is left to do (--overwrite "
            "without --resume begins again)"
        )
        return
    overwrite = options.overwrite or finished
    if options.model:
        MODEL_FORMAT.check_replaceable(options.model, overwrite)
    if state is not None and options.overwrite and not (options.resume and state.is_of_this_run()):
        state.remove()
    _announce(text, console)
    model = train_with_progress(
        text.bitext,
        settings,
        console,
        threads=options.common.threads,
        dictionary=dictionary,
        supervision=text.supervision,
        evidence=taught,
        storage=TrainingStorage(state, options.resume, options.max_memory, options.tmpdir),
    )
    if options.model:
        model.save(options.model, overwrite=overwrite, fingerprint=training)
    try:
        with console.stage("linking words"):
            _write_alignment(options, model, text, evidence)
    except BrokenPipeError:
        if options.is_on_stdout:  # whoever read the links wants no more of them
            _remove_state(options, state)
        raise
    _remove_state(options, state)


def _remove_state(options: AlignOptions, state: Checkpoint | None) -> None:
    """The last step: where there is no state any more, all outputs stand."""
    if options.model and state is not None:
        state.remove()


def _announce(text: TrainingText, console: Console) -> None:
    console.info(f"training on {len(text.bitext)} sentence pairs")
    if text.supervision is not None:
        offsets = text.supervision.links.offsets
        linked = np.count_nonzero(np.diff(offsets))
        console.info(f"{offsets[-1]} known links in {linked} sentence pairs")


def _check_folders(options: AlignOptions) -> Path | None:
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
            f"{checkpoint} holds the state of an interrupted training run; pass --resume to resume "
            "it, or --overwrite to start again"
        )
    return checkpoint


def _is_finished(model: str | None, training: str) -> bool:
    """Whether a model is what this training gives: the run was stopped when it had been saved."""
    if model is None or not MODEL_FORMAT.is_at(model):
        return False
    return bool(MODEL_FORMAT.read_header(model).get("fingerprint") == training)


def _outputs_stand(options: AlignOptions) -> bool:
    """Whether a finished run has nothing left to write: all files are there, after the model.

    Without a state that is certain: it is removed when they stand. What went to standard output is
    not known to have arrived.
    """
    if options.is_on_stdout:
        return False
    header = (Path(str(options.model)) / MODEL_FORMAT.header).stat()
    files = [Path(name) for name, is_folder in outputs(options) if not is_folder]
    return all(file.is_file() and file.stat().st_mtime_ns >= header.st_mtime_ns for file in files)


def _evidence(
    options: AlignOptions, text: TrainingText, settings: AlignerOptions
) -> LinkEvidence | None:
    """The evidence of the whole text: there is none of the seed samples. Refuses it for Model 1."""
    if not options.known.evidence:
        if options.evidence_in != "decoding":
            raise UsageError(
                "--evidence-in has no effect without --evidence; pass --evidence as well"
            )
        return options.known.read(text.bitext)
    if settings.hmm_iterations == 0:
        raise UsageError("--evidence needs --hmm-iterations above 0, because the HMM weights it")
    evidence = options.known.read(text.bitext.select(np.arange(text.num_pairs)))
    return None if evidence is None else evidence.extended(len(text.bitext))


def _write_alignment(
    options: AlignOptions,
    model: AlignmentModel,
    text: TrainingText,
    evidence: LinkEvidence | None,
) -> None:
    """Write what is asked for of the pairs before the seed samples, all of it at once."""
    threads = options.common.threads
    model, bitext = _without_samples(model, text)
    posterior, weighed = last_posteriors(model, threads), None
    if evidence is not None:
        evidence = evidence.first(text.num_pairs)
        if options.evidence_in != "training":
            weighed = model.weigh(bitext, evidence, threads, posterior)
    with together():
        if options.forward or options.reverse:
            directions = model.align_directions(bitext, threads, posterior, weighed)
            for links, path in zip(directions, (options.forward, options.reverse), strict=True):
                if path:
                    write_lines(format_links(links), path)
        if options.posteriors:
            found = training_posteriors(model, threads)
            write_lines(format_posteriors(model.domains, found), options.posteriors)
        options.combination.write_pair_scores(model, bitext, threads)
        links = options.combination.links(model, bitext, posterior, threads, weighed)
        options.known.tell(evidence, links)
        if text.supervision is not None:
            links = text.supervision.kept_in(links)
        write_lines(format_links(links), options.output)


def _without_samples(model: AlignmentModel, text: TrainingText) -> tuple[AlignmentModel, Bitext]:
    """The pairs before the seed samples, and the model with what it still knows of them."""
    assert model.trained_on is not None
    trained_on = model.trained_on.first(text.num_pairs)
    return replace(model, trained_on=trained_on), trained_on.bitext


def _next_step(options: AlignOptions) -> Sequence[str]:
    bitext, links = options.text.bitext, options.output
    if bitext.source == "-":
        return ()
    texts = [bitext.source] if bitext.target is None else [bitext.source, bitext.target]
    if links is None or is_stream(links):
        return ["apply", options.model or "MODEL", *texts]
    return ["extract", *texts, links, *bitext.form.given, "-o", "phrase-table.gz"]


COMMAND = Command(
    AlignOptions,
    run,
    (
        "isogloss align corpus.en corpus.es --model m -o links",
        "isogloss align mix.en.gz mix.es.gz --seed-sample legal=law.en,law.es --posteriors p.tsv",
    ),
    next_step=_next_step,
    first={
        "input": ("labels", "seed_sample", "lowercase", "format", "langs"),
        "output": ("output", "model", "scores", "posteriors", "overwrite"),
        "model": ("preset", "heuristic"),
        "running": ("threads", "quiet"),
    },
)
