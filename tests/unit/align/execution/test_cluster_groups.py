"""Groups on a Ray cluster: what members give each other, what is told of those that are lost."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError, OptionError, UsageError
from isogloss.align.execution import cluster_groups
from isogloss.align.execution.cluster import LOCAL
from isogloss.align.execution.cluster_groups import ClusterGroup, WorkerLostError
from isogloss.align.execution.groups import Group, LocalGroup, Workers
from tests.naive.workers import Counter, Tally, end_process

pytestmark = pytest.mark.thorough


@pytest.fixture(params=["here", "cluster"])
def group(request: pytest.FixtureRequest) -> Iterator[Group]:
    if request.param == "here":
        yield LocalGroup([Counter() for _ in range(3)])
        return
    request.getfixturevalue("started")
    with ClusterGroup(Counter, Workers(LOCAL, 2)) as opened:
        yield opened


def test_members_give_each_other_parts(group: Group) -> None:
    size = group.size
    given = [group.ask(k, Counter.numbers, k, size, parts=size) for k in range(size)]
    taken = [group.ask(k, Counter.add, *(own[k] for own in given)) for k in range(size)]
    wanted = [sum(10 * giver + taker for giver in range(size)) for taker in range(size)]
    assert group.results(taken) == wanted
    assert group.results([group.ask(0, Counter.add, 5)]) == [wanted[0] + 5]


def test_a_single_part_is_a_list_of_one(group: Group) -> None:
    (part,) = group.ask(1, Counter.numbers, 7, 1, parts=1)
    assert group.results([part, group.ask(0, Counter.add, part)]) == [70, 70]


def test_arguments_for_several_members_can_be_written_to(group: Group) -> None:
    shared = group.share(np.arange(100_000))
    asked = [group.ask(k, Counter.add_to_first, shared, None, 3) for k in range(group.size)]
    assert set(group.results(asked)) <= {3, 6, 9}  # members of one process have the same array


def test_errors_of_tasks_are_raised(group: Group) -> None:
    with pytest.raises(DataError, match=r"^table, line 3: a comma; expected a tab\. Mend it$"):
        group.results([group.ask(1, Counter.add, group.ask(0, Tally.fail))])


def test_a_worker_that_is_lost(started: Any) -> None:
    with (
        pytest.raises(
            WorkerLostError,
            match=r"^a worker was lost on node \S+ of the cluster \(.*\)\. Check whether nodes",
        ),
        ClusterGroup(Counter, Workers(LOCAL, 2)) as group,
    ):
        group.results([group.ask(1, end_process)])


def test_other_versions_on_a_node(started: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_groups, "_versions", lambda: "isogloss 9.9")
    found = r"node \S+ of the cluster has isogloss .*, and this one isogloss 9\.9; install the same"
    with pytest.raises(UsageError, match=found):
        ClusterGroup(Counter, Workers(LOCAL, 1)).__enter__()


def test_a_cluster_that_others_use(started: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    with ClusterGroup(Counter, Workers(LOCAL, 2)):  # all processors
        monkeypatch.setattr(cluster_groups, "_PATIENCE", 2.0)
        message = "2 of 2 workers got no processor within 2 seconds; pass"
        with pytest.raises(UsageError, match=message):
            ClusterGroup(Counter, Workers(LOCAL, 2)).__enter__()


def test_a_node_that_is_lost_before_its_worker_starts(
    started: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_groups, "_LOOK", 0.5)
    monkeypatch.setattr(cluster_groups, "_PAUSES", (0.1,))
    with ClusterGroup(Counter, Workers(LOCAL, 1)):  # one of two processors is left
        able = iter([["first", "second"]])
        monkeypatch.setattr(cluster_groups, "_able_nodes", lambda *_: next(able, ["first"]))
        with ClusterGroup(Counter, Workers("auto")) as group:
            assert group.size == 1
            assert not list(able)


def test_more_threads_than_a_node_has(started: Any) -> None:
    for workers in (Workers("auto", 3), Workers("auto", None, 3), Workers("auto", 1, 3)):
        with pytest.raises(UsageError, match="the cluster has 2 processors, but 3 are needed"):
            ClusterGroup(Counter, workers).__enter__()


@pytest.mark.parametrize("name", ["nodes", "threads"])
def test_workers_out_of_range(name: str) -> None:
    with pytest.raises(OptionError, match=f"{name}.* at least 1, got 0"):
        Workers(**{name: 0})
    with pytest.raises(OptionError, match=r"losses.* at least 0, got -1"):
        Workers(losses=-1)
