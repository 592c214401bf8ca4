"""Encodings named by what they make of a text."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.align.files.encodings import (
    conversion,
    likely_encodings,
    sampled_conversion,
    wide_encoding,
)
from isogloss.align.files.text_io import read_lines

CZECH = (
    "příliš žluťoučký kůň úpěl ďábelské ódy\nvšichni lidé rodí se svobodní a sobě rovní\n"
    "každý má právo na život , svobodu a osobní bezpečnost\n"
)
FRENCH = (
    "tous les êtres humains naissent libres et égaux en dignité\n"
    "ils sont doués de raison et de conscience\nla cour a jugé que l' été était très chaud\n"
)
POLISH = (
    "wszyscy ludzie rodzą się wolni i równi\nsą oni obdarzeni rozumem i sumieniem\n"
    "powinni postępować wobec innych w duchu braterstwa\nżaden człowiek nie może być niewolnikiem\n"
)
RUSSIAN = (
    "все люди рождаются свободными и равными в своем достоинстве\n"
    "они наделены разумом и совестью и должны поступать в духе братства\n"
)
TURKISH = (
    "bütün insanlar hür , haysiyet ve haklar bakımından eşit doğarlar\n"
    "akıl ve vicdana sahiptirler ve birbirlerine karşı kardeşlik zihniyeti ile\n"
)
GREEK = "όλοι οι άνθρωποι γεννιούνται ελεύθεροι και ίσοι στην αξιοπρέπεια\n"
JAPANESE = "すべて の 人間 は 生まれながら に して 自由 で ある\n国境 の 長い トンネル を 抜ける\n"
CHINESE = "人人 生而自由 ， 在 尊严 和 权利 上 一律平等 。\n他们 赋有 理性 和 良心\n"
TRADITIONAL = "人人 生而自由 ， 在 尊嚴 和 權利 上 一律平等 。\n他們 賦有 理性 和 良心\n"
KOREAN = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다\n"
ENCODED = [
    (CZECH, "iso8859_2", "ISO-8859-2"), (CZECH, "cp1250", "CP1250"), (CZECH, "cp852", "CP852"),
    (POLISH, "iso8859_2", "ISO-8859-2"), (POLISH, "cp1250", "CP1250"),
    (FRENCH, "latin_1", "CP1252"), (FRENCH, "mac_roman", "MACINTOSH"), (FRENCH, "cp850", "CP850"),
    (RUSSIAN, "cp1251", "CP1251"), (RUSSIAN, "koi8_r", "KOI8-R"), (RUSSIAN, "cp866", "CP866"),
    (RUSSIAN, "iso8859_5", "ISO-8859-5"), (TURKISH, "iso8859_9", "CP1254"),
    (GREEK, "iso8859_7", "CP1253"), (JAPANESE, "shift_jis", "CP932"),
    (JAPANESE, "euc_jp", "EUC-JP"), (CHINESE, "gb18030", "GB18030"), (TRADITIONAL, "big5", "BIG5"),
    (KOREAN, "euc_kr", "CP949"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "encoding", "name"), ENCODED)
def test_legacy_encodings(text: str, encoding: str, name: str) -> None:
    """The likeliest one reads the text as it was written."""
    first, *_ = likely_encodings(text.encode(encoding).split(b"\n"))
    assert first.name == name
    assert first.word in text.split()


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [CZECH, FRENCH, RUSSIAN, JAPANESE, KOREAN])
def test_wide_encodings(text: str, encoding: str) -> None:
    name = encoding.upper().replace("-LE", "LE").replace("-BE", "BE")
    assert wide_encoding((20 * text).encode(encoding)) == name
    assert wide_encoding(("\ufeff" + text).encode(encoding)) == name[:6]
    assert wide_encoding((20 * text).encode()) == ""


def test_a_few_nuls_are_no_wide_encoding() -> None:
    assert wide_encoding(b"the house\0 is\n" * 40) == ""
    assert wide_encoding(b"") == ""


def test_a_word_that_the_readings_differ_in() -> None:
    """It shows which one is right, though other words are alike in both."""
    text = ("žluťoučký kůň é á í ý ž š ť\n" * 10).encode("cp1250")
    guesses = likely_encodings(text.split(b"\n"))
    assert guesses[0].word == "žluťoučký"
    assert len({guess.word for guess in guesses}) == len(guesses)


def test_a_few_lines_among_utf8() -> None:
    """No conversion of the whole file, which would spoil the other lines."""
    lines = [line.encode() for line in CZECH.splitlines()]
    remedy = conversion([*lines, "rodí se".encode("cp1250")])
    assert remedy.startswith("Other lines are UTF-8, so don't convert the whole file: correct or")
    assert "(likely CP1252 (reads 'rodí', " in remedy
    assert "iconv" not in remedy


@pytest.mark.parametrize(("good", "bad"), [(8, 8), (2, 14), (14, 2), (1, 60)])
@pytest.mark.parametrize("text", ["ils sont allés à l'été", "все люди"])
def test_as_many_lines_in_utf8(good: int, bad: int, text: str) -> None:
    """Even few lines of UTF-8 would be spoiled by a conversion of all."""
    encoding = "latin_1" if text.isascii() or "é" in text else "cp1251"
    lines = [text.encode()] * good + [text.encode(encoding)] * bad
    assert conversion(lines).startswith("Other lines are UTF-8, so don't convert the whole file")


def test_one_accent_per_line() -> None:
    lines = ["allés".encode()] * 8 + ["allés".encode("latin_1")] * 8
    assert "iconv" not in conversion(lines)


@pytest.mark.parametrize(("text", "encoding", "name"), ENCODED)
def test_words_that_look_like_utf8_by_chance(text: str, encoding: str, name: str) -> None:
    """A list of words in a legacy encoding is converted, though some may be UTF-8, too."""
    words = [word.encode(encoding) for word in text.split()]
    remedy = conversion(words)
    assert "Convert it with `iconv -f " in remedy
    assert f"{name} (reads" in remedy


def test_what_is_no_text() -> None:
    assert conversion([bytes(range(128, 256)), b"\xff\xfe\x81\x8d\x8f"]).startswith("No usual")


@pytest.mark.parametrize(
    ("encoding", "name"), [("utf-16", "UTF-16"), ("utf-32", "UTF-32"), ("cp1250", "CP1250")]
)
def test_the_error_of_a_reader(tmp_path: Path, encoding: str, name: str) -> None:
    """It names the conversion, which gives the text that was meant."""
    path = tmp_path / "text.cs"
    path.write_bytes(CZECH.encode(encoding))
    with pytest.raises(DataError, match=rf"text\.cs, line 1: byte .* with `iconv -f {name} -t"):
        read_lines(path)
    assert path.read_bytes().decode(name) == CZECH


def test_the_begin_of_a_long_file_is_enough(tmp_path: Path) -> None:
    """The bytes that are looked at may end inside a character, and the line be further on."""
    path = tmp_path / "text.ja"
    path.write_bytes((JAPANESE * 2000).encode("shift_jis"))
    assert "CP932" in sampled_conversion(path, JAPANESE.splitlines()[1].encode("shift_jis"))
