"""What looks wrong with the text of each side: its form, encoding, characters, blanks, tokens."""

from collections.abc import Iterator, Sequence

from isogloss.align.errors import pluralize
from isogloss.align.files.encodings import conversion
from isogloss.align.text.known_words.text_form import is_unsegmented
from isogloss.align.text.recognition.kinds import KINDS, PIECES, Form
from isogloss.align.text.recognition.sides import RAW
from isogloss.align.text.recognition.words import ESCAPES

from .examination import Examination
from .rules import MANY, Rule, rule
from .survey import Tally

__all__ = [
    "STOPPING_FORMS", "SideForms", "judge_blanks", "judge_characters", "judge_encoding",
    "judge_forms", "judge_tokens", "refused_sides",
]  # fmt: skip

_ESCAPED = 0.02  # share of lines with an escape that is worth a warning
_ONE_SIDED = 0.1  # of that share on the other side
_OF_CHARACTERS = ("wrong-conversion", "mojibake")  # forms that the characters show
_GLUED = 0.5  # share of lines with punctuation where it sticks to a word
_MERGED_TYPES = 0.03  # share of types that differ from another one in case only


SideForms = tuple[Sequence[Form], Sequence[Form]]
"""What the files of the source and of the target were recognized as."""

_SIDES = ("source", "target")
STOPPING_FORMS = frozenset(
    f"{side}-{kind}" for side in _SIDES for kind in KINDS if KINDS[kind].level == "error"
)
"""Names of the findings with which align refuses a file."""


def judge_forms(seen: Examination, forms: SideForms) -> Iterator[Rule]:
    """What each file is, if it isn't text with a sentence per line; escapes in the text."""
    for side, found, other in zip(_SIDES, forms, forms[::-1], strict=True):
        for form in found:
            if form.kind in ESCAPES or form.kind in _OF_CHARACTERS:  # told of all lines
                continue
            level = "note" if form.level == "note" else "warning"
            alone = form.kind not in {one.kind for one in other}
            text = f"{side}: {form.name}"
            if form.level == "note" and alone:
                level, text = "warning", f"{text}; the other side isn't so"
            if form.level == "error":
                text += "; align refuses it"
            tally = Tally(1, [form.line]) if form.line else None
            remedy = form.remedy_for(form.file or None)
            yield rule(f"{side}-{form.kind}", level, text, remedy, tally)

    for side, survey, partner in zip(_SIDES, seen.sides, seen.sides[::-1], strict=True):
        for kind, tally in survey.escapes.items():
            if tally.lines:
                share = tally.lines / survey.lines
                alone = partner.escapes[kind].lines < _ONE_SIDED * share * partner.lines
                raw = sum(partner.histogram[ord(mark)] for mark in RAW.get(kind, ""))
                alone &= kind not in RAW or raw > _ESCAPED * partner.lines
                is_much = share > _ESCAPED and (alone or KINDS[kind].level == "warning")
                what = KINDS[kind].what.removeprefix("lines contain ")
                yield rule(
                    f"{side}-{kind}",
                    "warning" if is_much else "note",
                    f"{side}: {pluralize(tally.lines, 'line', 'contains')} {what}"
                    + ("; the other side has hardly any" if alone and is_much else ""),
                    Form(kind).remedy_for(None),
                    tally,
                )


def _are_pieces(forms: Sequence[Form]) -> bool:
    """Whether the tokens are pieces of words, of which nothing is said as words."""
    return any(form.kind in PIECES for form in forms)


def refused_sides(forms: SideForms) -> tuple[str, ...]:
    """Sides that hold no text, whose lines and words mean nothing: what their names begin with."""
    return tuple(
        f"{side}-"
        for side, found in zip(_SIDES, forms, strict=True)
        if any(form.level == "error" for form in found)
    )


def judge_encoding(seen: Examination) -> Iterator[Rule]:
    """Lines that are not UTF-8, a byte order mark, Windows line ends."""
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        if side.not_utf8.lines:
            yield rule(
                f"{name}-not-utf8",
                "warning",
                f"{name}: {pluralize(side.not_utf8.lines, 'line', 'is')} not UTF-8; align fails "
                "there",
                conversion(side.beyond_ascii),
                side.not_utf8,
            )
        if side.byte_order_mark:
            yield rule(
                f"{name}-byte-order-mark",
                "note", f"{name}: the file begins with a byte order mark",
                "isogloss drops it; other tools make it part of the first word",
            )  # fmt: skip
        if side.windows_ends.lines:
            yield rule(
                f"{name}-windows-line-ends",
                "note",
                f"{name}: {pluralize(side.windows_ends.lines, 'line', 'has')} Windows line endings",
                "isogloss accepts them; for other tools, run `sed -i 's/\\r$//'`",
                side.windows_ends,
            )


# kind of odd characters: level, remedy
_ODD_REMEDIES = {
    "no-break spaces": (
        "warning", "Tokenize again, or replace them with spaces; they join words"),
    "other Unicode spaces": (
        "warning", "Tokenize again, or replace them with spaces; they join words"),
    "zero-width spaces": ("warning", "Remove them; they make two types of one word"),
    "soft hyphens or direction marks": (
        "note", "Remove them; words with and without them are different types"),
    "carriage returns inside the line": (
        "warning", "Check whether two lines were joined, then remove the character"),
    "control characters": ("warning", "Remove them; they often come from a wrong conversion"),
    "replacement characters (U+FFFD)": (
        "warning", "Convert the original again or drop the pairs; text was lost in a conversion"),
}  # fmt: skip


def judge_characters(seen: Examination) -> Iterator[Rule]:
    """Odd characters, text that was decoded wrongly, and the token ``|||``."""
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        for kind, tally in side.odd.items():
            if tally.lines:
                level, remedy = _ODD_REMEDIES[kind]
                yield rule(
                    f"{name}-{_short(kind)}",
                    level,
                    f"{name}: {pluralize(tally.lines, 'line', 'contains')} {kind}",
                    remedy,
                    tally,
                )
        if side.mojibake.lines:
            yield rule(
                f"{name}-mojibake",
                "warning",
                f"{name}: {pluralize(side.mojibake.lines, 'line', 'looks')} like UTF-8 decoded as "
                "Windows-1252 (Ã© for é, â€™ for ’)",
                "Convert the original again, or repair them with ftfy",
                side.mojibake,
            )
        if side.bars.lines:
            yield rule(
                f"{name}-bars",
                "warning",
                f"{name}: {pluralize(side.bars.lines, 'line', 'contains')} the token |||; align "
                "fails there, because ||| separates fields of tables",
                "Escape it (Moses writes &#124; for each bar) or drop the pairs",
                side.bars,
            )


def _short(kind: str) -> str:
    """A kind of odd characters as one word: replacement-characters."""
    return kind.partition(" (")[0].replace(" ", "-").lower()


def judge_blanks(seen: Examination) -> Iterator[Rule]:
    """Blank lines, tabs, doubled and outer blanks."""
    for name, side in zip(("source", "target"), seen.sides, strict=True):
        if side.blank.lines:
            yield rule(
                f"{name}-blank",
                "warning" if side.blank.lines > MANY * side.lines else "note",
                f"{name}: {pluralize(side.blank.lines, 'line', 'is')} blank; such pairs do not "
                "affect training",
                "Drop the pairs, or keep them: their line of links is empty",
                side.blank,
            )
        for tally, what in ((side.tabs, "tabs"), (side.spare_blanks, "repeated or outer spaces")):
            if tally.lines:
                yield rule(
                    f"{name}-{_short(what)}",
                    "note",
                    f"{name}: {pluralize(tally.lines, 'line', 'contains')} {what}",
                    "isogloss accepts them; tools that split at every space count other positions",
                    tally,
                )


def judge_tokens(seen: Examination, forms: SideForms) -> Iterator[Rule]:
    """Text that looks untokenized or unsegmented, and types that differ in case only."""
    for name, side, found in zip(("source", "target"), seen.sides, forms, strict=True):
        if _are_pieces(found):
            continue
        glued = side.glued / max(side.marked, 1)
        if glued > _GLUED:
            yield rule(
                f"{name}-untokenized",
                "warning",
                f"{name}: punctuation is attached to a word in {100 * glued:.0f}% of the lines "
                "with punctuation; the text looks untokenized",
                "Tokenize it; otherwise `word,` and `word` are different words",
            )
        if is_unsegmented(side.characters, side.tokens, side.scripts()):
            yield rule(
                f"{name}-unsegmented",
                "warning",
                f"{name}: {side.characters / max(side.tokens, 1):.1f} characters per token in a "
                "script without spaces",
                "Segment it into words first; `isogloss retokenize` converts links back to "
                "characters",
            )
        types = len(side.lexicon.types(side.side))
        merged = (types - side.lexicon.caseless_types(side.side)) / max(types, 1)
        if merged > _MERGED_TYPES:
            yield rule(
                f"{name}-casing",
                "note",
                f"{name}: {100 * merged:.0f}% of the types differ from another type only in case",
                "Pass --lowercase to merge them, which helps on small texts",
            )
