"""`isogloss run` and `isogloss demo`: mixed bitext in, tuned feature-enhanced phrase model out.

Each stage writes its files, then its name and figures to manifest.json; a run that was stopped
goes on after the last stage that the manifest names.
"""

import json
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from align import AlignmentModel, Bitext, DataError, evaluate, read_gold
from align.files.stored_folder import StoredKind
from align.files.writers import write_lines
from align.language_model.arpa import read_arpa, write_arpa
from align.language_model.estimation import estimate_language_model
from align.lexicon.formats import format_lexicon
from align.links.links import format_links
from align.model.latent_domain import format_posteriors
from align.model.store import load_model, save_model
from align.model.training import TrainingStorage
from align.text.readers import check_line_counts, read_links
from features.bins.binning import Binning, bins_file, write_bins
from features.bins.specs import parse_bin_spec
from features.extraction.domain_lexical import add_domain_features
from features.extraction.extract import ExtractionOptions, extract_blocks
from features.extraction.write_extracted import write_extracted
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrases_of
from features.table.selections import restrict_features
from features.table.sidecar import MOSES_SCORES
from features.templates.apply import add_templates
from tune.decoder.language_model import NgramTable
from tune.decoder.model import Decoder
from tune.metrics import metric_named
from tune.metrics.reports import reported_score
from tune.online.decoder_loop import Callbacks, decode_corpus, tune_decoder
from tune.online.options import DecoderTuningOptions
from tune.references import References
from tune.results import Epoch
from tune.weights.weights import Weights

from ..console import Console
from ..runs.measure import Usage, measure
from ..runs.run_folder import AGAIN, MANIFEST, digest_of_file, is_in_use, read_manifest
from .config import RunConfig, Selection
from .mixture import Mixture, clean_sentences, read_mixture
from .training import train_with_progress

__all__ = ["Pipeline", "run_pipeline"]

PIPELINE_RUN = StoredKind(
    kind="isogloss pipeline run", version=(1, 0), remedy=AGAIN, outdated=AGAIN
)
SHOWN = ("grow-diag-final", "grow-diag-final-and", "posterior")
DENSE, FULL = "dense", "full"
Stage = Callable[[], dict[str, Any]]


@dataclass
class Pipeline:
    """The stages of one run; what a stage needs is read back from the files of those before."""

    config: RunConfig
    console: Console
    manifest: dict[str, Any] = field(default_factory=dict)

    def path(self, name: str) -> Path:
        """A file of the run's folder."""
        return self.config.out / name

    @cached_property
    def mixture(self) -> Mixture:
        """The training text."""
        return read_mixture(self.config)

    @property
    def domains(self) -> tuple[str, ...]:
        """Names of the seed domains, as the first stage found them."""
        return tuple(self.manifest["stages"]["text"]["figures"]["seeds"])

    def later_stages(self) -> list[tuple[str, Stage]]:
        """Names and functions of the stages after the first, in order."""
        result: list[tuple[str, Stage]] = [("align-flat", lambda: self.align("flat"))]
        if self.domains:
            result.append(("align-latent", lambda: self.align("latent")))
        if self.config.extract:
            result += [
                ("extract", self.extract),
                ("language-model", self.language_model),
                ("features", self.features),
            ]
            if self.config.tuning:
                result += [
                    ("tune-dense", lambda: self.tune(DENSE)),
                    ("tune-full", lambda: self.tune(FULL)),
                ]
            if self.config.test:
                result.append(("translate", self.translate))
        return result

    @property
    def best_model(self) -> str:
        """The alignment that later stages build on: with domains where there are any."""
        return "latent" if self.domains else "flat"

    def complete(self, name: str, stage: Stage) -> None:
        """Run a stage unless the manifest names it; then write down its figures."""
        done = self.manifest["stages"]
        if name in done:
            self.console.info(f"{name}: done before")
            return
        self.console.info(f"{name} ...")
        with measure() as usage:
            figures = stage()
        done[name] = {"figures": figures, "usage": _rounded(usage)}
        text = json.dumps(self.manifest, indent=1, ensure_ascii=False)
        write_lines(text.split("\n"), self.path(MANIFEST))
        self.console.info(f"{name}: {usage.seconds:.1f} s, {usage.megabytes:.0f} MB")

    def describe_text(self) -> dict[str, Any]:
        """Counts of the training text."""
        bitext = self.mixture.bitext
        labels = bitext.labels
        return {
            "pairs": len(bitext),
            "source_tokens": len(bitext.source.tokens),
            "target_tokens": len(bitext.target.tokens),
            "seeds": {
                name: int((labels == number).sum()) for number, name in enumerate(bitext.domains)
            },
        }

    def align(self, kind: str) -> dict[str, Any]:
        """Train, align and score; writes the model, the links and the lexical tables."""
        config, bitext = self.config, self.mixture.bitext
        if kind == "flat":
            bitext = Bitext.unlabelled(bitext.source, bitext.target)
        checkpoint = self.path(f"{kind}.checkpoint")
        model = train_with_progress(
            bitext,
            config.aligner,
            self.console,
            threads=config.threads,
            checkpoint=checkpoint,
            storage=TrainingStorage(resume=True),
        )
        posterior = model.domain_posteriors(bitext, config.threads)
        links = model.align(bitext, config.heuristic, config.threads, posterior).unscored()
        save_model(model, self.path(f"{kind}.model"), overwrite=True)
        shutil.rmtree(checkpoint, ignore_errors=True)
        write_lines(format_links(links), self.path(f"{kind}.links.gz"))
        for domain in model.domains:
            for direction in ("s2t", "t2s"):
                write_lines(
                    format_lexicon(model.lexicon(direction, domain), "tsv", 0.01),
                    self.path(f"lexicon/{kind}.{domain}.{direction}.tsv.gz"),
                )
        result: dict[str, Any] = {"aer": self._alignment_errors(model, posterior)}
        if len(model.domains) > 1:
            result |= self._domain_figures(model, posterior)
        return result

    def _alignment_errors(
        self, model: AlignmentModel, posterior: NDArray[np.float64]
    ) -> dict[str, dict[str, float]]:
        """AER in percent of each text with hand links, for the combinations shown."""
        table: dict[str, dict[str, float]] = {}
        for name, gold, first, count in self.mixture.spans:
            rows = np.arange(first, first + count)
            text, threads = self.mixture.bitext.select(rows), self.config.threads
            for combination in dict.fromkeys((*SHOWN, self.config.heuristic)):
                links = model.align(text, combination, threads, posterior[rows])
                score = evaluate(links, read_gold(gold))
                table.setdefault(name, {})[combination] = round(100 * score.aer, 2)
        return table

    def _domain_figures(
        self, model: AlignmentModel, posterior: NDArray[np.float64]
    ) -> dict[str, Any]:
        """Domain of each pair, and how often it is right where the truth is known but hidden."""
        mixture = self.mixture
        write_lines(format_posteriors(model.domains, posterior), self.path("domains.tsv.gz"))
        guessed = [model.domains[k] for k in posterior.argmax(1).tolist()]
        hidden = [
            (guess, truth)
            for guess, truth, label in zip(
                guessed, mixture.true_domains, mixture.bitext.labels.tolist(), strict=True
            )
            if label < 0 and truth != "-"
        ]
        prior = np.exp(model.log_prior).round(4).tolist()
        right = sum(guess == truth for guess, truth in hidden)
        return {
            "domains": dict(zip(model.domains, prior, strict=True)),
            "domain_accuracy": round(100 * right / len(hidden), 2) if hidden else None,
        }

    def extract(self) -> dict[str, Any]:
        """Phrase table of the training text."""
        links = read_links(self.path(f"{self.best_model}.links.gz"))
        options = ExtractionOptions(self.config.max_length)
        blocks = extract_blocks(self.mixture.bitext, links, options)
        return {"phrase_pairs": write_extracted(blocks, self.path("phrase-table.gz"))}

    def language_model(self) -> dict[str, Any]:
        """N-gram model of the target side."""
        model = estimate_language_model(
            self.mixture.bitext.target, self.config.language_model_order
        )
        write_arpa(model, self.path("lm.arpa.gz"))
        return {"ngrams": [len(rows) for rows in model.ngrams]}

    def features(self) -> dict[str, Any]:
        """The rules that tuning and test need, with domain and sparse features."""
        config = self.config
        wanted: frozenset[str] = frozenset()
        for selection in (config.tuning, config.test):
            if selection:
                wanted |= phrases_of(self._sentences(selection), config.max_length)
        table = PhraseTable.read(
            self.path("phrase-table.gz"),
            sources=wanted if config.tuning or config.test else None,
            limit=config.rules_per_source,
        )
        if self.domains:
            model = load_model(self.path("latent.model"))
            table = add_domain_features(table, model, config.domain_features or self.domains)
        table = add_templates(table, config.templates)
        written = self.path("phrase-table.features.gz")
        if config.discretize:
            specs = [replace(parse_bin_spec(option), keep=True) for option in config.discretize]
            binning = Binning.fit([table], specs)
            table = binning.apply(table)
            write_bins(binning, bins_file(written))
        table.write(written)
        return {
            "rules": len(table),
            "dense_scores": list(table.score_names),
            "sparse_features": len(table.sparse_names),
        }

    def _sentences(self, selection: Selection) -> list[list[str]]:
        sentences = clean_sentences(selection.source, self.config)
        return sentences[: selection.limit] if selection.limit else sentences

    def _references(self, selection: Selection) -> list[list[list[str]]]:
        """References by reference, then by sentence."""
        sides = [clean_sentences(path, self.config) for path in selection.references]
        return [side[: selection.limit] if selection.limit else side for side in sides]

    @cached_property
    def _feature_table(self) -> PhraseTable:
        return PhraseTable.read(self.path("phrase-table.features.gz"), keep_text=False)

    @cached_property
    def _ngrams(self) -> NgramTable:
        return NgramTable.from_model(read_arpa(self.path("lm.arpa.gz")))

    def _decoder(self, kind: str) -> Decoder:
        table = self._feature_table
        if kind == DENSE:
            table = restrict_features(table, MOSES_SCORES)
        return Decoder(table, self._ngrams, self.config.decoder)

    def tune(self, kind: str) -> dict[str, Any]:
        """AdaGrad-PRO in the loop; the full model starts from the dense weights."""
        config, selection = self.config, self.config.tuning
        assert selection is not None
        decoder = self._decoder(kind)
        sentences, references = self._sentences(selection), self._references(selection)
        _check_references(sentences, references, selection)
        start = Weights.read(self.path("weights.dense.json")) if kind == FULL else None
        passes = 2 * config.epochs + 1
        with self.console.progress(f"tune-{kind}", passes * len(sentences)) as advance:
            result = tune_decoder(
                decoder,
                sentences,
                _references_of(references),
                DecoderTuningOptions.of(config.optimizer, epochs=config.epochs, nbest=config.nbest),
                start=start,
                seed=config.seed,
                threads=config.threads,
                callbacks=Callbacks(self._epoch, advance),
            )
        result.weights.write(self.path(f"weights.{kind}.json"))
        return {
            "features": len(decoder.space),
            "active": result.weights.num_active,
            "best_epoch": result.best_epoch,
            "tuning_bleu": [round(epoch.score, 2) for epoch in result.epochs],
        }

    def _epoch(self, epoch: Epoch) -> None:
        self.console.detail(
            f"epoch {epoch.number}: loss {epoch.loss:.1f}, BLEU on the tuning set "
            f"{epoch.score:.2f}, {epoch.active} active features"
        )

    def translate(self) -> dict[str, Any]:
        """Translate the test set before tuning and with both sets of weights; BLEU by sacrebleu."""
        config, selection = self.config, self.config.test
        assert selection is not None
        sentences, references = self._sentences(selection), self._references(selection)
        _check_references(sentences, references, selection)
        judges = _references_of(references)
        figures: dict[str, Any] = {}
        for name, kind in (("untuned", DENSE), (DENSE, DENSE), (FULL, FULL)):
            weights_file = self.path(f"weights.{name}.json")
            if name != "untuned" and not weights_file.exists():
                continue
            decoder = self._decoder(kind)
            weights = decoder.weights(None if name == "untuned" else Weights.read(weights_file))
            with self.console.progress(f"translate {name}", len(sentences)) as advance:
                found = decode_corpus(
                    decoder, sentences, weights, threads=config.threads, advance=advance
                )
            output = [decoder.text(one, 0) for one in found]
            write_lines(output, self.path(f"test.{name}.txt"))
            score, signature = reported_score(metric_named("bleu"), output, judges)
            figures[name] = round(score, 2)
            figures["signature"] = signature
        return {"test_bleu": figures}


def _references_of(references: list[list[list[str]]]) -> References:
    """References of sentences, from words of files."""
    rows = zip(*references, strict=True)
    return References.from_sentences([[" ".join(own) for own in row] for row in rows])


def _check_references(
    sentences: list[list[str]], references: list[list[list[str]]], selection: Selection
) -> None:
    for side, path in zip(references, selection.references, strict=True):
        check_line_counts(selection.source, len(sentences), path, len(side))


def _open_manifest(config: RunConfig, resume: bool, overwrite: bool) -> dict[str, Any]:
    """The manifest of the folder to go on with, or a new one.

    Raises DataError where the folder exists and neither was asked for, or holds another run,
    ModelError where it is of another kind or version, and OutputError where it can't be made.
    """
    path = config.out / MANIFEST
    in_use = is_in_use(config.out, resume=resume, overwrite=overwrite)
    fresh = {
        **PIPELINE_RUN.stamp(),
        "python": sys.version.split()[0],
        "platform": platform.platform(),
        "digest": config.digest,
        "seed": config.seed,
        "inputs": {str(path): digest_of_file(path) for path in config.inputs},
        "stages": {},
    }
    if not in_use or overwrite:
        return fresh
    if not path.exists():
        raise DataError(
            f"{config.out} holds no {MANIFEST}", "the folder of an earlier run", remedy=AGAIN
        )
    types = {"digest": str, "inputs": dict, "stages": dict}
    manifest = read_manifest(path, PIPELINE_RUN, types, AGAIN)
    names = {"digest": "configuration", "program": "version", "inputs": "input"}
    changed = [names[key] for key in names if manifest[key] != fresh[key]]
    if changed:
        raise DataError(
            f"{path} belongs to another {changed[0]}",
            "the folder of the run to go on with",
            remedy=AGAIN,
        )
    return manifest


def run_pipeline(
    config: RunConfig, console: Console, *, resume: bool = False, overwrite: bool = False
) -> Mapping[str, Any]:
    """Run all stages that the manifest does not name yet; returns the manifest."""
    manifest = _open_manifest(config, resume, overwrite)
    config.out.mkdir(parents=True, exist_ok=True)
    pipeline = Pipeline(config, console, manifest)
    pipeline.complete("text", pipeline.describe_text)
    for name, stage in pipeline.later_stages():
        pipeline.complete(name, stage)
    return manifest


def _rounded(usage: Usage) -> dict[str, float]:
    return {name: round(value, 1) for name, value in asdict(usage).items()}
