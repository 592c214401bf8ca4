"""Which small changes of a module no test notices.

    python benchmarks/mutants.py tune/significance.py features/bins/uniform.py --count 20 --seed 7

In a copy of what is committed, a module is changed at one place after the other, drawn at random
(benchmarks/mutations.py has the kinds). Its own test file is run on each, then those of its
neighbors: test files that import it, and those of modules that do; then those of --tests; all up
to the first failure. A change is killed if a test fails or takes ten times as long as without it (a
minute at least), and survives otherwise. Kernels are compiled anew for each change of one.
Tests run as ever, with your rights: a change of what removes files may remove others.

Changes that give the same results can't be killed: benchmarks/equivalent_mutants.tsv lists those
that were drawn and judged, which are left out. What else survives is printed, for a person to
judge: a test is missing, or a line of that list. Ends with 1 where less than --goal were killed.
"""

import argparse
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mutations import Module, Mutant
from program import run_program

from isogloss.align import DataError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # the tests stand beside the packages

from tests.architecture.reading import PACKAGES, import_graph, modules  # noqa: E402

EQUIVALENT = Path(__file__).with_name("equivalent_mutants.tsv")
COLUMNS = ("drawn", "equivalent", "killed", "slow", "died", "survived")
HOW = ("killed", "slow", "died")  # ways to be killed: a failure, the limit of time, a signal
FACTOR, LEAST = 10.0, 60.0  # a run may take so many times as long; seconds
MEMORY = 8 << 30  # bytes of address space
SHOWN = 80  # characters of a statement

Stage = tuple[list[str], float]  # test files that are run together, and their limit in seconds


@dataclass(frozen=True)
class Copy:
    """A copy of the repository whose files may be changed, and where its kernels are kept."""

    root: Path
    cache: Path

    def outcome(self, files: Sequence[str], limit: float | None = None) -> str:
        """Run tests: "survived", or how they fail.

        limit: in seconds; None for an unchanged module, of which Python may keep compiled code: a
        file that is changed twice within a second would look the same
        """
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *files]
        added = {"PYTHONPATH": str(self.root), "XDG_CACHE_HOME": str(self.cache)}
        added |= {} if limit is None else {"PYTHONDONTWRITEBYTECODE": "1"}
        data = {"ISOGLOSS_DATA": str(ROOT.parent / "shared" / "data")}  # beside the original
        child = subprocess.Popen(
            command, cwd=self.root, env={**data, **os.environ, **added}, start_new_session=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=_bounded,
        )  # fmt: skip
        try:
            status = child.wait(limit)
        except subprocess.TimeoutExpired:
            return "slow"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # with what the tests have started
            child.wait()
        return "died" if status < 0 else "killed" if status else "survived"

    def stages(self, module: str, source: str, files: Sequence[Sequence[str]]) -> list[Stage]:
        """Groups of test files with the time that they may take.

        Raises DataError where they fail with the unchanged source, or pass without any.
        """
        result = []
        self.place(module, source)
        for group in filter(None, files):
            begin = time.monotonic()
            if self.outcome(group) != "survived":
                raise DataError(f"{' '.join(group)}: no tests, or failures without any change")
            result.append(([*group], max(LEAST, FACTOR * (time.monotonic() - begin))))
        path = self.root / module
        for compiled in path.parent.glob(f"__pycache__/{path.stem}.*"):
            compiled.unlink()
        if self.tried(module, "raise ImportError", result) == "survived":
            raise DataError(f"{module}: its tests pass without it; name some with --tests")
        return result

    def tried(self, module: str, source: str, stages: Sequence[Stage]) -> str:
        """What becomes of another source of a module."""
        self.place(module, source)
        outcomes = (self.outcome(files, limit) for files, limit in stages)
        return next((each for each in outcomes if each != "survived"), "survived")

    def place(self, module: str, source: str) -> None:
        """Have a module hold another source. Of kernels, nothing that was compiled is kept."""
        (self.root / module).write_text(source, encoding="utf-8")
        if "kernel" in module:
            shutil.rmtree(self.cache, ignore_errors=True)


def _bounded() -> None:
    """In the child: neither all memory of the machine, nor files of crashes."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def mirrored(root: Path, module: str) -> list[str]:
    """The test file of a module; that of kernels stands beside those of their room."""
    parts = [part for part in Path(module).parts if part != "kernels"]
    of_command = parts[:2] == ["isogloss", "commands"]
    path = Path("tests/cli", *parts[2:]) if of_command else Path("tests/unit", *parts)
    own = path.with_name(f"test_{path.name}")
    return [own.as_posix()] if (root / own).is_file() else []


def neighbors(root: Path, module: str) -> list[str]:
    """Other unit tests that import a module, then those of modules that do."""
    found = modules(root, *PACKAGES, "tests/unit")
    name = next(each.name for each in found if each.path == Path(module))
    graph = import_graph(found)
    near = [each.path.as_posix() for each in found if name in graph[each.name]]
    direct = [path for path in near if path.startswith("tests/")]
    through = [test for path in near if path not in direct for test in mirrored(root, path)]
    return [path for path in dict.fromkeys([*direct, *through]) if path.count("/test_")]


def known_equivalents(module: str) -> set[tuple[str, str, str]]:
    """Names of the mutants of a module that EQUIVALENT lists.

    A line of it: module, function, before, after, why; with tabs in between.
    """
    rows = [line.split("\t") for line in EQUIVALENT.read_text(encoding="utf-8").splitlines()]
    return {(row[1], row[2], row[3]) for row in rows if row[0] == module}


def measure(copy: Copy, module: str, options: argparse.Namespace) -> dict[str, Any]:
    """Try mutants of a module; print its row, and those that survive."""
    original = (copy.root / module).read_text(encoding="utf-8")
    source = Module(original)
    own = mirrored(copy.root, module)
    others = dict.fromkeys([*neighbors(copy.root, module), *options.tests])
    equivalents = known_equivalents(module)
    counts: Counter[str] = Counter()
    survivors: list[Mutant] = []
    stages = copy.stages(module, source.source, [own, [path for path in others if path not in own]])
    for mutant in source.drawn(options.count, f"{options.seed} {module}"):
        known = mutant.name in equivalents
        outcome = "equivalent" if known else copy.tried(module, mutant.source, stages)
        counts[outcome] += 1
        survivors += [mutant] if outcome == "survived" else []
    copy.place(module, original)
    show(module, counts)
    for mutant in survivors:
        before, after = cut(mutant.before, mutant.after)
        print(f"    {module}:{mutant.line}  {before}  ->  {after}", flush=True)
    return {"counts": counts, "survivors": [[mutant.line, *mutant.name] for mutant in survivors]}


def share(counts: Counter[str]) -> float:
    """Percent that are killed of those that are not known to be equivalent; 100 of none."""
    killed = sum(counts[how] for how in HOW)
    tried = killed + counts["survived"]
    return 100.0 * killed / tried if tried else 100.0


def show(module: str, counts: Counter[str]) -> None:
    """Print a row of the table."""
    shown = {**counts, "drawn": sum(counts.values()), "killed": sum(counts[how] for how in HOW)}
    cells = "".join(f"{shown.get(name, 0):>11}" for name in COLUMNS)
    print(f"{module:40}{cells}{share(counts):>8.1f} %", flush=True)


def cut(before: str, after: str) -> tuple[str, str]:
    """Two statements, of long ones what is about the first difference."""
    differs = next(
        (k for k, pair in enumerate(zip(before, after, strict=False)) if len({*pair}) > 1), 0
    )
    start = 0 if max(len(before), len(after)) <= SHOWN else max(0, differs - SHOWN // 2)
    return _window(before, start), _window(after, start)


def _window(text: str, start: int) -> str:
    end = start + SHOWN
    return f"{'... ' if start else ''}{text[start:end]}{' ...' if text[end:] else ''}"


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the table."""
    print(f"{'module':40}{''.join(f'{name:>11}' for name in COLUMNS)}{'killed':>10}")
    record, total = {}, Counter[str]()
    with TemporaryDirectory() as place:
        copy = Copy(Path(place) / "repository", Path(place) / "cache")
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy.root)], check=True)
        for module in options.modules:
            record[module] = measure(copy, module, options)
            total += record[module]["counts"]
    show("all", total)
    return {"share": share(total), "modules": record}


def module_path(text: str) -> str:
    """A module as it is called in the repository, where links lead to folders of the same one."""
    path = (ROOT / text).resolve()
    if path.suffix != ".py" or not path.is_file() or not path.is_relative_to(ROOT):
        raise argparse.ArgumentTypeError(f"{text} is no module of {ROOT}")
    return path.relative_to(ROOT).as_posix()


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("modules", nargs="+", type=module_path, metavar="MODULE")
    parser.add_argument("--count", type=int, default=20, metavar="N", help="changes of each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", nargs="+", default=[], metavar="PATH", help="further ones")
    parser.add_argument("--goal", type=float, default=97.0, metavar="PERCENT")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all survivors")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    options = parse()
    found = run_program("mutants.py", options, run)
    sys.exit(found["share"] < options.goal)
