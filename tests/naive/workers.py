"""Workers of a pool, and what happens to their processes; importable where they are."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.align.errors import DataError
from isogloss.tune.optimizers.structured.lists import ListExample, ListSource


class Tally:
    """Adds up."""

    def __init__(self, start: int) -> None:
        self.total = start

    def restart(self, total: int) -> int:
        self.total = total
        return total

    def add(self, number: int) -> int:
        self.total += number
        return self.total

    def fail(self) -> None:
        raise DataError("a comma", "a tab", file="table", line=3, remedy="Mend it")

    def add_killed_once(self, number: int, mark: Path) -> int:
        die_once(mark)
        return self.add(number)

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def die_once(mark: Path) -> None:
    """End this process without a word, if it is the first to come here. mark: a file, then"""
    try:
        mark.touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class DeadlySource(ListSource):
    """Lists with a sentence that ends the first process, other than that of the test, to see it."""

    def __init__(self, examples: object, mark: Path) -> None:
        super().__init__(examples)  # type: ignore[arg-type]
        object.__setattr__(self, "mark", mark)
        object.__setattr__(self, "safe", os.getpid())

    def example(self, number: int, weights: np.ndarray) -> ListExample:
        if number == 5 and os.getpid() != self.safe and weights.any():  # type: ignore[attr-defined]
            die_once(self.mark)  # type: ignore[attr-defined]
        return super().example(number, weights)


class Counter:
    """A member of a group that adds up what others give it."""

    def __init__(self) -> None:
        self.total = 0

    def numbers(self, own: int, size: int) -> tuple[int, ...]:
        return tuple(10 * own + other for other in range(size))

    def add(self, *numbers: int) -> int:
        self.total += sum(numbers)
        return self.total

    def add_to_first(self, numbers: np.ndarray, nothing: None, number: int) -> int:
        assert nothing is None
        numbers[0] += number
        return int(numbers[0])


def end_process(member: object, *arguments: object) -> None:
    """As a process ends that the kernel kills."""
    os._exit(1)


@contextmanager
def simulated_nodes(number: int) -> Iterator[Any]:
    """A cluster of simulated nodes of one processor, and a head without; skips without Ray."""
    pytest.importorskip("ray", reason="Ray isn't installed; pip install isogloss[distributed]")
    from ray.cluster_utils import Cluster

    patient = {"health_check_timeout_ms": 60_000}  # a busy machine's nodes answer late
    settings = {"num_cpus": 0, "include_dashboard": False, "_system_config": patient}
    cluster = Cluster(initialize_head=True, head_node_args=settings)
    for _ in range(number):
        cluster.add_node(num_cpus=1, object_store_memory=1 << 27)
    yield cluster
    cluster.shutdown()
