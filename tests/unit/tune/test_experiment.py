"""Runs and folds: who learns from what, with which random numbers, and what is kept."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from isogloss.align.arrays.sparse_rows import Ragged
from isogloss.align.errors import UsageError
from isogloss.features.space import FeatureSpace
from isogloss.tune.examples import Examples
from isogloss.tune.experiment import (
    Outcome,
    Plan,
    Task,
    TuningSet,
    carry_out,
    choose_best,
    tune_nbest,
)
from isogloss.tune.methods import OPTIMIZERS
from isogloss.tune.results import Epoch, Report, TuningResult, ignore
from isogloss.tune.weights.weights import Weights
from tests.naive.examples import random_examples

EXAMPLES = random_examples(np.random.default_rng(1), 12, 4, 2)
START = Weights(EXAMPLES.space, np.array([0.0, 1.0]))


class Watcher:
    """Remembers what it was given; returns random weights."""

    def __init__(self) -> None:
        self.examples: list[Examples] = []
        self.held_out: list[Examples | None] = []

    def __call__(
        self,
        examples: Examples,
        start: Weights,
        rng: np.random.Generator,
        *,
        held_out: Examples | None = None,
        threads: int = 1,
        report: Report = ignore,
        checkpoint: Path | None = None,
    ) -> TuningResult:
        self.examples.append(examples)
        self.held_out.append(held_out)
        epoch = Epoch(0, 0.0, 1.0, 2, None if held_out is None else held_out.best_score(start))
        report(epoch)
        return TuningResult(Weights(examples.space, rng.normal(size=2)), 0, (epoch,))


def carried_out(plan: Plan, held_out: Examples | None = None) -> tuple[Watcher, list[Outcome]]:
    watcher = Watcher()
    outcomes = [
        carry_out(task, plan, watcher, TuningSet(EXAMPLES, START, held_out))
        for task in plan.tasks()
    ]
    return watcher, outcomes


def test_tasks_of_a_plan() -> None:
    names = [task.name for task in Plan(2, 3, 1).tasks()]
    first_run = ["run1.final", "run1.fold0", "run1.fold1", "run1.fold2"]
    assert [*first_run, *(name.replace("1.f", "2.f") for name in first_run)] == names


def test_each_task_has_its_own_random_numbers_and_can_be_repeated() -> None:
    _, outcomes = carried_out(Plan(2, 3, 1))
    _, again = carried_out(Plan(2, 3, 1))
    values = [outcome.weights.values.tolist() for outcome in outcomes]
    assert values == [outcome.weights.values.tolist() for outcome in again]
    assert 8 == len({tuple(weights) for weights in values})
    _, other = carried_out(Plan(2, 3, 2))
    assert values != [outcome.weights.values.tolist() for outcome in other]


def test_folds_learn_choose_and_judge_on_different_sentences() -> None:
    plan = Plan(1, 3, 1)
    watcher, outcomes = carried_out(plan)
    for outcome, learned_from, held_out in zip(
        outcomes, watcher.examples, watcher.held_out, strict=True
    ):
        assert held_out is not None
        split = plan.split(12, outcome.task)
        assert split.train.tolist() == learned_from.sentences.tolist()
        assert split.choose.tolist() == held_out.sentences.tolist()
        assert split.test.tolist() == outcome.tested.tolist()
        assert EXAMPLES.best(outcome.weights)[split.test].tolist() == outcome.hypotheses.tolist()
        assert held_out.best_score(outcome.weights) == outcome.held_out


def test_examples_that_are_held_out_choose_instead() -> None:
    other = random_examples(np.random.default_rng(2), 3, 4, 2)
    watcher, outcomes = carried_out(Plan(1, 3, 1), other)
    assert all(held_out is other for held_out in watcher.held_out)
    assert [12, 8, 8, 8] == [len(examples) for examples in watcher.examples]
    assert other.best_score(outcomes[0].weights) == outcomes[0].held_out


def test_without_folds_the_examples_judge() -> None:
    watcher, (outcome,) = carried_out(Plan())
    assert watcher.examples[0] is EXAMPLES
    assert watcher.held_out == [None]
    assert EXAMPLES.best_score(outcome.weights) == outcome.held_out
    assert [] == outcome.hypotheses.tolist()


@pytest.mark.parametrize(("sign", "expected"), [(1, 2), (-1, 1)])
def test_the_best_run_is_kept(sign: int, expected: int) -> None:
    none = np.zeros(0, np.int64)

    def outcome(run: int, fold: int | None, held_out: float) -> Outcome:
        return Outcome(Task(run, fold), START, 0, (), held_out, none, none)

    outcomes = [
        outcome(1, None, 3.0),
        outcome(1, 0, 9.0),
        outcome(2, None, 5.0),
        outcome(3, None, 5.0),
    ]
    assert expected == choose_best(outcomes, sign).task.run


def test_one_training_by_the_name_of_its_method() -> None:
    seen: list[Epoch] = []
    result = tune_nbest(EXAMPLES, "pro", initial_weights=START, samples=2, report=seen.append)
    assert result.epochs == tuple(seen)
    assert 3 == len(seen)
    again = tune_nbest(EXAMPLES, "pro", initial_weights=START, samples=2, threads=2)
    assert (result.weights, result.epochs) == (again.weights, again.epochs)
    from_zero = tune_nbest(EXAMPLES)
    assert EXAMPLES.best_score(Weights.zeros(EXAMPLES.space)) == from_zero.epochs[0].score


def test_spaces_of_start_and_held_out_examples_may_be_others() -> None:
    names = list(EXAMPLES.space)
    start = Weights.from_dict({"new": 7.0, names[1]: 1.0, names[0]: 0.0})
    held_out = EXAMPLES.to_space(FeatureSpace(reversed(names)))
    result = tune_nbest(EXAMPLES, "mira", initial_weights=start, held_out=held_out, epochs=2)
    expected = tune_nbest(EXAMPLES, "mira", initial_weights=START, held_out=EXAMPLES, epochs=2)
    assert result.weights == expected.weights
    assert result.epochs == expected.epochs
    assert result.epochs[0].held_out == result.epochs[0].score


@pytest.mark.parametrize("neighbors", ["none", "linear"])
def test_weights_of_what_held_out_examples_alone_have_count_there(neighbors: str) -> None:
    """Each hypothesis has a feature of its own, by which the start chooses the worst of each."""
    own_names = [f"own_{k}" for k in range(len(EXAMPLES.rows))]
    own = Ragged.from_rows([[(k, 1.0)] for k in range(len(own_names))])
    held_out = replace(
        EXAMPLES,
        rows=EXAMPLES.rows.hstack(own, len(EXAMPLES.space)),
        space=FeatureSpace([*EXAMPLES.space, *own_names]),
    )
    gains = EXAMPLES.gains
    worst = [min(EXAMPLES.hypotheses(k), key=gains.__getitem__) for k in range(len(EXAMPLES))]
    chosen = {own_names[k]: 1e6 for k in worst}
    bins = dict.fromkeys(("p_bin0:3", "p_bin1:3", "p_bin2:3"), 1.0)
    named = {f"Table0_{name}": weight for name, weight in chosen.items()}  # as in a moses.ini
    start = Weights.from_dict({EXAMPLES.space.names[1]: 1.0, "far_off": 1.0} | bins | named)
    learned_from = replace(EXAMPLES, space=FeatureSpace([*EXAMPLES.space, *bins]))
    result = tune_nbest(
        learned_from,
        "pro",
        initial_weights=start,
        held_out=held_out,
        samples=2,
        bin_regularizer=neighbors,
    )
    expected = EXAMPLES.score(np.array(worst))
    assert [epoch.held_out for epoch in result.epochs] == [expected] * 3
    assert list(result.weights) == list(learned_from.space)
    written = result.weights.with_rest_of(start, result.scale)
    assert {name: written[name] for name in (*named, "far_off")} == {**named, "far_off": 1.0}


@pytest.mark.parametrize("method", OPTIMIZERS)
def test_nothing_is_learned_from_examples_that_keep_weights(method: str) -> None:
    keeping = Weights.from_dict({"A_1": 1.0})
    space = FeatureSpace([*EXAMPLES.space.names[:1], "A_1"])
    judged = replace(EXAMPLES, space=space).to_space(FeatureSpace(space.names[:1]), keeping)
    with pytest.raises(UsageError, match="examples with fixed weights of 1 feature cannot be used"):
        tune_nbest(judged, method)


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        ("powell", {}, "optimizer must be one of adagrad-pro, .*, mert, .*, got 'powell'"),
        ("mert", {"restarts": 3}, "unknown option 'restarts'; did you mean random_restarts"),
        ("mert", {"random_walks": -1}, "random_walks must be between 0 and"),
        ("mert", {"walk_size": 1e308}, r"walk_size must be above 0 and at most 1e30"),
        ("pro", {"l2": 1e308}, r"l2 must be between 0 and 1e30"),
        ("pro", {"bin_sharpness": 1e31}, r"bin_sharpness must be between 0\.5 and 1e30"),
        ("minrisk", {"l2": 1e308}, r"l2 must be between 0 and 1e30"),
        (
            "minrisk",
            {"inverse_temperature": 1e154},
            r"inverse_temperature must be above 0 and at most 1e30",
        ),
        ("minrisk", {"growth": 1e308}, r"growth must be between 1 and 1e6"),
    ],
)
def test_methods_and_options_that_there_are_not(
    method: str, options: dict[str, float], message: str
) -> None:
    with pytest.raises(UsageError, match=message):
        tune_nbest(EXAMPLES, method, **options)
