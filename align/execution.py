"""Run independent tasks on threads; the results come in order, whatever the number of threads."""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["run_tasks"]

_T = TypeVar("_T")


def run_tasks(tasks: Iterable[Callable[[], _T]], threads: int) -> list[_T]:
    """Results of all tasks in their order. Kernels release the lock, so threads do run at once."""
    if threads <= 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(task) for task in tasks]
        try:
            return [future.result() for future in futures]
        except BaseException:
            for future in futures:
                future.cancel()
            raise
