"""isogloss features: features added to a phrase table, rules left out, another form."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from isogloss.align.errors import UsageError
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.writers import together
from isogloss.align.text.readers import read_sentences
from isogloss.features.extraction.count_features import COUNT_FEATURES, add_count_features
from isogloss.features.extraction.domain_lexical import add_domain_features
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.pruning.prune import Pruning, prune
from isogloss.features.table.formats import SCALES
from isogloss.features.table.grammars import TABLE_FORMATS, table_format
from isogloss.features.table.phrases import phrases_of
from isogloss.features.table.sidecar import is_filtered_table, sidecars
from isogloss.features.table.stream import TableFile
from isogloss.features.templates.word_counts import read_word_counts
from isogloss.features.templates.word_maps import Frequencies

from ...console import Console
from ...options import Command, group, option, positional, positive
from ...runs.reordering import parse_reordering
from ..shared import MessageOptions, message_options, output_option
from .domain_model import load_domain_model
from .new_features import (
    ExportOptions,
    FeatureOptions,
    RuleStream,
    Step,
    TableOutput,
    decoding_with,
    files_beside,
    tuning_from,
    write_features,
)

__all__ = ["COMMAND", "FeaturesOptions", "run"]

_FORMATS = tuple(TABLE_FORMATS)


@dataclass(frozen=True)
class DomainFeatureOptions:
    """Features of domains.

    model: aligner model for domain features
    domain_features: domains to add a `DomainLex` feature for (default: all, none if the model has
        only one)
    """

    model: str | None = option(default=None, metavar="MODEL")
    domain_features: str | None = option(default=None, metavar="NAME,...")

    def step(self, console: Console) -> Step | None:
        """Adds the features to a block. Raises UsageError for domains without a model."""
        if not self.model:
            if self.domain_features:
                raise UsageError(
                    "--domain-features has no effect without --model; pass --model MODEL as well"
                )
            return None
        domains = tuple(self.domain_features.split(",")) if self.domain_features else None
        hint = "; pass --domain-features {0} to add DomainLex.{0}"
        model = load_domain_model(self.model, console, named=domains is not None, hint=hint)
        if model is None:
            return None
        return partial(add_domain_features, model=model, domains=domains)


@dataclass(frozen=True)
class CountOptions:
    """Scores that count."""

    count_features: str = option(
        default="", metavar="NAME,NAME", text=f"additional scores: {', '.join(COUNT_FEATURES)}"
    )

    @property
    def step(self) -> Step | None:
        """Adds the scores to a block."""
        names = [name for name in self.count_features.split(",") if name]
        return (lambda table: add_count_features(table, names)) if names else None


@dataclass(frozen=True)
class WordOptions:
    """Words of the bitext, for unk= of templates.

    source_words: source text of the bitext, or `word TAB count` lines, for templates with unk=
    target_words: target text of the bitext, or `word TAB count` lines, for templates with unk=
    """

    source_words: str | None = option(default=None, metavar="FILE")
    target_words: str | None = option(default=None, metavar="FILE")

    def frequencies(self, *, lowercase: bool) -> Frequencies:
        """How often the words of each side that is given occur."""
        files = {"source": self.source_words, "target": self.target_words}
        return {
            side: read_word_counts(file, lowercase=lowercase)
            for side, file in files.items()
            if file
        }


@dataclass(frozen=True)
class RuleOptions:
    """Which rules stay.

    filter_for: keep only rules that match this text
    lowercase: lowercase the texts of --filter-for, --source-words and --target-words
    max_phrase_length: maximum source phrase length for --filter-for, in words
    table_limit: maximum number of rules per source phrase; 0 = all
    ratio: minimum ratio of a rule's score to the best score of its source phrase
    min_count: minimum count c(f,e) of a rule
    """

    filter_for: str | None = option(default=None, metavar="FILE")
    lowercase: bool = False
    max_phrase_length: int = option(default=8, parse=positive, metavar="N")
    table_limit: int = option(default=Pruning.table_limit, metavar="N")
    ratio: float = option(default=Pruning.ratio, metavar="R")
    min_count: float = option(default=Pruning.min_count, metavar="C")

    @property
    def sources(self) -> frozenset[str] | None:
        """Source phrases of the text, None where there is none."""
        if not self.filter_for:
            return None
        sentences = read_sentences(self.filter_for, lowercase=self.lowercase)
        return phrases_of(sentences, self.max_phrase_length)

    @property
    def step(self) -> Step | None:
        """Leaves rules of a block out."""
        pruning = Pruning(self.min_count, {}, self.ratio, self.table_limit)
        return None if pruning == Pruning() else lambda table: prune(table, pruning)


@dataclass(frozen=True)
class FormatOptions:
    """The files.

    format: input table format
    to: output table format (default: the input format)
    scale: scale of the input scores (default: by format)
    unsorted: sort an unsorted table in memory instead of rejecting it
    reordering: reordering table for the moses.ini of --export; repeatable
    """

    format: str = option(default="moses", choices=_FORMATS)
    to: str | None = option(default=None, choices=_FORMATS)
    scale: str | None = option(default=None, choices=tuple(SCALES))
    unsorted: bool = False
    export: ExportOptions = group(ExportOptions, title="decoder files")
    reordering: tuple[str, ...] = option(
        default=(), metavar="MODEL=FILE", append=True, title="decoder files"
    )

    @property
    def reordering_tables(self) -> tuple[tuple[ReorderingModel, str], ...]:
        """The reordering tables with their models. Raises UsageError as parse_reordering does."""
        return tuple(map(parse_reordering, self.reordering))


@dataclass(frozen=True)
class FeaturesOptions:
    """Options of `isogloss features`.

    table: input phrase table; - = standard input
    output: output phrase table; - = standard output
    """

    table: str = positional("TABLE")
    output: str = output_option(metavar="TABLE", required=True)
    features: FeatureOptions = group(FeatureOptions, title="features")
    counts: CountOptions = group(CountOptions, title="features")
    words: WordOptions = group(WordOptions, title="features")
    domains: DomainFeatureOptions = group(DomainFeatureOptions, title="domain features")
    rules: RuleOptions = group(RuleOptions, title="rule selection")
    files: FormatOptions = group(FormatOptions, title="file formats")
    common: MessageOptions = message_options()

    @property
    def named_outputs(self) -> list[Path]:
        """The files that are written beside ``output``."""
        return files_beside(self.output, self.files.export)

    @property
    def named_inputs(self) -> list[Path]:
        """The files that are read beside ``table``."""
        return sidecars(self.table)


def run(options: FeaturesOptions, console: Console) -> None:
    """Transform a phrase table as a stream; what is to be counted first takes a pass of its own."""
    files = options.files
    reordering = files.reordering_tables
    files.export.check([options.output], [file for _, file in reordering])
    format_read = table_format(files.format, files.scale)
    format_written = (
        format_read if files.to in (None, files.format) else table_format(str(files.to))
    )
    sources = options.rules.sources
    table = TableFile(options.table, format=format_read, sources=sources, unsorted=files.unsorted)
    rules = RuleStream(table, again=not is_stream(options.table))
    for step in (options.rules.step, options.counts.step, options.domains.step(console)):
        rules = rules.then(step)
    filtered = sources is not None or is_filtered_table(options.table) is True
    output = TableOutput(options.output, format_written, files.export, reordering, filtered)
    words = options.words.frequencies(lowercase=options.rules.lowercase)
    with together():
        write_features(rules, options.features, output, console, words)


def _next_step(options: FeaturesOptions) -> Sequence[str]:
    if options.files.export.export:
        return tuning_from(options.files.export)
    return decoding_with(options.output)


COMMAND = Command(
    FeaturesOptions,
    run,
    (
        "isogloss features table.gz -o rich.gz --add pt,al --model m --filter-for dev.en",
        "isogloss features table.gz -o binned.gz --discretize 'p(e|f):4'",
    ),
    next_step=_next_step,
    first={
        "features": ("add", "discretize", "keep", "drop", "model", "domain_features"),
        "rules to keep": ("filter_for", "table_limit", "min_count"),
        "output": ("output", "to", "export"),
        "running": ("quiet", "verbose"),
    },
)
