"""Members that remember what they did, each with one task at a time, on threads or elsewhere."""

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager
from functools import partial
from types import TracebackType
from typing import Any, Generic, Protocol, TypeVar

from .threads import Workers

__all__ = ["LocalTeam", "Team", "ask_all"]

_Member = TypeVar("_Member")
_Asked = TypeVar("_Asked", covariant=True)
_Result = TypeVar("_Result")


class Team(Protocol[_Asked]):
    """Members, by number from 0 on, for a block that the team is open in."""

    def begin(self, number: int, task: Callable[[_Asked], Any], *, afresh: bool = False) -> None:
        """Give a member a task; it must have none.

        afresh: the task makes the member forget all that it has done before
        """
        ...

    def first_done(self) -> tuple[int, Any]:
        """Wait until a member has done: its number, and what its task returned.

        Raises what the task raised.
        """
        ...


class LocalTeam(Generic[_Member], AbstractContextManager["LocalTeam[_Member]"]):
    """Members in this process. threads: on which they work; they do at once what they can"""

    def __init__(self, members: Sequence[_Member], threads: int) -> None:
        self._members = members
        self._pool = Workers(threads) if threads > 1 else None
        self._running: dict[Future[Any], int] = {}
        self._waiting: deque[tuple[int, Callable[[], Any]]] = deque()

    def __enter__(self) -> "LocalTeam[_Member]":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.__exit__(kind, error, traceback)

    def begin(self, number: int, task: Callable[[_Member], Any], *, afresh: bool = False) -> None:
        """Give a member a task; it must have none. afresh: makes no difference here"""
        work = partial(task, self._members[number])
        if self._pool is None:
            self._waiting.append((number, work))
        else:
            self._running[self._pool.submit(work)] = number

    def first_done(self) -> tuple[int, Any]:
        """Wait until a member has done: its number, and what its task returned.

        Raises what the task raised.
        """
        if self._pool is None:
            number, work = self._waiting.popleft()
            return number, work()
        done = wait(self._running, return_when=FIRST_COMPLETED).done
        first = min(done, key=self._running.__getitem__)
        return self._running.pop(first), first.result()


def ask_all(
    team: Team[_Member], tasks: Sequence[Callable[[_Member], _Result]], *, afresh: bool = False
) -> list[_Result]:
    """A task for each of the first members; what they return, in order. Raises what a task raises.

    afresh: as for :meth:`Team.begin`
    """
    for number, task in enumerate(tasks):
        team.begin(number, task, afresh=afresh)
    results = dict(team.first_done() for _ in tasks)
    return [results[number] for number in range(len(tasks))]
