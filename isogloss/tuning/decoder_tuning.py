"""Tuning with our decoder in the loop, by an online optimiser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from align.text.readers import read_sentences
from tune.methods import OPTIMIZERS
from tune.online.decoder_loop import Callbacks, tune_decoder
from tune.online.options import DecoderTuningOptions, OnlineOptions
from tune.references import read_references
from tune.results import Epoch
from tune.weights.weights import Weights, check_weight_names

from ..console import Console
from ..runs.decoder_config import read_decoder_config
from .optimizer_options import optimizer_options

__all__ = ["DecoderFiles", "DecoderTuning", "decoder_tuning_options", "tune_with_decoder"]


@dataclass(frozen=True)
class DecoderFiles:
    """The files that tuning with a decoder reads.

    config: the decoder's TOML file; dev: source text; refs: references of it
    weights: to start from, None = those that the configuration names
    lowercase: put text and references in lower case
    """

    config: str
    dev: str
    refs: Sequence[str]
    weights: str | None = None
    lowercase: bool = False


@dataclass(frozen=True)
class DecoderTuning:
    """What is learned with a decoder, and how.

    output: file that the weights are for, None = stdout
    """

    files: DecoderFiles
    options: DecoderTuningOptions
    seed: int = 1
    threads: int = 1
    output: str | None = None


def decoder_tuning_options(
    name: str, given: Mapping[str, Any], **changes: Any
) -> DecoderTuningOptions:
    """Options of the online optimiser ``name`` in the decoder's loop.

    given: its own options, as the command line names them; changes: others of the loop

    adagrad-pro has the paper's learning rate here, and a run fewer epochs than on lists, as each
    costs a decoding of the whole text.

    Raises UsageError as :func:`isogloss.tuning.optimizer_options.optimizer_options` does.
    """
    options: OnlineOptions = optimizer_options(OPTIMIZERS[name], given)
    if name == "adagrad-pro" and "rate" not in given:
        options = replace(options, rate=OnlineOptions().rate)
    epochs = given.get("epochs") or DecoderTuningOptions.epochs
    return DecoderTuningOptions.of(options, epochs=epochs, **changes)


def tune_with_decoder(job: DecoderTuning, console: Console) -> Weights:
    """Learn weights while decoding; returns those of the best epoch.

    Raises DataError for names that can't stand in the form of the weights.
    """
    files, options = job.files, job.options
    config = read_decoder_config(files.config)
    references = read_references(files.refs, lowercase=files.lowercase)
    sentences = read_sentences(files.dev, lowercase=files.lowercase)
    decoder = config.open(sentences)
    check_weight_names(decoder.space, job.output)
    if files.weights is not None:
        config = replace(config, weights=Path(files.weights))

    def report(epoch: Epoch) -> None:
        console.info(
            f"epoch {epoch.number}: loss {epoch.loss:.2f}, {options.metric.name} "
            f"{epoch.score:.2f}, {epoch.active} active features"
        )

    with console.progress("tuning", (2 * options.epochs + 1) * len(sentences)) as advance:
        result = tune_decoder(
            decoder, sentences, references, options,
            start=config.read_weights(decoder), seed=job.seed, threads=job.threads,
            callbacks=Callbacks(report, advance),
        )  # fmt: skip
    console.info(f"weights of epoch {result.best_epoch}")
    return result.weights
