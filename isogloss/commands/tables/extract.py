"""isogloss extract: phrase pairs with scores, reordering and lexical tables from links."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import chain, islice
from pathlib import Path
from typing import Literal

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.execution.groups import Workers
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.parts import scratch_folder
from isogloss.align.files.writers import atomic_files, together
from isogloss.align.links.links import Links
from isogloss.align.model.part_answers import posteriors_of
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.labels import read_labels
from isogloss.align.text.pair_collector import PairSettings
from isogloss.align.text.readers import read_linked_bitext, read_links
from isogloss.features.extraction.cluster_tables import cluster_blocks
from isogloss.features.extraction.count_features import COUNT_FEATURES, CountBins
from isogloss.features.extraction.domain_scores import LabelFeature
from isogloss.features.extraction.extract import DomainWeights, extract_blocks
from isogloss.features.extraction.extraction_options import (
    DENSE_FEATURES,
    LEAST_MEMORY,
    ExtractionOptions,
)
from isogloss.features.extraction.reordering import ADAGRAD_PRO, ReorderingModel
from isogloss.features.extraction.sentence_weights import read_instance_weights, read_posteriors
from isogloss.features.extraction.smoothing import parse_smoothing
from isogloss.features.extraction.word_table import format_word_table, word_table
from isogloss.features.extraction.write_extracted import (
    ExtractedFormatter,
    FormattedBlock,
    write_formatted,
)
from isogloss.features.table.grammars import table_format
from isogloss.features.table.sidecar import table_stem
from isogloss.features.table.stream import TableFile
from isogloss.features.templates.word_maps import bitext_frequencies

from ...console import Console
from ...options import Command, group, option, positional, size
from ..link_formats import TokenIdOptions, token_id_options
from ..shared import BitextOptions, ClusterOptions, CommonOptions, common_options, output_option
from .domain_model import load_domain_model
from .new_features import (
    ExportOptions,
    FeatureOptions,
    RuleStream,
    TableOutput,
    features_for,
    files_beside,
    tuning_from,
    write_features,
)

__all__ = ["COMMAND", "ExtractOptions", "run"]

_PROGRAM = 280 << 20  # measured: libraries and compiled kernels,
_BYTES_PER_WORD = 30  # and a text with its links
_LINES = 1 << 12  # lines of text written at a time
_LEXICAL = ("e2f", "f2e")  # w(source | target), w(target | source)


@dataclass(frozen=True)
class ScoreOptions:
    """The scores of a rule.

    smoothing: smoothing of p(f|e) and p(e|f): none, good-turing, kneser-ney or modified-kneser-ney
        (Moses --KneserNey)
    count_bins: dense indicator features for counts c(f,e) up to each limit, such as 1,2,3,5 (Moses
        --CountBinFeature)
    sparse_count_bins: sparse indicator features for counts c(f,e) up to each limit, such as 1,2,3,5
        (Moses --SparseCountBinFeature)
    """

    smoothing: str = option(default=str(ExtractionOptions.smoothing), metavar="NAME")
    count_features: str = option(
        default="",
        metavar="NAME,NAME",
        text=f"additional scores: {', '.join(COUNT_FEATURES)}",
    )
    count_bins: str | None = option(default=None, metavar="N,N")
    sparse_count_bins: str | None = option(default=None, metavar="N,N")
    dense: bool = option(
        default=False,
        text="add the dense features of Green et al. (2013) that decoders lack: "
        f"{', '.join(DENSE_FEATURES)} and the reordering table {ADAGRAD_PRO}",
    )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the count features."""
        names = [name for name in self.count_features.split(",") if name]
        if self.dense:
            names += [name for name in DENSE_FEATURES if name not in names]
        return tuple(names)


@dataclass(frozen=True)
class ReorderingOptions:
    """Lexicalized reordering.

    reordering: lexicalized reordering model, such as wbe-msd-bidirectional-fe, written to FILE or
        TABLE.reordering.MODEL; repeatable
    reordering_smoothing: pseudo-count of each orientation class
    orientations: orientation definition: moses (misses most blocks that follow) or definition
        (Galley & Manning 2008)
    smooth_with_counts: distribute the pseudo-counts in proportion to the class counts of the whole
        table
    """

    reordering: tuple[str, ...] = option(default=(), metavar="MODEL[=FILE]", append=True)
    reordering_smoothing: float = option(
        default=ExtractionOptions.reordering_smoothing, metavar="X"
    )
    orientations: Literal["moses", "definition"] = "moses"
    smooth_with_counts: bool = False


@dataclass(frozen=True)
class DomainOptions:
    """Scores by domain.

    model: aligner model of several domains; adds scores conditioned on each
    domain_posteriors: P(domain) of each sentence pair, written by `isogloss domains predict`;
        adds scores conditioned on these domains
    domain_smoothing: pseudo-counts of the domain-independent probability
    instance_weights: weight of each sentence pair, one per line
    labels: domain labels, one name or - per line; for a single-file bitext also `column` (third TSV
        column) or `prop:NAME` (TMX property or JSON key)
    """

    model: str | None = option(default=None, metavar="MODEL")
    domain_posteriors: str | None = option(default=None, metavar="FILE")
    domain_smoothing: float = option(default=ExtractionOptions.domain_smoothing, metavar="M")
    instance_weights: str | None = option(default=None, metavar="FILE")
    labels: str | None = option(default=None, metavar="FILE")
    label_features: tuple[str, ...] = option(
        default=(), metavar="NAME", append=True, choices=tuple(LabelFeature),
        text=f"feature of the domain labels of a rule: {', '.join(LabelFeature)}; repeatable",
    )  # fmt: skip


@dataclass(frozen=True)
class ExtractOptions:
    """Options of `isogloss extract`.

    links: alignments in Pharaoh format (default: third column of the TSV bitext SRC)
    output: phrase table; - = standard output
    max_phrase_length: maximum phrase length in words, 1 to 8
    lexical: write the lexical tables PREFIX.f2e and PREFIX.e2f
    max_memory: memory limit; at least 300M and 30 bytes per word are needed
    tmpdir: folder for temporary files (default: the system's)
    """

    bitext: BitextOptions = group(BitextOptions)
    output: str = output_option(metavar="TABLE", required=True)
    links: str | None = positional("LINKS", default=None)
    max_phrase_length: int = option(default=ExtractionOptions.max_phrase_length, metavar="N")
    scores: ScoreOptions = group(ScoreOptions)
    lexical: str | None = option(default=None, metavar="PREFIX")
    max_memory: int = option(default=450 << 20, parse=size, metavar="SIZE")
    tmpdir: str | None = option(default=None, metavar="DIR")
    reordering: ReorderingOptions = group(ReorderingOptions, title="lexicalized reordering")
    domains: DomainOptions = group(DomainOptions, title="domains")
    features: FeatureOptions = group(FeatureOptions, title="features")
    export: ExportOptions = group(ExportOptions, title="decoder files")
    ids: TokenIdOptions = token_id_options()
    place: ClusterOptions = group(ClusterOptions)
    common: CommonOptions = common_options()

    @property
    def named_outputs(self) -> list[str | Path]:
        """The files that are written beside ``output``."""
        beside = files_beside(self.output, self.export)
        return [*beside, *(file for _, file in self.models), *_lexical_files(self.lexical)]

    @property
    def models(self) -> list[tuple[ReorderingModel, str]]:
        """The reordering models with their files. Raises UsageError for an unknown one."""
        models = [_model(text, self.output) for text in self.reordering.reordering]
        if self.scores.dense and not any(str(model) == ADAGRAD_PRO for model, _ in models):
            models.append(_model(ADAGRAD_PRO, self.output))
        return models


def run(options: ExtractOptions, console: Console) -> None:
    """Write a phrase table, and reordering and lexical tables if asked to."""
    models = options.models
    options.export.check([options.output, *(file for _, file in models)])
    _check_labels(options.domains)
    settings = _settings(options, [model for model, _ in models])
    workers = options.place.workers(options.common.threads)
    bitext, links = _read(options)
    settings = replace(settings, max_memory=_pair_memory(options.max_memory, bitext))
    weights = _weights(options.domains, bitext, workers or options.common.threads, console)
    if options.domains.labels and not PairSettings.are_inside(options.domains.labels):
        bitext = bitext.with_numbered_labels(*read_labels(options.domains.labels, len(bitext)))
    folder = Path(options.tmpdir) if options.tmpdir else None
    files_of_models = [file for _, file in models]
    text = bitext, links, settings, weights
    if workers is None:
        found: Iterator[FormattedBlock] = map(
            ExtractedFormatter(settings.reordering).block, extract_blocks(*text, folder)
        )
    else:
        found = cluster_blocks(*text, workers, folder)
    with console.stage("counting phrase pairs"):
        first = list(islice(found, 1))
        total, blocks = sum(block.num_rules for block in first), chain(first, found)
    with together(), _lexical(bitext, links, options.lexical), ExitStack() as files:
        if not _adds_features(options):
            with console.progress("scoring and writing", total) as advance:
                number = write_formatted(blocks, options.output, files_of_models, advance)
            console.info(pluralize(number, "phrase pair"))
        else:  # which may have to go through the rules more than once
            plain = files.enter_context(scratch_folder(folder)) / "phrase-table.zst"
            with console.progress("scoring", total) as advance:
                write_formatted(blocks, plain, files_of_models, advance)
            output = TableOutput(
                options.output, table_format("moses"), options.export, tuple(models)
            )
            words = bitext_frequencies(bitext)
            rules, features = RuleStream(TableFile(plain)), options.features
            write_features(rules, features, output, console, words)


def _adds_features(options: ExtractOptions) -> bool:
    features = options.features
    added = (features.add, features.raw, features.discretize, features.bins, features.drop)
    return any(added) or bool(options.export.export)


def _settings(options: ExtractOptions, models: Sequence[ReorderingModel]) -> ExtractionOptions:
    scores, reordering, domains = options.scores, options.reordering, options.domains
    sparse_bins = scores.sparse_count_bins
    return ExtractionOptions(
        max_phrase_length=options.max_phrase_length,
        smoothing=parse_smoothing(scores.smoothing),
        reordering=tuple(models),
        reordering_smoothing=reordering.reordering_smoothing,
        proportional_smoothing=reordering.smooth_with_counts,
        moses_orientations=reordering.orientations == "moses",
        count_features=scores.names,
        count_bins=CountBins.parse(scores.count_bins) if scores.count_bins else None,
        sparse_count_bins=CountBins.parse(sparse_bins) if sparse_bins else None,
        label_features=tuple(map(LabelFeature, domains.label_features)),
        domain_smoothing=domains.domain_smoothing,
        max_memory=options.max_memory,
    )


def _pair_memory(max_memory: int, bitext: Bitext) -> int:
    """Bytes for phrase pairs: what the program and the text leave, an eighth at least."""
    words = len(bitext.source.tokens) + len(bitext.target.tokens)
    left = max_memory - _PROGRAM - _BYTES_PER_WORD * words
    return max(left, max_memory // 8, LEAST_MEMORY)


def _check_labels(options: DomainOptions) -> None:
    """Raise UsageError where only one is given of two options that go together."""
    if options.label_features and not options.labels:
        raise UsageError("--label-features has no effect without --labels; pass --labels as well")
    if options.labels and not options.label_features:
        raise UsageError(
            "--labels has no effect without --label-features; pass --label-features as well"
        )


def _read(options: ExtractOptions) -> tuple[Bitext, Links]:
    """The bitext, and its links from LINKS or from the bitext itself."""
    bitext_options, file = options.bitext, options.links
    if file is None:  # SRC LINKS, or one TSV with links of its own
        bitext_options, file = replace(bitext_options, target=None), bitext_options.target
    labels = options.domains.labels
    inside = {"labels": labels} if PairSettings.are_inside(labels) else {}
    if file is None and inside:
        raise UsageError(f"--labels {labels} needs LINKS in a file, or a file of labels")
    if file is None:
        bitext, links = read_linked_bitext(bitext_options.source, **bitext_options.form.arguments)
        if links is None:
            raise UsageError(
                "the links are missing; pass LINKS, or a TSV with links in its third column"
            )
        return bitext, links
    bitext = bitext_options.read(**inside)
    links = read_links(file, scored=False, ids=options.ids.files)
    links.check_range(bitext.source.lengths, bitext.target.lengths, file)
    return bitext, links


def _weights(
    options: DomainOptions, bitext: Bitext, threads: int | Workers, console: Console
) -> DomainWeights:
    """Instance weights and domain posteriors of a text, from files or from a model."""
    instance, posteriors = None, None
    domains: tuple[str, ...] = ()
    if options.instance_weights:
        instance = read_instance_weights(options.instance_weights, len(bitext))
    if options.domain_posteriors and options.model:
        raise UsageError("--domain-posteriors and --model exclude each other; pass one of them")
    if options.domain_posteriors:
        domains, posteriors = read_posteriors(options.domain_posteriors, len(bitext))
    elif options.model:
        model = load_domain_model(options.model, console)
        if model is not None:
            domains = model.domains
            posteriors = posteriors_of(model, model.encode(bitext), threads)
    return DomainWeights(instance, domains, posteriors)


def _model(text: str, table: str) -> tuple[ReorderingModel, str]:
    """The model of MODEL or MODEL=FILE, and its file, by default beside the phrase table."""
    # It is named after the table, so that tables in one folder keep theirs apart.
    name, _, file = text.partition("=")
    if not file and is_stream(table):
        file = f"reordering-table.{name}"
    elif not file:
        stem = table_stem(table)
        file = f"{stem}.reordering.{name}{table.removeprefix(stem)}"
    return ReorderingModel.parse(name), file


@contextmanager
def _lexical(bitext: Bitext, links: Links, prefix: str | None) -> Iterator[None]:
    """Write Moses' PREFIX.e2f and PREFIX.f2e, which appear when the block ends well."""
    directions = (
        (bitext.source, bitext.target, links),
        (bitext.target, bitext.source, links.reversed()),
    )
    with atomic_files(*_lexical_files(prefix)) as files:
        for file, (generated, given, directed) in zip(files, directions, strict=False):
            table = word_table(generated, given, directed)
            lines = format_word_table(table, generated.vocabulary, given.vocabulary)
            while part := list(islice(lines, _LINES)):
                file.write("\n".join([*part, ""]).encode())
        yield


def _lexical_files(prefix: str | None) -> list[str]:
    return [f"{prefix}.{ending}" for ending in _LEXICAL] if prefix else []


def _next_step(options: ExtractOptions) -> Sequence[str]:
    if options.export.export:
        return tuning_from(options.export)
    return features_for(options.output)


COMMAND = Command(
    ExtractOptions,
    run,
    (
        "isogloss extract corpus.en corpus.es links -o phrase-table.gz",
        "isogloss extract corpus.en corpus.es links -o table.gz --max-phrase-length 5",
    ),
    next_step=_next_step,
    first={
        "output": ("output", "export"),
        "phrases and scores": ("max_phrase_length", "smoothing", "lexical"),
        "reordering": ("reordering",),
        "features": ("add", "discretize"),
        "domains": ("model", "labels"),
        "running": ("lowercase", "lm", "max_memory", "threads", "quiet"),
    },
)
