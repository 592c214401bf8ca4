"""Workers that remember what they did, each with one task at a time, on threads or elsewhere."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from functools import partial
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from .threads import ThreadPool

__all__ = ["LocalPool", "WorkerPool", "ask_all"]

_Worker = TypeVar("_Worker")
_Asked = TypeVar("_Asked", covariant=True)
_Result = TypeVar("_Result")


class WorkerPool(Protocol[_Asked]):
    """Workers, by number from 0 on, for a block that the pool is open in."""

    def begin(self, number: int, task: Callable[[_Asked], Any], *, afresh: bool = False) -> None:
        """Give a worker a task; it must have none.

        afresh: the task makes the worker forget all that it has done before
        """
        ...

    def first_done(self) -> tuple[int, Any]:
        """Wait until a worker has done: its number, and what its task returned.

        Raises what the task raised.
        """
        ...


class LocalPool(Generic[_Worker], AbstractContextManager["LocalPool[_Worker]"]):
    """Workers in this process. threads: on which they work; they do at once what they can"""

    def __init__(self, workers: Sequence[_Worker], threads: int) -> None:
        self._workers = workers
        self._pool = ThreadPool(threads) if threads > 1 else None
        self._running: dict[Future[Any], int] = {}
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()

    def __enter__(self) -> "LocalPool[_Worker]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.__exit__(kind, error, traceback)

    def begin(self, number: int, task: Callable[[_Worker], Any], *, afresh: bool = False) -> None:
        """Give a worker a task; it must have none. afresh: makes no difference here"""
        work = partial(task, self._workers[number])
        if self._pool is None:
            self._waiting.append((number, work))
        else:
            self._running[self._pool.submit(work)] = number

    def first_done(self) -> tuple[int, Any]:
        """Wait until a worker has done: its number, and what its task returned.

        Raises what the task raised.
        """
        if self._pool is None:
            number, work = self._waiting.popleft()
            return number, work()
        done = wait(self._running, return_when=FIRST_COMPLETED).done
        first = min(done, key=self._running.__getitem__)
        return self._running.pop(first), first.result()


def ask_all(
    pool: WorkerPool[_Worker],
    tasks: Sequence[Callable[[_Worker], _Result]],
    *,
    afresh: bool = False,
) -> list[_Result]:
    """A task for each of the first workers; what they return, in order. Raises what a task raises.

    afresh: as for :meth:`WorkerPool.begin`
    """
    for number, task in enumerate(tasks):
        pool.begin(number, task, afresh=afresh)
    results = dict(pool.first_done() for _ in tasks)
    return [results[number] for number in range(len(tasks))]
