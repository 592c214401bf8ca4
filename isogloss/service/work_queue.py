"""Work on a bounded number of threads, for which a bounded number of requests waits."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TypeVar

from isogloss.align.errors import pluralize

from .faults import Fault

__all__ = ["Abandoned", "GoOn", "WorkQueue"]

GoOn = Callable[[], None]
_RETRY = 1  # seconds after which who was refused may ask again
_T = TypeVar("_T")


class Abandoned(Exception):
    """Nobody waits any more for what is being done."""


class WorkQueue:
    """Runs the work of requests. Kernels release the lock, so threads do run at once.

    A kernel can't be interrupted. Work whose time is over is told to end at its next sentence; its
    thread is free for others only then. What waits for a thread is dropped when its time is over.

    threads: requests that are worked on at once; queue: that may wait besides
    """

    def __init__(self, threads: int, queue: int) -> None:
        self._most = threads + queue
        self._pool = ThreadPoolExecutor(threads, "service")
        self._free = asyncio.Semaphore(threads)
        self._admitted = 0  # requests that are not answered yet
        self._running = 0  # threads at work
        self._late = 0  # those of them whose request was given up

    @property
    def running(self) -> int:
        """Threads that are at work, for requests that were given up, too."""
        return self._running

    @property
    def waiting(self) -> int:
        """Requests that wait for a thread."""
        return self._admitted + self._late - self._running

    def check_room(self) -> None:
        """Raise Fault where no place is left."""
        if self._admitted + self._late >= self._most:
            raise Fault(
                503, f"{pluralize(self._most, 'request', 'is')} running or waiting",
                remedy="Try again later", headers={"Retry-After": str(_RETRY)},
            )  # fmt: skip

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place among the requests at work or waiting. Raises Fault where none is left."""
        self.check_room()
        self._admitted += 1
        try:
            yield
        finally:
            self._admitted -= 1

    async def run(self, work: Callable[[GoOn], _T]) -> _T:
        """The result of work, which is done when a thread is free.

        work: takes what it calls now and then, which raises Abandoned when nobody waits any more
        """
        await self._free.acquire()
        loop, given_up = asyncio.get_running_loop(), threading.Event()

        def go_on() -> None:
            if given_up.is_set():
                raise Abandoned

        self._running += 1
        future = self._pool.submit(work, go_on)
        future.add_done_callback(lambda done: self._tell(loop, given_up))
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.done():
                given_up.set()
                self._late += 1
            raise

    def _tell(self, loop: asyncio.AbstractEventLoop, given_up: threading.Event) -> None:
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(self._ended, given_up)

    def _ended(self, given_up: threading.Event) -> None:
        """A thread is free again."""
        self._running -= 1
        self._late -= given_up.is_set()
        self._free.release()

    def close(self) -> None:
        """Take no more work; what is under way goes on."""
        self._pool.shutdown(wait=False, cancel_futures=True)
