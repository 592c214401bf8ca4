"""A part of a campaign in a process of its own: `python -m tests.fuzz.campaign READER ...`.

For benchmarks/fuzz.py. A line of JSON is written when a trial begins and when it ends, so that
whoever started the process knows which trial a signal or a hang was in.
"""

import argparse
import json
import os
import resource
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from tests.fuzz.readers import READERS
from tests.fuzz.seeds import make_seeds
from tests.fuzz.trials import trials
from tests.fuzz.whole_commands import OPTIONS, WHOLE_COMMANDS

__all__ = ["main"]

ALL = {**READERS, **WHOLE_COMMANDS, **OPTIONS}


class _TooLongError(Exception):
    """A trial that takes longer than it may."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError("no end in sight")


def _run(options: argparse.Namespace) -> None:
    """Carry out trials, telling of each what became of it."""
    report = os.fdopen(os.dup(1), "w")  # what readers write is no report
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2) if not options.loud else (1,):
        os.dup2(null, stream)
    reader = ALL[options.reader]
    numbers = range(options.begin, options.end)
    found = trials(options.reader, reader, options.folder, numbers, options.seed)
    reader.call(options.folder)  # kernels are loaded, or compiled, before the clock
    limit = options.memory << 20
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    signal.signal(signal.SIGALRM, _stop)
    for number in range(options.begin, options.end):
        print(json.dumps({"number": number}), file=report, flush=True)
        signal.setitimer(signal.ITIMER_REAL, options.seconds)
        trial = next(found)
        signal.setitimer(signal.ITIMER_REAL, 0)
        outcome = "hang" if "_TooLongError" in trial.detail else trial.outcome
        told = {"number": number, "outcome": outcome, "detail": trial.detail}
        print(json.dumps(told), file=report, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Write the names of readers and commands, make the seeds, or carry out some trials."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("reader", nargs="?", choices=[*ALL])
    parser.add_argument("--folder", type=Path, help="seeds; without a reader: where to make them")
    parser.add_argument("--begin", type=int, default=0)
    parser.add_argument("--end", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10.0, help="that a trial may take")
    parser.add_argument("--memory", type=int, default=4096, help="MiB of address space")
    parser.add_argument("--loud", action="store_true", help="what readers write to stderr, too")
    options = parser.parse_args(arguments)
    if options.reader:
        _run(options)
    elif options.folder:
        make_seeds(options.folder)
    else:
        kinds = {"readers": READERS, "commands": WHOLE_COMMANDS, "options": OPTIONS}
        json.dump({kind: [*found] for kind, found in kinds.items()}, sys.stdout)


if __name__ == "__main__":
    main()
