"""Results of parts of a long work, kept on disk, so that a killed run goes on where it stood."""

import re
from collections.abc import Sequence
from pathlib import Path
from types import GenericAlias
from typing import Generic, TypeVar, cast

import msgspec
import zstandard

from ..errors import DataError
from ..files.inputs.opening import open_binary
from ..files.outputs import entries
from ..files.parts import discard, remove_left_parts, whole_name
from ..files.writers import atomic_file

__all__ = ["FinishedParts", "foreign_files", "remove_finished"]

Result = TypeVar("Result")
_FILE = re.compile(r"[0-9]{6,}\.json\.zst")


def foreign_files(folder: Path) -> Sequence[str]:
    """Names of what stands in a folder of results beside them."""
    return [path.name for path in entries(folder) if not _FILE.fullmatch(whole_name(path.name))]


def remove_finished(folder: Path) -> None:
    """Remove a folder of results where nothing else is in it, and what a killed process left.

    Raises OSError where it can't be removed.
    """
    remove_left_parts(folder)
    if folder.is_dir() and not folder.is_symlink() and not foreign_files(folder):
        discard(folder)


class FinishedParts(Generic[Result]):
    """A folder with the result of each part, as compressed JSON.

    kind: a dataclass; fingerprint: of all that decides the results
    """

    def __init__(self, folder: Path, kind: type[Result], fingerprint: str) -> None:
        self._folder, self._fingerprint = folder, fingerprint
        self._decoder = msgspec.json.Decoder(GenericAlias(tuple, (str, kind)))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.json.zst"

    def save(self, number: int, result: Result) -> None:
        """Keep the result of a part. Raises OutputError where it can't be written."""
        with atomic_file(self._path(number)) as stream:
            stream.write(msgspec.json.encode([self._fingerprint, result]))

    def load(self, number: int) -> Result | None:
        """The result of a part; None where it isn't there, is damaged, or of another run."""
        try:
            with open_binary(self._path(number)) as stream:
                fingerprint, result = self._decoder.decode(stream.read())
        except (DataError, OSError, EOFError, zstandard.ZstdError, msgspec.MsgspecError):
            return None
        return cast("Result", result) if fingerprint == self._fingerprint else None

    def __len__(self) -> int:
        """How many parts from the first one on are there."""
        count = 0
        while self._path(count).is_file():
            count += 1
        return count
