"""Parts of a work that workers on a Ray cluster do."""

import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from isogloss.align.execution.cluster import LOCAL
from isogloss.align.execution.cluster_groups import WorkerLostError
from isogloss.align.execution.cluster_parts import ClusterParts, LocalParts, part_workers
from isogloss.align.execution.groups import Workers

pytestmark = pytest.mark.thorough


class Held:
    """What a worker has. mark: a file, once a worker has ended; None = all of them end"""

    def __init__(self, mark: Path | None) -> None:
        self.mark = mark

    def doubled(self, number: int) -> int:
        """Twice the number; a worker that is given 7 may end."""
        if number == 7 and (self.mark is None or not self.mark.exists()):
            if self.mark is not None:
                self.mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return 2 * number


def results(mark: Path | None, losses: int, told: list[str], count: int = 20) -> list[Any]:
    with part_workers(partial(Held, mark), Workers(LOCAL, 2, losses=losses), told.append) as pool:
        assert isinstance(pool, ClusterParts)
        assert pool.size == 2
        return list(pool.results(Held.doubled, range(count)))


def test_results_come_in_order(started: Any, tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    told: list[str] = []
    for count in (0, 1, 20):
        found = results(tmp_path / "mark", 0, told, count)
        assert found == [2 * number for number in range(count)]
    assert told == []


def test_parts_of_a_lost_worker_are_done_again(started: Any, tmp_path: Path) -> None:
    told: list[str] = []
    assert results(tmp_path / "mark", 1, told) == [2 * number for number in range(20)]
    (message,) = told
    assert "a worker was lost on node" in message
    assert message.endswith(": the others do its work")


def test_workers_that_are_lost_again_and_again(started: Any) -> None:
    told: list[str] = []
    with pytest.raises(WorkerLostError, match="a worker was lost on node"):
        results(None, 1, told)
    assert len(told) == 1


def test_workers_keep_what_they_are_made_of(started: Any, tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    told: list[str] = []
    with ClusterParts(partial(Held, tmp_path / "mark"), Workers(LOCAL, 2), told.append) as pool:
        assert [list(pool.results(Held.doubled, [k])) for k in range(4)] == [[0], [2], [4], [6]]
        (tmp_path / "mark").unlink()
        assert list(pool.results(Held.doubled, [7, 8])) == [14, 16]  # by others
        assert pool.size == 2
    assert len(told) == 1


def test_parts_on_each_thread_of_a_worker(started: Any, tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    workers = Workers(LOCAL, 1, threads=2)
    with ClusterParts(partial(Held, tmp_path / "mark"), workers, print) as pool:
        assert (pool.size, pool.threads) == (1, 2)
        for count in (0, 1, 5):
            found = list(pool.results(Held.doubled, range(count), single=True))
            assert found == [2 * number for number in range(count)]


def test_this_process_does_parts_as_they_are_asked_for(tmp_path: Path) -> None:
    (tmp_path / "mark").touch()
    with part_workers(partial(Held, tmp_path / "mark"), 1) as pool:
        assert isinstance(pool, LocalParts)
        found = pool.results(Held.doubled, range(20))
        assert [next(found), next(found)] == [0, 2]
