"""Systems of a paper's table: built, tuned and tried by isogloss's own commands, each step once.

A step is not repeated where its output is there, so that a table that was interrupted goes on.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from processes import isogloss, run_measured

from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.align.kernel_cache import PACKAGE
from isogloss.command_line.parsers import has_option

__all__ = [
    "SystemFiles",
    "Text",
    "Tuning",
    "Workshop",
    "best_epoch",
    "difference_cell",
    "epochs_of",
    "mark_sources",
    "print_rows",
]

STACK, DISTORTION, NBEST, EPOCHS = 30, 5, 100, 30
ONLINE = ("adagrad-pro", "expected-bleu")
TRIALS = 1000


@dataclass(frozen=True)
class Text:
    """A source text and its references. name: of the files made of it"""

    name: str
    source: Path
    references: tuple[Path, ...]


@dataclass(frozen=True)
class SystemFiles:
    """What a system translates with.

    name: of its phrase table and of its decoder's file; templates: state templates
    """

    name: str
    table: Path
    language_model: Path
    reordering: str
    templates: tuple[str, ...] = ()

    def options(self) -> list[str]:
        """Those of `isogloss decode`."""
        states = ["--state-templates", ",".join(self.templates)] if self.templates else []
        return [
            "--phrase-table", str(self.table), "--lm", str(self.language_model),
            "--reordering", self.reordering, "--stack-size", str(STACK),
            "--distortion-limit", str(DISTORTION), *states,
        ]  # fmt: skip

    def configuration(self) -> list[str]:
        """The lines of the file of `isogloss tune --decoder`, in which names are whole."""
        model, _, file = self.reordering.partition("=")
        return [
            "[decoder]",
            f"phrase_table = {json.dumps(str(self.table))}",
            f"language_model = {json.dumps(str(self.language_model))}",
            f"reordering = [{json.dumps(f'{model}={Path(file)}')}]",
            f"stack_size = {STACK}",
            f"distortion_limit = {DISTORTION}",
            f"state_templates = {json.dumps(list(self.templates))}",
        ]


@dataclass(frozen=True)
class Tuning:
    """A system, an optimizer and the text that weights are learned on.

    options: of `isogloss tune`, in place of the usual ones; label: that tells them in names
    held_out: chooses the epoch, None = the text learned from
    """

    system: SystemFiles
    optimizer: str
    text: Text
    options: tuple[str, ...] | None = None
    label: str = ""
    held_out: Text | None = None

    @property
    def name(self) -> str:
        """Of its folders and outputs, without the run's number."""
        method = f"{self.optimizer}-{self.label}" if self.label else self.optimizer
        return f"{self.system.name}.{method}.{self.text.name}"

    def arguments(self) -> list[str]:
        """Those of `isogloss tune` that say how weights are learned."""
        options = self.options
        if options is None:
            options = ("--nbest-size", str(NBEST))
            options += ("--epochs", str(EPOCHS)) if self.optimizer in ONLINE else ()
        held_out: list[str] = []
        if self.held_out is not None:
            references = map(str, self.held_out.references)
            held_out = ["--held-out-dev", str(self.held_out.source), "--held-out-refs", *references]
        return ["--optimizer", self.optimizer, *options, *held_out]


@dataclass(frozen=True)
class Workshop:
    """The folder that all is kept in, a whole path.

    runs: trainings of each system, by the seeds 1 to runs
    subsets: of sentences, where a figure is made of many
    largest: number of sentences that a figure is made for
    """

    folder: Path
    threads: int
    runs: int
    subsets: int = 1000
    largest: int = 1000

    def up_to_largest(self, sizes: Iterable[int]) -> list[int]:
        """The numbers of sentences that are asked for."""
        return [size for size in sizes if size <= self.largest]

    def path(self, name: str) -> Path:
        """A file or folder in it; the one that holds it is made."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def make(self, output: str, *arguments: object) -> Path:
        """Run a command of isogloss unless its output is there. Raises IsoglossError as it ends."""
        path = self.path(output)
        if not path.exists():
            words = [str(argument) for argument in arguments]
            more = ["--threads", self.threads] if has_option(words, "--threads") else []
            command = isogloss(*arguments, *more, "-q")
            cost = run_measured(command, folder=self.folder)
            print(f"  {output}: {cost.user + cost.system:.0f} s of CPU", flush=True)
        return path

    def write(self, name: str, lines: Iterable[str]) -> Path:
        """Write a file of lines."""
        path = self.path(name)
        write_lines(lines, path)
        return path

    def tune(self, tuning: Tuning, run: int) -> Path:
        """The folder of a finished tuning run."""
        configuration = self.path(f"{tuning.system.name}.toml")
        if not configuration.exists():
            self.write(configuration.name, tuning.system.configuration())
        folder = f"tuned/{tuning.name}.{run}"
        self.make(
            f"{folder}/weights.json",
            "tune", "--decoder", configuration.name, "--dev", tuning.text.source,
            "--refs", *(file for file in tuning.text.references),
            *tuning.arguments(), "--seed", run, "--out", folder, "--overwrite", "--resume",
        )  # fmt: skip
        return self.path(folder)

    def translate(self, tuning: Tuning, text: Text) -> list[Path]:
        """What each run of a system makes of a text."""
        outputs = []
        for run in range(1, self.runs + 1):
            weights = self.tune(tuning, run) / "weights.json"
            output = f"out/{tuning.name}.{run}.{text.name}"
            arguments = ("--weights", weights, "-o", output)
            options = tuning.system.options()
            outputs.append(self.make(output, "decode", text.source, *options, *arguments))
        return outputs

    def compare(
        self, name: str, systems: Mapping[str, Sequence[Path]], text: Text, metrics: str = "bleu"
    ) -> list[dict[str, Any]]:
        """All systems beside the first one on a text: what `isogloss compare` says, by metric."""
        output = self.path(f"compared/{name}.{text.name}.json")
        output.unlink(missing_ok=True)  # systems and runs may have been added
        files = [
            f"{label}={','.join(str(path) for path in paths)}" for label, paths in systems.items()
        ]
        self.make(
            f"compared/{output.name}",
            "compare", *files, "--refs", *(file for file in text.references),
            "--metric", metrics, "--trials", TRIALS, "--to", "json",
            "-o", f"compared/{output.name}",
        )  # fmt: skip
        compared: list[dict[str, Any]] = json.loads("\n".join(read_lines(output)))["metrics"]
        return compared

    def epochs(self, tuning: Tuning, run: int) -> list[dict[str, Any]]:
        """What a tuning run says of each of its epochs or iterations."""
        return epochs_of(self.tune(tuning, run))

    def chosen(self, tuning: Tuning, run: int) -> dict[str, Any]:
        """The epoch whose weights were kept."""
        by = "score" if tuning.held_out is None else "held_out"
        return best_epoch(self.epochs(tuning, run), by)

    def cpu_seconds(self, tuning: Tuning, run: int) -> float:
        """Of a whole tuning run."""
        usage = json.loads("\n".join(read_lines(self.tune(tuning, run) / "usage.json")))
        return float(usage["cpu_seconds"])


def mark_sources(folder: Path) -> str:
    """Note in a folder what sources make what is kept there; a warning if others have, else "".

    Parts that are there aren't made anew, whatever has changed since.
    """
    sources = sorted(path for room in PACKAGE.iterdir() for path in room.rglob("*.py"))
    digest = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    file = folder / "sources"
    known = list(read_lines(file)) if file.exists() else []
    if digest not in known:
        write_lines([*known, digest], file)
    if not set(known) - {digest}:
        return ""
    return f"{folder} has parts that other sources of isogloss made; remove it to make all anew"


def epochs_of(folder: Path) -> list[dict[str, Any]]:
    """What the folder of a tuning run says of each of its epochs or iterations."""
    return [json.loads(line) for line in read_lines(folder / "epochs.jsonl")]


def best_epoch(epochs: Iterable[dict[str, Any]], by: str) -> dict[str, Any]:
    """The first of those that are best by ``score`` or ``held_out``."""
    return max(epochs, key=lambda epoch: (epoch[by], -epoch["number"]))


def difference_cell(system: Mapping[str, Any]) -> str:
    """How a system of ``Workshop.compare`` differs from the first one, 95 %, and p.

    The interval is by the bootstrap, p by approximate randomization; empty for the first one.
    """
    if system["bootstrap"] is None:
        return ""
    low, high = system["bootstrap"]["interval"]
    test = system["randomization"]
    return f"{test['difference']:+.2f} ({low:+.2f}, {high:+.2f}), {test['p_value']:.3f}"


def print_rows(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """A table: the first column to the left, the others to the right."""
    lines = [list(titles), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(titles))]
    for line in lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True)]
        print("  ".join(cells).rstrip(), flush=True)
