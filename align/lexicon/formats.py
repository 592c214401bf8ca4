"""Lexical tables as text for other programs; hand-made dictionaries in.

The formats differ in the order of their columns, the separator, what they do with the empty word
and what they prune. The direction is always that of the table: t(generated | given).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import DataError, OptionError, UsageError, pluralize, warn
from ..files.numerals import parse_number
from ..files.outputs import is_stream
from ..files.writers import write_described, write_lines
from ..text.readers import read_lines, split_tokens
from ..text.vocabulary import Vocabulary
from .tables import LexicalEntries, LexicalTable

__all__ = [
    "FORMATS",
    "LexiconFormat",
    "description_file",
    "format_lexicon",
    "read_dictionary",
    "write_lexicon",
]

SMALLEST = 5e-8  # what is below is written as zero by seven decimals, so it is not written at all
_BLOCK = 1 << 14  # lines formatted at a time
_SIDES = {"s2t": ("source", "target"), "t2s": ("target", "source")}  # given, generated


@dataclass(frozen=True)
class LexiconFormat:
    """A text format of lexical tables.

    given_first: whether the given word stands in the first column, else in the second
    separator: between columns
    null: whether the entries of the empty word are written, as ``NULL``
    ratio: entries below this times the best of their given word are left out
    blanks: whether words with blanks other than space and tab inside can be written
    """

    given_first: bool = False
    separator: str = " "
    null: bool = False
    ratio: float = 0.0
    blanks: bool = True

    def columns(self, direction: str) -> list[str]:
        """Description of each column."""
        given, generated = _SIDES[direction]
        words = [f"{given} word", f"{generated} word"]
        return [*(words if self.given_first else words[::-1]), f"t({generated} | {given})"]


FORMATS = {
    "tsv": LexiconFormat(given_first=True, separator="\t", null=True),
    "moses": LexiconFormat(null=True),  # lex.f2e is s2t, lex.e2f is t2s
    "marian": LexiconFormat(),  # a lexical shortlist is read as `target source p`
    "bicleaner": LexiconFormat(ratio=0.1, blanks=False),  # its reader splits at every blank
}


@dataclass(frozen=True)
class _Pruned:
    """The entries of a table that a format writes: ids and probabilities, and what is left out."""

    # mass: mean share of the probability of a given word that is not written, 0 to 1

    given: list[int]
    generated: list[int]
    probability: list[float]
    mass: float


def _prune(table: LexicalTable, format: str, min_prob: float) -> _Pruned:
    if format not in FORMATS:
        raise OptionError("format", f"one of {', '.join(FORMATS)}", format)
    if not 0.0 <= min_prob < 1.0:
        raise OptionError("min_prob", "at least 0 and below 1", min_prob)
    layout = FORMATS[format]
    given, generated, probability = table.columns(
        max(min_prob, SMALLEST), layout.ratio, layout.null
    )
    if not layout.blanks:
        plain = [
            np.array([word.split() == [word] for word in vocabulary.words], bool)
            for vocabulary in (table.given_vocabulary, table.generated_vocabulary)
        ]
        keep = plain[0][given] & plain[1][generated]
        given, generated, probability = given[keep], generated[keep], probability[keep]
    total = float(table.probability.sum(dtype=np.float64))
    words = len(np.unique(table.given[table.probability > 0]))
    if layout.null:
        total, words = total + float(table.null[1:].sum(dtype=np.float64)), words + 1
    left_out = max(total - float(probability.sum(dtype=np.float64)), 0.0)
    mass = left_out / max(words, 1)
    return _Pruned(given.tolist(), generated.tolist(), probability.tolist(), mass)


def _blocks(table: LexicalTable, pruned: _Pruned, layout: LexiconFormat) -> Iterator[list[str]]:
    """Lines of text, a block at a time."""
    given, generated = table.given_vocabulary.words, table.generated_vocabulary.words
    line = layout.separator.join(("%s", "%s", "%.7f"))
    for begin in range(0, len(pruned.given), _BLOCK):
        part = slice(begin, begin + _BLOCK)
        left = [given[word] for word in pruned.given[part]]
        right = [generated[word] for word in pruned.generated[part]]
        first, second = (left, right) if layout.given_first else (right, left)
        yield [line % row for row in zip(first, second, pruned.probability[part], strict=True)]


def format_lexicon(table: LexicalTable, format: str, min_prob: float = 1e-4) -> Iterator[str]:
    """Lines of text, by given word, most probable first; probabilities with seven decimals.

    ``tsv``: given, generated, probability, with tabs. ``moses``: `generated given p`; in Moses'
    terms the table s2t is lex.f2e (lines `e f p(e|f)`), t2s is lex.e2f. ``marian``: the same
    without the empty word. ``bicleaner``: the same as marian, without what is below a tenth of
    the given word's best.

    min_prob: entries are above this; what seven decimals show as zero is never written.

    Raises UsageError for another format or a ``min_prob`` out of range.
    """
    for block in _blocks(table, _prune(table, format, min_prob), FORMATS[format]):
        yield from block


def _check_case(table: LexicalTable, pruned: _Pruned) -> None:
    """Warn of entries that bicleaner never finds: it looks words up in lower case."""
    columns = (
        (table.given_vocabulary, pruned.given),
        (table.generated_vocabulary, pruned.generated),
    )
    lost = np.zeros(len(pruned.given), bool)
    for vocabulary, column in columns:
        cased = np.array([word != word.lower() for word in vocabulary.words], bool)
        lost |= cased[np.array(column, np.int64)]
    if lost.any():
        warn(
            f"{lost.sum()} of {pluralize(len(lost), 'entry', 'contains')} uppercase letters; "
            "bicleaner looks up lowercased words and never finds such entries. Train the model "
            "with `lowercase=True`"
        )


def write_lexicon(
    table: LexicalTable,
    path: str | Path | None,
    format: str = "tsv",
    min_prob: float = 1e-4,
    **about: Any,
) -> None:
    """Write a table to a file (gz by its suffix) or, for None and ``-``, to stdout.

    Beside a file, ``FILE.json`` says what the file holds: format, direction, given and generated
    side, columns, number of entries, limits, pruned mass (mean share of a given word's
    probability that is not written), and ``about``.

    Raises UsageError as :func:`format_lexicon` does, and for a bicleaner file that is no gz.
    """
    if format == "bicleaner" and path not in (None, "-") and not str(path).endswith(".gz"):
        raise UsageError(f"{path}: bicleaner reads only gzip files; choose a name ending in .gz")
    pruned = _prune(table, format, min_prob)
    layout = FORMATS[format]
    if format in ("moses", "marian") and (
        "NULL" in table.given_vocabulary or "NULL" in table.generated_vocabulary
    ):
        warn(f"the text contains the word NULL, which means the empty word in the {format} format")
    if format == "bicleaner":
        _check_case(table, pruned)
    lines = ("\n".join(block) for block in _blocks(table, pruned, layout))
    if path is None or is_stream(path):
        write_lines(lines, path)
        return
    given, generated = _SIDES[table.direction]
    description = {
        "format": format,
        "direction": table.direction,
        "given": given,
        "generated": generated,
        "columns": layout.columns(table.direction),
        "entries": len(pruned.given),
        "minimum": min_prob,
        "ratio_to_best": layout.ratio,
        "pruned_mass": round(pruned.mass, 6),
        **about,
    }
    write_described(lines, path, description, description_file(path))


def description_file(table: str | Path) -> str:
    """The file beside a lexical table that says what it holds."""
    return f"{table}.json"


def read_dictionary(
    path: str | Path,
    source_vocabulary: Vocabulary,
    target_vocabulary: Vocabulary,
    *,
    lowercase: bool = False,
) -> LexicalEntries:
    """Read lines `source<TAB>target[<TAB>weight]`; the weight, pseudo-counts, is 1 where absent.

    Empty lines are passed over. An entry with several words on a side is left out and counted
    (DataWarning), one with a word that a vocabulary lacks is counted; weights of a pair that comes
    twice add up.

    Raises DataError for a line of another format.
    """
    source: list[int] = []
    target: list[int] = []
    weights: list[float] = []
    multiword, first = 0, 0
    for number, line in enumerate(read_lines(path), start=1):
        text = line.lower() if lowercase else line
        if not text.strip():
            continue
        left, right, weight = _entry(text.split("\t"), path, number)
        if len(left) > 1 or len(right) > 1:
            multiword, first = multiword + 1, first or number
            continue
        source.append(source_vocabulary.get(left[0]))
        target.append(target_vocabulary.get(right[0]))
        weights.append(weight)
    if multiword:
        warn(
            f"{path}: {pluralize(multiword, 'entry', 'has')} several words on a side (first: line "
            f"{first}); such entries are skipped"
        )
    entries = LexicalEntries.collect(source, target, weights, multiword)
    if weights and not len(entries):
        warn(
            f"{path}: no entry has both words in the text; check the order of the sides and the "
            "letter case"
        )
    return entries


def _entry(fields: list[str], path: str | Path, number: int) -> tuple[list[str], list[str], float]:
    """Words of both sides and the weight of one line."""
    sides = [split_tokens(field) for field in fields[:2]]
    if len(fields) not in (2, 3) or not all(sides):
        raise DataError(
            f"the line has {pluralize(len(fields), 'field')}"
            if len(fields) not in (2, 3)
            else "a side is empty",
            "source<TAB>target or source<TAB>target<TAB>weight",
            file=path,
            line=number,
            remedy="Separate the sides by a tab",
        )
    try:
        weight = parse_number(fields[2]) if len(fields) == 3 else 1.0
    except ValueError:
        weight = math.nan
    if not 0.0 < weight < math.inf:
        raise DataError(
            f"the weight is {fields[2]!r}",
            "a number above 0",
            file=path,
            line=number,
            remedy="Omit the weight for the default of 1",
        )
    return sides[0], sides[1], weight
