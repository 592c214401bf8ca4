"""Pairs in blocks, as they come in."""

import os
import sys
from pathlib import Path

import pytest

import isogloss.align.files.text_io
from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.bitext import Bitext
from isogloss.align.text.pair_collector import PairSettings, bitext_blocks
from isogloss.align.text.readers import read_bitext


def words(bitext: Bitext) -> list[tuple[str, str]]:
    sides = (bitext.source, bitext.target)
    texts = [[" ".join(side.words(n)) for n in range(len(side))] for side in sides]
    return list(zip(*texts, strict=True))


def test_blocks_hold_what_has_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    given, to = os.pipe()
    with os.fdopen(to, "wb", buffering=0) as pipe:
        monkeypatch.setattr(sys, "stdin", os.fdopen(given))
        blocks = bitext_blocks("-", PairSettings(lowercase=True), most=3)
        pipe.write(b"A b\tx\nc")
        assert words(next(blocks)) == [("a b", "x")]
        pipe.write("é\ty\n1\t1\n2\t2\n3\t3\n".encode())
        assert words(next(blocks)) == [("cé", "y"), ("1", "1"), ("2", "2")]
        assert words(next(blocks)) == [("3", "3")]
        pipe.write(b"end\tEnd")
        pipe.close()
        assert [words(block) for block in blocks] == [[("end", "end")]]


@pytest.mark.parametrize("form", ["{} ||| {}", '{{"source": "{}", "target": "{}"}}'])
def test_blocks_are_the_bitext(tmp_path: Path, form: str) -> None:
    lines = [form.format(f"a{k} b", f"x{k}") for k in range(20_000)]
    (tmp_path / "pairs").write_text("\n\n" + "\n".join(lines) + "\n")
    with pytest.warns(DataWarning, match=r"pairs: 2 pairs have an empty side \(first: line 1\)"):
        whole = read_bitext(tmp_path / "pairs")
    with pytest.warns(DataWarning, match=r"pairs: 2 pairs have an empty side \(first: line 1\)"):
        blocks = list(bitext_blocks(tmp_path / "pairs", PairSettings(), most=1000))
    assert words(whole) == [pair for block in blocks for pair in words(block)]
    assert max(map(len, blocks)) == 1000


def test_units_in_blocks(tmp_path: Path) -> None:
    unit = "<tu><tuv xml:lang='en'><seg>a</seg></tuv><tuv xml:lang='es'><seg>b</seg></tuv></tu>"
    (tmp_path / "x").write_text(f"<tmx version='1.4'><body>{unit * 5}</body></tmx>")
    blocks = bitext_blocks(tmp_path / "x", PairSettings(languages=("en", "es")), most=2)
    assert [len(block) for block in blocks] == [2, 2, 1]


def test_pairs_before_a_bad_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x").write_text("a\tb\nc\td\nbad\n")
    blocks = bitext_blocks(tmp_path / "x", PairSettings(), most=9)
    assert words(next(blocks)) == [("a", "b")]
    assert words(next(blocks)) == [("c", "d")]
    with pytest.raises(
        DataError, match="x, line 3: the line has 1 column; expected source and target, sep"
    ):
        next(blocks)
    monkeypatch.setattr(isogloss.align.files.text_io, "LONGEST_LINE", 5)
    (tmp_path / "x").write_text("abc\tdef\na\tb\n")
    with pytest.raises(DataError, match="x, line 1: the line is longer than 5 bytes"):
        list(bitext_blocks(tmp_path / "x", PairSettings(), most=9))
