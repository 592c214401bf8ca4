"""Files that are to be read later, whatever becomes of their names."""

import os
from pathlib import Path
from weakref import finalize

from .locks import is_at

__all__ = ["HeldFile"]


class HeldFile:
    """A file that can be read as long as this is kept, also when its folder has been replaced.

    path: its name when it was opened. Raises OSError where it can't be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        finalize(self, os.close, self._descriptor)

    def __copy__(self) -> "HeldFile":
        return self

    def __deepcopy__(self, memo: object) -> "HeldFile":
        return self  # nothing of it changes

    def __reduce__(self) -> tuple[type["HeldFile"], tuple[Path]]:
        return HeldFile, (self.path,)  # another process opens it again

    @property
    def readable(self) -> Path:
        """A name that it can be opened by now: its own, while it has that."""
        if is_at(self._descriptor, self.path):
            return self.path
        return Path(f"/dev/fd/{self._descriptor}")
