"""Groups whose members are on the nodes of a Ray cluster."""

import pickle
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from time import monotonic, sleep
from typing import Any, NoReturn

import numpy as np

from ..errors import DataError, UsageError, pluralize
from ..version import __version__
from .cluster import (
    LOCAL,
    Actors,
    connected,
    first_line,
    naming_the_node,
    pickled,
    with_room,
)
from .groups import Workers

__all__ = ["ClusterGroup", "WorkerLostError", "workers_left"]

_LOCAL_WORKERS = 2
_PAUSES = (5.0, 10.0, 20.0, 40.0)  # seconds in which a cluster notices that a node is gone
_PATIENCE = 300.0  # seconds until all workers have been started
_LOOK = 5.0  # seconds after which it is looked whether a node is gone


class WorkerLostError(DataError):
    """A worker's process or node is gone, and what it had with it."""


class _Shared:
    """A value as it is sent: Ray's own arrays can't be written to."""

    def __init__(self, value: Any) -> None:
        self._pickled = pickled(value)

    def value(self) -> Any:
        return pickle.loads(self._pickled)


class ClusterGroup(Actors, AbstractContextManager["ClusterGroup"]):
    """A group on the nodes of a cluster; see :class:`Group`.

    make: makes a member, where it will be: it is pickled, and so are tasks
    workers: how many, and where

    What members give each other goes from node to node. Opening it raises UsageError as for
    :class:`ClusterPool`, and for another version of isogloss or Python on a node.
    """

    def __init__(self, make: Callable[[], Any], workers: Workers) -> None:
        super().__init__()
        self._make, self._workers = make, workers
        self._nodes: list[str] = []

    @property
    def size(self) -> int:
        """How many members there are."""
        return len(self._actors)

    def __enter__(self) -> "ClusterGroup":
        address, nodes, threads = self._workers.address, self._workers.nodes, self._workers.threads
        if nodes is None and address == LOCAL:
            nodes = _LOCAL_WORKERS
        made = pickled(self._make)
        with ExitStack() as opened:
            self._ray = opened.enter_context(connected(address, (nodes or 1) * threads))
            opened.callback(self._dismiss)
            for pause in (*_PAUSES, None):
                try:
                    self._start(made, nodes)
                    break
                except WorkerLostError:  # on a node of which the cluster doesn't know yet
                    if pause is None:
                        raise
                    self._dismiss()
                    sleep(pause)
            self._open = opened.pop_all()
        return self

    def _start(self, made: bytes, nodes: int | None) -> None:
        able = len(_able_nodes(self._ray, self._workers.threads))
        number = nodes or able or self._refuse()
        kind = self._ray.remote(num_cpus=self._workers.threads, scheduling_strategy="SPREAD")
        with with_room(self._ray):
            sent = self._ray.put(made)  # each node gets it once
        self._actors = [kind(_Place).remote(sent) for _ in range(number)]
        told = [actor.told.remote() for actor in self._actors]
        self._wait(told, able)
        found = self._get(told)
        self._nodes = [node for node, _ in found]
        for node, versions in found:
            if versions != _versions():
                raise UsageError(
                    f"node {node} of the cluster has {versions}, and this one {_versions()}; "
                    "install the same versions on all nodes"
                )

    def _wait(self, told: list[Any], able: int) -> None:
        """Wait until workers tell where they are. able: how many nodes there were before"""
        begun = monotonic()
        while True:
            _, late = self._ray.wait(told, num_returns=len(told), timeout=min(_LOOK, _PATIENCE))
            if not late:
                return
            if len(_able_nodes(self._ray, self._workers.threads)) < able:
                raise WorkerLostError("a node of the cluster was lost before its worker started")
            if monotonic() - begun >= _PATIENCE:
                raise UsageError(
                    f"{len(late)} of {pluralize(len(told), 'worker')} got no processor within "
                    f"{_PATIENCE:.0f} seconds; pass fewer nodes or threads, or wait for other jobs"
                )

    def _refuse(self) -> NoReturn:
        threads = self._workers.threads
        most = max(int(node["Resources"].get("CPU", 0)) for node in _able_nodes(self._ray, 0))
        raise UsageError(
            f"no node of the cluster has {threads} processors; the largest has {most}; pass fewer "
            "threads"
        )

    def ask(self, number: int, task: Callable[..., Any], *arguments: Any, parts: int = 0) -> Any:
        """Have a member carry out a task, after those it was given before.

        parts: as for :meth:`Group.ask`
        """
        promised = self._ray.ObjectRef
        given = [... if isinstance(value, promised) else value for value in arguments]
        sent = [value for value in arguments if isinstance(value, promised)]
        call = self._actors[number].carry_out.options(num_returns=max(parts, 1))
        with with_room(self._ray):
            result = call.remote(_Shared((task, given)), parts == 1, *sent)
        return [result] if parts == 1 else result

    def share(self, value: Any) -> Any:
        """A stand-in for an argument that several members are given: each node gets it once."""
        with with_room(self._ray):
            return self._ray.put(_Shared(value))

    def results(self, promised: Sequence[Any]) -> list[Any]:
        """The results that stand-ins are for. Raises WorkerLostError for a member that is gone."""
        return self._get(list(promised))

    def _get(self, promised: list[Any]) -> list[Any]:
        errors = self._ray.exceptions
        try:
            with with_room(self._ray):
                return list(self._ray.get(promised))
        except errors.RayTaskError as error:
            cause = error.cause
            if isinstance(cause, errors.RayError):  # of a member that it was to get something from
                raise self._lost(cause) from error
            raise cause from None
        except errors.RayError as error:
            raise self._lost(error) from error

    def _lost(self, error: Exception) -> WorkerLostError:
        lost = getattr(error, "actor_id", None)
        nodes = [
            node for node, actor in zip(self._nodes, self._actors, strict=False)
            if lost is None or actor._actor_id.hex() == lost
        ]  # fmt: skip
        return WorkerLostError(
            f"a worker was lost on node {' or '.join(sorted(set(nodes))) or 'unknown'} of the "
            f"cluster ({first_line(error)})",
            remedy="Check whether nodes run out of memory or disk or are removed, then resume the "
            "run (`resume=True`)",
        )


def workers_left(workers: Workers, error: WorkerLostError) -> Workers:
    """Those that the work goes on with. Raises the error where workers were lost too often."""
    if workers.losses == 0:
        raise error
    nodes = workers.nodes if workers.address == LOCAL else None  # all that are left
    return replace(workers, nodes=nodes, losses=workers.losses - 1)


def _able_nodes(ray: Any, threads: int) -> list[Any]:
    """The nodes that have a processor for each of so many threads."""
    nodes = [node for node in ray.nodes() if node["Alive"]]
    return [node for node in nodes if node["Resources"].get("CPU", 0) >= threads]


class _Place:
    """Where a member is. made: pickled, what makes it"""

    def __init__(self, made: bytes) -> None:
        with naming_the_node():
            self._member = pickle.loads(made)()

    def told(self) -> tuple[str, str]:
        """The node, and the versions of what runs there."""
        return socket.gethostname(), _versions()

    def carry_out(self, call: _Shared, single: bool, *sent: Any) -> Any:
        """What a task returns; where it is to return a single part, that.

        sent: arguments that stand where the call has an ellipsis
        """
        task, given = call.value()
        values = iter(sent)
        filled = [next(values) if value is ... else value for value in given]
        arguments = [value.value() if isinstance(value, _Shared) else value for value in filled]
        with naming_the_node():
            result = task(self._member, *arguments)
        return result[0] if single else result


def _versions() -> str:
    python = ".".join(map(str, sys.version_info[:3]))
    return f"isogloss {__version__}, Python {python}, NumPy {np.__version__}"
