"""Optimizers on fixed n-best lists: what they reach, what it costs, beside the recorded peers.

    python benchmarks/tuning.py [--only reading | dense | sparse | cost | reranking]
                                [--optimizers NAME ...] [--seeds N] [--json FILE] [--data FOLDER]

(with OPENBLAS_NUM_THREADS=1 in the environment, where NumPy would take more than one thread)

dense: three tuning runs' 100-best lists of a Spanish-English system (283,203 hypotheses, 206,229 of
them distinct, 14 features, 1,000 sentences, 4 references): BLEU of the 1-best hypotheses, mean and
spread of the seeds, CPU of the optimizer on one thread. sparse: one list with 26,357 sparse
features: the same, active features, and BLEU on five folds of sentences, each judged by weights
that had no part of it; CPU of the training. cost: CPU of an epoch of AdaGrad-PRO in feature spaces
of growing size, same lists, and for lists with more and more entries per hypothesis. reading:
lists, duplicates and BLEU statistics. reranking: a task that is no translation,
examples/restore_accents.py on text of several domains: lists, weights, restored text, and whether
it is better, on folds of the tuning lines and on other lines. Spreads are standard deviations of
the seeds (n - 1), CPU is their mean. Nothing is counted that compiling takes: each optimizer runs
on a few sentences first.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import DATA
from processes import isogloss, run_measured
from program import run_program

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.features.space import FeatureSpace, is_sparse
from isogloss.tune.examples import Examples
from isogloss.tune.experiment import Plan, TuningSet, carry_out
from isogloss.tune.methods import OPTIMIZERS, Learner
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import read_nbest
from isogloss.tune.optimizers.oracle import measure_oracle
from isogloss.tune.references import read_references
from isogloss.tune.results import TuningResult
from isogloss.tune.weights.weights import Weights

FOLDER = "nbest-es-en"
RUNS = ("run1.best100.gz", "run2.best100.gz", "run3.best100.gz")
SPARSE = ("sparse-default.best100.gz",)
START = "run1.weights"
# of peers, on the same lists from the same start: BLEU, its spread over three seeds, user CPU s
RECORDED: dict[str, tuple[float, float, float]] = {
    "Moses mert, 20 restarts": (42.04, 0.11, 59.3),
    "cdec minimum risk": (42.00, 0.0, 23.0),
    "cdec PRO": (41.83, 0.01, 14.3),
    "Moses PRO": (41.53, 0.06, 2.0),
    "Moses kbmira, mended": (41.35, 0.06, 5.5),
    "cdec rampion": (41.30, 0.0, 3.6),
    "Moses kbmira, as shipped": (41.05, 0.09, 0.6),
}
ACCENTS = "en-es-multidomain"
SIZES = (10_000, 100_000, 1_000_000)
KEPT = (14, 60, 250, 1_000, 30_000)  # of the most frequent features


def read_lists(data: Path, names: Sequence[str]) -> tuple[Examples, Weights]:
    """Measured lists of the Spanish-English system, and the weights it started from."""
    folder = data / FOLDER
    references = read_references([folder / f"tune.en.{k}" for k in range(4)])
    lists = read_nbest([folder / name for name in names], len(references))
    examples = Examples.from_nbest(lists, references, Bleu())
    return examples, Weights.load(folder / START).to_space(lists.space)


def timed(
    learner: Learner, examples: Examples, start: Weights, seed: int
) -> tuple[float, TuningResult]:
    """CPU seconds of the process, and the result."""
    begin = time.process_time()
    result = learner(examples, start, np.random.default_rng(seed))
    return time.process_time() - begin, result


def learner_of(name: str) -> Learner:
    """An optimizer with its defaults."""
    method = OPTIMIZERS[name]
    return method.learner(method.defaults)


def warm(name: str, examples: Examples, start: Weights) -> None:
    """Compile what an optimizer needs."""
    few = examples.select(np.arange(min(12, len(examples))))
    learner_of(name)(few, start, np.random.default_rng(0), held_out=few)


def show_head(examples: Examples, start: Weights, title: str) -> dict[str, Any]:
    """What the lists hold and how much there is to gain."""
    potential = vars(measure_oracle(examples, start))
    print(
        f"\n{title}: {len(examples)} sentences, {len(examples.rows)} hypotheses, "
        f"{len(examples.space)} features"
    )
    print(
        "  BLEU: "
        + ", ".join(
            f"{name} {value:.2f}" for name, value in potential.items() if isinstance(value, float)
        )
    )
    return {"potential": potential}


def spread(scores: Sequence[float]) -> float:
    """Standard deviation of a sample, as the recorded ones."""
    return float(np.std(scores, ddof=1)) if len(scores) > 1 else 0.0


def run_dense(options: argparse.Namespace) -> dict[str, Any]:
    """All optimizers on dense lists."""
    examples, start = read_lists(options.data, RUNS)
    record = show_head(examples, start, " + ".join(RUNS))
    print(f"  {'':28}{'BLEU':>7}{'+-':>6}{'CPU s':>8}")
    for name, (bleu, deviation, seconds) in RECORDED.items():
        print(f"  {name + ' (recorded)':28}{bleu:7.2f}{deviation:6.2f}{seconds:8.1f}")
    for name in options.optimizers:
        warm(name, examples, start)
        learner = learner_of(name)
        found = [timed(learner, examples, start, seed) for seed in range(1, options.seeds + 1)]
        scores = [examples.best_score(result.weights) for _, result in found]
        seconds = np.mean([cost for cost, _ in found])
        record[name] = {"bleu": scores, "cpu_seconds": [round(cost, 2) for cost, _ in found]}
        print(f"  {name:28}{np.mean(scores):7.2f}{spread(scores):6.2f}{seconds:8.2f}", flush=True)
    return record


def run_sparse(options: argparse.Namespace) -> dict[str, Any]:
    """All optimizers on a list with sparse features: training, folds, active features."""
    examples, start = read_lists(options.data, SPARSE)
    record = show_head(examples, start, SPARSE[0])
    dense = dense_only(examples)
    print(f"  {'':20}{'':8}{'training':>9}{'5 folds':>9}{'+-':>6}{'active':>8}{'CPU s':>8}")
    for name in options.optimizers:
        for kind, own in (("dense", dense), ("sparse", examples)):
            if kind == "sparse" and not OPTIMIZERS[name].sparse:
                continue
            first = start.to_space(own.space)
            warm(name, own, first)
            figures = sparse_figures(name, own, first, options.seeds)
            record[f"{name}, {kind}"] = figures
            print(
                f"  {name:20}{kind:8}{np.mean(figures['training']):9.2f}"
                f"{np.mean(figures['folds']):9.2f}{spread(figures['folds']):6.2f}"
                f"{np.mean(figures['active']):8.0f}{np.mean(figures['cpu_seconds']):8.2f}",
                flush=True,
            )
    return record


def dense_only(examples: Examples) -> Examples:
    """The same lists without their sparse features."""
    return examples.to_space(FeatureSpace(n for n in examples.space.names if not is_sparse(n)))


def sparse_figures(
    name: str, examples: Examples, start: Weights, seeds: int
) -> dict[str, list[float]]:
    """Training score of all sentences, score of five folds, active features, CPU of the former."""
    learner = learner_of(name)
    figures: dict[str, list[float]] = {"training": [], "folds": [], "active": [], "cpu_seconds": []}
    for seed in range(1, seeds + 1):
        cost, result = timed(learner, examples, start, seed)
        figures["training"].append(examples.best_score(result.weights))
        figures["active"].append(float(result.weights.num_active))
        figures["cpu_seconds"].append(round(cost, 2))
        plan = Plan(1, 5, seed)
        chosen = np.zeros(len(examples), np.int64)
        for task in plan.tasks():
            if task.fold is not None:
                outcome = carry_out(task, plan, learner, TuningSet(examples, start))
                chosen[outcome.tested] = outcome.hypotheses
        figures["folds"].append(examples.score(chosen))
    return figures


def widened(examples: Examples, num_features: int) -> Examples:
    """The same lists, each sparse feature spread over many, the others never occurring."""
    dense = examples.space.num_dense
    factor = (num_features - dense) // max(len(examples.space) - dense, 1)
    ids = examples.rows.ids.copy()
    ids[ids >= dense] = dense + (ids[ids >= dense] - dense) * factor
    names = [*examples.space.names[:dense], *(f"W_{k}" for k in range(num_features - dense))]
    rows = Ragged(ids, examples.rows.values, examples.rows.offsets)
    return replace(examples, rows=rows, space=FeatureSpace(names))


def frequent(examples: Examples, count: int) -> Examples:
    """The same lists with their dense features and the most frequent sparse ones."""
    used = np.bincount(examples.rows.ids, minlength=len(examples.space))
    used[: examples.space.num_dense] = used.max() + 1
    kept = np.sort(np.argsort(-used, kind="stable")[:count])
    return examples.to_space(FeatureSpace(examples.space.names[k] for k in kept.tolist()))


def epoch_seconds(examples: Examples) -> float:
    """CPU of an epoch of AdaGrad-PRO."""
    method, start = OPTIMIZERS["adagrad-pro"], Weights.zeros(examples.space)
    costs = []
    for epochs in (1, 6):
        learner = method.learner(replace(method.defaults, epochs=epochs))
        costs.append(min(timed(learner, examples, start, 1)[0] for _ in range(3)))
    return round((costs[1] - costs[0]) / 5, 4)


def run_cost(options: argparse.Namespace) -> dict[str, Any]:
    """CPU of an epoch of AdaGrad-PRO: same entries in larger spaces, then more and more entries."""
    examples, _ = read_lists(options.data, SPARSE)
    record: dict[str, Any] = {"space": {}, "entries": {}}
    print(f"\n{SPARSE[0]}, AdaGrad-PRO, CPU s per epoch by size of the feature space")
    few = frequent(examples, SIZES[0] - 1)
    for size in SIZES:
        seconds = epoch_seconds(widened(few, size))
        record["space"][str(size)] = seconds
        print(f"  {size:>9,} features {seconds:8.3f}", flush=True)
    print("by entries: of the most frequent features")
    for count in KEPT:
        own = frequent(examples, count)
        seconds, entries = epoch_seconds(own), len(own.rows.ids)
        record["entries"][str(entries)] = seconds
        print(
            f"  {len(own.space):>6,} features {entries:>9,} entries {seconds:8.3f}"
            f"{1e9 * seconds / entries:7.1f} ns each",
            flush=True,
        )
    return record


def run_reading(options: argparse.Namespace) -> dict[str, Any]:
    """CPU of reading lists, of taking duplicates away, and of BLEU's statistics."""
    record: dict[str, Any] = {}
    print("\nreading, CPU s (second of two runs)")
    for names in (RUNS, SPARSE):
        for _ in range(2):
            folder = options.data / FOLDER
            begin = time.process_time()
            references = read_references([folder / f"tune.en.{k}" for k in range(4)])
            lists = read_nbest([folder / name for name in names], len(references))
            read = time.process_time()
            Bleu().statistics(lists, references)
            done = time.process_time()
        figures = {
            "hypotheses": len(lists.texts),
            "reading": round(read - begin, 2),
            "statistics": round(done - read, 2),
        }
        record[" + ".join(names)] = figures
        print(f"  {' + '.join(names)}: " + ", ".join(f"{k} {v:,}" for k, v in figures.items()))
    return record


def make_lists(data: Path, name: str, folder: Path) -> Path:
    """Lists of restorations of a text of three domains, and the text itself beside them."""
    text = folder / f"{name}.es"
    domains = ("medical", "software", "bible")
    files = [data / ACCENTS / f"{name}.{domain}.es.gz" for domain in domains]
    write_lines((line for file in files for line in read_lines(file)), text)
    train = [
        f"{domain}={data / ACCENTS / f'train.{domain}.es.gz'}"
        for domain in (*domains, "parliament")
    ]
    lists = folder / f"{name}.jsonl"
    script = Path(__file__).parents[1] / "examples/restore_accents.py"
    command = [sys.executable, script, "--train", *train, "--text", text, "-o", lists]
    run_measured([str(one) for one in command])
    return lists


def run_reranking(options: argparse.Namespace) -> dict[str, Any]:
    """A task that is no translation, from text to lists to weights to restored text."""
    record: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        dev, test = (make_lists(options.data, part, folder) for part in ("dev", "test"))
        weights = {"first": folder / "first.weights"}
        write_lines(["forms 1"], weights["first"])
        for optimizer in options.optimizers:
            weights[optimizer] = folder / f"{optimizer}.weights"
            tune = ["tune", dev, "--metric", "wer", "--optimizer", optimizer]
            out = folder / f"{optimizer}.run"
            cost = run_measured(isogloss(*tune, "--out", out, "-o", weights[optimizer], "-q"))
            folds = json.loads((out / "report.json").read_text())["reported"]
            record[optimizer] = {"cpu_seconds": round(cost.user, 2), **folds}
            print(
                f"  {optimizer:16} folds of the tuning lines: {folds['start']:.2f} -> "
                f"{folds['held_out']:.2f} in {cost.user:.1f} s",
                flush=True,
            )
        outputs = [folder / f"{system}.txt" for system in weights]
        for file, output in zip(weights.values(), outputs, strict=True):
            run_measured(isogloss("rerank", test, "-w", file, "-o", output, "-q"))
        command = isogloss(
            "compare", *outputs, "--refs", folder / "test.es", "--lowercase", "--metric", "wer"
        )
        table = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    print(f"\naccents put back into Spanish text, tuned on other lines (--metric wer)\n{table}")
    record["table"] = table.splitlines()
    return record


PARTS = {
    "reading": run_reading,
    "dense": run_dense,
    "sparse": run_sparse,
    "cost": run_cost,
    "reranking": run_reranking,
}


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Run what was asked for."""
    names: Iterator[str] = iter([options.only] if options.only else PARTS)
    return {name: PARTS[name](options) for name in names}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=tuple(PARTS))
    parser.add_argument(
        "--optimizers", nargs="+", choices=tuple(OPTIMIZERS), default=list(OPTIMIZERS)
    )
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", metavar="FILE", type=Path)
    parser.add_argument("--data", metavar="FOLDER", type=Path, default=DATA)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("tuning.py", parse(), run)
