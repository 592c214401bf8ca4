"""isogloss domains: which domain each sentence pair is of, or what tells domains apart."""

import json as json_text
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from isogloss.align.domains.summary import DomainSummary, format_instance_weights, summarize
from isogloss.align.errors import UsageError
from isogloss.align.files.writers import write_lines
from isogloss.align.model.latent_domain import format_posteriors
from isogloss.align.model.model import AlignmentModel

from ...console import Console
from ...domains.contrast import contrast_domains
from ...domains.domain_text import DomainText
from ...domains.tables import (
    entropy_rows,
    format_summary,
    format_typical_pairs,
    summary_values,
    typical_pair_rows,
)
from ...domains.word_table import word_table
from ...options import Command, group, option, positional, positive
from ...report import table_lines, write_rows
from ..model_text import TextCheck
from ..shared import (
    BitextOptions,
    CommonOptions,
    LengthLimitOptions,
    OptionalBitextOptions,
    common_options,
    output_option,
)

__all__ = ["COMMAND", "DomainsOptions", "run"]

_INSTEAD = "other tables"
_WORDS, _TRANSLATIONS = 50, 10


@dataclass(frozen=True)
class _Instead:
    """What is asked for in place of the posteriors.

    instance_weights: write P(DOMAIN) of each sentence pair, one number per line, as for Moses
        --instance-weights-file
    top: list the N most typical sentence pairs of each domain
    contrast: list the words that two domains translate most differently, counted on SRC TGT,
        preferably the training text
    word: list the translations of a word in each domain, with the links in SRC TGT if given
    entropy: print the conditional entropy of each lexical table in bits per word, weighted by the
        words of SRC TGT if given
    """

    instance_weights: str | None = option(default=None, metavar="DOMAIN", exclusive="instead")
    top: int | None = option(default=None, parse=positive, metavar="N", exclusive="instead")
    contrast: str | None = option(default=None, metavar="A,B", exclusive="instead")
    word: str | None = option(default=None, metavar="WORD", exclusive="instead")
    entropy: bool = option(default=False, exclusive="instead")

    @property
    def is_table(self) -> bool:
        """Whether it is a table that can be written as JSON."""
        return bool(self.top or self.contrast or self.word or self.entropy)


@dataclass(frozen=True)
class _Details:
    """More about what is asked for.

    domain: domain for --top (default: each domain)
    limit: number of words for --contrast (default: 50), of translations for --word (default: 10)
    direction: direction for --contrast and --word: s2t = P(target | source), t2s = P(source |
        target)
    examples: print an example pair per word and domain with --contrast
    """

    domain: str | None = option(default=None, metavar="NAME")
    limit: int | None = option(default=None, parse=positive, metavar="N")
    direction: Literal["s2t", "t2s"] = "s2t"
    examples: bool = False


@dataclass(frozen=True)
class DomainsOptions:
    """Options of `isogloss domains`.

    model: model folder written by `align --model`
    output: P(domain) of each sentence pair as TSV, or the chosen table (default: stdout)
    summary: print the share of each domain to stderr
    json: write the table or the summary as JSON
    """

    model: str = positional("MODEL")
    bitext: OptionalBitextOptions = group(OptionalBitextOptions)
    length: LengthLimitOptions = group(LengthLimitOptions)
    output: str | None = output_option()
    summary: bool = False
    json: bool = False
    instead: _Instead = group(_Instead, title=_INSTEAD)
    details: _Details = group(_Details, title="details of tables")
    common: CommonOptions = common_options()

    def check(self) -> None:
        """Raise UsageError for options that don't go together."""
        instead = self.instead
        if self.json and not (self.summary or instead.is_table):
            raise UsageError("--json needs --summary, --top, --contrast, --word or --entropy")
        if self.summary and instead.is_table:
            raise UsageError("--summary cannot be used with --top, --contrast, --word or --entropy")
        if self.details.examples and not instead.contrast:
            raise UsageError("--examples needs --contrast")
        if instead.contrast and not self.bitext.source:
            raise UsageError(
                "--contrast needs a text, preferably the training text: isogloss domains MODEL "
                f"SRC TGT --contrast {instead.contrast}"
            )
        if not (self.bitext.source or instead.entropy or instead.word):
            raise UsageError("the text is missing; pass SRC TGT, or --word or --entropy")

    def read(self, bitext: BitextOptions, model: AlignmentModel, console: Console) -> DomainText:
        """The text, and what the model says of it; warns where it lacks many of the words."""
        pairs = bitext.read(max_length=self.length.max_length)
        check = TextCheck(model, bitext)
        check.add(pairs)
        check.tell(console)
        return DomainText.of(pairs, model, self.common.threads)

    def read_if_given(self, model: AlignmentModel, console: Console) -> DomainText | None:
        """The same, or None without a text."""
        bitext = self.bitext.given
        return None if bitext is None else self.read(bitext, model, console)

    def write(
        self,
        values: Any,
        rows: list[dict[str, Any]],
        text: Callable[[], Iterable[str]],
    ) -> None:
        """Write a table as JSON, text or TSV."""
        write_rows(values, rows, text, self.output, "json" if self.json else None)


def run(options: DomainsOptions, console: Console) -> None:
    """P(D | f, e) of a text, or what tells the domains of a model apart."""
    options.check()
    model = AlignmentModel.load(options.model)
    bitext = options.bitext.given
    if options.instead.contrast and bitext is not None:
        _contrast(options, bitext, console, model)
    elif options.instead.entropy:
        _entropy(options, console, model)
    elif options.instead.word:
        _word(options, options.instead.word, console, model)
    else:
        assert bitext is not None  # as checked
        if options.instead.top:
            _typical_pairs(options, options.instead.top, bitext, console, model)
        else:
            _posteriors(options, bitext, console, model)


def _posteriors(
    options: DomainsOptions, bitext: BitextOptions, console: Console, model: AlignmentModel
) -> None:
    domain = options.instead.instance_weights
    number = model.domain_number(domain) if domain else 0
    text = options.read(bitext, model, console)
    if options.output or not (options.summary and options.json):
        lines = (
            format_instance_weights(text.posterior[:, number])
            if domain
            else format_posteriors(model.domains, text.posterior)
        )
        write_lines(lines, options.output)
    if options.summary:
        summary = summarize(text.bitext, text.posterior)
        _show_summary(summary, model.domains, options.json, console)


def _show_summary(
    summary: DomainSummary, domains: tuple[str, ...], json: bool, console: Console
) -> None:
    if json:
        values = summary_values(summary, domains)
        write_lines([json_text.dumps(values, ensure_ascii=False, indent=1)], None)
    else:
        console.error(format_summary(summary, domains))


def _typical_pairs(
    options: DomainsOptions,
    limit: int,
    bitext: BitextOptions,
    console: Console,
    model: AlignmentModel,
) -> None:
    """The most typical pairs of one domain, or of each."""
    names = (options.details.domain,) if options.details.domain else model.domains
    numbers = {name: model.domain_number(name) for name in names}
    rows = typical_pair_rows(options.read(bitext, model, console), numbers, limit)
    options.write(rows, rows, lambda: format_typical_pairs(rows))


def _entropy(options: DomainsOptions, console: Console, model: AlignmentModel) -> None:
    rows = entropy_rows(model, options.read_if_given(model, console))

    def lines() -> list[str]:
        return table_lines(list(rows[0]), [list(row.values()) for row in rows])

    options.write(rows, rows, lines)


def _word(options: DomainsOptions, word: str, console: Console, model: AlignmentModel) -> None:
    """The translations of a word in all domains."""
    details = options.details
    form = model.source_form if details.direction == "s2t" else model.target_form
    word = word.lower() if form.lowercase or options.bitext.form.lowercase else word
    model.translations(word, details.direction)  # before the text is read
    table = word_table(
        model, word, details.direction, options.read_if_given(model, console),
        limit=details.limit or _TRANSLATIONS, threads=options.common.threads,
    )  # fmt: skip
    options.write(table.values(), table.flat_rows(), table.lines)


def _contrast(
    options: DomainsOptions, bitext: BitextOptions, console: Console, model: AlignmentModel
) -> None:
    domains = options.instead.contrast or ""
    names = domains.split(",")
    if len(names) != 2 or names[0] == names[1]:
        raise UsageError(f"--contrast must be two different domains, A,B, got {domains!r}")
    for name in names:
        model.domain_number(name)  # before the text is read
    table = contrast_domains(
        model,
        (names[0], names[1]),
        options.details.direction,
        options.read(bitext, model, console),
        limit=options.details.limit or _WORDS,
        examples=options.details.examples,
        threads=options.common.threads,
    )
    if not table.rows:
        console.error(f"warning: no word occurs in both {names[0]} and {names[1]}")
    options.write(table.values(), table.flat_rows(), table.lines)


COMMAND = Command(
    DomainsOptions,
    run,
    (
        "isogloss domains m new.en new.es --summary -o domains.tsv",
        "isogloss domains m corpus.en corpus.es --contrast legal,medical --examples",
    ),
    first={
        "input": ("lowercase", "format"),
        "output": ("output", "summary", "json"),
        "other tables": ("top", "contrast", "word", "entropy", "instance_weights"),
        "details of tables": ("domain", "limit", "direction", "examples"),
        "running": ("threads",),
    },
)
