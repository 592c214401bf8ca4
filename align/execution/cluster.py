"""Ray: connections to a cluster, and workers on it that each do what they are given."""

import os
import pickle
import re
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import import_module
from types import TracebackType
from typing import Any, Generic, TypeVar

from ..errors import DataError, UsageError, pluralize

__all__ = [
    "LOCAL",
    "Actors",
    "ClusterPool",
    "check_answers",
    "connected",
    "first_line",
    "naming_the_node",
    "pickled",
    "with_room",
]

LOCAL = "local"  # in place of an address: processes of this machine while the pool is open
RESTARTS = 10  # of a worker, in all
_PATIENCE = 10.0  # seconds until a cluster answers
_SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])  # an empty frame of settings of HTTP/2
_GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + _SETTINGS  # Ray answers with its own settings
_IP = re.compile(r"\bip=([0-9a-fA-F.:]+)")
_ROOM = 1 << 27  # bytes for what is sent on this machine; Ray takes no less than 75 MB

_Worker = TypeVar("_Worker")


class Actors:
    """Processes on a cluster, which leave it when this is closed: it may go on for others."""

    def __init__(self) -> None:
        self._ray: Any = None
        self._actors: list[Any] = []
        self._open = ExitStack()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.__exit__(kind, error, traceback)

    def _dismiss(self) -> None:
        for actor in self._actors:
            with suppress(self._ray.exceptions.RayError):
                self._ray.kill(actor)


class ClusterPool(Actors, Generic[_Worker], AbstractContextManager["ClusterPool[_Worker]"]):
    """Workers that are processes on the nodes of a cluster, a processor for each.

    A worker whose process or node is lost is made again, on a node that is there, and does again
    what it has done since it last began afresh: results are the same.

    make: makes a worker, where it will be: it is pickled, and so are tasks and what they return
    size: how many workers; address: of the cluster, `auto` for the one that this node is part of,
        or `local`

    Opening it raises UsageError where Ray isn't installed, where there is no such cluster or one of
    fewer processors, and for what can't be pickled.
    """

    def __init__(self, make: Callable[[], _Worker], size: int, address: str) -> None:
        super().__init__()
        self._make, self._size, self._address = make, size, address
        self._recipe: list[Any] = []
        self._running: dict[Any, int] = {}
        self._given = [0] * size
        self._tasks: list[list[bytes]] = [[] for _ in range(size)]  # since they began afresh

    def __enter__(self) -> "ClusterPool[_Worker]":
        recipe = pickled(self._make)
        with ExitStack() as opened:
            room = _ROOM + 2 * len(recipe)
            self._ray = ray = opened.enter_context(connected(self._address, self._size, room))
            kind = ray.remote(max_restarts=RESTARTS, max_task_retries=-1, num_cpus=1)(_Post)
            with with_room(ray):  # within a list it is fetched where it is needed only
                self._recipe = [ray.put(recipe)]
            self._actors = [kind.remote() for _ in range(self._size)]
            opened.callback(self._dismiss)
            self._open = opened.pop_all()
        return self

    def begin(self, number: int, task: Callable[[_Worker], Any], *, afresh: bool = False) -> None:
        """Give a worker a task; it must have none.

        afresh: the task makes the worker forget all that it has done before
        """
        if afresh:
            self._tasks[number].clear()
        self._tasks[number].append(pickled(task))
        self._given[number] += 1
        self._send(number, whole=afresh)

    def _send(self, number: int, *, whole: bool) -> None:
        """Send a worker its task. whole: with all since it began afresh"""
        given, tasks = self._given[number], self._tasks[number]
        before, sent = (None, tasks) if whole else (given - 1, tasks[-1:])
        post = self._actors[number]
        with with_room(self._ray):
            self._running[post.carry_out.remote(self._recipe, before, given, sent)] = number

    def first_done(self) -> tuple[int, Any]:
        """Wait until a worker has done: its number, and what its task returned.

        Raises what the task raised, and DataError for a worker that was lost too often.
        """
        errors = self._ray.exceptions
        while True:
            ready, _ = self._ray.wait(list(self._running), num_returns=1)
            number = self._running.pop(ready[0])
            try:
                with with_room(self._ray):
                    result = self._ray.get(ready[0])
            except errors.RayTaskError as error:
                raise error.cause from None
            except errors.RayError as error:
                raise _lost(number, error) from error
            if result is not None:
                return number, pickle.loads(result)
            self._send(number, whole=True)  # it was made again


class _Post:
    """Where a worker is."""

    def __init__(self) -> None:
        self._worker: Any = None
        self._done: int | None = None

    def carry_out(
        self, recipe: list[Any], before: int | None, done: int, tasks: list[bytes]
    ) -> bytes | None:
        """What the last of some tasks returns, pickled; None where a task before it is lacking.

        recipe: where what makes the worker is kept, pickled
        before: how many it must have done, None where the first makes no use of them
        done: how many it will have done
        """
        if before is not None and before != self._done:
            return None
        with naming_the_node():
            if self._worker is None:
                self._worker = pickle.loads(import_module("ray").get(recipe[0]))()
            self._done, result = None, None
            for task in tasks:
                result = pickle.loads(task)(self._worker)
            self._done = done
        return pickle.dumps(result)


def pickled(value: object) -> bytes:
    """A value as it is sent; arrays can be written to there as here.

    Raises UsageError for one that can't be sent.
    """
    try:
        return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"a task cannot be sent to the cluster ({error}); it must use functions and classes of "
            "modules installed on every node, and data that can be pickled"
        ) from error


@contextmanager
def naming_the_node() -> Iterator[None]:
    """Have errors of the system, such as a full disk, name the node on which they happen."""
    try:
        yield
    except OSError as error:
        if error.strerror is None:
            raise
        told = f"{error.strerror} on node {socket.gethostname()}"
        raise OSError(error.errno, told, error.filename) from error


@contextmanager
def with_room(ray: Any) -> Iterator[None]:
    """Raise DataError where the object store of a node has no room for what is sent."""
    errors = ray.exceptions
    full = errors.ObjectStoreFullError, errors.OutOfDiskError
    try:
        yield
    except errors.RayTaskError as error:
        if isinstance(error.cause, full):
            node = _IP.search(str(error))  # which Ray says in words only
            where = f"the node {node[1]}" if node else "a node"
            raise _is_full(where, error.cause) from error
        raise
    except full as error:
        raise _is_full("this machine", error) from error


def _is_full(node: str, error: Exception) -> DataError:
    return DataError(
        f"Ray's object store on {node} is full ({first_line(error)})",
        "room for what the nodes send each other",
        remedy="Start Ray with more memory for objects (`ray start --object-store-memory BYTES`), "
        "or free disk space under its temporary folder",
    )


def _lost(number: int, error: Exception) -> DataError:
    return DataError(
        f"worker {number + 1} on the cluster was lost more than {RESTARTS} times "
        f"({first_line(error)})",
        remedy="Check whether nodes run out of memory or are removed, then resume the run "
        "(`resume=True`)",
    )


@contextmanager
def connected(address: str, size: int, room: int | None = None) -> Iterator[Any]:
    """Ray, connected to a cluster of so many processors at least.

    room: bytes for what is sent on this machine; None = a share of its memory
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # nothing is told to Ray's makers
    try:
        ray: Any = import_module("ray")
    except ImportError as error:
        raise UsageError("a cluster needs Ray; run pip install isogloss[distributed]") from error
    own = not ray.is_initialized()
    try:
        if own:
            _connect(ray, address, size, room)
        processors = int(ray.cluster_resources().get("CPU", 0))
        if processors < size:
            raise UsageError(
                f"the cluster has {pluralize(processors, 'processor')}, but {size} are needed"
            )
        yield ray
    finally:
        if own:
            with _same_sigterm():
                ray.shutdown()


def _connect(ray: Any, address: str, size: int, room: int | None) -> None:
    """Connect to a cluster, or start one here."""
    limits: dict[str, Any] = {}
    if address == LOCAL:
        limits = {"num_cpus": size, "object_store_memory": room, "include_dashboard": False}
    else:
        check_answers(address)
    try:
        with _same_sigterm():
            ray.init(address, log_to_driver=False, logging_level="ERROR", **limits)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _no_cluster(address, error) from error


@contextmanager
def _same_sigterm() -> Iterator[None]:
    """Ray changes what SIGTERM does, as it starts and as it ends: afterwards it is as before."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)


def check_answers(address: str) -> None:
    """Raise UsageError where no cluster answers; of ``auto`` and ``local`` only Ray knows."""
    if address in ("auto", LOCAL):
        return
    # Ray would try for a quarter of an hour, or more.
    # One that wants encryption says nothing that can be read, and is not asked.
    host, _, port = address.removeprefix("ray://").rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), _PATIENCE) as connection:
            if os.environ.get("RAY_USE_TLS", "").lower() in ("1", "true"):
                return
            connection.sendall(_GREETING)
            answer = connection.makefile("rb").read(len(_SETTINGS))
        if answer[3:4] != _SETTINGS[3:4]:
            raise ValueError("another service answers at this address")
    except (OSError, ValueError, OverflowError) as error:
        raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: BaseException) -> UsageError:
    reasons = [first_line(error)]
    while error.__cause__ is not None:  # such as a cluster that asks for a token
        error = error.__cause__
        reasons.append(first_line(error))
    return UsageError(
        f"no Ray cluster is reachable at {address} ({': '.join(dict.fromkeys(reasons))}); pass "
        f"HOST:PORT of the head node, auto or {LOCAL}. If the cluster requires a token, set "
        "RAY_AUTH_MODE=token and the token here as well"
    )


def first_line(error: BaseException) -> str:
    """The first line of an error's text, or its name."""
    return next(iter(str(error).strip().splitlines()), type(error).__name__)
