"""Texts in several files: folders and patterns."""

import gzip
import os
from pathlib import Path

import pytest

from isogloss.align import read_bitext
from isogloss.align.errors import DataError, DataWarning
from isogloss.align.files.inputs.opening import FileShare
from isogloss.align.files.inputs.shards import files_of, paired_files
from isogloss.align.files.text_io import iter_lines, read_lines, text_blocks
from isogloss.align.text.readers import read_sentences


def put(folder: Path, **files: str | bytes) -> Path:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name.replace("__", ".")).write_bytes(data)
    return folder


def test_files_come_in_the_order_of_their_names(tmp_path: Path) -> None:
    put(tmp_path / "d", p10="c\n", p2="d\n", p1="b", P3="a\n", _SUCCESS="x\n")
    (tmp_path / "d" / ".hidden").write_text("x\n")
    (tmp_path / "d" / ".folder").mkdir()
    assert read_lines(tmp_path / "d") == ["a", "b", "c", "d"]  # each file ends its last line
    assert [*iter_lines(str(tmp_path / "d" / "p*"))] == ["b", "c", "d"]
    assert read_sentences(tmp_path / "d" / "p[12]") == [["b"], ["d"]]


def test_what_is_no_file_is_not_left_out(tmp_path: Path) -> None:
    put(tmp_path / "d", a="x\n")
    (tmp_path / "d" / "b").symlink_to(tmp_path / "missing")
    found = r"b is {}; expected files only\. Remove it, or choose the files by a pattern$"
    for made, what in (
        (None, "a link to a file that is missing"),
        ("folder", "a folder"),
        ("pipe", "no file that can be read several times"),
    ):
        if made is not None:
            (tmp_path / "d" / "b").unlink()
            other = tmp_path / "d" / "b"
            other.mkdir() if made == "folder" else os.mkfifo(other)
        for path in (tmp_path / "d", tmp_path / "d" / "*"):
            with pytest.raises(DataError, match=found.format(what)):
                files_of(path)
        if made == "folder":
            (tmp_path / "d" / "b").rmdir()
            (tmp_path / "d" / "b").touch()


def test_a_name_with_a_mark_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a*").write_text("x\n")
    (tmp_path / "ab").write_text("y\n")
    assert read_lines(tmp_path / "a*") == ["x"]


def test_a_pattern_may_mix_compressed_and_plain(tmp_path: Path) -> None:
    put(tmp_path, a=gzip.compress(b"x\n"), b="y\n")
    assert read_lines(tmp_path / "*") == ["x", "y"]


def test_sides_belong_together_in_order(tmp_path: Path) -> None:
    put(tmp_path / "s", a="the house\n", b="a\n\n")
    put(tmp_path / "t", c="la casa\n", d="una\nx\n")
    with pytest.warns(DataWarning, match=r"\(first: line 2 of .*/s/b\)"):
        bitext = read_bitext(tmp_path / "s", tmp_path / "t")
    assert bitext[1].target == ["una"]
    assert len(bitext) == 3


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ({"a": "x\n"}, {"a": "y\n", "b": "z\n"},
         r"t: this side is 2 files, but .*/s is 1 file; expected as many files on both sides"),
        ({"a": "x\n", "b": "x\n"}, {"a": "x\n", "b": "x\ny\n"},
         r"t/b, line 2: the file has 2 lines"),
        ({"a": "x\n", "b": "x\nx ||| x\n"}, {"a": "x\n", "b": "x\ny\n"},
         r"s/b, line 2: the text contains \|\|\|"),
        ({"a": "x\n", "b": b"x\n\xff\n"}, {"a": "x\n", "b": "x\ny\n"}, r"s/b, line 2: byte 0xff"),
    ],
)  # fmt: skip
def test_messages_name_the_file(
    tmp_path: Path, source: dict[str, str], target: dict[str, str], message: str
) -> None:
    put(tmp_path / "s", **source)
    put(tmp_path / "t", **target)
    with pytest.raises(DataError, match=message):
        read_bitext(tmp_path / "s", tmp_path / "t")


def test_files_of_pairs(tmp_path: Path) -> None:
    put(tmp_path / "d", a="a\tx\tlaw\n", b="b\ty\t-\n", c="c\tz\tlaw\n")
    bitext = read_bitext(tmp_path / "d", labels="column")
    assert [pair.target for pair in bitext] == [["x"], ["y"], ["z"]]
    assert bitext.label_ids.tolist() == [0, -1, 0]
    put(tmp_path / "d", c="c\n")
    with pytest.raises(DataError, match=r"d/c, line 1: the format is unknown"):
        read_bitext(tmp_path / "d", labels="column")


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, r"d: the folder has no files; expected files of text"),
        ({"a__en": "x", "a__es": "x"},
         r"d: the folder has files of several kinds, such as a\.en and a\.es; expected parts of "
         r"one text. Choose some of them by a pattern, such as '.*/d/\*\.en'"),
        ({"a__en__gz": "x", "a__es__gz": "x"}, "such as a.en.gz and a.es.gz"),
    ],
)  # fmt: skip
def test_folders_that_are_no_text(tmp_path: Path, files: dict[str, str], message: str) -> None:
    folder = put(tmp_path / "d", **files)
    with pytest.raises(DataError, match=message):
        read_lines(folder)
    with pytest.raises(DataError, match=message):
        read_bitext(folder)


def test_a_pattern_without_files(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"x\*: no file matches the pattern"):
        files_of(tmp_path / "x*")
    assert files_of("nosuch") == ["nosuch"]
    assert paired_files("a", "b") == [("a", "b")]


def test_the_share_is_of_all_files(tmp_path: Path) -> None:
    folder = put(tmp_path / "d", a="x\n" * 10, b="y\n" * 10)
    share, shares = FileShare(), []
    for _ in text_blocks(folder, longest=100, share=share):
        shares.append(share.read)
    assert shares == [0.5, 1.0]
