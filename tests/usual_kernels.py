"""Which kernels a command usually calls, and which are slow: for the list of isogloss/compilation.

    python -m tests.usual_kernels

writes them behind the lines of the list. Each command runs in a process of its own on the sample,
after those whose files it reads, with nothing compiled; all of it takes some five minutes.
"""

import logging
import os
import subprocess
import sys
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.compilation.signatures import LIST, kernel_of, read_list
from isogloss.program import main as program
from tests.signatures import asked_for

SAMPLE = Path(__file__).parents[1] / "data"
FILES = {
    "source": ("train.en.gz", 300),
    "target": ("train.es.gz", 300),
    "labels": ("train.labels.gz", 300),
    "dev": ("tune.en", 20),
    "ref": ("tune.es.ref0", 20),
}
DECODER = '[decoder]\nphrase_table = "table.gz"\nlanguage_model = "lm.arpa"'
RUN = """
[run]
out = "runs"
[[train]]
source = "source"
target = "target"
labels = "labels"
[tune]
source = "dev"
references = ["ref"]
epochs = 2
[test]
source = "dev"
references = ["ref"]
"""
# what stands on the list, and what is run for it
COMMANDS = {
    "align": "align source target -o flat",
    "align --labels": "align source target --labels labels --model m -o links",
    "apply": "apply m dev ref -o applied",
    "symmetrize": "symmetrize flat links --heuristic grow-diag-final-and -o joined",
    "lexicon": "lexicon m --to moses -o lexicon",
    "domains": "domains predict m dev ref -o domains.tsv",
    "extract": "extract source target links -o table.gz",
    "features": "features table.gz --add al -o rich.gz",
    "lm": "lm target -o lm.arpa",
    "decode": "decode dev --phrase-table table.gz --lm lm.arpa -o out",
    "decode --n-best": "decode dev --phrase-table table.gz --lm lm.arpa --n-best list.gz:50 -o out",
    "tune": "tune list.gz --refs ref -o weights.json",
    "tune --optimizer mert": "tune list.gz --refs ref --optimizer mert -o mert.json",
    "tune --decoder": "tune --decoder decoder.toml --dev dev --refs ref -o tuned.json",
    "rerank": "rerank list.gz --weights weights.json -o best",
    "demo": "demo --out demo",
    "run": "run run.toml",
}


def prepare(folder: Path) -> None:
    """Write the files that commands read and none of them writes."""
    write_lines([DECODER], folder / "decoder.toml")
    write_lines(RUN.split("\n"), folder / "run.toml")
    for name, (file, count) in FILES.items():
        write_lines(islice(read_lines(SAMPLE / file), count), folder / name)


class _Seconds(logging.Handler):
    """Notes how long each kernel takes to compile, by the name of its function."""

    def __init__(self) -> None:
        super().__init__()
        self.taken: dict[str, float] = {}

    def emit(self, record: logging.LogRecord) -> None:
        """Add what a record says."""
        if hasattr(record, "seconds") and isinstance(record.args, tuple):
            name = str(record.args[0])
            self.taken[name] = self.taken.get(name, 0.0) + record.seconds

    def of(self, line: str) -> float:
        """Seconds of a line's kernel; 0 where another process had compiled it before."""
        return self.taken.get(kernel_of(line).rpartition(".")[2], 0.0)


def record(file: Path, arguments: list[str]) -> None:
    """Run a command, and write the lines of the kernels that it called, the slowest last."""
    logger, seconds = logging.getLogger("isogloss.align.kernels.inner"), _Seconds()
    logger.addHandler(seconds)
    logger.setLevel(logging.INFO)
    status = program(arguments)
    assert status == 0, arguments
    lines = sorted(asked_for(), key=seconds.of)
    write_lines(lines, file)


def usual() -> dict[str, list[str]]:
    """The lines of the kernels that each command calls, the slowest last."""
    lines = {}
    with TemporaryDirectory() as place:
        folder = Path(place)
        prepare(folder)
        for name, command in COMMANDS.items():
            print(name, flush=True)
            noted = folder / "noted"
            arguments = [str(noted), *command.split(), "-q"]
            root = str(SAMPLE.parent)
            start = f"import sys; sys.path.insert(0, {root!r}); from tests.usual_kernels import *"
            call = "record(Path(sys.argv[1]), sys.argv[2:])"
            subprocess.run(
                [sys.executable, "-c", f"{start}; {call}", *arguments],
                cwd=folder,
                env=os.environ | {"NUMBA_CACHE_DIR": str(folder / name.replace(" ", "-"))},
                check=True,
            )
            lines[name] = list(read_lines(noted))
    return lines


def with_ranks(lines: Iterable[str], called: dict[str, list[str]]) -> list[str]:
    """Each line, and behind it the place of its kernel among those of a command."""
    ranks: dict[str, list[str]] = {}
    for command, by_time in called.items():
        kernels = list(dict.fromkeys(map(kernel_of, by_time)))
        for line in by_time:
            ranks.setdefault(line, []).append(f"{command} {kernels.index(kernel_of(line)) + 1}")
    return [f"{line}  # {', '.join(ranks[line])}" if line in ranks else line for line in lines]


def main() -> None:
    """Write the list again, with what was found."""
    write_lines(with_ranks(read_list(), usual()), LIST)


if __name__ == "__main__":
    main()
