"""What looks wrong with the pairs: line counts, lengths, repetitions, shifts, languages."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from isogloss.align.errors import pluralize
from isogloss.align.text.length_limit import MAX_LENGTH

from .examination import Examination
from .misalignment import Shift, find_break, length_correlation
from .rules import MANY, SHOWN_LINES, Rule, rule
from .survey import Tally

__all__ = [
    "LONG",
    "LOPSIDED",
    "judge_alignment",
    "judge_languages",
    "judge_lengths",
    "judge_line_counts",
    "judge_repetitions",
]

LONG = 100  # tokens; time and memory of a pair grow with the product of its lengths
LOPSIDED = 9  # length ratio that hardly any translation reaches
_ONE_PAIR = 0.1  # share of all cells that one pair may fill
_LITTLE_CORRELATION = 0.4  # of log lengths; 0.95 in the mixtures of real texts that were measured


def judge_line_counts(seen: Examination, shifts: Sequence[Shift]) -> Iterator[Rule]:
    """Files of different length, and from where on they part."""
    lines = [side.lines for side in seen.sides]
    if not seen.pairs:
        yield rule(
            "no-pairs", "warning", "the bitext has no sentence pairs", "Pass two files with text"
        )
    elif lines[0] != lines[1]:
        line = shifts[0].first if shifts else find_break(*seen.lengths)
        where = (
            f"; judging by their lengths, the lines stop matching near line {line}"
            if line
            else "; the lengths do not show where the lines stop matching"
        )
        there = " near this line" if line else ""
        yield rule(
            "line-count",
            "warning",
            f"the source has {pluralize(lines[0])}, the target {lines[1]}{where}",
            f"Look for a missing or duplicated line break{there}; align fails until this is fixed",
            Tally(1, [line]) if line else None,
        )


def judge_lengths(seen: Examination) -> Iterator[Rule]:
    """Pairs that are too long, or whose sides are of very different length."""
    source, target = (side.astype(np.int64) for side in seen.pair_lengths)
    longest = np.maximum(source, target)
    excluded = np.flatnonzero(longest > MAX_LENGTH)
    if len(excluded):
        yield rule(
            "too-long",
            "warning",
            f"{_have(len(excluded))} more than {MAX_LENGTH} tokens on a side; align treats "
            f"{'it' if len(excluded) == 1 else 'them'} as empty",
            "Look for missing line breaks, split the lines into sentences, or pass align "
            "--max-length",
            Tally.of(excluded),
        )
    long = np.flatnonzero((longest > LONG) & (longest <= MAX_LENGTH))
    if len(long):
        yield rule(
            "long",
            "note",
            f"{_have(len(long))} more than {LONG} tokens on a side",
            "Split them if they are paragraphs; the cost of a pair is the product of its lengths",
            Tally.of(long),
        )
    lopsided = np.flatnonzero(
        (np.minimum(source, target) > 0)
        & (np.maximum(source, target) > LOPSIDED * np.minimum(source, target))
    )
    if len(lopsided):
        yield rule(
            "length-ratio",
            "warning" if len(lopsided) > MANY * seen.pairs else "note",
            f"{_have(len(lopsided))} one side more than {LOPSIDED} times as long as the other",
            "Drop them, because they are rarely translations",
            Tally.of(lopsided),
        )
    cells = seen.pair_cells
    if seen.pairs > 1 and cells.max() > _ONE_PAIR * cells.sum():
        largest = int(cells.argmax())
        if max(source[largest], target[largest]) > LONG:
            yield rule(
                "large-pair",
                "warning",
                f"one pair ({source[largest]} and {target[largest]} tokens) takes "
                f"{100 * cells[largest] / cells.sum():.0f}% of time and memory",
                "Look for missing line breaks in it; split or drop it",
                Tally.of(np.array([largest])),
            )


def judge_repetitions(seen: Examination) -> Iterator[Rule]:
    """Pairs that came before, and pairs with the same text on both sides."""
    pairs = max(seen.pairs, 1)
    if seen.repeated.lines:
        yield rule(
            "duplicate",
            "warning" if seen.repeated.lines > 4 * MANY * pairs else "note",
            f"{pluralize(seen.repeated.lines, 'duplicate pair')} "
            f"({100 * seen.repeated.lines / pairs:.1f}%)",
            "Keep them if they reflect real frequencies, but drop duplicate documents and any pair "
            "that is also in a test set",
            seen.repeated,
        )
    if seen.identical.lines:
        yield rule(
            "identical",
            "warning" if seen.identical.lines > MANY * pairs else "note",
            f"{pluralize(seen.identical.lines, 'pair')} "
            f"({100 * seen.identical.lines / pairs:.1f}%) "
            f"{'has' if seen.identical.lines == 1 else 'have'} the same text on both sides",
            "Drop those that are untranslated sentences rather than names or numbers",
            seen.identical,
        )


def judge_alignment(seen: Examination, shifts: Sequence[Shift]) -> Iterator[Rule]:
    """Lengths that don't go together, in the whole text or where lines are shifted."""
    lengths = seen.pair_lengths
    correlation = length_correlation(*lengths) if seen.pairs > 20 else math.nan
    if correlation < _LITTLE_CORRELATION:
        yield rule(
            "length-correlation",
            "warning",
            f"the lengths of source and target barely correlate ({correlation:.2f})",
            "Check that the two files are line-by-line translations",
        )
    for shift in shifts[:SHOWN_LINES]:
        yield rule(
            "shifted",
            "warning",
            f"pairs {shift.first} to {shift.last} match better with the target "
            f"{pluralize(abs(shift.lines))} {'below' if shift.lines > 0 else 'above'}",
            "Look for a missing or duplicated line shortly before the first of these pairs, and "
            "for the opposite error after the last",
            Tally(1, [shift.first]),
        )


def judge_languages(seen: Examination) -> Iterator[Rule]:
    """Pairs whose sides look swapped, and lines in the language of the other side."""
    if seen.swapped.lines:
        yield rule(
            "swapped",
            "warning",
            f"{pluralize(seen.swapped.lines, 'pair', 'looks')} swapped",
            "Swap the sides of these pairs",
            seen.swapped,
        )
    names = ("source", "target")
    for name, other, tally in zip(names, names[::-1], seen.foreign, strict=True):
        if tally.lines:
            yield rule(
                f"{name}-foreign",
                "warning" if tally.lines > MANY * seen.pairs else "note",
                f"{name}: {pluralize(tally.lines, 'line', 'looks')} like text in the {other} "
                "language",
                "Drop the pairs if they are untranslated",
                tally,
            )


def _have(number: int) -> str:
    """1 pair has, 2 pairs have."""
    return pluralize(number, "pair", "has")
