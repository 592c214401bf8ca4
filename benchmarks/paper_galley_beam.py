"""Table 2 of Galley & Quirk (2011): the beam beside MERT, on the lists of paper_galley.py.

Random subsets of S sentences, each with a seed of its own; MERT that climbs once, with 20 random
restarts, and with 16 random walks besides, as the paper's has both; the beam from each, and alone.
By mean BLEU+1 of sentences, as in the paper, and by BLEU, with one reference and four; and with
fewer features and more: of the 14, all but the first few are one, or the hypothesis's numbers of
the most frequent words stand beside them. Last, what there is to gain on MERT, by one that searches
ten times as long, and what of it a beam finds that looks at more about the weights it begins with,
or that begins behind each of MERT's climbs, not behind the best one alone.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from paper_galley import (
    CLIMBS,
    FREED,
    LONG,
    Lists,
    Trial,
    climb,
    in_parts,
    inherited,
    load_kernels,
    search,
)
from paper_runs import Workshop, print_rows
from scipy.stats import t as student

from isogloss.align.arrays.ragged import row_numbers
from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.nbest.types import NBest
from isogloss.tune.optimizers.lp_mert.losses import by_sentence
from isogloss.tune.weights.weights import Weights

__all__ = ["interval", "table_2", "with_features"]

SIZES = (32, 64, 128, 256, 512, 1000)
SUBSETS = 10  # of a size; all sentences that there are have as many seeds as there are runs
ALL = 1000  # sentences that there are
FEW, MANY = (4, 8), (30, 60)  # features
FEATURE_SIZES = (32, 128, 512)
ROOM_SIZES = (32, 64, 128, 256)
PATIENT = {"tries": 2000, "beam": 10_000}  # a hundred and ten times the usual
ROOM = {
    f"{LONG.random_restarts} restarts, {LONG.random_walks} walks less restarts": (
        "long", "restarts"
    ),
    "patient beam less restarts": ("patient", "restarts"),
    "beams behind 21 climbs less the climbs": ("beams", "climbs"),
    "less restarts": ("beams", "restarts"),
    "less walks": ("beams", "walks"),
    "less long": ("beams", "long"),
}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What a part of the table is made by. objective: of LP-MERT, sentence or corpus"""

    references: int
    objective: str
    features: int
    sizes: Sequence[int]

    @property
    def name(self) -> str:
        """Of what is kept."""
        return f"{self.references}.{self.objective}.{self.features}"

    def __str__(self) -> str:
        """As a heading."""
        what = "BLEU" if self.objective == "corpus" else "mean BLEU+1 of sentences"
        return f"{what}, {self.references} reference(s), {self.features} features"


PLAIN = [
    Setting(references, objective, len(FREED), SIZES)
    for references in (1, 4)
    for objective in ("sentence", "corpus")
]
SETTINGS = [*PLAIN, *(Setting(1, "sentence", count, FEATURE_SIZES) for count in (*FEW, *MANY))]


def _word_counts(lists: NBest, count: int) -> NDArray[np.float64]:
    """How often each hypothesis has each of the most frequent words: float64[hypotheses, count]."""
    texts = [Counter(text.split()) for text in lists.texts]
    total = Counter[str]()
    for words in texts:
        total.update(words)
    frequent = sorted(total, key=lambda word: (-total[word], word))[:count]
    return np.array([[words[word] for word in frequent] for words in texts], np.float64)


def with_features(lists: NBest, start: Weights, count: int) -> tuple[NBest, Weights]:
    """The lists with so many dense features, and their weights to start from.

    Fewer than there are: the first ones of FREED, and the score of the others by their weights.
    More: numbers of words, whose weights are 0.
    """
    names, weights = lists.space.names, start.values
    if count == len(names):
        return lists, start
    dense = np.zeros((len(lists.texts), len(names)))
    np.add.at(dense, (row_numbers(lists.rows.offsets), lists.rows.ids), lists.rows.values)
    if count < len(names):
        kept = [names.index(name) for name in FREED[: count - 1]]
        others = [k for k in range(len(names)) if k not in kept]
        columns = np.column_stack([dense[:, kept], dense[:, others] @ weights[others]])
        chosen, values = [*(names[k] for k in kept), "Others"], [*weights[kept], 1.0]
    else:
        more = count - len(names)
        columns = np.column_stack([dense, _word_counts(lists, more)])
        chosen, values = [*names, *(f"Word{k}" for k in range(more))], [*weights, *[0.0] * more]
    ids = np.tile(np.arange(count, dtype=np.int32), len(columns))
    offsets = np.arange(len(columns) + 1, dtype=np.int64) * count
    rows = Ragged(ids, columns.astype(np.float32).reshape(-1), offsets)
    return replace(lists, rows=rows, space=FeatureSpace(chosen)), Weights.from_dict(
        dict(zip(chosen, map(float, values), strict=True))
    )


def _trial(setting: Setting, size: int, number: int) -> Trial:
    """Scores in the objective, 0 to 100, and CPU seconds: each climb, the beam behind it; alone."""
    lists = inherited()
    examples = lists.subset(size, number)
    judged = examples if setting.objective == "corpus" else by_sentence(examples)
    tried: list[tuple[Weights, float]] = []
    for options in CLIMBS.values():
        tried.append(climb(judged, lists.start, number, options))
        tried.append(_behind(examples, tried[-1][0], setting.objective))
    tried.append(_behind(examples, lists.start, setting.objective))
    unit = 1.0 if setting.objective == "corpus" else 100.0
    return {
        "scores": [unit * judged.best_score(weights) for weights, _ in tried],
        "seconds": [spent for _, spent in tried],
    }


def _behind(
    examples: Examples, start: Weights, objective: str, **options: Any
) -> tuple[Weights, float]:
    result, seconds = search(examples, start, objective=objective, mert=False, **options)
    return result.weights, seconds


def table_2(workshop: Workshop, data: Path) -> dict[str, Any]:
    """MERT and LP-MERT with a beam by numbers of sentences, metric, references, features."""
    record: dict[str, Any] = {}
    for setting in SETTINGS:
        others = partial(with_features, count=setting.features)
        lists, rows = Lists.read(data, setting.references, others), []
        load_kernels(lists)
        for size in workshop.up_to_largest(setting.sizes):
            count = workshop.runs if size >= ALL else min(SUBSETS, workshop.subsets)
            name = f"t2/{setting.name}.{size}"
            trials = in_parts(workshop, name, lists, partial(_trial, setting, size), count)
            record[f"{setting.name}.{size}"] = trials
            rows.append(_row(size, trials))
        print(f"{setting}; gains and differences: mean (95 % over subsets); CPU s")
        gains = [title for how in CLIMBS for title in (f"MERT, {how}", "beam behind")]
        seconds = (f"s {k}" for k in range(1, 2 * len(CLIMBS) + 2))
        print_rows(("S", "subsets", *gains, "beam alone less walks", *seconds), rows)
    record["room"] = _print_room(workshop, data)
    return record


def _room_trial(size: int, number: int) -> Trial:
    """What searches that look further than MERT and the beam behind it reach.

    Mean BLEU+1, 0 to 100, and CPU seconds, by the search.
    """
    lists = inherited()
    examples = lists.subset(size, number)
    judged = by_sentence(examples)
    mert = climb(judged, lists.start, number, CLIMBS["restarts"])
    found = {
        "restarts": [mert],
        "walks": [climb(judged, lists.start, number, CLIMBS["walks"])],
        "long": [climb(judged, lists.start, number, LONG)],
        "patient": [_behind(examples, mert[0], "sentence", **PATIENT)],
        "climbs": _climbs(judged, lists.start, number),
    }
    found["beams"] = [_behind(examples, end, "sentence") for end, _ in found["climbs"]]
    return {
        name: [100.0 * max(judged.best_score(one) for one, _ in ends), sum(s for _, s in ends)]
        for name, ends in found.items()
    }


def _climbs(judged: Examples, start: Weights, seed: int) -> list[tuple[Weights, float]]:
    """One climb from the start, and one from each of as many random weights as MERT has."""
    rng, options = np.random.default_rng(seed), CLIMBS["restarts"]
    low, high = options.limits(start.space.names)
    points = [rng.uniform(low, high) for _ in range(options.random_restarts)]
    starts = [start, *(Weights(start.space, point) for point in points)]
    return [climb(judged, one, seed, CLIMBS["once"]) for one in starts]


def _print_room(workshop: Workshop, data: Path) -> dict[str, Any]:
    """What there is to gain on MERT, and what makes the beam find it, by size."""
    lists, record, rows, spent_by = Lists.read(data), dict[str, Any](), [], list[str]()
    load_kernels(lists)
    count = min(SUBSETS, workshop.subsets)
    for size in workshop.up_to_largest(ROOM_SIZES):
        trials = in_parts(workshop, f"t2/room.{size}", lists, partial(_room_trial, size), count)
        record[str(size)] = trials
        scores, seconds = (
            {name: np.array([one[name][k] for one in trials]) for name in trials[0]} for k in (0, 1)
        )
        gains = [interval(scores[name] - scores[other]) for name, other in ROOM.values()]
        spent = (f"{seconds[name].mean():.1f}" for name in seconds)
        spent_by = [f"s {name}" for name in seconds]
        rows.append([str(size), *gains, *spent])
    print("points of mean BLEU+1 (95 % over subsets); CPU s of each search")
    print_rows(("S", *ROOM, *spent_by), rows)
    return record


def interval(values: NDArray[np.float64]) -> str:
    """The mean and where it lies with 95 % by Student's t, if there is more than one."""
    mean = float(values.mean())
    if len(values) < 2:
        return f"{mean:+.2f}"
    quantile = float(student.ppf(0.975, len(values) - 1))
    half = quantile * float(values.std(ddof=1)) / np.sqrt(len(values))
    return f"{mean:+.2f} ({mean - half:+.2f}, {mean + half:+.2f})"


def _row(size: int, trials: Sequence[Trial]) -> list[str]:
    *climbs, alone = np.array([one["scores"] for one in trials]).T
    cells = [str(size), str(len(trials))]
    for climbed, behind in zip(climbs[::2], climbs[1::2], strict=True):
        cells += [f"{climbed.mean():.2f}", interval(behind - climbed)]
    seconds = np.mean([one["seconds"] for one in trials], axis=0)
    return [*cells, interval(alone - climbs[-2]), *(f"{x:.1f}" for x in seconds)]
