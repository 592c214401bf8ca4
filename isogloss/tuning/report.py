"""What `isogloss tune` reports: how much there is to gain, and how much was gained."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isogloss.align.errors import pluralize
from isogloss.tune.examples import Examples
from isogloss.tune.experiment import Outcome, Plan
from isogloss.tune.metrics.column import Column
from isogloss.tune.metrics.protocol import Metric
from isogloss.tune.metrics.reports import reported_choice, reported_score, show
from isogloss.tune.nbest.types import NBest
from isogloss.tune.optimizers.oracle import OracleScores
from isogloss.tune.references import References
from isogloss.tune.significance import (
    approximate_randomization,
    paired_bootstrap,
    score_system,
    verdict,
)
from isogloss.tune.weights.weights import Weights

from .inputs import TuningInput

__all__ = [
    "GainTests",
    "LoopChoices",
    "fold_lines",
    "gain_lines",
    "loop_lines",
    "oracle_lines",
    "reported_lines",
    "show",
]

_FEW = 100  # sentences
_JUDGES = (  # metrics with several versions, whose numbers don't count
    "bertscore", "bleu", "bleurt", "chrf", "comet", "cometkiwi", "gemba", "metricx", "prism",
    "unite", "xcomet", "yisi",
)  # fmt: skip


def oracle_lines(examples: Examples, oracle: OracleScores) -> list[str]:
    """How much can be gained: the size of the lists, and scores from random to oracle."""
    features, metric = len(examples.space), examples.metric
    best = oracle.start
    gap = metric.sign * (oracle.oracle - best)
    lines = [
        f"{pluralize(len(examples), 'n-best list')}, "
        f"{pluralize(len(examples.rows), 'hypothesis')}, "
        f"{pluralize(features, 'feature')} ({examples.space.num_dense} dense)",
        f"{metric.name}: first hypotheses {show(metric, oracle.first)}, initial weights "
        f"{show(metric, best)}, random {show(metric, oracle.random)}, oracle "
        f"{show(metric, oracle.oracle)}; possible gain: up to {show(metric, gap)}",
    ]
    if oracle.feature:
        is_better = metric.sign * (oracle.single - oracle.first) > 0
        single = f"{oracle.feature} {show(metric, oracle.single)}"
        none = "none is better than the first hypotheses"
        lines.append(f"best single feature: {single if is_better else none}")
    judge, feature = _judge_among(examples)
    if feature:
        is_same = feature.casefold() == judge.casefold()
        seen = "is also a feature" if is_same else f"seems to be the feature {feature} as well"
        lines.append(
            f"the metric {judge} {seen}, so its gain is biased: it shows that {judge} is followed, "
            "not that translations are better (arXiv:2411.03524). Omit the feature, or judge the "
            "result by a metric that is not a feature"
        )
    if gap <= 0:
        lines.append(
            "tuning cannot improve the metric, because the initial weights already select the "
            "best hypotheses. Pass longer or more diverse lists; other features do not help"
        )
    return lines


def _judge_among(examples: Examples) -> tuple[str, str]:
    """The column that is the metric, and a feature that has its name or another version of it."""
    column = examples.metric.column if isinstance(examples.metric, Column) else ""
    names = examples.space.names[: examples.space.num_dense]
    same = (name for name in names if name.casefold() == column.casefold())
    judge = _judge(column)
    versions = (name for name in names if judge in _JUDGES and _judge(name) == judge)
    return column, next(chain(same, versions), "")


def _judge(name: str) -> str:
    """The letters of a name, which are those of all versions of a judge: COMET-22, comet_2022."""
    return "".join(filter(str.isalpha, name)).casefold()


def _held_out_choice(
    examples: Examples, outcomes: Sequence[Outcome], run: int
) -> NDArray[np.int64]:
    """What the folds of a run chose on the sentences that they had not learned from."""
    # Returns int64[num_sentences], a hypothesis each.
    chosen = np.zeros(len(examples), np.int64)
    for outcome in outcomes:
        if outcome.task.run == run and outcome.task.fold is not None:
            chosen[outcome.tested] = outcome.hypotheses
    return chosen


def gain_lines(
    given: TuningInput, plan: Plan, outcomes: Sequence[Outcome], trials: int, threads: int = 1
) -> tuple[list[str], dict[str, Any]]:
    """What was gained on sentences that were not learned from, in words and as numbers.

    Every fold's choices together are one output of the whole list; it is compared with that of the
    start weights. Several runs are shown with their spread and tested together (Clark et al. 2011).
    A gain is above 0 where scores are better, whether that is higher or lower.
    """
    examples, metric = given.examples, given.examples.metric
    training = [
        examples.best_score(outcome.weights) for outcome in outcomes if outcome.task.fold is None
    ]
    numbers: dict[str, Any] = {"training": training}
    before = examples.best_score(given.start)
    start = show(metric, before)
    lines = [f"training {metric.name}: {start} -> {_mean_and_spread(metric, training)}"]
    if not plan.folds:
        return lines, numbers
    tests = GainTests(metric, trials, plan.seed, threads)
    judged, compared = fold_lines(examples, given.start, plan, outcomes, tests)
    return lines + judged, numbers | {"start": before} | compared


def fold_lines(
    examples: Examples,
    start: Weights,
    plan: Plan,
    outcomes: Sequence[Outcome],
    tests: "GainTests",
) -> tuple[list[str], dict[str, Any]]:
    """What the folds gained on sentences that they had not learned from, as :func:`gain_lines`."""
    metric = examples.metric
    old = examples.statistics[examples.best(start)]
    runs = range(1, plan.runs + 1)
    choices = [_held_out_choice(examples, outcomes, run) for run in runs]
    new = np.stack([examples.statistics[chosen] for chosen in choices])
    line, compared = tests.gain(f"held-out {metric.name}, {plan.folds} folds", old, new)
    lines = [line]
    if len(examples) < _FEW:
        lines.append(
            f"the p-values are unreliable, because only {len(examples)} sentences or n-best lists "
            "are compared"
        )
    return lines, compared


@dataclass(frozen=True)
class GainTests:
    """What compares the translations of several runs with those of the start weights.

    trials: of both tests, with random numbers of the seed
    """

    metric: Metric
    trials: int
    seed: int
    threads: int = 1

    def gain(
        self, what: str, old: NDArray[np.float64], new: NDArray[np.float64]
    ) -> tuple[str, dict[str, Any]]:
        """A line that says what was gained and whether by more than chance, and its numbers.

        what: was measured; old: float64[S, num_statistics]; new: float64[runs, S, num_statistics]
        """
        metric = self.metric
        options: dict[str, Any] = {
            "trials": self.trials,
            "seed": self.seed,
            "threads": self.threads,
        }
        system = score_system(new, metric, **options)
        bootstrap = paired_bootstrap(old, new, metric, **options)
        randomization = approximate_randomization(old, new, metric, **options)
        gain = metric.sign * bootstrap.difference
        low, high = sorted(metric.sign * bound for bound in bootstrap.interval)
        line = (
            f"{what}: {show(metric, float(metric.score(old.sum(0))))} -> "
            f"{_mean_and_spread(metric, system.runs.tolist())}; gain {show(metric, gain, '+')} "
            f"[{show(metric, low, '+')}, {show(metric, high, '+')}], p = {bootstrap.p_value:.4f} "
            f"(paired bootstrap), {randomization.p_value:.4f} (approximate randomization"
            f"{', runs pooled' if len(new) > 1 else ''}), {self.trials} trials"
        )
        return line, {
            "held_out": system.runs.tolist(),
            "gain": gain,
            "interval": [low, high],
            "p_bootstrap": bootstrap.p_value,
            "p_randomization": randomization.p_value,
            "verdict": verdict([bootstrap, randomization], metric),
            "trials": self.trials,
        }


def reported_lines(
    given: TuningInput, plan: Plan, outcomes: Sequence[Outcome], best: Outcome
) -> tuple[list[str], dict[str, Any]]:
    """Scores of the run whose weights are kept, counted from the words, with their signature.

    best: of the outcomes, the one whose weights are kept
    """
    if given.lists is None:
        return [], {}
    examples, metric = given.examples, given.examples.metric
    choices = {
        "start": examples.best(given.start),
        "training": examples.best(best.weights),
    }
    if plan.folds:
        choices["held_out"] = _held_out_choice(examples, outcomes, best.task.run)
    numbers: dict[str, Any] = {}
    for name, chosen in choices.items():
        hypotheses = np.full(len(given.lists), -1)  # -1 = an empty line, as `rerank` writes it
        hypotheses[examples.sentences] = chosen
        numbers[name], numbers["signature"] = reported_choice(
            metric, given.lists, given.references, hypotheses, lowercase=given.lowercase
        )
    start, training = show(metric, numbers["start"]), show(metric, numbers["training"])
    scores = f"{metric.name} {start} -> training {training}"
    if plan.folds:
        scores += f", held-out {show(metric, numbers['held_out'])}"
    lines = [f"for a paper: {scores}; {numbers['signature']}"]
    if lacking := len(given.lists) - len(examples.sentences):
        lines.append(
            f"for this score, {pluralize(lacking, 'n-best list')} without hypotheses "
            f"{'counts as an empty line' if lacking == 1 else 'count as empty lines'}"
        )
    return lines, {"reported": numbers}


@dataclass(frozen=True)
class LoopChoices:
    """What a decoder made of a text, a translation of each sentence.

    start: with the weights to start from; best: with those of each run
    references: of the text
    """

    start: NBest
    best: Sequence[NBest]
    references: References


def loop_lines(
    tests: GainTests, choices: Mapping[str, LoopChoices], run: int, *, lowercase: bool = False
) -> tuple[list[str], dict[str, Any]]:
    """What a decoder gained by other weights, in words and as numbers.

    choices: by what the text was for, ``training`` and ``held-out``; only on text that was held
    out a gain says something of other text, and is tested
    run: whose weights are kept
    """
    metric, lines, numbers, reported = tests.metric, list[str](), dict[str, Any](), dict[str, Any]()
    for name, choice in choices.items():
        references = choice.references
        old, *new = (
            metric.statistics(lists, references, threads=tests.threads)
            for lists in (choice.start, *choice.best)
        )
        if name == "training":
            scores = [float(metric.score(statistics.sum(0))) for statistics in new]
            before = float(metric.score(old.sum(0)))
            numbers |= {"start_training": before, "training": scores}
            shown = f"{show(metric, before)} -> {_mean_and_spread(metric, scores)}"
            lines.append(f"training {metric.name}: {shown}")
        else:
            line, compared = tests.gain(f"{name} {metric.name}", old, np.stack(new))
            lines.append(line)
            numbers |= {"start": float(metric.score(old.sum(0)))} | compared
        if not isinstance(metric, Column):
            for when, lists in (("start", choice.start), (name, choice.best[run - 1])):
                score, signature = reported_score(
                    metric, list(lists.texts), references, lowercase=lowercase
                )
                reported[f"{name}_start" if when == "start" else name] = score
                reported["signature"] = signature
    if reported:
        scores_shown = ", ".join(
            f"{name} {show(metric, reported[f'{name}_start'])} -> {show(metric, reported[name])}"
            for name in choices
        )
        lines.append(f"for a paper: {metric.name} {scores_shown}; {reported['signature']}")
        numbers["reported"] = reported
    return lines, numbers


def _mean_and_spread(metric: Metric, scores: Sequence[float]) -> str:
    if len(scores) == 1:
        return show(metric, scores[0])
    spread = show(metric, float(np.std(scores, ddof=1)))
    return f"{show(metric, float(np.mean(scores)))} +- {spread} ({len(scores)} runs)"
