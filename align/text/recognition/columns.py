"""Lines with something beside the sentence: numbers, names, columns, quotes."""

import re
from collections.abc import Iterator

from ...errors import counted
from ...files.text_io import FIELD_SEPARATOR, split_fields
from .headers import header
from .kinds import Form
from .numbering import begins_with_numbers, forms_of_numbering, shown_begin
from .sample import TextSample

__all__ = ["forms_of_columns"]

_TRN = re.compile(r"\s\((?=\S*\d)[\w.:/-]+\)$")
_LINK_TOKEN = re.compile(r"\d+[-p?]\d+(?::[\d.e-]+)?")
_GOLD_LINE = re.compile(r"^\d+ +\d+ +\d+(?: +[SP])?(?: +[01]?\.?\d*)?$")
_FIELDS_IN_QUOTES = re.compile(r'^"(?:[^"]|"")*"[,;]|[,;]"(?:[^"]|"")*"\s*$')
_TABBED_QUOTES = re.compile(r'^"(?:[^"]|"")*"\t|\t"(?:[^"]|"")*"\s*$')
_LINE_IN_QUOTES = re.compile(r'^"(?! )(?:[^"]|"")*(?<! )"$')
_DECIMAL = re.compile(r"^(?:[+-]?\d*\.\d+(?:[eE][+-]?\d+)?|-\d+)$")
_LABEL = re.compile(r"^[A-Za-z0-9][\w.:-]{0,30}$")
_WORDS = r"(?=[^\t]*[^\W\d])[^\t]+"
_NUMBERED_COLUMNS = (  # as those of Tatoeba
    ("numbered-language", re.compile(rf"^ *\d+\t[a-z]{{2,3}}\t{_WORDS}$")),
    ("numbered-languages", re.compile(rf"^(?: *\d+\t[a-z]{{2,3}}\t{_WORDS}(?:\t|$)){{2}}$")),
    ("numbered-sides", re.compile(rf"^ *\d+\t{_WORDS}\t *\d+\t{_WORDS}$")),
)
_MOST, _ALL = 0.8, 0.95
_MANY = 20  # lines of one word
_SHOWN = 20  # characters of a value
_LABELS = 0.2  # of that number, labels that differ
_ENOUGH = 3


def forms_of_columns(sample: TextSample, is_side: bool = True) -> Iterator[Form]:
    """What stands in lines beside a sentence.

    is_side: whether the file is one side of a bitext; lines of pairs have columns of their own
    """
    if known := next((kind for kind, form in _NUMBERED_COLUMNS if sample.share(form) > _ALL), ""):
        yield Form(known, shown_begin(sample))
        return
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
    below = TextSample.of_lines(sample.lines[1:])  # a header may stand without
    if _LINE_IN_QUOTES.search(sample.lines[1]) and below.share(_LINE_IN_QUOTES) > _ALL:
        yield Form("quoted")
    elif sample.share(_FIELDS_IN_QUOTES) > _ALL:
        yield Form("csv", line=sample.place(_FIELDS_IN_QUOTES))
    elif sample.share(_TABBED_QUOTES) > _ALL:
        yield Form("quoted", line=sample.place(_TABBED_QUOTES))
