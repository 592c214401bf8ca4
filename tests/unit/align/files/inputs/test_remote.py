"""Files by their address, read with fsspec."""

import gzip
import sys
import zipfile
from pathlib import Path

import pytest

from isogloss.align import read_bitext
from isogloss.align.errors import DataError, UsageError
from isogloss.align.files.inputs.remote import is_url, remote_state
from isogloss.align.files.text_io import read_lines

WHY = "addresses need fsspec"


@pytest.mark.parametrize(
    ("path", "is_one"),
    [
        ("s3://bucket/a.gz", True), ("zip://a::file:///x.zip", True), ("a/b", False),
        ("C:/x", False), ("-", False), ("://x", False), (Path("s3:/bucket"), False),
    ],
)  # fmt: skip
def test_what_is_an_address(path: str | Path, is_one: bool) -> None:
    assert is_url(path) == is_one


def test_files(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason=WHY)
    (tmp_path / "en.gz").write_bytes(gzip.compress(b"the house\na\n"))
    (tmp_path / "es").write_text("la casa\nuna\n")
    url = tmp_path.as_uri()
    bitext = read_bitext(f"{url}/en.gz", f"{url}/es")
    assert [(pair.source, pair.target) for pair in bitext] == [
        (["the", "house"], ["la", "casa"]), (["a"], ["una"]),
    ]  # fmt: skip
    before = remote_state(f"{url}/es")
    (tmp_path / "es").write_text("la\nuna\n")
    assert remote_state(f"{url}/es") != before


def test_several_files_and_archives(tmp_path: Path) -> None:
    pytest.importorskip("fsspec", reason=WHY)
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("a", "1\n")
        archive.writestr("b", "2\n")
    assert read_lines(f"zip://b::{(tmp_path / 'x.zip').as_uri()}") == ["2"]
    (tmp_path / "d").mkdir()
    for name in "ab":
        (tmp_path / "d" / name).write_text(f"{name}\n")
    url = (tmp_path / "d").as_uri()
    assert read_lines(f"{url}/*") == read_lines(f"{url}/") == ["a", "b"]
    with pytest.raises(DataError, match=r"/x\*: no file is found; expected files of text"):
        read_lines(f"{url}/x*")


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("file:///nosuch/x", "file:///nosuch/x cannot be read: No such file"),
        ("zip://a::file:///nosuch.zip", "cannot be read: No such file"),
    ],
)
def test_files_that_are_not_there(url: str, message: str) -> None:
    pytest.importorskip("fsspec", reason=WHY)
    with pytest.raises(DataError, match=message):
        read_lines(url)


def test_stores_that_nobody_knows() -> None:
    pytest.importorskip("fsspec", reason=WHY)
    with pytest.raises(UsageError, match="nosuch://x cannot be opened: Protocol not known: nosuch"):
        read_lines("nosuch://x")


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec", None)
    with pytest.raises(
        UsageError, match=r"s3://b/x needs fsspec; run pip install isogloss\[remote\]"
    ):
        read_lines("s3://b/x")
