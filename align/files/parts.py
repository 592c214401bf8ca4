"""Parts: files and folders under a temporary name, until they are complete or no longer needed.

A part stands beside what it is to become, as ``.NAME.RANDOM.part``. Nobody can tell its name before
it is made, and it is made new, so that no link that stands there is followed. RANDOM ends with a
checksum of what is before it, by which a part is told from a user's file of such a name. Its maker
holds a lock on it, by which parts that a killed process has left are told from those of others at
work.
"""

import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from glob import escape
from pathlib import Path
from tempfile import gettempdir
from zlib import crc32

from .locks import is_at, lock

__all__ = [
    "cleared_away",
    "discard",
    "is_part",
    "left_beside",
    "new_part",
    "part_name",
    "remove_left_parts",
    "scratch_folder",
    "undisturbed",
    "whole_name",
]

_PART = re.compile(r"\.(.+)\.([0-9a-f]{8})[0-9a-f]{8}\.part", re.DOTALL)
_NEW = os.O_CREAT | os.O_EXCL | os.O_RDWR
_OPEN = os.O_NOFOLLOW | os.O_CLOEXEC
SCRATCH = "isogloss-scratch"


def part_name(name: str, random: str) -> str:
    """The name of a part of ``name``. random: eight hexadecimal digits"""
    check = crc32(os.fsencode(f"isogloss {name} {random}"))
    return f".{name}.{random}{check:08x}.part"


def whole_name(name: str) -> str:
    """The name that a part was to get; any other name as it is."""
    match = _PART.fullmatch(name)
    return match[1] if match and part_name(match[1], match[2]) == name else name


def is_part(name: str) -> bool:
    """Whether this is the name of a part, which nobody else gives to a file by chance."""
    return whole_name(name) != name


def left_beside(path: Path, suffix: str = ".part") -> Iterator[Path]:
    """This user's parts of ``path``. suffix: what they are called now in place of ``.part``"""
    for part in path.parent.glob(f".{escape(path.name)}.*{suffix}"):
        with suppress(OSError):  # removed or renamed by now
            is_ours = whole_name(part.with_suffix(".part").name) == path.name
            if is_ours and part.lstat().st_uid == os.geteuid():
                yield part


@contextmanager
def new_part(path: Path, *, folder: bool = False, mode: int = 0o777) -> Iterator[tuple[Path, int]]:
    """A new empty file beside ``path``, or a folder: its name, and the descriptor that locks it.

    When the block ends it is removed, unless it got another name. What a killed process has left
    of the same ``path`` is removed before.

    Raises OSError where it can't be made.
    """
    remove_left_parts(path)
    with cleared_away() as made:
        with undisturbed():
            part, descriptor = _make(path, folder, mode)
            made.append(partial(_end, part, descriptor))
        yield part, descriptor


@contextmanager
def cleared_away() -> Iterator[list[Callable[[], None]]]:
    """Call what is in the list when the block ends, the last first, each once.

    A signal that comes as the block ends lets none of it out.
    """
    calls: list[Callable[[], None]] = []
    try:
        yield calls
    finally:
        try:
            _call_each(calls)
        except BaseException:  # of a signal before they were put off, or after all was called
            _call_each(calls)
            raise


def _call_each(calls: list[Callable[[], None]]) -> None:
    with undisturbed():
        while calls:
            calls.pop()()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Put signals that end the program off until the block has ended, so that nothing is left.

    They are not blocked, since another thread would then be given them, but taken note of.
    """
    if threading.current_thread() is not threading.main_thread():  # no signal ends others
        yield
        return
    came: list[int] = []
    try:
        with _noted(signal.SIGHUP, came), _noted(signal.SIGTERM, came), _noted(signal.SIGINT, came):
            yield
    finally:
        for number in came:
            signal.raise_signal(number)


@contextmanager
def _noted(number: int, came: list[int]) -> Iterator[None]:
    """Append the number of a signal to a list where it comes in the block."""
    handler = signal.getsignal(number)
    if handler is None:  # not Python's, which could not put it back
        yield
        return
    try:
        signal.signal(number, lambda number, _: came.append(number))
        yield
    finally:
        signal.signal(number, handler)


def _end(part: Path, descriptor: int) -> None:
    """Remove a part, unless it got another name, and give up its lock."""
    with suppress(OSError):
        _remove(part)
    os.close(descriptor)


def _make(path: Path, folder: bool, mode: int) -> tuple[Path, int]:
    """Make a part and lock it."""
    while True:
        part = path.with_name(part_name(path.name, os.urandom(4).hex()))
        try:
            if folder:
                part.mkdir(mode)
            descriptor = os.open(part, _OPEN | (os.O_RDONLY if folder else _NEW), mode & 0o666)
        except FileExistsError:
            continue
        except FileNotFoundError:
            if folder and path.parent.exists():  # another process took it for left, as it was new
                continue
            raise
        with suppress(OSError):  # a file system without locks
            lock(descriptor, wait=True)
        if is_at(descriptor, part):  # nobody took it for left before it was locked
            return part, descriptor
        os.close(descriptor)


def remove_left_parts(path: Path) -> None:
    """Remove the parts of ``path`` whose makers are gone, as far as the system lets us."""
    for part in left_beside(path):
        _remove_if_left(part)


def _remove_if_left(part: Path) -> None:
    """Remove a part that nobody holds a lock on."""
    with suppress(OSError):  # removed or renamed by now, no locks
        access = os.O_RDONLY if part.is_dir() else os.O_RDWR
        descriptor = os.open(part, _OPEN | os.O_NONBLOCK | access)
        try:
            if lock(descriptor):
                _remove(part)
        finally:
            os.close(descriptor)


def _remove(part: Path) -> None:
    if part.is_dir() and not part.is_symlink():
        shutil.rmtree(part)
    else:
        part.unlink()


def discard(folder: Path) -> None:
    """Remove a folder: it is a part at once, and removed then or, at the latest, with the next.

    Raises OSError where it can't be renamed.
    """
    with new_part(folder, folder=True) as (part, _):
        folder.rename(part)


@contextmanager
def scratch_folder(parent: str | Path | None) -> Iterator[Path]:
    """A new folder for this user's eyes, gone when the block ends or, at the latest, with the next.

    parent: where it is made; None = the system's folder for temporary files

    Raises OSError where it can't be made.
    """
    with new_part(Path(parent or gettempdir()) / SCRATCH, folder=True, mode=0o700) as (folder, _):
        yield folder
