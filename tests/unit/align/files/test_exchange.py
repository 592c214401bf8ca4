"""One folder takes the place of another."""

import os
from pathlib import Path

import pytest

from isogloss.align.files import exchange
from isogloss.align.files.exchange import bring_back, put_in_place
from isogloss.align.files.parts import part_name

PART = part_name("m", "01234567")
OLD = PART.replace(".part", ".old")


def make(folder: Path, content: str) -> Path:
    folder.mkdir()
    (folder / content).write_text("")
    return folder


def listed(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@pytest.fixture(params=[True, False], ids=["at once", "in two steps"])
def new(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A part, on a system that can exchange names, or can't."""
    if not request.param:
        monkeypatch.setattr(exchange, "_exchange", lambda one, other: False)
    return make(tmp_path / PART, "new")


def test_a_new_name(tmp_path: Path, new: Path) -> None:
    put_in_place(new, tmp_path / "m")
    assert (["m"], ["new"]) == (listed(tmp_path), listed(tmp_path / "m"))


def test_the_older_folder_becomes_the_part(tmp_path: Path, new: Path) -> None:
    folder = make(tmp_path / "m", "old")
    put_in_place(new, folder)
    assert sorted(listed(tmp_path)) == [PART, "m"]
    assert (["new"], ["old"]) == (listed(folder), listed(new))


def test_system_calls(tmp_path: Path) -> None:
    one, other = make(tmp_path / "one", "1"), make(tmp_path / "other", "2")
    assert exchange._exchange(one, other)
    assert (["2"], ["1"]) == (listed(one), listed(other))
    assert not exchange._exchange(one, tmp_path / "none")
    assert sorted(listed(tmp_path)) == ["one", "other"]


def test_a_system_that_does_not_know_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda name: object())
    assert not exchange._exchange(tmp_path, tmp_path)


def test_all_is_as_it_was_where_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, part = make(tmp_path / "m", "old"), tmp_path / PART
    with pytest.raises(FileNotFoundError):
        put_in_place(part, folder)
    assert (["m"], ["old"]) == (listed(tmp_path), listed(folder))


def test_killed_while_no_folder_had_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "_exchange", lambda one, other: False)
    folder, part = make(tmp_path / "m", "old"), make(tmp_path / PART, "new")
    child = os.fork()
    if child == 0:
        rename = Path.rename

        def stopped(self: Path, target: Path) -> Path:
            return os._exit(0) if self == part else rename(self, target)

        Path.rename = stopped  # type: ignore[method-assign]
        put_in_place(part, folder)
    os.waitpid(child, 0)
    assert sorted(listed(tmp_path)) == [OLD, PART]
    bring_back(folder)
    assert sorted(listed(tmp_path)) == [PART, "m"]
    assert listed(folder) == ["old"]
    make(tmp_path / OLD, "older")
    bring_back(folder)
    assert sorted(listed(tmp_path)) == [PART, "m"]


def test_a_folder_of_the_users_with_such_a_name_stays(tmp_path: Path) -> None:
    theirs = make(tmp_path / ".m.89abcdef.old", "thesis")
    bring_back(tmp_path / "m")
    make(tmp_path / "m", "new")
    bring_back(tmp_path / "m")
    assert listed(theirs) == ["thesis"]
