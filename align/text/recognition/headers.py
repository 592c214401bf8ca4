"""A first line that names what stands below it: columns, or a side in each of two files."""

import re
from collections.abc import Iterator, Sequence

from ...errors import shown
from .kinds import Form
from .sample import TextSample

__all__ = ["header", "is_name"]

_TABLE = """
en english englisch anglais inglés английский
fr français french französisch francés французский
de deutsch german allemand alemán немецкий
es español spanish spanisch espagnol испанский castellano
it italiano italian italienisch italien итальянский
pt português portuguese portugiesisch portugais portugués португальский
nl nederlands dutch niederländisch néerlandais neerlandés нидерландский
pl polski polish polnisch polonais polaco польский
cs čeština český česky czech tschechisch tchèque checo чешский
sk slovenčina slovensky slovak slowakisch slovaque eslovaco словацкий
ru русский russian russisch russe ruso
uk українська ukrainian ukrainisch ukrainien ucraniano украинский
ro română romanian rumänisch roumain rumano румынский
hu magyar hungarian ungarisch hongrois húngaro венгерский
bg български bulgarian bulgarisch bulgare búlgaro болгарский
el ελληνικά greek griechisch grec griego греческий
sv svenska swedish schwedisch suédois sueco шведский
da dansk danish dänisch danois danés датский
no norsk norwegian norwegisch norvégien noruego норвежский
fi suomi finnish finnisch finnois finlandés финский
et eesti estonian estnisch estonien estonio эстонский
lv latviešu latvian lettisch letton letón латышский
lt lietuvių lithuanian litauisch lituanien lituano литовский
tr türkçe turkish türkisch turc turco турецкий
ar العربية arabic arabisch arabe árabe арабский
he עברית hebrew hebräisch hébreu hebreo иврит
fa فارسی persian persisch persan persa персидский
hi हिन्दी hindi хинди
zh 中文 汉语 chinese chinesisch chinois chino китайский
ja 日本語 japanese japanisch japonais japonés японский
ko 한국어 korean koreanisch coréen coreano корейский
vi vietnamese vietnamesisch vietnamien vietnamita вьетнамский
"""
_LANGUAGES = {name: row.split()[0] for row in _TABLE.splitlines() for name in row.split()[1:]}
"""Codes by the names of languages: their own, in English, German, French, Spanish, Russian."""

_UNITS = r"text|texte|texto|satz|sentences?|segments?|phrases?|frase|oración|предложение|текст"
_ROLES = (
    r"source|target|src|tgt|trg|quelle|ziel|quelltext|zieltext|cible|fuente|origen|destino|"
    r"источник|перевод"
)
_CELL = re.compile(
    rf"(?:{_UNITS}|{_ROLES}|ref|reference|hypothesis|translation|id|"
    r"index|line|lang\w*|domain|score|label|original|input|output|links?|alignments?|"
    r"(?-i:[a-z]{2,3}(?:[-_][A-Za-z]{2,4})?|[A-Z]{2,3}(?:[-_][A-Z]{2,4})?)|"  # no "Yes"
    r"(?:source|target|src|tgt|trg)[-_ ]?(?:text|sentence|segment|lang\w*|language)?|"
    r"(?:text|sentence|segment)[-_ ]?(?:[a-z]{2,3}|\d|src|tgt|source|target)?)",
    re.I,
)
_SIDE = re.compile(
    rf"(?:{_ROLES})(?: text)?|(?:{_UNITS})(?:[-_](?:[a-z]{{2,3}}|\d|src|tgt|source|target))?", re.I
)
_FEW = 0.02  # share of the lines


def header(sample: TextSample) -> Iterator[Form]:
    """A first line that names columns, other than those below it."""
    first = next(iter(sample.first), "")
    separator = next((mark for mark in (" ||| ", "\t", ";", ",") if mark in first), "")
    if not separator:
        return
    cells = _cells(first, separator)
    below = sample.lines[1:]
    if _are_names(cells) and sum(map(len, below)) > len(first) * len(below):
        alike = sum(_are_names(_cells(line, separator)) for line in below)
        if alike > _FEW * len(below):  # words with their tags
            return
        is_csv = separator in ";," and all(separator in line for line in below)
        if is_csv:
            yield Form("csv", shown(first), 1)
        elif separator not in ";,":  # which sentences have as well
            yield Form("header", shown(first))


def _cells(line: str, separator: str) -> list[str]:
    return [cell.strip(" \"'") for cell in line.split(separator)]


def _are_names(cells: Sequence[str]) -> bool:
    """Whether cells may be the names of columns, or their numbers, behind one of no name."""
    if len(cells) > 2 and not cells[0]:  # of row numbers
        cells = cells[1:]
    if len(cells) > 1 and list(cells) == [str(number) for number in range(len(cells))]:
        return True
    codes = [_LANGUAGES.get(cell.lower(), cell) for cell in cells]
    return len(set(codes)) == len(cells) and all(
        cell.lower() in _LANGUAGES or _CELL.fullmatch(cell) for cell in cells
    )


def is_name(sample: TextSample, suffixes: Sequence[str] = ()) -> bool:
    """Whether the first line is the name of a side, unlike those below it.

    suffixes: of the file, which may be the code of its language
    """
    first = next(iter(sample.first), "").strip(' \t"').lower()
    below = sample.lines[1:]
    is_short = sum(map(len, below)) > 2 * len(first) * len(below)
    is_side = first in _LANGUAGES or _SIDE.fullmatch(first) is not None
    return is_short and (is_side or f".{first}" in suffixes)
