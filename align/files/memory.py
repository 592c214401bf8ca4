"""How much memory a program may still take."""

import resource
from contextlib import suppress
from pathlib import Path

__all__ = ["free_memory"]

_SYSTEM = Path("/proc/meminfo")
_PROGRAM = Path("/proc/self/statm")  # its size in pages comes first
_CONTAINER = Path("/sys/fs/cgroup")


def free_memory() -> int | None:
    """Bytes that the program may still take, None where nothing tells.

    It is the least of what the system has left, and the limits of the container and of the process
    (``ulimit -v``) leave.
    """
    told = (_left_by_system(), _left_by_container(), _left_by_process())
    return min((size for size in told if size is not None), default=None)


def _left_by_system() -> int | None:
    with suppress(OSError), _SYSTEM.open(encoding="ascii") as lines:
        for line in lines:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def _left_by_container() -> int | None:
    with suppress(OSError, ValueError):  # no such limit, or "max"
        most, taken = (
            int((_CONTAINER / name).read_text()) for name in ("memory.max", "memory.current")
        )
        return max(most - taken, 0)
    return None


def _left_by_process() -> int | None:
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY:
        return None
    with suppress(OSError):
        pages = int(_PROGRAM.read_text().split()[0])
        return max(most - pages * resource.getpagesize(), 0)
    return None
