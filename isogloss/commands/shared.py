"""Options that several commands have."""

import os
from dataclasses import dataclass

from ..options import option, positive

__all__ = ["CommonOptions"]

_THREADS = min(2, os.cpu_count() or 1)


@dataclass(frozen=True)
class CommonOptions:
    """What every command takes.

    seed: random seed
    threads: threads; they never change a result
    quiet: only warnings and errors
    verbose: a line per iteration
    """

    seed: int = 1
    threads: int = option(default=_THREADS, parse=positive)
    quiet: bool = option("-q", default=False)
    verbose: bool = option("-v", default=False)

    @property
    def verbosity(self) -> int:
        """-1 = warnings and errors only, 0 = a line per stage, 1 = a line per iteration."""
        return -1 if self.quiet else 1 if self.verbose else 0
