"""What shows only where both sides of a bitext are seen."""

import re
from collections.abc import Iterator, Sequence

from .kinds import Form
from .sample import TextSample
from .words import ESCAPES, has_escape, of_lines

__all__ = ["RAW", "forms_of_sides", "with_one_sided", "without_shared"]

RAW = {"moses-entities": "&'\"<>|[]", "backslashes": "'\""}
"""Escapes that do no harm on both sides: the characters that a side without them has instead."""

_VALUES = ("labels", "scores")  # which a text of one-word lines may look like
_LINE_BREAK = re.compile(r"\\[nrt]")
_NOTHING = re.compile(r"^\s*(?:\.{2,}|…|[-–—*])\s*$")
_LETTER = re.compile(r"[^\W\d_]")
_FEW = 0.02  # share of the lines
_ENOUGH = 2  # lines


def forms_of_sides(
    forms: Sequence[Sequence[Form]], samples: Sequence[TextSample | None]
) -> Iterator[tuple[Form, int, str]]:
    """What one of two sides has and the other hasn't, the number of the side, and a remark.

    forms, samples: of each side
    """
    for side, sample in enumerate(samples):
        other = samples[1 - side] if len(samples) > 1 else None
        if sample is None or other is None:
            continue
        kinds = {form.kind for form in forms[1 - side]}
        for form in forms[side]:
            if form.kind in RAW and form.kind not in kinds and _is_raw(form.kind, other, sample):
                yield form, side, "none"
        if number := sum(map(_stands_for_text, sample.first, other.first)):
            lines = sample.lines
            if number > max(_ENOUGH, _FEW * len(lines)) and lines:
                place = sample.place(_NOTHING)
                yield Form("placeholders", of_lines(number, lines), place), side, "text"


def with_one_sided(
    forms: Sequence[Sequence[Form]], samples: Sequence[TextSample | None]
) -> list[list[Form]]:
    """The forms of both sides, with what lines mean only beside those of the other side."""
    all_forms = [list(found) for found in forms]
    for form, side, remark in forms_of_sides(forms, samples):
        if form.kind not in RAW:
            what = f"{form.text}, but the other side has {remark}"
            all_forms[side].append(form._replace(what=what))
    return all_forms


def without_shared(forms: Sequence[Sequence[Form]]) -> list[list[Form]]:
    """The forms of each of several files, without those that are told of one side only."""
    shared = [{form.kind for found in forms for form in found if found is not own} for own in forms]
    return [
        [form for form in found if form.kind not in _VALUES or form.kind not in kinds]
        for found, kinds in zip(forms, shared, strict=True)
    ]


def _is_raw(kind: str, other: TextSample, escaped: TextSample) -> bool:
    """Whether a side has what it would have escaped, if it were as the other one."""
    if kind == "backslashes" and escaped.count(_LINE_BREAK) >= _ENOUGH:
        return True
    known = ESCAPES[kind][1]
    rests = (known.sub("", line) for line in other.lines)
    number = sum(any(mark in rest for mark in RAW[kind]) for rest in rests)
    return number >= max(_ENOUGH, _FEW * len(other.lines)) and not has_escape(kind, other.text)


def _stands_for_text(line: str, other: str) -> bool:
    """Whether a line of dots or a dash stands where the other side has words."""
    return _NOTHING.match(line) is not None and _LETTER.search(other) is not None
