"""Test sets of WMT, NIST and IWSLT in place of files of lines."""

from pathlib import Path

import pytest

from isogloss.align.errors import DataError
from isogloss.align.text.markup.sgm import sentence_lines
from isogloss.align.text.readers import iter_pairs, read_sentences
from isogloss.tune.references import read_references

SOURCE = """\
<srcset setid="test" srclang="any">
<doc docid="a.1" genre="news" origlang="en">
<hl>
<seg id="1">The cat</seg>
</hl>
<p>
<seg id="2"> a &amp; b &lt;c&gt; &#233; &nbsp; </seg>
</p>
</doc>
<doc docid="a.2"><p><seg id="1">one</seg> <seg id="2">two
 lines</seg></p><seg id="3"/></doc>
</srcset>
"""
TARGET = """\
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mteval SYSTEM "ftp://nowhere/mteval.dtd">
<mteval>
<refset setid='test' srclang='any' trglang='es' refid='ref'>
<DOC sysid="ref" DocID="a.1">
<SEG id=1>El gato</SEG>
<SEG id=2>a y b</SEG>
</DOC>
<DOC sysid="ref" docid='a.2'>
<seg id="1">uno</seg>
<seg id="2">dos</seg>
<seg id="3"></seg>
</DOC>
</refset>
</mteval>
"""
SENTENCES = ["The cat", "a & b <c> é &nbsp;", "one", "two  lines", ""]


def written(folder: Path, source: str = SOURCE, target: str = TARGET) -> tuple[Path, Path]:
    paths = folder / "src.sgm", folder / "ref.sgm"
    for path, text in zip(paths, (source, target), strict=True):
        path.write_text(text, encoding="utf-8")
    return paths


def pairs(source: Path, target: Path) -> list[tuple[int, str, str]]:
    return [(pair.number, pair.source, pair.target) for pair in iter_pairs(source, target)]


def test_both_sides(tmp_path: Path) -> None:
    references = ["El gato", "a y b", "uno", "dos", ""]
    assert pairs(*written(tmp_path)) == [
        (number, *texts) for number, texts in enumerate(zip(SENTENCES, references, strict=True), 1)
    ]


def test_one_side_and_a_translation_in_lines(tmp_path: Path) -> None:
    source, _ = written(tmp_path)
    (tmp_path / "lines").write_text("a\nb\nc\nd\ne\n")
    assert [pair[1:] for pair in pairs(source, tmp_path / "lines")] == list(
        zip(SENTENCES, "abcde", strict=True)
    )


@pytest.mark.filterwarnings("ignore:.*has no words")
def test_sentences_and_references(tmp_path: Path) -> None:
    source, target = written(tmp_path)
    assert read_sentences(source) == [text.split() for text in SENTENCES]
    assert list(read_references(target)) == [["El gato"], ["a y b"], ["uno"], ["dos"], [""]]


@pytest.mark.parametrize("first", ["<seg> a", "<b>a</b>", "srcset", "", "<?x", "< srcset >"])
def test_other_lines_stay_as_they_are(first: str) -> None:
    lines = [first, "a b", "<srcset>", "<seg id='1'>x</seg>"]
    assert list(sentence_lines(iter(lines), "x")) == lines


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"2">dos', '"4">dos', "ref.sgm, line 11: the segment is number 4 of the"
         " document 'a.2'; expected number 2 of 'a.2', as in .*src.sgm, line 11. Pass the source"),
        ("docid='a.2'", "docid='a.3'", "line 10: the segment is number 1 of the document 'a.3'"),
        ("dos</seg>", "dos", r"line 12: the test set is malformed \(a segment begins inside a"),
        ("dos</seg>", "dos</seg></seg>", "line 11: the test set is malformed .a segment ends outs"),
        ('<seg id="3"></seg>', '<seg id="3">', "line 15: .*the last segment has no end"),
        ('<seg id="3"></seg>\n', "", "ref.sgm, line 5: the file has 4 lines, but .*src.sgm has 5"),
    ],
)  # fmt: skip
def test_malformed_sets(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in TARGET
    with pytest.raises(DataError, match=message):
        pairs(*written(tmp_path, target=TARGET.replace(old, new)))


def test_a_set_without_segments(tmp_path: Path) -> None:
    source, _ = written(tmp_path, source="<srcset>\n</srcset>\n")
    with pytest.raises(DataError, match=r"line 2: the test set is malformed \(no segment\); exp"):
        read_sentences(source)
