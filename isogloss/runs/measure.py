"""Wall time and peak memory of a stage."""

import resource
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from isogloss.align.files.records import Finite

__all__ = ["USAGE_COLUMNS", "StoredUsage", "Usage", "measure", "usage_rows"]

USAGE_COLUMNS = ("stage", "wall s", "CPU s", "peak MB")


@dataclass
class Usage:
    """seconds of wall time, cpu_seconds of user and system time, megabytes of peak memory."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    megabytes: float = 0.0


class StoredUsage(Struct):
    """Usage in a file of a run."""

    seconds: Finite
    cpu_seconds: Finite
    megabytes: Finite


def _reset_peak() -> None:
    """Forget the peak so far, where the system allows it (Linux)."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return


def _peak_megabytes() -> float:
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


@contextmanager
def measure() -> Iterator[Usage]:
    """Fill the yielded Usage when the block ends."""
    usage = Usage()
    _reset_peak()
    start, cpu = time.perf_counter(), _cpu_seconds()
    try:
        yield usage
    finally:
        usage.seconds = time.perf_counter() - start
        usage.cpu_seconds = _cpu_seconds() - cpu
        usage.megabytes = _peak_megabytes()


def usage_rows(usages: Mapping[str, Mapping[str, float]]) -> list[tuple[str, ...]]:
    """The cells of USAGE_COLUMNS for each stage, and for all. usages: fields of Usage by stage"""
    rows = {
        stage: (one["seconds"], one["cpu_seconds"], one["megabytes"])
        for stage, one in usages.items()
    }
    seconds, cpu_seconds, megabytes = zip(*rows.values(), strict=True)
    rows["total / peak"] = (sum(seconds), sum(cpu_seconds), max(megabytes))
    return [
        (stage, f"{wall:.1f}", f"{cpu:.1f}", f"{peak:.0f}")
        for stage, (wall, cpu, peak) in rows.items()
    ]
