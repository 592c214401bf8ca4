"""isogloss view: alignments to look at, in a page or in the terminal."""

import shutil
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import UsageError
from isogloss.align.files.inputs.opening import open_binary
from isogloss.align.files.outputs import is_stream
from isogloss.align.files.writers import write_lines
from isogloss.align.links.links import Links
from isogloss.align.model.model import AlignmentModel
from isogloss.align.model.suggestions import suggest_pairs
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.readers import read_gold

from ...console import Console
from ...options import Command, group, option, output_file, positional, positive
from ...pages import viewer
from ...pages.viewer import AlignmentView
from ..link_formats import TokenIdOptions, read_links_of, token_id_options
from ..shared import BitextOptions, SeededOptions, gold_format_option, seeded_options

__all__ = ["COMMAND", "ViewOptions", "run"]


@dataclass(frozen=True)
class SelectionOptions:
    """The sentence pairs that are shown.

    first: first N sentence pairs
    sample: N sentence pairs drawn at random, in their order
    line: these lines, such as 12 or 100-120; repeatable
    suggest: N sentence pairs that are best linked by hand next: those with many uncertain links and
        unlinked words
    """

    first: int | None = option(default=None, parse=positive, metavar="N", exclusive="pairs")
    sample: int | None = option(default=None, parse=positive, metavar="N", exclusive="pairs")
    line: tuple[str, ...] = option(default=(), metavar="N[-N]", append=True, exclusive="pairs")
    suggest: int | None = option(default=None, parse=positive, metavar="N", exclusive="pairs")

    def rows(self, bitext: Bitext, links: Links, seed: int) -> NDArray[np.int64] | None:
        """Numbers of the pairs, int64[num_chosen] from 0; None = all.

        Raises UsageError for lines out of range.
        """
        size = len(bitext)
        if self.suggest is not None:
            return suggest_pairs(bitext, links, self.suggest)
        if self.first is not None:
            return np.arange(min(self.first, size))
        if self.sample is not None:
            generator = np.random.Generator(np.random.PCG64(seed))
            return np.sort(generator.choice(size, min(self.sample, size), replace=False))
        if self.line:
            rows = np.concatenate([_line_range(text, size) for text in self.line])
            return rows[np.sort(np.unique(rows, return_index=True)[1])]  # each once
        return None


def _line_range(text: str, size: int) -> NDArray[np.int64]:
    first, _, last = text.partition("-")
    begin, end = (int(part) if part.isdecimal() else 0 for part in (first, last or first))
    if not 1 <= begin <= end <= size:
        raise UsageError(f"--line must be N or N-N between 1 and {size}, got {text!r}")
    return np.arange(begin - 1, end)


@dataclass(frozen=True)
class ViewOptions:
    """Options of `isogloss view`.

    links: alignments in Pharaoh format, with or without probabilities
    output: page to write
    other: second alignments, to compare with LINKS
    gold: gold alignments; Pharaoh is 0-based, i-j = sure, ipj = possible
    gold_format: format of --gold; talp = Pharaoh counted from 1 (default: recognized, talp by name)
    model: model folder: adds domains, lexical probabilities, and confidence to links without it
    edit: add an editor to the page, to correct links and save them as gold alignments
    title: title of the page (default: names of the files)
    text: print the pairs as matrices instead, in the width of the terminal
    """

    bitext: BitextOptions = group(BitextOptions)
    links: str = positional("LINKS")
    output: str | None = option("-o", default=None, metavar="FILE.html", parse=output_file)
    other: str | None = option(default=None, metavar="LINKS")
    gold: str | None = option(default=None, metavar="FILE")
    gold_format: str | None = gold_format_option()
    model: str | None = option(default=None, metavar="DIR")
    edit: bool = False
    title: str | None = option(default=None, metavar="TEXT")
    text: bool = False
    selection: SelectionOptions = group(SelectionOptions, title="sentence pairs")
    ids: TokenIdOptions = token_id_options()
    common: SeededOptions = seeded_options()

    @property
    def output_suffixes(self) -> tuple[str, ...]:
        """Suffixes of what is written beside plain text."""
        return ("html",)


def run(options: ViewOptions, console: Console) -> None:
    """Write a page with the alignments, or print them."""
    if not options.text and options.output is None:
        raise UsageError("the output is missing; pass -o FILE.html, or --text for the terminal")
    if options.text and options.other is not None:
        raise UsageError("--other needs a page; --text shows only LINKS and --gold")
    if not options.text:
        _check_size(options)
    bitext = options.bitext.read()
    links = read_links_of(bitext, options.links, options.ids)
    view = _view(options, bitext, links)
    if options.text:
        _print(view)
        return
    write_lines([view.page(options.common.threads).html()], options.output)
    words = ""
    if options.selection.suggest is not None:
        sides = (len(side.tokens) for side in (view.bitext.source, view.bitext.target))
        words = " of {:,} source and {:,} target words".format(*sides)
    console.info(f"{len(view.bitext):,} sentence pairs{words} in {options.output}")


def _check_size(options: ViewOptions) -> None:
    """Raise UsageError for more pairs than a page shows, before all of them are read."""
    source, selection = options.bitext.source, options.selection
    if is_stream(source) or selection != SelectionOptions():
        return
    if not Path(source).is_file():  # a folder or a pattern: its size is seen when it has been read
        return
    with open_binary(source) as stream:
        if stream.read(1) == b"<":  # TMX, or a text whose size is seen when it has been read
            return
        lines = sum(1 for _ in islice(stream, viewer.MOST_PAIRS + 1))
    if lines > viewer.MOST_PAIRS:
        raise viewer.too_many(f"more in {source}")


def _view(options: ViewOptions, bitext: Bitext, links: Links) -> AlignmentView:
    ids, other = options.ids, None
    if options.other is not None:
        other = read_links_of(bitext, options.other, ids, scored=False)
    gold = (
        None
        if options.gold is None
        else read_gold(
            options.gold, format=options.gold_format, num_pairs=len(bitext), ids=ids.files
        )
    )
    if gold is not None:
        gold.possible.check_range(bitext.source.lengths, bitext.target.lengths, options.gold)
    rows = options.selection.rows(bitext, links, options.common.seed)
    names = tuple(Path(file).name for file in _text_files(options))
    chosen: dict[str, Any] = {"bitext": bitext, "links": links, "other": other, "gold": gold}
    if rows is not None:
        chosen = {name: None if one is None else one[rows] for name, one in chosen.items()}
    return AlignmentView(
        **chosen,
        model=None if options.model is None else AlignmentModel.load(options.model),
        lines=None if rows is None else rows + 1,
        edit=options.edit,
        title=options.title or f"{Path(options.links).name}: {', '.join(names)}",
        names=(names[0], names[1]) if len(names) == 2 else ("source", "target"),
        link_names=_link_names(options.links, options.other),
    )


def _link_names(links: str, other: str | None) -> tuple[str, str]:
    """What the page calls both alignments: their files, with folders where the names are equal."""
    files = (links, other or "")
    names = (Path(files[0]).name, Path(files[1]).name)
    return files if names[0] == names[1] else names


def _text_files(options: ViewOptions) -> list[str]:
    files = (options.bitext.source, options.bitext.target)
    return [file for file in files if file is not None]


def _print(view: AlignmentView) -> None:
    from ...pages.text_grid import text_grid, text_legend  # loads rich

    width = shutil.get_terminal_size().columns
    lines = range(1, len(view.bitext) + 1) if view.lines is None else view.lines.tolist()
    grids = (
        line
        for number, pair in enumerate(lines)
        for line in (f"line {pair}", *text_grid(view, number, width), "")
    )
    write_lines(chain(grids, text_legend(view, width)), None)


COMMAND = Command(
    ViewOptions,
    run,
    (
        "isogloss view corpus.en corpus.es links --model m -o view.html",
        "isogloss view corpus.en corpus.es links --text --line 12",
    ),
    first={
        "output": ("output", "text", "edit"),
        "alignments": ("other", "gold", "model"),
        "sentence pairs": ("first", "sample", "line", "suggest"),
        "input": ("lowercase", "format", "langs"),
        "running": ("threads", "quiet"),
    },
)
