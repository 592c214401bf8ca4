"""Outputs of a command: whether they can be written, and that no other process writes them.

And what a terminal may show of strangers' text.
"""

import errno
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from ..errors import ModelError, OutputError, check_argument, check_path
from .locks import is_at, lock
from .parts import cleared_away, new_part, undisturbed

__all__ = [
    "PathExistsError",
    "check_folders",
    "check_output",
    "check_unused",
    "entries",
    "file_name",
    "in_one_cell",
    "is_stream",
    "naming_output",
    "on_a_terminal",
    "output_path",
    "real_path",
    "sole_writer",
]

STANDARD_OUTPUT = "standard output"
_LOCK = re.compile(r"\..+\.lock", re.DOTALL)
_CONTROL = re.compile(
    r"[^\n\t -~\u00a0-\U0010ffff]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_BREAKS = re.compile(r"[\n\t]")
_MOST_LINKS = 40  # in a path, as the system has it
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
_NO_NAMES = re.compile(r"[\x00-\x1f\x7f/\\%]")


class PathExistsError(ModelError):
    """A file or folder that is there already, and was not to be replaced."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)

    def __str__(self) -> str:
        kind = "folder" if Path(self.args[0]).is_dir() else "name"
        return f"{self.args[0]} exists; choose another {kind} or pass `overwrite=True`"


@contextmanager
def naming_output(path: str | Path = STANDARD_OUTPUT) -> Iterator[None]:
    """Raise OutputError with ``path`` for what the system refuses in the block.

    A reader that has gone away (BrokenPipeError) is no error to name.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(path, error) from error


def real_path(path: str | Path) -> Path:
    """The whole path of a file, there or not, behind all links.

    Raises OSError for links that lead to each other.
    """
    try:
        whole = Path(path).resolve()
    except RuntimeError:  # of Python up to 3.12
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path)) from None
    if whole.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    return whole


def output_path(path: str | Path) -> Path:
    """The whole path of a file that is written, there or not, behind all links but strangers'.

    Raises OSError for links that lead to each other, and for one that neither the user nor root
    owns in a folder that others may write to: whoever put it there chose what is replaced.
    """
    place, names, links = Path.cwd(), [*reversed(Path(path).parts)], 0
    while names:
        name = names.pop()
        link = place / name
        if name == os.pardir or not link.is_symlink():
            place = place.parent if name == os.pardir else link  # place has no links in it
            continue
        links += 1
        if links > _MOST_LINKS:
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
        if link.lstat().st_uid not in (0, os.geteuid()) and _is_others(place):
            reason = "is a symbolic link of another user in a folder that other users can write to"
            raise OSError(errno.ELOOP, f"{link} {reason}")
        names.extend(reversed(link.readlink().parts))
    return place


def _is_others(folder: Path) -> bool:
    """Whether others than the user and root may put something in a folder, as its owner may."""
    found = folder.stat()
    return bool(found.st_mode & _OTHERS_WRITE) or found.st_uid not in (0, os.geteuid())


def is_stream(path: str | Path | None) -> bool:
    """Whether a path is that of a standard stream, a pipe or a device.

    Nothing stands beside it, and what is read of it can't be read again.
    """
    if path is None or str(path) == "-":
        return True
    path = Path(path)
    return path.exists() and not path.is_file() and not path.is_dir()


def check_output(path: str | Path | None) -> None:
    """Raise OutputError where no file of this name can be made: before long work, not after it.

    None and ``-`` are standard output. Folders that are missing will be made. Whether there is room
    on a device or disk shows only in writing.
    """
    if path is None or str(path) == "-":
        return
    path = Path(path)
    with naming_output(path):
        if is_stream(path):
            return
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        whole = output_path(path)
        folder = next(parent for parent in whole.parents if parent.exists())
        with new_part(folder / whole.name):
            pass


def check_unused(path: str | Path | None, overwrite: bool | None) -> None:
    """Raise PathExistsError for a file that exists if ``overwrite`` is False; None replaces it."""
    if overwrite is not None:
        check_argument(overwrite, bool, "overwrite", "True, False or None")
    if path is not None:
        check_path(path)
    if overwrite is False and not is_stream(path) and Path(path or "").exists():
        raise PathExistsError(Path(path or ""))


def file_name(text: str) -> str:
    """A text as it can stand in the name of a file: what separates folders is written ``%2F``.

    So are other characters that a name can't hold or that are ill to type, and the mark itself,
    so that different texts give different names.
    """
    return _NO_NAMES.sub(lambda match: f"%{ord(match[0]):02X}", text)


def entries(folder: Path) -> list[Path]:
    """What stands in a folder, in order, but for the files of locks."""
    return sorted(path for path in folder.iterdir() if not _LOCK.fullmatch(path.name))


@contextmanager
def sole_writer(path: str | Path) -> Iterator[None]:
    """Keep other processes from writing a file or folder of this name while the block runs.

    The lock is on a file ``.NAME.lock`` beside it, which is removed afterwards; where the process
    is killed, the file may stay, but the lock doesn't. Where the system gives no lock, none is
    held. Folders that are missing are made.

    Raises OutputError where another process is at it.
    """
    with naming_output(path):
        whole = output_path(path)
    if is_stream(whole):
        yield
        return
    missing = [folder for folder in whole.parents if not folder.exists()]
    place = whole.with_name(f".{whole.name}.lock")
    with cleared_away() as held:
        with undisturbed():
            descriptor = _lock_file(place, path)
            held.append(partial(_unlock, place, descriptor, missing))
        yield


def check_folders(path: str | Path, own: Collection[Path] = ()) -> None:
    """Raise OutputError where another process writes a folder that is to hold the file.

    own: folders that this process writes, as :func:`output_path` gives them
    """
    with naming_output(path):
        whole = output_path(path)
    for folder in whole.parents:
        place = folder.parent / f".{folder.name}.lock"
        if folder in own or not place.is_file():
            continue
        with suppress(OSError):  # another's, or gone: then there is nothing to ask
            descriptor = os.open(place, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                is_free = lock(descriptor)
            finally:
                os.close(descriptor)
            if not is_free:
                break
    else:
        return
    raise OutputError(path, OSError(errno.EBUSY, f"another process is writing {folder}"))


def _unlock(place: Path, descriptor: int | None, made: Sequence[Path]) -> None:
    """Remove the file of a lock, and the folders that were made for it where they are empty."""
    # A file that holds something is a user's, who gave it that name.
    with suppress(OSError):
        if descriptor is not None:
            if not os.fstat(descriptor).st_size:
                place.unlink()
            os.close(descriptor)
        for folder in made:
            folder.rmdir()


def _lock_file(place: Path, shown: str | Path) -> int | None:
    """The descriptor that holds the lock, None where there can't be one."""
    while True:
        with suppress(OSError):
            place.parent.mkdir(parents=True, exist_ok=True)
        try:
            descriptor = os.open(place, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            is_ours = lock(descriptor)
        except OSError:  # a file system without locks
            is_ours = True
        if not is_ours:
            os.close(descriptor)
            raise OutputError(shown, OSError(errno.EBUSY, "another process is writing it"))
        if is_at(descriptor, place):  # else another process has just removed it
            return descriptor
        os.close(descriptor)


def on_a_terminal(text: str) -> str:
    """The same text without what a terminal would obey, but for line feeds and tabs.

    Characters for control, and those that turn the direction of text, are as Python writes them.
    """
    return _CONTROL.sub(_written_out, text)


def in_one_cell(text: str) -> str:
    """The same without line feeds and tabs, too."""
    return _BREAKS.sub(_written_out, on_a_terminal(text))


def _written_out(match: re.Match[str]) -> str:
    return ascii(match[0])[1:-1]
