"""Lines with something beside the sentence: numbers, names, columns, quotes, a header."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ...errors import shown
from ...files.text_io import FIELD_SEPARATOR, split_fields
from .kinds import Form
from .sample import TextSample

__all__ = ["forms_of_columns", "header", "is_name"]

_NUMBER_TAB = re.compile(r"^ *(\d+)[.):]?\t")
_NUMBER = re.compile(r"^ *[\[(#]? ?(\d+) ?[.):\]\-–]+ +\S")
_NUMBER_MARK = re.compile(r"^(\d+)[:,;](?=[^\s\d])")
_NUMBER_COLUMN = re.compile(r"^ *\d+\t")
_BARE_NUMBER = re.compile(r"^ *(\d+) +\S")
_VERSE = re.compile(
    r"^(?:\d ?)?[^\W\d_][^\W_]*\.?[ _.]?\d+[:.,_]\d+(?:[-–]\d+)?[a-z]?:?[ \t]"  # GEN 1:1, 1Kgs.2.3
    r"|^[1-9]?\d{7}[ \t]|^[\[(]?\d{1,3}:\d{1,3}(?::\d{1,3})?[\].)]?[ \t]"
)
_IDENTIFIER = re.compile(r"^[\w-]+[-_.:#/]\S*\d\S*[ \t]|^[A-Za-z]\w*\d\w*:[ \t]")
_TRN = re.compile(r"\s\((?=\S*\d)[\w.:/-]+\)$")
_LINK_TOKEN = re.compile(r"\d+[-p?]\d+(?::[\d.e-]+)?")
_GOLD_LINE = re.compile(r"^\d+ +\d+ +\d+(?: +[SP])?(?: +[01]?\.?\d*)?$")
_FIELDS_IN_QUOTES = re.compile(r'^"(?:[^"]|"")*"[,;]|[,;]"(?:[^"]|"")*"\s*$')
_TABBED_QUOTES = re.compile(r'^"(?:[^"]|"")*"\t|\t"(?:[^"]|"")*"\s*$')
_LINE_IN_QUOTES = re.compile(r'^"(?:[^"]|"")*"$')
_HEADER_CELL = re.compile(
    r"(?:source|target|src|tgt|trg|ref|reference|hypothesis|text|sentence|segment|translation|id|"
    r"index|line|lang\w*|domain|score|label|original|input|output|"
    r"[a-z]{2,3}(?:[-_][a-z]{2,4})?|english|french|german|spanish|czech|italian|japanese|chinese|"
    r"(?:source|target|src|tgt|trg)[-_ ]?(?:text|sentence|segment|lang\w*|language)?|"
    r"(?:text|sentence)[-_ ]?(?:[a-z]{2,3}|\d|src|tgt|source|target)?)",
    re.I,
)
_SIDES = frozenset(
    ("source", "target", "src", "tgt", "trg", "text", "sentence", "sentences", "source text",
     "target text", "english", "french", "german", "spanish", "czech", "italian", "portuguese",
     "polish", "dutch", "russian", "japanese", "chinese", "korean", "arabic", "hindi", "turkish")
)  # fmt: skip
_MOST, _ALL = 0.8, 0.95
_ENOUGH = 3
_WORDS = 3  # of a line, more or less, that a number may stand before


def forms_of_columns(sample: TextSample, is_side: bool = True) -> Iterator[Form]:
    """What stands in lines beside a sentence.

    is_side: whether the file is one side of a bitext; lines of pairs have columns of their own
    """
    if len(sample.lines) < _ENOUGH:
        if _leading(_NUMBER_TAB, sample.first) in ([0, 1], [1, 2]):
            yield Form("numbered-tab", _shown_begin(sample))
        return
    if is_side and (other := next(_other_files(sample), None)):
        yield other
        return
    if quoted := next(_quotes(sample), None):
        yield quoted
        if quoted.level == "error":
            return
    yield from header(sample)
    numbered = next(_numbers(sample), None)
    if numbered:
        yield numbered
    elif is_side:
        columns = {line.count("\t") for line in sample.lines}
        if len(columns) == 1 and columns != {0}:
            yield Form("columns", f"{columns.pop() + 1} in each line looked at")
    if is_side and sample.share(_TRN) > _ALL:
        yield Form("trn")


def _other_files(sample: TextSample) -> Iterator[Form]:
    """Links, gold links, n-best lists and tables."""
    if sample.are_tokens(_LINK_TOKEN, _ALL):
        yield Form("links", line=1)
    elif sample.share(_GOLD_LINE) > _ALL:
        yield Form("gold-links", line=1)
    if FIELD_SEPARATOR not in sample.text:
        return
    fields = [len(split_fields(line)) for line in sample.lines]
    several = sum(count > 1 for count in fields)
    if several > _MOST * len(fields):
        yield Form("bars", f"{max(set(fields), key=fields.count)} in most lines", line=1)


def _quotes(sample: TextSample) -> Iterator[Form]:
    """Fields or lines in quotes, as spreadsheets write them."""
    if '"' not in sample.text:
        return
    if sample.share(_LINE_IN_QUOTES) > _ALL:
        yield Form("quoted")
    elif sample.share(_FIELDS_IN_QUOTES) > _ALL:
        yield Form("csv", line=sample.place(_FIELDS_IN_QUOTES))
    elif sample.share(_TABBED_QUOTES) > _ALL:
        yield Form("quoted", line=sample.place(_TABBED_QUOTES))


def header(sample: TextSample) -> Iterator[Form]:
    """A first line that names columns, other than those below it."""
    first = next(iter(sample.first), "")
    separator = next((mark for mark in (" ||| ", "\t", ";", ",") if mark in first), "")
    if not separator:
        return
    cells = [cell.strip(" \"'") for cell in first.split(separator)]
    below = sample.lines[1:]
    is_header = all(map(_HEADER_CELL.fullmatch, cells)) and len(set(cells)) == len(cells)
    if is_header and sum(map(len, below)) > len(first) * len(below):
        is_csv = separator in ";," and all(separator in line for line in below)
        yield Form("csv", shown(first), 1) if is_csv else Form("header", shown(first))


def is_name(sample: TextSample, suffixes: Sequence[str] = ()) -> bool:
    """Whether the first line is the name of a side, unlike those below it.

    suffixes: of the file, which may be the code of its language
    """
    first = next(iter(sample.first), "").strip(' \t"').lower()
    below = sample.lines[1:]
    is_short = sum(map(len, below)) > 2 * len(first) * len(below)
    return is_short and (first in _SIDES or f".{first}" in suffixes)


def _numbers(sample: TextSample) -> Iterator[Form]:
    """Numbers or names that each line begins with."""
    lines = sample.lines
    if sample.share(_VERSE) > _ALL and len(set(_heads(lines))) > _MOST * len(lines):
        yield Form("verses", _shown_begin(sample))
    elif _rise(_leading(_NUMBER_TAB, sample.first)) or sample.share(_NUMBER_COLUMN) > _ALL:
        yield Form("numbered-tab", _shown_begin(sample))
    elif _rise(_leading(_NUMBER, sample.first)) or _are_numbered(sample):
        yield Form("numbered", _shown_begin(sample))
    elif _rise(_leading(_NUMBER_MARK, sample.first), _ALL, 1):
        yield Form("numbered-mark", _shown_begin(sample))
    elif sample.share(_IDENTIFIER) > _ALL:
        heads = list(_heads(lines))
        if len(set(heads)) == len(heads) and len(heads) >= 2 * _ENOUGH:
            yield Form("identifiers", _shown_begin(sample))


def _are_numbered(sample: TextSample) -> bool:
    """Whether lines begin with a bare number, which a sentence may do as well."""
    is_text = len(sample.tokens) > _WORDS * len(sample.lines)
    return is_text and _rise(_leading(_BARE_NUMBER, sample.first), _ALL, 1)


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


def _heads(lines: Sequence[str]) -> Iterator[str]:
    for line in lines:
        match = _VERSE.match(line)
        yield match[0] if match else line.split(maxsplit=1)[0]


def _shown_begin(sample: TextSample) -> str:
    line = next(line for line in sample.first if line.strip())
    return f"line 1 begins {shown(line[:24])}"
