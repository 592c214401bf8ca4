"""What went into a run: its files, whether they have changed since, and what it took."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from isogloss.align.errors import DataError

from ...runs.measure import USAGE_COLUMNS, usage_rows
from ...runs.run_folder import digest_of_file
from ..report import Table

__all__ = ["InputFiles", "usage_table"]

_UNCHANGED = "unchanged"


@dataclass(frozen=True)
class InputFiles:
    """The files that a run has read. digests: SHA-256 by name, as they were then"""

    digests: Mapping[str, str]

    @cached_property
    def states(self) -> dict[str, str]:
        """What became of each file since the run; they are read once."""
        return {name: _state(name, digest) for name, digest in self.digests.items()}

    @property
    def are_unchanged(self) -> bool:
        """Whether all files are as the run has read them."""
        return all(state == _UNCHANGED for state in self.states.values())

    def table(self) -> Table:
        """Files with their digests, and what became of them."""
        rows = [
            (Path(name).name, self.digests[name][:12], state) for name, state in self.states.items()
        ]
        columns = ("file", "SHA-256", "since the run")
        return Table("Files that were read", columns, rows, text_columns=3)


def _state(name: str, digest: str) -> str:
    try:
        return _UNCHANGED if digest_of_file(name) == digest else "changed"
    except DataError:
        return "missing"


def usage_table(usages: Mapping[str, Mapping[str, float]]) -> Table:
    """Time and memory by stage, and of several together."""
    rows = usage_rows(usages)
    shown = rows if len(usages) > 1 else rows[:1]
    return Table("Time and memory by stage", USAGE_COLUMNS, shown)
