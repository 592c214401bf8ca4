"""isogloss tune --decoder: an online optimiser with our decoder in the loop."""

import argparse
from collections.abc import Mapping
from dataclasses import replace

from align.errors import UsageError
from align.language_model.arpa import read_arpa
from align.text.readers import read_sentences
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrases_of
from tune.decoder.language_model import NgramTable
from tune.decoder.model import Decoder
from tune.methods import OPTIMIZERS
from tune.online.decoder_loop import Callbacks, tune_decoder
from tune.online.options import ONLINE_OPTIMIZERS, DecoderTuningOptions, OnlineOptions
from tune.references import read_references
from tune.results import Epoch
from tune.weights.weights import Weights, check_weight_names

from ..commands.tune_options import method_options
from ..console import Console
from ..runs.decoder_config import read_decoder_config
from .inputs import read_metric

__all__ = ["tune_with_decoder"]

DEFAULT_EPOCHS = 8  # a pass costs a decoding of the whole text
# options that do nothing here, each with its default
LIST_OPTIONS: Mapping[str, object] = {
    "score_files": [], "held_out": [], "held_out_refs": [], "folds": 5, "runs": 1, "trials": 1000,
    "out": None, "resume": False, "overwrite": False, "max_memory": None, "tmpdir": None,
}  # fmt: skip


def tune_with_decoder(options: argparse.Namespace, console: Console) -> None:
    """Learn weights while decoding; those of the best epoch are written.

    Raises UsageError for options that are for n-best lists only, DataError for names that can't
    stand in the form of the weights.
    """
    _check(options)
    config = read_decoder_config(options.decoder)
    references = read_references(options.refs, lowercase=options.lowercase)
    sentences = read_sentences(options.dev, lowercase=options.lowercase)
    table = PhraseTable.read(config.phrase_table, sources=phrases_of(sentences, 8), keep_text=False)
    ngrams = NgramTable.from_model(read_arpa(config.language_model))
    decoder = Decoder(table, ngrams, config.settings)
    check_weight_names(decoder.space, options.output)
    file = options.weights or config.weights
    own = method_options(OPTIMIZERS[options.optimizer], vars(options))
    if options.optimizer == "adagrad-pro" and options.rate is None:
        own = replace(own, rate=OnlineOptions().rate)  # the paper's, with a decoder as here
    epochs = own.epochs if options.epochs else DEFAULT_EPOCHS
    metric = read_metric(options)

    def report(epoch: Epoch) -> None:
        console.info(
            f"epoch {epoch.number}: loss {epoch.loss:.2f}, {metric.name} {epoch.score:.2f}, "
            f"{epoch.active} active features"
        )

    with console.progress("tuning", (2 * epochs + 1) * len(sentences)) as advance:
        result = tune_decoder(
            decoder, sentences, references,
            DecoderTuningOptions.of(own, epochs=epochs, nbest=options.nbest_size, metric=metric),
            start=Weights.read(file) if file else None, seed=options.seed, threads=options.threads,
            callbacks=Callbacks(report, advance),
        )  # fmt: skip
    console.info(f"weights of epoch {result.best_epoch}")
    result.weights.write(options.output)


def _check(options: argparse.Namespace) -> None:
    if not options.dev:
        raise UsageError("--decoder needs --dev SRC")
    if not options.refs:
        raise UsageError("--decoder needs --refs REF")
    if options.optimizer not in ONLINE_OPTIMIZERS:
        raise UsageError(
            f"--optimizer {options.optimizer} learns from n-best lists only; with --decoder "
            f"expected one of {', '.join(ONLINE_OPTIMIZERS)}"
        )
    for name, default in LIST_OPTIONS.items():
        if getattr(options, name) != default:
            flag = f"--{name.replace('_', '-')}"
            raise UsageError(f"{flag} is for n-best lists; it can't be used with --decoder")
