"""Parts of files and folders: new, locked by their maker, removed when nobody makes them."""

import errno
import os
import signal
import stat
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.files.parts import (
    cleared_away,
    is_part,
    new_part,
    part_name,
    remove_left_parts,
    scratch_folder,
    undisturbed,
    whole_name,
)


@pytest.mark.parametrize("folder", [False, True])
def test_a_part_is_new_and_gone_afterwards(tmp_path: Path, folder: bool) -> None:
    names = set()
    for _ in range(3):
        with new_part(tmp_path / "a.b.json", folder=folder) as (part, _):
            names.add(part.name)
            assert (tmp_path, folder) == (part.parent, part.is_dir())
            assert whole_name(part.name) == "a.b.json"
            if folder:
                (part / "inside").write_text("1")
        assert list(tmp_path.iterdir()) == []
    assert len(names) == 3


def test_a_part_that_was_renamed_stays(tmp_path: Path) -> None:
    with new_part(tmp_path / "x") as (part, descriptor):
        os.write(descriptor, b"1")
        part.replace(tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == b"1"
    assert [path.name for path in tmp_path.iterdir()] == ["x"]


def test_names_of_parts() -> None:
    part = part_name("a.b", "0123abcd")
    assert (whole_name(part), is_part(part)) == ("a.b", True)
    others = part.replace("0123", "0124"), part.replace("a.b", "a.c"), part + ".gz", part[1:]
    for name in (*others, ".a.0123456789abcdef.part", ".a.01234567.part",
                 "a.part", ".a.part", ".a.x.part"):  # fmt: skip
        assert (name, False) == (whole_name(name), is_part(name))


def test_what_stands_there_is_neither_followed_nor_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where somebody has guessed the name, another one is made."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / part_name("x", "00000000")).symlink_to("theirs")
    (tmp_path / part_name("x", "11111111")).symlink_to("theirs/nothing")
    for folder in (False, True):
        drawn = iter([b"\x00" * 4, b"\x11" * 4, b"\x22" * 4])
        with monkeypatch.context() as patch:
            patch.setattr(os, "urandom", lambda size, drawn=drawn: next(drawn))
            with new_part(tmp_path / "x", folder=folder) as (part, _):
                assert part.name == part_name("x", "22222222")
    assert list((tmp_path / "theirs").iterdir()) == []
    assert (tmp_path / part_name("x", "11111111")).is_symlink()


def test_what_a_killed_process_left_is_removed(tmp_path: Path) -> None:
    child = os.fork()
    if child == 0:
        with new_part(tmp_path / "x"), new_part(tmp_path / "x", folder=True) as (part, _):
            (part / "inside").write_text("1")
            os._exit(0)
    os.waitpid(child, 0)
    assert len(list(tmp_path.iterdir())) == 2
    others = [part_name("xy", "01234567"), ".x.012345678.part", "x.01234567.part", ".x.part"]
    for name in others:
        (tmp_path / name).write_text("of something else")
    remove_left_parts(tmp_path / "x")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(others)


def test_what_a_user_has_called_so_stays(tmp_path: Path) -> None:
    """Also where it looks much like a part: there is no checksum in its name."""
    for name in (".x.0123abcd.part", ".x.0123456789abcdef.part"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "thesis").write_text("mine")
    (tmp_path / ".x.89abcdef.part").write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    with new_part(tmp_path / "x") as (part, _):
        part.replace(tmp_path / "x")
    assert sorted(tmp_path.rglob("*")) == sorted([*before, tmp_path / "x"])


def test_parts_of_a_process_at_work_stay(tmp_path: Path) -> None:
    with new_part(tmp_path / "x") as (one, _), new_part(tmp_path / "x", folder=True) as (other, _):
        remove_left_parts(tmp_path / "x")
        assert sorted([one, other]) == sorted(tmp_path.iterdir())


@pytest.mark.parametrize("folder", [False, True])
def test_a_part_taken_for_left_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: bool
) -> None:
    taken: list[Path] = []

    def late(descriptor: int, *, wait: bool = False) -> bool:
        if not taken:
            taken.extend(tmp_path.iterdir())
            taken[0].rmdir() if folder else taken[0].unlink()
        return True

    monkeypatch.setattr("isogloss.align.files.parts.lock", late)
    with new_part(tmp_path / "x", folder=folder) as (part, _):
        assert [part] == list(tmp_path.iterdir())
        assert part != taken[0]


def test_a_folder_taken_for_left_before_it_is_opened_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, taken = os.open, []

    def open_late(path: Any, *rest: Any, **named: Any) -> int:
        if not taken:
            taken.append(path)
            Path(path).rmdir()
        return before(path, *rest, **named)

    monkeypatch.setattr(os, "open", open_late)
    with new_part(tmp_path / "a", folder=True) as (part, _):
        assert part.is_dir()
        assert part != taken[0]
    with pytest.raises(FileNotFoundError), new_part(tmp_path / "none" / "a", folder=True):
        pass


def test_without_locks_nothing_is_taken_for_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsupported(*arguments: object) -> None:
        raise OSError(errno.EOPNOTSUPP, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with new_part(tmp_path / "x") as (one, _), new_part(tmp_path / "x") as (other, _):
        assert sorted([one, other]) == sorted(tmp_path.iterdir())
    assert list(tmp_path.iterdir()) == []


def test_modes_are_those_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "folder").mkdir()
    for name, folder in (("file", False), ("folder", True)):
        with new_part(tmp_path / "x", folder=folder) as (part, _):
            assert part.stat().st_mode == (tmp_path / name).stat().st_mode


def test_a_scratch_folder_is_for_its_user_alone(tmp_path: Path) -> None:
    with scratch_folder(tmp_path) as folder:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert folder.parent == tmp_path
        (folder / "x").write_text("1")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError), scratch_folder(tmp_path / "none"):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_are_put_off_beside_other_threads(number: int) -> None:
    """One that the main thread blocks is given to another, and yet handled by the main thread."""
    ended, steps = threading.Event(), []
    handler = signal.signal(number, signal.default_int_handler)
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt), undisturbed():
            with undisturbed():
                os.kill(os.getpid(), number)
                steps.append(len(range(10**6)))
                time.sleep(0.1)
            steps.append(2)
        assert [10**6, 2] == steps
        assert signal.getsignal(number) is signal.default_int_handler
    finally:
        ended.set()
        thread.join()
        signal.signal(number, handler)


def test_what_is_to_be_cleared_away_is_when_a_signal_comes_as_it_begins() -> None:
    called = []

    def first() -> None:
        called.append("first")

    def ended() -> None:
        called.append("ended")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), cleared_away() as calls:
        calls += [first, ended]
    assert ["ended", "first"] == called


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("event", ["open", "os.mkdir", "os.remove", "os.rmdir"])
def test_a_signal_at_any_moment_leaves_no_part(tmp_path: Path, number: int, event: str) -> None:
    """Also just when it is made or removed, as the process is told before the system is asked."""
    child = os.fork()
    if child == 0:
        signal.signal(number, lambda *arguments: sys.exit(0))
        folder = event != "open" and event != "os.remove"

        def hook(seen: str, arguments: tuple[Any, ...]) -> None:
            if seen == event and str(arguments[0]).endswith(".part"):
                os.kill(os.getpid(), number)

        sys.addaudithook(hook)
        with suppress(SystemExit), new_part(tmp_path / "x", folder=folder):
            pass
        os._exit(len(list(tmp_path.iterdir())))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
