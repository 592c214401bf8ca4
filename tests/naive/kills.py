"""A command that is killed at its n-th operation on files, for any n, in a process of its own."""

import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from isogloss.align.files.writers import _Output

_CHANGES = frozenset((
    "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.symlink",
    "os.truncate",
))  # fmt: skip
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
KILLED = -signal.SIGKILL


KILLS_IN_TRUTH = 16  # of so many kills one; what the others leave is copied from a single run


def ends_at(command: Callable[[], int], folder: Path, number: int) -> int:
    """Run a command that is killed when it begins its ``number``-th operation, from 1 on.

    Operations are those on files below ``folder``: opening for writing, writing, of which half is
    done, renaming, removing, making a folder. Returns the status of the command, KILLED where it
    was killed; where it has fewer operations, it isn't.
    """

    def killed(_: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    return _in_a_fork(command, folder, lambda at: at == number, killed)


def _in_a_fork(
    command: Callable[[], int],
    folder: Path,
    is_one: Callable[[int], bool],
    act: Callable[[int], None],
) -> int:
    """Run a command in a process that does something at operations of some numbers; its status."""
    child = os.fork()
    if child == 0:
        status = 99
        try:
            _act_at(is_one, act, f"{folder}{os.sep}")
            status = command()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _act_at(is_one: Callable[[int], bool], act: Callable[[int], None], folder: str) -> None:
    """Have this process do something when it begins an operation, or has done half of a write."""
    number, is_acting = 0, False

    def begins() -> bool:
        nonlocal number
        number += 1
        return is_one(number)

    def acting() -> None:
        nonlocal is_acting
        is_acting = True
        act(number)
        is_acting = False

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if not is_acting and _changes(event, arguments, folder) and begins():
            acting()

    write = _Output.write

    def writing(self: _Output, data: Any) -> int:
        if not begins():
            return write(self, data)
        content = bytes(data)
        half = os.write(self.fileno(), content[: len(content) // 2])
        acting()
        return half + write(self, content[half:])

    _Output.write = writing  # type: ignore[method-assign]
    sys.addaudithook(hook)


def _changes(event: str, arguments: tuple[Any, ...], folder: str) -> bool:
    """Whether an event changes a file in a folder, by its name or relative to an open one."""
    if event not in _CHANGES and not (event == "open" and arguments[2] & _WRITING):
        return False
    name = arguments[0]
    if isinstance(name, int):
        return False
    name = os.fsdecode(name)
    return name.startswith(folder) or not Path(name).is_absolute()


def killed_everywhere(
    command: Callable[[], int], make: Callable[[Path], None], folder: Path, step: int = 1
) -> Iterator[int]:
    """Kill a command at each of its operations in turn, in new folders, while it runs there.

    make: fills the folder that the command is then run in; step: at every so many of them. Most
    folders are copies of that of a single run, made at the operation: what is on disk is the same.

    Yields the number of the operation; the working folder is what the killed command left.
    """
    work, states = folder / "killed", folder / "states"
    states.mkdir()
    _begin(work, make)

    def keep(number: int) -> None:
        shutil.copytree(work, states / str(number), symlinks=True)

    assert _in_a_fork(command, work, lambda number: number % step == 1 % step, keep) == 0
    for turn, number in enumerate(sorted(int(state.name) for state in states.iterdir())):
        os.chdir(folder)
        shutil.rmtree(work)
        if turn % KILLS_IN_TRUTH == 0:
            _begin(work, make)
            assert ends_at(command, work, number) == KILLED
        else:
            (states / str(number)).rename(work)
            os.chdir(work)
        yield number


def _begin(work: Path, make: Callable[[Path], None]) -> None:
    """Make a folder to run a command in."""
    work.mkdir()
    make(work)
    os.chdir(work)


def done_in(folder: Path, make: Callable[[Path], None], command: Callable[[], int]) -> None:
    """Run a command that nothing stops in a new folder; kernels are then ready.

    make: fills the folder, which is then the working folder
    """
    folder.mkdir()
    make(folder)
    os.chdir(folder)
    assert command() == 0


def without_times(folder: Path) -> dict[str, bytes]:
    """What :func:`contents` finds, but for what a run took."""
    return {name: content for name, content in contents(folder).items() if "usage" not in name}


def put_back(files: Mapping[str, bytes], folder: Path) -> None:
    """Write files that :func:`contents` found into a folder."""
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def contents(folder: Path) -> dict[str, bytes]:
    """All files of a folder by name; empty folders, too."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in sorted(folder.rglob("*"))
        if path.is_file() or not any(path.iterdir())
    }
