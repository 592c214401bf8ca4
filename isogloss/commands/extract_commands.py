"""Phrase and reordering tables from links: extract."""

import argparse
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from align import Bitext, Links, UsageError, read_bitext, read_links
from align.files.writers import atomic_file
from align.model.store import load_model
from align.text.readers import read_labels, read_linked_bitext
from features.extraction.count_features import CountBins
from features.extraction.domain_scores import LabelFeature
from features.extraction.extract import (
    DENSE_FEATURES,
    LEAST_MEMORY,
    DomainWeights,
    ExtractionOptions,
    extract_blocks,
)
from features.extraction.reordering import ADAGRAD_PRO, ReorderingModel
from features.extraction.sentence_weights import read_instance_weights, read_posteriors
from features.extraction.smoothing import parse_smoothing
from features.extraction.word_table import format_word_table, word_table
from features.extraction.write_extracted import write_extracted
from features.table.grammars import table_format
from features.table.sidecar import columns_file
from features.table.stream import TableFile

from ..console import Console
from .bitext_options import bitext_form
from .feature_commands import write_features

__all__ = ["extract"]

_PROGRAM = 280 << 20  # measured: libraries and compiled kernels,
_BYTES_PER_WORD = 30  # and a text with its links
_LEXICAL = ("e2f", "f2e")  # w(source | target), w(target | source)


def extract(options: argparse.Namespace, console: Console) -> None:
    """Write a phrase table, and reordering and lexical tables if asked to."""
    models = [_model(text, options.output) for text in options.reordering]
    if options.dense and not any(str(model) == ADAGRAD_PRO for model, _ in models):
        models.append((ReorderingModel.parse(ADAGRAD_PRO), _beside(options.output, ADAGRAD_PRO)))
    _check_files(options, [file for _, file in models])
    settings = _settings(options, [model for model, _ in models])
    bitext, links = _read(options)
    settings = replace(settings, max_memory=_room(options.max_memory, bitext))
    weights = _weights(options, bitext)
    if options.labels:
        bitext = bitext.with_labels(*read_labels(options.labels, len(bitext)))
    folder = Path(options.tmpdir) if options.tmpdir else None
    blocks = extract_blocks(bitext, links, settings, weights, folder)
    with _lexical(bitext, links, options.lexical), ExitStack() as files:
        if not _wants_features(options):
            number = write_extracted(blocks, options.output, models)
        else:  # which may have to go through the rules more than once
            made = files.enter_context(TemporaryDirectory(prefix="isogloss-", dir=folder))
            plain = Path(made) / "phrase-table.zst"
            number = write_extracted(blocks, plain, models)
            write_features(TableFile(plain), options, console, table_format("moses"))
    console.info(f"{number} phrase pairs")


def _wants_features(options: argparse.Namespace) -> bool:
    return bool(options.add or options.discretize or options.bins or options.export)


def _settings(options: argparse.Namespace, models: Sequence[ReorderingModel]) -> ExtractionOptions:
    return ExtractionOptions(
        max_length=options.max_length,
        smoothing=parse_smoothing(options.smoothing),
        reordering=tuple(models),
        reordering_smoothing=options.reordering_smoothing,
        proportional_smoothing=options.smooth_with_counts,
        moses_orientations=options.orientations == "moses",
        count_features=_count_features(options),
        count_bins=CountBins.parse(options.count_bins) if options.count_bins else None,
        sparse_count_bins=(
            CountBins.parse(options.sparse_count_bins) if options.sparse_count_bins else None
        ),
        label_features=tuple(map(LabelFeature, options.label_features)),
        domain_smoothing=options.domain_smoothing,
        max_memory=options.max_memory,
    )


def _room(max_memory: int, bitext: Bitext) -> int:
    """Bytes for phrase pairs: what the program and the text leave, an eighth at least."""
    words = len(bitext.source.tokens) + len(bitext.target.tokens)
    left = max_memory - _PROGRAM - _BYTES_PER_WORD * words
    return max(left, max_memory // 8, LEAST_MEMORY)


def _check_files(options: argparse.Namespace, reordering: Sequence[str]) -> None:
    """Raise UsageError where two of the files to write are the same."""
    names = [options.output, str(columns_file(options.output)), *reordering]
    if options.lexical:
        names += [f"{options.lexical}.{ending}" for ending in _LEXICAL]
    places = [Path(name).resolve() for name in names]
    for number, name in enumerate(names):
        if places[number] in places[:number]:
            raise UsageError(f"{name} is to hold two tables; expected a file of its own for each")
    if options.label_features and not options.labels:
        raise UsageError("--label-features needs --labels, the domain of each pair")
    if options.labels and not options.label_features:
        raise UsageError("--labels needs --label-features, what to make of them")


def _read(options: argparse.Namespace) -> tuple[Bitext, Links]:
    target, file = options.target, options.links
    if file is None:  # SRC LINKS, or one TSV with links of its own
        target, file = None, target
    if file is None:
        bitext, own = read_linked_bitext(options.source, **bitext_form(options))
        if own is None:
            raise UsageError("no links; give LINKS, or a TSV with links in its third column")
        return bitext, own
    bitext = read_bitext(options.source, target, **bitext_form(options))
    links = read_links(file)
    links.check_range(bitext.source.lengths, bitext.target.lengths, file)
    return bitext, links


def _weights(options: argparse.Namespace, bitext: Bitext) -> DomainWeights:
    """Instance weights and domain posteriors of a text, from files or from a model."""
    instance, posteriors = None, None
    domains: tuple[str, ...] = ()
    if options.instance_weights:
        instance = read_instance_weights(options.instance_weights, len(bitext))
    if options.posteriors and options.model:
        raise UsageError("--posteriors and --model; give one of them")
    if options.posteriors:
        domains, posteriors = read_posteriors(options.posteriors, len(bitext))
    elif options.model:
        model = load_model(options.model)
        coded = Bitext.unlabelled(
            bitext.source.over(model.source_vocabulary),
            bitext.target.over(model.target_vocabulary),
        )
        domains, posteriors = model.domains, model.domain_posteriors(coded, options.threads)
    return DomainWeights(instance, domains, posteriors)


def _beside(table: str, model: str) -> str:
    """Name of the reordering table of a model, beside the phrase table."""
    path = Path(table)
    return str(path.with_name(f"reordering-table.{model}{path.suffix}"))


def _model(text: str, table: str) -> tuple[ReorderingModel, str]:
    """Take MODEL or MODEL=FILE apart."""
    name, _, file = text.partition("=")
    return ReorderingModel.parse(name), file or _beside(table, name)


def _count_features(options: argparse.Namespace) -> tuple[str, ...]:
    names = [name for name in options.count_features.split(",") if name]
    if options.dense:
        names += [name for name in DENSE_FEATURES if name not in names]
    return tuple(names)


@contextmanager
def _lexical(bitext: Bitext, links: Links, prefix: str | None) -> Iterator[None]:
    """Write Moses' PREFIX.e2f and PREFIX.f2e, which appear when the block ends well."""
    sides = (bitext.source, bitext.target, links), (bitext.target, bitext.source, links.reversed())
    with ExitStack() as files:
        for ending, (generated, given, own) in zip(_LEXICAL, sides, strict=True):
            if prefix:
                file = files.enter_context(atomic_file(f"{prefix}.{ending}"))
                table = word_table(generated, given, own)
                for line in format_word_table(table, generated.vocabulary, given.vocabulary):
                    file.write(line.encode() + b"\n")
        yield
