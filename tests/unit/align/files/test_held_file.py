"""A file that is held can be read whatever becomes of its name."""

import os
from pathlib import Path

import pytest

from isogloss.align.files.held_file import HeldFile


def test_a_file_that_is_moved_replaced_and_removed(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("1")
    held = HeldFile(path)
    assert held.readable == path
    path.rename(tmp_path / "y")
    assert (held.path, held.readable.read_text()) == (path, "1")
    path.write_text("2")
    (tmp_path / "y").unlink()
    assert held.readable.read_text() == "1"
    assert held.readable.read_text() == "1"  # from its beginning


def test_it_is_closed_when_nobody_keeps_it(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("1")
    before = os.listdir("/dev/fd")  # noqa: PTH208 - entries may be gone by then
    for _ in range(9):
        HeldFile(tmp_path / "x")
    assert len(before) == len(os.listdir("/dev/fd"))  # noqa: PTH208


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        HeldFile(tmp_path / "x")
