"""Tables 2 and 3 of Clark, Dyer & Lavie (2014) in small: bins in place of logarithms.

Two phrase-based systems made with Moses: Spanish-English conversation with four references, and
German-English captions with one. PRO with the decoder in the loop learns on the first sentences of
the tuning set; its last ones choose the iteration and the strength of the regulariser. Where
scores have bins so has the number of target words, which stays real-valued beside them, as a table
must have a score. Weights begin with Moses's: bins add what their score did, and counts what the
relative frequencies that are made of them did. P alone begins with nothing in their place.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from paper_runs import SystemFiles, Text, Tuning, Workshop, print_rows

from align.files.text_io import read_lines
from features.extraction.reordering import ReorderingModel
from features.table.sidecar import MOSES_SCORES
from tune.decoder.model import DEFAULT_WEIGHTS, ORIENTATION_WEIGHT
from tune.decoder.reordering import orientation_names
from tune.weights.weights import Weights

__all__ = ["table_2", "table_3"]

HELD_OUT = 300  # sentences
BETAS = (1.0, 10.0, 100.0, 1000.0)
PRO = ("--nbest-size", "100")
WORDS = ("--count-features", "TargetWords", "--discretize", "TargetWords:3:keep")


@dataclass(frozen=True)
class System:
    """A system of Moses's: its folder of the data, language, references, reordering model."""

    folder: str
    language: str
    references: int
    reordering: str


PAIRS = {
    "es-en": System("smt-es-en", "es", 4, "wbe-msd-bidirectional-fe"),
    "de-en": System("smt-de-en", "de", 1, "hier-mslr-bidirectional-fe"),
}


def _each(option: str, scores: Sequence[str], behind: str = "") -> tuple[str, ...]:
    return tuple(word for name in scores for word in (option, f"{name}{behind}"))


def _bins(behind: str) -> tuple[str, ...]:
    return (*_each("--discretize", MOSES_SCORES, behind), *WORDS)


COUNTS = (
    "--count-features", "RuleCount,SourceCount,TargetWords",
    *_each("--discretize", ("RuleCount", "SourceCount", "lex(f|e)", "lex(e|f)"), ":4"),
    "--discretize", "TargetWords:3:keep", *_each("--drop", ("p(f|e)", "p(e|f)")),
)  # fmt: skip
# of p(f|e) = c(f, e) / c(e) and p(e|f) = c(f, e) / c(f), without c(e)
OF_COUNTS = {
    "RuleCount": DEFAULT_WEIGHTS["p(f|e)"] + DEFAULT_WEIGHTS["p(e|f)"],
    "SourceCount": -DEFAULT_WEIGHTS["p(e|f)"],
}
# of `isogloss features`
TABLES: Mapping[str, tuple[str, ...]] = {
    "p": _each("--raw", MOSES_SCORES),
    "log-p": (),
    "bins-4": _bins(":4"),
    "bins-8": _bins(":8"),
    "bins-12": _bins(":12"),
    "overlap": _bins(":4:extend=1"),
    "counts": COUNTS,
}
# rows of the tables: the phrase table, and how neighbouring bins are tied
TABLE_2 = {"4 bits": ("bins-4", ""), "8 bits": ("bins-8", ""), "12 bits": ("bins-12", "")}
TABLE_3 = {
    "log P": ("log-p", ""),
    "P": ("p", ""),
    "Disc P": ("bins-4", ""),
    "Over. P": ("overlap", ""),
    "LNR P": ("bins-4", "linear"),
    "MNR P": ("bins-4", "monotone"),
    "MNR C": ("counts", "monotone"),
}


def _texts(workshop: Workshop, folder: Path, system: System) -> dict[str, Text]:
    """The first part of the tuning set, its last sentences, and the test set."""
    parts = {
        "first": ("tune", slice(-HELD_OUT)),
        "last": ("tune", slice(-HELD_OUT, None)),
        "test": ("test", slice(None)),
    }
    texts = {}
    for name, (stored, part) in parts.items():
        source, *references = (
            workshop.write(
                f"text/{name}.{ending}", [*read_lines(folder / f"{stored}.{ending}")][part]
            )
            for ending in (system.language, *(f"en.{k}" for k in range(system.references)))
        )
        texts[name] = Text(name, source, tuple(references))
    return texts


def _files(workshop: Workshop, folder: Path, system: System, name: str) -> SystemFiles:
    table = workshop.make(
        f"{name}.gz", "features", folder / "phrase-table.gz", "-o", f"{name}.gz", *TABLES[name]
    )
    reordering = f"{system.reordering}={folder / 'reordering-table.gz'}"
    return SystemFiles(name, table, folder / "lm.arpa.gz", reordering)


def _start(workshop: Workshop, files: SystemFiles) -> list[str]:
    """Weights to start from, where they aren't those that a decoder has."""
    if files.name != "counts":
        return []
    model = ReorderingModel.parse(files.reordering.partition("=")[0])
    given = {name: weight for name, weight in DEFAULT_WEIGHTS.items() if not name.startswith("p(")}
    given |= dict.fromkeys(orientation_names(model, 0), ORIENTATION_WEIGHT)
    path = workshop.path("counts.start.json")
    Weights.from_dict({**given, **OF_COUNTS, "TargetWords": 0.0}).write(path, keep_zeros=True)
    return ["--weights", path.name]


def _tuning(workshop: Workshop, files: SystemFiles, texts: Mapping[str, Text], tied: str) -> Tuning:
    """PRO, with the strength of the regulariser that is best on the held-out sentences."""
    options = (*PRO, *_start(workshop, files))
    plain = Tuning(files, "pro", texts["first"], options, "", texts["last"])
    if not tied:
        return plain
    tunings = [
        replace(
            plain,
            options=(*options, "--neighbours", tied, "--beta", str(beta)),
            label=f"{tied}-{beta}",
        )
        for beta in BETAS
    ]

    def reached(tuning: Tuning) -> float:
        runs = range(1, workshop.runs + 1)
        return float(np.mean([workshop.chosen(tuning, run)["held_out"] for run in runs]))

    return max(tunings, key=reached)


def _compared(
    workshop: Workshop, outputs: Mapping[str, Sequence[Path]], test: Text, baseline: str
) -> dict[str, Any]:
    """Each system's BLEU, and how it differs from a baseline."""
    ordered = {baseline: outputs[baseline], **outputs}
    (metric,) = workshop.compare(f"clark.{baseline.replace(' ', '-')}", ordered, test)
    return dict(zip(ordered, metric["systems"], strict=True))


def _rows(
    workshop: Workshop, data: Path, rows: Mapping[str, tuple[str, str]], baselines: Sequence[str]
) -> dict[str, Any]:
    record = {}
    for pair, system in PAIRS.items():
        folder = data / system.folder
        own = Workshop(
            workshop.path(f"{pair}/text").parent, workshop.threads, workshop.runs, workshop.subsets
        )
        texts = _texts(own, folder, system)
        tunings = {
            name: _tuning(own, _files(own, folder, system, table), texts, tied)
            for name, (table, tied) in rows.items()
        }
        outputs = {name: own.translate(tuning, texts["test"]) for name, tuning in tunings.items()}
        found = {name: _compared(own, outputs, texts["test"], name) for name in baselines}
        active = {name: own.chosen(tuning, 1)["active"] for name, tuning in tunings.items()}
        record[pair] = {"systems": found, "active": active}
        print(f"{pair}: features, BLEU, differences with p by approximate randomisation")
        _print({name: tuning.name for name, tuning in tunings.items()}, active, found)
    return record


def _print(
    names: Mapping[str, str], active: Mapping[str, int], found: Mapping[str, Mapping[str, Any]]
) -> None:
    cells = []
    for name, tuning in names.items():
        row = [name, tuning, str(active[name])]
        for number, systems in enumerate(found.values()):
            row += [] if number else [f"{systems[name]['score']['mean']:.2f}"]
            test = systems[name]["randomization"]
            row.append(f"{test['difference']:+.2f}, {test['p_value']:.3f}" if test else "")
        cells.append(row)
    titles = ["", "weights by", "features", "BLEU", *(f"less {name}, p" for name in found)]
    print_rows(titles, cells)


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2: bins of 4, 8 and 12 bits, not tied."""
    return _rows(workshop, data, TABLE_2, ["4 bits"])


def table_3(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 3: P, log P, bins of either, tied or not, and bins of counts."""
    return _rows(workshop, data, TABLE_3, ["log P", "P"])
