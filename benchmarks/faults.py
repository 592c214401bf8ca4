"""What becomes of commands that something happens to: at each operation on files, then once more.

    python benchmarks/faults.py [--only COMMAND ...] [--kinds KIND ...] [--every N] [--json FILE]
    python benchmarks/faults.py --in-kernels 8 [--only COMMAND ...] [--json FILE]

A command runs on tiny inputs in a process that is ended, or refused by the system, at its first
operation on a file (opening one to write, renaming, making or removing), then at its second, and so
on. Ended by a signal or refused, it must leave no part of a file and show no traceback; killed, no
file that is half written, nor an old one beside a new one. Given once more (with --resume or
--overwrite where it says so) it must end with the bytes of an undisturbed run. What lasts from the
beginning on is tried once: nobody reads standard output, there are no compiled kernels, no place
for them, or they are removed again and again.

With --in-kernels, signals come while kernels are at work instead, with one thread and with two.
"""

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from typing import Any

from program import run_program

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the tests stand beside the packages

from tests.fuzz.fault_cases import CASES, Case  # noqa: E402
from tests.fuzz.faults import (  # noqa: E402
    CACHES,
    FAULTS,
    ONCE,
    SIGNALS,
    Ending,
    count_operations,
    try_fault,
)
from tests.fuzz.kernel_signals import chosen_moments, try_signal  # noqa: E402

SHOWN = 3


def tried(
    case: Case, place: Path, operations: int, expected: Ending, options: argparse.Namespace
) -> Iterator[tuple[str, str, str]]:
    """Each fault of a command: its kind, when it came, and what was wrong then, or ""."""
    for kind in options.kinds:
        for at in (0,) if kind in ONCE else range(1, operations + 1, options.every):
            yield kind, f"operation {at}", try_fault(case, place / "hurt", kind, at, expected)
            rmtree(place / "hurt")


def tried_in_kernels(
    case: Case, place: Path, expected: Ending, number: int
) -> Iterator[tuple[str, str, str]]:
    """The same for signals while kernels are at work."""
    for threads in (1, 2):
        for moment in chosen_moments(case, place / "calls", threads, -(-number // 2)):
            yield moment.kind, f"{moment}", try_signal(case, place / "hurt", moment, expected)
            rmtree(place / "hurt")
        rmtree(place / "calls")


def measure(case: Case, place: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Try the faults of a command; print its row and the first complaints."""
    operations, expected = count_operations(case, place / "undisturbed")
    record: dict[str, Any] = {"operations": operations, "complaints": []}
    counts: Counter[str] = Counter()
    faults = (
        tried_in_kernels(case, place, expected, options.in_kernels)
        if options.in_kernels
        else tried(case, place, operations, expected, options)
    )
    for kind, at, complaint in faults:
        counts["tried"] += 1
        if complaint:
            counts[kind] += 1
            record["complaints"].append([kind, at, complaint])
    cells = "".join(f"{counts[kind]:>12}" for kind in options.kinds)
    record["tried"] = counts["tried"]
    print(f"{case.name:28}{operations:>11}{counts['tried']:>7}{cells}", flush=True)
    kinds: Counter[str] = Counter()
    for kind, at, complaint in record["complaints"]:
        kinds[complaint[:40]] += 1
        if kinds[complaint[:40]] == 1 and len(kinds) <= SHOWN:
            print(f"    {kind} at {at}: {complaint[:400]}")
    return record


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the table."""
    heads = "".join(f"{kind:>12}" for kind in options.kinds)
    print(f"{'command':28}{'operations':>11}{'tried':>7}{heads}")
    record = {}
    with TemporaryDirectory() as place:
        seeds = Path(place) / "seeds"
        seeds.mkdir()
        make = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.campaign", "--folder", str(seeds)]
        subprocess.run(make, cwd=ROOT, check=True, stderr=subprocess.DEVNULL)
        for name in options.only:
            folder = Path(place) / "case"
            folder.mkdir()
            record[name] = measure(Case(name, seeds), folder, options)
            rmtree(folder)
    print(f"{sum(found['tried'] for found in record.values())} tried")
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=[*CASES], default=[*CASES], metavar="C")
    quick = [kind for kind in FAULTS if kind not in CACHES]
    parser.add_argument(
        "--kinds", nargs="+", choices=[*FAULTS], default=quick, metavar="KIND",
        help="default: all but those of compiled kernels, which take a minute each",
    )  # fmt: skip
    parser.add_argument("--every", type=int, default=1, metavar="N", help="each Nth operation only")
    parser.add_argument(
        "--in-kernels", type=int, default=0, metavar="N",
        help="N signals to each command while its kernels are at work, nothing else",
    )  # fmt: skip
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all complaints")
    options = parser.parse_args(arguments)
    if options.in_kernels:
        options.kinds = [*SIGNALS]
    return options


if __name__ == "__main__":
    run_program("faults.py", parse(), run)
