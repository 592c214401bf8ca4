"""Commands that look at data before and after the work: doctor, check, retokenize."""

import argparse
import json
import sys
from array import array
from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain, islice
from pathlib import Path

import numpy as np
from rich.console import Console as RichConsole

from align.errors import DataError, UsageError
from align.files.text_io import iter_lines, raw_lines, split_tokens
from align.files.writers import write_lines
from align.links.link_check import LinkCheck, check_links
from align.model.store import CHECKSUMS, format_version, load_model
from align.text.bitext_formats import Pair, iter_pairs, parse_languages
from align.text.retokenize import Tokenizations, retokenize_lines
from align.text.token_maps import Folding
from align.text.token_styles import STYLES, open_style

from ..console import Console, write_stdout
from ..doctor.doctor import diagnose, findings_table, format_figures, format_findings
from ..doctor.examination import BLOCK, LineBlock, blocks_of
from ..report import format_table

__all__ = ["check", "doctor", "format_check", "retokenize"]

Options = argparse.Namespace


def retokenize(options: Options, console: Console) -> None:
    """Carry links over to other tokenisations of the source, the target or both."""
    if not (options.source or options.target):
        raise UsageError("give --source FROM,TO, --target FROM,TO or both")
    folding = Folding(case=options.ignore_case, accents=options.ignore_accents)
    source, target = (
        _tokenizations(option, name, folding, console) if option else None
        for name, option in (("--source", options.source), ("--target", options.target))
    )
    lines = iter_lines(options.links)
    write_lines(retokenize_lines(lines, source, target, options.links), options.output)


def _tokenizations(option: str, name: str, folding: Folding, console: Console) -> Tokenizations:
    """Take FROM,TO apart and open the files."""
    parts = option.split(",")
    if len(parts) != 2 or not all(parts):
        raise UsageError(
            f"{name} {option!r}; expected FROM,TO, each of them FILE, STYLE:FILE or characters:"
        )
    styles, files = ["characters", "characters"], ["", ""]
    sentences: list[Iterator[list[str]] | None] = [None, None]
    for side, part in enumerate(parts):
        style, colon, file = part.partition(":")
        if not colon or style not in STYLES:
            style, file = "", part
        if not file and style != "characters":
            raise UsageError(f"{name} {part!r} names no file; only characters: needs none")
        files[side] = file
        if file:
            styles[side], sentences[side] = open_style(map(split_tokens, iter_lines(file)), style)
            console.info(f"{file}: read as {styles[side]}")
    if sentences == [None, None]:
        raise UsageError(f"{name} {option!r}; at least one side needs a file")
    return Tokenizations(
        sentences[0],
        sentences[1],
        (styles[0], styles[1]),
        (files[0] or files[1], files[1] or files[0]),
        folding,
    )


def check(options: Options, console: Console) -> None:
    """Hold links against the text they belong to, or a model folder against its checksums."""
    if Path(options.links).is_dir():
        _check_model(options)
        return
    if options.source is None:
        raise UsageError("give the text that the links belong to, SRC TGT")
    lengths = array("i"), array("i")
    for pair in _pairs(options):
        lengths[0].append(len(split_tokens(pair.source)))
        lengths[1].append(len(split_tokens(pair.target)))
    source, target = (np.array(own, np.int64) for own in lengths)
    found = check_links(iter_lines(options.links), source, target, options.limit)
    if options.json:
        write_stdout(json.dumps(asdict(found) | {"num_problems": found.num_problems}) + "\n")
    else:
        write_stdout(format_check(found))
    if found.num_problems:
        raise DataError(
            f"{found.num_problems} problem{'' if found.num_problems == 1 else 's'}",
            "links inside their sentence pairs, each once",
            file=options.links,
            remedy=found.hint[:1].upper() + found.hint[1:],
        )


def _check_model(options: Options) -> None:
    """Read a model folder whole."""
    if options.source is not None:
        raise UsageError(f"{options.links} is a folder; a model is checked without a text")
    folder = Path(options.links)
    model = load_model(folder, verify=True)
    version = format_version(folder)
    sizes = [path.stat().st_size for path in folder.iterdir()]
    figures = {
        "format": ".".join(map(str, version)),
        "checksums": version >= CHECKSUMS,
        "files": len(sizes),
        "bytes": sum(sizes),
        "domains": len(model.domains),
        "source_types": len(model.source_vocabulary) - 1,
        "target_types": len(model.target_vocabulary) - 1,
        "word_pairs": len(model.index),
    }
    if options.json:
        write_stdout(json.dumps(figures) + "\n")
        return
    rows = [(name.replace("_", " "), value) for name, value in figures.items()]
    rows[1] = ("checksums", "all fit" if figures["checksums"] else "none before format 2.1")
    write_stdout(format_table("Model", ("", ""), rows))


def _pairs(options: Options) -> Iterator[Pair]:
    return iter_pairs(
        options.source,
        options.target,
        format=options.format,
        languages=parse_languages(options.langs) if options.langs else None,
    )


def format_check(found: LinkCheck) -> str:
    """The figures of a check and its first problems, as text."""

    def share(part: int, whole: int) -> str:
        return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "0"

    rows = [
        ("sentence pairs", found.pairs),
        ("lines of links", found.lines),
        ("links", found.links),
        ("linked source words", share(found.linked_source, found.source_words)),
        ("linked target words", share(found.linked_target, found.target_words)),
        ("pairs of words without links", share(found.without_links, found.pairs)),
        ("malformed links", found.malformed),
        ("links out of range", found.out_of_range),
        ("links given twice", found.repeated),
    ]
    text = format_table("Links", ("", ""), rows)
    if found.lines != found.pairs:
        text += f"{found.lines} lines of links for {found.pairs} sentence pairs\n"
    text += "".join(f"{problem}\n" for problem in found.problems)
    more = found.malformed + found.out_of_range + found.repeated - len(found.problems)
    text += f"... and {more} more (--limit)\n" if more else ""
    return text + (f"{found.hint}\n" if found.hint else "")


def doctor(options: Options, console: Console) -> None:
    """Say what a bitext is like and what is likely to go wrong with it."""
    blocks: Iterator[LineBlock]
    if options.target is None:
        blocks = chain.from_iterable(blocks_of(*block) for block in _blocks(_pairs(options)))
    else:
        blocks = blocks_of(raw_lines(options.source), raw_lines(options.target))
    found = diagnose(
        blocks,
        labels=iter_lines(options.labels) if options.labels else None,
        links=iter_lines(options.links) if options.links else None,
        lowercase=options.lowercase,
    )
    if options.json:
        write_stdout(json.dumps(asdict(found), ensure_ascii=False) + "\n")
        return
    write_stdout(format_figures(found) + "\n")
    if sys.stdout.isatty():
        plain = RichConsole(file=sys.stdout, markup=False, emoji=False, highlight=False)
        plain.print(findings_table(found.findings))
    else:
        write_stdout(format_findings(found.findings))


def _blocks(pairs: Iterator[Pair]) -> Iterator[LineBlock]:
    while block := list(islice(pairs, BLOCK)):
        yield [pair.source.encode() for pair in block], [pair.target.encode() for pair in block]
