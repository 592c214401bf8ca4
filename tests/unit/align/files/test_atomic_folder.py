"""Folders appear complete or not at all."""

import errno
from pathlib import Path

import pytest

from isogloss.align.errors import OutputError
from isogloss.align.files.parts import part_name
from isogloss.align.files.writers import atomic_folder

FULL = r"cannot be written: No space left on device\. Free disk space, or write to another disk"


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "model"
    with atomic_folder(folder) as part:
        assert list(part.iterdir()) == []
        (part / "x").write_text("1")
        assert not folder.exists()
    assert (folder / "x").read_text() == "1"
    with atomic_folder(folder) as part:
        (part / "y").write_text("2")
        assert (folder / "x").exists()
    assert [path.name for path in folder.iterdir()] == ["y"]
    assert list(folder.parent.iterdir()) == [folder]


def test_what_a_killed_run_left_is_taken_away(tmp_path: Path) -> None:
    rest = tmp_path / part_name("model", "0123abcd")
    rest.mkdir()
    (rest / "half").write_text("")
    with atomic_folder(tmp_path / "model") as part:
        assert list(part.iterdir()) == []
    assert list((tmp_path / "model").iterdir()) == []


def test_a_linked_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with atomic_folder(tmp_path / "link") as part:
        (part / "x").write_text("1")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "x").read_text() == "1"


@pytest.mark.parametrize("there_before", [False, True])
def test_an_older_folder_survives_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there_before: bool
) -> None:
    folder = tmp_path / "model"
    if there_before:
        folder.mkdir()
        (folder / "old").write_text("1")

    def check() -> None:
        assert ([folder] if there_before else []) == list(tmp_path.iterdir())
        if there_before:
            assert [path.name for path in folder.iterdir()] == ["old"]

    with pytest.raises(OutputError, match=rf"{folder}/new {FULL}"), atomic_folder(folder) as part:
        raise OutputError(part / "new", OSError(errno.ENOSPC, "No space left on device"))
    check()
    with pytest.raises(RuntimeError, match="half way"), atomic_folder(folder) as part:
        (part / "new").write_text("1")
        raise RuntimeError("half way")
    check()
    rename = Path.rename

    def full(self: Path, target: Path) -> Path:
        if self.suffix == ".part":
            raise OSError(errno.ENOSPC, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", full)
    monkeypatch.setattr("isogloss.align.files.exchange._exchange", lambda one, other: False)
    with pytest.raises(OutputError, match=rf"{folder} {FULL}"), atomic_folder(folder) as part:
        (part / "new").write_text("1")
    check()
