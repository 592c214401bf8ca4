"""Numbers, verses and names that each line begins with."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...errors import shown
from .kinds import Form
from .sample import TextSample

__all__ = ["begins_with_numbers", "forms_of_numbering", "shown_begin"]

_NUMBER_TAB = re.compile(r"^ *(\d+)[.):]?\t")
_NUMBER = re.compile(r"^ *(?:[^\w\s]{1,2} ?)?(\d+) ?[.):\]\-–/|=>}]+ +\S")
_NUMBER_MARK = re.compile(r"^[^\w\s]?(\d+)[^\w\s]{1,2}(?=[^\s\d])")  # 1:a, [1]a, \uff11\uff0ea
_NUMBER_COLUMN = re.compile(r"^ *\d+\t")
_BARE_NUMBER = re.compile(r"^ *(?:[^\w\s]{1,2} ?|[Nn][or]?[.°º]? ?)?(\d+)\.? +\S")  # 1, #1, No. 1
_VERSE = re.compile(
    r"^(?:\d ?)?[^\W\d_][^\W_]*\.?[ _.]?\d+[:.,_]\d+(?:[-–]\d+)?[a-z]?:?[ \t]"  # GEN 1:1, 1Kgs.2.3
    r"|^[1-9]?\d{7}[ \t]|^[\[(]?\d{1,3}:\d{1,3}(?::\d{1,3})?[\].)]?[ \t]"
)
_LONG_VERSE = re.compile(  # of names of several words, and of tokenized text
    r"^(?:[1-4]\.? ?)?"
    r"(?:(?:[^\W\d_]+\.? +){0,6}\d{1,3}(?::| : )|(?:[^\W\d_]+\.? +){1,6}\d{1,3}[.,])"
    r"\d{1,3}(?: ?[-–] ?\d+)?[a-z]?:?[ \t]"
)
_TIME = re.compile(r"\d:0\d(?!\d)")  # 10:05
_NUMERAL = re.compile(r"\d+")
_IDENTIFIER = re.compile(
    r"^(?=\S{2,120}[ \t])(?!\S*=[^\W\d])[\w-]+[-_.:#/]\S*\d\S*[ \t]|^[A-Za-z]\w*\d\w*:[ \t]"
)
_LINE_NUMBER = re.compile(  # Line 3: a
    r"^(?:lines?|sentence|sent|segment|seg|utterance|row|string|zeile|satz|ligne|phrase|l[ií]nea|"
    r"oraci[oó]n|frase|riga|řádek|věta|строка|предложение)[ _#-]*(\d+) ?[^\w\s]{1,2} ?\S",
    re.I,
)
_CLOCK = re.compile(
    r"^(?:[\[(<]\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d{1,3})?[\])>]|\d{1,2}:\d\d:\d\d(?:[.,]\d{1,3})?)"
    r"[-–:|]?[ \t]+\S"
)
_WORD_WITH_NUMBER = re.compile(r"^[A-Za-z]+\d\w*[ \t]")
_YEARS = range(1000, 2101)
_MOST, _ALL = 0.8, 0.95
_ENOUGH = 3
_SEVERAL = 5
_WORDS = 3  # of a line, more or less, that a number may stand before
_SKIPPED = 3  # verses from one line to the next


def begins_with_numbers(lines: Sequence[str]) -> bool:
    """Whether a few lines count from 0 or 1, with a tab behind the number."""
    return _leading(_NUMBER_TAB, lines) in ([0, 1], [1, 2])


def forms_of_numbering(sample: TextSample) -> Iterator[Form]:
    """Numbers or names that each line begins with."""
    kind = _kind(sample)
    if kind:
        yield Form(kind, shown_begin(sample))


def _kind(sample: TextSample) -> str:
    lines = sample.lines
    if _are_verses(sample):
        return "verses"
    if sample.share(_CLOCK) > _ALL:
        return "times"
    if sample.share(_LINE_NUMBER) > _ALL and _climb(_leading(_LINE_NUMBER, sample.first)):
        return "numbered-word"
    if _rise(_leading(_NUMBER_TAB, sample.first)) or sample.share(_NUMBER_COLUMN) > _ALL:
        return "numbered-tab"
    counted = _leading(_NUMBER, sample.first)
    if (_rise(counted) and not _are_years(counted)) or _are_numbered(sample):
        is_ascii = (found := _NUMERAL.search(lines[0])) is not None and found[0].isascii()
        return "numbered" if is_ascii else "identifiers"  # whose command takes any letters
    if _rise(_leading(_NUMBER_MARK, sample.first), _ALL, 1):
        return "numbered-mark"
    if sample.share(_IDENTIFIER) > _ALL or (
        _has_sentences(sample) and sample.share(_WORD_WITH_NUMBER) > _ALL
    ):
        heads = [line.split(maxsplit=1)[0] for line in lines]
        if len(set(heads)) == len(heads) and len(heads) >= 2 * _ENOUGH:
            return "identifiers"
    return ""


def _are_verses(sample: TextSample) -> bool:
    """Whether lines begin with other verses, where that may be text as well with the next ones."""
    for pattern in (_VERSE, _LONG_VERSE):
        if sample.share(pattern) > _ALL:
            heads = list(_heads(pattern, sample.lines))
            if len(set(heads)) <= _MOST * len(heads):
                continue
            may_be_text = pattern is _LONG_VERSE or any(map(_TIME.search, heads))
            if not may_be_text or _follow(list(_heads(pattern, sample.first))):
                return True
    return False


def _heads(pattern: "re.Pattern[str]", lines: Sequence[str]) -> Iterator[str]:
    for line in filter(str.strip, lines):
        match = pattern.match(line)
        yield match[0] if match else line.split(maxsplit=1)[0]


def _follow(heads: Sequence[str]) -> bool:
    """Whether most verses are near those before them, or the first of a chapter."""
    places = [[int(number) for number in _NUMERAL.findall(head)[:3]] for head in heads]
    steps = 0
    for (*book, chapter, verse), (*other, next_chapter, next_verse) in pairwise(
        place for place in places if len(place) > 1
    ):
        same = book == other and chapter == next_chapter
        steps += 0 < next_verse - verse <= _SKIPPED if same else 0 < next_verse <= _SKIPPED
    return len(places) >= _ENOUGH and steps >= _MOST * (len(places) - 1)


def _are_numbered(sample: TextSample) -> bool:
    """Whether lines begin with a bare number, which a sentence may do as well."""
    for pattern in (_BARE_NUMBER, _NUMBER):
        numbers = _leading(pattern, sample.first)
        rise = _rise(numbers, _ALL, 1) or (_climb(numbers) and sample.share(pattern) > _ALL)
        if _has_sentences(sample) and rise and not _are_years(numbers):
            return True
    return False


def _has_sentences(sample: TextSample) -> bool:
    """Whether lines are long enough for a number and a sentence."""
    return len(sample.tokens) > _WORDS * len(sample.lines)


def _are_years(numbers: Sequence[int | None]) -> bool:
    """Whether numbers may be years, which lines of a chronicle begin with."""
    return all(number is None or number in _YEARS for number in numbers)


def _leading(pattern: "re.Pattern[str]", lines: Sequence[str]) -> list[int | None]:
    """The number that each line begins with that is not blank."""
    found = [pattern.match(line) for line in lines if line.strip()]
    return [
        next((int(number) for number in match.groups() if number), None) if match else None
        for match in found
    ]


def _rise(numbers: Sequence[int | None], share: float = _MOST, most: int = 2) -> bool:
    """Whether a share of the lines has a number a little larger than that of the line above."""
    steps = sum(b is not None and a is not None and 0 < b - a <= most for a, b in pairwise(numbers))
    return len(numbers) >= _ENOUGH and steps >= share * (len(numbers) - 1)


def _climb(numbers: Sequence[int | None]) -> bool:
    """Whether numbers rise from line to line, however far, as where lines were dropped."""
    known = [number for number in numbers if number is not None]
    steps = sum(a < b for a, b in pairwise(known))
    return len(known) >= max(_SEVERAL, _ALL * len(numbers)) and steps == len(known) - 1


def shown_begin(sample: TextSample) -> str:
    """What the first line that isn't blank begins with."""
    line = next(line for line in sample.first if line.strip())
    return f"line 1 begins {shown(line[:24])}"
