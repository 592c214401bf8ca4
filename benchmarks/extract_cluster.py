"""What extraction on a cluster costs: CPU and memory of all processes, beside one machine.

    python benchmarks/extract_cluster.py [COPIES] [--nodes 1 2 4] [--max-memory SIZE] [--data DIR]

Runs `isogloss extract` on copies of the 38,766 pairs of the en-es mixture with given links, each
with words of its own, then with `--cluster local` on simulated nodes of Ray, each a process with
one thread, all of this machine, and compares the tables. CPU is that of the command and of its
workers, less what a text of one pair takes; Ray's own processes, which take some all the time,
stand apart. Memory is the largest of the command and of a worker. Needs isogloss[distributed].
"""

import argparse
import filecmp
import os
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from mixtures import DATA
from phrase_tables import linked_mixture, write_copied_links, write_copies
from processes import isogloss

TICKS = os.sysconf("SC_CLK_TCK")
PAUSE = 0.2  # seconds between looks at the processes


class Seen(NamedTuple):
    """What was last seen of a process: CPU seconds, and its peak memory in MB."""

    name: str
    seconds: float
    megabytes: int


def look(root: int) -> Iterator[tuple[int, Seen]]:
    """All processes that began with a process."""
    parents, seen = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name, _, rest = (folder / "stat").read_text().partition("(")[2].rpartition(")")
            status = (folder / "status").read_text()
        except OSError:  # it has ended
            continue
        fields, pid = rest.split(), int(folder.name)
        peak = status.partition("VmHWM:")[2].split()[:1]
        parents[pid] = int(fields[1])
        seconds = sum(map(int, fields[11:13])) / TICKS
        seen[pid] = Seen(name, seconds, int(peak[0]) // 1024 if peak else 0)
    for pid, found in seen.items():
        above = pid
        while above in parents and above != root:
            above = parents[above]
        if above == root:
            yield pid, found


class Cost(NamedTuple):
    """CPU seconds of a command with its workers, and of Ray; wall seconds; peak MB of both."""

    seconds: float
    ray: float
    wall: float
    megabytes: int
    worker: int


def measured(command: Sequence[str]) -> Cost:
    """What a command takes."""
    begun, every = time.perf_counter(), dict[int, Seen]()
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            for pid, found in look(process.pid):  # memory is no longer told of one that ends
                peak = max(found.megabytes, every[pid].megabytes if pid in every else 0)
                every[pid] = found._replace(megabytes=peak)
            time.sleep(PAUSE)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    own = every.pop(process.pid)
    workers = [other for other in every.values() if other.name.startswith("ray::")]
    return Cost(
        own.seconds + sum(worker.seconds for worker in workers),
        sum(other.seconds for other in every.values() if other not in workers),
        time.perf_counter() - begun,
        own.megabytes,
        max((worker.megabytes for worker in workers), default=0),
    )


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("copies", nargs="?", type=int, default=2, metavar="COPIES")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--max-memory", default="450M")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    bitext, links = linked_mixture(options.data)
    places = {"one machine": list[str]()}
    for nodes in options.nodes:
        places[f"{nodes} nodes"] = ["--cluster=local", f"--nodes={nodes}", "--threads=1"]
    print(
        "  ".join(
            f"{name:>11}"
            for name in ("", "CPU s", "to start", "Ray CPU s", "wall s", "MB", "MB worker")
        )
    )
    with tempfile.TemporaryDirectory() as folder:
        text = [Path(folder) / name for name in ("source", "target", "links")]
        write_copies(bitext, options.copies, Path(folder))
        write_copied_links(links, options.copies, text[2])
        small = [Path(folder) / f"small.{name}" for name in ("source", "target", "links")]
        for file, line in zip(small, ("a", "b", "0-0"), strict=True):
            file.write_text(f"{line}\n")
        for name, place in places.items():
            common = [*place, "-q", "--max-memory", options.max_memory, "-o"]
            started = measured(isogloss("extract", *small, *common, f"{folder}/small")).seconds
            table = f"{folder}/{name.replace(' ', '-')}"
            cost = measured(isogloss("extract", *text, *common, table))
            if not filecmp.cmp(f"{folder}/one-machine", table, shallow=False):
                raise SystemExit(f"{name}: another table")
            if place:
                Path(table).unlink()
            times = cost.seconds - started, started, cost.ray, cost.wall
            cells = [name, *(f"{seconds:.1f}" for seconds in times), cost.megabytes, cost.worker]
            print("  ".join(f"{cell:>11}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
