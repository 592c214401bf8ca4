"""The TOML file of `isogloss run`: read, checked, paths resolved."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from isogloss.align.errors import (
    MAX_HYPOTHESES,
    MAX_ROUNDS,
    DataError,
    OptionError,
    UsageError,
    did_you_mean,
)
from isogloss.align.execution import MAX_THREADS, processors, usual_threads
from isogloss.align.files.outputs import naming_output, output_path, real_path
from isogloss.align.files.records import Count, Counting, Name, Title, within
from isogloss.align.language_model.estimation import MAXIMUM_ORDER
from isogloss.align.links.classifier.thresholds import AIMS, Aim
from isogloss.align.model.domain_posterior import OUT
from isogloss.align.model.model import FLAT
from isogloss.align.model.parameters import POSTERIOR, PRESETS, AlignerOptions
from isogloss.align.text.length_limit import MAX_LENGTH
from isogloss.features.bins.raw_values import raw_score_name
from isogloss.features.bins.specs import parse_bin_spec
from isogloss.features.extraction.count_features import COUNT_FEATURES
from isogloss.features.extraction.domain_lexical import domain_feature_name
from isogloss.features.table.sidecar import MOSES_SCORES
from isogloss.features.templates.apply import TemplateFeatures, parse_templates
from isogloss.features.templates.plugins import load_templates
from isogloss.features.templates.word_maps import Frequencies
from isogloss.tune.decoder.model import DecoderSettings
from isogloss.tune.online.options import OnlineOptions

from ..runs.toml_section import Section, read_toml, tables

__all__ = [
    "EvaluationPart",
    "GoldSamplePart",
    "RunConfig",
    "Selection",
    "TrainingPart",
    "check_features",
    "config_from_values",
    "read_config",
]

_TABLES = (
    "run", "train", "evaluate", "align", "extract", "language_model", "features", "decoder",
    "tune", "test",
)  # fmt: skip
Threads = within(int, 0, MAX_THREADS)
FOR_PHRASES = "grow-diag-final-and"  # more phrase pairs than links of a high posterior
PhraseLength = within(int, 1, 8)
Order = within(int, 1, MAXIMUM_ORDER)


@dataclass(frozen=True)
class TrainingPart:
    """Pairs to train on: an index file of a mixture, or two line-aligned files.

    index: TSV of file prefix, domain, 0-based line, seed (1 = the label may be shown)
    source, target: files; labels: one domain name per line, or -; domain: label of all these pairs
    """

    index: Path | None = None
    source: Path | None = None
    target: Path | None = None
    labels: Path | None = None
    domain: str = "-"


@dataclass(frozen=True)
class EvaluationPart:
    """Text with gold links; trained on without label, and scored."""

    name: str
    gold: Path
    source: Path | None = None
    target: Path | None = None
    lines: int = 0


@dataclass(frozen=True)
class GoldSamplePart:
    """Gold links of some pairs of the training text, which teach what a link is.

    aim: that links are best for; is_kept: whether these pairs keep their gold links
    """

    gold: Path
    aim: str
    is_kept: bool


@dataclass(frozen=True)
class Selection:
    """Source sentences with references; ``limit`` takes the first ones only.

    domains: file with the domain of each sentence, for scores by domain
    """

    source: Path
    references: tuple[Path, ...]
    limit: int = 0
    domains: Path | None = None


@dataclass(frozen=True)
class RunConfig:
    """What `isogloss run` does; examples/ holds commented files.

    file, values: the file that said so, and what it holds
    """

    out: Path
    training: tuple[TrainingPart, ...]
    evaluation: tuple[EvaluationPart, ...] = ()
    languages: tuple[str, str] = ("source", "target")
    lowercase: bool = False
    strip_punctuation: bool = False
    seed: int = 1
    threads: int = 1
    aligner: AlignerOptions = field(default_factory=AlignerOptions)
    heuristic: str = FOR_PHRASES
    gold_sample: GoldSamplePart | None = None
    longest_pair: int = MAX_LENGTH
    extract: bool = True
    max_phrase_length: int = 7
    table_limit: int = 100
    language_model_order: int = 3
    domain_features: tuple[str, ...] | None = None
    templates: tuple[str, ...] = ("pt", "al")
    plugins: Mapping[str, type] = field(default_factory=dict)
    templates_file: Path | None = None
    count_features: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    discretize: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    decoder: DecoderSettings = field(default_factory=DecoderSettings)
    optimizer: OnlineOptions = field(default_factory=OnlineOptions)
    epochs: int = 8
    nbest_size: int = 100
    tuning: Selection | None = None
    test: Selection | None = None
    digest: str = ""
    file: Path = Path()
    values: Mapping[str, Any] = field(default_factory=dict)

    @property
    def inputs(self) -> tuple[Path, ...]:
        """The files that the configuration names."""
        paths: list[Path | None] = [self.templates_file]
        for part in self.training:
            paths += [part.index, part.source, part.target, part.labels]
        for text in self.evaluation:
            paths += [text.source, text.target, text.gold]
        if self.gold_sample is not None:
            paths.append(self.gold_sample.gold)
        for selection in (self.tuning, self.test):
            if selection:
                paths += [selection.source, *selection.references, selection.domains]
        return tuple(dict.fromkeys(path for path in paths if path is not None))

    def with_out(self, out: Path) -> "RunConfig":
        """The same run in another folder.

        Raises OutputError where nothing can be written.
        """
        with naming_output(out):
            return replace(self, out=output_path(out))


def check_features(config: RunConfig, seeds: Sequence[str]) -> None:
    """Raise DataError for features of domains or scores that a run won't have.

    seeds: the domains of labeled pairs
    """

    def check(key: str, wanted: Iterable[str], known: Sequence[str]) -> None:
        if unknown := [name for name in wanted if name not in known]:
            raise DataError(f"[features] {key} = {unknown[0]!r}", f"some of {', '.join(known)}")

    domains = (*seeds, OUT) if seeds else (FLAT,)
    if config.domain_features is not None:
        check("domain_features", config.domain_features, domains)
        domains = config.domain_features
    check("count_features", config.count_features, tuple(COUNT_FEATURES))
    scores = [*MOSES_SCORES, *config.count_features, *map(domain_feature_name, domains)]
    check("raw", config.raw, scores)
    scores = [raw_score_name(name) if name in config.raw else name for name in scores]
    bins = [parse_bin_spec(text) for text in config.discretize]
    check("discretize", (spec.name for spec in bins), scores)
    gone = {spec.name for spec in bins if not spec.keep}
    left = [name for name in scores if name not in gone]
    check("drop", config.drop, left)
    if not set(left).difference(config.drop):
        raise DataError("[features] removes all scores", "at least one score per rule")
    kind = config.optimizer.bin_regularizer
    if config.tuning is not None and kind != "none" and all(spec.bits < 2 for spec in bins):
        raise DataError(
            f"[tune] bin_regularizer = {kind!r} needs a score with at least 4 bins; set [features] "
            "discretize to two bits or more, such as p(e|f):3",
        )


def read_config(path: str | Path, plugin: str | None = None) -> RunConfig:
    """Read a TOML file; relative paths start at its folder, or at ``run.root``.

    plugin: where the user's own templates are, see
        :func:`isogloss.features.templates.plugins.load_templates`; no file of settings can say it

    Raises DataError for a syntax error, an unknown key or a value out of range.
    """
    path = Path(path)
    return config_from_values(read_toml(path), path, plugin)


def config_from_values(
    values: Mapping[str, Any], path: Path, plugin: str | None = None
) -> RunConfig:
    """Build the configuration from parsed TOML; ``path`` is named in messages."""
    here = real_path(path).parent
    unknown = set(values) - set(_TABLES)
    if unknown:
        near = did_you_mean(min(unknown), _TABLES) or f"use {', '.join(_TABLES[:-1])} or test"
        raise DataError(f"the table [{min(unknown)}] is unknown; {near}", file=path)
    run = Section(values.get("run", {}), "run", path, here)
    root = run.place("root", ".", here)

    def section(name: str) -> Section:
        return Section(values.get(name, {}), name, path, root)

    settings: dict[str, Any] = {
        "out": run.output("out", f"runs/{path.stem}", here),
        "languages": run.take("languages", ("source", "target"), tuple[Name, Name]),
        "lowercase": run.take("lowercase", False),
        "strip_punctuation": run.take("strip_punctuation", False),
        "seed": run.take("seed", 1, Count),
        "threads": run.take("threads", usual_threads(), Threads) or min(processors(), MAX_THREADS),
    }
    run.done()
    training, evaluation = (tables(values, name, path) for name in ("train", "evaluate"))
    settings["training"] = tuple(_training(table, path, root) for table in training)
    settings["evaluation"] = tuple(_evaluation(table, path, root) for table in evaluation)
    if not settings["training"]:
        raise DataError("the configuration has no [[train]] table", "at least one", file=path)
    settings.update(_align(section("align"), path))
    plugins = load_templates(plugin) if plugin else {}
    settings.update(_model(section, path, plugins))
    if plugin:
        settings["plugins"] = plugins
        file = real_path(plugin)
        settings["templates_file"] = file if file.suffix == ".py" else None
    digest = hashlib.sha256(json.dumps(values, sort_keys=True, default=str).encode()).hexdigest()
    return RunConfig(**settings, digest=digest, file=here / path.name, values=values)


def _training(values: object, path: Path, root: Path) -> TrainingPart:
    section = Section(values, "train", path, root)
    part = TrainingPart(
        section.path("index"),
        section.path("source"),
        section.path("target"),
        section.path("labels"),
        section.take("domain", "-", Name),
    )
    section.done()
    if (part.index is None) == (part.source is None or part.target is None):
        raise DataError(
            "[[train]] does not name its files", "either index, or source and target", file=path
        )
    return part


def _evaluation(values: object, path: Path, root: Path) -> EvaluationPart:
    section = Section(values, "evaluate", path, root)
    gold = section.path("gold", required=True)
    assert gold is not None
    part = EvaluationPart(
        section.take("name", gold.name, Title),
        gold,
        section.path("source"),
        section.path("target"),
        section.take("lines", 0, Count),
    )
    section.done()
    return part


def _align(section: Section, path: Path) -> dict[str, Any]:
    preset = _one_of(section, "preset", "best", tuple(PRESETS), path)
    longest = section.take("max_length", MAX_LENGTH, Count)  # 0 = no limit
    is_usual = preset == "best" and "heuristic" not in section
    options = section.options(AlignerOptions, PRESETS[preset])
    sample = _gold_sample(section, options, path)
    section.done()
    heuristic = FOR_PHRASES if is_usual and sample is None else options.heuristic
    return {
        "aligner": options, "heuristic": heuristic, "longest_pair": longest, "gold_sample": sample,
    }  # fmt: skip


def _gold_sample(section: Section, options: AlignerOptions, path: Path) -> GoldSamplePart | None:
    """The gold sample that a table names. Raises DataError for keys that it would not go with."""
    gold = section.path("gold_sample")
    if gold is None:
        for key in ("aim", "keep_gold"):
            if key in section:
                raise DataError(f"[align] {key} has no effect without gold_sample", file=path)
        return None
    if options.hmm_iterations == 0:
        raise DataError(
            "[align] gold_sample needs link probabilities", "hmm_iterations above 0", file=path
        )
    if options.heuristic != POSTERIOR:
        raise DataError(
            f"[align] gold_sample has no effect with heuristic = {options.heuristic!r}",
            repr(POSTERIOR),
            file=path,
        )
    aim = section.take("aim", "aer", Name)
    try:
        Aim.parse(aim)
    except OptionError:
        raise DataError(f"[align] aim = {aim!r}", AIMS, file=path) from None
    return GoldSamplePart(gold, aim, section.take("keep_gold", False))


def _one_of(section: Section, key: str, default: str, allowed: tuple[str, ...], path: Path) -> str:
    value: str = section.take(key, default)
    if value not in allowed:
        seen = f"[{section.name}] {key} = {value!r}"
        raise DataError(seen, f"one of {', '.join(allowed)}", file=path)
    return value


def _model(section: Any, path: Path, plugins: Mapping[str, type]) -> dict[str, Any]:
    extract, language = section("extract"), section("language_model")
    features, decoder, tune, test = (
        section("features"), section("decoder"), section("tune"), section("test")
    )  # fmt: skip
    settings: dict[str, Any] = {
        "extract": extract.take("enabled", True),
        "max_phrase_length": extract.take("max_phrase_length", 7, PhraseLength),
        "table_limit": features.take("table_limit", 100, Counting),
        "language_model_order": language.take("order", 3, Order),
        "domain_features": features.take("domain_features", None, tuple[Name, ...]),
        "templates": features.take("templates", ("pt", "al")),
        "count_features": features.take("count_features", ()),
        "raw": features.take("raw", ()),
        "discretize": features.take("discretize", ()),
        "drop": features.take("drop", ()),
        "epochs": tune.take("epochs", 8, within(int, 1, MAX_ROUNDS)),
        "nbest_size": tune.take("nbest_size", 100, within(int, 1, MAX_HYPOTHESES)),
        "tuning": _selection(tune, path),
        "test": _selection(test, path),
        "decoder": decoder.options(DecoderSettings, DecoderSettings()),
        "optimizer": tune.options(OnlineOptions, OnlineOptions()),
    }
    for table in (extract, language, features, decoder, tune, test):
        table.done()
    try:
        unseen: Frequencies = {
            "source": {},
            "target": {},
        }  # words are counted when there is a text
        templates = parse_templates(settings["templates"], frequencies=unseen, plugins=plugins)
        TemplateFeatures(templates)
        for option in settings["discretize"]:
            parse_bin_spec(option)
    except UsageError as error:
        raise DataError(f"[features] {error}", file=path) from error
    return settings


def _selection(section: Section, path: Path) -> Selection | None:
    """The text of a table, None where there is no table, or an empty one."""
    if not section.is_given:
        return None
    source = section.path("source", required=True)
    references = section.paths("references")
    assert source is not None
    if not references:
        raise DataError(f"[{section.name}] has no references", "the names of files", file=path)
    limit = section.take("limit", 0, Count)
    domains = section.path("domains") if section.name == "test" else None
    return Selection(source, references, limit, domains)
