"""isogloss concordance: occurrences of words and phrases with their translations, by domain."""

from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.files.tables.sheets import check_sheet, format_by_name
from isogloss.align.files.writers import write_lines
from isogloss.align.model.model import AlignmentModel
from isogloss.align.text.readers import read_bitext

from ...console import Console
from ...domains.concordance import Concordance, concordance
from ...domains.domain_text import DomainText
from ...domains.lexical_probabilities import lexical_tables
from ...options import Command, group, option, output_file, positional, positive
from ...report import write_rows
from ..link_formats import TokenIdOptions, read_links_of, token_id_options
from ..shared import ClusterOptions, CommonOptions, common_options, output_option
from ..sheets import CellOptions
from .text import Direction

__all__ = ["COMMAND", "ConcordanceOptions", "run"]

_FORMATS = ("tsv", "csv", "xlsx", "html")


@dataclass(frozen=True)
class ConcordanceOptions:
    """Options of `isogloss concordance`.

    model: model folder written by `train` or `align --model`
    source: source text
    target: target text, line-aligned with SRC
    links: alignments in Pharaoh format
    words: source words, or contiguous phrases in quotes such as "credit card"; target ones with
        --direction t2s
    direction: s2t = words of the source, t2s = words of the target
    limit: maximum number of lines to print per translation, spread over the domains
    lowercase: lowercase both sides
    output: page if the name ends in .html, table if it ends in .csv or .xlsx, else TSV (default:
        stdout)
    counts: table of the translations with rank, count, occurrences by domain and p; CSV or XLSX by
        its suffix, else TSV
    json: write JSON
    """

    model: str = positional("MODEL")
    source: str = positional("SRC")
    target: str = positional("TGT")
    links: str = positional("LINKS")
    words: tuple[str, ...] = positional("WORD")
    direction: Direction = "s2t"
    limit: int = option(default=20, parse=positive, metavar="N")
    lowercase: bool = False
    output: str | None = output_option()
    counts: str | None = option(default=None, metavar="FILE", parse=output_file)
    json: bool = False
    cells: CellOptions = group(CellOptions)
    ids: TokenIdOptions = token_id_options()
    place: ClusterOptions = group(ClusterOptions)
    common: CommonOptions = common_options()

    @property
    def format(self) -> str | None:
        """That of the output; None = text on a terminal, TSV to a pipe. Raises UsageError as
        :meth:`CellOptions.check`, and for JSON in a page.
        """
        if self.json and self.output and self.output.lower().endswith(".html"):
            raise UsageError("--json cannot be written to a page; pass -o with a name in .json")
        format = None if self.output is None else format_by_name(self.output, _FORMATS)
        format = "json" if self.json else format
        if self.counts is not None and format_by_name(self.counts) == "xlsx":
            check_sheet(self.counts)
        has_csv = self.counts is not None and format_by_name(self.counts) == "csv"
        self.cells.check("csv" if has_csv and format != "xlsx" else format or "text", self.output)
        return format

    @property
    def output_formats(self) -> dict[str, str]:
        """The format of the second table."""
        return {} if self.counts is None else {self.counts: format_by_name(self.counts)}


def run(options: ConcordanceOptions, console: Console) -> None:
    """Write the occurrences of words."""
    format = options.format
    workers = options.place.workers(options.common.threads) or options.common.threads
    model = AlignmentModel.load(options.model)
    bitext = read_bitext(options.source, options.target, lowercase=options.lowercase)
    links = read_links_of(bitext, options.links, options.ids, scored=False)
    text = DomainText.of(bitext, model, workers)
    asked = (" ".join(word.split()) for word in options.words)
    words = dict.fromkeys(word.lower() if options.lowercase else word for word in asked)
    tables = lexical_tables(model, options.direction)
    found = [
        concordance(
            text, links, model.domains, word, options.direction, limit=options.limit, tables=tables
        )
        for word in words
    ]
    if options.counts is not None:
        _write_counts(found, options.counts, options.cells)
    if format == "html":
        from ...domains.concordance_page import concordance_page  # loads Jinja

        write_lines([concordance_page(found).html()], options.output)
        console.info(f"{sum(one.count for one in found):,} occurrences in {options.output}")
        return
    _write_table(found, options, format)


def _write_counts(found: list[Concordance], file: str, cells: CellOptions) -> None:
    rows = [row for one in found for row in one.count_rows()]
    write_rows([], rows, lambda: (), file, format_by_name(file), **vars(cells))


def _write_table(found: list[Concordance], options: ConcordanceOptions, format: str | None) -> None:
    write_rows(
        [one.values() for one in found],
        [row for one in found for row in one.rows()],
        lambda: [line for one in found for line in (*one.text(), "")],
        options.output,
        format,
        **vars(options.cells),
    )


COMMAND = Command(
    ConcordanceOptions,
    run,
    (
        "isogloss concordance m corpus.en corpus.es links charge -o charge.html",
        "isogloss concordance m corpus.en corpus.es links charge -o lines.csv --counts counts.csv",
    ),
    first={
        "input": ("lowercase",),
        "lines": ("direction", "limit"),
        "output": ("output", "counts", "json", "bom", "raw_cells"),
        "running": ("threads", "quiet"),
    },
)
