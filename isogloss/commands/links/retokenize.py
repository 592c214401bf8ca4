"""isogloss retokenize: links carried over to other tokenizations of the text."""

from collections.abc import Iterable
from dataclasses import dataclass

from isogloss.align.errors import UsageError
from isogloss.align.files.writers import write_lines
from isogloss.align.links.formats.gold_formats import BURRITO, recognized
from isogloss.align.links.formats.tables import lines_of_links
from isogloss.align.links.gold_links import link_lines
from isogloss.align.text.retokenization.retokenize import Tokenizations, retokenize_lines
from isogloss.align.text.retokenization.token_maps import Folding

from ...console import Console
from ...options import Command, option, positional
from ..link_formats import (
    LinkLines,
    TokenIdOptions,
    check_link_formats,
    link_format,
    link_format_option,
    token_id_options,
)
from ..shared import MessageOptions, message_options, output_option
from ..tokenizations import open_tokens

__all__ = ["COMMAND", "RetokenizeOptions", "run"]


@dataclass(frozen=True)
class RetokenizeOptions:
    """Options of `isogloss retokenize`.

    links: alignments in Pharaoh format, with or without scores
    source: source text as tokenized for LINKS and for the output, each FILE or STYLE:FILE (plain,
        sentencepiece, bpe, wordpiece, characters); `characters:` = characters of the other file
        (default: no change)
    target: target text as tokenized for LINKS and for the output, each FILE or STYLE:FILE (styles
        as for --source); `characters:` = characters of the other file (default: no change)
    ignore_case: ignore case when matching tokens
    ignore_accents: ignore accents when matching tokens, as for uncased BERT
    output: links (default: stdout)
    """

    links: str = positional("LINKS")
    source: str | None = option(default=None, metavar="FROM,TO")
    target: str | None = option(default=None, metavar="FROM,TO")
    ignore_case: bool = False
    ignore_accents: bool = False
    to: str | None = link_format_option()
    output: str | None = output_option()
    ids: TokenIdOptions = token_id_options()
    common: MessageOptions = message_options()

    @property
    def link_outputs(self) -> dict[str | None, str]:
        """The format of the output, by its name."""
        return {self.output: link_format(self.to, self.output)}


def run(options: RetokenizeOptions, console: Console) -> None:
    """Carry links over to other tokenizations of the source, the target or both."""
    if not (options.source or options.target):
        raise UsageError(
            "no tokenization to convert; pass --source FROM,TO, --target FROM,TO or both"
        )
    (format,) = options.link_outputs.values()
    ids = options.ids.read_for([format])
    check_link_formats([format], ids)
    folding = Folding(case=options.ignore_case, accents=options.ignore_accents)
    source, target = (
        _tokenizations(value, name, folding, console) if value else None
        for name, value in (("--source", options.source), ("--target", options.target))
    )
    lines = _link_lines(options, format)
    moved = retokenize_lines(lines, source, target, options.links)
    write_lines(LinkLines(format, ids=ids).whole_of_lines(moved), options.output)


def _link_lines(options: RetokenizeOptions, format: str) -> Iterable[str]:
    """Lines of LINKS. Raises UsageError for LINKS and an output that both need token ids."""
    file = options.links
    given, lines = recognized(lines_of_links(file), file)
    if given == format == BURRITO:
        raise UsageError(
            "--source-ids and --target-ids name the words of LINKS or of the output, but both are "
            "burrito; write the links as text, then type `isogloss convert LINKS --to burrito`"
        )
    return link_lines(lines, file, ids=options.ids.files)


def _tokenizations(value: str, name: str, folding: Folding, console: Console) -> Tokenizations:
    """Take FROM,TO apart and open the files."""
    parts = value.split(",")
    if len(parts) != 2 or not all(parts):
        raise UsageError(
            f"{name} must be FROM,TO, each FILE, STYLE:FILE or characters:, got {value!r}"
        )
    old, new = (open_tokens(part, name, console) for part in parts)
    if old.sentences is None and new.sentences is None:
        raise UsageError(f"{name} {value!r} has no file; at least one side needs a file")
    return Tokenizations(
        old.sentences,
        new.sentences,
        (old.style, new.style),
        (old.name or new.name, new.name or old.name),
        folding,
    )


COMMAND = Command(
    RetokenizeOptions,
    run,
    (
        "isogloss retokenize links --source words.en,pieces.en --target words.es,pieces.es -o out",
        "isogloss retokenize links --target bpe:text.bpe.es,characters: -o character.links",
    ),
    first={
        "tokenizations": ("source", "target", "ignore_case", "ignore_accents"),
        "output": ("output", "to"),
        "running": ("quiet",),
    },
)
