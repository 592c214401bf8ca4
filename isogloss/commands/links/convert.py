"""isogloss convert: links and gold alignments in the formats of other programs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isogloss.align.errors import DataError, UsageError, pluralize
from isogloss.align.files.text_io import block_lines, split_tokens
from isogloss.align.files.writers import write_lines
from isogloss.align.links.files.burrito import TokenIds, burrito_lines, read_burrito
from isogloss.align.links.gold_formats import BURRITO, own_texts, recognized
from isogloss.align.links.gold_links import GoldLinks, parse_gold
from isogloss.align.text.readers import iter_pairs

from ...console import Console
from ...options import Command, option, positional
from ..link_formats import FORMATS, link_format, usual_suffixes
from ..shared import QuietOptions, output_option, quiet_options

__all__ = ["COMMAND", "ConvertOptions", "run"]

Texts = list[tuple[str, str]]


@dataclass(frozen=True)
class ConvertOptions:
    """Options of `isogloss convert`.

    links: links or gold alignments; probabilities are dropped
    to: output format (default: by the suffix .talp, .naacl, .tsv, .jsonl or .json of the output)
    source: source text or single-file bitext, for formats that contain the sentences
    target: target text, line-aligned with SRC
    input_format: format of LINKS; talp = Pharaoh counted from 1 (default: recognized, talp by name)
    sure_only: drop links that are only possible
    source_ids: for burrito: token ids of the source words, one line per sentence pair
    target_ids: for burrito: token ids of the target words, one line per sentence pair
    origin: for burrito: who or what made the links, such as manual
    output: converted links (default: stdout)
    """

    links: str = positional("LINKS")
    to: str | None = option(default=None, choices=FORMATS)
    source: str | None = positional("SRC", default=None)
    target: str | None = positional("TGT", default=None)
    input_format: str | None = option(default=None, choices=FORMATS)
    sure_only: bool = False
    source_ids: str | None = option(default=None, metavar="FILE")
    target_ids: str | None = option(default=None, metavar="FILE")
    origin: str = option(default="isogloss", metavar="TEXT")
    output: str | None = output_option()
    common: QuietOptions = quiet_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """Suffixes of what is written beside plain text."""
        return usual_suffixes(self.format)

    @property
    def format(self) -> str:
        """The output format."""
        return link_format(self.to, self.output)


def run(options: ConvertOptions, console: Console) -> None:
    """Read links in one format and write them in another one."""
    if options.to is None and options.format == "pharaoh":
        raise UsageError(
            "the output format is missing; pass --to FORMAT, or -o FILE with one of the suffixes "
            ".talp, .naacl, .tsv, .jsonl and .json"
        )
    format, lines = _recognized(options)
    ids = _token_ids(options, format)
    texts = None
    if options.source is not None:
        pairs = iter_pairs(options.source, options.target)
        texts = [(pair.source, pair.target) for pair in pairs]
    if format == BURRITO:
        assert ids is not None
        links = read_burrito(options.links, *ids)
        gold, own = GoldLinks(links, links), None
    else:
        gold, own = _read(lines, format, options.links, _size(ids, texts))
    if texts is not None:
        lengths = ([len(split_tokens(pair[side])) for pair in texts] for side in (0, 1))
        source, target = (np.array(side, np.int64) for side in lengths)
        gold.possible.check_range(source, target, options.links)
    if options.sure_only:
        gold = GoldLinks(gold.sure, gold.sure)
    if options.format != BURRITO:
        gold.save(options.output, format=options.format, texts=own if texts is None else texts)
        return
    assert ids is not None
    _check_all_sure(gold, options.links)
    write_lines(burrito_lines(gold.sure, *ids, options.origin, options.links), options.output)


def _recognized(options: ConvertOptions) -> tuple[str, Iterable[str]]:
    """The format of the links and, unless it is burrito, their lines."""
    if options.input_format == BURRITO:
        return BURRITO, ()
    lines: Iterable[str] = block_lines(options.links)
    if options.input_format is not None:
        return options.input_format, lines
    format, lines = recognized(lines, options.links)
    return format, () if format == BURRITO else lines


def _token_ids(options: ConvertOptions, format: str) -> tuple[TokenIds, TokenIds] | None:
    """The token ids of both texts. Raises UsageError if they are missing or not used."""
    files = (options.source_ids, options.target_ids)
    if BURRITO not in (options.format, format):
        if files != (None, None):
            raise UsageError(
                "--source-ids and --target-ids need the format burrito; pass it with --to or "
                "--input-format, or omit the ids"
            )
        return None
    if files[0] is None or files[1] is None:
        raise UsageError(
            "the format burrito names words by token ids; pass --source-ids FILE and "
            "--target-ids FILE"
        )
    return TokenIds(files[0]), TokenIds(files[1])


def _size(ids: tuple[TokenIds, TokenIds] | None, texts: Texts | None) -> int | None:
    """The number of sentence pairs, where a file shows it."""
    if texts is not None:
        return len(texts)
    return None if ids is None else len(ids[0].lines)


def _read(
    lines: Iterable[str], format: str, file: str, num_pairs: int | None
) -> tuple[GoldLinks, Texts | None]:
    """The links, and the sentences that stand in their file."""
    if format in ("pharaoh", "talp"):
        lines = map(_unscored, lines)
    if format in ("xl-wa", "ctfalign"):
        lines = list(lines)
    gold = parse_gold(lines, file, format, num_pairs)
    texts = own_texts(lines, format)
    return gold, None if texts is None else list(texts)


def _unscored(line: str) -> str:
    """The links of a line without their probabilities."""
    if ":" not in line:
        return line
    return " ".join(token.partition(":")[0] for token in line.split())


def _check_all_sure(gold: GoldLinks, file: str) -> None:
    """Raise DataError for links that are only possible, which no record can say."""
    more = len(gold.possible.source) - len(gold.sure.source)
    if more:
        raise DataError(
            f"the file has {pluralize(more, 'possible link')}", "only sure links for burrito",
            file=file, remedy="Drop the possible links with --sure-only",
        )  # fmt: skip


COMMAND = Command(
    ConvertOptions,
    run,
    (
        "isogloss convert links --to naacl -o links.naacl",
        "isogloss convert links --to burrito --source-ids grc.ids --target-ids en.ids -o x.json",
    ),
    first={
        "input": ("input_format", "sure_only"),
        "output": ("output", "to"),
        "for --to burrito": ("source_ids", "target_ids", "origin"),
        "running": ("quiet",),
    },
)
