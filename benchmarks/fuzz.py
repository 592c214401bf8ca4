"""What becomes of input that has been tampered with: every reader, tens of thousands of times.

    python benchmarks/fuzz.py [--trials N] [--only READER ...] [--seed S] [--jobs N] [--json FILE]
    python benchmarks/fuzz.py --what commands ...  # whole commands, each file that they read
    python benchmarks/fuzz.py --what options ...  # whole commands, each number that they are given

Each reader runs in a process of its own, with 4 GiB of address space; a trial that takes more than
ten seconds, or ends the process, is counted, and the next one goes on in a new process. The
table: how many inputs were accepted and refused; crashes (a signal), hangs, foreign exceptions (and
warnings), and accepted nonsense. Below it, the first faults of each kind; the same trial again:

    python -m tests.fuzz.campaign READER --folder SEEDS --begin NUMBER --end NUMBER+1 --loud
"""

import argparse
import json
import queue
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from program import run_program

ROOT = Path(__file__).resolve().parents[1]
CAMPAIGN = [sys.executable, "-W", "ignore", "-m", "tests.fuzz.campaign"]
FAULTS = ("crash", "hang", "foreign", "nonsense")
COLUMNS = ("accepted", "refused", *FAULTS)
STUCK = 60.0  # seconds without a word from a process: it is beyond its own alarm
START = 300.0  # the same before its first word: kernels may be compiled
SHOWN = 3


class Reading:
    """The trials of one reader, in as many processes as it takes."""

    def __init__(self, reader: str, seeds: Path, options: argparse.Namespace) -> None:
        self.reader, self.options = reader, options
        self.folder = seeds.with_name(f"work-{reader.replace('/', '-')}")
        shutil.copytree(seeds, self.folder)
        self.counts: Counter[str] = Counter()
        self.faults: list[dict[str, Any]] = []

    def run(self) -> "Reading":
        """Carry out all trials."""
        begin = self.options.begin
        while begin < self.options.begin + self.options.trials:
            begin = self._go_on(begin)
        shutil.rmtree(self.folder)
        return self

    def _go_on(self, begin: int) -> int:
        """Trials from ``begin`` on until a process ends; returns where the next one begins."""
        end = self.options.begin + self.options.trials
        shutil.rmtree(self.folder)
        shutil.copytree(self.folder.with_name("seeds"), self.folder)
        command = [*CAMPAIGN, self.reader, "--folder", str(self.folder), "--begin", str(begin),
                   "--end", str(end), "--seed", str(self.options.seed)]  # fmt: skip
        child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        number, outcome = begin - 1, ""
        for line in _lines(child):
            record = {"outcome": "", **json.loads(line)}
            number, outcome = record["number"], record["outcome"]
            self._count(record)
        stuck = child.poll() is None
        if stuck:
            child.kill()
        status = child.wait()
        if number < begin:
            raise RuntimeError(f"{self.reader}: the process ended with {status} at its start")
        if not outcome:  # the trial had begun
            detail = "no word" if stuck else f"ended with {status}"
            outcome = "hang" if stuck else "crash"
            self._count({"number": number, "outcome": outcome, "detail": detail})
        return number + 1

    def _count(self, record: dict[str, Any]) -> None:
        if record["outcome"]:
            self.counts[record["outcome"]] += 1
        if record["outcome"] in FAULTS:
            self.faults.append(record)


def _lines(child: "subprocess.Popen[str]") -> Any:
    """Lines that a process writes, until it ends or says nothing for too long."""
    said: queue.Queue[str | None] = queue.Queue()

    def listen() -> None:
        assert child.stdout
        for line in child.stdout:
            said.put(line)
        said.put(None)

    threading.Thread(target=listen, daemon=True).start()
    patience = START
    while True:
        try:
            line = said.get(timeout=patience)
        except queue.Empty:
            return
        if line is None:
            child.wait()
            return
        yield line
        patience = STUCK


def show(reading: Reading) -> None:
    """Print the row of a reader, and its first faults."""
    counts = reading.counts
    cells = "".join(f"{counts[name]:>10}" for name in COLUMNS)
    print(f"{reading.reader:32}{sum(counts.values()):>9}{cells}", flush=True)
    kinds: Counter[tuple[str, str]] = Counter()
    for fault in reading.faults:
        kind = (fault["outcome"], fault["detail"].partition(": ")[2][:30])
        kinds[kind] += 1
        if kinds[kind] == 1 and len(kinds) <= SHOWN + reading.options.verbose * 99:
            print(f"    {fault['outcome']} in trial {fault['number']}: {fault['detail'][:300]}")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the table."""
    known = json.loads(subprocess.check_output(CAMPAIGN, cwd=ROOT))
    names = known[options.what]
    chosen = [name for name in names if not options.only or name in options.only]
    heads = "".join(f"{name:>10}" for name in COLUMNS)
    print(f"{'reader':32}{'inputs':>9}{heads}")
    total: Counter[str] = Counter()
    record: dict[str, Any] = {}
    with TemporaryDirectory() as place, ThreadPoolExecutor(options.jobs) as pool:
        seeds = Path(place) / "seeds"
        seeds.mkdir()
        subprocess.run([*CAMPAIGN, "--folder", str(seeds)], cwd=ROOT, check=True)
        readings = [Reading(name, seeds, options) for name in chosen]
        for reading in pool.map(Reading.run, readings):
            show(reading)
            total.update(reading.counts)
            record[reading.reader] = {"counts": reading.counts, "faults": reading.faults}
    cells = "".join(f"{total[name]:>10}" for name in COLUMNS)
    print(f"{'all':32}{sum(total.values()):>9}{cells}")
    return record


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--what", choices=("readers", "commands", "options"), default="readers")
    parser.add_argument("--trials", type=int, default=5000, metavar="N", help="of each reader")
    parser.add_argument("--begin", type=int, default=0, metavar="N", help="number of the first")
    parser.add_argument("--only", nargs="+", default=(), metavar="READER")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at a time")
    parser.add_argument("--verbose", action="store_true", help="a fault of every kind")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all faults")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("fuzz.py", parse(), run)
