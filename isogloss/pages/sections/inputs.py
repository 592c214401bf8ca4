"""What went into a run: its files, whether they have changed since, and what it took."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isogloss.align.errors import DataError

from ...runs.run_folder import digest_of_file
from ..report import Table

__all__ = ["input_table", "unchanged", "usage_table"]


def unchanged(inputs: Mapping[str, str]) -> bool:
    """Whether all files are as a run has read them. inputs: digests by file"""
    return all(_state(name, digest) == "unchanged" for name, digest in inputs.items())


def _state(name: str, digest: str) -> str:
    try:
        return "unchanged" if digest_of_file(name) == digest else "changed"
    except DataError:
        return "missing"


def input_table(inputs: Mapping[str, str]) -> Table:
    """Files with their digests, and whether they are still the same."""
    rows = [(Path(name).name, digest[:12], _state(name, digest)) for name, digest in inputs.items()]
    return Table("Files that were read", ("file", "SHA-256", "since the run"), rows, text_columns=3)


def usage_table(usages: Mapping[str, Mapping[str, Any]]) -> Table:
    """Time and memory by stage, and of all."""
    rows = [
        (
            stage,
            *(f"{usage[name]:.1f}" for name in ("seconds", "cpu_seconds")),
            f"{usage['megabytes']:.0f}",
        )
        for stage, usage in usages.items()
    ]
    if len(usages) > 1:
        sums = [sum(one[name] for one in usages.values()) for name in ("seconds", "cpu_seconds")]
        peak = max(usage["megabytes"] for usage in usages.values())
        rows.append(("total / peak", f"{sums[0]:.1f}", f"{sums[1]:.1f}", f"{peak:.0f}"))
    return Table("Time and memory by stage", ("stage", "wall s", "CPU s", "peak MB"), rows)
