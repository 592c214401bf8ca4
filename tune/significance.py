"""Whether one system is better than another: tests on stored statistics, over runs of optimizers.

Statistics of a system are those of its sentences, float64[sentences, K], or of several runs of its
optimizer, float64[runs, sentences, K]. A system's score is the metric of all its runs taken
together. The same seed gives the same trials, whatever the system, the metric and the number of
threads.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isogloss.align.arrays.equality import ComparedByContent
from isogloss.align.errors import (
    DataError,
    WrongTypeError,
    pluralize,
    shown,
)
from isogloss.align.execution.calls import public
from isogloss.align.text.sentences import Sentences

from .metrics.names import given_metric
from .metrics.protocol import Metric
from .metrics.resampling import bootstrap_sums, exchange_sums
from .metrics.scoring import text_statistics
from .references import References

__all__ = [
    "LEVEL",
    "Bootstrap",
    "BootstrapTest",
    "RandomizationTest",
    "SystemScore",
    "Verdict",
    "approximate_randomization",
    "paired_bootstrap",
    "score_system",
    "verdict",
]

Bootstrap = Literal["centered", "sacrebleu"]
Verdict = Literal["better", "worse", "unclear", "not significant"]
LEVEL = 0.05  # a difference with a p-value of at most this is taken for more than chance


@dataclass(frozen=True, eq=False)
class SystemScore(ComparedByContent):
    """A system's score with its variation, in the metric's reported unit.

    Attributes
    ----------
    runs : ndarray of float64, shape (n_runs,)
        Score of each run.
    mean : float
    optimizer_deviation : float or None
        Sample standard deviation of the runs, s_opt of Clark et al. (2011); None for a single run.
    sampling_deviation : float
        Standard deviation over resamples of the sentences, averaged over the runs (their s_sel).
    interval : tuple of float
        95 % interval over resamples of all runs together.
    """

    runs: NDArray[np.float64]
    mean: float
    optimizer_deviation: float | None
    sampling_deviation: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class BootstrapTest:
    """Result of :func:`paired_bootstrap`.

    Attributes
    ----------
    difference : float
        System minus baseline, in the metric's reported unit.
    p_value : float
        Two-sided.
    wins : float
        Share of the resamples in which the system is better; ties count half.
    interval : tuple of float
        95 % interval of the difference.
    kind : {"centered", "sacrebleu"}
    """

    difference: float
    p_value: float
    wins: float
    interval: tuple[float, float]
    kind: Bootstrap = "centered"


@dataclass(frozen=True)
class RandomizationTest:
    """Result of :func:`approximate_randomization`.

    Attributes
    ----------
    difference : float
        System minus baseline, in the metric's reported unit.
    p_value : float
        Two-sided.
    """

    difference: float
    p_value: float


def score_system(
    system: NDArray[np.float64],
    metric: Metric,
    *,
    trials: int = 1000,
    seed: int = 1,
    threads: int = 1,
) -> SystemScore:
    """Score a system's runs and estimate the variation over runs and sentences.

    Parameters
    ----------
    system : ndarray of float64, shape (n_sentences, K) or (n_runs, n_sentences, K)
        The metric's statistics of each sentence.
    metric : Metric
    trials, seed, threads : int, default 1000, 1 and 1
        Threads do not change the result.

    Raises
    ------
    DataError, UsageError
        If there is no sentence, or a number is not finite; if there is no trial.
    """
    runs = _runs(system)
    joined = np.concatenate([runs.sum(0), *runs], axis=1)
    resampled = bootstrap_sums(joined, trials, seed, threads)
    scores = metric.score(resampled.reshape(trials, len(runs) + 1, -1))
    run_scores = metric.score(runs.sum(1))
    return SystemScore(
        run_scores,
        float(run_scores.mean()),
        float(run_scores.std(ddof=1)) if len(run_scores) > 1 else None,
        float(scores[:, 1:].std(0, ddof=1).mean()) if trials > 1 else 0.0,
        _interval(scores[:, 0]),
    )


@public
def paired_bootstrap(
    baseline: NDArray[np.float64] | Sentences,
    system: NDArray[np.float64] | Sentences,
    metric: Metric | str,
    *,
    references: References | Iterable[object] | None = None,
    kind: Bootstrap = "centered",
    trials: int = 1000,
    seed: int = 1,
    threads: int = 1,
) -> BootstrapTest:
    """Test the difference of two systems by paired bootstrap resampling.

    All runs of a sentence are drawn together. The p-value is (c + 1) / (trials + 1), two-sided.

    "centered": c counts the resamples whose difference is at least as far from the mean difference
    of all resamples as the observed difference is from 0 [2]_. The interval is symmetric around the
    observed difference and excludes 0 exactly if the p-value is at most 0.05.

    "sacrebleu": c counts the resamples whose absolute difference exceeds the mean absolute
    difference by at least the observed one. This test rejects twice as often as it should if the
    systems are equally good. The interval has the central 95 % of the differences.

    ``wins`` of the result is the measure of [1]_.

    Parameters
    ----------
    baseline, system : ndarray of float64, shape (n_sentences, K) or (n_runs, n_sentences, K)
        The metric's statistics of each sentence; the systems may differ in their number of runs.
        With references: their translations, as for :func:`score`.
    metric : Metric or str
    references : References or iterable, optional
        References of the same sentences, as for :func:`score`.
    kind : {"centered", "sacrebleu"}
    trials : int, default 1000
        Number of resamples.
    seed, threads : int, default 1
        Threads do not change the result.

    Returns
    -------
    BootstrapTest

    Raises
    ------
    DataError, UsageError
        If sentences differ, there is none, or a number is not finite; if there is no trial.

    References
    ----------
    .. [1] Koehn, P. (2004). Statistical significance tests for machine translation evaluation.
       EMNLP.
    .. [2] Efron, B. and Tibshirani, R. (1993). An introduction to the bootstrap, section 16.4.

    Examples
    --------
    >>> baseline = np.array([[3.0, 10.0], [4.0, 10.0], [5.0, 10.0]])  # edits, words
    >>> test = paired_bootstrap(baseline, baseline - [1, 0], "ter")
    >>> round(test.difference, 2), round(test.p_value, 3), test.wins
    (-10.0, 0.001, 1.0)
    >>> texts = ["a b", "c d"], ["a b", "c e"]
    >>> paired_bootstrap(*texts, "ter", references=["a b", "c e"]).difference
    -25.0
    """
    if isinstance(metric, References):
        raise WrongTypeError(
            "metric must be a name such as 'bleu', not References; use "
            'paired_bootstrap(baseline, system, "bleu", references=references)'
        )
    metric = given_metric(metric)
    if references is not None:
        baseline = text_statistics(baseline, references, metric, "baseline")
        system = text_statistics(system, references, metric, "system")
    first, second = _pair(baseline, system)
    joined = np.concatenate([first.sum(0), second.sum(0)], axis=1)
    resampled = bootstrap_sums(joined, trials, seed, threads)
    scores = metric.score(resampled.reshape(trials, 2, -1))
    observed = _difference(joined.sum(0).reshape(2, -1), metric)
    differences = scores[:, 1] - scores[:, 0]
    if kind == "centered":
        size = np.abs(differences - differences.mean())
        interval = _interval_around(observed, size)
    else:
        size = np.abs(differences) - np.abs(differences).mean()
        interval = _interval(differences)
    better = metric.sign * differences
    return BootstrapTest(
        observed,
        _p_value(size, abs(observed)),
        float((better > 0).mean() + (better == 0).mean() / 2),
        interval,
        kind,
    )


def approximate_randomization(
    baseline: NDArray[np.float64],
    system: NDArray[np.float64],
    metric: Metric,
    *,
    trials: int = 10000,
    seed: int = 1,
    threads: int = 1,
) -> RandomizationTest:
    """Test a difference by approximate randomization (Riezler and Maxwell 2005).

    The outputs of a sentence are exchanged or not, at random. The p-value is (c + 1) / (trials + 1)
    if c trials have at least the absolute difference of the systems. With several runs, run r of
    one system is paired with run r of the other, and a single run with each; each pair of run and
    sentence is exchanged independently (Clark et al. 2011), so p-values decrease with the number of
    runs. Identical runs count once.

    Parameters
    ----------
    baseline, system : ndarray of float64, shape (n_sentences, K) or (n_runs, n_sentences, K)
        The metric's statistics of each sentence; equal numbers of runs, or a single one.
    metric : Metric
    trials, seed, threads : int, default 10000, 1 and 1
        Threads do not change the result.

    Raises
    ------
    DataError, UsageError
        If sentences or runs differ in number, there is no sentence, or a number is not finite; if
        there is no trial.
    """
    first, second = _pair(baseline, system)
    if len(first) != len(second) and 1 not in (len(first), len(second)):
        raise DataError(
            f"a system has {pluralize(len(second), 'run')}, but the baseline has {len(first)}; "
            "approximate randomization needs 1 run or the number of runs of the baseline",
            remedy="Pass the same number, or use bootstrap resampling only",
        )
    first, second = np.broadcast_arrays(first, second)
    if (first == first[0]).all() and (second == second[0]).all():
        first, second = first[:1], second[:1]
    totals = np.stack([first.sum((0, 1)), second.sum((0, 1))])
    observed = _difference(totals, metric)
    differences = np.ascontiguousarray((second - first).reshape(-1, first.shape[-1]))
    moved = exchange_sums(differences, trials, seed, threads)
    scores = metric.score(np.stack([totals[0] + moved, totals[1] - moved]))
    return RandomizationTest(observed, _p_value(np.abs(scores[1] - scores[0]), abs(observed)))


def verdict(tests: Sequence[BootstrapTest | RandomizationTest], metric: Metric) -> Verdict:
    """Combine the tests of one difference: are all, none or some significant?

    "better" or "worse" if all p-values are at most LEVEL, "not significant" if none is, else
    "unclear".
    """
    significant = [test.p_value <= LEVEL for test in tests]
    if not any(significant):
        return "not significant"
    if not all(significant):
        return "unclear"
    return "better" if metric.sign * tests[0].difference > 0 else "worse"


def _runs(system: object) -> NDArray[np.float64]:
    """Statistics of a system as those of its runs: float64[runs, sentences, K]."""
    try:
        runs = np.asarray(system, np.float64)
    except (TypeError, ValueError):
        runs = np.zeros(0)
    if runs.ndim not in (2, 3):
        raise WrongTypeError(
            f"a system must be an array of statistics, not {shown(system)}; for translations pass "
            "`references=...`"
        )
    if runs.ndim == 2:
        runs = runs[None]
    if not runs.size:
        raise DataError("a system has no sentences")
    if not np.isfinite(runs).all():
        raise DataError("the statistics are not finite")
    return runs


def _pair(baseline: object, system: object) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    first, second = _runs(baseline), _runs(system)
    if first.shape[1:] != second.shape[1:]:
        raise DataError(
            f"a system has {pluralize(second.shape[2], 'statistic')} for each of "
            f"{pluralize(second.shape[1], 'sentence')}",
            f"{first.shape[2]} for each of {first.shape[1]}, as in the baseline",
        )
    return first, second


def _difference(sums: NDArray[np.float64], metric: Metric) -> float:
    """Score of the second row of sums minus that of the first."""
    first, second = metric.score(sums).tolist()
    return float(second - first)


def _p_value(differences: NDArray[np.float64], observed: float) -> float:
    """(c + 1) / (n + 1); what rounding alone keeps below ``observed`` counts."""
    count = int((differences >= observed - 1e-9 * max(1.0, observed)).sum())
    return (count + 1) / (len(differences) + 1)


def _interval_around(observed: float, deviations: NDArray[np.float64]) -> tuple[float, float]:
    """The differences that a test would not reject at LEVEL."""
    # deviations: float64[trials], of the resamples; a p-value counts those that are as large. Fewer
    #     than 19, which reject nothing, always leave 0 inside.
    rejected = int(LEVEL * (len(deviations) + 1))
    half = float(np.sort(deviations)[len(deviations) - max(rejected, 1)])
    if rejected == 0:
        half = max(half, abs(observed))
    return observed - half, observed + half


def _interval(scores: NDArray[np.float64]) -> tuple[float, float]:
    """Between the lowest and the highest fortieth, as in sacrebleu."""
    ordered = np.sort(scores)
    lowest = len(ordered) // 40
    return float(ordered[lowest]), float(ordered[len(ordered) - 1 - lowest])
