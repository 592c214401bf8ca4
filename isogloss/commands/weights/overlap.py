"""isogloss weights overlap: features that weight files share, or how they spell two words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from isogloss.align.errors import UsageError, pluralize
from isogloss.align.text.readers import read_sentences
from isogloss.tune.weights.overlap import Overlap, count_tokens, count_words, feature_overlap
from isogloss.tune.weights.summary import DENSE, choose_templates, template_of
from isogloss.tune.weights.weights import Weights

from ...console import Console
from ...options import Command, group, option, positional
from ...report import table_lines, write_rows
from ..shared import MessageOptions, message_options
from .rows import RowsOptions, split_names

__all__ = ["OVERLAP", "OverlapOptions", "run"]

_RULES = ("pt", "pp")  # templates whose features are rules: ours, and Moses' PhrasePairFeature
_Row = dict[str, Any]


@dataclass(frozen=True)
class OverlapOptions:
    """Options of `isogloss weights overlap`.

    weights: two or more weight files
    template: compare only these templates, such as pt,al
    contrast: count the rules (pt, or --template) with each of these words instead
    contrast_text: reference texts of each weight file, whose tokens are counted for --contrast
    lowercase: lowercase the reference texts
    """

    weights: tuple[str, ...] = positional("WEIGHTS")
    template: str | None = option(default=None, metavar="NAME,...")
    contrast: str | None = option(default=None, metavar="A,B")
    contrast_text: tuple[str, ...] = option(default=(), metavar="REF,...")
    lowercase: bool = False
    rows: RowsOptions = group(RowsOptions)
    common: MessageOptions = message_options()

    @property
    def output_formats(self) -> dict[str | None, str]:
        """The format of the output if it is no plain text."""
        return {self.rows.output: "json"} if self.rows.written_format == "json" else {}


def run(options: OverlapOptions, console: Console) -> None:
    """Active features that sets of weights have in common, or how they spell two words."""
    if len(options.weights) < 2:
        raise UsageError("only one weight file is given; pass at least two")
    if options.contrast_text and not options.contrast:
        raise UsageError("--contrast-text needs --contrast")
    sets = [Weights.load(file) for file in options.weights]
    if options.contrast:
        rows = _contrast(options, options.contrast, sets)
        cells = [list(row.values()) for row in rows]
        lines = table_lines(list(rows[0]), cells)
        write_rows(rows, rows, lambda: lines, options.rows.output, options.rows.written_format)
        return
    templates = _templates(options, sets)
    rows = [
        _overlap_row(options.weights[a], options.weights[b], overlap)
        for a, b in combinations(range(len(sets)), 2)
        for overlap in feature_overlap(sets[a], sets[b], templates)
    ]
    write_rows(
        rows, rows, lambda: _overlap_text(rows), options.rows.output, options.rows.written_format
    )


def _names(sets: Sequence[Weights]) -> list[str]:
    return [name for weights in sets for name in weights]


def _templates(options: OverlapOptions, sets: Sequence[Weights]) -> Mapping[str, Iterable[str]]:
    """The templates to compare; by default each of them, and all sparse ones together."""
    names = _names(sets)
    if options.template:
        return choose_templates(names, split_names(options.template))
    every = sorted({template_of(name) for name in names})
    templates: dict[str, Iterable[str]] = {name: (name,) for name in every}
    templates["(sparse)"] = [name for name in every if name != DENSE]
    return templates


def _overlap_row(first: str, second: str, overlap: Overlap) -> _Row:
    return {
        "a": first, "b": second, "template": overlap.template, "in_a": overlap.first,
        "in_b": overlap.second, "in_both": overlap.both, "jaccard": round(overlap.jaccard, 6),
    }  # fmt: skip


def _overlap_text(rows: Sequence[_Row]) -> Iterator[str]:
    columns = ("template", "|A|", "|B|", "|A and B|", "Jaccard")
    pairs = dict.fromkeys((row["a"], row["b"]) for row in rows)
    for a, b in pairs:
        yield f"A = {a}, B = {b}"
        values = [list(row.values())[2:] for row in rows if (row["a"], row["b"]) == (a, b)]
        cells = [[*counts, f"{jaccard:.4f}"] for *counts, jaccard in values]
        yield from table_lines(columns, cells)


def _contrast(options: OverlapOptions, contrast: str, sets: Sequence[Weights]) -> list[_Row]:
    """A row for each set and word: rules that hold it, and its tokens in the references."""
    words = split_names(contrast)
    if len(words) < 2:
        raise UsageError(f"--contrast must be two or more words, A,B, got {contrast!r}")
    texts = options.contrast_text
    if texts and len(texts) != len(sets):
        raise UsageError(
            f"--contrast-text has {pluralize(len(texts), 'value')} for "
            f"{pluralize(len(sets), 'weight file')}; pass one for each"
        )
    names = _names(sets)
    wanted = split_names(options.template) if options.template else _default_rules(names)
    templates = set().union(*choose_templates(names, wanted).values())
    rows: list[_Row] = []
    for number, (file, weights) in enumerate(zip(options.weights, sets, strict=True)):
        tokens: list[int] | None = None
        if texts:
            sentences = (
                sentence
                for text in split_names(texts[number])
                for sentence in read_sentences(text, lowercase=options.lowercase)
            )
            tokens = count_tokens(sentences, words)
        rules = count_words(weights, words, templates)
        for position, word in enumerate(words):
            row: _Row = {"weights": file, "word": word}
            row |= {} if tokens is None else {"tokens": tokens[position]}
            rows.append(row | {"rules": rules[position]})
    return rows


def _default_rules(names: Sequence[str]) -> list[str]:
    templates = {template_of(name).lower() for name in names}
    return [rule for rule in _RULES if rule in templates] or [_RULES[0]]


OVERLAP = Command(
    OverlapOptions,
    run,
    (
        "isogloss weights overlap a.json b.json --template pt",
        "isogloss weights overlap a.json b.json --contrast ad,advert --contrast-text a.en b.en",
    ),
    line="compare the active features of weight files",
    first={
        "comparison": ("template", "contrast", "contrast_text", "lowercase"),
        "output": ("output", "to"),
        "running": ("quiet",),
    },
)
