"""What training on a cluster costs: CPU, bytes between nodes, memory, beside one machine.

    python benchmarks/cluster.py [SET-UP] [--times K] [--nodes 1 2 4] [--data FOLDER]

Trains on K copies of a mixture of benchmarks/mixtures.py, each of which has rare words of its own
(benchmarks/train_on.py), with one thread, then on simulated nodes of Ray, each a process with one
thread, all of this machine. Models are compared. CPU is that of all processes, Ray's own too; bytes
are those that pass from one node to another, or to and from who asks, by kind of step. Needs
isogloss[distributed].
"""

import argparse
import os
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import DATA, SET_UPS, read_set_up
from train_on import copies

import isogloss as ig
from isogloss.align.execution.cluster import LOCAL
from isogloss.align.execution.cluster_groups import ClusterGroup
from isogloss.align.execution.groups import LocalGroup, Workers
from isogloss.align.training.em import Trainer
from isogloss.align.training.member import Member
from isogloss.align.training.sharded import ShardedTrainer

TICKS = os.sysconf("SC_CLK_TCK")
OWN = 5  # occurrences of words that each copy has to itself
RAY = ("raylet", "gcs_server", "plasma_store")  # Ray's processes that move things


def cpu_seconds(usage: Any) -> float:
    """User and system time."""
    return float(usage.ru_utime + usage.ru_stime)


def usage_there(member: Member) -> tuple[float, int]:
    """CPU seconds and peak memory in MB of a worker's process."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return cpu_seconds(usage), usage.ru_maxrss // 1024


def seconds_of_ray() -> float:
    """CPU seconds of Ray's processes on this machine."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*/stat"):
        name, _, rest = process.read_text().partition("(")[2].rpartition(")")
        if name in RAY:
            ticks += sum(map(int, rest.split()[11:13]))
    return ticks / TICKS


def num_bytes(value: object) -> int:
    """Bytes of the arrays in a value."""
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, tuple | list):
        return sum(map(num_bytes, value))
    if is_dataclass(value):
        return sum(num_bytes(getattr(value, field.name)) for field in fields(value))
    return 0


class CountingGroup(LocalGroup[Member]):
    """Members of this process; counts what would go over the network.

    moved: bytes by what is asked
    """

    def __init__(self, size: int) -> None:
        super().__init__([Member(1) for _ in range(size)])
        self.moved: dict[str, int] = defaultdict(int)
        self._givers: dict[int, int] = {}  # by identity of what was given

    def ask(self, number: int, task: Callable[..., Any], *arguments: Any, parts: int = 0) -> Any:
        """Count what a member is given by others, and what it tells."""
        name = task.__name__
        for value in arguments:
            if self._givers.get(id(value)) != number:
                self.moved[name] += num_bytes(value)
        result = super().ask(number, task, *arguments, parts=parts)
        if parts:
            self._givers.update((id(part), number) for part in result[: self.size])
            result_told = result[self.size :]
        else:
            result_told = [result]
        self.moved[name] += sum(map(num_bytes, result_told))
        return result


def run(trainer: Trainer) -> Iterator[str]:
    """All iterations of a flat model; the stage of each as it ends."""
    everything = np.zeros((2, len(trainer.bitext), 1))
    for stage, number in trainer.options.schedule:
        trainer.iterate(stage, number, everything)
        yield stage


def on_one_machine(bitext: ig.Bitext) -> tuple[list[object], Trainer]:
    """A row of the table, and the trainer."""
    before, start = cpu_seconds(resource.getrusage(resource.RUSAGE_SELF)), time.perf_counter()
    trainer = Trainer(bitext, ig.AlignerOptions())
    for _ in run(trainer):
        pass
    seconds = cpu_seconds(resource.getrusage(resource.RUSAGE_SELF)) - before
    return ["one machine", seconds, time.perf_counter() - start, "", "", "", ""], trainer


def on_nodes(bitext: ig.Bitext, nodes: int, one: Trainer) -> list[object]:
    """A row of the table. Raises AssertionError for another model."""
    own = resource.getrusage(resource.RUSAGE_SELF)
    usage = import_module("cluster").usage_there  # by a name that workers know
    start = time.perf_counter()
    with ClusterGroup(partial(Member, 1), Workers(LOCAL, nodes)) as group:
        idle = [group.ask(number, usage) for number in range(nodes)]
        started = sum(seconds for seconds, _ in group.results(idle)) + seconds_of_ray()
        trainer = ShardedTrainer(bitext, ig.AlignerOptions(), group=group)
        for _ in run(trainer):
            pass
        wall = time.perf_counter() - start
        used = group.results([group.ask(number, usage) for number in range(nodes)])
        ray = seconds_of_ray()
        assert trainer.state()[0] == one.state()[0], "another model"
    seconds = sum(seconds for seconds, _ in used) + ray - started
    seconds += cpu_seconds(resource.getrusage(resource.RUSAGE_SELF)) - cpu_seconds(own)
    moved = bytes_by_stage(bitext, nodes)
    return [
        f"{nodes} nodes", seconds, wall, max(memory for _, memory in used),
        moved["reading"] / 1e6, moved["model1"] / 1e6, moved["hmm"] / 1e6,
    ]  # fmt: skip


def bytes_by_stage(bitext: ig.Bitext, nodes: int) -> Mapping[str, float]:
    """Bytes that move while text is read, and in the largest iteration of each stage."""
    group = CountingGroup(nodes)
    trainer = ShardedTrainer(bitext, ig.AlignerOptions(), group=group)
    found: dict[str, float] = {"reading": sum(group.moved.values())}
    before = found["reading"]
    for stage in run(trainer):
        total = sum(group.moved.values())
        found[stage] = max(found.get(stage, 0.0), total - before)
        before = total
    return found


def main() -> None:
    """Read the options and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set_up", nargs="?", default="C", choices=SET_UPS, metavar="SET-UP")
    parser.add_argument("--times", type=int, default=1, metavar="K", help="copies of the mixture")
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    mixture = read_set_up(options.data, SET_UPS[options.set_up]).bitext
    sides = (copies(side, options.times, OWN) for side in (mixture.source, mixture.target))
    bitext = ig.Bitext.unlabeled(*map(ig.Corpus.from_sentences, sides))
    ig.train(["a b"], ["c d"])  # compiles, or reads kernels
    bytes_by_stage(bitext[:3000], 2)
    print(f"{options.set_up}, {len(bitext):,} pairs, no labels")
    names = ("", "CPU s", "wall s", "MB a worker", "MB to begin", "MB Model 1", "MB HMM")
    print("  ".join(f"{name:>11}" for name in names))
    row, one = on_one_machine(bitext)
    for cells in [row, *(on_nodes(bitext, nodes, one) for nodes in options.nodes)]:
        shown = (f"{cell:.1f}" if isinstance(cell, float) else str(cell) for cell in cells)
        print("  ".join(f"{cell:>11}" for cell in shown), flush=True)


if __name__ == "__main__":
    main()
