"""Results of tasks in their order, with some of them under way at a time (Green et al. 2013)."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

from isogloss.align.execution import ThreadPool

__all__ = ["delayed"]

_T = TypeVar("_T")


def delayed(
    tasks: Iterable[Callable[[], _T]], delay: int, threads: int, *, in_order: bool = True
) -> Iterator[_T]:
    """Results; the next task is taken when at most ``delay`` results have not been given out.

    They come in order, so that the number of threads changes nothing. Without ``in_order`` one that
    is ready comes before others that are not, as from the paper's workers (Algorithm 2). At the end
    nothing is left waiting.
    """
    waiting: deque[Callable[[], _T]] = deque()
    with ThreadPool(max(threads, 1)) as pool:
        if not in_order and threads > 1:
            yield from _as_ready((pool.submit(task) for task in tasks), delay)
            return
        for task in tasks:
            waiting.append(pool.submit(task).result if threads > 1 and delay else task)
            if len(waiting) > delay:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()


def _as_ready(futures: Iterable[Future[_T]], delay: int) -> Iterator[_T]:
    """Results as they are ready, of those that are the first; ``delay`` as in :func:`delayed`."""
    waiting: list[Future[_T]] = []
    for future in futures:
        waiting.append(future)
        if len(waiting) > delay:
            yield _first_ready(waiting)
    while waiting:
        yield _first_ready(waiting)


def _first_ready(waiting: list[Future[_T]]) -> _T:
    wait(waiting, return_when=FIRST_COMPLETED)
    ready = next(future for future in waiting if future.done())
    waiting.remove(ready)
    return ready.result()
