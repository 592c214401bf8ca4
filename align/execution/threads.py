"""Tasks on threads, which give their results in order."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic
from types import TracebackType
from typing import TypeVar

import numpy as np

from ..errors import WrongTypeError, shown

__all__ = [
    "MAX_THREADS",
    "USUAL_THREADS",
    "ThreadPool",
    "processors",
    "run_all",
    "run_tasks",
    "usual_threads",
]

MAX_THREADS = 1024
USUAL_THREADS = 8  # at most, where no number is given: a machine may have other users, too
PATIENCE = 5.0  # seconds that tasks are waited for whose results nobody wants any more

_T = TypeVar("_T")


def processors() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_threads() -> int:
    """Threads where no number is given: as many as there are processors, at most USUAL_THREADS."""
    return min(processors(), USUAL_THREADS)


class ThreadPool(ThreadPoolExecutor):
    """Threads for a block, which ends when they have done.

    Where it ends by an error or a signal, what isn't begun is not done, and what is under way is
    waited for some seconds only: a kernel can't be interrupted.
    """

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown(wait=kind is None, cancel_futures=True)
        late = monotonic() + PATIENCE  # after which the threads are left to themselves
        for thread in self._threads:
            thread.join(max(late - monotonic(), 0))


def run_tasks(
    tasks: Iterable[Callable[[], _T]], threads: int, waiting_most: int = 0
) -> Iterator[_T]:
    """Results of all tasks in their order. Kernels release the lock, so threads do run at once.

    No more tasks are under way or waiting to be fetched than there are threads, so that large
    results don't pile up.

    waiting_most: that many more may wait, for small results of tasks that take unlike times: while
        one takes long, the other threads go on
    """
    if isinstance(threads, bool) or not isinstance(threads, int | np.integer):
        raise WrongTypeError(f"threads must be a number of threads, not {shown(threads)}")
    if threads <= 1:
        for task in tasks:
            yield task()
        return
    waiting: deque[Future[_T]] = deque()
    with ThreadPool(threads) as pool:
        for task in tasks:
            if len(waiting) == threads + waiting_most:
                yield waiting.popleft().result()
            waiting.append(pool.submit(task))
        while waiting:
            yield waiting.popleft().result()


def run_all(tasks: Iterable[Callable[[], object]], threads: int, waiting_most: int = 0) -> None:
    """Carry out tasks that return nothing; see :func:`run_tasks`."""
    deque(run_tasks(tasks, threads, waiting_most), maxlen=0)
