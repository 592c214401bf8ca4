"""Tables 2 and 3 of Clark, Dyer & Lavie (2014) in small: bins in place of logarithms.

Two phrase-based systems made with Moses: Spanish-English conversation with four references, and
German-English captions with one. PRO with the decoder in the loop learns on the first sentences of
the tuning set; its last ones choose the iteration and, by the first run, the strength of L2 or of
the ties between bins. Where scores have bins so has the number of target words, which stays
real-valued beside them, as a table must have a score. Weights begin with Moses's: bins add what
their score did, and counts what the relative frequencies that are made of them did. P begins with
nothing in their place, and so do the last rows of Table 3, whose bins begin with 0, as in a decoder
that knows of no score behind them. Table 2 has rows beside the paper's whose bins begin with what
the weights learned for log P make of them, and are drawn to these, not to 0. paper_clark_lists.py
has the others without a decoder.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from paper_runs import SystemFiles, Text, Tuning, Workshop, difference_cell, print_rows

from isogloss.align.files.text_io import read_lines
from isogloss.features.extraction.reordering import ReorderingModel
from isogloss.features.table.sidecar import MOSES_SCORES
from isogloss.tune.decoder.reordering import orientation_names
from isogloss.tune.weights.starting import DEFAULT_WEIGHTS, ORIENTATION_WEIGHT
from isogloss.tune.weights.weights import Weights

__all__ = [
    "BASELINES_2",
    "BASELINES_3",
    "BITS",
    "JUDGED",
    "LOG_P",
    "TABLE_2",
    "TABLE_3",
    "TOWARD",
    "Learned",
    "Row",
    "Rows",
    "System",
    "Ties",
    "print_tables",
    "strengths",
    "system_files",
    "table_2",
    "table_3",
]

HELD_OUT = 300  # sentences
JUDGED = ("test", "last")  # texts; the last sentences of the tuning set chose the strengths
L2S = (0.05, 0.5, 5.0, 50.0, 500.0)
TOWARD, TOWARDS = "toward", (5.0, 50.0, 500.0, 5000.0)
LOG_P = "log-p"
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


@dataclass(frozen=True)
class Ties:
    """What ties of neighboring bins are tried with: strengths of theirs, and of L2 beside them."""

    betas: Sequence[float]
    l2s: Sequence[float]


# longer chains take stronger ties to bend as little, and less L2: it is a sum over their bins
SHORT, LONG = Ties((1.0, 1e2, 1e4, 1e6), (0.5, 5.0)), Ties((1e2, 1e6, 1e10), (0.05, 0.5))


class Row(NamedTuple):
    """A row of the tables: its phrase table, how its bins are tied, and what they begin with.

    tied: a regularizer of neighboring bins, TOWARD, or neither
    from_nothing: bins begin with weights of 0, not with what their score weighs
    ties: strengths that these are tried with where a decoder translates
    """

    table: str
    tied: str = ""
    from_nothing: bool = False
    ties: Ties = SHORT


Rows = Mapping[str, Row]
BITS = (4, 8, 12)
TABLE_2 = {f"{bits} bits": Row(f"bins-{bits}") for bits in BITS} | {
    f"{bits} bits, to log P": Row(f"bins-{bits}", TOWARD) for bits in BITS
}
BASELINES_2 = ("4 bits", "4 bits, to log P")
BASELINES_3 = ("log P", "LNR P", "LNR P, 8 bits")
TABLE_3 = {
    "log P": Row("log-p"),
    "P": Row("p"),
    "Disc P": Row("bins-4"),
    "Over. P": Row("overlap"),
    "LNR P": Row("bins-4", "linear"),
    "MNR P": Row("bins-4", "monotone"),
    "MNR C": Row("counts", "monotone"),
    "LNR P, 8 bits": Row("bins-8", "linear", ties=LONG),
    "MNR P, 8 bits": Row("bins-8", "monotone", ties=LONG),
}
# as in a decoder that knows of no score behind the bins
FROM_NOTHING = {
    f"{name}, from 0": TABLE_3[name]._replace(from_nothing=True)
    for name in ("Disc P", "Over. P", "LNR P", "MNR P")
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


def system_files(workshop: Workshop, folder: Path, system: System, name: str) -> SystemFiles:
    """What a row's decoder translates with: its phrase table is made of Moses's."""
    table = workshop.make(
        f"{name}.gz", "features", folder / "phrase-table.gz", "-o", f"{name}.gz", *TABLES[name]
    )
    reordering = f"{system.reordering}={folder / 'reordering-table.gz'}"
    return SystemFiles(name, table, folder / "lm.arpa.gz", reordering)


def _start(workshop: Workshop, files: SystemFiles, from_nothing: bool) -> list[str]:
    """Weights to start from, where they aren't those that a decoder has."""
    counts = files.name == "counts"
    if not (counts or from_nothing):
        return []
    model = ReorderingModel.parse(files.reordering.partition("=")[0])
    replaced = ("p(f|e)", "p(e|f)") if counts else MOSES_SCORES
    given = {name: weight for name, weight in DEFAULT_WEIGHTS.items() if name not in replaced}
    given |= dict.fromkeys(orientation_names(model, 0), ORIENTATION_WEIGHT)
    given |= {"TargetWords": 0.0} | (OF_COUNTS if counts else {})
    path = workshop.path("counts.start.json" if counts else "nothing.start.json")
    Weights.from_dict(given).save(path, keep_zeros=True)
    return ["--initial-weights", path.name]


def strengths(tied: str, ties: Ties) -> dict[str, tuple[str, ...]]:
    """Options of PRO that a row is tried with, by what tells them in names.

    Of rows without ties the strength of L2 is chosen, which draws to 0, or to the weights that
    learning begins with, of others that of the ties and of L2 beside them.
    """
    if tied == TOWARD:
        return {f"toward-{x}": ("--l2", "0", "--l2-to-init", str(x)) for x in TOWARDS}
    if tied:
        return {
            f"{tied}-{beta}-l2-{l2}": (
                "--bin-regularizer",
                tied,
                "--bin-strength",
                str(beta),
                "--l2",
                str(l2),
            )
            for beta, l2 in product(ties.betas, ties.l2s)
        }
    return {f"l2-{x}": ("--l2", str(x)) for x in L2S}


@dataclass(frozen=True)
class Learned:
    """A row's weights. label: how they were learned

    outputs: translations of the test set and of the held-out sentences, of each run, by the text
    held_out, active: of the first, BLEU that the strength was chosen by, weights other than 0
    """

    label: str
    outputs: Mapping[str, Sequence[Path]]
    held_out: float
    active: int


def _tuned(
    workshop: Workshop, folder: Path, system: System, texts: Mapping[str, Text], row: Row
) -> Learned:
    """PRO with the strength that is best on the held-out sentences by the first run."""
    files = system_files(workshop, folder, system, row.table)
    start = _start(workshop, files, row.from_nothing)
    if row.tied == TOWARD:  # bins begin with what log P's weights make of them
        log_p = _tuned(workshop, folder, system, texts, TABLE_3["log P"]).label
        start = ["--initial-weights", f"tuned/{log_p}.1/weights.json"]
    options, begun = (*PRO, *start), "-from-nothing" if row.from_nothing else ""
    plain = Tuning(files, "pro", texts["first"], options, "", texts["last"])
    tunings = [
        replace(plain, options=(*options, *own), label=f"{label}{begun}")
        for label, own in strengths(row.tied, row.ties).items()
    ]
    best = max(tunings, key=lambda tuning: workshop.chosen(tuning, 1)["held_out"])
    chosen = workshop.chosen(best, 1)
    outputs = {name: workshop.translate(best, texts[name]) for name in JUDGED}
    return Learned(best.name, outputs, chosen["held_out"], chosen["active"])


Learner = Callable[[Workshop, Path, System, Mapping[str, Text], Rows], dict[str, Learned]]
"""Learns the rows' weights from the data's folder of a system."""


def _with_decoder(
    workshop: Workshop, folder: Path, system: System, texts: Mapping[str, Text], rows: Rows
) -> dict[str, Learned]:
    return {name: _tuned(workshop, folder, system, texts, row) for name, row in rows.items()}


def _compared(
    workshop: Workshop, learned: Mapping[str, Learned], test: Text, baseline: str
) -> dict[str, Any]:
    """Each system's BLEU, and how it differs from a baseline."""
    ordered = {baseline: learned[baseline], **learned}
    outputs = {name: row.outputs[test.name] for name, row in ordered.items()}
    (metric,) = workshop.compare(f"clark.{baseline.replace(' ', '-')}", outputs, test)
    return dict(zip(ordered, metric["systems"], strict=True))


def print_tables(
    workshop: Workshop, data: Path, rows: Rows, baselines: Sequence[str], learn: Learner
) -> dict[str, Any]:
    """Learn the rows' weights on both language pairs, print and return what they reach."""
    record = {}
    for pair, system in PAIRS.items():
        folder = data / system.folder
        own = replace(workshop, folder=workshop.path(f"{pair}/text").parent)
        texts = _texts(own, folder, system)
        learned = learn(own, folder, system, texts, rows)
        found = {
            text: {name: _compared(own, learned, texts[text], name) for name in baselines}
            for text in JUDGED
        }
        record[pair] = {
            "systems": found,
            "active": {name: row.active for name, row in learned.items()},
            "held-out": {name: row.held_out for name, row in learned.items()},
        }
        for text, systems in found.items():
            print(f"{pair}, {text}: BLEU, differences (95 %), p by approximate randomization")
            _print(learned, systems)
    return record


def _print(learned: Mapping[str, Learned], found: Mapping[str, Mapping[str, Any]]) -> None:
    cells = []
    for name, row in learned.items():
        systems = [systems[name] for systems in found.values()]
        bleu = f"{systems[0]['score']['mean']:.2f}"
        differences = map(difference_cell, systems)
        cells.append(
            [name, row.label, f"{row.active:,}", f"{row.held_out:.2f}", bleu, *differences]
        )
    less = (f"less {name}, p" for name in found)
    titles = ["", "weights by", "features", "held-out", "BLEU", *less]
    print_rows(titles, cells)


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2: bins of 4, 8 and 12 bits, not tied."""
    return print_tables(workshop, data, TABLE_2, BASELINES_2, _with_decoder)


def table_3(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 3: P, log P, bins of either, tied or not, and bins of counts."""
    baselines = (*BASELINES_3, "Disc P, from 0")
    return print_tables(workshop, data, TABLE_3 | FROM_NOTHING, baselines, _with_decoder)
