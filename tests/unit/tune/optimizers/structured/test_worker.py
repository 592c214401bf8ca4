"""Learners on a cluster: the same bytes as on threads; and those that go on as they come."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, UsageError
from isogloss.align.execution.cluster import LOCAL
from isogloss.tune.optimizers.structured.hinge import tune_hinge
from isogloss.tune.optimizers.structured.lists import ListSource
from isogloss.tune.optimizers.structured.options import HingeOptions
from isogloss.tune.optimizers.structured.protocol import ExampleSource
from isogloss.tune.optimizers.structured.state import HingeState
from isogloss.tune.optimizers.structured.worker import Cluster
from isogloss.tune.results import TuningResult
from isogloss.tune.weights.weights import Weights
from tests.naive.workers import DeadlySource
from tests.unit.tune.optimizers.structured.test_hinge import START, some_examples

OPTIONS = HingeOptions(epochs=2, workers=2, rate=0.3)


def learned(
    source: ExampleSource, options: HingeOptions, **others: Any
) -> tuple[TuningResult, list[HingeState]]:
    states: list[HingeState] = []
    start, rng = Weights(source.space, START), np.random.default_rng(3)
    return tune_hinge(source, start, options, rng, save=states.append, **others), states


def content(states: list[HingeState]) -> list[bytes]:
    return [
        array.tobytes()
        for state in states
        for array in (state.weights, state.squares, state.drift, state.documents)
    ]


@pytest.mark.parametrize(
    "options",
    [
        replace(OPTIONS, update="arow", rate=1.0),
        replace(OPTIONS, update="sgd", parallel="mixing"),
    ],
)
def test_a_cluster_gives_the_same_bytes(
    started: Any, options: HingeOptions, tmp_path: Path
) -> None:
    """Though one of its processes is killed."""
    source, progress = ListSource(some_examples(15)), list[int]()
    expected, states = learned(source, options, threads=2)
    mark = tmp_path / "killed"
    cluster = Cluster(LOCAL, advance=progress.append)
    deadly = DeadlySource(some_examples(15), mark)
    result, found = learned(deadly, options, threads=cluster)
    assert mark.exists()
    assert content(found) == content(states)
    assert result.weights.values.tobytes() == expected.weights.values.tobytes()
    assert result.epochs == expected.epochs
    assert sum(progress) == options.epochs * len(source)


def test_nodes_with_other_files(started: Any) -> None:
    make = partial(ListSource, some_examples(15, sentences=7))
    with pytest.raises(
        DataError,
        match=r"a node of the cluster has 7 sentences and 5 features; expected the same 12",
    ):
        learned(ListSource(some_examples(15)), OPTIONS, threads=Cluster(LOCAL, make))


@pytest.mark.parametrize("update", ["mira", "arow", "sgd"])
@pytest.mark.parametrize("threads", [1, 3])
def test_exchanges_out_of_order_learns_from_all(update: str, threads: int) -> None:
    """From every sentence once an epoch, by whichever learner is free."""
    source = ListSource(some_examples(15))
    options = replace(OPTIONS, workers=3, update=update, epochs=3)
    _, states = learned(source, replace(options, deterministic=False), threads=threads)
    for number, state in enumerate(states):
        assert sum(state.steps) == number * len(source)
        assert np.isfinite(state.weights).all()
    assert states[-1].weights.min(axis=0) != pytest.approx(START, abs=1e-6)


def test_exchanges_out_of_order_in_one_thread_is_the_order_of_the_learners() -> None:
    source = ListSource(some_examples(4))
    options = replace(OPTIONS, deterministic=False, workers=3)
    one, states = learned(source, options)
    assert one.weights.values.tobytes() == learned(source, options)[0].weights.values.tobytes()
    assert states[-1].steps == (8, 8, 8)
    single = replace(options, workers=1)
    alone = replace(single, deterministic=True)
    assert content(learned(source, single)[1]) == content(learned(source, alone)[1])


def test_exchanges_out_of_order_is_for_working_sets() -> None:
    with pytest.raises(UsageError, match="deterministic must be true with `parallel="):
        HingeOptions(parallel="mixing", deterministic=False)
