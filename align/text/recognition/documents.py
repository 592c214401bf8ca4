"""Documents with markup or a structure of their own, given as lines of text."""

import re
from collections import Counter
from collections.abc import Iterator

from ...errors import pluralize
from .kinds import Form
from .sample import TextSample

__all__ = ["forms_of_documents", "forms_of_tags"]

_ROOTS = (  # in the first characters of a file
    ("tmx", r"<tmx\b|<!DOCTYPE tmx"),
    ("xliff", r"<xliff\b"),
    ("wmt", r"<dataset\b"),
    ("sgml", r"<(?:refset|srcset|tstset|mteval)\b|<!DOCTYPE mteval|<seg\b[^<>]*id="),
    ("html", r"\A(?:<\?xml[^<>]*>\s*)?<(?:!DOCTYPE html|html\b|head\b|body\b)"),
    ("usx", r"<usx\b|<osis\b|<XMLBIBLE\b|<cesDoc\b"),
    ("xml", r"^<\?xml"),
    ("po", r"^msgid(?:_plural)? \""),
    ("rtf", r"^\{\\rtf"),
    ("latex", r"^\\documentclass"),
    ("arpa", r"^\\data\\\s*$"),
    ("giza", r"^# Sentence pair \(\d+\) source length"),
)
_OF_XML = ("tmx", "xliff", "wmt", "sgml", "html", "usx", "xml")
_BEGINS = [(kind, re.compile(pattern, re.I | re.M)) for kind, pattern in _ROOTS]
_SEGMENT = re.compile(r"<seg\b[^<>]*>", re.I)
_TIME = re.compile(
    r"^\s*(?:\[?(?:\d+:)?\d\d:\d\d[,.]\d+ *--> *(?:\d+:)?\d\d:\d\d[,.]\d+"  # SubRip, Whisper
    r"|\d+:\d\d:\d\d\.\d+,\d+:\d\d:\d\d\.\d+"  # SubViewer
    r"|\{\d+\}\{\d+\}|\[\d+\]\[\d+\]|\[\d\d:\d\d\.\d\d\]|Dialogue: \d)"
)
_USFM = re.compile(r"^\s*\\(?:id|ide|h|toc\d|mt\d?|c|v|p|q\d?|s\d?|m|b|r|li\d?)\b(?: |$)")
_VERSE_NAME = re.compile(r"^[1-4A-Z][A-Z]{2} \d+:\d+$")
_TAG_LINE = re.compile(r"^\s*(?!<range>)</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?/?>\s*$")
_CLOSED = re.compile(
    r"<(?:br|p|hr|b|i|u|em|li|td|tr|div|span|strong|sup|sub)>|"
    r"</(?!w>)[A-Za-z][\w:.-]*>|"
    r"<[A-Za-z][\w:.-]*(?:\s+[\w:.-]+=[^<>]*|\s*/)>"
)
_WHOLE_LINE = re.compile(r"^\s*<(\w+)(?:\s[^<>]*)?>.*</\1>\s*$")
_OBJECT = re.compile(r"^\s*\{.*\}\s*$|^\s*\[ ?['\"].*['\"] ?\]\s*$")
_JSON = re.compile(r"\A(?:\[\s*[\[{\"]|\{\s*\"[^\"]*\"\s*:)")
_CONLL = re.compile(r"^\d[\d.-]*\t\S[^\t]*\t(?:[^\t]*\t){2,}|^\S+(?:\t\S+){3,}$")
_TAGGED_WORD = re.compile(r"^\S+(?:[\t ]\S+){0,2}$")
_PROPERTY = re.compile(r"^[\w$-]+(?:[.][\w$-]+)+ ?[=:] ?\S|^\"[^\"]+\" = \".*\";$")
_YAML = re.compile(r"^\s*(?:- +)?(?:[\w$.-]+|\"[^\"]*\"|'[^']*'):(?: +\S.*)?$|^---$|^\s*#|^\s+- \S")
_INDENTED = re.compile(r"^(?: {2,}|\t)\S")
_QUOTED_VALUE = re.compile(r": +([\"']).*\1$")
_KEY = re.compile(r"^\s*[^\s:]+")
_TREE = re.compile(r"^\s*\(+ ?[A-Z][\w.:$-]* .*\([A-Z\W][^\s()]* [^\s()]+\).*\)\s*$")

_ALL, _MOST, _SOME, _FEW = 0.95, 0.8, 0.1, 0.03  # shares of the lines
_TAGS = 0.2  # of the number of words with tags, tags that differ
_ENOUGH = 3  # lines that show a form


def forms_of_documents(sample: TextSample) -> Iterator[Form]:
    """Documents of which hardly a line is a sentence."""
    for kind, pattern in _BEGINS:
        if kind in _OF_XML and not sample.begin.startswith("<"):
            continue
        if pattern.search(sample.begin):
            yield Form(kind, line=sample.place(pattern))
            return
    if "<" in sample.text and sample.share(_SEGMENT) > _SOME and sample.count(_SEGMENT) >= _ENOUGH:
        yield Form("sgml", line=sample.place(_SEGMENT))
    elif sample.begin.startswith("WEBVTT") or sample.share(_TIME) > _SOME:
        yield Form("subtitles", line=sample.place(_TIME))
    elif "\\" in sample.text and sample.share(_USFM) > _MOST / 2 and sample.count(_USFM) >= _ENOUGH:
        yield Form("usfm", line=sample.place(_USFM))
    elif sample.share(_VERSE_NAME) > _MOST and sample.count(_VERSE_NAME) >= _ENOUGH:
        yield Form("vref", line=1)
    elif (
        ("{" in sample.text or "[" in sample.text) and sample.share(_OBJECT) > _MOST
    ) or _JSON.match(sample.begin):
        yield Form("json", line=1)
    elif "\t" in sample.text and sample.share(_CONLL) > _MOST / 2 and _blank_share(sample) > _FEW:
        yield Form("conll", line=sample.place(_CONLL))
    elif _is_word_per_line(sample):
        yield Form("word-per-line")
    elif sample.share(_PROPERTY) > _MOST and sample.count(_PROPERTY) >= _ENOUGH:
        yield Form("properties", line=sample.place(_PROPERTY))
    elif _is_yaml(sample):
        yield Form("properties", line=sample.place(_YAML))
    elif "(" in sample.text and sample.share(_TREE) > _MOST:
        yield Form("trees", line=sample.place(_TREE))
    else:
        yield from forms_of_tags(sample)


def forms_of_tags(sample: TextSample) -> Iterator[Form]:
    """Sentences in tags, or with tags, or between lines of tags."""
    if "<" not in sample.text:
        return
    whole, lines = sample.count(_WHOLE_LINE), sample.count(_TAG_LINE)
    tagged = sample.count(_CLOSED)
    if sample.lines and whole > _MOST * len(sample.lines):
        found = _WHOLE_LINE.search(next(filter(_WHOLE_LINE.search, sample.lines)))
        assert found is not None
        yield Form("sentence-tags", f"<{found[1]}> ... </{found[1]}>", sample.place(_WHOLE_LINE))
    elif max(lines, tagged) >= max(_ENOUGH, _FEW * len(sample.lines)):
        pattern = _TAG_LINE if lines >= tagged else _CLOSED
        of = f"{max(lines, tagged)} of {pluralize(len(sample.lines))} looked at"
        yield Form("markup", of, sample.place(pattern))


def _blank_share(sample: TextSample) -> float:
    return sum(not line.strip() for line in sample.first) / max(len(sample.first), 1)


def _is_yaml(sample: TextSample) -> bool:
    """Whether lines are keys with values, most of them indented, or with other keys and quotes."""
    if ":" not in sample.text or not sample.share(_YAML) > _MOST or len(sample.lines) < _ENOUGH:
        return False
    if sample.share(_INDENTED) > _MOST / 2:
        return True
    keys = {match[0] for line in sample.lines if (match := _KEY.match(line))}
    return sample.share(_QUOTED_VALUE) > _MOST / 2 and len(keys) > _MOST * len(sample.lines)


def _is_word_per_line(sample: TextSample) -> bool:
    """Whether lines have one word, and blank lines stand between groups of them."""
    lines = sample.lines
    if len(lines) < 10 * _ENOUGH or not _FEW < _blank_share(sample) < _MOST / 2:
        return False
    if not sample.share(_TAGGED_WORD) > _ALL:
        return False
    columns = Counter(len(line.split()) for line in lines if not line.startswith("<"))
    ((number, most),) = columns.most_common(1)
    words, tags = ({line.split()[place] for line in lines} for place in (0, -1))
    has_tags = number > 1 and len(tags) <= _TAGS * len(lines) and len(tags) < len(words) / 2
    return most > _ALL * len(lines) and (number == 1 or has_tags)
