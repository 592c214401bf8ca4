"""Run independent tasks on threads; the results come in order, whatever the number of threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

__all__ = ["MOST_THREADS", "run_tasks"]

MOST_THREADS = 1024

_T = TypeVar("_T")


def run_tasks(tasks: Iterable[Callable[[], _T]], threads: int) -> Iterator[_T]:
    """Results of all tasks in their order. Kernels release the lock, so threads do run at once.

    No more tasks are under way or waiting to be fetched than there are threads, so that large
    results don't pile up.
    """
    if threads <= 1:
        for task in tasks:
            yield task()
        return
    waiting: deque[Future[_T]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for task in tasks:
                if len(waiting) == threads:
                    yield waiting.popleft().result()
                waiting.append(pool.submit(task))
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
