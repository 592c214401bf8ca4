"""Commands in processes of their own: what they took of time and memory."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from isogloss.align import IsoglossError

__all__ = ["Cost", "isogloss", "run_measured"]

# a small process in between: the peak memory of a child counts that of the one it was forked from
WATCH = """
import json, resource, subprocess, sys, time
start = time.perf_counter()
status = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
wall = time.perf_counter() - start
usage = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([usage.ru_utime, usage.ru_stime, wall, usage.ru_maxrss * 1024 / 1e6]))
sys.exit(status)
"""


@dataclass(frozen=True)
class Cost:
    """Seconds of user and system time (children and threads included) and of wall time; peak MB."""

    user: float
    system: float
    wall: float
    megabytes: float


def isogloss(*arguments: object) -> list[str]:
    """The command line of the program in this environment."""
    return [sys.executable, "-m", "isogloss", *map(str, arguments)]


def run_measured(
    command: Sequence[str],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> Cost:
    """Run a command, its output thrown away.

    environment: added to that of this process; folder: to run it in, this one's if None
    Raises IsoglossError with the end of what it wrote to stderr where it fails.
    """
    done = subprocess.run(
        [sys.executable, "-c", WATCH, *command],
        capture_output=True,
        text=True,
        env={**os.environ, **(environment or {})},
        cwd=folder,
    )
    if done.returncode:
        said = " | ".join(done.stderr.strip().splitlines()[-3:])
        raise IsoglossError(f"{' '.join(command[:6])} ... ended with {done.returncode}: {said}")
    return Cost(*json.loads(done.stdout))
