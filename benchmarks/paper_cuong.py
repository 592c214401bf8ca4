"""Table 4 of Cuong & Sima'an (2015) in small: what latent domains bring to translation.

English-Spanish (set-up C's mixture, four domains, a tenth labeled) and English-German (three
domains, every tenth pair labeled); a system for each domain is tuned and tried on text of that
domain. flat: links and Model 1 scores of the flat aligner. links: those of the latent one in their
place. features: the paper's system, Model 1 scores of each domain, too. tables: and phrase and
lexical scores of each domain. All else is the same.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mixtures import SET_UPS, label_names, read_set_up
from paper_runs import SystemFiles, Text, Tuning, Workshop, print_rows

from isogloss.align.files.text_io import read_lines

__all__ = ["table_4"]

MODEL = "hier-mslr-bidirectional-fe"
METRICS = "bleu,ter,chrf"
TUNING_LINES = 500
EVERY = 10  # pair of a domain is labeled, where no index says which
OPTIMIZERS = ("mira", "adagrad-pro")


@dataclass(frozen=True)
class Mixed:
    """A language pair: folder of the data, domains that have tuning and test sets."""

    language: str
    tested: tuple[str, ...]
    set_up: str = ""

    @property
    def folder(self) -> str:
        """Of the data."""
        return f"en-{self.language}-multidomain"


MIXTURES = {
    "en-es": Mixed("es", ("medical", "software", "bible"), "C"),
    "en-de": Mixed("de", ("captions", "software", "bible")),
}
# links, whether with scores of each domain of phrases and words, model of the word-level feature
SYSTEMS = {
    "flat": ("flat", False, "flat"),
    "links": ("latent", False, "flat"),
    "features": ("latent", False, "latent"),
    "tables": ("latent", True, "latent"),
}


def _training_text(workshop: Workshop, data: Path, mixed: Mixed) -> list[Path]:
    """Both sides of the bitext, lowercase, and its labels."""
    sides: tuple[list[str], list[str], list[str]] = ([], [], [])
    if mixed.set_up:
        bitext = read_set_up(data, SET_UPS[mixed.set_up]).bitext
        for side, corpus in zip(sides, (bitext.source, bitext.target), strict=False):
            side.extend(" ".join(corpus.words(pair)) for pair in range(len(bitext)))
        sides[2].extend(label_names(bitext))
    else:
        for domain in mixed.tested:
            for side, language in zip(sides, ("en", mixed.language), strict=False):
                file = data / mixed.folder / f"train.{domain}.{language}.gz"
                side.extend(line.lower() for line in read_lines(file))
            new = range(len(sides[0]) - len(sides[2]))
            sides[2].extend("-" if pair % EVERY else domain for pair in new)
    names = ("train.en", f"train.{mixed.language}", "labels")
    return [workshop.write(name, side) for name, side in zip(names, sides, strict=True)]


def _lowercase(workshop: Workshop, name: str, file: Path, limit: int | None) -> Path:
    return workshop.write(f"text/{name}", [line.lower() for line in [*read_lines(file)][:limit]])


def _text(workshop: Workshop, data: Path, mixed: Mixed, domain: str, kind: str) -> Text:
    limit = TUNING_LINES if kind == "dev" else None
    source, target = (
        _lowercase(
            workshop, f"{kind}.{domain}.{language}",
            data / mixed.folder / f"{kind}.{domain}.{language}.gz", limit,
        )
        for language in ("en", mixed.language)
    )  # fmt: skip
    return Text(f"{kind}-{domain}", source, (target,))


def _extracted(workshop: Workshop, links: str, tables: bool, bitext: Sequence[Path]) -> Path:
    """The phrase table of some links, in a folder of its own with its reordering table."""
    folder = f"{links}-tables" if tables else links
    scores = ["--model", "latent.model"] if tables else []
    source, target = (path.name for path in bitext[:2])
    return workshop.make(
        f"{folder}/table.gz",
        "extract", source, target, f"{links}.links", "-o", f"{folder}/table.gz",
        "--reordering", MODEL, *scores,
    )  # fmt: skip


def _systems(
    workshop: Workshop, bitext: Sequence[Path], wanted: Path, names: Iterable[str]
) -> dict[str, SystemFiles]:
    source, target, labels = (path.name for path in bitext)
    for kind, own in (("flat", []), ("latent", ["--labels", labels])):
        workshop.make(
            f"{kind}.links", "align", source, target, *own,
            "--model", f"{kind}.model", "--overwrite", "-o", f"{kind}.links",
        )  # fmt: skip
    model = workshop.make("lm.arpa.gz", "lm", target, "-o", "lm.arpa.gz")
    systems = {}
    for name in names:
        links, tables, lexical = SYSTEMS[name]
        table = _extracted(workshop, links, tables, bitext)
        rich = workshop.make(
            f"{name}.gz", "features", table.relative_to(workshop.folder), "-o", f"{name}.gz",
            "--filter-for", wanted.relative_to(workshop.folder), "--model", f"{lexical}.model",
        )  # fmt: skip
        reordering = table.parent / f"table.reordering.{MODEL}.gz"
        systems[name] = SystemFiles(name, rich, model, f"{MODEL}={reordering}")
    return systems


def _print(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Each row's metrics: mean over the runs, difference from the flat system and its p."""
    cells = []
    for name, metrics in rows.items():
        row = [name]
        for metric in metrics:
            test = metric["randomization"]
            row += [
                f"{metric['score']['mean']:.2f}",
                f"{test['difference']:+.2f}, {test['p_value']:.3f}" if test else "",
            ]
        cells.append(row)
    titles = ["text, system, optimizer"]
    for metric in METRICS.split(","):
        titles += [metric, "difference, p"]
    print_rows(titles, cells)


def _translated(workshop: Workshop, data: Path, mixed: Mixed) -> dict[str, list[dict[str, Any]]]:
    """Each domain's systems on its test set, beside the flat one of the same optimizer."""
    bitext = _training_text(workshop, data, mixed)
    texts = {
        kind: {domain: _text(workshop, data, mixed, domain, kind) for domain in mixed.tested}
        for kind in ("dev", "test")
    }
    sources = [text.source for kind in texts.values() for text in kind.values()]
    wanted = workshop.write("wanted", (line for file in sources for line in read_lines(file)))
    systems = _systems(workshop, bitext, wanted, SYSTEMS)
    rows = {}
    for domain in mixed.tested:
        text = texts["test"][domain]
        for optimizer in OPTIMIZERS:
            outputs = {
                name: workshop.translate(Tuning(system, optimizer, texts["dev"][domain]), text)
                for name, system in systems.items()
            }
            metrics = workshop.compare(f"cuong-4.{optimizer}", outputs, text, METRICS)
            for number, name in enumerate(outputs):
                label = f"{domain}, {name}, {optimizer}"
                rows[label] = [metric["systems"][number] for metric in metrics]
    return rows


def table_4(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 4 of both language pairs."""
    record = {}
    for name, mixed in MIXTURES.items():
        folder = workshop.path(f"{name}/wanted").parent
        own = Workshop(folder, workshop.threads, workshop.runs)
        record[name] = _translated(own, data, mixed)
        print(f"{name}: differences from flat, p by approximate randomization")
        _print(record[name])
    return record
