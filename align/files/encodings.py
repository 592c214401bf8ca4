"""Text that isn't UTF-8: which encoding it is likely in, and how to convert it."""

import codecs
import re
import shlex
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..errors import DataError
from .inputs.samples import sample_of

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch

__all__ = [
    "Guess",
    "conversion",
    "is_utf8",
    "likely_encodings",
    "not_utf8",
    "sampled_conversion",
    "wide_encoding",
]

_MARKS = (  # those of UTF-32 begin as those of UTF-16 do
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_FEW_NULS = 0.02  # share of NUL bytes that a text in UTF-16 has at least: its spaces and line feeds
_ONE_SIDE = 0.9  # share of them that are the high bytes of characters
_LETTERS = 1 << 13  # bytes that are looked at for an encoding
_SHOWN = 3  # encodings in a message
# legacy text that happens to be UTF-8: of Chinese lines of a character, every seventh
_NO_CHANCE = 3  # characters beyond ASCII that a line hardly has by chance in UTF-8
_RARE, _OFTEN = 0.01, 0.2  # shares of lines: of those with as many characters, of any
_NEAR = 0.1  # by which the score of another encoding is worth naming

# encodings of text, the more usual ones first
_USUAL = (
    "cp1252", "iso8859_15", "latin_1", "cp1250", "iso8859_2", "cp1251", "koi8_r", "koi8_u",
    "iso8859_5", "cp866", "cp1254", "iso8859_9", "cp1253", "iso8859_7", "cp1255", "iso8859_8",
    "cp1256", "iso8859_6", "cp1257", "iso8859_13", "iso8859_4", "cp1258", "cp874", "gb18030",
    "big5", "big5hkscs", "cp932", "euc_jp", "cp949", "cp437", "cp850", "cp852", "mac_roman",
    "mac_latin2", "mac_cyrillic",
)  # fmt: skip
_ICONV = {
    "cp949": "CP949", "big5hkscs": "BIG5-HKSCS", "mac_roman": "MACINTOSH", "latin_1": "ISO-8859-1",
    "mac_latin2": "MAC-CENTRALEUROPE", "mac_cyrillic": "MAC-CYRILLIC",
}  # fmt: skip
_ODD_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s'’·\-–—…,.:;/()]+(?=[^\W\d_])")
_CONTROLS = re.compile(r"[\x80-\x84\x86-\x9f\ufffd]")
_LETTER_RUN = re.compile(r"[^\W\d_]+")
_NO_TEXT = ("Cc", "Co", "Cn")  # categories of characters: control, private, none
_ALPHABETS = {  # letters of languages beyond ASCII, marks of foreign names left out
    "Albanian": "çë", "Croatian": "čćđšž", "Czech": "áčďéěíňóřšťúůýž", "Danish": "æøåé",
    "Dutch": "éëïóèöü", "Estonian": "äõöüšž", "Finnish": "äöå", "French": "àâæçéèêëîïôœùûüÿ",
    "German": "äöüß", "Hungarian": "áéíóöőúüű", "Icelandic": "áðéíóúýþæö",
    "Italian": "àèéìíîòóùú", "Latvian": "āčēģīķļņšūž", "Lithuanian": "ąčęėįšųūž",
    "Maltese": "ċġħżàèìòù", "Norwegian": "æøåéèòô", "Polish": "ąćęłńóśźż",
    "Portuguese": "áâãàçéêíóôõúü", "Romanian": "ăâîșțşţ", "Slovak": "áäčďéíĺľňóôŕšťúýž",
    "Slovene": "čšž", "Spanish": "áéíñóúü", "Swedish": "åäöé", "Turkish": "çğıiöşüâîû",
    "Vietnamese": "ăâđêôơưàảãáạèẻẽéẹìỉĩíịòỏõóọùủũúụỳỷỹýỵ",
}  # fmt: skip


class Guess(NamedTuple):
    """An encoding that bytes may be in.

    name: as iconv knows it; word: what it makes of a word of the text
    language: whose letters these would be; fit: the share of those beyond ASCII that it has
    """

    name: str
    word: str
    language: str
    fit: float

    def __str__(self) -> str:
        fit = f", {100 * self.fit:.0f}% letters of {self.language}" if self.language else ""
        return f"{self.name} (reads {self.word!r}{fit})"


class _Reading(NamedTuple):
    """What an encoding makes of a text, and how likely that is."""

    name: str
    text: str
    language: str
    fit: float
    score: float


def wide_encoding(data: bytes) -> str:
    """UTF-16, UTF-32 or one of their byte orders if that is what bytes are in, else empty.

    Without a mark it is told by the NUL bytes of spaces, line feeds and Latin letters.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    size = len(data) - len(data) % 4
    nuls = data[:size].count(0)
    if not size or nuls < _FEW_NULS * size:
        return ""
    by_place = [data[place:size:4].count(0) for place in range(4)]
    if by_place[3] == size // 4 and by_place[2] > _ONE_SIDE * size / 4:
        return "UTF-32LE"
    if by_place[0] == size // 4 and by_place[1] > _ONE_SIDE * size / 4:
        return "UTF-32BE"
    odd = by_place[1] + by_place[3]
    if odd >= _ONE_SIDE * nuls and _are_wide(data, b"\n\0"):
        return "UTF-16LE"
    return "UTF-16BE" if odd <= (1 - _ONE_SIDE) * nuls and _are_wide(data, b"\0\n") else ""


def _are_wide(data: bytes, feed: bytes) -> bool:
    """Whether most line feeds are as they are in an encoding of two bytes."""
    return data.count(feed) >= data.count(b"\n") / 2


def likely_encodings(lines: Iterable[bytes]) -> list[Guess]:
    """Encodings that lines may be in, the likeliest first; none where nothing fits.

    Those that read the lines alike are one: the most usual of them is named.
    """
    from charset_normalizer import from_bytes

    data, size = list[bytes](), 0
    for line in lines:
        if not line.isascii() and size < _LETTERS:
            data.append(line)
            size += len(line)
    text = b"\n".join(data)
    readings = dict[str, _Reading]()
    for name in _USUAL:
        match = from_bytes(text, cp_isolation=[name], chunk_size=512, threshold=0.3).best()
        if match is not None:
            reading = _reading(name, text, match)
            alike = readings.get(reading.text, reading)
            readings[reading.text] = max(alike, reading, key=_rank)
    whole = [one for one in readings.values() if not _CONTROLS.search(one.text)]
    found = sorted(whole or readings.values(), key=_rank, reverse=True)
    near = [one for one in found if one.score >= found[0].score - _NEAR][:_SHOWN]
    word = _telling_word([one.text for one in near])
    return [
        Guess(_iconv_name(one.name), _word_at(one.text, word), one.language, one.fit)
        for one in near
    ]


def _rank(reading: _Reading) -> float:
    """The score, where nothing else decides a little higher for usual encodings."""
    return reading.score - 0.002 * _USUAL.index(reading.name)


def _reading(name: str, data: bytes, match: "CharsetMatch") -> _Reading:
    text = data.decode(name, "replace")
    letters = Counter(mark for mark in text if not mark.isascii() and mark.isalpha())
    total = max(letters.total(), 1)
    latin = sum(number for mark, number in letters.items() if mark < "\u0250")
    language, fit = str(match.language), 1.0
    if latin > total / 2:
        shares = {
            other: sum(n for mark, n in letters.items() if mark.lower() in known) / total
            for other, known in _ALPHABETS.items()
        }
        best = max(shares, key=lambda other: shares[other])
        language = language if shares.get(language, 0.0) == shares[best] else best
        fit = shares[best]
    capitals = sum(number for mark, number in letters.items() if mark.isupper()) / total
    score = fit + match.coherence - match.chaos - _oddness(text) - max(capitals - 0.5, 0.0)
    known = "" if language == "Unknown" else language
    return _Reading(name, text, known, fit, score)


def _oddness(text: str) -> float:
    """Share of the letters beyond ASCII that stand where no letter does in a word."""
    beyond = sum(not mark.isascii() for mark in text)
    odd = sum(map(len, _ODD_INSIDE.findall(text)))
    for word in _LETTER_RUN.findall(text):
        if not word.isascii():
            odd += sum(a.islower() and b.isupper() for a, b in pairwise(word))
    odd += sum(unicodedata.category(mark) in _NO_TEXT for mark in text if mark > "\x7f")
    return odd / max(beyond, 1)


def _telling_word(texts: list[str]) -> int:
    """Number of a word that readings differ in, the longest of the first."""
    split = [text.split() for text in texts]
    telling = [
        (min(len(words[0]), 16), -number, number)
        for number, words in enumerate(zip(*split, strict=False))
        if not words[0].isascii() and (len(set(words)) == len(set(texts)))
    ]
    if not telling:
        telling = [
            (min(len(word), 16), -number, number)
            for number, word in enumerate(split[0] if split else [])
            if not word.isascii()
        ]
    return max(telling[:20])[2] if telling else 0


def _word_at(text: str, number: int) -> str:
    return (text.split()[number:] or [""])[0][:20]


def _iconv_name(name: str) -> str:
    return _ICONV.get(name) or name.upper().replace("ISO8859_", "ISO-8859-").replace("_", "-")


def conversion(lines: Iterable[bytes], path: str | Path | None = None) -> str:
    """What to do about lines some of which aren't UTF-8. path: the file, if the command names it"""
    whole = [line for line in lines if not line.isascii()]
    odd = [line for line in whole if not is_utf8(line)]
    guesses = likely_encodings(odd)
    if _has_utf8(whole):
        likely = f" (likely {guesses[0]})" if guesses else ""
        return (
            f"Other lines are UTF-8, so don't convert the whole file: correct or drop the odd "
            f"lines{likely}, which `isogloss doctor --report` lists"
        )
    if not guesses:
        return (
            "No usual encoding fits, so this may be no text, or text in several encodings; look at "
            "it with `file -i` and `xxd`"
        )
    names = " or ".join(map(str, guesses))
    named = "" if path is None else f" {shlex.quote(str(path))}"
    remedy = (
        f"The encoding is likely {names}. Convert it with "
        f"`iconv -f {guesses[0].name} -t UTF-8{named}`"
    )
    if len(guesses) > 1:
        remedy += ", or with the other name if that reads the word rightly"
    return remedy


def _has_utf8(lines: Sequence[bytes]) -> bool:
    """Whether some lines, none of them ASCII, are in UTF-8, rather than look so by chance."""
    marks = [sum(mark > "\x7f" for mark in line.decode()) for line in lines if is_utf8(line)]
    many = sum(number >= _NO_CHANCE for number in marks)
    return many > _RARE * len(lines) or len(marks) > _OFTEN * len(lines)


def sampled_conversion(path: str | Path, raw: bytes) -> str:
    """What to do about a file that isn't UTF-8. raw: the line that was seen to be it"""
    sample = sample_of(path)
    data = sample.head if sample is not None else raw
    if name := wide_encoding(data):
        named = shlex.quote(str(path))
        return f"The file is in {name}. Convert it with `iconv -f {name} -t UTF-8 {named}`"
    lines = data.split(b"\n")
    if sample is not None:
        if not sample.is_whole:
            lines.pop()  # it may be cut inside a character
        for part in sample.parts:
            lines += part.split(b"\n")
    return conversion(lines if raw in lines else [raw, *lines], path)


def not_utf8(raw: bytes, error: UnicodeDecodeError, path: str | Path, number: int) -> DataError:
    """The error of a line that isn't UTF-8, with the encoding that it is likely in."""
    return DataError(
        f"byte 0x{raw[error.start]:02x} at column {error.start + 1} is not UTF-8",
        file=path,
        line=number,
        remedy=sampled_conversion(path, raw),
    )


def is_utf8(line: bytes) -> bool:
    """Whether the bytes of a line are UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
