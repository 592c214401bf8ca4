"""Files that hold no sentences, lines with something beside these, and files that are fine."""

import gzip
import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

from isogloss.align.errors import DataError, DataWarning
from isogloss.align.files.text_io import iter_lines
from isogloss.align.text.markup.sgm import begins_test_set
from isogloss.align.text.readers import read_bitext, read_sentences
from isogloss.align.text.recognition.kinds import KINDS, Form
from isogloss.align.text.recognition.recognition import explained, forms_of, forms_of_text
from isogloss.align.text.recognition.sample import TextSample
from tests.unit.align.text.recognition.inputs import (
    DOCUMENTS,
    FINE,
    NOTED,
    OTHER_DOCUMENTS,
    PLAIN,
    READ_AMISS,
    TEXT,
    VALUES,
    each,
    now_and_then,
    numbered,
    replaced,
)


def kinds(text: str) -> list[str]:
    return [form.kind for form in forms_of(TextSample.of_lines(text.splitlines()))]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (kind, text)
        for kind, text in (*DOCUMENTS.items(), *OTHER_DOCUMENTS)
        if not begins_test_set(text.splitlines())  # which is read
    ],
)
def test_documents_are_refused(tmp_path: Path, kind: str, text: str) -> None:
    """With their name and what to do; a compressed file is the same."""
    (tmp_path / "x").write_text(text)
    with gzip.open(tmp_path / "x.gz", "wt") as stream:
        stream.write(text)
    (tmp_path / "plain").write_text(PLAIN)
    for name in ("x", "x.gz"):
        with pytest.raises(DataError) as caught:
            read_bitext(tmp_path / name, tmp_path / "plain")
        assert caught.value.remedy.replace(str(caught.value.file), "FILE") == KINDS[kind].remedy
        assert "expected one sentence per line" in str(caught.value)
    with pytest.raises(DataError, match="expected one sentence per line"):
        read_sentences(tmp_path / "x")


def remedy_for(kind: str, path: Path) -> str:
    """What to do with a file, whose commands name it."""
    return Form(kind).remedy_for(path)


@pytest.mark.parametrize(("kind", "text"), READ_AMISS)
def test_lines_that_mean_something_else_are_told(tmp_path: Path, kind: str, text: str) -> None:
    assert kinds(text)[0] == kind
    assert KINDS[kind].level == "warning"
    for name in ("x", "y"):
        (tmp_path / name).write_text(text)
    with pytest.warns(DataWarning) as caught:
        read_bitext(tmp_path / "x", tmp_path / "y")
    told = [
        str(warning.message)
        for warning in caught
        for name in ("x", "y")
        if remedy_for(kind, tmp_path / name) in str(warning.message)
    ]
    told = list(dict.fromkeys(told))  # a remedy without a command names no file
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
    (tmp_path / "x").write_text(now_and_then("it 's"))
    (tmp_path / "y").write_text(now_and_then(word))
    with pytest.warns(DataWarning, match=r"y: lines contain .*, but none in .*x\. "):
        read_bitext(tmp_path / "x", tmp_path / "y")


@pytest.mark.parametrize(("kind", "text"), VALUES)
def test_values_in_place_of_one_side(tmp_path: Path, kind: str, text: str) -> None:
    """Lines of one word on both sides may be a text."""
    (tmp_path / "x").write_text(text)
    (tmp_path / "y").write_text(PLAIN)
    (tmp_path / "z").write_text("".join(map("{}\t{}\n".format, TEXT, text.split())))
    with pytest.warns(DataWarning, match=rf"x: {KINDS[kind].what} \(.*\)\. {KINDS[kind].remedy}$"):
        read_bitext(tmp_path / "x", tmp_path / "y")
    with pytest.warns(DataWarning, match=rf"z: {KINDS[kind].what}, on the target side"):
        read_bitext(tmp_path / "z")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_bitext(tmp_path / "x", tmp_path / "x")) == 40


@pytest.mark.parametrize("word", ["it &apos;s", "it\\'s"])
def test_a_side_with_nothing_to_escape(tmp_path: Path, word: str) -> None:
    (tmp_path / "x").write_text(PLAIN)
    (tmp_path / "y").write_text(now_and_then(word))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_bitext(tmp_path / "x", tmp_path / "y")) == 40


@pytest.mark.parametrize("line", ["...", "-", "\u2026", "*"])
def test_lines_of_dots(tmp_path: Path, line: str) -> None:
    """They hold the place of sentences only where the other side has these."""
    (tmp_path / "x").write_text(PLAIN)
    (tmp_path / "y").write_text(replaced(line, 8))
    with pytest.warns(DataWarning, match=r"y: lines hold a placeholder.*\(5 of 40 lines looked at"):
        read_bitext(tmp_path / "x", tmp_path / "y")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_bitext(tmp_path / "y", tmp_path / "y")) == 40


@pytest.mark.parametrize("text", FINE)
def test_good_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "x").write_text(text)
    assert forms_of_text(tmp_path / "x") == []


@pytest.mark.parametrize(
    ("content", "seen"),
    [
        (b"PK\x03\x04" + bytes(60), "the file is a Zip archive, such as docx, xlsx, odt or epub;"),
        (b"%PDF-1.4\n", "the file is a PDF;"),
        (b"RIFF\0\0\0\0WAVE", "the file is audio or video;"),
        (
            b"mmap lm http://kheafield.com/code format version 5\n\0",
            "the file is a language model of KenLM;",
        ),
        (bytes(range(16)) * 20, "the file is no text .20 NUL bytes near its beginning.;"),
        (PLAIN.encode("utf-16"), "the file is in UTF-16;.*`iconv -f UTF-16 -t UTF-8 .*x`"),
        (PLAIN.encode("utf-16-be"), "the file is in UTF-16BE;.*`iconv -f UTF-16BE -t UTF-8 .*x`"),
        (PLAIN.encode("utf-32-le"), "the file is in UTF-32LE;.*`iconv -f UTF-32LE -t UTF-8 .*x`"),
        ("東京 は\n".encode("iso-2022-jp"), "the file is in ISO-2022-JP;.*-f ISO-2022-JP -t UTF-8"),
        (
            "집이 언덕\n".encode("iso-2022-kr"),
            "the file is in ISO-2022-KR;.*-f ISO-2022-KR -t UTF-8",
        ),
        ("他们 读 书 。\n".encode("hz") * 9, "the file is in HZ, an encoding of Chinese"),
        ((PLAIN + "où ça ?\n" * 9).encode("utf-7"), "the file is in UTF-7;.*iconv -f UTF-7 -t UTF"),
        (
            PLAIN.replace("\n", "\r").encode(),
            r"the lines end with a carriage return alone, as on old Macs \(40 carriage returns "
            r"and 0 line feeds\);.*tr '.r' '.n' < .*/x`",
        ),
    ],
)
def test_bytes_that_are_no_lines(tmp_path: Path, content: bytes, seen: str) -> None:
    (tmp_path / "x").write_bytes(content)
    (tmp_path / "y").write_text(PLAIN)
    for sides in (("x", "y"), ("y", "x")):
        with pytest.raises(DataError, match=f"x: {seen}"):
            read_bitext(tmp_path / sides[0], tmp_path / sides[1])


@pytest.mark.parametrize("begin", [b"PAR1", b"ARROW1\0\0"])
def test_a_table_where_none_is_read(tmp_path: Path, begin: bytes) -> None:
    """It is read as a text, and named when that fails."""
    path = tmp_path / "table"
    path.write_bytes(begin + b"\x15\x04\x8c\0\0" * 9)
    table = r"the file is a Parquet or Arrow table;.*--columns"
    with pytest.raises(DataError, match=table) as seen:
        read_bitext(path, path)
    assert explained(seen.value) == ""
    with pytest.raises(DataError, match="line 1: byte 0x8c") as seen:
        list(iter_lines(path))
    assert explained(seen.value) == (
        "The file is a Parquet or Arrow table. Export it as plain UTF-8 text"
    )
    assert explained(DataError("the table has the columns en", file=path)) == ""


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
    told = [str(warning.message) for warning in caught]
    remedies = remedy_for(kind, tmp_path / "x"), Form(kind).remedy_for(None)
    assert any(remedy in message for message in told for remedy in remedies)


@pytest.mark.parametrize(
    ("kind", "lines"), [("csv", DOCUMENTS["csv"]), ("html", DOCUMENTS["html"])]
)
def test_one_file_in_no_format(tmp_path: Path, kind: str, lines: str) -> None:
    (tmp_path / "x").write_text(lines)
    with pytest.raises(DataError) as caught:
        read_bitext(tmp_path / "x")
    assert caught.value.remedy.replace(str(caught.value.file), "FILE") == KINDS[kind].remedy


@pytest.mark.parametrize("kind", ["csv", "xml", "html"])
def test_what_a_file_is_stands_in_its_error_once(tmp_path: Path, kind: str) -> None:
    (tmp_path / "x").write_text(DOCUMENTS[kind])
    (tmp_path / "y").write_text(PLAIN)
    with pytest.raises(DataError, match=KINDS[kind].what) as caught:
        read_bitext(tmp_path / "x", tmp_path / "y")
    assert explained(caught.value) == ""


def test_every_kind_says_what_to_do() -> None:
    for kind in KINDS.values():
        assert kind.level in ("error", "warning", "note")
        assert kind.what.startswith(("the ", "lines ", "line 1 "))
        assert not kind.remedy.endswith(".")


BESIDE = (
    "numbered-tab", "numbered", "numbered-mark", "verses", "identifiers", "trn", "sentence-tags",
    "numbered-word", "times",
)  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, text in READ_AMISS if kind in BESIDE]
)
def test_the_command_of_a_remedy_leaves_the_text(kind: str, text: str) -> None:
    command = Form(kind).remedy_for(None).split("`")[1].replace("python", sys.executable, 1)
    out = subprocess.run(
        ["bash", "-c", command], input=text, capture_output=True, text=True, check=True
    )
    assert [line.strip() for line in out.stdout.splitlines()] in (TEXT, ["the house", "a garden"])


@pytest.mark.parametrize(
    ("kind", "word", "meant"),
    [
        ("html-entities", "caf&#233; &amp; bar", "café & bar"),
        ("split-entities", "a & amp ; b & # 233 ; c &", "a & b é c &"),
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
    command = KINDS["sgml"].remedy.split("`")[1].replace(" < FILE", "")
    command = command.replace("python", sys.executable, 1)
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
    (tmp_path / "x").write_text("".join(f"{line} it &apos;s\t{line} '\n" for line in TEXT))
    with pytest.warns(DataWarning, match="x: .*&apos;.*, but only on the source side"):
        read_bitext(tmp_path / "x")


def test_many_files_are_told_of_once(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        (tmp_path / name).write_text(each("TEXT\tTEXT &nbsp; x"))
    with pytest.warns(DataWarning, match="HTML entities") as caught:
        assert len(read_bitext(tmp_path)) == 120
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("source", "target", "told"),
    [
        ("English", "Spanish", True),
        ("en", "es", True),
        ("source", "target", True),
        ("No", "No", False),
        ("the house", "la casa", False),
    ],
)
def test_the_names_of_both_sides(tmp_path: Path, source: str, target: str, told: bool) -> None:
    (tmp_path / "x.en").write_text(f"{source}\n{PLAIN}")
    (tmp_path / "x.es").write_text(f"{target}\n{PLAIN}")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        read_bitext(tmp_path / "x.en", tmp_path / "x.es")
    assert [str(one.message).partition("x.en: ")[2][:18] for one in caught] == (
        ["line 1 is a header"] if told else []
    )


def test_segments_may_be_documents(tmp_path: Path) -> None:
    """What a file of pairs holds is no file of its own."""
    lines = [
        json.dumps({"source": "<html> a", "target": '{"a": 1}'}),
        *(json.dumps({"source": line, "target": json.dumps([line])}) for line in TEXT),
    ]
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(read_bitext(tmp_path / "x.jsonl")) == 41
