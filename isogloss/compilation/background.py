"""While a command compiles a kernel, other processes compile those that it usually calls later.

A kernel is compiled in one process alone: the command takes what it needs next, the others begin
with what takes longest. Results are the same, and nothing is started where all is on disk.
"""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from isogloss.align.files.memory import free_memory

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

__all__ = ["compiled_in_background"]

MOST = 3  # processes beside the command's own: after that, the slowest kernel takes the time
MEMORY = 1 << 30  # bytes that have to be free for each


@contextmanager
def compiled_in_background(arguments: Sequence[str], threads: int) -> Iterator[None]:
    """Have other processes compile kernels, too, while the block runs; they end with it.

    arguments: the command line, which tells the kernels that are usually called
    threads: how many the command may use: one is its own
    """
    if threads == 1:
        yield
        return
    from isogloss.align.kernel_cache import asked_when_missing

    with ExitStack() as stack:
        helpers = _Helpers(arguments, threads - 1, stack)
        stack.callback(helpers.close)
        with asked_when_missing(helpers.make_ready):
            yield


class _Helpers:
    """Processes that compile, started when the first kernel is missing."""

    def __init__(self, arguments: Sequence[str], processes: int, stack: ExitStack) -> None:
        self._arguments, self._processes, self._stack = arguments, processes, stack
        self._lock = threading.Lock()
        self._pool: Executor | None = None
        self._waiting: dict[str, list[str]] | None = None  # lines of a kernel, the slowest last
        self._begun: dict[str, Future[Any]] = {}

    def close(self) -> None:
        """Begin nothing more."""
        with self._lock:
            self._pool = None

    def make_ready(self, function: Callable[..., Any]) -> None:
        """Return when no other process compiles the kernel, nor will: it is done, or ours to do."""
        from concurrent.futures import wait

        from isogloss.align.kernels.reporting import reported

        name = f"{function.__module__}.{function.__qualname__}"
        if self._waiting is None:
            self._start(name)
        with self._lock:
            assert self._waiting is not None
            self._waiting.pop(name, None)
            task = self._begun.get(name)
        if task is not None and not task.done():
            with reported(function.__qualname__):
                wait([task])

    def _start(self, first: str) -> None:
        from .aot import drop_outdated_of, processors, workers
        from .signatures import usual_lines

        self._waiting = usual_lines(self._arguments)
        self._waiting.pop(first, None)
        free = free_memory()
        most = MOST if free is None else min(MOST, free // MEMORY)
        processes = min(self._processes, processors() - 1, most)
        if processes < 1 or not self._waiting:
            return
        drop_outdated_of(self._waiting.values())
        self._pool = self._stack.enter_context(workers(processes, {}))
        for _ in range(processes):
            self._begin_next()

    def _begin_next(self, ended: "Future[Any] | None" = None) -> None:
        """Hand the next kernel over; if a process was killed, or all are being ended, no more."""
        # ended: the one before. A pool that breaks ends it with a lock held (CPython 3.12.1 and
        # later) that handing over another one would wait for, for ever.
        from .aot import compile_kernel

        if ended is not None and _is_broken_off(ended):
            self._pool = None
            return
        with self._lock:
            if self._pool is None or not self._waiting:
                return
            name, lines = self._waiting.popitem()
            try:
                task = self._begun[name] = self._pool.submit(compile_kernel, lines)
            except RuntimeError:  # closed, or broken
                self._pool = None
                return
        task.add_done_callback(self._begin_next)


def _is_broken_off(task: "Future[Any]") -> bool:
    """Whether a task that is done was cancelled, or its process killed."""
    from concurrent.futures import BrokenExecutor

    return task.cancelled() or isinstance(task.exception(), BrokenExecutor)
