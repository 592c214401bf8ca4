"""Lines with something beside the sentence: numbers, names, columns, quotes, a header."""

import re
from collections.abc import Iterator, Sequence

from ...errors import counted, shown
from ...files.text_io import FIELD_SEPARATOR, split_fields
from .kinds import Form
from .numbering import begins_with_numbers, forms_of_numbering, shown_begin
from .sample import TextSample

__all__ = ["forms_of_columns", "header", "is_name"]

_TRN = re.compile(r"\s\((?=\S*\d)[\w.:/-]+\)$")
_LINK_TOKEN = re.compile(r"\d+[-p?]\d+(?::[\d.e-]+)?")
_GOLD_LINE = re.compile(r"^\d+ +\d+ +\d+(?: +[SP])?(?: +[01]?\.?\d*)?$")
_FIELDS_IN_QUOTES = re.compile(r'^"(?:[^"]|"")*"[,;]|[,;]"(?:[^"]|"")*"\s*$')
_TABBED_QUOTES = re.compile(r'^"(?:[^"]|"")*"\t|\t"(?:[^"]|"")*"\s*$')
_LINE_IN_QUOTES = re.compile(r'^"(?! )(?:[^"]|"")*(?<! )"$')
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
_DECIMAL = re.compile(r"^(?:[+-]?\d*\.\d+(?:[eE][+-]?\d+)?|-\d+)$")
_LABEL = re.compile(r"^[A-Za-z0-9][\w.:-]{0,30}$")
_MOST, _ALL, _FEW = 0.8, 0.95, 0.02
_MANY = 20  # lines of one word
_SHOWN = 20  # characters of a value
_LABELS = 0.2  # of that number, labels that differ
_ENOUGH = 3


def forms_of_columns(sample: TextSample, is_side: bool = True) -> Iterator[Form]:
    """What stands in lines beside a sentence.

    is_side: whether the file is one side of a bitext; lines of pairs have columns of their own
    """
    if len(sample.lines) < _ENOUGH:
        if begins_with_numbers(sample.first):
            yield Form("numbered-tab", shown_begin(sample))
        return
    if is_side and (other := next(_other_files(sample), None)):
        yield other
        return
    if is_side:
        yield from _values(sample)
    if quoted := next(_quotes(sample), None):
        yield quoted
        if quoted.level == "error":
            return
    yield from header(sample)
    numbered = next(forms_of_numbering(sample), None)
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


def _values(sample: TextSample) -> Iterator[Form]:
    """A word per line that is none: a score, or one of a few labels."""
    words = sample.tokens
    if not len(words) == len(sample.lines) >= _MANY:
        return
    distinct = set(words)
    if sample.share(_DECIMAL) > _ALL:
        yield Form("scores", f"line 1 is {words[0][:_SHOWN]}")
    elif len(distinct) <= _LABELS * len(words) and all(map(_LABEL.match, distinct)):
        most = max(sorted(distinct), key=words.count)
        yield Form("labels", f"{counted(len(distinct), 'label')}, such as {most}")


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
    if _are_names(cells) and sum(map(len, below)) > len(first) * len(below):
        alike = sum(_are_names(line.split(separator)) for line in below)
        if alike > _FEW * len(below):  # words with their tags
            return
        is_csv = separator in ";," and all(separator in line for line in below)
        yield Form("csv", shown(first), 1) if is_csv else Form("header", shown(first))


def _are_names(cells: Sequence[str]) -> bool:
    """Whether cells may be the names of columns."""
    return len(set(cells)) == len(cells) and all(map(_HEADER_CELL.fullmatch, cells))


def is_name(sample: TextSample, suffixes: Sequence[str] = ()) -> bool:
    """Whether the first line is the name of a side, unlike those below it.

    suffixes: of the file, which may be the code of its language
    """
    first = next(iter(sample.first), "").strip(' \t"').lower()
    below = sample.lines[1:]
    is_short = sum(map(len, below)) > 2 * len(first) * len(below)
    return is_short and (first in _SIDES or f".{first}" in suffixes)
