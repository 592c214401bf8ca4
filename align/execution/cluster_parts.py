"""Parts of a long work that workers on a Ray cluster do, each for itself."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

from .cluster import LOCAL
from .cluster_groups import ClusterGroup, WorkerLostError
from .groups import Workers

__all__ = ["on_cluster"]

_AHEAD = 3  # parts that each worker has, so that it need not wait for the next one

_Part = TypeVar("_Part")


def on_cluster(
    make: Callable[[], Any],
    task: Callable[[Any, _Part], Any],
    parts: Iterable[_Part],
    workers: Workers,
    report: Callable[[str], None],
) -> Iterator[Any]:
    """What a task gives for each part, in order: ``task(make(), part)``.

    make: makes what a worker keeps, where it will be; it and the parts are pickled
    report: told of workers that were lost, whose parts others do again

    Raises UsageError as :class:`ClusterGroup` does, and WorkerLostError where workers are lost more
    often than ``workers`` allows.
    """
    rest, given = iter(parts), deque[_Part]()
    while True:
        try:
            with ClusterGroup(make, workers) as group:
                yield from _results(group, task, given, rest)
            return
        except WorkerLostError as error:
            if workers.losses == 0:
                raise
            nodes = workers.nodes if workers.address == LOCAL else None  # all that are left
            workers = replace(workers, nodes=nodes, losses=workers.losses - 1)
            report(f"{error}: the others do its work")


def _results(
    group: ClusterGroup,
    task: Callable[[Any, _Part], Any],
    given: deque[_Part],
    rest: Iterator[_Part],
) -> Iterator[Any]:
    """The results of parts that were given before, and of the rest."""
    # given: parts without a result, kept up to date
    count = len(given)
    promised = deque(
        group.ask(number % group.size, task, part) for number, part in enumerate(given)
    )
    while True:
        while len(given) < _AHEAD * group.size:
            try:
                part = next(rest)
            except StopIteration:
                break
            given.append(part)
            promised.append(group.ask(count % group.size, task, part))
            count += 1
        if not given:
            return
        (result,) = group.results([promised[0]])
        promised.popleft()
        given.popleft()
        yield result
