"""Table 1 and Figures 2 to 6 of Chiang (2012), in small, on Spanish-English telephone conversation
with four references.

Weights are learned on the first 1,000 segments of the tuning set, epochs are chosen by its last
1,000, and tested on two others. small: the 19 dense features; large: and lex(e), lex(f,e),
lex(NULL,e) of words that come at least 100 times. Learners begin with Moses's weights, not with 0:
with 0 for all but some features the first epochs are lost here. Figures are learning curves: BLEU
of each epoch on the last 1,000.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paper_green import print_systems, rows_of, systems_of, texts_of, training_text
from paper_runs import Text, Tuning, Workshop, print_rows

__all__ = ["figure_2", "figure_3", "figure_4", "figure_6", "table_1"]

SYSTEMS = {"small": "", "large": "lex:unk=100"}
EPOCHS = ("--epochs", "10")
Method = tuple[str, tuple[str, ...]]


def _hinge(update: str, rate: float, *others: object) -> Method:
    """The optimizer, and its options."""
    options = ("--update", update, "--rate", rate, *others, *EPOCHS)
    return "hinge", tuple(map(str, options))


def _risk(rate: float) -> Method:
    return "risk", ("--rate", str(rate), *EPOCHS)


def _mixing(workers: int) -> tuple[str, ...]:
    return ("--workers", str(workers), "--parallel", "mixing")


def _sharing(workers: int) -> tuple[str, ...]:
    return ("--workers", str(workers), "--parallel", "asynchronous")


MERT: Method = ("mert", ("--nbest-size", "100"))
TABLE_1: Mapping[str, Mapping[str, Method]] = {
    "small": {
        "mert": MERT,
        "sgd": _hinge("sgd", 0.01),
        "risk": _risk(0.05),
        "mira": _hinge("mira", 0.01),
        "arow": _hinge("arow", 0.01),
    },
    "large": {
        "sgd": _hinge("sgd", 0.01),
        "mira": _hinge("mira", 0.01),
        "mira-mixing": _hinge("mira", 0.01, *_mixing(5)),
        "mira-sharing": _hinge("mira", 0.01, *_sharing(5)),
        "arow-sharing": _hinge("arow", 0.01, *_sharing(5)),
        "arow": _hinge("arow", 0.01),
    },
}
FIGURE_2 = {
    "small": {
        **{f"sgd-{rate}": _hinge("sgd", rate) for rate in (0.002, 0.05)},
        **{f"mira-{rate}": _hinge("mira", rate) for rate in (0.002, 0.05)},
        **{f"risk-{rate}": _risk(rate) for rate in (0.01, 0.2)},
        **TABLE_1["small"],
    }
}
FIGURE_3 = {
    "small": {
        "sgd": TABLE_1["small"]["sgd"],
        "sgd-linear": _hinge("sgd", 0.01, "--approximation", "linear"),
        "mira": TABLE_1["small"]["mira"],
        **{
            f"mira-mu{weight}": _hinge("mira", 0.01, "--hope-metric-weight", weight)
            for weight in (0.2, 0.5, 2, 5)
        },
        "mira-mu-decay": _hinge("mira", 0.01, "--hope-metric-weight", 2, "--hope-decay", 0.001),
        **{
            f"mira-{oracle}": _hinge("mira", 0.01, "--oracle", oracle)
            for oracle in ("max-bleu", "local", "bold")
        },
    }
}
FIGURE_4 = {
    system: {
        name: _hinge("mira", 0.01, *parallel)
        for name, parallel in {
            "mira": (),
            **{f"mira-mixing-{num}": _mixing(num) for num in (2, 20)},
            "mira-mixing": _mixing(5),
            **{f"mira-sharing-{num}": _sharing(num) for num in (2, 20)},
            "mira-sharing": _sharing(5),
        }.items()
    }
    for system in SYSTEMS
}
FIGURE_6 = {
    "large": {
        "arow": TABLE_1["large"]["arow"],
        **{f"arow-{rate}": _hinge("arow", rate) for rate in (0.001, 0.1, 1)},
        **{
            f"arow-lambda{precision}": _hinge("arow", 0.01, "--precision-step", precision)
            for precision in (0.001, 0.1, 1)
        },
    }
}


def _tunings(
    workshop: Workshop, data: Path, methods: Mapping[str, Mapping[str, Method]]
) -> tuple[list[Tuning], dict[str, Text]]:
    texts = texts_of(workshop, data)
    bitext = training_text(workshop, data)
    wanted = [texts[name] for name in ("dev", "dev2", "test")]
    systems = systems_of(workshop, "", bitext, wanted, SYSTEMS)
    tunings = [
        Tuning(systems[system], optimizer, texts["first"], options, label, texts["last"])
        for system, own in methods.items()
        for label, (optimizer, options) in own.items()
    ]
    return tunings, texts


def table_1(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Print and return Table 1: differences from MERT with the small set, by randomization."""
    tunings, texts = _tunings(workshop, data, TABLE_1)
    tests = [texts["dev2"], texts["test"]]
    rows = rows_of(workshop, "chiang-1", tunings, tests)
    print_systems(rows, tests)
    return rows


def _curves(
    workshop: Workshop, data: Path, methods: Mapping[str, Mapping[str, Method]]
) -> dict[str, Any]:
    """Print and return what each epoch reaches on the text that chooses, of the first run."""
    one = replace(workshop, runs=1)
    tunings, _ = _tunings(one, data, methods)
    curves = {}
    for tuning in tunings:
        curves[tuning.name] = [epoch["held_out"] for epoch in one.epochs(tuning, 1)]
        _print([(tuning.name, curves[tuning.name])])
    return curves


def _print(curves: Iterable[tuple[str, Sequence[float]]]) -> None:
    rows = [[name, *(f"{score:.2f}" for score in scores)] for name, scores in curves]
    print_rows(["epoch", *map(str, range(len(rows[0]) - 1))], rows)


def figure_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Rates of SGD, MIRA and minimum risk, small set, AROW beside them."""
    return _curves(workshop, data, FIGURE_2)


def figure_3(workshop: Workshop, data: Path) -> dict[str, Any]:
    """BLEU by reranking or to first order; mu; other translations to move to."""
    return _curves(workshop, data, FIGURE_3)


def figure_4(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Iterative mixing and shared working sets (Figure 5, too), by number of learners."""
    return _curves(workshop, data, FIGURE_4)


def figure_6(workshop: Workshop, data: Path) -> dict[str, Any]:
    """Variances and lambda of AROW, large set."""
    return _curves(workshop, data, FIGURE_6)
