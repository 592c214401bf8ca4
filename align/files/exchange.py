"""A new folder in place of an old one, at once: nobody finds neither, or half of each."""

import ctypes
import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from .parts import left_beside

__all__ = ["bring_back", "put_in_place"]

_HERE = -100  # AT_FDCWD: names are relative to the working folder
_EXCHANGE = 2  # RENAME_EXCHANGE


def put_in_place(part: Path, folder: Path) -> None:
    """Rename ``part`` to ``folder``; what stands there gets the name of the part.

    Where the system can't exchange names, the older folder is called .NAME.RANDOM.old for a moment,
    from which :func:`bring_back` takes it where the process is killed just then.

    Raises OSError where they can't be renamed; all is then as it was.
    """
    if not folder.exists():
        part.rename(folder)
    elif not _exchange(part, folder):
        old = part.with_suffix(".old")
        folder.rename(old)
        try:
            part.rename(folder)
        except BaseException:
            old.rename(folder)
            raise
        old.rename(part)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names; False where the system can't."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    if rename is None:
        return False
    sys.audit("os.rename", str(one), str(other), _HERE, _HERE)  # as Python's own renaming does
    return bool(rename(_HERE, os.fsencode(one), _HERE, os.fsencode(other), _EXCHANGE) == 0)


def bring_back(folder: Path) -> None:
    """Give an older folder its name back where a process was killed while it had none.

    Where the new one has the name already, the older one is removed.
    """
    for old in left_beside(folder, ".old"):
        with suppress(OSError):
            if folder.exists():
                shutil.rmtree(old)
            else:
                old.rename(folder)
