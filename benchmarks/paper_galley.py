"""Figures 5, 6 and 7 and Table 1 of Galley & Quirk (2011), on Spanish-English lists.

Three tuning runs in one: about 205 distinct hypotheses for each of 1,000 sentences, 14 features
(the paper: five iterations, 374, 13). As there, a hypothesis counts by its sentence's BLEU+1 with
one reference (Figure 5 has four, too), and MERT has 20 random restarts and our 16 walks. Table 2 is
in paper_galley_beam.py. All is by the library, many searches to a process; each is
kept when it is done, and the number of those done is printed.
"""

import json
import multiprocessing
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from paper_runs import Workshop, print_rows

from isogloss.align.files.text_io import read_lines
from isogloss.align.files.writers import write_lines
from isogloss.tune.examples import Examples
from isogloss.tune.metrics.bleu import Bleu
from isogloss.tune.nbest.types import NBest, read_nbest
from isogloss.tune.optimizers.lp_mert.losses import by_sentence
from isogloss.tune.optimizers.lp_mert.tune import LpMertOptions, LpMertResult, tune_lp_mert
from isogloss.tune.optimizers.mert import MertOptions, tune_mert
from isogloss.tune.references import read_references
from isogloss.tune.weights.weights import Weights

__all__ = [
    "CLIMBS",
    "FREED",
    "LONG",
    "Lists",
    "Trial",
    "climb",
    "figure_5",
    "figure_6",
    "figure_7",
    "in_parts",
    "inherited",
    "load_kernels",
    "prepared",
    "search",
    "table_1",
]

FOLDER = "nbest-es-en"
RUNS = ("run1.best100.gz", "run2.best100.gz", "run3.best100.gz")
START = "run1.weights"
CLIMBS = {
    "once": MertOptions(random_restarts=0, random_walks=0),
    "restarts": MertOptions(random_restarts=20, random_walks=0),
    "walks": MertOptions(random_restarts=20),
}
LONG = MertOptions(random_restarts=200, random_walks=160)  # to see what is left to gain
MAX_CHECKS = 200_000
ROUNDING = 1e-9
TOLD_EVERY = 10.0  # seconds between two lines of progress

SIZES = (2, 4, 8)
REFERENCES = {1: "", 4: ", four references"}  # the paper has one
ENUMERATED = 20  # subsets of a size that Algorithm 2 is tried on as printed
# freed one after the other; all features that are not yet are one more dimension
FREED = (
    "LM0", "WordPenalty0", "Distortion0", "PhrasePenalty0",
    *(f"TranslationModel0.{k}" for k in range(4)), *(f"LexicalReordering0.{k}" for k in range(6)),
)  # fmt: skip
DIMENSIONS = (2, 3, 4, 5, 7, 9, 11, 14)
FEATURE_SIZES = (2, 4, 8, 16, 32, 64)
FEATURE_SUBSETS = 5
COSINES = (0.999999, 0.99999, 0.9999, 0.999, 0.99, 0.95, 0.9, 0.84, 0.7)
WAYS = {"exact": "dimensions", "heuristic": "dimensions.program"}  # cosine by; what is kept
PRINTED_COSINE, DIMENSION_CHECKS = 0.84, 1_000_000
COSINE_SIZES = (8, 32, 128, 512, 1000)
COSINE_CHECKS = (20_000, 300)  # of a search, and more for each sentence


Others = Callable[[NBest, Weights], tuple[NBest, Weights]]


@dataclass(frozen=True)
class Lists:
    """Measured lists, and the weights that the system started from."""

    examples: Examples
    start: Weights

    @classmethod
    def read(cls, data: Path, references: int = 1, others: Others | None = None) -> "Lists":
        """Read and measure, by so many references.

        others: gives the hypotheses other features, and weights of these to start from
        """
        folder = data / FOLDER
        texts = read_references([folder / f"tune.en.{k}" for k in range(references)])
        lists = read_nbest([folder / name for name in RUNS], len(texts))
        start = Weights.load(folder / START).to_space(lists.space)
        if others is not None:
            lists, start = others(lists, start)
        return cls(Examples.from_nbest(lists, texts, Bleu()), start)

    def subset(self, size: int, number: int) -> Examples:
        """A random subset, always the same of a size and number."""
        rng = np.random.default_rng([size, number])
        return self.examples.select(rng.choice(len(self.examples), size, replace=False))

    def first(self, size: int) -> Examples:
        """The first sentences."""
        return self.examples.select(np.arange(min(size, len(self.examples))))


def search(examples: Examples, start: Weights, **options: Any) -> tuple[LpMertResult, float]:
    """LP-MERT and its CPU seconds."""
    begin = time.process_time()
    result = tune_lp_mert(examples, start, LpMertOptions(**options), np.random.default_rng(1))
    return result, time.process_time() - begin


def climb(
    examples: Examples, start: Weights, seed: int, options: MertOptions = CLIMBS["walks"]
) -> tuple[Weights, float]:
    """MERT and its CPU seconds."""
    begin = time.process_time()
    weights = tune_mert(examples, start, options, np.random.default_rng(seed)).weights
    return weights, time.process_time() - begin


def prepared(data: Path, references: int = 1) -> Lists:
    """The lists, measured by so many references, with all kernels loaded."""
    lists = Lists.read(data, references)
    load_kernels(lists)
    return lists


def load_kernels(lists: Lists) -> None:
    """So that no search is charged with it."""
    few = by_sentence(lists.subset(2, 0))
    for how in ("exact", "lazy", "beam"):
        search(few, lists.start, search=how)


def kept(workshop: Workshop, name: str, made: Callable[[], Any]) -> Any:
    """What the file of that name holds; it is made where there is none."""
    path = workshop.path(f"{name}.json")
    if not path.exists():
        begin = time.perf_counter()
        write_lines([json.dumps(made())], path)
        print(f"  {name}: {time.perf_counter() - begin:.0f} s", flush=True)
    return json.loads("\n".join(read_lines(path)))


_INHERITED: list[Lists] = []  # by processes as they are forked: too large to send with each subset


def inherited() -> Lists:
    """The lists of the trials that are made."""
    return _INHERITED[-1]


Trial = dict[str, Any]
"""What one search gave, by name."""

Searches = Mapping[str, tuple[Any, ...]]
"""What ``_cosine_search`` takes besides, by title."""


def in_parts(
    workshop: Workshop, name: str, lists: Lists, trial: Callable[[int], Trial], count: int
) -> list[Trial]:
    """Trials 0 to ``count``, on as many processes as there are threads, each kept when done."""
    _INHERITED.append(lists)
    trials = _kept_trials(workshop, name, count)
    left = [number for number in range(count) if number not in trials]
    if not left:
        return [trials[number] for number in range(count)]
    begin = told = time.perf_counter()
    with multiprocessing.get_context("fork").Pool(workshop.threads) as pool:
        for number, made in pool.imap_unordered(partial(_numbered, trial), left):
            trials[number] = made
            write_lines([json.dumps(made)], workshop.path(f"{name}/{number}.json"))
            now = time.perf_counter()
            if now - told >= TOLD_EVERY or len(trials) == count:
                print(f"  {name}: {len(trials)} of {count}, {now - begin:.0f} s", flush=True)
                told = now
    return [trials[number] for number in range(count)]


def _kept_trials(workshop: Workshop, name: str, count: int) -> dict[int, Trial]:
    """The trials that are done: one to a file, or several as they were kept before."""
    trials: dict[int, Trial] = {}
    for path in sorted(workshop.path(f"{name}/0.json").parent.glob("*.json")):
        first, _, end = path.stem.partition("-")
        value = json.loads("\n".join(read_lines(path)))
        trials |= dict(enumerate(value, int(first))) if end else {int(first): value}
    return {number: trial for number, trial in trials.items() if number < count}


def _numbered(trial: Callable[[int], Trial], number: int) -> tuple[int, Trial]:
    return number, trial(number)


def _subset_trial(size: int, how: str, number: int) -> Trial:
    """LP-MERT and MERT on one subset; scores are means of BLEU+1, 0 to 100."""
    lists = inherited()
    examples = lists.subset(size, number)
    result, seconds = search(examples, lists.start, search=how, max_checks=MAX_CHECKS)
    mean = by_sentence(examples)
    mert, _ = climb(mean, lists.start, number)
    return {
        "lp": 100.0 * mean.best_score(result.weights),
        "mert": 100.0 * mean.best_score(mert),
        "exact": result.exact,
        "checked": result.checked.tolist(),
        "magnitude": result.magnitude,
        "seconds": seconds,
    }


def figure_5(workshop: Workshop, data: Path) -> dict[str, Any]:
    """LP-MERT less MERT on random subsets."""
    record: dict[str, Any] = {}
    for references in REFERENCES:
        record |= _gaps(workshop, prepared(data, references), references, workshop.subsets)
    print("LP-MERT less MERT on random subsets, points of the mean BLEU+1")
    titles = ("S", "exact", "below", "equal", "above", "mean", "median", "90 %", "largest", "CPU s")
    print_rows(titles, [_gap_row(size, trials) for size, trials in record.items()])
    return record


def table_1(workshop: Workshop, data: Path) -> dict[str, Any]:
    """What either exact search checks; the best first ones are those of Figure 5."""
    few = min(ENUMERATED, workshop.subsets)
    lists = prepared(data)
    record: dict[str, Any] = dict(_gaps(workshop, lists, 1, few))
    for size in SIZES:
        trial = partial(_subset_trial, size, "lazy")
        record[f"{size} lazy"] = in_parts(workshop, f"t1/{size}", lists, trial, few)
    print(f"Table 1: combinations of so many sentences checked, mean of {few} subsets")
    lengths = [str(k) for k in range(1, max(SIZES) + 1)]
    rows = [
        _checked_row(size, how, record[name])
        for size in SIZES
        for how, name in (("as printed", f"{size} lazy"), ("best first", str(size)))
    ]
    print_rows(("S, search", "of", "finished", *lengths), rows)
    return record


def _gaps(workshop: Workshop, lists: Lists, references: int, count: int) -> dict[str, list[Trial]]:
    """Searches on random subsets of each size, by what the rows are called."""
    gaps = {}
    for size in SIZES:
        trial, part = partial(_subset_trial, size, "exact"), f"f5/{size}.{references}"
        found = in_parts(workshop, part, lists, trial, count)
        gaps[f"{size}{REFERENCES[references]}"] = found
    return gaps


def _gap_row(size: str, trials: Sequence[Trial]) -> list[str]:
    """Where searches that don't finish are left out, but for the first number."""
    finished = [trial for trial in trials if trial["exact"]]
    gaps = np.array([trial["lp"] - trial["mert"] for trial in finished])
    below, above = int((gaps < -ROUNDING).sum()), int((gaps > ROUNDING).sum())
    counts = [len(finished), below, len(gaps) - below - above, above]
    shown = [gaps.mean(), np.median(gaps), np.quantile(gaps, 0.9), gaps.max()]
    seconds = np.mean([trial["seconds"] for trial in finished])
    return [size, *map(str, counts), *(f"{x:.2f}" for x in shown), f"{seconds:.2f}"]


def _checked_row(size: int, how: str, trials: Sequence[Trial]) -> list[str]:
    magnitude = np.mean([trial["magnitude"] for trial in trials])
    means = np.mean([trial["checked"] for trial in trials], axis=0)[1:]
    finished = sum(trial["exact"] for trial in trials)
    return [f"{size}, {how}", f"1e{magnitude:.0f}", str(finished), *(f"{x:.0f}" for x in means)] + [
        ""
    ] * (max(SIZES) - size)


def _feature_trial(size: int, dimensions: int, number: int) -> Trial:
    """An exact search where all but some features are one."""
    lists = inherited()
    examples = lists.subset(size, number)
    result, seconds = search(
        examples, lists.start, search="exact", tied=_rest(dimensions), max_checks=MAX_CHECKS
    )
    return {
        "exact": result.exact,
        "checked": int(result.checked.sum()),
        "seconds": seconds,
        "gain": result.epochs[0].loss - result.loss,
    }


def _rest(dimensions: int) -> tuple[str, ...]:
    """The features that are one, where so many dimensions are left."""
    return FREED[dimensions - 1 :] if dimensions < len(FREED) else ()


def figure_6(workshop: Workshop, data: Path) -> dict[str, Any]:
    """CPU seconds by the number of dimensions, for sets of growing size."""
    lists = prepared(data)
    count, record, rows = min(FEATURE_SUBSETS, workshop.subsets), dict[str, Any](), []
    for size in workshop.up_to_largest(FEATURE_SIZES):
        row = [str(size)]
        for dimensions in DIMENSIONS:
            trial = partial(_feature_trial, size, dimensions)
            trials = in_parts(workshop, f"f6/{size}.{dimensions}", lists, trial, count)
            record[f"{size} {dimensions}"] = trials
            if not all(one["exact"] for one in trials):
                break
            row.append(_spread([one["seconds"] for one in trials]))
        rows.append(row + ["-"] * (1 + len(DIMENSIONS) - len(row)))
    print(f"CPU s of exact search by dimensions: mean (least, most) of {count} subsets; ", end="")
    print("- some not finished")
    print_rows(("S", *map(str, DIMENSIONS)), rows)
    return record


def _spread(seconds: Sequence[float]) -> str:
    return f"{np.mean(seconds):.2f} ({min(seconds):.2f}, {max(seconds):.2f})"


def _cosine_search(
    lists: Lists, size: int, cosine: float, way: str, dimensions: int | None = None
) -> Trial:
    """One search; where all but some features are one, with more checks."""
    examples = lists.first(size)
    most = COSINE_CHECKS[0] + COSINE_CHECKS[1] * size if dimensions is None else DIMENSION_CHECKS
    fixed = () if dimensions is None else _rest(dimensions)
    result, seconds = search(
        examples, lists.start, search="exact", cosine=cosine, cosine_method=way, max_checks=most,
        tied=fixed,
    )  # fmt: skip
    return {
        "finished": int(result.checked.sum()) < most,
        "seconds": seconds,
        "gain": 100.0 * (result.epochs[0].loss - result.loss) / len(examples),
    }


def figure_7(workshop: Workshop, data: Path) -> dict[str, Any]:
    """CPU seconds, and what is gained, by the least cosine to what MERT finds; both ways.

    And by the number of dimensions with the paper's least cosine.
    """
    lists = prepared(data)
    record: dict[str, Any] = {}
    for way in WAYS:
        by_cosine: Searches = {str(cosine): (cosine, way) for cosine in COSINES}
        print(f"by {way}: CPU s (points of mean BLEU+1 gained on MERT); - not finished")
        record |= _by_size(workshop, lists, by_cosine, way)
    for way, name in WAYS.items():
        searches: Searches = {str(count): (PRINTED_COSINE, way, count) for count in DIMENSIONS}
        print(f"least {way} cosine {PRINTED_COSINE}, by dimensions, up to ", end="")
        print(f"{DIMENSION_CHECKS:,} checks")
        record |= _by_size(workshop, lists, searches, name)
    return record


def _by_size(workshop: Workshop, lists: Lists, searches: Searches, name: str) -> dict[str, Any]:
    """Print and return searches near MERT's weights, in the order given, up to the first of each
    size that doesn't end.
    """
    rows, record = [], {}
    for size in workshop.up_to_largest(COSINE_SIZES):
        mean = by_sentence(lists.first(size))
        found = kept(workshop, f"f7/{size}.mert", partial(_named, mean, lists.start))
        near, row = Lists(lists.examples, Weights.from_dict(found)), [str(size)]
        for title, chosen in searches.items():
            made = partial(_cosine_search, near, size, *chosen)
            one = record[f"{name} {size} {title}"] = kept(
                workshop, f"f7/{name}.{size}.{title}", made
            )
            if not one["finished"]:
                break
            row.append(f"{one['seconds']:.1f} ({one['gain']:+.2f})")
        rows.append(row + ["-"] * (1 + len(searches) - len(row)))
    print_rows(("S", *searches), rows)
    return record


def _named(examples: Examples, start: Weights) -> Mapping[str, float]:
    return climb(examples, start, 1)[0].as_dict()
