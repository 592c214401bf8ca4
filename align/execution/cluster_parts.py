"""Parts of a long work, done one after the other here, or by workers on a Ray cluster."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from functools import partial
from itertools import islice
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from ..errors import warn
from .cluster_groups import ClusterGroup, WorkerLostError, workers_left
from .groups import Workers
from .threads import run_tasks

__all__ = ["ClusterParts", "LocalParts", "PartWorkers", "part_workers"]

_AHEAD = 3  # parts that each worker has, so that it need not wait for the next one

_Part = TypeVar("_Part")


class PartWorkers(Protocol):
    """Those who do parts, for a block that this is open in."""

    @property
    def size(self) -> int:
        """How many workers there are."""
        ...

    @property
    def threads(self) -> int:
        """How many threads each has."""
        ...

    def results(
        self, task: Callable[[Any, _Part], Any], parts: Iterable[_Part], *, single: bool = False
    ) -> Iterator[Any]:
        """What a task gives for each part, in order: ``task(worker, part)``.

        single: a task has one thread only, so that a worker does a part on each of its threads
        """
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None: ...


def part_workers(
    make: Callable[[], Any], workers: Workers | int, report: Callable[[str], None] = warn
) -> PartWorkers:
    """Workers on a cluster, or, for a number of threads, this process. See :class:`ClusterParts`"""
    return ClusterParts(make, workers, report) if isinstance(workers, Workers) else LocalParts(make)


class LocalParts(AbstractContextManager["LocalParts"]):
    """This process, which does each part as its result is asked for. make: as for a cluster"""

    size = threads = 1

    def __init__(self, make: Callable[[], Any]) -> None:
        self._worker = make()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Nothing is to be closed."""

    def results(
        self, task: Callable[[Any, _Part], Any], parts: Iterable[_Part], *, single: bool = False
    ) -> Iterator[Any]:
        """What a task gives for each part, in order. single: makes no difference here"""
        return (task(self._worker, part) for part in parts)


class ClusterParts(AbstractContextManager["ClusterParts"]):
    """Workers on a Ray cluster; parts of one that is lost are done again by the others.

    make: makes what a worker keeps, where it will be; it, tasks and parts are pickled
    report: told of workers that were lost
    """

    def __init__(
        self, make: Callable[[], Any], workers: Workers, report: Callable[[str], None]
    ) -> None:
        self._make, self._workers, self._report = make, workers, report
        self._opened = ExitStack()
        self._group: ClusterGroup | None = None  # before it is needed, and once a worker is lost

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._opened.__exit__(kind, error, traceback)

    def _members(self) -> ClusterGroup:
        if self._group is None:
            self._group = self._opened.enter_context(ClusterGroup(self._make, self._workers))
        return self._group

    @property
    def size(self) -> int:
        """How many workers there are. Raises UsageError as :class:`ClusterGroup` does."""
        return self._members().size

    @property
    def threads(self) -> int:
        """How many threads each has."""
        return self._workers.threads

    def results(
        self, task: Callable[[Any, _Part], Any], parts: Iterable[_Part], *, single: bool = False
    ) -> Iterator[Any]:
        """What a task gives for each part, in order. single: as for :class:`PartWorkers`

        Raises UsageError as :class:`ClusterGroup` does, and WorkerLostError where workers are lost
        more often than they may be.
        """
        if single and self.threads > 1:
            several = partial(_at_once, task, self.threads)
            for found in self.results(several, _batches(parts, self.threads)):
                yield from found
            return
        rest, given = iter(parts), deque[_Part]()
        while True:
            try:
                yield from _results(self._members(), task, given, rest)
                return
            except WorkerLostError as error:
                self._go_on_without(error)

    def _go_on_without(self, error: WorkerLostError) -> None:
        """Dismiss the workers; others are made when they are needed."""
        self._workers = workers_left(self._workers, error)
        self._opened.close()
        self._group = None
        self._report(f"{error.fault}: the others do its work")


def _batches(parts: Iterable[_Part], size: int) -> Iterator[list[_Part]]:
    rest = iter(parts)
    while batch := list(islice(rest, size)):
        yield batch


def _at_once(
    task: Callable[[Any, _Part], Any], threads: int, worker: Any, parts: list[_Part]
) -> list[Any]:
    """What a task gives for each part, on threads."""
    return list(run_tasks([partial(task, worker, part) for part in parts], threads))


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
