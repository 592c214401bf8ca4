"""Scores of translations, and whether they differ by more than chance: score, compare."""

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from align.errors import DataError, UsageError
from align.files.text_io import read_lines
from align.files.writers import write_lines
from align.sparse_rows import Ragged
from align.text.bitext_formats import check_line_counts
from align.text.string_array import Texts
from features.space import FeatureSpace
from tune.metrics import METRICS, Metric, metric_named
from tune.metrics.reports import reported_score
from tune.nbest.types import NBest
from tune.references import References, read_references
from tune.significance import approximate_randomization, paired_bootstrap, score_system

from ..comparison import ComparedSystem, Comparison, MetricComparison, format_comparison
from ..console import Console, write_stdout

__all__ = ["METRICS_OF_TEXT", "TESTS", "TRIALS", "System", "compare", "parse_system", "score"]

Options = argparse.Namespace
TESTS = ("bootstrap", "randomization", "both")
TRIALS = 10000
METRICS_OF_TEXT = tuple(name for name in METRICS if ":" not in name)  # columns are of lists


@dataclass(frozen=True)
class System:
    """A system by its name and the outputs of the runs of its optimiser, one file each."""

    name: str
    files: tuple[str, ...]


def score(options: Options, console: Console) -> None:
    """Scores of one output, with signatures."""
    references = _references(options)
    lines = _read_output(options.hypotheses, options, references)
    metrics = _metrics(options.metric)
    found = {}
    with console.progress("scoring", len(metrics)) as advance:
        for metric in metrics:
            found[metric.name] = reported_score(
                metric, lines, references, lowercase=options.lowercase
            )
            advance(1)
    if options.json:
        values = {
            name: {"score": value, "signature": signature}
            for name, (value, signature) in found.items()
        }
        write_stdout(json.dumps({"sentences": len(lines), "metrics": values}) + "\n")
    else:
        write_stdout(
            "".join(f"{name}\t{value:.2f}\t{mark}\n" for name, (value, mark) in found.items())
        )


def compare(options: Options, console: Console) -> None:
    """Compare systems with the first one, the baseline."""
    systems = _name_apart([parse_system(argument) for argument in options.systems])
    if len(systems) < 2:
        raise UsageError(
            f"one system, {options.systems[0]}; expected a baseline and what to compare it with. "
            "`isogloss score` gives the scores of one"
        )
    metrics = _metrics(options.metric)
    _check_runs(systems, options.test)
    references = _references(options)
    texts = [[_read_output(file, options, references) for file in one.files] for one in systems]
    with console.progress("comparing", len(metrics) * sum(map(len, texts))) as advance:
        compared = [
            _compare_by(metric, systems, texts, references, options, advance) for metric in metrics
        ]
    found = Comparison(
        tuple(options.refs), len(references), options.trials, options.seed, tuple(compared)
    )
    write_lines(format_comparison(found, options.format), options.output)


def parse_system(argument: str) -> System:
    """A system from ``[NAME=]FILE[,FILE...]``, with a folder or a pattern for several files.

    Without a name it is called as its first file is, without the ending, or as its folder.

    Raises DataError for a folder without files and a pattern that fits none, UsageError for an
    empty name or file.
    """
    name, files = "", [argument]
    if not Path(argument).exists():
        before, equals, after = argument.partition("=")
        if equals:
            name, argument = before, after
        files = [argument] if Path(argument).exists() else argument.split(",")
        if (equals and not name) or not all(files):
            raise UsageError(f"system {argument!r}; expected FILE or NAME=FILE,FILE,...")
    found = [one for file in files for one in _expanded(file)]
    return System(name or Path(files[0]).stem or argument, tuple(found))


def _expanded(file: str) -> list[str]:
    """Files of a folder or pattern in the order of their names; hidden ones are left out."""
    path = Path(file)
    if path.is_dir():
        inside = sorted(one for one in path.iterdir() if one.name[0] != "." and one.is_file())
        if not inside:
            raise DataError("a folder without files", "one file per run", file=file)
        return [str(one) for one in inside]
    if has_magic(file) and not path.exists():
        every = glob(file)  # noqa: PTH207 - Path.glob takes no absolute pattern
        fitting = sorted(one for one in every if Path(one).is_file())
        if not fitting:
            raise DataError(f"no file fits {file!r}", "one file per run")
        return fitting
    return [file]


def _name_apart(systems: Sequence[System]) -> list[System]:
    """Systems that share a name are called by their first file, which must differ."""
    shared = {name for name, count in Counter(one.name for one in systems).items() if count > 1}
    renamed = [replace(one, name=one.files[0]) if one.name in shared else one for one in systems]
    names = [one.name for one in renamed]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"two systems are called {twice[0]!r}; give them as NAME=FILE")
    return renamed


def _check_runs(systems: Sequence[System], test: str) -> None:
    """Raise UsageError where randomisation can't pair the runs."""
    expected = len(systems[0].files)
    for one in systems[1:]:
        if test != "bootstrap" and len(one.files) != expected and 1 not in (
            len(one.files), expected
        ):  # fmt: skip
            raise UsageError(
                f"{one.name} has {len(one.files)} runs; expected 1 or {expected}, as many as "
                f"{systems[0].name} has. Give equally many, or --test bootstrap"
            )


def _metrics(names: str) -> list[Metric]:
    found = list(dict.fromkeys(name.strip() for name in names.split(",")))
    for name in found:
        if name not in METRICS_OF_TEXT:
            raise UsageError(
                f"metric {name!r}; expected one of {', '.join(METRICS_OF_TEXT)}, or several with "
                "commas between"
            )
    return [metric_named(name) for name in found]


def _references(options: Options) -> References:
    references = read_references(options.refs, lowercase=options.lowercase)
    if not len(references):
        raise DataError("no line", "a reference per line", file=options.refs[0])
    return references


def _read_output(file: str, options: Options, references: References) -> list[str]:
    lines = read_lines(file)
    if not lines:
        raise DataError("no line", "a translation per line", file=file)
    check_line_counts(options.refs[0], len(references), file, len(lines))
    return [line.lower() for line in lines] if options.lowercase else lines


def _compare_by(
    metric: Metric,
    systems: Sequence[System],
    texts: Sequence[Sequence[Sequence[str]]],
    references: References,
    options: Options,
    advance: Callable[[int], None],
) -> MetricComparison:
    """Scores, spreads and tests of all systems by one metric."""
    statistics = _statistics(metric, texts, references, options.threads)
    shared = {"trials": options.trials, "seed": options.seed, "threads": options.threads}
    compared = []
    signature = ""
    for number, (system, runs) in enumerate(zip(systems, texts, strict=True)):
        reported = []
        for lines in runs:
            value, signature = reported_score(
                metric, lines, references, lowercase=options.lowercase
            )
            reported.append(value)
            advance(1)
        own = score_system(statistics[number], metric, **shared)
        own = replace(own, runs=np.array(reported), mean=float(np.mean(reported)))
        pair = statistics[0], statistics[number], metric
        tests = TESTS[:2] if options.test == "both" else (options.test,)
        compared.append(
            ComparedSystem(
                system.name,
                system.files,
                own,
                paired_bootstrap(*pair, **shared) if number and "bootstrap" in tests else None,
                approximate_randomization(*pair, **shared)
                if number and "randomization" in tests
                else None,
            )
        )
    return MetricComparison(metric.name, signature, metric.sign > 0, tuple(compared))


def _statistics(
    metric: Metric,
    texts: Sequence[Sequence[Sequence[str]]],
    references: References,
    threads: int,
) -> list[NDArray[np.float64]]:
    """float64[runs, sentences, K] of each system.

    All outputs of a sentence are measured together, as if they were an n-best list.
    """
    outputs = [lines for runs in texts for lines in runs]
    flat = Texts.from_strings(line for row in zip(*outputs, strict=True) for line in row)
    offsets = np.arange(len(references) + 1) * len(outputs)
    lists = NBest(offsets, flat, Ragged.empty(len(flat)), FeatureSpace([]))
    table = metric.statistics(lists, references, threads=threads)
    table = table.reshape(len(references), len(outputs), -1).swapaxes(0, 1)
    bounds = np.cumsum([len(runs) for runs in texts])
    return np.split(table, bounds[:-1])
