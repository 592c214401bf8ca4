"""isogloss compare: whether systems differ by more than chance."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from glob import glob, has_magic
from pathlib import Path

from isogloss.align.errors import MAX_SAMPLES, DataError, UsageError, pluralize
from isogloss.align.files.writers import uncompressed_name, write_lines

from ...console import Console
from ...options import Bounds, Command, group, option, positional
from ..shared import SeededOptions, output_option, seeded_options
from .comparison.formats import COMPARISON_FORMATS, format_comparison
from .comparison.systems import Comparison, ComparisonPlan, System, Test, compare_by_metric
from .outputs import Output, ReferenceOptions
from .tuning_runs import chosen_of_run, is_tuning_run

__all__ = ["COMMAND", "CompareOptions", "parse_system", "run"]


@dataclass(frozen=True)
class CompareOptions:
    """Options of `isogloss compare`.

    systems: output of a system: FILE, or NAME=FILE,FILE,... with one file per run (also a folder or
        pattern). FILE is text, a JSONL n-best list, or a folder of `isogloss tune --out`, for its
        held-out translations. The first system is the baseline
    test: significance test: paired bootstrap, approximate randomization, both, or the uncentered
        bootstrap of sacrebleu, which is anti-conservative
    trials: number of resamples per test
    to: output format (default: json for *.json, else text)
    output: comparison table (default: stdout)
    """

    systems: tuple[str, ...] = positional("SYSTEM")
    judgement: ReferenceOptions = group(ReferenceOptions)
    test: Test = ComparisonPlan.test
    trials: int = option(default=ComparisonPlan.trials, parse=Bounds(1, MAX_SAMPLES), metavar="N")
    to: str | None = option(default=None, choices=tuple(COMPARISON_FORMATS))
    output: str | None = output_option()
    common: SeededOptions = seeded_options()

    @property
    def output_formats(self) -> dict[str | None, str]:
        """The format of the output if it is no plain text."""
        return {self.output: "json"} if self.written_format == "json" else {}

    @property
    def written_format(self) -> str:
        """The format that is asked for, by the name of the file if by nothing else."""
        is_json = uncompressed_name(self.output or "").lower().endswith(".json")
        return self.to or ("json" if is_json else "text")

    @property
    def plan(self) -> ComparisonPlan:
        """How the systems are tested."""
        common = self.common
        return ComparisonPlan(
            self.test, self.trials, common.seed, common.threads, self.judgement.lowercase
        )


def run(options: CompareOptions, console: Console) -> None:
    """Compare systems with the first one, the baseline."""
    judgement, plan = options.judgement, options.plan
    metrics = judgement.metrics()
    systems = _name_apart([parse_system(argument) for argument in options.systems])
    if len(systems) < 2:
        raise UsageError(
            f"only one system is given, {options.systems[0]}; pass a baseline and at least one "
            "other system. `isogloss score` scores a single system"
        )
    read = [_read_outputs(system, judgement) for system in systems]
    systems = [
        replace(system, files=tuple(output.file for output in outputs))
        for system, outputs in zip(systems, read, strict=True)
    ]
    _check_runs(systems, options.test)
    references = judgement.references_of(
        [output for outputs in read for output in outputs], console
    )
    lists = [[output.lists for output in outputs] for outputs in read]
    with console.progress("comparing", len(metrics) * sum(map(len, lists))) as advance:
        compared = [
            compare_by_metric(metric, systems, lists, references, plan, advance)
            for metric in metrics
        ]
    comparison = Comparison(
        tuple(judgement.refs), len(lists[0][0]), plan.trials, plan.seed, tuple(compared)
    )
    write_lines(format_comparison(comparison, options.written_format), options.output)


def _read_outputs(system: System, judgement: ReferenceOptions) -> list[Output]:
    """The outputs of a system, one per run."""
    outputs: list[Output] = []
    for file in system.files:
        if is_tuning_run(file):
            chosen = chosen_of_run(file)
            outputs += [output.lowercased for output in chosen] if judgement.lowercase else chosen
        else:
            outputs.append(judgement.read_output(file))
    return outputs


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
            raise UsageError(
                f"system {argument!r} is malformed; expected FILE or NAME=FILE,FILE,..."
            )
    outputs = [output for file in files for output in _expanded(file)]
    return System(name or Path(files[0]).stem or argument, tuple(outputs))


def _expanded(file: str) -> list[str]:
    """Files of a folder or pattern in the order of their names; hidden ones are left out."""
    # The folder of a tuning run stays what it is.
    path = Path(file)
    if is_tuning_run(file):
        return [file]
    if path.is_dir():
        inside = sorted(
            entry for entry in path.iterdir() if entry.name[0] != "." and entry.is_file()
        )
        if not inside:
            raise DataError("the folder has no files", "one file per run", file=file)
        return [str(entry) for entry in inside]
    if has_magic(file) and not path.exists():
        matches = glob(file)  # noqa: PTH207 - Path.glob takes no absolute pattern
        fitting = sorted(match for match in matches if Path(match).is_file())
        if not fitting:
            raise DataError(f"no file matches {file!r}", "one file per run")
        return fitting
    return [file]


def _name_apart(systems: Sequence[System]) -> list[System]:
    """Systems that share a name are called by their first file, which must differ."""
    counts = Counter(system.name for system in systems)
    renamed = [
        replace(system, name=system.files[0]) if counts[system.name] > 1 else system
        for system in systems
    ]
    names = [system.name for system in renamed]
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise UsageError(f"two systems are named {twice[0]!r}; pass them as NAME=FILE")
    return renamed


def _check_runs(systems: Sequence[System], test: Test) -> None:
    """Raise UsageError where randomization can't pair the runs."""
    expected = len(systems[0].files)
    for system in systems[1:]:
        runs = len(system.files)
        if test in ("randomization", "both") and runs != expected and 1 not in (runs, expected):
            raise UsageError(
                f"{system.name} has {pluralize(runs, 'run')}, but {systems[0].name} has "
                f"{expected}; approximate randomization needs 1 or {expected}. Pass the same "
                "number of runs, or --test bootstrap"
            )


COMMAND = Command(
    CompareOptions,
    run,
    (
        "isogloss compare baseline.txt new.txt --refs ref0 ref1 --metric bleu,chrf",
        "isogloss compare base=b1.txt,b2.txt new=n1.txt,n2.txt --refs ref0 --to latex",
    ),
    first={
        "input": ("refs", "fields", "lowercase"),
        "comparison": ("metric", "test", "trials"),
        "output": ("output", "to"),
        "running": ("threads", "seed", "quiet"),
    },
)
