"""A command that is killed at its n-th operation on files, for any n, in a process of its own."""

import os
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


def ends_at(command: Callable[[], int], folder: Path, number: int) -> int:
    """Run a command that is killed when it begins its ``number``-th operation, from 1 on.

    Operations are those on files below ``folder``: opening for writing, writing, of which half is
    done, renaming, removing, making a folder. Returns the status of the command, KILLED where it
    was killed; where it has fewer operations, it isn't.
    """
    child = os.fork()
    if child == 0:
        status = 99
        try:
            _kill_at(number, f"{folder}{os.sep}")
            status = command()
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _kill_at(number: int, folder: str) -> None:
    """Have this process kill itself when it begins an operation."""
    left = number

    def is_last() -> bool:
        nonlocal left
        left -= 1
        return left == 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if _changes(event, arguments, folder) and is_last():
            os.kill(os.getpid(), signal.SIGKILL)

    write = _Output.write

    def writing(self: _Output, data: Any) -> int:
        if is_last():
            os.write(self.fileno(), bytes(data)[: len(data) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        return write(self, data)

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

    make: fills the folder that the command is then run in; step: at every so many of them

    Yields the number of the operation; the working folder is what the killed command left.
    """
    number = 1 - step
    while True:
        number += step
        work = folder / str(number)
        work.mkdir()
        make(work)
        os.chdir(work)
        status = ends_at(command, work, number)
        if status != KILLED:
            assert status == 0
            return
        yield number


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
