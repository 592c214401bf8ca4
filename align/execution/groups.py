"""Groups: members that work on parts of one thing and give results to each other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from ..errors import OptionError
from .calls import ExplainedClass, public

__all__ = ["Group", "LocalGroup", "Workers"]

_Member = TypeVar("_Member")


@public
@dataclass(frozen=True)
class Workers(metaclass=ExplainedClass):
    """Workers on a Ray cluster, which train in place of threads.

    Parameters
    ----------
    address : str, default "auto"
        ``HOST:PORT`` of the head node, ``"auto"`` for the cluster that this node is part of, or
        ``"local"`` for processes of this machine.
    nodes : int, optional
        Number of workers, each on a node of its own where there are so many; default: a worker for
        each node of the cluster, 2 for ``"local"``.
    threads : int, default 1
        Threads of each worker.
    losses : int, default 3
        How often the work goes on without a worker that was lost, from the last checkpoint.

    Raises
    ------
    UsageError
        If a number is out of range.

    Examples
    --------
    >>> import isogloss as ig
    >>> ig.Workers("local", nodes=4, threads=2).nodes
    4
    """

    address: str = "auto"
    nodes: int | None = None
    threads: int = 1
    losses: int = 3

    def __post_init__(self) -> None:
        for name in ("nodes", "threads"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise OptionError(name, "at least 1", number)
        if self.losses < 0:
            raise OptionError("losses", "at least 0", self.losses)


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
