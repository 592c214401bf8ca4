"""Groups: members that work on parts of one thing and give results to each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..errors import UsageError

__all__ = ["Group", "LocalGroup", "Workers"]

_Member = TypeVar("_Member")


@dataclass(frozen=True)
class Workers:
    """Workers on a Ray cluster.

    Parameters
    ----------
    address : str, default "auto"
        ``HOST:PORT`` of the head node, ``"auto"`` for the cluster that this node is part of, or
        ``"local"`` for processes of this machine.
    count : int, default 2
        Number of workers: best one for each node.
    threads : int, default 1
        Processors for each worker.
    """

    address: str = "auto"
    count: int = 2
    threads: int = 1

    def __post_init__(self) -> None:
        for name in ("count", "threads"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} of workers must be at least 1, not {getattr(self, name)}")


class Group(Protocol):
    """Members, by number from 0 on. What one gives another doesn't pass through who asks."""

    @property
    def size(self) -> int:
        """How many members there are."""
        ...

    def ask(self, number: int, task: Callable[..., Any], *arguments: Any, parts: int = 0) -> Any:
        """Have a member carry out a task: ``task(member, *arguments)``, after earlier ones.

        arguments: some may be what this method returned
        parts: how many the task returns in a tuple, if they are for several members
        Returns a stand-in for the result, or a list of them for its parts.
        """
        ...

    def share(self, value: Any) -> Any:
        """A stand-in for an argument that several members are given."""
        ...

    def results(self, promised: Sequence[Any]) -> list[Any]:
        """The results that stand-ins are for, as soon as they are there.

        Raises what a task raised.
        """
        ...


class LocalGroup(Generic[_Member]):
    """Members in this process, each asked in turn."""

    def __init__(self, members: Sequence[_Member]) -> None:
        self._members = members

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self._members)

    def ask(self, number: int, task: Callable[..., Any], *arguments: Any, parts: int = 0) -> Any:
        """Have a member carry out a task, now. parts: as for :meth:`Group.ask`"""
        result = task(self._members[number], *arguments)
        return list(result) if parts else result

    def share(self, value: Any) -> Any:
        """The value itself."""
        return value

    def results(self, promised: Sequence[Any]) -> list[Any]:
        """The results."""
        return list(promised)
