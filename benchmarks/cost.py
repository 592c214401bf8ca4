"""Memory and CPU time of training, measured.

The constants of isogloss/doctor/training_cost.py come from here.

    python benchmarks/cost.py A C [--data FOLDER] [--threads N]

Runs `isogloss align --lowercase` on parts of the mixtures of benchmarks/mixtures.py, without
labels and with them, and on the whole one three times over (more cells, the same pairs of word
types). Prints what was measured beside what isogloss.doctor.training_cost says, and the
least-squares constants. Run it twice: the first time compiles.
"""

import argparse
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mixtures import DATA, SET_UPS, Mixture, read_set_up, write_bitext
from processes import isogloss, run_measured

from isogloss.align.model.cooccurrence import build_pair_index, cell_offsets
from isogloss.doctor.training_cost import training_cost


@dataclass(frozen=True)
class Run:
    """A run: size of the text, number of domains, peak megabytes, CPU seconds."""

    name: str
    cells: int
    type_pairs: int
    domains: int
    megabytes: float
    seconds: float


def measure(arguments: list[str], threads: int) -> tuple[float, float]:
    """Peak megabytes and CPU seconds of `isogloss align`."""
    more = ("--lowercase", "-q", "--threads", threads, "-o", os.devnull)
    cost = run_measured(isogloss("align", *arguments, *more))
    return cost.megabytes, cost.user + cost.system


def runs(name: str, mixture: Mixture, threads: int) -> Iterator[Run]:
    """A quarter, half and all of a mixture, flat and labeled; all of it three times, flat."""
    whole = len(mixture.bitext)
    for size, times in ((whole // 4, 1), (whole // 2, 1), (whole, 1), (whole, 3)):
        part = mixture.bitext.select(np.arange(size))
        cells = times * int(cell_offsets(part)[-1])
        type_pairs = len(build_pair_index(part)[0])
        with tempfile.TemporaryDirectory() as folder:
            options = write_bitext(part, Path(folder), times)
            label = f"{name}, {size} pairs" + (f" x {times}" if times > 1 else "")
            yield Run(label, cells, type_pairs, 1, *measure(options[:2], threads))
            if times == 1:
                domains = len(part.domains) + 1
                yield Run(label, cells, type_pairs, domains, *measure(options, threads))


def fit(found: list[Run]) -> None:
    """Print the constants that fit best, each run weighted by the inverse of its cost."""
    cells, types = (np.array([getattr(r, k) for r in found]) / 1e6 for k in ("cells", "type_pairs"))
    further = np.array([run.domains - 1.0 for run in found])
    one = np.ones(len(found))
    columns = np.stack([one, cells, types, types * further], axis=1)
    for what, key in (("memory", "megabytes"), ("time", "seconds")):
        value = np.array([getattr(run, key) for run in found])
        constants, *_ = np.linalg.lstsq(columns / value[:, None], one, rcond=None)
        error = 100 * (columns @ constants / value - 1)
        print(f"{what}: {np.round(constants, 2).tolist()}, off by {np.abs(error).max():.0f} %")


def main() -> None:
    """Print a line per run, and the constants."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("set_ups", nargs="+", choices=sorted(SET_UPS))
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    found: list[Run] = []
    print("run, domains: measured / estimated MB, measured / estimated CPU s")
    for name in options.set_ups:
        for run in runs(name, read_set_up(options.data, SET_UPS[name]), options.threads):
            cost = training_cost(run.cells, run.type_pairs, run.domains)
            print(
                f"{run.name}, {run.domains}: {run.megabytes:.0f} / {cost.megabytes:.0f} MB, "
                f"{run.seconds:.0f} / {cost.cpu_seconds:.0f} s",
                flush=True,
            )
            found.append(run)
    fit(found)


if __name__ == "__main__":
    main()
