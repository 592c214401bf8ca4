"""Text whose words aren't what they seem: escaped, in pieces, with factors, placeholders."""

import re
from collections import Counter
from collections.abc import Iterator
from html.entities import html5

from ...errors import counted
from .kinds import Form
from .sample import TextSample

__all__ = ["CONTINUED", "ESCAPES", "MOJIBAKE", "forms_of_words", "has_escape", "of_lines"]

_ENTITY = re.compile(r"&(?:([A-Za-z][A-Za-z0-9]{1,30})|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}) ?;")
_MOSES = re.compile(r"&(?:apos|quot|amp|lt|gt|bar|bra|ket|#91|#93|#124);")
_TWICE = re.compile(r"&amp;(?:[a-z]+|#\d+);")
_SPLIT = re.compile(r"& (?:amp ; )?(?:quot|apos|amp|lt|gt|nbsp|# ?\d+) ;")
ESCAPES = {  # by kind: what is found fast, and what then decides
    "moses-entities": ("&", _MOSES),
    "html-entities": ("&", _ENTITY),
    "split-entities": ("& ", _SPLIT),
    "unicode-escapes": (
        "\\", re.compile(r"\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|\\U[0-9A-Fa-f]{8}|\\[23][0-7]{2}")),
    "percent-escapes": ("%", re.compile(r"%20|%[CD][0-9A-F]%[89AB][0-9A-F]|%2[0-9A-F]|%3[A-F]")),
    "quoted-printable": ("=", re.compile(r"=[C-F][0-9A-F]=[89AB][0-9A-F]|=20$")),
    "subtitle-tags": (
        "{\\", re.compile(r"\{\\(?:an?\d|[ibus][01]|(?:pos|move|fade?)\(|\d?c&|fn|fs\d|kf?\d)")),
    "backslashes": ("\\", re.compile(r"\\['\"nrt/](?![A-Za-z]{2,}\\)")),
}  # fmt: skip
_CONTROLS = re.compile(r"[\x80-\x84\x86-\x9f]")
# UTF-8 taken for Windows-1252: the letters that first bytes become, then what 0x80 to 0xBF become
CONTINUED = "".join(map(chr, range(0x80, 0xC0))) + "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(
    f"[ÂÃ][{CONTINUED}]|(?:[ÎÏÐÑ][{CONTINUED}]){{2}}|[à-ï][{CONTINUED}]{{2}}|ð[{CONTINUED}]{{3}}"
)
_OF_ADDRESS = ("://", "www.")
_PIECES = {  # a share of the words that no text of words has: what is found fast, and what decides
    "sentencepiece": ("\u2581", re.compile("(?:^| )\u2581", re.M)),
    "byte-pieces": ("\u0120", re.compile("(?:^| )[\u0120\u010a]", re.M)),
    "joiners": ("\uffed", re.compile("(?:^| )\uffed[^ ]|[^ ]\uffed(?: |$)", re.M)),
    "bpe": ("@@", re.compile("[^ ]@@(?: |$)", re.M)),
    "wordpiece": ("##", re.compile("(?:^| )##[^ ]", re.M)),
    "end-pieces": ("</w>", re.compile("[^ ]</w>(?: |$)", re.M)),
}
_UNDERSCORE = re.compile(r"(?:^| )_[^\W_]", re.M)
_FACTORS = re.compile(r"^[^|]+(?:\|[^|]+)+$")
_TAGGED = re.compile(r"^\S+[_/][A-Z$.,:'`#()-]{1,6}\d?$")
_PLACEHOLDER = re.compile(
    r"^\s*(?:[<\[(][^<>\[\]()]{0,40}[>\])]|BLANK|EMPTY|NULL|None|null|nan|NaN|N/A|"
    r"#N/A|#REF!|TODO|TBD|MISSING|UNTRANSLATED)\s*$"
)
_WORDS_IN_BRACKETS = re.compile(  # ( Applause ), which somebody heard
    r"^[\[(](?!.*\b(?:no|not|none|empty|blank|missing|null|nil|untranslated|todo|tbd|n/?a)\b)"
    r".*[^\W\d_]{2}",
    re.I,
)
_RANGE = re.compile(r"^\s*<range>\s*$")
_FEW_PIECES, _SOME, _ALL = 0.01, 0.3, 0.95  # shares of the words
_MISREAD = 0.05  # share of the lines that were decoded wrongly
_FEW = 0.02  # share of the lines with an escape
_ENOUGH = 2  # lines
_MOST = 0.5  # share of the lines that some words in brackets make where they stand for text
_REPEATED = 0.02  # share of the lines that one placeholder makes


def forms_of_words(sample: TextSample) -> Iterator[Form]:
    """What the words say of a text."""
    lines = sample.lines
    for kind in ESCAPES:
        if ESCAPES[kind][0] not in sample.text:
            continue
        number = sum(has_escape(kind, line) for line in lines)
        if number >= max(_ENOUGH, _FEW * len(lines)):
            yield Form(kind, of_lines(number, lines), _first(sample, kind))
    if not sample.text.isascii():
        yield from _conversions(sample)
    yield from _pieces(sample)
    yield from _placeholders(sample)


def has_escape(kind: str, line: str) -> bool:
    """Whether a line has an escape of a kind."""
    mark, pattern = ESCAPES[kind]
    if mark not in line:
        return False
    if kind == "html-entities":
        if _TWICE.search(line):
            return True
        known = (match[1] is None or f"{match[1]};" in html5 for match in _ENTITY.finditer(line))
        return any(known) and _ENTITY.search(_MOSES.sub("", line)) is not None
    if kind == "percent-escapes":
        words = (word for word in line.split() if not any(mark in word for mark in _OF_ADDRESS))
        line = " ".join(words)
    return pattern.search(line) is not None


def _conversions(sample: TextSample) -> Iterator[Form]:
    """Text that was decoded wrongly."""
    for kind, pattern in (("mojibake", MOJIBAKE), ("wrong-conversion", _CONTROLS)):
        number = sample.count(pattern)
        if number >= max(_ENOUGH, _MISREAD * len(sample.lines)):
            yield Form(kind, of_lines(number, sample.lines), sample.place(pattern))


def _pieces(sample: TextSample) -> Iterator[Form]:
    """Pieces of words, or words with more than a word."""
    tokens = sample.tokens
    for kind, (mark, pattern) in _PIECES.items():
        marked = len(pattern.findall(sample.text)) if mark in sample.text else 0
        if marked >= max(_ENOUGH, _FEW_PIECES * len(tokens)):
            yield Form(kind, f"{100 * marked / len(tokens):.0f}% of the words are marked")
            return
    if tokens and len(_UNDERSCORE.findall(sample.text)) > _SOME * len(tokens):
        yield Form("sentencepiece", "marked by _ in place of \u2581")
        return
    for pattern in (_FACTORS, _TAGGED):
        if tokens and sample.are_tokens(pattern, _ALL):
            yield Form("factors", f"such as {tokens[0][:40]}", 1)
            return


def _placeholders(sample: TextSample) -> Iterator[Form]:
    if ranges := sample.count(_RANGE):
        yield Form("verse-ranges", of_lines(ranges, sample.lines), sample.place(_RANGE))
    found = Counter(line.strip() for line in sample.lines if _PLACEHOLDER.match(line))
    del found["<range>"]
    for text in [text for text in found if _WORDS_IN_BRACKETS.match(text)]:
        if found[text] < _MOST * len(sample.lines):
            del found[text]
    for text, number in found.most_common(1):
        if number > max(_ENOUGH, _REPEATED * len(sample.lines)):
            pattern = re.compile(rf"^\s*{re.escape(text)}\s*$")
            seen = f"{text!r} in {of_lines(number, sample.lines)}"
            yield Form("placeholders", seen, sample.place(pattern))


def of_lines(number: int, lines: list[str]) -> str:
    """How many lines show a form."""
    return f"{number:,} of {counted(len(lines), 'line')} looked at"


def _first(sample: TextSample, kind: str) -> int | None:
    numbers = (n for n, line in enumerate(sample.first, start=1) if has_escape(kind, line))
    return next(numbers, None)
