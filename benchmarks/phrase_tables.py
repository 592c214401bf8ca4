"""Speed and memory of phrase extraction, of reading tables and of the feature templates.

    python benchmarks/phrase_tables.py [--only job | memory | reading | templates] [--json FILE]
                                       [--data FOLDER]

job: `isogloss extract` on the 38,766 pairs of the en-es mixture with given links: lexical tables,
phrase table and wbe-msd-bidirectional-fe reordering, gz output included, beside those recorded
for Moses's chain. memory: the same on one, two and four times the text; each copy has words of its
own, so that there are as many more rules. reading: rules/s of a table of 74,551 rules, gz, whole
with its lines and without, in blocks, and whole for a text that has one source phrase in 20.
templates: rules/s of each on the same table.
Run it twice: the first time compiles.
"""

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from mixtures import DATA, SET_UPS, read_set_up
from processes import isogloss, run_measured
from program import run_program

from isogloss.align import Bitext, Links, read_links
from isogloss.align.files.writers import write_lines
from isogloss.features.table.phrase_table import PhraseTable
from isogloss.features.table.phrases import phrase_texts
from isogloss.features.table.stream import read_blocks
from isogloss.features.templates.apply import TemplateFeatures, parse_templates

LINKS = "en-es-multidomain/hetero.fast_align.gdfa.en-es.links.gz"
TABLE = "moses-golden/phrase-table.gz"
MODEL = "wbe-msd-bidirectional-fe"
# train-model.perl, steps 4 to 7, on a machine of two cores
MOSES = {"user CPU s": 102.6, "peak MB": 378, "rules": 2_370_465}
TEMPLATES = ("pt", "al", "lex(e)", "lex(f,e)", "lex(NULL,e)", "shape", "length")
REPEATS = 3


def write_copies(bitext: Bitext, times: int, folder: Path) -> None:
    """Write the text so many times, the words of each copy unlike those of the others."""
    for name, corpus in (("source", bitext.source), ("target", bitext.target)):
        endings = [f"~{copy}" if copy else "" for copy in range(times)]
        write_lines(
            (
                " ".join(word + ending for word in corpus.words(row))
                for ending in endings
                for row in range(len(corpus))
            ),
            folder / name,
        )


def write_copied_links(links: Links, times: int, path: Path) -> None:
    """Write the links of so many copies."""
    lines = [" ".join(f"{j}-{i}" for j, i in links[row]) for row in range(len(links))]
    write_lines((line for _ in range(times) for line in lines), path)


def _extract(folder: Path, limit: str) -> dict[str, float]:
    table = folder / "phrase-table.gz"
    command = isogloss(
        "extract", folder / "source", folder / "target", folder / "links", "-o", table,
        "--reordering", MODEL, "--lexical", folder / "lex", "-q", "--max-memory", limit,
    )  # fmt: skip
    cost = run_measured(command)
    return {
        "user CPU s": round(cost.user, 1),
        "system s": round(cost.system, 1),
        "peak MB": round(cost.megabytes),
        "phrase-table.gz MB": round(table.stat().st_size / 1e6, 1),
        "reordering-table.gz MB": round(
            (folder / f"phrase-table.reordering.{MODEL}.gz").stat().st_size / 1e6, 1
        ),
    }


def linked_mixture(data: Path) -> tuple[Bitext, Links]:
    """The mixture in the order of its index, without the gold texts, and the links given."""
    links = read_links(data / LINKS)
    bitext = read_set_up(data, SET_UPS["C"]).bitext.select(np.arange(len(links)))
    links.check_range(bitext.source.lengths, bitext.target.lengths, data / LINKS)
    return bitext, links


def _show(name: str, figures: dict[str, float]) -> None:
    print(f"  {name:<12}" + "".join(f"  {key} {value:,}" for key, value in figures.items()))


def run_jobs(data: Path, sizes: tuple[int, ...], limit: str) -> dict[str, Any]:
    """Extract from so many copies of the text, in so much memory."""
    bitext, links = linked_mixture(data)
    print(f"\nphrase extraction, {len(links)} pairs, {MODEL}, --max-memory {limit}")
    _show("Moses", MOSES)
    record = {}
    for times in sizes:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            write_copies(bitext, times, folder)
            write_copied_links(links, times, folder / "links")
            record[f"x {times}"] = _extract(folder, limit)
            _show(f"ours, x {times}", record[f"x {times}"])
    return record


def rules_per_second(table: PhraseTable, spec: str) -> float:
    """Rules to which a template's features are added, per second of CPU; the best of three."""
    features = TemplateFeatures(parse_templates([spec]))
    best = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        features.apply(table)
        best = min(best, time.process_time() - start)
    return len(table) / best


def reading_speed(read: Callable[[], int]) -> float:
    """Rules that ``read`` reads, and gives the number of, per second of CPU; the best of three."""
    best = 0.0
    for _ in range(REPEATS):
        start = time.process_time()
        best = max(best, read() / (time.process_time() - start))
    return best


def run_reading(data: Path) -> dict[str, Any]:
    """A table made by Moses: whole as `decode` and tuning read it, in blocks as `features` does."""
    path = data / TABLE
    whole = PhraseTable.load(path, keep_text=False)
    few = frozenset(phrase_texts(whole.source)[::20])
    readers: dict[str, Callable[[], int]] = {
        "whole": lambda: len(PhraseTable.load(path, keep_text=False)),
        "with lines": lambda: len(PhraseTable.load(path)),
        "in blocks": lambda: sum(len(block) for block in read_blocks(path)),
        "one in 20": lambda: (
            len(PhraseTable.load(path, keep_text=False, sources=few)) and len(whole)
        ),
    }
    print("\nreading, rules per s of CPU")
    record = {}
    for name, read in readers.items():
        record[name] = round(reading_speed(read))
        print(f"  {name:<12} {record[name]:>12,}")
    return record


def run_templates(data: Path) -> dict[str, Any]:
    """Each rule template on a table made by Moses."""
    table = PhraseTable.load(data / TABLE)
    print(f"\ntemplates, {len(table)} rules, rules per s of CPU")
    record = {}
    for spec in TEMPLATES:
        record[spec] = round(rules_per_second(table, spec))
        print(f"  {spec:<12} {record[spec]:>12,}")
    return record


PARTS = ("job", "memory", "reading", "templates")


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Run what was asked for."""
    parts: dict[str, Callable[[], dict[str, Any]]] = {
        "job": lambda: run_jobs(options.data, (1,), "450M"),
        "memory": lambda: run_jobs(options.data, (1, 2, 4), "600M"),
        "reading": lambda: run_reading(options.data),
        "templates": lambda: run_templates(options.data),
    }
    return {name: parts[name]() for name in ([options.only] if options.only else PARTS)}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", choices=PARTS)
    parser.add_argument("--json", metavar="FILE", type=Path)
    parser.add_argument("--data", metavar="FOLDER", type=Path, default=DATA)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    run_program("phrase_tables.py", parse(), run)
