"""isogloss convert: links and gold alignments in the formats of other programs."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from isogloss.align.errors import UsageError
from isogloss.align.files.text_io import split_tokens
from isogloss.align.files.writers import write_lines
from isogloss.align.links.formats.burrito import TokenIds
from isogloss.align.links.formats.gold_formats import (
    BURRITO,
    GOLD_FORMATS,
    SENTENCE_FORMATS,
    own_texts,
    recognized,
)
from isogloss.align.links.formats.tables import lines_of_links
from isogloss.align.links.gold_links import GoldLinks, format_gold, parse_gold
from isogloss.align.text.readers import iter_pairs

from ...console import Console
from ...options import Command, option, positional
from ..link_formats import TokenIdOptions, link_format, token_id_options, usual_suffixes
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
    origin: for burrito: who or what made the links, such as manual
    output: converted links (default: stdout)
    """

    links: str = positional("LINKS")
    to: str | None = option(default=None, choices=GOLD_FORMATS)
    source: str | None = positional("SRC", default=None)
    target: str | None = positional("TGT", default=None)
    input_format: str | None = option(default=None, choices=GOLD_FORMATS)
    sure_only: bool = False
    ids: TokenIdOptions = token_id_options()
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
    format: str | None = options.input_format
    lines: Iterable[str] = lines_of_links(options.links)
    if format is None:
        format, lines = recognized(lines, options.links)
    if BURRITO not in (options.format, format) and options.ids != TokenIdOptions():
        raise UsageError(
            "--source-ids and --target-ids need the format burrito; pass it with --to or "
            "--input-format, or omit the ids"
        )
    ids = options.ids.read_for([options.format, format])
    texts = None
    if options.source is not None:
        pairs = iter_pairs(options.source, options.target)
        texts = [(pair.source, pair.target) for pair in pairs]
    gold, own = _read(lines, format, options, _size(ids, texts))
    if texts is not None:
        lengths = ([len(split_tokens(pair[side])) for pair in texts] for side in (0, 1))
        source, target = (np.array(side, np.int64) for side in lengths)
        gold.possible.check_range(source, target, options.links)
    if options.sure_only:
        gold = GoldLinks(gold.sure, gold.sure)
    texts = own if texts is None else texts
    write_lines(format_gold(gold, options.format, texts, ids, options.origin), options.output)


def _size(ids: tuple[TokenIds, TokenIds] | None, texts: Texts | None) -> int | None:
    """The number of sentence pairs, where a file shows it."""
    if texts is not None:
        return len(texts)
    return None if ids is None else len(ids[0])


def _read(
    lines: Iterable[str], format: str, options: ConvertOptions, num_pairs: int | None
) -> tuple[GoldLinks, Texts | None]:
    """The links, and the sentences that stand in their file."""
    if format in ("pharaoh", "talp"):
        lines = map(_unscored, lines)
    if format in SENTENCE_FORMATS:
        lines = list(lines)
    gold = parse_gold(lines, options.links, format, num_pairs, options.ids.files)
    texts = own_texts(lines, format)
    return gold, None if texts is None else list(texts)


def _unscored(line: str) -> str:
    """The links of a line without their probabilities."""
    if ":" not in line:
        return line
    return " ".join(token.partition(":")[0] for token in line.split())


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
