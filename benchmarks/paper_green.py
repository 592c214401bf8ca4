"""Tables 2 to 6 and 9 of Green, Wang, Cer & Manning (2013), in small, on Spanish-English telephone
conversation with four references.

Table 2 (and 3): weights of the 19 dense features, with the rule indicators (PT), and with inner
links and reordering of each rule, too (AL, LO), by MERT, PRO, k-best MIRA and AdaGrad-PRO; two
tuning sets, the first 1,000 segments and all 3,967. Table 4 (and 5): tuning on 2,000 pairs drawn
from the bitext before it was aligned. Table 6: active rule indicators that two tuning sets have in
common. Table 9: epochs and CPU of Table 2's runs.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from paper_runs import SystemFiles, Text, Tuning, Workshop, print_rows

from isogloss.align.files.text_io import read_lines
from isogloss.tune.weights.weights import Weights

__all__ = [
    "print_systems", "rows_of", "systems_of", "table_2", "table_4", "table_6", "table_9",
    "texts_of", "training_text",
]  # fmt: skip

FIRST = 1000
MODEL = "hier-mslr-bidirectional-fe"
REFERENCES = 4
BITEXT_SETS = {"tune": 2000, "test": 1000}
# features, optimizers: of the first tuning set, of all of it
SYSTEMS = {
    "dense": (("mert", "pro", "mira", "adagrad-pro", "expected-bleu"), ("mert",)),
    "pt": (("pro", "mira", "adagrad-pro"), ()),
    "all": (("pro", "mira", "adagrad-pro", "expected-bleu"), ("adagrad-pro",)),
}
TEMPLATES = {"dense": "", "pt": "pt", "all": "pt,al"}


def _plain(lines: Sequence[str]) -> list[str]:
    """Lowercase, without words that hold no letter or digit: as the source is transcribed."""
    kept = (
        [word for word in line.lower().split() if any(map(str.isalnum, word))] for line in lines
    )
    return [" ".join(words) for words in kept]


def texts_of(workshop: Workshop, data: Path) -> dict[str, Text]:
    """The tuning and test sets, and parts of the tuning set: the first lines, and the last."""
    folder = data / "es-en-conversation"
    parts = {"dev": None, "first": slice(FIRST), "last": slice(-FIRST, None)}
    texts = {}
    for name in (*parts, "dev2", "test"):
        part = parts.get(name) or slice(None)
        stored = "dev" if name in parts else name
        files = {f"{name}.es": f"{stored}.es.gz"} | {
            f"{name}.en.{k}": f"{stored}.en.ref{k}.gz" for k in range(REFERENCES)
        }
        source, *references = (
            workshop.write(f"text/{new}", _plain([*read_lines(folder / old)][part]))
            for new, old in files.items()
        )
        texts[name] = Text(name, source, tuple(references))
    return texts


def training_text(workshop: Workshop, data: Path) -> list[Path]:
    """Both sides of the bitext."""
    folder = data / "es-en-conversation"
    return [
        workshop.write(
            f"text/train.{side}", _plain([*read_lines(folder / f"train.conversation.{side}.gz")])
        )
        for side in ("es", "en")
    ]


def systems_of(
    workshop: Workshop,
    folder: str,
    bitext: Sequence[Path],
    texts: Sequence[Text],
    templates: Mapping[str, str] = TEMPLATES,
) -> dict[str, SystemFiles]:
    """Aligned, extracted and with features: systems for some texts, in a folder of their own.

    templates: of the features of each system
    """
    own = Workshop(workshop.path(folder) if folder else workshop.folder, workshop.threads, 1)
    names = list(bitext)
    links = own.make("links", "align", *names, "-o", "links")
    model = own.make("lm.arpa.gz", "lm", names[1], "-o", "lm.arpa.gz")
    reordering = own.path(f"table.reordering.{MODEL}.gz")
    table = own.make(
        "table.gz", "extract", *names, links, "-o", "table.gz",
        "--count-features", "RuleCount,UniqueRule", "--reordering", MODEL,
    )  # fmt: skip
    wanted = own.write("wanted", (line for text in texts for line in read_lines(text.source)))
    systems = {}
    for name, added in templates.items():
        add = ["--add", added] if added else []
        if "unk=" in added:
            add += ["--source-words", names[0], "--target-words", names[1]]
        rich = own.make(
            f"{name}.gz", "features", table.name, "-o", f"{name}.gz", *add,
            "--filter-for", wanted.name,
        )  # fmt: skip
        states = ("lo",) if name == "all" else ()
        label = f"{folder}.{name}" if folder else name
        systems[name] = SystemFiles(label, rich, model, f"{MODEL}={reordering}", states)
    return systems


def _tunings(workshop: Workshop, data: Path) -> tuple[list[Tuning], dict[str, Text]]:
    """The rows of Table 2, the baseline of each tuning set first, and the texts."""
    texts = texts_of(workshop, data)
    bitext = training_text(workshop, data)
    systems = systems_of(workshop, "", bitext, [texts[name] for name in ("dev", "dev2", "test")])
    tunings = [
        Tuning(systems[features], optimizer, texts[name])
        for k, name in enumerate(("first", "dev"))
        for features, optimizers in SYSTEMS.items()
        for optimizer in optimizers[k]
    ]
    return tunings, texts


def rows_of(
    workshop: Workshop, name: str, tunings: Sequence[Tuning], tests: Sequence[Text]
) -> dict[str, dict[str, Any]]:
    """Each system on each test set: mean, spread, and difference from the first system."""
    rows: dict[str, dict[str, Any]] = {}
    for tuning in tunings:
        chosen = [workshop.chosen(tuning, run) for run in range(1, workshop.runs + 1)]
        active = [
            sum(value != 0 for value in Weights.load(
                workshop.tune(tuning, run) / "weights.json").as_dict().values())
            for run in range(1, workshop.runs + 1)
        ]  # fmt: skip
        rows[tuning.name] = {
            "active": float(np.mean(active)),
            "tuning": float(np.mean([epoch["score"] for epoch in chosen])),
        }
    for text in tests:
        outputs = {tuning.name: workshop.translate(tuning, text) for tuning in tunings}
        (bleu,) = workshop.compare(name, outputs, text)
        for system in bleu["systems"]:
            rows[system["name"]][text.name] = system
    return rows


def _cells(name: str, row: Mapping[str, Any], tests: Sequence[Text]) -> list[str]:
    cells = [name, f"{row['active']:,.0f}", f"{row['tuning']:.2f}"]
    for text in tests:
        system = row[text.name]
        score, test = system["score"], system["randomization"]
        spread = score["optimizer_deviation"]
        cells += [
            f"{score['mean']:.2f}" + (f" ({spread:.2f})" if spread is not None else ""),
            f"{test['difference']:+.2f}, {test['p_value']:.3f}" if test else "",
        ]
    return cells


def print_systems(rows: Mapping[str, Mapping[str, Any]], tests: Sequence[Text]) -> None:
    """A table of what rows_of gives."""
    titles = ["features.optimizer.tuning set", "active", "tuning BLEU"]
    for text in tests:
        titles += [text.name, "difference, p"]
    print_rows(titles, [_cells(name, row, tests) for name, row in rows.items()])


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 2: differences from Dense with MERT, then from the largest system."""
    tunings, texts = _tunings(workshop, data)
    tests = [texts["dev2"], texts["test"]]
    print("differences from the first row, p by approximate randomization")
    rows = rows_of(workshop, "green-2", tunings, tests)
    print_systems(rows, tests)
    print("the same, differences from AdaGrad-PRO with all features and the whole tuning set")
    others = rows_of(workshop, "green-2.best", [tunings[-1], *tunings[:-1]], tests)
    print_systems(others, tests)
    return {"from dense": rows, "from the best": others}


def _bitext_tunings(workshop: Workshop, data: Path) -> tuple[list[Tuning], dict[str, Text]]:
    """The rows of Table 4, with systems of the bitext less what was drawn from it."""
    texts = texts_of(workshop, data)
    sizes = [f"{name}={size}" for name, size in BITEXT_SETS.items()]
    bitext = training_text(workshop, data)
    drawn = workshop.make("parts/files.json", "split", *bitext, "--sets", *sizes,
                          "--out", "parts").parent  # fmt: skip
    for name in BITEXT_SETS:
        source, target = drawn / f"{name}.es", drawn / f"{name}.en"
        texts[f"bitext-{name}"] = Text(f"bitext-{name}", source, (target,))
    rest = [drawn / "rest.es", drawn / "rest.en"]
    systems = systems_of(workshop, "rest", rest, [*texts.values()])
    rows = (
        ("dense", "mert", "first"), ("dense", "mert", "bitext-tune"),
        ("pt", "adagrad-pro", "first"), ("pt", "adagrad-pro", "bitext-tune"),
        ("all", "adagrad-pro", "first"), ("all", "adagrad-pro", "bitext-tune"),
    )  # fmt: skip
    return [Tuning(systems[a], b, texts[c]) for a, b, c in rows], texts


def table_4(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 4: tuning on the bitext beside tuning on the set with references."""
    tunings, texts = _bitext_tunings(workshop, data)
    tests = [texts["bitext-test"], texts["dev2"]]
    rows = rows_of(workshop, "green-4", tunings, tests)
    print_systems(rows, tests)
    return rows


def table_6(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 6: rule indicators active after tuning on two sets, and on both."""
    tunings, texts = _bitext_tunings(workshop, data)
    system = next(tuning.system for tuning in tunings if tuning.system.name.endswith(".pt"))
    active = {}
    for name in ("dev2", "bitext-test", "first", "dev", "bitext-tune"):
        folder = workshop.tune(Tuning(system, "adagrad-pro", texts[name]), 1)
        weights = Weights.load(folder / "weights.json").as_dict()
        active[name] = {one for one, value in weights.items() if value and one.startswith("PT_")}
    rows = [
        {"A": a, "B": b, "|A|": len(active[a]), "|B|": len(active[b]),
         "|A and B|": len(active[a] & active[b])}
        for a in ("dev2", "bitext-test") for b in ("first", "dev", "bitext-tune")
    ]  # fmt: skip
    print_rows([*rows[0]], [[str(cell) for cell in row.values()] for row in rows])
    return {"overlap": rows}


def table_9(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 9: epochs, the best one, CPU of a decoding, of the first run.

    The weights to start from are decoded with, too: a run of n epochs has n + 1 decodings. CPU of
    a run that was interrupted is that of its last part alone.
    """
    tunings, _ = _tunings(workshop, data)
    record = {}
    for tuning in tunings:
        epochs = len(workshop.epochs(tuning, 1)) - 1
        seconds = workshop.cpu_seconds(tuning, 1)
        record[tuning.name] = {
            "epochs": epochs, "best": workshop.chosen(tuning, 1)["number"],
            "seconds": seconds, "each": seconds / (epochs + 1),
        }  # fmt: skip
    print_rows(
        ["features.optimizer.tuning set", "epochs", "best", "CPU s", "of a decoding"],
        [
            [name, str(row["epochs"]), str(row["best"]),
             f"{row['seconds']:.0f}", f"{row['each']:.1f}"]
            for name, row in record.items()
        ],
    )  # fmt: skip
    return record
