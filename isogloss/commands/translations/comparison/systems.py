"""Systems compared with a baseline: their scores, and whether they differ by more than chance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.text.string_array import Texts
from isogloss.features.space import FeatureSpace
from isogloss.tune.metrics.column import Column
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.metrics.reports import decimals, reported_choice
from isogloss.tune.nbest.types import NBest
from isogloss.tune.references import References
from isogloss.tune.significance import (
    Bootstrap,
    BootstrapTest,
    RandomizationTest,
    SystemScore,
    Verdict,
    approximate_randomization,
    paired_bootstrap,
    score_system,
    verdict,
)

__all__ = [
    "ComparedSystem",
    "Comparison",
    "ComparisonPlan",
    "MetricComparison",
    "System",
    "Test",
    "compare_by_metric",
]

Test = Literal["bootstrap", "randomization", "both", "sacrebleu-bootstrap"]


@dataclass(frozen=True)
class System:
    """A system by its name and the outputs of the runs of its optimizer, one file each."""

    name: str
    files: tuple[str, ...]


@dataclass(frozen=True)
class ComparisonPlan:
    """How systems are tested.

    test: paired bootstrap, approximate randomization, or both; the bootstrap by sacrebleu's formula
    trials: of each
    lowercase: whether outputs and references were put in lower case, for the signature
    """

    test: Test = "both"
    trials: int = 10000
    seed: int = 1
    threads: int = 1
    lowercase: bool = False

    @property
    def bootstrap(self) -> Bootstrap | None:
        """How the bootstrap is done, None if it isn't."""
        if self.test == "sacrebleu-bootstrap":
            return "sacrebleu"
        return None if self.test == "randomization" else "centered"

    @property
    def randomization(self) -> bool:
        """Whether outputs are exchanged."""
        return self.test in ("randomization", "both")


@dataclass(frozen=True)
class ComparedSystem:
    """A system's score, and its tests against the baseline; None where there are none.

    files: one output per run; score.runs: as reported, in the order of the files
    verdict: of the tests together
    """

    name: str
    files: tuple[str, ...]
    score: SystemScore
    bootstrap: BootstrapTest | None
    randomization: RandomizationTest | None
    verdict: Verdict | None


@dataclass(frozen=True)
class MetricComparison:
    """Systems by one metric; the first is the baseline.

    signature: how scores were counted, as sacrebleu writes it
    """

    metric: str
    signature: str
    higher_is_better: bool
    systems: tuple[ComparedSystem, ...]

    @property
    def decimals(self) -> int:
        """Decimals of scores that are shown, as in `show`."""
        return decimals(self.metric)


@dataclass(frozen=True)
class Comparison:
    """The systems by all metrics, and what the numbers depend on.

    references: files; sentences: number of them; trials: of each test
    """

    references: tuple[str, ...]
    sentences: int
    trials: int
    seed: int
    metrics: tuple[MetricComparison, ...]


def compare_by_metric(
    metric: Metric,
    systems: Sequence[System],
    outputs: Sequence[Sequence[NBest]],
    references: References | None,
    plan: ComparisonPlan,
    advance: Callable[[int], None] = lambda count: None,
) -> MetricComparison:
    """Scores, spreads and tests of all systems by one metric; the first is the baseline.

    outputs: one hypothesis of each sentence, by system, then by run
    references: None = the metric, a column, needs none
    advance: called with 1 after each output is scored
    """
    statistics = _statistics(metric, outputs, references, plan.threads)
    compared = []
    signature = ""
    for number, (system, runs) in enumerate(zip(systems, outputs, strict=True)):
        reported = []
        for lists in runs:
            chosen = np.arange(len(lists))
            value, signature = reported_choice(
                metric, lists, references, chosen, lowercase=plan.lowercase
            )
            reported.append(value)
            advance(1)
        score = score_system(
            statistics[number], metric, trials=plan.trials, seed=plan.seed, threads=plan.threads
        )
        score = replace(score, runs=np.array(reported), mean=float(np.mean(reported)))
        tests = _tests(statistics[0], statistics[number], metric, plan) if number else (None, None)
        done = [test for test in tests if test]
        found = verdict(done, metric) if done else None
        compared.append(ComparedSystem(system.name, system.files, score, *tests, found))
    return MetricComparison(metric.name, signature, metric.sign > 0, tuple(compared))


def _tests(
    baseline: NDArray[np.float64], system: NDArray[np.float64], metric: Metric, plan: ComparisonPlan
) -> tuple[BootstrapTest | None, RandomizationTest | None]:
    """The tests that are asked for. baseline, system: float64[runs, sentences, K]"""
    sampling: dict[str, Any] = {"trials": plan.trials, "seed": plan.seed, "threads": plan.threads}
    bootstrap = randomization = None
    if plan.bootstrap:
        bootstrap = paired_bootstrap(baseline, system, metric, kind=plan.bootstrap, **sampling)
    if plan.randomization:
        randomization = approximate_randomization(baseline, system, metric, **sampling)
    return bootstrap, randomization


def _statistics(
    metric: Metric,
    systems: Sequence[Sequence[NBest]],
    references: References | None,
    threads: int,
) -> list[NDArray[np.float64]]:
    """float64[runs, sentences, K] of each system."""
    # All outputs of a sentence are measured together, as if they were an n-best list.
    outputs = [lists for runs in systems for lists in runs]
    if isinstance(metric, Column):
        table = np.stack([metric.statistics(lists) for lists in outputs])
    else:
        rows = zip(*(lists.texts for lists in outputs), strict=True)
        flat = Texts.from_strings(text for row in rows for text in row)
        count = len(outputs[0])
        offsets = np.arange(count + 1) * len(outputs)
        together = NBest(offsets, flat, Ragged.empty(len(flat)), FeatureSpace([]))
        table = metric.statistics(together, references, threads=threads)
        table = table.reshape(count, len(outputs), -1).swapaxes(0, 1)
    bounds = np.cumsum([len(runs) for runs in systems])
    return np.split(table, bounds[:-1])
