"""Wall time and peak memory of a stage."""

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Usage", "measure"]


@dataclass
class Usage:
    """seconds of wall time, cpu_seconds of user and system time, megabytes of peak memory."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    megabytes: float = 0.0


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
