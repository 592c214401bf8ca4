"""LP-MERT on real lists: against MERT on few sentences, by cosine, and with a beam on many.

    python benchmarks/lp_mert.py [--only subsets enumeration cosine beam] [--subsets N]
                                 [--sizes 2 4 8] [--max-checks N] [--processes N] [--json FILE]
                                 [--data FOLDER]

Lists: three tuning runs of a Spanish-English system, about 205 distinct hypotheses for each of
1,000 sentences, 14 features; the loss of a hypothesis is 1 - BLEU+1. subsets: exact LP-MERT from
the system's start weights, and MERT with 20 random restarts, on random subsets (Figure 5 of Galley
& Quirk 2011); gaps in points of the mean BLEU+1. A subset whose search needs more than --max-checks
is counted as not finished, and never as exact. enumeration: combinations checked by the paper's
Algorithm 2 and by best-first search on the same subsets (Table 1). cosine: CPU by the least cosine
to what MERT finds (Figure 7). beam: corpus BLEU of MERT and of LP-MERT with a beam (Table 2).
"""

import argparse
import multiprocessing
import time
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import DATA
from program import run_program

from tune.examples import Examples
from tune.metrics.bleu import Bleu
from tune.nbest.types import read_nbest
from tune.optimizers.lp_mert.losses import by_sentence
from tune.optimizers.lp_mert.tune import LpMertOptions, LpMertResult, tune_lp_mert
from tune.optimizers.mert import MertOptions, tune_mert
from tune.references import read_references
from tune.weights.weights import Weights

FOLDER = "nbest-es-en"
RUNS = ("run1.best100.gz", "run2.best100.gz", "run3.best100.gz")
START = "run1.weights"
COSINES = (0.999999, 0.99999, 0.9999, 0.999, 0.99, 0.95, 0.84)
COSINE_SIZES = (8, 32, 128, 1000)
BEAM_SIZES = (32, 64, 128, 256, 512, 1024)
RESTARTS = MertOptions(random_restarts=20)
ROUNDING = 1e-9


@dataclass(frozen=True)
class Lists:
    """Measured lists, and the weights that the system started from."""

    examples: Examples
    start: Weights

    @classmethod
    def read(cls, data: Path) -> "Lists":
        """Read and measure."""
        folder = data / FOLDER
        references = read_references([folder / f"tune.en.{k}" for k in range(4)])
        lists = read_nbest([folder / name for name in RUNS], len(references))
        examples = Examples.from_nbest(lists, references, Bleu())
        return cls(examples, Weights.read(folder / START).over(lists.space))

    def subset(self, size: int, number: int) -> Examples:
        """A random subset, always the same of a size and number."""
        rng = np.random.default_rng([size, number])
        return self.examples.select(rng.choice(len(self.examples), size, replace=False))


@dataclass(frozen=True)
class Trial:
    """What one subset gave.

    lp, mert: mean BLEU+1, 0 to 100; finished: whether LP-MERT is exact; checked: combinations
    tested, of all sentences, and of any; magnitude: log10 of how many there are of all sentences;
    seconds: CPU of LP-MERT
    """

    lp: float
    mert: float
    finished: bool
    checked: tuple[int, int]
    magnitude: float
    programs: int
    seconds: float

    @property
    def gap(self) -> float:
        """By how much LP-MERT is better."""
        return self.lp - self.mert


def timed(examples: Examples, lists: Lists, **options: Any) -> tuple[LpMertResult, float]:
    """LP-MERT and its CPU seconds."""
    begin = time.process_time()
    rng = np.random.default_rng(1)
    result = tune_lp_mert(examples, lists.start, LpMertOptions(**options), rng)
    return result, time.process_time() - begin


_INHERITED: list[Lists] = []  # by processes as they are forked: too large to send with each subset


def run_trial(size: int, search: str, max_checks: int, number: int) -> Trial:
    """LP-MERT and MERT on one subset."""
    lists = _INHERITED[-1]
    examples = lists.subset(size, number)
    result, seconds = timed(examples, lists, search=search, max_checks=max_checks)
    mean = by_sentence(examples)
    mert = tune_mert(mean, lists.start, RESTARTS, np.random.default_rng(number))
    return Trial(
        100.0 * mean.best_score(result.weights),
        100.0 * mean.best_score(mert.weights),
        result.exact,
        (int(result.checked[-1]), int(result.checked.sum())),
        result.magnitude,
        result.programs,
        seconds,
    )


def run_trials(
    lists: Lists, size: int, search: str, numbers: Iterable[int], options: argparse.Namespace
) -> list[Trial]:
    """Trials on several processes."""
    _INHERITED.append(lists)
    work = partial(run_trial, size, search, options.max_checks)
    with multiprocessing.get_context("fork").Pool(options.processes) as pool:
        return pool.map(work, numbers, chunksize=1)


def run_subsets(lists: Lists, options: argparse.Namespace) -> dict[str, Any]:
    """Figure 5 and Table 1."""
    print(f"\nLP-MERT less MERT on {options.subsets} subsets: points of mean BLEU+1")
    print(
        f"  {'S':>3}{'exact':>7}{'below':>7}{'equal':>7}{'above':>7}{'mean':>7}{'median':>8}"
        f"{'90 %':>7}{'max':>7}{'full':>9}{'checked':>10}{'of':>9}{'CPU s':>8}{'90 %':>7}{'max':>7}"
    )
    record: dict[str, Any] = {}
    for size in options.sizes:
        trials = run_trials(lists, size, "exact", range(options.subsets), options)
        record[str(size)] = [vars(trial) for trial in trials]
        show_trials(size, trials)
    return record


def show_trials(size: int, trials: list[Trial]) -> None:
    """A line, and one on what is not finished."""
    exact = [trial for trial in trials if trial.finished]
    gaps = np.array([trial.gap for trial in exact])
    below, above = (gaps < -ROUNDING).sum(), (gaps > ROUNDING).sum()
    full, checked = np.mean([trial.checked for trial in exact], axis=0)
    seconds = np.array([trial.seconds for trial in exact])
    every = 10.0 ** np.mean([trial.magnitude for trial in trials])
    print(
        f"  {size:3}{len(exact):7}{below:7}{len(exact) - below - above:7}{above:7}"
        f"{gaps.mean():7.2f}{np.median(gaps):8.2f}{np.quantile(gaps, 0.9):7.2f}{gaps.max():7.2f}"
        f"{full:9.1f}{checked:10.0f}{every:9.0e}"
        f"{seconds.mean():8.2f}{np.quantile(seconds, 0.9):7.2f}{seconds.max():7.1f}",
        flush=True,
    )
    others = [trial.gap for trial in trials if not trial.finished]
    if others:
        ahead = (np.array(others) > ROUNDING).sum()
        behind = (np.array(others) < -ROUNDING).sum()
        print(
            f"      not finished: {len(others)}; what they had found is above MERT in {ahead}, "
            f"below in {behind}"
        )


def run_enumeration(lists: Lists, options: argparse.Namespace) -> dict[str, Any]:
    """Table 1 by both exact searches."""
    count = min(options.subsets, 20)
    print(f"\ncombinations checked on {count} subsets: mean; not finished; CPU s")
    print(f"  {'S':>3}  {'search':10}{'full':>10}{'any':>10}{'unfinished':>12}{'CPU s':>8}")
    record: dict[str, Any] = {}
    for size in options.sizes:
        for search in ("lazy", "exact"):
            trials = run_trials(lists, size, search, range(count), options)
            record[f"{size} {search}"] = [vars(trial) for trial in trials]
            full, every = np.mean([trial.checked for trial in trials], axis=0)
            unfinished = sum(not trial.finished for trial in trials)
            seconds = np.mean([trial.seconds for trial in trials])
            print(
                f"  {size:3}  {search:10}{full:10.0f}{every:10.0f}{unfinished:12}{seconds:8.2f}",
                flush=True,
            )
    return record


def run_cosine(lists: Lists, options: argparse.Namespace) -> dict[str, Any]:
    """Figure 7: CPU seconds by the least cosine, for sets of growing size."""
    print("\nCPU s of exact LP-MERT by least cosine to what MERT finds; - not finished")
    print("  " + f"{'S':>5}" + "".join(f"{cosine:>9}" for cosine in COSINES))
    record: dict[str, Any] = {}
    for size in COSINE_SIZES:
        examples = lists.examples.select(np.arange(min(size, len(lists.examples))))
        found = tune_mert(by_sentence(examples), lists.start, RESTARTS, np.random.default_rng(1))
        near = Lists(lists.examples, found.weights)
        print(f"  {len(examples):5}", end="", flush=True)
        for cosine in COSINES:
            result, seconds = timed(
                examples, near, search="exact", cosine=cosine, max_checks=options.max_checks
            )
            gain = result.epochs[0].loss - result.loss
            record[f"{size} {cosine}"] = {"seconds": seconds, "exact": result.exact, "gain": gain}
            print(f"{seconds:9.1f}" if result.exact else f"{'-':>9}", end="", flush=True)
            if not result.exact:
                break
        print(flush=True)
    return record


def run_beam(lists: Lists, options: argparse.Namespace) -> dict[str, Any]:
    """Table 2: corpus BLEU of MERT, of LP-MERT behind it, and of LP-MERT without it."""
    del options
    print("\nBLEU by number of sentences; CPU s (that of lp-mert without what mert takes)")
    print(f"  {'S':>5}{'mert':>8}{'lp-mert':>9}{'alone':>8}{'mert':>8}{'lp-mert':>9}{'alone':>8}")
    record: dict[str, Any] = {}
    for size in BEAM_SIZES:
        examples = lists.examples.select(np.arange(min(size, len(lists.examples))))
        begin = time.process_time()
        mert = tune_mert(examples, lists.start, RESTARTS, np.random.default_rng(1)).weights
        costs = [time.process_time() - begin]
        scores = [examples.best_score(mert)]
        for start in (mert, lists.start):
            result, seconds = timed(examples, Lists(examples, start), search="beam", mert=False)
            costs.append(seconds)
            scores.append(examples.best_score(result.weights))
        record[str(len(examples))] = {"scores": scores, "seconds": costs}
        print(
            f"  {len(examples):5}{scores[0]:8.2f}{scores[1]:9.2f}{scores[2]:8.2f}"
            f"{costs[0]:8.1f}{costs[1]:9.1f}{costs[2]:8.1f}",
            flush=True,
        )
    return record


TABLES = {
    "subsets": run_subsets,
    "enumeration": run_enumeration,
    "cosine": run_cosine,
    "beam": run_beam,
}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the tables that were asked for."""
    lists = Lists.read(options.data)
    few = lists.subset(2, 0)
    for search in ("exact", "lazy", "beam"):  # compiles
        timed(few, lists, search=search)
    return {name: TABLES[name](lists, options) for name in options.only}


def main() -> None:
    """Print the tables, and write all figures to a file where asked for."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=sorted(TABLES), default=list(TABLES))
    parser.add_argument("--subsets", type=int, default=1000)
    parser.add_argument("--sizes", type=int, nargs="+", default=[2, 4, 8])
    parser.add_argument("--max-checks", type=int, default=200_000)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json")
    run_program("lp_mert", parser.parse_args(), run)


if __name__ == "__main__":
    main()
