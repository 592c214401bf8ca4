"""The report of a run of the pipeline, section by section."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.domains.posteriors import DomainPosteriors
from isogloss.align.errors import DataError, ModelError, pluralize
from isogloss.align.files.text_io import iter_lines, raw_lines
from isogloss.align.links.gold_sample import read_gold_sample
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.readers import check_line_counts, read_lines, read_links
from isogloss.tune.metrics.names import metric_named
from isogloss.tune.metrics.scoring import text_statistics
from isogloss.tune.results import Epoch
from isogloss.tune.weights.weights import Weights

from ..console import Console
from ..doctor.doctor import diagnose
from ..doctor.examination import blocks_of
from ..doctor.sections import findings_section
from ..domains.domain_text import DomainText
from ..domains.model_sections import domain_section, model_section
from ..pages.page import Page
from ..pages.report import (
    Note,
    Part,
    Section,
    Table,
    readable_section,
    report_page,
    unreadable,
)
from ..pages.sections.alignments import JudgedText, best_pairs, error_rate_tables, worst_pairs
from ..pages.sections.epochs import learning_curves
from ..pages.sections.inputs import InputFiles, usage_table
from ..pages.sections.translations import TranslatedText, changed_sentences, score_tables
from ..pages.sections.weights import weight_tables
from ..runs.epoch_log import TrainingCurve, TuningLog
from ..runs.run_folder import MANIFEST
from .config import RunConfig, TrainingPart
from .manifest import open_run
from .mixture import Mixture, read_mixture
from .pipeline import later_stages
from .run import PipelineRun
from .translation import read_selection

__all__ = ["run_page", "run_sections"]

_NAMES = {"flat": "single-domain", "latent": "latent-domain"}
_SYSTEMS = ("untuned", "dense", "full")


def run_page(folder: Path, output: Path, threads: int) -> Page:
    """The report of a run as a page. output: where it is written, links start there

    Raises what :func:`run_sections` does.
    """
    title = f"Pipeline run: {folder.absolute().name}"
    return report_page(title, list(run_sections(folder, threads)), output)


def run_sections(folder: Path, threads: int) -> Iterator[Section]:
    """Everything that a run and its files tell.

    A section says which of its files is missing or damaged, and the others are drawn. Raises
    DataError for a folder that is no run's, and for a damaged manifest.
    """
    manifest, config = open_run(folder)
    files = InputFiles(manifest["inputs"])
    run = _Run(folder, manifest, config if files.are_unchanged else None, threads)
    yield run.inputs(files)
    yield from run.findings()
    yield run.usage()
    yield from run.alignments()
    yield from run.models()
    yield from run.tuning()
    yield from run.translations()


@dataclass(frozen=True)
class _Run:
    """A run, whose stages may not all be done."""

    # config: None where its inputs have changed since, or an earlier version has not recorded it

    folder: Path
    manifest: Mapping[str, Any]
    config: RunConfig | None
    threads: int

    def _figures(self, stage: str) -> Mapping[str, Any]:
        stages: Mapping[str, Any] = self.manifest["stages"]
        return stages[stage]["figures"] if stage in stages else {}

    @cached_property
    def _kinds(self) -> list[str]:
        """The alignments that are done."""
        return [kind for kind in _NAMES if self._figures(f"align-{kind}")]

    @cached_property
    def _links(self) -> tuple[dict[str, Links], list[Note]]:
        """The links of each alignment, and what is wrong with the others."""
        found, notes = dict[str, Links](), list[Note]()
        for kind in self._kinds:
            file = self.folder / f"{kind}.links.gz"
            try:
                links = read_links(file)
                if self._mixture is not None:
                    bitext = self._mixture.bitext
                    links.check_range(bitext.source.lengths, bitext.target.lengths, file)
            except DataError as error:
                notes.append(unreadable(error))
            else:
                found[kind] = links
        return found, notes

    @cached_property
    def _mixture(self) -> Mixture | None:
        return None if self.config is None else read_mixture(self.config)

    def inputs(self, files: InputFiles) -> Section:
        """What went in."""
        text = self._figures("text")
        parts: list[Part] = []
        if text:
            rows = [
                ("sentence pairs", f"{text['pairs']:,}"),
                ("source tokens", f"{text['source_tokens']:,}"),
                ("target tokens", f"{text['target_tokens']:,}"),
                *((f"labeled pairs, {name}", f"{n:,}") for name, n in text["seeds"].items()),
            ]
            parts.append(Table("Training text", ("", ""), rows))
        parts.append(files.table())
        if self.config is None:
            parts.append(
                Note("Sections that read the input again are left out, because it has changed.")
            )
        elif missing := self._missing_stages(self.config):
            parts.append(
                Note(f"The run is unfinished. It lacks {', '.join(missing)}; pass --resume to run.")
            )
        rows = [(name, str(self.manifest[name])) for name in ("program", "python", "seed")]
        parts.append(Table("Program", ("", ""), rows))
        return Section("Input", parts, [self.folder / MANIFEST])

    def _missing_stages(self, config: RunConfig) -> list[str]:
        """Stages of the configuration that are not done."""
        done = self.manifest["stages"]
        if "text" not in done:
            return ["text and all later stages"]
        run = PipelineRun(config, Console(), dict(self.manifest))
        return [name for name, _ in later_stages(run) if name not in done]

    def findings(self) -> Iterator[Section]:
        """What doctor finds in the training text."""
        if self.config is not None:
            for part in self.config.training:
                yield _findings(part, self.config.lowercase)

    def usage(self) -> Section:
        """Time and memory of each stage."""
        usages = {name: stage["usage"] for name, stage in self.manifest["stages"].items()}
        parts = [usage_table(usages)] if usages else []
        return Section("Time and memory", parts, [self.folder / MANIFEST])

    def alignments(self) -> Iterator[Section]:
        """Error rates with intervals, worst and best pairs; files: links and gold alignments."""
        files = [self.folder / f"{kind}.links.gz" for kind in self._kinds]
        if self.config is not None:
            files += dict.fromkeys(text.gold for text in self.config.evaluation)
        yield readable_section("Alignment", self._alignment_parts(), files)

    def _alignment_parts(self) -> Iterator[Part]:
        rows = [
            (text, heuristic, *(f"{self._aer(kind, text, heuristic):.2f}" for kind in self._kinds))
            for text, errors in self._figures("align-flat").get("aer", {}).items()
            for heuristic in errors
        ]
        names = [_NAMES[kind] for kind in self._kinds]
        links, notes = self._links
        yield from notes
        if rows:
            columns = ("gold alignments", "symmetrization", *names)
            yield Table("AER (%) by symmetrization", columns, rows, text_columns=2)
        judged = list(self._judged(links))
        yield from error_rate_tables(judged, self.threads)
        for text in judged:
            last = list(text.links)[-1]
            yield Note(f"The worst and the best pairs of {text.name}, {last} alignment:")
            yield from worst_pairs(text, text.links[last])
            yield from best_pairs(text, text.links[last])

    def _aer(self, kind: str, text: str, heuristic: str) -> float:
        return float(self._figures(f"align-{kind}")["aer"][text][heuristic])

    def _judged(self, links: Mapping[str, Links]) -> Iterator[JudgedText]:
        """The texts with gold alignments. links: those that can be read, by alignment"""
        if self._mixture is None or not links:
            return
        sample = np.zeros(0, np.int64)
        if self.config is not None and self.config.gold_sample is not None:
            sample, _ = read_gold_sample(self.config.gold_sample.gold, self._mixture.lengths)
        for name, _, rows, lines, gold in self._mixture.judged(sample):
            parts = {_NAMES[kind]: whole[rows] for kind, whole in links.items()}
            yield JudgedText(name, self._mixture.bitext[rows], gold, parts, lines + 1)

    def models(self) -> Iterator[Section]:
        """Likelihoods and options of each model; the domains of the latent one."""
        model: AlignmentModel | Note | None = None
        for kind in self._kinds:
            title = f"Model, {_NAMES[kind]}"
            try:
                model = AlignmentModel.load(self.folder / f"{kind}.model")
            except (DataError, ModelError) as error:
                model = unreadable(error)
                yield Section(title, [model])
                continue
            yield model_section(model, title, [self.folder / f"{kind}.model" / "model.json"])
        if "latent" in self._kinds and model is not None:
            files = [self.folder / "domains.tsv.gz"]
            yield readable_section("Domains", self._domain_parts(model, files[0]), files)

    def _domain_parts(self, model: AlignmentModel | Note, file: Path) -> Iterator[Part]:
        """What the latent model, or a note in its place, tells of its domains."""
        # file: P(domain) of each pair
        if isinstance(model, Note):
            yield model
            self._posteriors(file)  # says whether it is damaged, too
            return
        text = None
        if self._mixture is not None:
            bitext = self._mixture.bitext
            try:
                posterior = self._posteriors(file, len(model.domains))
                text = DomainText(bitext, model.encode(bitext), posterior)
            except DataError as error:
                yield unreadable(error)
        yield from domain_section(model, text, [file], self.threads).parts

    def _posteriors(self, file: Path, domains: int | None = None) -> NDArray[np.float64]:
        """P(domain) of each pair, float64[num_pairs, domains]. domains: how many; None = any"""
        found = DomainPosteriors.load(file)
        pairs, names = found.posterior.shape
        expected = pairs if self._mixture is None else len(self._mixture.bitext)
        if (pairs, names) != (expected, domains or names):
            raise DataError(
                f"the file has {pluralize(pairs, 'sentence pair')} and "
                f"{pluralize(names, 'domain')}",
                f"the {expected} and {domains or names} of the run", file=file,
            )  # fmt: skip
        return found.posterior

    def tuning(self) -> Iterator[Section]:
        """Learning curves, and the weights by template."""
        for kind in _SYSTEMS[1:]:
            figures = self._figures(f"tune-{kind}")
            if not figures:
                continue
            file = self.folder / f"weights.{kind}.json"
            parts = _tuning_parts(kind, figures, file)
            yield readable_section(f"Tuning, {kind}", parts, [file])

    def translations(self) -> Iterator[Section]:
        """Scores of the test set by domain, and the sentences that changed most."""
        scores = self._figures("translate").get("test_bleu", {})
        systems = [name for name in _SYSTEMS if name in scores]
        if not systems:
            return
        files = {name: self.folder / f"test.{name}.txt" for name in systems}
        parts = self._translation_parts(scores, files)
        yield readable_section("Translation", parts, list(files.values()))

    def _translation_parts(
        self, scores: Mapping[str, Any], files: Mapping[str, Path]
    ) -> Iterator[Part]:
        """Scores and sentences. files: the translations of each system"""
        rows = [(name, f"{scores[name]:.2f}") for name in files]
        yield Table("BLEU of the test set", ("weights", "BLEU"), rows)
        yield Note(f"sacrebleu {scores['signature']}")
        if self.config is not None and self.config.test is not None:
            text = _translated(self.config, {name: read_lines(f) for name, f in files.items()})
            yield from score_tables(text, self.threads)
            first, *others = files
            if others:
                yield from changed_sentences(text, first, others[-1])


def _tuning_parts(kind: str, figures: Mapping[str, Any], file: Path) -> Iterator[Part]:
    """The curve of a tuning and its weights. file: the weights"""
    epochs = [
        Epoch(number, 0.0, score, figures["active"])
        for number, score in enumerate(figures["tuning_bleu"])
    ]
    kept = (1, figures["best_epoch"])
    log = TuningLog((TrainingCurve(1, None, tuple(epochs)),), "BLEU", kept)
    yield next(iter(learning_curves(log)))
    yield from weight_tables(Weights.load(file), f"Weights, {kind}")


def _findings(part: TrainingPart, lowercase: bool) -> Section:
    """Doctor's findings of two files; those of an index are lines of many files."""
    if part.source is None or part.target is None:
        assert part.index is not None
        note = "This file picks lines of other texts; run isogloss doctor on those."
        return Section(f"Findings, {part.index.name}", [Note(note)], [part.index])
    labels = None if part.labels is None else iter_lines(part.labels)
    lines = blocks_of(raw_lines(part.source), raw_lines(part.target))
    seen = diagnose(lines, labels=labels, lowercase=lowercase)
    return findings_section(seen, [part.source, part.target])


def _translated(config: RunConfig, outputs: Mapping[str, list[str]]) -> TranslatedText:
    """The test set, as translated by each system."""
    assert config.test is not None
    sentences, references = read_selection(config.test, config)
    for name, output in outputs.items():
        check_line_counts(config.test.source, len(sentences), f"test.{name}.txt", len(output))
    domains = None
    if config.test.domains is not None:
        domains = read_lines(config.test.domains)[: config.test.limit or None]
        check_line_counts(config.test.source, len(sentences), config.test.domains, len(domains))
    metric = metric_named("bleu")
    return TranslatedText(
        metric,
        outputs,
        {name: text_statistics(lines, references, metric, name) for name, lines in outputs.items()},
        [references[row] for row in range(len(sentences))],
        range(1, len(sentences) + 1),
        [" ".join(words) for words in sentences],
        domains,
    )
