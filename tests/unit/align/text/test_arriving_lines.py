"""Sentences in blocks, as they come in."""

import gzip
import os
import sys
from pathlib import Path

import pytest

import isogloss.align.files.text_io
from isogloss.align.errors import DataError, DataWarning
from isogloss.align.text.readers import sentence_blocks


def test_blocks_hold_what_has_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    given, to = os.pipe()
    with os.fdopen(to, "wb", buffering=0) as pipe:
        monkeypatch.setattr(sys, "stdin", os.fdopen(given))
        blocks = sentence_blocks("-", most=3)
        pipe.write(b"a b\nc")
        assert next(blocks) == [["a", "b"]]
        pipe.write("é\n\n1\n2\n3\n4\n".encode())
        assert [next(blocks), next(blocks)] == [[["cé"], [], ["1"]], [["2"], ["3"], ["4"]]]
        pipe.write(b"end")
        pipe.close()
        assert list(blocks) == [[["end"]]]


def test_blocks_of_a_file(tmp_path: Path) -> None:
    lines = b"\xef\xbb\xbfA b\r\n" + b"c\n" * 100_000
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(lines))
    with pytest.warns(DataWarning, match="removed"):
        blocks = list(sentence_blocks(path, most=7, lowercase=True))
    assert max(map(len, blocks)) == 7
    assert [words for block in blocks for words in block] == [["a", "b"], *[["c"]] * 100_000]
    path.write_bytes(gzip.compress(lines)[:-20])
    with (
        pytest.raises(DataError, match=r"text\.gz, line \d+: the compressed file is truncated"),
        pytest.warns(DataWarning),
    ):
        list(sentence_blocks(path, most=7))


def test_a_block_with_a_line_that_is_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isogloss.align.files.text_io, "LONGEST_LINE", 100_000)
    path = tmp_path / "text"
    path.write_bytes(b"a\n" + b"b" * 200_000 + b"\nc\n")
    blocks = sentence_blocks(path, most=7)
    assert next(blocks) == [["a"]]
    with pytest.raises(DataError, match="text, line 2: the line is longer than 100000 bytes"):
        next(blocks)
