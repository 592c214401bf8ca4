"""Stages of the pipeline with the decoder: tuning, and the translation of the test set."""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from isogloss.align.files.writers import write_lines
from isogloss.align.language_model.ngrams import NgramModel
from isogloss.align.text.readers import check_line_counts
from isogloss.features.bins.binning import Binning, bins_file
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.selections import restrict_features
from isogloss.features.table.sidecar import MOSES_SCORES
from isogloss.tune.decoder.language_model import NgramTable
from isogloss.tune.decoder.model import Decoder
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.metrics.reports import reported_score
from isogloss.tune.online.decoder_loop import Callbacks, decode_corpus, tune_decoder
from isogloss.tune.online.options import DecoderTuningOptions
from isogloss.tune.references import References
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights

from .config import RunConfig, Selection
from .mixture import clean_sentences, selected_sentences
from .phrase_model import needed_rules
from .run import PipelineRun

__all__ = ["DENSE", "FULL", "Decoders", "read_selection", "translate", "tune"]

DENSE, FULL = "dense", "full"


@dataclass
class Decoders:
    """The decoder of a run with its dense scores alone, and with all features."""

    run: PipelineRun

    @cached_property
    def _tables(self) -> dict[str, PhraseTable]:
        full = PhraseTable.load(self.run.path("phrase-table.features.gz"), keep_text=False)
        kept = set(MOSES_SCORES).issubset(full.score_names)  # else they are raw or in bins
        dense = restrict_features(full if kept else needed_rules(self.run), MOSES_SCORES)
        return {DENSE: dense, FULL: full}

    @cached_property
    def _ngrams(self) -> NgramTable:
        return NgramTable.from_model(NgramModel.load(self.run.path("lm.arpa.gz")))

    def decoder(self, kind: str) -> Decoder:
        """A decoder. kind: DENSE or FULL"""
        return Decoder(self._tables[kind], self._ngrams, self.run.config.decoder)


def read_selection(selection: Selection, config: RunConfig) -> tuple[list[list[str]], References]:
    """Source sentences and their references.

    Raises DataError for a reference with another number of lines.
    """
    sentences = selected_sentences(selection, config)
    sides = []
    for path in selection.references:
        side = clean_sentences(path, config)
        side = side[: selection.limit] if selection.limit else side
        check_line_counts(selection.source, len(sentences), path, len(side))
        sides.append([" ".join(words) for words in side])
    return sentences, References.from_texts(list(map(list, zip(*sides, strict=True))))


def tune(run: PipelineRun, decoders: Decoders, kind: str) -> dict[str, Any]:
    """AdaGrad-PRO with the decoder in the loop; the full model starts from the dense weights."""
    config = run.config
    assert config.tuning is not None
    decoder = decoders.decoder(kind)
    sentences, references = read_selection(config.tuning, config)
    start = None
    if kind == FULL:
        start = Weights.load(run.path("weights.dense.json"))
        if config.discretize:
            start = start.with_bin_weights(
                Binning.load(bins_file(run.path("phrase-table.features.gz")))
            )
    optimizer = config.optimizer
    if kind == DENSE:  # scores without bins
        optimizer = replace(optimizer, bin_regularizer="none")

    def report(epoch: Epoch) -> None:
        run.console.detail(
            f"epoch {epoch.number}: loss {epoch.loss:.1f}, BLEU on the tuning set "
            f"{epoch.score:.2f}, {epoch.active} active features"
        )

    passes = 2 * config.epochs + 1
    with run.console.progress(f"tune-{kind}", passes * len(sentences)) as advance:
        result = tune_decoder(
            decoder,
            sentences,
            references,
            DecoderTuningOptions.of(optimizer, epochs=config.epochs, nbest_size=config.nbest_size),
            initial_weights=start,
            seed=config.seed,
            threads=config.threads,
            callbacks=Callbacks(report, advance),
        )
    result.weights.save(run.path(f"weights.{kind}.json"))
    return {
        "features": len(decoder.space),
        "active": result.weights.num_active,
        "best_epoch": result.best_epoch,
        "tuning_bleu": [round(epoch.score, 2) for epoch in result.epochs],
    }


def translate(run: PipelineRun, decoders: Decoders) -> dict[str, Any]:
    """Translate the test set before tuning and with both sets of weights; BLEU by sacrebleu."""
    config = run.config
    assert config.test is not None
    sentences, references = read_selection(config.test, config)
    figures: dict[str, Any] = {}
    for name, kind in (("untuned", DENSE), (DENSE, DENSE), (FULL, FULL)):
        if name != "untuned" and not config.tuning:
            continue
        weights_file = run.path(f"weights.{name}.json")
        decoder = decoders.decoder(kind)
        weights = decoder.weights(None if name == "untuned" else Weights.load(weights_file))
        with run.console.progress(f"translate {name}", len(sentences)) as advance:
            derivations = decode_corpus(
                decoder, sentences, weights, threads=config.threads, advance=advance
            )
        output = [decoder.text(sentence, 0) for sentence in derivations]
        write_lines(output, run.path(f"test.{name}.txt"))
        score, signature = reported_score(metric_named("bleu"), output, references)
        figures[name] = round(score, 2)
        figures["signature"] = signature
    return {"test_bleu": figures}
