"""Files that hold no sentences, lines with something beside these, and files that are fine."""

import gzip
import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.readers import read_bitext, read_sentences
from isogloss.align.text.recognition.kinds import KINDS
from isogloss.align.text.recognition.recognition import forms_of, forms_of_text
from isogloss.align.text.recognition.sample import TextSample

WORDS = [
    "the",
    "old",
    "house",
    "sees",
    "a",
    "small",
    "dog",
    ",",
    "but",
    "the",
    "red",
    "garden",
    "likes",
    "rivers",
    ".",
]
TEXT = [" ".join(WORDS[k % 5 : 6 + k % 8]) for k in range(40)]
PLAIN = "\n".join(TEXT) + "\n"


def numbered(form: str, first: int = 0) -> str:
    """The text with a number before each line."""
    return "".join(form.format(k) + line + "\n" for k, line in enumerate(TEXT, start=first))


def each(form: str) -> str:
    """The text with something around each line; * is a number."""
    numbers = count(1)
    return "".join(
        form.replace("*", str(next(numbers))).replace("TEXT", line) + "\n" for line in TEXT
    )


def now_and_then(word: str) -> str:
    """The text with a word in every fifth line."""
    return "".join(f"{line} {word}\n" if k % 5 == 0 else f"{line}\n" for k, line in enumerate(TEXT))


def replaced(line: str, step: int) -> str:
    """The text with a line in place of every few."""
    return "".join(f"{line}\n" if k % step == 0 else f"{old}\n" for k, old in enumerate(TEXT))


def pieces(mark: Callable[[str], str]) -> str:
    return "".join(" ".join(map(mark, line.split())) + "\n" for line in TEXT)


DOCUMENTS = {
    "tmx": f'<?xml version="1.0"?>\n<tmx version="1.4"><body>\n{PLAIN}</body></tmx>\n',
    "xliff": f'<?xml version="1.0"?>\n<xliff version="1.2"><file>\n{PLAIN}</file></xliff>\n',
    "sgml": '<refset setid="s">\n<doc>\n' + each('<seg id="*">TEXT</seg>'),
    "html": "<!DOCTYPE html>\n<html><body>\n" + each("<p>TEXT</p>"),
    "usx": "<?xml version='1.0'?>\n<usx version='3.0'>\n" + each('<para style="p">TEXT</para>'),
    "xml": "<?xml version='1.0'?>\n<corpus>\n" + each("<s>TEXT</s>"),
    "subtitles": each("*\n00:00:01,000 --> 00:00:02,000\nTEXT\n"),
    "usfm": "\\id GEN\n\\c 1\n\\p\n" + each("\\v * TEXT"),
    "po": 'msgid ""\nmsgstr ""\n\n' + each('msgid "TEXT"\nmsgstr "TEXT"\n'),
    "rtf": "{\\rtf1\\ansi\n" + PLAIN,
    "latex": "\\documentclass{article}\n\\begin{document}\n" + PLAIN,
    "json": each('{"text": "TEXT"}'),
    "conll": each("1\tTEXT\tx\tNOUN\n2\tdog\tdog\tNOUN\n3\tsees\tsee\tVERB\n"),
    "arpa": "\\data\\\nngram 1=3\n\n\\1-grams:\n-1 <s>\n",
    "csv": each('"TEXT","TEXT"'),
    "links": "".join(f"0-0 1-1 {k}-{k}\n" for k in range(2, 42)),
    "gold-links": "".join(f"{k:04} 1 {k} S\n" for k in range(1, 41)),
    "bars": each("TEXT ||| TEXT"),
}
OTHER_DOCUMENTS = [
    ("sgml", each("<seg id=*> TEXT </seg>")),
    ("subtitles", "WEBVTT\n\n" + each("00:01.000 --> 00:02.000\nTEXT\n")),
    ("subtitles", each("[00:*.00]TEXT").replace("[00:", "[00:1", 9)),
    ("subtitles", each("{*}{99}TEXT")),
    ("json", each("['TEXT', 'TEXT']")),
    ("json", '[\n  {"source": "a", "target": "b"},\n  {"source": "c", "target": "d"}\n]\n'),
    ("csv", "source,target\n" + each("TEXT,TEXT")),
    ("csv", each('*;"TEXT";"TEXT, TEXT"')),
    ("bars", each("* ||| TEXT ||| F= 1 ||| 1")),
]
READ_AMISS = [
    ("numbered-tab", numbered("{}\t")),
    ("numbered-tab", numbered("{:04}\t", 1)),
    ("numbered-tab", "0\tthe house\n1\ta garden\n"),
    ("numbered", numbered("{}. ")),
    ("numbered", numbered("{}) ", 1)),
    ("numbered", numbered("[{}] ", 1)),
    ("numbered", numbered("{} ", 1)),
    ("numbered", numbered("{}: ", 1)),
    ("numbered-mark", numbered("{}:", 1)),
    ("numbered-tab", "".join(f"{k * k % 97}\t{line}\n" for k, line in enumerate(TEXT, start=8))),
    ("verses", numbered("GEN 1:{} ", 1)),
    ("verses", numbered("1 Samuel 1:{} ", 1)),
    ("verses", numbered("[1:{}] ", 1)),
    ("verses", numbered("Genesis 1:{}\t", 1)),
    ("verses", numbered("1Kgs.2.{} ", 1)),
    ("verses", numbered("GEN_1_{}\t", 1)),
    ("verses", numbered("400010{:02}\t", 1)),
    ("identifiers", numbered("utt-{:03} ")),
    ("identifiers", numbered("b.GEN.1.{}\t")),
    ("identifiers", numbered("key{}: ")),
    ("identifiers", numbered("1089-134686-{:04} ")),
    ("trn", each("TEXT (utt-*)")),
    ("columns", each("TEXT\tTEXT")),
    ("quoted", each('"TEXT"')),
    ("header", "source\ttarget\n" + each("TEXT\tTEXT")),
    ("sentence-tags", each("<s snum=*> TEXT </s>")),
    ("markup", PLAIN + each("TEXT <b>TEXT</b>")),
    ("markup", replaced('<SPEAKER ID="1" NAME="x">', 8)),
    ("properties", each("app.title.n* = TEXT")),
    ("trees", each("(ROOT (S (NP (DT the) (NN n*)) (VP (VBZ is))))")),
    ("vref", each("GEN 1:*")),
    ("html-entities", now_and_then("&nbsp;")),
    ("html-entities", now_and_then("caf&#233; ")),
    ("html-entities", now_and_then("&amp;quot; x")),
    ("markup", now_and_then("<br> x")),
    ("html-entities", now_and_then("& quot ; x & quot ;")),
    ("unicode-escapes", now_and_then("caf\\u00e9")),
    ("unicode-escapes", now_and_then("caf\\xc3\\xa9")),
    ("percent-escapes", now_and_then("a%20house")),
    ("percent-escapes", now_and_then("caf%C3%A9")),
    ("quoted-printable", now_and_then("caf=C3=A9")),
    ("mojibake", now_and_then("café".encode().decode("cp1252"))),
    ("mojibake", now_and_then("кот".encode().decode("latin-1"))),
    ("wrong-conversion", now_and_then("東京".encode("shift_jis").decode("latin-1"))),
    ("placeholders", replaced("[no text]", 8)),
    ("placeholders", replaced("BLANK", 8)),
    ("placeholders", replaced("#N/A", 8)),
    ("verse-ranges", replaced("<range>", 20)),
]
NOTED = [
    ("moses-entities", now_and_then("it &apos;s")),
    ("moses-entities", now_and_then("&#91; a &#93;")),
    ("backslashes", now_and_then("it\\'s")),
    ("backslashes", now_and_then("one\\ntwo")),
    ("sentencepiece", pieces(lambda word: f"\u2581{word[:2]} {word[2:]}")),
    ("bpe", pieces(lambda word: f"{word[:2]}@@ {word[2:]}" if word[2:] else word)),
    ("wordpiece", pieces(lambda word: f"{word[:2]} ##{word[2:]}" if word[2:] else word)),
    ("byte-pieces", pieces(lambda word: f"\u0120{word}")),
    ("joiners", pieces(lambda word: f"{word[:2]} \uffed{word[2:]}" if word[2:] else word)),
    ("end-pieces", pieces(lambda word: f"{word[:1]} {word[1:]}</w>" if word[1:] else word)),
    ("sentencepiece", pieces(lambda word: f"_{word}")),
    ("factors", pieces(lambda word: f"{word}|NN|{word}")),
    ("factors", pieces(lambda word: f"{word}_NN")),
]
FINE = [
    PLAIN,
    "",
    "\n\n\n",
    "the house\na garden\n",
    now_and_then("https://example.org/a%20b"),
    now_and_then("AT&T ; R&D ;"),
    now_and_then("1 % , 20 %"),
    now_and_then('" he said , " and left'),
    now_and_then("< 3"),
    now_and_then("<unk>"),
    "".join(f"{k * 37 % 50} {line}\n" for k, line in enumerate(TEXT)),  # numbers in no order
    "".join(f"{line} ( {k} )\n" for k, line in enumerate(TEXT)),
    "\u4ed6\u4eec \u8d4b\u6709 \u7406\u6027\n" * 20,
    replaced("...", 30),
]


def kinds(text: str) -> list[str]:
    return [form.kind for form in forms_of(TextSample.of_lines(text.splitlines()))]


@pytest.mark.parametrize(("kind", "text"), [*DOCUMENTS.items(), *OTHER_DOCUMENTS])
def test_documents_are_refused(tmp_path: Path, kind: str, text: str) -> None:
    """With their name and what to do; a compressed file is the same."""
    (tmp_path / "x").write_text(text)
    with gzip.open(tmp_path / "x.gz", "wt") as stream:
        stream.write(text)
    (tmp_path / "plain").write_text(PLAIN)
    for name in ("x", "x.gz"):
        with pytest.raises(DataError) as caught:
            read_bitext(tmp_path / name, tmp_path / "plain")
        assert caught.value.remedy == KINDS[kind].remedy
        assert "expected one sentence per line" in str(caught.value)
    with pytest.raises(DataError, match="expected one sentence per line"):
        read_sentences(tmp_path / "x")


@pytest.mark.parametrize(("kind", "text"), READ_AMISS)
def test_lines_that_mean_something_else_are_told(tmp_path: Path, kind: str, text: str) -> None:
    assert kinds(text)[0] == kind
    assert KINDS[kind].level == "warning"
    for name in ("x", "y"):
        (tmp_path / name).write_text(text)
    with pytest.warns(DataWarning) as caught:
        read_bitext(tmp_path / "x", tmp_path / "y")
    told = [
        str(warning.message) for warning in caught if KINDS[kind].remedy in str(warning.message)
    ]
    assert [message.partition(":")[0].partition(",")[0] for message in told] == [
        str(tmp_path / "x"), str(tmp_path / "y")
    ]  # fmt: skip


@pytest.mark.parametrize(("kind", "text"), NOTED)
def test_what_does_no_harm_on_both_sides(tmp_path: Path, kind: str, text: str) -> None:
    """Nothing is said of it before training."""
    assert kinds(text) == [kind]
    for name in ("x", "y"):
        (tmp_path / name).write_text(text)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_bitext(tmp_path / "x", tmp_path / "y")) == 40


@pytest.mark.parametrize("word", ["it &apos;s", "it\\'s"])
def test_escapes_on_one_side(tmp_path: Path, word: str) -> None:
    (tmp_path / "x").write_text(PLAIN)
    (tmp_path / "y").write_text(now_and_then(word))
    with pytest.warns(DataWarning, match=r"y: lines contain .*, but none in .*x\. "):
        read_bitext(tmp_path / "x", tmp_path / "y")


@pytest.mark.parametrize("text", FINE)
def test_good_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    assert forms_of_text(tmp_path / "x") == []


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b"PK\x03\x04" + bytes(60), "the file is a Zip archive, such as docx, xlsx, odt or epub;"),
        (b"%PDF-1.4\n", "the file is a PDF;"),
        (
            b"mmap lm http://kheafield.com/code format version 5\n\0",
            "the file is a language model of KenLM;",
        ),
        (bytes(range(16)) * 20, "the file is no text .20 NUL bytes near its beginning.;"),
        (PLAIN.encode("utf-16"), "the file is in UTF-16;.*`iconv -f UTF-16 -t UTF-8`"),
        (PLAIN.encode("utf-16-be"), "the file is in UTF-16BE;.*`iconv -f UTF-16BE -t UTF-8`"),
        (PLAIN.encode("utf-32-le"), "the file is in UTF-32LE;.*`iconv -f UTF-32LE -t UTF-8`"),
        (
            "東京 は\n".encode("iso-2022-jp"),
            "the file is in an encoding with .*, such as ISO-2022-JP;",
        ),
        (
            PLAIN.replace("\n", "\r").encode(),
            r"the lines end with a carriage return alone, as on old Macs \(40 carriage returns "
            r"and 0 line feeds\);.*tr '.r' '.n' < FILE",
        ),
    ],
)
def test_bytes_that_are_no_lines(tmp_path: Path, content: bytes, seen: str) -> None:
    (tmp_path / "x").write_bytes(content)
    (tmp_path / "y").write_text(PLAIN)
    for sides in (("x", "y"), ("y", "x")):
        with pytest.raises(DataError, match=f"x: {seen}"):
            read_bitext(tmp_path / sides[0], tmp_path / sides[1])


def test_a_form_that_begins_further_on(tmp_path: Path) -> None:
    """Some lines of the rest are looked at, too, the same in every run."""
    path = tmp_path / "x"
    path.write_text(100 * PLAIN + 300 * now_and_then("caf\\u00e9"))
    assert [form.kind for form in forms_of_text(path)] == ["unicode-escapes"]
    assert forms_of_text(path) == forms_of_text(path)


@pytest.mark.parametrize("suffix", [b"\r", b"a\rb\rc"])
def test_some_carriage_returns_are_no_line_ends(tmp_path: Path, suffix: bytes) -> None:
    (tmp_path / "x").write_bytes(PLAIN.encode() + suffix + b"\n")
    assert forms_of_text(tmp_path / "x") == []


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        (each("TEXT\tTEXT caf\\u00e9"), "unicode-escapes"),
        (numbered("{}\t").replace("\n", "\tx\n"), "numbered-tab"),
        ("en\tfr\n" + each("TEXT\tTEXT"), "header"),
        (each('"TEXT"\t"TEXT"'), "quoted"),
        (each("TEXT ||| TEXT &nbsp; x"), "html-entities"),
    ],
)
def test_files_of_pairs(tmp_path: Path, lines: str, kind: str) -> None:
    (tmp_path / "x").write_text(lines)
    with pytest.warns(DataWarning) as caught:
        read_bitext(tmp_path / "x")
    assert any(KINDS[kind].remedy in str(warning.message) for warning in caught)


@pytest.mark.parametrize(
    ("kind", "lines"), [("csv", DOCUMENTS["csv"]), ("html", DOCUMENTS["html"])]
)
def test_one_file_in_no_format(tmp_path: Path, kind: str, lines: str) -> None:
    (tmp_path / "x").write_text(lines)
    with pytest.raises(DataError) as caught:
        read_bitext(tmp_path / "x")
    assert caught.value.remedy == KINDS[kind].remedy


def test_every_kind_says_what_to_do() -> None:
    for kind in KINDS.values():
        assert kind.level in ("error", "warning", "note")
        assert kind.what.startswith(("the ", "lines ", "line 1 "))
        assert not kind.remedy.endswith(".")


BESIDE = (
    "numbered-tab", "numbered", "numbered-mark", "verses", "identifiers", "trn", "sentence-tags",
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, text in READ_AMISS if kind in BESIDE]
)
def test_the_command_of_a_remedy_leaves_the_text(kind: str, text: str) -> None:
    command = KINDS[kind].remedy.split("`")[1]
    out = subprocess.run(
        ["bash", "-c", command], input=text, capture_output=True, text=True, check=True
    )
    assert [line.strip() for line in out.stdout.splitlines()] in (TEXT, ["the house", "a garden"])


@pytest.mark.parametrize(
    ("kind", "word", "meant"),
    [
        ("html-entities", "caf&#233; &amp; bar", "café & bar"),
        ("percent-escapes", "caf%C3%A9", "café"),
        ("quoted-printable", "caf=C3=A9", "café"),
    ],
)
def test_the_command_that_undoes_an_escape(
    tmp_path: Path, kind: str, word: str, meant: str
) -> None:
    (tmp_path / "FILE").write_text(f"{word} x\n")
    command = KINDS[kind].remedy.partition(": ")[2].replace("python", sys.executable, 1)
    out = subprocess.run(
        ["bash", "-c", command], input=f"{word} x\n", cwd=tmp_path, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert out.stdout == f"{meant} x\n"


def test_the_command_for_sgml() -> None:
    text = DOCUMENTS["sgml"] + each("<seg id=*> TEXT </seg>")
    command = KINDS["sgml"].remedy.split("`")[1].replace(" FILE", "")
    out = subprocess.run(
        ["bash", "-c", command], input=text, capture_output=True, text=True, check=True
    )
    assert out.stdout.splitlines() == TEXT + TEXT


def test_pairs_of_any_format(tmp_path: Path) -> None:
    """Sides of JSON Lines and TMX are looked at as they are read."""
    lines = [
        json.dumps({"source": line, "target": f"{line} caf\\u00e9" if k % 3 else line})
        for k, line in enumerate(TEXT)
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    units = "".join(
        f"<tu><tuv lang='en'><seg>{k}. {line}</seg></tuv><tuv lang='fr'><seg>{k}. {line}</seg>"
        "</tuv></tu>"
        for k, line in enumerate(TEXT)
    )
    (tmp_path / "x.tmx").write_text(f"<tmx><body>{units}</body></tmx>")
    with pytest.warns(DataWarning) as caught:
        assert len(read_bitext(tmp_path / "x.jsonl")) == 40
        assert len(read_bitext(tmp_path / "x.tmx", languages=("en", "fr"))) == 40
    told = [str(warning.message).partition(": ")[2] for warning in caught]
    assert told[0].startswith("lines contain characters written as \\u00e9 or \\xe9, on the target")
    assert told[1].startswith("the lines are numbered, and the number is read as a word, on both ")
    assert len(told) == 2


def test_escapes_on_one_side_of_pairs(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("".join(f"{line} it &apos;s\t{line}\n" for line in TEXT))
    with pytest.warns(DataWarning, match="x: .*&apos;.*, but only on the source side"):
        read_bitext(tmp_path / "x")


def test_many_files_are_told_of_once(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(each("TEXT\tTEXT &nbsp; x"))
    with pytest.warns(DataWarning, match="HTML entities") as caught:
        assert len(read_bitext(tmp_path)) == 120
    assert len(caught) == 1
