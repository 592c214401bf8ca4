"""What doctor makes of the figures: a finding and a remedy for each thing that looks wrong."""

import math
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from align.links.link_check import LinkCheck
from align.text.length_limit import MAX_LENGTH

from .cost import Estimate
from .examination import Examination
from .labels import LabelCounts
from .misalignment import Shift, find_break, length_correlation, shifted_lines
from .survey import SideSurvey, Tally

__all__ = ["LEVELS", "LONG", "LOPSIDED", "Finding", "judge"]

LEVELS = ("warning", "note", "ok")

LONG = 100  # tokens; time and memory of a pair grow with the product of its lengths
LOPSIDED = 9  # length ratio that hardly any translation reaches
_MANY = 0.05  # share of pairs from which on a note becomes a warning
_ONE_PAIR = 0.1  # share of all cells that one pair may fill
_GLUED = 0.5  # share of lines with punctuation where it sticks to a word
_UNSEGMENTED = 6.0  # characters per token in scripts that set no blanks between words
_NO_BLANKS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")
_MERGED_TYPES = 0.03  # share of types that differ from another one in case only
_LITTLE_CORRELATION = 0.4  # of log lengths; 0.95 in the mixtures of real texts that were measured
_SMALL_SEED = 100  # labelled pairs; fewer tell little about a domain
_SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at.

    level: "warning" = likely to spoil the result or to stop the work, "note" = good to know, "ok";
    topic: what it is about; text: what was seen; remedy: what to do; lines: numbers of the first.
    """

    level: str
    topic: str
    text: str
    remedy: str = ""
    lines: tuple[int, ...] = ()


def judge(
    seen: Examination, cost: Estimate, labels: LabelCounts | None, links: LinkCheck | None
) -> tuple[Finding, ...]:
    """All findings, warnings first; a topic without any has one of level "ok"."""
    shifts = shifted_lines(*seen.pair_lengths)
    topics = [
        ("lines", "both sides have the same number", _line_counts(seen, shifts)),
        ("encoding", "UTF-8 without byte order mark, Unix line ends", _encoding(seen)),
        ("characters", "nothing odd", _characters(seen)),
        ("blanks", "no blank lines, single blanks between tokens", _blanks(seen)),
        ("tokens", "punctuation stands alone, case is even", _tokens(seen)),
        ("lengths", f"up to {LONG} tokens, ratio up to {LOPSIDED}", _lengths(seen)),
        ("repetitions", "no pair twice, no source copied to the target", _repetitions(seen)),
        ("alignment", "lengths of both sides go together", _alignment(seen, shifts)),
        ("languages", "no line looks like the other side", _languages(seen)),
    ]
    if labels is not None:
        topics.append(("labels", "one per pair, enough of each", _labels(labels, seen.pairs)))
    if links is not None:
        topics.append(("links", "inside their pairs, each once", _links(links)))
    topics.append(("cost", _cost_text(cost), _cost(cost)))
    findings: list[Finding] = []
    for topic, good, rules in topics:
        own = [Finding(rule.level, topic, rule.text, rule.remedy, rule.lines) for rule in rules]
        findings += own or [Finding("ok", topic, good)]
    return tuple(sorted(findings, key=lambda finding: LEVELS.index(finding.level)))


class _Rule(NamedTuple):
    level: str
    text: str
    remedy: str
    lines: tuple[int, ...] = ()


def _rule(level: str, text: str, remedy: str, tally: Tally | None = None) -> _Rule:
    return _Rule(level, text, remedy, tuple(tally.first) if tally else ())


def _some(number: int, noun: str = "line") -> str:
    """1 line, 2 lines."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _line_counts(seen: Examination, shifts: Sequence[Shift]) -> Iterator[_Rule]:
    lines = [side.lines for side in seen.sides]
    if not seen.pairs:
        yield _rule("warning", "no sentence pair at all", "Give two files with text")
    elif lines[0] != lines[1]:
        place = shifts[0].first if shifts else find_break(*seen.lengths)
        where = (
            f"; by their lengths, lines fit no more from about line {place} on"
            if place
            else "; where they begin to differ can't be told from the lengths"
        )
        yield _rule(
            "warning",
            f"source has {_some(lines[0])}, target {lines[1]}{where}",
            "Look there for a lost or doubled line end; nothing is aligned before that is mended",
            Tally(1, [place]) if place else None,
        )


def _encoding(seen: Examination) -> Iterator[_Rule]:
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        if side.not_utf8.lines:
            yield _rule(
                "warning",
                f"{name}: {_some(side.not_utf8.lines)} not UTF-8; align stops there",
                "Convert the file, for example with `iconv -f ISO-8859-1 -t UTF-8`",
                side.not_utf8,
            )
        if side.byte_order_mark:
            yield _rule(
                "note", f"{name}: begins with a byte order mark",
                "None needed here (it is dropped); other tools make it part of the first word",
            )  # fmt: skip
        if side.windows_ends.lines:
            yield _rule(
                "note",
                f"{name}: {_some(side.windows_ends.lines)} with Windows line ends",
                "None needed here; for other tools, `sed -i 's/\\r$//'`",
                side.windows_ends,
            )


# kind of odd characters: level, remedy
_ODD_REMEDIES = {
    "no-break spaces": (
        "warning", "They glue words together: tokenise anew, or replace them by blanks"),
    "other Unicode blanks": (
        "warning", "They glue words together: tokenise anew, or replace them by blanks"),
    "zero-width spaces": ("warning", "They make two types of one word: remove them"),
    "soft hyphens or direction marks": (
        "note", "They make two types of one word where only some have them: remove them"),
    "carriage returns inside the line": (
        "warning", "Two lines may have become one: look at them, then remove the character"),
    "control characters": ("warning", "Remove them; they often come from a wrong conversion"),
    "replacement characters (U+FFFD)": (
        "warning", "Text was lost in an earlier conversion: convert again or drop the pairs"),
}  # fmt: skip


def _characters(seen: Examination) -> Iterator[_Rule]:
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        for kind, tally in side.odd.items():
            if tally.lines:
                level, remedy = _ODD_REMEDIES[kind]
                yield _rule(level, f"{name}: {kind} in {_some(tally.lines)}", remedy, tally)
        if side.mojibake.lines:
            yield _rule(
                "warning",
                f"{name}: {_some(side.mojibake.lines)} of UTF-8 that looks read as "
                "Windows-1252 (Ã© for é, â€™ for ’)",
                "Convert from the original again, or mend them with ftfy",
                side.mojibake,
            )
        if side.bars.lines:
            yield _rule(
                "warning",
                f"{name}: the token ||| in {_some(side.bars.lines)}; align stops there, it "
                "separates fields of tables",
                "Escape it (Moses writes &#124; for each bar) or drop the pairs",
                side.bars,
            )


def _blanks(seen: Examination) -> Iterator[_Rule]:
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        if side.blank.lines:
            yield _rule(
                "warning" if side.blank.lines > _MANY * side.lines else "note",
                f"{name}: {_some(side.blank.lines, 'blank line')}; such pairs teach nothing",
                "Drop the pairs, or leave them: they get an empty line of links",
                side.blank,
            )
        for tally, what in ((side.tabs, "tabs"), (side.spare_blanks, "doubled or outer blanks")):
            if tally.lines:
                yield _rule(
                    "note",
                    f"{name}: {what} in {_some(tally.lines)}",
                    "None needed here; tools that split at each blank count other positions",
                    tally,
                )


def _tokens(seen: Examination) -> Iterator[_Rule]:
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        glued = side.glued / max(side.marked, 1)
        if glued > _GLUED:
            yield _rule(
                "warning",
                f"{name}: punctuation sticks to a word in {100 * glued:.0f} % of the lines that "
                "have any; the text looks untokenised",
                "Tokenise it: `word,` and `word` count as different words",
            )
        if _is_unsegmented(side):
            yield _rule(
                "warning",
                f"{name}: {side.characters / max(side.tokens, 1):.1f} characters per token in a "
                "script without blanks",
                "Segment it into words first; `isogloss retokenize` carries links back to "
                "characters",
            )
        types = len(side.lexicon.types(side.side))
        merged = (types - side.lexicon.caseless_types(side.side)) / max(types, 1)
        if merged > _MERGED_TYPES:
            yield _rule(
                "note",
                f"{name}: {100 * merged:.0f} % of the types differ from another one in case only",
                "--lowercase counts them as one, which helps small texts",
            )


def _is_unsegmented(side: SideSurvey) -> bool:
    share = sum(share for script, share in side.scripts().items() if script in _NO_BLANKS)
    return share > 0.5 and side.characters > _UNSEGMENTED * max(side.tokens, 1)


def _lengths(seen: Examination) -> Iterator[_Rule]:
    source, target = (own.astype(np.int64) for own in seen.pair_lengths)
    longest = np.maximum(source, target)
    excluded = np.flatnonzero(longest > MAX_LENGTH)
    if len(excluded):
        yield _Rule(
            "warning",
            f"{_some(len(excluded), 'pair')} with more than {MAX_LENGTH} tokens on a side, which "
            "align takes as empty",
            "Look for lost line ends; split them into sentences, or pass align --max-length",
            _numbers(excluded),
        )
    long = np.flatnonzero((longest > LONG) & (longest <= MAX_LENGTH))
    if len(long):
        yield _Rule(
            "note",
            f"{_some(len(long), 'pair')} with more than {LONG} tokens on a side",
            "They are aligned in full, at a cost of J * I; split them if they are paragraphs",
            _numbers(long),
        )
    lopsided = np.flatnonzero(
        (np.minimum(source, target) > 0)
        & (np.maximum(source, target) > LOPSIDED * np.minimum(source, target))
    )
    if len(lopsided):
        yield _Rule(
            "warning" if len(lopsided) > _MANY * seen.pairs else "note",
            f"{_some(len(lopsided), 'pair')} with a side over {LOPSIDED} times the other's length",
            "They are seldom translations: drop them",
            _numbers(lopsided),
        )
    cells = seen.pair_cells
    if seen.pairs > 1 and cells.max() > _ONE_PAIR * cells.sum():
        largest = int(cells.argmax())
        if max(source[largest], target[largest]) > LONG:
            yield _Rule(
                "warning",
                f"one pair ({source[largest]} and {target[largest]} tokens) takes "
                f"{100 * cells[largest] / cells.sum():.0f} % of time and memory",
                "Look for lost line ends in it, split or drop it",
                _numbers(np.array([largest])),
            )


def _numbers(rows: NDArray[np.int64]) -> tuple[int, ...]:
    return tuple((rows[:_SHOWN] + 1).tolist())


def _repetitions(seen: Examination) -> Iterator[_Rule]:
    pairs = max(seen.pairs, 1)
    if seen.repeated.lines:
        yield _rule(
            "warning" if seen.repeated.lines > 4 * _MANY * pairs else "note",
            f"{_some(seen.repeated.lines, 'pair')} "
            f"({100 * seen.repeated.lines / pairs:.1f} %) found before",
            "Keep them if they show real frequencies, drop copies of whole documents; none may "
            "stand in a test set",
            seen.repeated,
        )
    if seen.identical.lines:
        yield _rule(
            "warning" if seen.identical.lines > _MANY * pairs else "note",
            f"{_some(seen.identical.lines, 'pair')} "
            f"({100 * seen.identical.lines / pairs:.1f} %) with the same text on both sides",
            "Drop them if they are untranslated sentences, not just names and numbers",
            seen.identical,
        )


def _alignment(seen: Examination, shifts: Sequence[Shift]) -> Iterator[_Rule]:
    lengths = seen.pair_lengths
    correlation = length_correlation(*lengths) if seen.pairs > 20 else math.nan
    if correlation < _LITTLE_CORRELATION:
        yield _rule(
            "warning",
            f"the lengths of source and target hardly go together (correlation {correlation:.2f})",
            "Are these two files translations of each other, line by line?",
        )
    for shift in shifts[:_SHOWN]:
        yield _Rule(
            "warning",
            f"pairs {shift.first} to {shift.last} fit better with the target "
            f"{_some(abs(shift.lines))} {'below' if shift.lines > 0 else 'above'}",
            "Look for a lost or doubled line shortly before, and for its counterpart behind",
            (shift.first,),
        )


def _languages(seen: Examination) -> Iterator[_Rule]:
    if seen.swapped.lines:
        yield _rule(
            "warning",
            f"{_some(seen.swapped.lines, 'pair')} with sides that look swapped",
            "Exchange their sides",
            seen.swapped,
        )
    names = ("source", "target")
    for name, other, tally in zip(names, names[::-1], seen.foreign, strict=True):
        if tally.lines:
            yield _rule(
                "warning" if tally.lines > _MANY * seen.pairs else "note",
                f"{name}: {_some(tally.lines)} in what looks like the language of the {other}",
                "Drop the pairs if they are not translated",
                tally,
            )


def _labels(labels: LabelCounts, pairs: int) -> Iterator[_Rule]:
    if labels.lines != pairs:
        yield _rule(
            "warning",
            f"{_some(labels.lines, 'label')} for {_some(pairs, 'pair')}; align stops",
            "Write one domain name, or - for unknown, per pair",
        )
    if labels.bad.lines:
        yield _rule(
            "warning",
            f"{_some(labels.bad.lines)} without a single name; align stops there",
            "Write - for an unknown domain, and no blanks in names",
            labels.bad,
        )
    for domain, number in labels.domains.items():
        if number < _SMALL_SEED:
            yield _rule(
                "warning",
                f"domain {domain} has {_some(number, 'labelled pair')} only",
                f"Label at least {_SMALL_SEED}, better some hundreds, or leave the domain out",
            )
    if not labels.domains:
        yield _rule("warning", "no pair is labelled", "Without labels, align trains a flat model")


def _links(links: LinkCheck) -> Iterator[_Rule]:
    if links.lines != links.pairs:
        yield _rule(
            "warning",
            f"{_some(links.lines)} of links for {_some(links.pairs, 'pair')}",
            "Give the links that belong to this text",
        )
    hint = links.hint[:1].upper() + links.hint[1:]
    explained = "out of range" if links.out_of_range else "malformed"
    kinds = (
        ("malformed", links.malformed),
        ("out of range", links.out_of_range),
        ("given twice", links.repeated),
    )
    for kind, number in kinds:
        if number:
            yield _Rule(
                "warning",
                f"{_some(number, 'link')} {kind}",
                hint if kind == explained and hint else "`isogloss check` lists them",
                tuple(dict.fromkeys(p.line for p in links.problems if p.kind == kind))[:_SHOWN],
            )
    if links.without_links:
        yield _Rule(
            "note",
            f"{_some(links.without_links, 'pair')} with words on both sides and no links",
            "None needed if these are no translations",
            links.first_without_links[:_SHOWN],
        )


def _cost_text(cost: Estimate) -> str:
    return f"training takes about {cost.megabytes:,.0f} MB and {_duration(cost.cpu_seconds)} of CPU"


def _cost(cost: Estimate) -> Iterator[_Rule]:
    memory = _physical_megabytes()
    if memory and cost.megabytes > 0.8 * memory:
        yield _rule(
            "warning",
            f"{_cost_text(cost)}; this machine has {memory:,.0f} MB",
            "Train on a part of the pairs and `isogloss apply` the model to the rest, or drop the "
            "longest pairs first",
        )


def _physical_megabytes() -> float:
    """Memory of this machine, 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (AttributeError, OSError, ValueError):
        return 0.0


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
