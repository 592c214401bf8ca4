"""How much of `align` runs on one thread only, by stage, and what more cores would give.

    python benchmarks/cores.py [SET-UP ...] [--times K] [--data FOLDER]

Aligns mixtures of benchmarks/mixtures.py without labels on two threads, K copies one after the
other. What the main thread computes meanwhile is serial: all that is done in parallel is done by
others. So the share needs no clock, and no idle machine. By Amdahl's law it gives the speed on more
cores, if memory is fast enough for them.
"""

import argparse
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mixtures import DATA, SET_UPS, read_set_up, write_bitext

import isogloss as ig
from isogloss.align.model.model import AlignmentModel
from isogloss.align.training import em

THREADS = 2  # the pool has threads of its own: with one, the main thread does everything
CORES = (4, 16, 64)
# what is timed while a model is trained and used
PARTS: list[tuple[Any, str, str]] = [
    (em, "build_pair_index", "indexing word pairs"),
    (em, "jump_classes", "word classes"),
    (em.Trainer, "expect", "E-steps"),
    (em, "estimate_lexical", "M-steps"),
    (em.Trainer, "_drop_rare", "pruning"),
    (AlignmentModel, "align", "linking"),
]


class Stages:
    """CPU seconds by stage: of the main thread, and of all."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        for part in PARTS:
            self.watch(*part)

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Add what a block takes to a stage."""
        main, everything = time.thread_time(), time.process_time()
        yield
        own = self.seconds.setdefault(name, [0.0, 0.0])
        own[0] += time.thread_time() - main
        own[1] += time.process_time() - everything

    def watch(self, owner: Any, function: str, name: str) -> None:
        """Have a function's calls timed from now on."""
        called: Callable[..., Any] = getattr(owner, function)

        def timed(*arguments: Any, **options: Any) -> Any:
            with self.timed(name):
                return called(*arguments, **options)

        setattr(owner, function, timed)


def align(source: Path, target: Path, stages: Stages) -> None:
    """Align two files, from reading to writing."""
    with stages.timed("everything"):
        with stages.timed("reading"):
            bitext = ig.read_bitext(source, target)
        model = ig.train(bitext, threads=THREADS)
        links = model.align(bitext, threads=THREADS)
        with stages.timed("writing"):
            links.unscored().save(os.devnull)


def print_table(stages: Stages) -> None:
    """CPU seconds of all threads, of the main one, and its share, by stage; then more cores."""
    serial, total = stages.seconds.pop("everything")
    others = [sum(column) for column in zip(*stages.seconds.values(), strict=True)]
    stages.seconds["else"] = [serial - others[0], total - others[1]]
    print(f"{'stage':22}  {'CPU s':>6}  {'serial':>6}  share")
    for name, (main, everything) in (*stages.seconds.items(), ("together", (serial, total))):
        share = 100 * main / max(everything, 1e-9)
        print(f"{name:22}  {everything:6.2f}  {main:6.2f}  {share:4.0f} %")
    for cores in CORES:
        print(f"{cores} cores: {total / (serial + (total - serial) / cores):.1f} times as fast")


def main() -> None:
    """Read the options and print a table for each set-up."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set_ups", nargs="*", default=["C"], choices=SET_UPS, metavar="SET-UP")
    parser.add_argument("--times", type=int, default=1, metavar="K")
    parser.add_argument("--data", type=Path, default=DATA)
    options = parser.parse_args()
    ig.train(["a b"], ["c d"], threads=THREADS)  # compiles, or reads kernels
    stages = Stages()
    for name in options.set_ups:
        bitext = read_set_up(options.data, SET_UPS[name]).bitext
        with TemporaryDirectory() as folder:
            write_bitext(bitext, Path(folder), options.times)
            stages.seconds.clear()
            align(Path(folder) / "source", Path(folder) / "target", stages)
        print(f"{name}, {options.times * len(bitext):,} pairs")
        print_table(stages)


if __name__ == "__main__":
    main()
