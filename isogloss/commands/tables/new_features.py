"""Features added to the rules of a phrase table, as `isogloss extract` and `features` do it."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.files.inputs.opening import FileShare
from isogloss.align.files.outputs import is_stream, real_path
from isogloss.align.lexicon.word_classes import WordClasses
from isogloss.features.bins.binning import Binning, Population, bins_lines, bins_of
from isogloss.features.bins.raw_values import with_raw_values
from isogloss.features.bins.rule_use import read_rule_use
from isogloss.features.bins.specs import parse_bin_spec
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.feature_list import FEATURE_LIMIT, FeatureList
from isogloss.features.table.formats import TableFormat
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.selections import without_scores
from isogloss.features.table.sidecar import bins_file, columns_file, lines_of_bins
from isogloss.features.table.stream import TableFile
from isogloss.features.table.write_blocks import write_blocks
from isogloss.features.templates.apply import TemplateFeatures, parse_templates
from isogloss.features.templates.plugins import load_templates
from isogloss.features.templates.word_maps import Frequencies

from ...console import Console
from ...options import option, positive
from ..line_outputs import shown_beside

__all__ = [
    "ExportOptions",
    "FeatureOptions",
    "RuleStream",
    "Step",
    "TableOutput",
    "decoding_with",
    "features_for",
    "files_beside",
    "tuning_from",
    "write_features",
]

_NO_PATH = re.compile(r"[\s#]")
Step = Callable[[PhraseTable], PhraseTable]


@dataclass(frozen=True)
class FeatureOptions:
    """Features to add.

    add: sparse feature templates, such as pt,al (see docs/reference/templates.md)
    plugin: Python file or entry point of an installed package with your own templates for
        --add; the code is executed
    source_classes: source word classes for templates with classes=
    target_classes: target word classes for templates with classes=
    raw: replace score NAME by feature Raw.NAME, which decoders use without taking its logarithm;
        repeatable
    discretize: replace score NAME by indicators of 2^BITS equally populated bins, stored in
        TABLE.bins.json; also NAME:BITS:overlap=N, :extend=N, :keep; repeatable
    keep: keep the discretized scores
    drop: remove score NAME after all features are made; repeatable
    population: population of the bins: rules = each rule once, tokens = each rule by its count, or
        a file of `source ||| target ||| count` lines
    bins: read the bins from a file instead of learning them
    """

    add: str = option(default="", metavar="SPEC,...")
    plugin: str | None = option(default=None, metavar="FILE.py|NAME")
    source_classes: str | None = option(default=None, metavar="FILE")
    target_classes: str | None = option(default=None, metavar="FILE")
    raw: tuple[str, ...] = option(default=(), metavar="NAME", append=True)
    discretize: tuple[str, ...] = option(default=(), metavar="NAME:BITS", append=True)
    keep: bool = False
    drop: tuple[str, ...] = option(default=(), metavar="NAME", append=True)
    population: str = option(default="rules", metavar="rules|tokens|FILE")
    bins: str | None = option(default=None, metavar="FILE")


@dataclass(frozen=True)
class ExportOptions:
    """What else is written for a decoder.

    export: write features.tsv (rules per feature), weights.txt and an initial moses.ini to this
        folder
    lm: language models for the moses.ini: ARPA or KenLM binary files
    feature_limit: maximum number of sparse features to count for --export; each takes about 200
        bytes
    relative: write paths in the moses.ini relative to DIR for files below the parent folder of
        DIR; Moses then runs in DIR
    """

    export: str | None = option(default=None, metavar="DIR")
    lm: tuple[str, ...] = option(default=(), metavar="FILE")
    feature_limit: int = option(default=FEATURE_LIMIT, parse=positive, metavar="N")
    relative: bool = False

    def check(self, written: Sequence[str], reordering: Sequence[str] = ()) -> None:
        """Raise UsageError for models and --relative without --export, for models that are not
        there, and for files that a moses.ini can't name; DataError for ARPA files that no decoder
        reads, as their header or their words show.

        written: tables that this command writes; reordering: those named for --export alone
        """
        given = {"--lm": self.lm, "--reordering": reordering, "--relative": self.relative}
        for name, value in given.items() if not self.export else ():
            if value:
                raise UsageError(
                    f"{name} has no effect without --export; pass --export DIR as well"
                )
        for name, files in (("--lm", self.lm), ("--reordering", reordering)):
            for file in files:
                if not Path(file).exists():
                    raise UsageError(f"{name} {file} does not exist; pass an existing model")
        for file in (*written, *self.lm, *reordering, self.export) if self.export else ():
            if _NO_PATH.search(str(real_path(file))):
                raise UsageError(
                    f"--export: {real_path(file)} has whitespace or # in its name, which a "
                    "moses.ini cannot contain; choose another name"
                )
        if self.lm:
            _check_language_models(self.lm)


@dataclass(frozen=True)
class TableOutput:
    """Where a table goes, and in what format.

    reordering: its reordering tables, for what is written for a decoder
    filtered: whether the rules are those of one text alone
    """

    path: str
    format: TableFormat
    export: ExportOptions
    reordering: tuple[tuple[ReorderingModel, str], ...] = ()
    filtered: bool = False


def files_beside(table: str, export: ExportOptions) -> list[Path]:
    """The files that are written beside a table, or taken away, or written for a decoder."""
    files = _starting_files(export.export) if export.export else []
    return files if is_stream(table) else [columns_file(table), bins_file(table), *files]


@dataclass(frozen=True)
class RuleStream:
    """The rules of a table after some steps, a block at a time.

    again: whether they can be gone through more than once
    """

    table: TableFile
    steps: tuple[Step, ...] = ()
    again: bool = True

    def __iter__(self) -> Iterator[PhraseTable]:
        for block in self.table:
            for step in self.steps:
                if len(block):
                    block = step(block)
            if len(block):
                yield block

    @property
    def share(self) -> FileShare:
        """How much of the table has been read."""
        return self.table.share

    def then(self, step: Step | None) -> "RuleStream":
        """The same with one step more."""
        return self if step is None else replace(self, steps=(*self.steps, step))

    def check_again(self, option: str) -> None:
        """Raise UsageError where the rules can be gone through once only. option: needs more"""
        if not self.again:
            raise UsageError(f"{option} reads the table twice; pass a regular file, not a pipe")


def tuning_from(export: ExportOptions) -> list[str]:
    """Arguments that tune what --export has written, or make the language model that it lacks."""
    if not export.lm:
        return ["lm", "TEXT", "-o", "lm.arpa.gz"]
    start = f"{export.export}/moses.ini"
    return ["tune", "--decoder", start, "--dev", "TEXT", "--refs", "REF", "-o", "weights.json"]


def features_for(table: str) -> list[str]:
    """Arguments that add features to a table, and write what tuning begins with."""
    export = ["--export", "start", "--lm", "ARPA"]
    return ["features", table, "-o", "rich.gz", "--add", "pt,al", *export]


def decoding_with(table: str) -> list[str]:
    """Arguments that translate with a table."""
    return ["decode", "TEXT", "--phrase-table", table, "--lm", "ARPA"]


class _Shown:
    """Blocks with progress, each time they are gone through."""

    def __init__(self, rules: RuleStream, label: str, console: Console) -> None:
        self._rules, self._label, self._console = rules, label, console

    def __iter__(self) -> Iterator[PhraseTable]:
        with self._console.rows(self._label, self._rules.share) as advance:
            for block in self._rules:
                yield block
                advance(len(block))


def write_features(
    rules: RuleStream,
    features: FeatureOptions,
    output: TableOutput,
    console: Console,
    frequencies: Frequencies,
) -> None:
    """Add the features to the rules, and write the table.

    frequencies: how often the words of the bitext occur, for ``unk=``

    Raises UsageError for features that need more than one pass where the rules allow only one.
    """
    if features.raw:
        rules = rules.then(lambda table: with_raw_values(table, features.raw))
    templates = _templates(features, rules, console, frequencies)
    binning = _binning(features, rules, console)
    had, every = str(rules.table.path), binning
    if output.export.export or binning is not None:
        every = binning.merge(bins_of(had)) if binning is not None else bins_of(had)
    lines = lines_of_bins(had) if every is None else bins_lines(every)
    if templates is not None:
        rules = rules.then(templates.apply)
    if binning is not None:
        rules = rules.then(binning.apply)
    if features.drop:
        rules = rules.then(lambda table: without_scores(table, features.drop))
    features_seen = FeatureList(output.export.feature_limit)
    shown = shown_beside(str(output.path), console)
    with shown.rows("writing", rules.share) as advance:
        write_blocks(
            features_seen.watch(rules), output.path, format=output.format, advance=advance,
            filtered=output.filtered, bins=lines,
        )  # fmt: skip
    if output.export.export:
        _export(output, features_seen, every, console)
    pairs = pluralize(features_seen.num_rules, "phrase pair")
    sparse = features_seen.shown_size
    console.info(f"{pairs}, {sparse} sparse {'feature' if sparse == '1' else 'features'}")


def _starting_files(folder: str) -> list[Path]:
    from ...runs.starting_files import starting_files  # with the decoder, for this option alone

    return starting_files(folder)


def _check_language_models(files: Sequence[str]) -> None:
    """Raise DataError for ARPA files whose header or words no decoder reads."""
    from isogloss.align.language_model.arpa import check_arpa_words  # for this option alone
    from isogloss.align.language_model.kenlm_files import is_kenlm

    for file in files:
        if not is_kenlm(file):
            check_arpa_words(file)


def _export(
    output: TableOutput, features_seen: FeatureList, binning: Binning | None, console: Console
) -> None:
    """Write what a decoder begins with."""
    from ...runs.starting_files import StartingModels, write_starting_files

    reordering = tuple((model, Path(file)) for model, file in output.reordering)
    models = StartingModels(tuple(map(Path, output.export.lm)), reordering, output.export.relative)
    folder = output.export.export
    assert folder
    write_starting_files(folder, output.path, features_seen, models, binning)
    if not models.language_models:
        console.info(f"{folder}/moses.ini has no language model yet; pass --lm FILE with --export")


def _templates(
    features: FeatureOptions, rules: RuleStream, console: Console, frequencies: Frequencies
) -> TemplateFeatures | None:
    """The templates of --add, ready to be applied."""
    if not features.add:
        if features.plugin:
            raise UsageError("--plugin has no effect without --add; pass --add as well")
        return None
    files = {"source": features.source_classes, "target": features.target_classes}
    classes = {side: WordClasses.load(file) for side, file in files.items() if file}
    plugins = load_templates(features.plugin) if features.plugin else {}
    templates = TemplateFeatures(
        parse_templates([features.add], classes=classes, frequencies=frequencies, plugins=plugins)
    )
    if not templates.needs_fit:
        return templates
    rules.check_again("min= of --add")
    return templates.fit(_Shown(rules, "counting for templates", console))


def _binning(features: FeatureOptions, rules: RuleStream, console: Console) -> Binning | None:
    """The bins of --discretize, learned on the rules, or those of --bins."""
    if features.bins and features.discretize:
        raise UsageError("--discretize and --bins exclude each other; pass one of them")
    if features.bins:
        return Binning.load(features.bins)
    if not features.discretize:
        return None
    specs = [parse_bin_spec(text) for text in features.discretize]
    if features.keep:
        specs = [replace(spec, keep=True) for spec in specs]
    rules.check_again("--discretize")
    binning = Binning.fit(
        _Shown(rules, "counting for bins", console),
        specs,
        population=_population(features.population),
    )
    for spec, bins in zip(binning.specs, binning.bins, strict=True):
        console.info(f"{spec.name}: {pluralize(len(bins), 'bin')}")
    return binning


def _population(text: str) -> Population:
    if text == "tokens":
        return "tokens"
    return "rules" if text == "rules" else read_rule_use(text)
