"""Features of a phrase table: features."""

import argparse
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from align.errors import UsageError
from align.model.store import load_model
from align.text.readers import read_sentences
from align.word_classes import read_word_classes
from features.bins.binning import Binning, Population, bins_file, read_bins, write_bins
from features.bins.rule_use import read_rule_use
from features.bins.specs import BinSpec, parse_bin_spec
from features.extraction.domain_lexical import add_domain_features
from features.pruning.prune import Pruning, prune
from features.table.feature_list import FeatureList
from features.table.formats import TableFormat
from features.table.grammars import table_format
from features.table.phrase_table import PhraseTable
from features.table.phrases import phrases_of
from features.table.stream import TableFile
from features.table.write_blocks import write_blocks
from features.templates.apply import TemplateFeatures, parse_templates

from ..console import Console

__all__ = ["features", "write_features"]

Step = Callable[[PhraseTable], PhraseTable]


@dataclass(frozen=True)
class _Rules:
    """The rules of a table after some steps, to be gone through as often as is needed."""

    blocks: Iterable[PhraseTable]
    steps: tuple[Step, ...] = ()

    def __iter__(self) -> Iterator[PhraseTable]:
        for block in self.blocks:
            for step in self.steps:
                if len(block):
                    block = step(block)
            if len(block):
                yield block

    def then(self, step: Step | None) -> "_Rules":
        """The same with one step more."""
        return self if step is None else replace(self, steps=(*self.steps, step))


class _Shown:
    """Blocks with progress, each time they are gone through."""

    def __init__(self, blocks: Iterable[PhraseTable], label: str, console: Console) -> None:
        self._blocks, self._label, self._console = blocks, label, console

    def __iter__(self) -> Iterator[PhraseTable]:
        with self._console.rows(self._label) as advance:
            for block in self._blocks:
                yield block
                advance(len(block))


def features(options: argparse.Namespace, console: Console) -> None:
    """Transform a phrase table as a stream; what is to be counted first takes a pass of its own."""
    form = table_format(options.format, options.scale)
    target_form = form if options.to in (None, options.format) else table_format(options.to)
    sources = None
    if options.filter_for:
        sentences = read_sentences(options.filter_for, lowercase=options.lowercase)
        sources = phrases_of(sentences, options.max_length)
    file = TableFile(options.table, format=form, sources=sources, unsorted=options.unsorted)
    rules = _Rules(file).then(_pruning(options)).then(_domain_features(options))
    write_features(rules, options, console, target_form, again=options.table != "-")


def write_features(
    rules: Iterable[PhraseTable],
    options: argparse.Namespace,
    console: Console,
    form: TableFormat,
    *,
    again: bool = True,
) -> None:
    """Add what ``--add``, ``--discretize`` and ``--bins`` ask for to the rules, and write them.

    again: whether the rules can be gone through more than once
    """
    rules = rules if isinstance(rules, _Rules) else _Rules(rules)
    templates = _templates(options, rules, console, again)
    binning = _binning(options, rules, console, again)
    if templates is not None:
        rules = rules.then(templates.apply)
    if binning is not None:
        rules = rules.then(binning.apply)
    listed = FeatureList(options.feature_limit)
    with console.rows("writing") as advance:
        write_blocks(listed.watch(rules), options.output, format=form, advance=advance)
    if options.discretize and binning is not None and options.output != "-":
        write_bins(binning, bins_file(options.output))
    if options.export:
        listed.export(options.export, options.output)
    console.info(f"{listed.num_rules} rules, {listed.shown_size} sparse features")


def _templates(
    options: argparse.Namespace, rules: _Rules, console: Console, again: bool
) -> TemplateFeatures | None:
    """The templates of --add, ready to be applied."""
    if not options.add:
        return None
    given = {"source": options.source_classes, "target": options.target_classes}
    classes = {side: read_word_classes(file) for side, file in given.items() if file}
    templates = TemplateFeatures(parse_templates([options.add], classes=classes))
    if not templates.needs_fit:
        return templates
    _check_again(again, "unk= and min= of --add")
    return templates.fit(_Shown(rules, "counting for templates", console))


def _binning(
    options: argparse.Namespace, rules: _Rules, console: Console, again: bool
) -> Binning | None:
    """The bins of --discretize, learned on the rules, or those of --bins."""
    if options.bins and options.discretize:
        raise UsageError("--discretize learns bins and --bins reads them; give one of them")
    if options.bins:
        return read_bins(options.bins)
    if not options.discretize:
        return None
    specs = [_bin_spec(option, options.keep) for option in options.discretize]
    _check_again(again, "--discretize")
    binning = Binning.fit(
        _Shown(rules, "counting for bins", console),
        specs,
        population=_population(options.population),
    )
    for spec, bins in zip(binning.specs, binning.bins, strict=True):
        console.info(f"{spec.name}: {len(bins)} bins")
    return binning


def _check_again(again: bool, what: str) -> None:
    if not again:
        raise UsageError(f"{what} goes through the table twice; give a file, not standard input")


def _bin_spec(option: str, keep: bool) -> BinSpec:
    spec = parse_bin_spec(option)
    return replace(spec, keep=True) if keep else spec


def _population(option: str) -> Population:
    if option == "tokens":
        return "tokens"
    return "rules" if option == "rules" else read_rule_use(option)


def _pruning(options: argparse.Namespace) -> Step | None:
    pruning = Pruning(options.min_count, {}, options.ratio, options.limit)
    return None if pruning == Pruning() else lambda table: prune(table, pruning)


def _domain_features(options: argparse.Namespace) -> Step | None:
    if not options.model:
        return None
    model = load_model(options.model)
    domains = tuple(options.domains.split(",")) if options.domains else None
    return lambda table: add_domain_features(table, model, domains)
