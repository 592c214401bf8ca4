"""Nodes without room on their disk or in Ray's object store: the error says so, and which node."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.align.execution.cluster import LOCAL, ClusterPool
from isogloss.align.execution.cluster_groups import ClusterGroup
from isogloss.align.execution.groups import Workers
from tests.naive.workers import Counter, Tally

pytestmark = pytest.mark.thorough

ROOM = 80 << 20  # bytes
FULL = r"^Ray's object store on {} is full \(Local disk is full\); expected room .* Start Ray with"


@pytest.fixture(scope="module")
def full() -> Iterator[Any]:
    """A cluster whose object store has no disk to move to what it can't hold."""
    ray = pytest.importorskip("ray", reason="Ray isn't installed")
    ray.init(
        "local", num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
        object_store_memory=ROOM,
        _system_config={"local_fs_capacity_threshold": 1e-9, "local_fs_monitor_interval_ms": 100},
    )  # fmt: skip
    yield ray
    ray.shutdown()


def write_to_a_full_disk(member: object, folder: Path) -> None:
    Path("/dev/full" if folder.exists() else folder).write_text("links")


def large(member: object) -> tuple[np.ndarray, ...]:
    return tuple(np.ones(ROOM >> 4) for _ in range(6))


def test_what_is_sent_finds_no_room(full: Any) -> None:
    with ClusterGroup(Counter, Workers(LOCAL, 1)) as group:
        with pytest.raises(DataError, match=FULL.format("this machine")):
            _ = [group.share(np.ones(ROOM >> 4)) for _ in range(6)]
        with pytest.raises(DataError, match=FULL.format("this machine")):
            group.ask(0, Counter.add, np.ones(ROOM >> 2))


def test_what_a_worker_gives_finds_no_room(full: Any) -> None:
    with ClusterGroup(Counter, Workers(LOCAL, 1)) as group:
        promised = group.ask(0, large, parts=6)
        with pytest.raises(DataError, match=FULL.format(r"the node [0-9.]+")):
            group.results(promised)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_names_the_node(full: Any, tmp_path: Path) -> None:
    found = r"No space left on device on node \S+"
    with (
        ClusterGroup(Counter, Workers(LOCAL, 1)) as group,
        pytest.raises(OSError, match=found),
    ):
        group.results([group.ask(0, write_to_a_full_disk, tmp_path)])
    with ClusterPool(tally, 1, LOCAL) as pool, pytest.raises(OSError, match=found):
        pool.begin(0, WriteThere(tmp_path))
        pool.first_done()


def tally() -> Tally:
    return Tally(0)


class WriteThere:
    """A task."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, worker: Tally) -> None:
        write_to_a_full_disk(worker, self.folder)
