"""The server: it listens, and ends when it is told to, after what is under way."""

import asyncio
import fcntl
import logging
import signal
import socket
import struct
import termios
from array import array
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from math import ceil
from types import FrameType
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from isogloss.align.errors import IsoglossError

from .app import Service

__all__ = ["BACKLOG", "ServerError", "address_of", "listen", "run"]

_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_IDLE = 15.0  # seconds that a connection without a whole head of a request is kept
_UNREAD = 10.0  # seconds after which is looked how much of an answer was taken
_NOTHING_LEFT = struct.pack("ii", 1, 0)  # for SO_LINGER: no waiting for what wasn't taken
_LEAST_TAKEN = 1 << 14  # bytes in each second of these
BACKLOG = 512  # connections that the system holds before they are taken


class ServerError(IsoglossError):
    """An address where nothing can be served."""


def listen(host: str, port: int) -> socket.socket:
    """A socket of an address, which takes no connections yet. port: 0 = any that is free

    Raises ServerError for an address that there isn't, or that is in use.
    """
    try:
        *_, (family, kind, protocol, _, address) = reversed(
            socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        )
        opened = socket.socket(family, kind, protocol)
    except OSError as error:
        raise _no_address(host, port, error) from error
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.bind(address)
    except OSError as error:
        opened.close()
        raise _no_address(host, port, error) from error
    return opened


def _no_address(host: str, port: int, error: OSError) -> ServerError:
    return ServerError(
        f"{host}:{port} cannot be bound: {error.strerror or error}. Choose an address of this "
        "machine and a free port by --host and --port (0 = any)"
    )


def address_of(opened: socket.socket) -> str:
    """The address of a socket as a URL."""
    host, port = opened.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def run(service: Service, opened: socket.socket, grace: float) -> int:
    """Serve until SIGTERM, SIGHUP or Ctrl-C; returns 0, or the signal if an answer was cut off.

    Then no more connections are taken, and what is under way is waited for ``grace`` seconds at
    most; a second signal ends that at once.
    """
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # we say ourselves what happens
    config = uvicorn.Config(
        service.app(), log_config=None, access_log=False, lifespan="off", ws="none", loop="asyncio",
        http=_Connection, server_header=False, proxy_headers=False, timeout_keep_alive=ceil(_IDLE),
        backlog=BACKLOG, timeout_graceful_shutdown=ceil(grace),
    )  # fmt: skip
    server = _Server(config, service)
    with closing(opened):
        asyncio.run(_serve(server, opened))
    service.queue.close()
    is_whole = not (server.force_exit or server.has_cut or service.queue.running)
    return 0 if is_whole else server.signal_number


async def _serve(server: "_Server", opened: socket.socket) -> None:
    asyncio.get_running_loop().set_exception_handler(_Told(server.service.report))
    await server.serve([opened])
    server.cut_off()


class _Told:
    """Tells of each kind of trouble of the event loop once, such as too many open files."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report, self._kinds = report, set[str]()

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        kind = context["message"] if error is None else f"{type(error).__name__}: {error}"
        if kind not in self._kinds:
            self._kinds.add(kind)
            self._report(f"warning: {kind} (shown once)")


class _Connection(H11Protocol):
    """A connection that is closed where the head of a request does not come whole in time."""

    # Uvicorn has a time for those alone that have had a request. And one that is cut off where an
    # answer isn't taken, or too slowly: Uvicorn waits for ever.

    _timer: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        transport.set_write_buffer_limits(high=0)  # writing pauses while anything is left
        self._timer = self.loop.call_later(_IDLE, self._close_idle)

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._unread is None:
            self._look_later()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_looking()

    def _stop_looking(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _left(self) -> int:
        """Bytes that the client has not taken: ours, and those that the system holds."""
        opened = self.transport.get_extra_info("socket")
        held = array("i", [0])
        with suppress(OSError):
            fcntl.ioctl(opened.fileno(), termios.TIOCOUTQ, held)
        return held[0] + self.transport.get_write_buffer_size()

    def _look_later(self) -> None:
        left = self._left()
        self._unread = self.loop.call_later(_UNREAD, self._abort_unread, left)

    def _abort_unread(self, before: int) -> None:
        left = self._left()
        if left > before - _UNREAD * _LEAST_TAKEN:
            self.cut_off()
        else:
            self._look_later()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._is_idle():
            self._cancel()
        elif self._timer is None:
            self._timer = self.loop.call_later(_IDLE, self._close_idle)

    def cut_off(self) -> None:
        """End the connection; what the system holds for it is dropped, too."""
        opened = self.transport.get_extra_info("socket")
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _NOTHING_LEFT)
        self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        self._stop_looking()
        super().connection_lost(exc)

    def _is_idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_idle(self) -> None:
        self._timer = None
        if self._is_idle() and not self.transport.is_closing():
            self.transport.close()


class _Server(uvicorn.Server):
    """A server that ends with a signal, without raising it again."""

    def __init__(self, config: uvicorn.Config, service: Service) -> None:
        super().__init__(config)
        self.service = service
        self.signal_number = 0
        self.has_cut = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have signals end the service while the block runs."""
        asked = [one for one in _SIGNALS if signal.getsignal(one) != signal.SIG_IGN]  # as by nohup
        before = {number: signal.signal(number, self._stop) for number in asked}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.signal_number = number
        self.force_exit = self.should_exit
        self.should_exit = self.service.stopping = True
        if self.force_exit:  # since CPython 3.12.1 a server that is closed waits for connections
            asyncio.get_running_loop().call_soon_threadsafe(self._abort_connections)

    def cut_off(self) -> None:
        """End connections whose answers were not taken, and note that there were any."""
        connections: set[Any] = self.server_state.connections
        left = [one for one in connections if one.transport.get_write_buffer_size()]
        self.has_cut = bool(left)
        for connection in left:
            connection.cut_off()

    def _abort_connections(self) -> None:
        for connection in list(self.server_state.connections):
            connection.transport.abort()
