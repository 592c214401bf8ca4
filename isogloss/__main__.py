"""`python -m isogloss`, and the program `isogloss`."""

import gc
import os
import sys
from contextlib import suppress
from typing import NoReturn

_SIGNALLED = 128  # statuses above it say which signal has stopped a command
# Ray tells of lost workers on standard output, between results. A command tells it itself
_SILENT_RAY = {"RAY_DEDUP_LOGS": "1", "RAY_DEDUP_LOGS_SKIP_REGEX": "^"}


def run() -> NoReturn:
    """Entry point."""
    os.environ.update(_SILENT_RAY)
    try:
        from .program import main

        status = main(alone=False)
    except KeyboardInterrupt:  # while it starts; afterwards main says which command was stopped
        sys.stderr.write("isogloss: interrupted\n")
        sys.exit(130)
    if status > _SIGNALLED:
        _end(status)
    # what is in memory isn't taken apart: msgspec's types crash at times when it is (its issue 717)
    gc.freeze()
    sys.exit(status)


def _end(status: int) -> NoReturn:
    """End the process at once: a thread may be in a kernel, below which nothing is to vanish."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # the reader is gone, the disk is full
            stream.flush()
    os._exit(status)


if __name__ == "__main__":
    run()
