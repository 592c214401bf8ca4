"""How long a command takes to its first result: nothing compiled, compiled, from a wheel.

    python benchmarks/start.py [--only NAME ...] [--wheel FILE] [--demo] [--json FILE]

Each command runs on the sample (2,000 labeled pairs of it, 50 lines to tune on) in a process
of its own. `cold`: with an empty folder for compiled kernels; `warm`: once more, with the same
folder; `wheel`: the first time from a freshly unpacked wheel, with what was compiled when that was
built. Whatever a command reads was written by the ones above it, which are run, unmeasured, with
--only, too, and take the compiled kernels of the user. User CPU is meaningful on a machine that
others use; wall times are upper bounds there.
"""

import argparse
import gzip
import subprocess
import sys
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from processes import Cost, isogloss, run_measured
from program import run_program

from isogloss.align import IsoglossError
from isogloss.align.files.writers import write_lines

SAMPLE = Path(__file__).parents[1] / "data"
PAIRS, TUNING_LINES = 2_000, 50
TRAINING = {"source": "train.en.gz", "target": "train.es.gz", "labels": "train.labels.gz"}
TUNING = {"dev": "tune.en", "ref0": "tune.es.ref0", "ref1": "tune.es.ref1"}
DECODER = '[decoder]\nphrase_table = "table.gz"\nlanguage_model = "lm.arpa"'
COMMANDS = {
    "version": "--version",
    "align, help": "align --help",
    "tune, help": "tune --help",
    "align, flat": "align source target -o flat -q",
    "align, labels": "align source target --labels labels --model m --overwrite -o links -q",
    "apply": "apply m dev ref0 -o applied -q",
    "symmetrize": "symmetrize flat links --heuristic grow-diag-final-and -o joined -q",
    "evaluate": "evaluate flat links",
    "check": "check links source target",
    "lexicon": "lexicon m --to moses -o lexicon -q",
    "domains": "domains predict m dev ref0 -o domains.tsv -q",
    "extract": "extract source target links -o table.gz -q",
    "features": "features table.gz --add al -o rich.gz -q",
    "lm": "lm target -o lm.arpa -q",
    "decode": "decode dev --phrase-table table.gz --lm lm.arpa --n-best list.gz:100 -o out -q",
    "tune, list": "tune list.gz --refs ref0 ref1 -o weights.json -q",
    "tune, mert": "tune list.gz --refs ref0 ref1 --optimizer mert -o weights.json -q",
    "tune, decoder": "tune --decoder decoder.toml --dev dev --refs ref0 ref1 -o tuned.json -q",
    "rerank": "rerank list.gz --weights weights.json -o best",
    "score": "score best --refs ref0 ref1",
    "weights show": "weights show weights.json",
}
IMPORTS = ("align", "features", "tune")


def prepare(folder: Path) -> None:
    """Write the files that commands read and none of them writes."""
    write_lines([DECODER], folder / "decoder.toml")
    for name, file in TRAINING.items():
        with gzip.open(SAMPLE / file, "rt", encoding="utf-8") as lines:
            write_lines((line.rstrip("\n") for line in islice(lines, PAIRS)), folder / name)
    for name, file in TUNING.items():
        with (SAMPLE / file).open(encoding="utf-8") as lines:
            write_lines((line.rstrip("\n") for line in islice(lines, TUNING_LINES)), folder / name)


def unpack(wheel: Path, folder: Path) -> Path:
    """Install a wheel, without what it needs, into a folder of its own; returns that folder.

    Raises IsoglossError with what pip said where it can't.
    """
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    done = subprocess.run([*pip, str(wheel)], capture_output=True, text=True)
    if done.returncode:
        raise IsoglossError(f"{wheel}: {done.stderr.strip()}")
    return folder


def commands_of(options: argparse.Namespace) -> dict[str, list[str]]:
    """Command lines by name, in an order in which each finds its files."""
    import_lines = {f"import {name}": [sys.executable, "-c", f"import {name}"] for name in IMPORTS}
    lines = {name: isogloss(*line.split()) for name, line in COMMANDS.items()}
    if options.demo:
        lines["demo"] = isogloss("demo", "--out", "demo", "--overwrite", "-q")
    return import_lines | lines


def written(line: str) -> set[str]:
    """Files that a command line writes."""
    words = line.split()
    return {
        word.partition(":")[0]
        for flag, word in pairwise(words)
        if flag in ("-o", "--model", "--n-best")
    }


def needed(names: Sequence[str]) -> set[str]:
    """Those commands, and the ones that write what they read."""
    writer: dict[str, str] = {}
    for name, line in COMMANDS.items():
        writer = dict.fromkeys(written(line), name) | writer
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        if (name := waiting.pop()) in found:
            continue
        found.add(name)
        line = COMMANDS.get(name, "")
        if "decoder.toml" in line:
            line += DECODER.replace('"', " ")
        read = set(line.split()) - written(line)
        waiting += (writer[file] for file in read & writer.keys())
    return found


def measure(options: argparse.Namespace, folder: Path) -> dict[str, dict[str, Cost]]:
    """Cost of each command, cold, warm and from the wheel."""
    prepare(folder)
    here = {"PYTHONPATH": str(SAMPLE.parent)}
    ways = {"cold": here, "warm": here}
    if options.wheel:
        installed = unpack(options.wheel.resolve(), folder / "installed")
        ways["wheel"] = {"PYTHONPATH": str(installed), "NUMBA_CACHE_DIR": ""}
    print(f"{'':14}" + "".join(f"{way + ': user':>12} {'wall s':>7}" for way in ways))
    costs: dict[str, dict[str, Cost]] = {}
    commands = commands_of(options)
    for name in (name for name in commands if name in needed(options.only)):
        if name not in options.only:
            run_measured(commands[name], here, folder)
            continue
        cache = {"NUMBA_CACHE_DIR": str(folder / "compiled" / name.replace(" ", "-"))}
        costs[name] = {
            way: run_measured(commands[name], cache | environment, folder)
            for way, environment in ways.items()
        }
        figures = "".join(f"{cost.user:12.2f} {cost.wall:7.2f}" for cost in costs[name].values())
        print(f"{name:14}{figures}", flush=True)
    return costs


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Print the table."""
    with TemporaryDirectory() as place:
        costs = measure(options, Path(place))
    return {
        name: {way: vars(cost) for way, cost in by_way.items()} for name, by_way in costs.items()
    }


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Options. Ends the program for a wrong one."""
    names = (*(f"import {name}" for name in IMPORTS), *COMMANDS)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    shown = f"what is measured (default: all): {'; '.join(names)}"
    parser.add_argument(
        "--only", nargs="+", choices=names, default=names, metavar="NAME", help=shown
    )
    parser.add_argument("--wheel", type=Path, metavar="FILE", help="a wheel of isogloss")
    parser.add_argument("--demo", action="store_true", help="the demo, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    options = parser.parse_args(arguments)
    options.only = (*options.only, *(("demo",) if options.demo else ()))
    return options


if __name__ == "__main__":
    run_program("start.py", parse(), run)
